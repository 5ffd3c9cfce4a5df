//! The functions in which runs spend their time, by the samples of an explanation.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use proofmark_evidence::RecordedExplanation;
use proofmark_evidence::record::SampledRuns;
use proofmark_terms::BuildIndex;

use crate::error::LabError;

/// Functions are hot that hold this share of the samples in the image, in thousandths.
const SHARE: u64 = 990;

/// The hot functions of a build by their symbols, those with most samples first: the fewest that
/// hold 99 % of the samples in its image.
pub(super) fn hot(
    explanation: &RecordedExplanation,
    build: BuildIndex,
) -> Result<Vec<String>, LabError> {
    let side = usize::from(build != BuildIndex::BASE);
    let runs = explanation.blocks.iter().flat_map(|block| {
        let drawn = [&block.base, &block.new][side];
        let shipped = block.shipped.as_deref().map(|both| &both[side]);
        std::iter::once(drawn).chain(shipped)
    });
    let found = hottest(runs);
    if found.is_empty() {
        let why = explanation.explanation.unsampled.as_deref();
        let why = why.unwrap_or("no sample is in a function that has a name");
        return Err(LabError::Refused(format!(
            "which functions are hot is not known, and so there are no remedies: {why}\n  next: \
             `proofmark doctor` says what samples need"
        )));
    }
    Ok(found)
}

fn hottest<'a>(runs: impl Iterator<Item = &'a SampledRuns>) -> Vec<String> {
    let mut samples: BTreeMap<&str, u64> = BTreeMap::new();
    let named = runs.flat_map(|runs| &runs.functions);
    for function in named.filter(|function| !function.symbol.is_empty()) {
        *samples.entry(&function.symbol).or_default() += function.samples;
    }
    let all: u64 = samples.values().sum();
    let mut most: Vec<(&str, u64)> = samples.into_iter().collect();
    most.sort_by_key(|(symbol, count)| (Reverse(*count), *symbol));
    let mut held = 0;
    most.into_iter()
        .take_while(|(_, count)| {
            let lacks = held * 1000 < all * SHARE;
            held += count;
            lacks
        })
        .map(|(symbol, _)| symbol.to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use proofmark_evidence::record::{SampledBy, SampledFunction};

    use super::*;

    fn runs(functions: &[(&str, u64)]) -> SampledRuns {
        let function = |(symbol, samples): &(&str, u64)| SampledFunction {
            symbol: (*symbol).to_owned(),
            name: (*symbol).to_owned(),
            samples: *samples,
            lines: Vec::new(),
        };
        SampledRuns {
            by: SampledBy::Clock,
            runs: 1,
            cpu_ns: 1,
            wall_ns: 1,
            page_faults: 0,
            waits: 0,
            preempted: 0,
            samples: 1,
            between_ns: 1,
            functions: functions.iter().map(function).collect(),
            elsewhere: Vec::new(),
        }
    }

    #[test]
    fn the_fewest_functions_that_hold_nearly_all_samples_are_hot() {
        let all = [
            runs(&[("send", 300), ("rare", 4), ("", 5000)]),
            runs(&[("step", 600), ("send", 90), ("once", 6)]),
        ];
        assert_eq!(hottest(all.iter()), ["step", "send"]);
        assert_eq!(hottest([runs(&[("", 7)])].iter()), [""; 0]);
    }
}
