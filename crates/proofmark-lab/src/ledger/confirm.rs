//! A stated gain measured afresh: written down first, with a seed of its own, and to a width.

use proofmark_conclude::better;
use proofmark_conclude::ledger::{confirmed, first_figure, judged};
use proofmark_evidence::record::{LedgerClaim, LedgerEvent, Stop, benchmark_name, is_in_suite};
use proofmark_evidence::{LedgerId, RecordedLedger};
use proofmark_terms::Margin;

use super::book::{add, taken_up};
use super::run::{LedgerRequest, refuse_doubt, warnings_of};
use crate::error::LabError;
use crate::laboratory::Laboratory;
use crate::matrix::{load_matrix, run_matrix};
use crate::observer::Observer;

/// What is claimed, and how it is measured.
#[derive(Debug)]
pub struct ConfirmRequest {
    /// The builds: what the idea is held against, and with it.
    pub run: LedgerRequest,
    /// By how much it is better at least, relative: 0.05 for 5 %.
    pub at_least: f64,
    /// Differences smaller than this count as none.
    pub margin: Margin,
    /// The half-width to which it is measured, relative.
    pub precision: f64,
}

/// Writes the claim down, or takes up the one that was written down and not yet measured; then
/// measures it with fresh seeds and adds what was found.
///
/// # Errors
///
/// Whatever stops both builds alike; finished blocks are in the store, and the same command goes on
/// with them.
pub fn confirm(
    laboratory: &mut Laboratory<'_>,
    mut request: ConfirmRequest,
    observer: &mut dyn Observer,
) -> Result<LedgerId, LabError> {
    let mut book = taken_up(laboratory.store, &request.run.name, request.run.rate)?;
    let (index, claim) = match open(&book, &request) {
        Some(found) => found,
        None => {
            let claim = claim(&book, &request)?;
            let event = LedgerEvent::Claimed {
                claim: claim.clone(),
            };
            (add(laboratory.store, &mut book, event)?, claim)
        }
    };
    let seed = claim.seed.parse::<u64>();
    request.run.matrix.seed = Some(seed.map_err(|_| {
        LabError::Fault(format!("the seed `{}` of a claim is no number", claim.seed))
    })?);
    request.run.matrix.design.precision = Some(claim.precision);
    let matrix = run_matrix(laboratory, &request.run.matrix, observer)?;
    let measured = load_matrix(laboratory.store, matrix.as_str())?;
    refuse_doubt(
        &format!("`{}` cannot be confirmed", claim.idea),
        &warnings_of(&measured),
    )?;
    let found = confirmed(&measured.evidence())?;
    let Some(found) = found else {
        let all = measured.run.members.iter().zip(&measured.members);
        let mut out = all.filter_map(|(member, measured)| {
            let name = benchmark_name(&member.benchmark, member.size.as_ref());
            Some((name, measured.out.values().next()?))
        });
        return Err(LabError::Refused(match out.next() {
            Some((name, why)) => format!(
                "`{}` cannot be confirmed: the claim is about {}, and one of its builds is out of \
                 {name}: {why}\n  next: mend that, or claim it for the others by --benchmark",
                claim.idea,
                claim.benchmarks.join(", ")
            ),
            None => format!("`{}` was measured in too few blocks", claim.idea),
        }));
    };
    let stop = measured
        .conclusion
        .as_ref()
        .map(|conclusion| conclusion.stop);
    let metric = &measured.members[0].under_way.experiment.benchmark.metric;
    let event = LedgerEvent::Confirmed {
        claim: index,
        matrix,
        holds: judged(&claim, &found, better(metric)),
        reached: stop == Some(Stop::Precise),
        found,
    };
    add(laboratory.store, &mut book, event)?;
    Ok(book.id)
}

/// The same claim, written down and not yet measured.
fn open(book: &RecordedLedger, request: &ConfirmRequest) -> Option<(u32, LedgerClaim)> {
    let idea = request.run.asked.ideas.first()?;
    let mut entries = book.entries.iter().rev();
    entries.find_map(|entry| {
        let LedgerEvent::Claimed { claim } = &entry.of else {
            return None;
        };
        let measured = book.entries.iter().any(|other| {
            matches!(&other.of, LedgerEvent::Confirmed { claim, .. } if *claim == entry.index)
        });
        let same = Some(&claim.change) == idea.change.as_ref()
            && claim.at_least == request.at_least
            && claim.margin == request.margin
            && claim.precision == request.precision
            && claim.benchmarks == benchmarks(request);
        (same && !measured).then(|| (entry.index, claim.clone()))
    })
}

/// What the claim is about: each benchmark at its largest size.
fn benchmarks(request: &ConfirmRequest) -> Vec<String> {
    let members = &request.run.matrix.members;
    let all = || {
        let all = members.iter();
        all.map(|member| (member.name.as_str(), member.size.as_ref()))
    };
    all()
        .filter(|(name, size)| is_in_suite(name, *size, all()))
        .map(|(name, size)| benchmark_name(name, size))
        .collect()
}

fn claim(book: &RecordedLedger, request: &ConfirmRequest) -> Result<LedgerClaim, LabError> {
    let idea = request.run.asked.ideas.first();
    let idea = idea.ok_or_else(|| LabError::Refused("no idea is to be confirmed".to_owned()))?;
    let change = idea.change.clone();
    let change =
        change.ok_or_else(|| LabError::Fault(format!("the idea `{}` has no build", idea.name)))?;
    Ok(LedgerClaim {
        idea: idea.name.clone(),
        at_least: request.at_least,
        margin: request.margin,
        precision: request.precision,
        seed: rand::random::<u64>().to_string(),
        first: first_figure(&book.entries, &change),
        change,
        benchmarks: benchmarks(request),
    })
}
