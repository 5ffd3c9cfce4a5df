//! The shell as a program to be measured: every machine has it.

use std::path::PathBuf;

use proofmark_evidence::record::{
    Benchmark, CertificateUse, Design, Experiment, HeapStart, Inputs, LayoutControl, Question,
};
use proofmark_measure::read_machine;
use proofmark_terms::OsText;

use crate::builds::{Source, Subject};
use crate::clock::now_ms;
use crate::error::{LabError, of_file};

/// The program, and a script that keeps it busy for some tens of milliseconds.
const SHELL: &str = "/bin/sh";
const WORK: &str = "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done";

/// What may be spent on it, in milliseconds.
const MINUTE_MS: u64 = 60_000;

/// The shell as it lies in the system.
///
/// # Errors
/// When there is none.
pub(crate) fn shell() -> Result<Subject, LabError> {
    let path = PathBuf::from(SHELL);
    let content = std::fs::read(&path).map_err(of_file("read", &path))?;
    Ok(Subject {
        name: "sh".to_owned(),
        source: Source::Executable {
            path,
            hash: blake3::hash(&content).into(),
            held: None,
        },
        tree: None,
    })
}

/// The shell against itself, as it is.
pub(crate) fn of_the_shell(shell: &Subject) -> Experiment {
    Experiment {
        patches: Vec::new(),
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
        heap: HeapStart::default(),
        seed: rand::random(),
        inputs: Inputs::default(),
        machine: read_machine(),
        proofmark: env!("CARGO_PKG_VERSION").to_owned(),
        began_ms: now_ms(),
    }
}
