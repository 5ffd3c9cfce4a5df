//! Sweeps, attributions and explanations computed again.

use proofmark_evidence::{
    ChainSort, Recorded, RecordedAttribution, RecordedExplanation, RecordedSweep,
};

use proofmark_evidence::record::ExplanationBlock;

use super::found::{AsRecorded, Finding, VerifiedChain};
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
        as_recorded: AsRecorded::default(),
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
        as_recorded: AsRecorded::default(),
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
        as_recorded: AsRecorded::default(),
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
