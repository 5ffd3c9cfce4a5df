//! What this machine can resolve in a minute, from a short measurement of a program that every
//! machine has: its shell.

use proofmark_conclude::all_builds;
use proofmark_evidence::record::Pilot;
use proofmark_measure::Interrupt;

use crate::bench::{Alongside, Bench, BenchParts};
use crate::budget::Budget;
use crate::error::LabError;
use crate::observer::Silent;
use crate::pilot::{Allowance, pilot};
use crate::places::Places;
use crate::shell::{of_the_shell, shell};

/// Measures the shell against a copy of itself.
///
/// # Errors
///
/// When the shell cannot be copied or run, or the user stops.
pub fn resolving_power(stop: &Interrupt) -> Result<Pilot, LabError> {
    let folder = tempfile::tempdir().map_err(|source| LabError::File {
        action: "make a folder in",
        path: std::env::temp_dir(),
        source,
    })?;
    let subjects = [shell()?, shell()?];
    let [shell, _] = &subjects;
    let experiment = of_the_shell(shell);
    let places = Places::of(&subjects, None)?;
    let mut bench = Bench::new(
        &experiment,
        &subjects,
        BenchParts::claim(folder.path().join("run"), places, stop)?,
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
