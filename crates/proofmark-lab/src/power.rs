//! What this machine can resolve in a minute, from a short measurement of a program that every
//! machine has: its shell.

use std::path::PathBuf;

use proofmark_conclude::all_builds;
use proofmark_evidence::record::{
    Benchmark, CertificateUse, Design, Experiment, Inputs, LayoutControl, Pilot, Question,
};
use proofmark_measure::{Stop, read_machine};
use proofmark_terms::OsText;

use crate::LabError;
use crate::aside::Alongside;
use crate::begin::now_ms;
use crate::bench::Bench;
use crate::budget::Budget;
use crate::observer::Silent;
use crate::pilot::{Allowance, pilot};
use crate::request::{Source, Subject};
use crate::run::parts;

/// The program, and a script that keeps it busy for some tens of milliseconds.
const SHELL: &str = "/bin/sh";
const WORK: &str = "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done";

/// The budget that the answer is for, in milliseconds.
const MINUTE_MS: u64 = 60_000;

/// Measures the shell against a copy of itself.
///
/// # Errors
///
/// When the shell cannot be copied or run, or the user stops.
pub fn resolving_power(stop: &Stop) -> Result<Pilot, LabError> {
    let folder = tempfile::tempdir().map_err(|source| LabError::File {
        action: "make a folder in",
        path: std::env::temp_dir(),
        source,
    })?;
    let experiment = of_the_shell();
    let subjects = [shell(), shell()];
    let mut bench = Bench::new(
        &experiment,
        &subjects,
        parts((folder.path().join("run"), None), &subjects, stop)?,
        Alongside::default(),
    );
    pilot(
        &mut bench,
        &experiment,
        &all_builds(&experiment),
        &Allowance::all(Budget::NONE),
        &mut Silent,
    )
}

fn shell() -> Subject {
    Subject {
        name: "sh".to_owned(),
        source: Source::Executable {
            path: PathBuf::from(SHELL),
            hash: String::new(),
            held: None,
        },
    }
}

/// The shell against itself, as it is.
pub(crate) fn of_the_shell() -> Experiment {
    let shell = shell();
    Experiment {
        question: Question::Null,
        builds: vec![shell.record(), shell.record()],
        benchmark: Benchmark {
            argv: ["{}", "-c", WORK].map(OsText::from).into(),
            timeout_ms: MINUTE_MS,
            ..Benchmark::default()
        },
        design: Design {
            budget_ms: Some(MINUTE_MS),
            as_shipped: false,
            certificate: CertificateUse::Never,
            ..Design::default()
        },
        layouts: LayoutControl::AsShipped {
            reason: "a measurement of the machine, not of the program".to_owned(),
        },
        seed: rand::random(),
        inputs: Inputs::default(),
        machine: read_machine(),
        proofmark: env!("CARGO_PKG_VERSION").to_owned(),
        began_ms: now_ms(),
    }
}
