//! The whole of a matrix, from a request to a conclusion in the store.

use std::collections::BTreeSet;

use proofmark_conclude::{Ended, Sheet, conclude_matrix, members_warned_of, of_member};
use proofmark_evidence::record::{Exclusion, Stop, Unbuilt, Warning};
use proofmark_evidence::{LockedStore, MatrixId};
use proofmark_terms::MemberIndex;

use super::begin::begin;
use super::code;
use super::conduct::conduct_matrix;
use super::doubts::doubts_of_members;
use super::member::{MatrixUnderWay, evidence};
use super::request::MatrixRequest;
use super::stage::Benches;
use crate::budget::Budget;
use crate::builds::refuse_special;
use crate::clock::now_ms;
use crate::error::LabError;
use crate::laboratory::{Laboratory, emptied};
use crate::observer::{Event, Observer};
use crate::output::Printed;
use crate::places::libraries;

/// Measures a matrix, or goes on where it was interrupted; does nothing where all that is asked has
/// been answered.
///
/// # Errors
///
/// Whatever stops all builds alike; finished blocks are in the store.
pub fn run_matrix(
    laboratory: &mut Laboratory<'_>,
    request: &MatrixRequest,
    observer: &mut dyn Observer,
) -> Result<MatrixId, LabError> {
    run(laboratory, request, observer).map_err(LabError::of_matrix)
}

fn run(
    laboratory: &mut Laboratory<'_>,
    request: &MatrixRequest,
    observer: &mut dyn Observer,
) -> Result<MatrixId, LabError> {
    let began_ms = now_ms();
    possible(request)?;
    refuse_special(&request.subjects)?;
    for member in &request.members {
        libraries::check(&request.subjects, |build| {
            let own = member.run_as.get(build).and_then(Option::as_ref);
            own.unwrap_or(&member.benchmark)
        })?;
    }
    let budget = Budget::new(&request.design, began_ms, 0);
    let mut matrix = begin(laboratory, request, budget, observer)?;
    refuse_readers(request, &matrix)?;
    if matrix.answers(&request.asked) && !matrix.has_more_to_spend(&request.design) {
        answered_again(&matrix, laboratory.store)?;
        return Ok(matrix.id);
    }
    for member in &mut matrix.members {
        member.under_way.began_ms = began_ms;
        member.under_way.experiment.design.budget_ms = request.design.budget_ms;
    }
    let mut code = code::read(
        &request.subjects,
        &request.asked.facts,
        request.expectations.as_ref(),
    )?;
    let Measured {
        stop,
        mut remarks,
        printed,
    } = measured(laboratory, request, &mut matrix, observer)?;
    code.warn(&mut remarks);
    let ended = Ended {
        stop,
        code: code.cells,
        remarks,
    };
    let mut conclusion = conclude_matrix(&matrix.evidence(), &request.asked, ended)?;
    let doubts = doubts_of_members(&matrix, &conclusion, &printed);
    conclusion.warnings.extend(doubts);
    let warned = members_warned_of(&matrix.evidence(), &conclusion)?;
    for (index, member) in MemberIndex::each(&matrix.members) {
        if !member.under_way.blocks.is_empty() {
            let own = of_member(&conclusion, &warned, index, &member.evidence());
            laboratory.store.conclude(&member.under_way.id, &own)?;
        }
    }
    laboratory.store.conclude_matrix(&matrix.id, &conclusion)?;
    Ok(matrix.id)
}

/// Concludes once more what the store answered, where another matrix came after it: `matrix show`
/// shows what was asked for last.
fn answered_again(matrix: &MatrixUnderWay, store: &mut LockedStore) -> Result<(), LabError> {
    let latest = store.latest_matrix()?;
    let Some(conclusion) = matrix
        .conclusion
        .as_ref()
        .filter(|_| latest.as_ref() != Some(&matrix.id))
    else {
        return Ok(());
    };
    Ok(store.conclude_matrix(&matrix.id, conclusion)?)
}

/// A program that reads its own executable file reads another one in each layout, and may do
/// something else there. A comparison counts its instructions and tells; a matrix does not.
fn refuse_readers(request: &MatrixRequest, matrix: &MatrixUnderWay) -> Result<(), LabError> {
    for (member, name) in matrix.members.iter().zip(&matrix.run.members) {
        let experiment = &member.under_way.experiment;
        let reader = experiment.inputs.read_themselves.first();
        let reader = reader.and_then(|build| build.of(&request.subjects));
        if let Some(reader) = reader.filter(|_| experiment.layouts.is_drawn()) {
            return Err(LabError::Refused(format!(
                "runs of {} on {} read the executable file that they run, which is another file in \
                 each layout: whether it does the same work there, a matrix does not find out\n  \
                 next: compare two cells, `proofmark compare BASE NEW -- {{}}`, or measure the \
                 files as they are, with `--layouts as-shipped`",
                reader.name, name.benchmark
            )));
        }
    }
    Ok(())
}

/// What has nothing to compare is said before anything begins.
fn possible(request: &MatrixRequest) -> Result<(), LabError> {
    let refused = |why: &str| Err(LabError::Refused(why.to_owned()));
    let gated = request.asked.gates.iter().any(|gate| !gate.passed);
    if gated && (request.subjects.len() < 2 || request.baselines.is_empty()) {
        return Err(LabError::Gated(
            "gates leave nothing to compare: fewer than two builds pass them, or no baseline \
             does\n  next: `proofmark matrix gates` says what differs"
                .to_owned(),
        ));
    }
    let unbuilt = |wanted: fn(&Unbuilt) -> bool| {
        let first = request.asked.unbuilt.iter().find(|cell| wanted(cell))?;
        Some(format!(": `{}` has none: {}", first.cell, first.why))
    };
    if request.subjects.len() < 2 {
        let why = unbuilt(|_| true).unwrap_or_else(|| {
            "\n  next: `proofmark matrix plan` says which cells there are".to_owned()
        });
        return refused(&format!(
            "a matrix of fewer than two builds compares nothing{why}"
        ));
    }
    if request.baselines.is_empty() {
        let why = unbuilt(|cell| cell.baseline).unwrap_or_default();
        return refused(&format!(
            "no baseline has a build, so that there is nothing to compare with{why}\n  next: mend \
             its build, or name another in `baselines`"
        ));
    }
    if request.members.is_empty() {
        return refused(
            "there is no benchmark\n  next: write [benchmark] with command = \"{} …\" into proofmark.toml",
        );
    }
    Ok(())
}

/// What measuring ended with.
struct Measured {
    stop: Stop,
    /// What a reader must know of the machine and the images.
    remarks: Vec<Warning>,
    /// What the runs of each benchmark have to show for their work; empty where none was made.
    printed: Vec<Printed>,
}

/// Measures what is open.
fn measured(
    laboratory: &mut Laboratory<'_>,
    request: &MatrixRequest,
    matrix: &mut MatrixUnderWay,
    observer: &mut dyn Observer,
) -> Result<Measured, LabError> {
    let open = Sheet::new(&matrix.run, &request.asked, &evidence(&matrix.members))?.open();
    let piloted = matrix
        .members
        .iter()
        .all(|member| member.under_way.pilot.is_some());
    if piloted && open.iter().all(BTreeSet::is_empty) {
        // A claim that the blocks answer already; what was said of the machine stays true of them.
        let before = matrix.conclusion.take();
        let remarks = before.map(|before| before.warnings).unwrap_or_default();
        return Ok(Measured {
            stop: Stop::Decided,
            remarks,
            printed: Vec::new(),
        });
    }
    observer.tell(&Event::Preparing("layouts"));
    emptied(&laboratory.folder.join("work"))?;
    let (mut benches, broken) = Benches::set_up(
        matrix,
        &request.subjects,
        laboratory.folder,
        &laboratory.stop,
    )?;
    for error in &broken {
        unlinkable(matrix, error, laboratory.store)?;
    }
    let stop = conduct_matrix(
        matrix,
        &request.asked,
        &mut benches,
        laboratory.store,
        observer,
    )?;
    Ok(Measured {
        stop,
        remarks: benches.remarks(),
        printed: benches.printed(),
    })
}

/// A cell of which no image can be made is out of every benchmark.
fn unlinkable(
    matrix: &mut MatrixUnderWay,
    error: &LabError,
    store: &mut LockedStore,
) -> Result<(), LabError> {
    let LabError::OfBuild { build, cause } = error else {
        return Err(LabError::Refused(error.to_string()));
    };
    for member in &mut matrix.members {
        if !member.out.contains_key(build) {
            let exclusion = Exclusion {
                build: *build,
                blocks: member.blocks(),
                why: format!("no layout of it can be made: {cause}"),
            };
            store.exclude(&member.under_way.id, &exclusion)?;
            member.out.insert(*build, exclusion.why);
        }
    }
    Ok(())
}
