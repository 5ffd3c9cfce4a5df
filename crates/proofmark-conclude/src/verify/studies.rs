//! Sweeps and attributions computed again; bisections and series, whose experiments are.

use proofmark_evidence::{
    ChainSort, Recorded, RecordedAttribution, RecordedBisect, RecordedExplanation, RecordedSeries,
    RecordedSweep,
};

use proofmark_evidence::record::ExplanationBlock;

use super::found::{Finding, VerifiedChain};
use super::numbers::compared;
use crate::{conclude_attribution, conclude_screening, conclude_sweep, explain};

pub(super) fn sweep(recorded: &RecordedSweep) -> VerifiedChain {
    let RecordedSweep {
        id,
        sweep,
        blocks,
        conclusion,
        ..
    } = recorded;
    let finding = conclusion.as_ref().map(|claimed| {
        conclude_sweep(sweep, blocks, claimed.stop).map(|found| compared(claimed, &found))
    });
    let rounds = blocks.iter().flat_map(|block| &block.rounds);
    VerifiedChain {
        id: id.as_str().to_owned(),
        sort: ChainSort::Sweep,
        about: sweep.build.name.clone(),
        blocks: u32::try_from(blocks.len()).unwrap_or(u32::MAX),
        runs: rounds.map(|round| round.runs.len() as u64).sum(),
        finding: of_claim(finding),
        implausible: Vec::new(),
    }
}

pub(super) fn attribution(recorded: &RecordedAttribution) -> VerifiedChain {
    let RecordedAttribution {
        id,
        attribution,
        blocks,
        conclusion,
        ..
    } = recorded;
    let finding = conclusion
        .as_ref()
        .map(|claimed| match &attribution.screening {
            Some(screening) if blocks.is_empty() => Ok(compared(
                claimed,
                &conclude_screening(screening, claimed.took_ms),
            )),
            _ => conclude_attribution(attribution, blocks, claimed.stop)
                .map(|found| compared(claimed, &found)),
        });
    let rounds = blocks
        .iter()
        .flat_map(|block| block.measured.iter().flatten());
    VerifiedChain {
        id: id.as_str().to_owned(),
        sort: ChainSort::Attribution,
        about: attribution.build.name.clone(),
        blocks: u32::try_from(blocks.len()).unwrap_or(u32::MAX),
        runs: rounds.map(|round| round.runs.len() as u64).sum(),
        finding: of_claim(finding),
        implausible: Vec::new(),
    }
}

/// An explanation, beside the comparison that it explains.
pub(super) fn explanation(recorded: &RecordedExplanation, comparison: &Recorded) -> VerifiedChain {
    let RecordedExplanation {
        id,
        explanation,
        blocks,
        conclusion,
        ..
    } = recorded;
    let finding = conclusion.as_ref().map(|claimed| {
        explain::conclude(comparison, explanation, blocks).map(|found| compared(claimed, &found))
    });
    let build = explanation.build.of(&comparison.experiment.builds);
    let runs = |block: &ExplanationBlock| {
        let shipped = block.shipped.iter().flat_map(|two| two.iter());
        let all = [&block.base, &block.new].into_iter().chain(shipped);
        all.map(|one| u64::from(one.runs)).sum::<u64>()
    };
    VerifiedChain {
        id: id.as_str().to_owned(),
        sort: ChainSort::Explanation,
        about: build.map_or_else(String::new, |build| build.name.clone()),
        blocks: u32::try_from(blocks.len()).unwrap_or(u32::MAX),
        runs: blocks.iter().map(runs).sum(),
        finding: of_claim(finding),
        implausible: Vec::new(),
    }
}

/// A search by experiments that are chains of their own.
pub(super) fn bisect(recorded: &RecordedBisect) -> VerifiedChain {
    let finding = match recorded.conclusion {
        Some(_) => Finding::NotRecomputed,
        None => Finding::NothingClaimed,
    };
    let commits = recorded.bisect.commits.len();
    of_experiments(
        recorded.id.as_str(),
        ChainSort::Bisect,
        format!("{commits} states"),
        finding,
    )
}

/// A line of experiments that are chains of their own.
pub(super) fn series(recorded: &RecordedSeries) -> VerifiedChain {
    let entries = recorded.entries.len();
    of_experiments(
        recorded.id.as_str(),
        ChainSort::Series,
        format!("{entries} entries"),
        Finding::NotRecomputed,
    )
}

fn of_experiments(id: &str, sort: ChainSort, about: String, finding: Finding) -> VerifiedChain {
    VerifiedChain {
        id: id.to_owned(),
        sort,
        about,
        blocks: 0,
        runs: 0,
        finding,
        implausible: Vec::new(),
    }
}

fn of_claim(found: Option<Result<Finding, crate::ConcludeError>>) -> Finding {
    match found {
        None => Finding::NothingClaimed,
        Some(Ok(finding)) => finding,
        Some(Err(error)) => Finding::NotConcluded {
            why: error.to_string(),
        },
    }
}
