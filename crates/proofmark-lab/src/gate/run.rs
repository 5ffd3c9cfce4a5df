//! All gates of all builds.

use proofmark_evidence::record::GateFound;
use proofmark_project::{BuildOutcome, BuiltCell, Failure};

use super::bench::GateBench;
use super::request::GatesRequest;
use super::{differential, size, suite};
use crate::error::LabError;
use crate::laboratory::Laboratory;
use crate::observer::{Event, Observer};

/// Runs each gate on each build, gate by gate; base comes first.
///
/// # Errors
///
/// When a gate cannot be judged on base, so that nothing can be held against it; when inputs or
/// results cannot be read; or when the user interrupts.
pub fn run_gates(
    laboratory: &mut Laboratory<'_>,
    request: &GatesRequest<'_>,
    observer: &mut dyn Observer,
) -> Result<Vec<GateFound>, LabError> {
    if request.is_empty() {
        return Ok(Vec::new());
    }
    let bench = GateBench::new(laboratory, request)?;
    let mut found = Vec::new();
    for (name, gate) in request.gates() {
        let cells = request.cells.iter().map(|cell| cell.subject.name.as_str());
        let cells: Vec<&str> = cells.collect();
        let mut tell = |cell: &str| {
            observer.tell(&Event::Preparing(&format!("gate `{name}` of {cell}")));
        };
        let judged = if let Some(most) = gate.size {
            size::judge(&request.cells, most)
        } else if gate.is_differential() {
            differential::judge(&bench, (name, gate), &cells, &mut tell)
        } else {
            suite::judge(&bench, (name, gate), &cells, &mut tell)
        }?;
        found.extend(cells.iter().zip(judged).map(|(cell, judged)| GateFound {
            gate: name.to_owned(),
            cell: (*cell).to_owned(),
            passed: judged.passed,
            said: judged.said,
            differs: judged.differs,
            flaky: judged.flaky,
        }));
    }
    Ok(found)
}

/// The cells, those whose build fails a gate without it: it is never timed.
#[must_use]
pub fn passing(built: &[BuiltCell], found: &[GateFound]) -> Vec<BuiltCell> {
    let mut passing = built.to_vec();
    for cell in &mut passing {
        let fails = |one: &&GateFound| one.cell == cell.cell.name && !one.passed;
        if let Some(failed) = found.iter().find(fails) {
            cell.outcome = BuildOutcome::Failed(Failure {
                why: format!("gate `{}` fails: {}", failed.gate, failed.said),
                toolchain: false,
            });
        }
    }
    passing
}
