//! Where the misses of a model differ, and whether the time differs there too.

use std::collections::HashMap;

use proofmark_evidence::record::{CodeBetween, PlaceFound, PlaceOf, SimulatedRuns};

use super::places::renamed;
use super::processor::{Missing, OfProcessor};

/// Cycles that misses take in the build, less those in the base, by place and by a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Missed {
    /// Of the image's functions that differ, by the build's symbol.
    pub functions: HashMap<String, OfProcessor>,
    /// Of a whole run.
    pub all: OfProcessor,
}

impl Missed {
    /// What simulated runs say; `None` where nobody recorded the misses of functions.
    pub(super) fn of(runs: Option<&SimulatedRuns>, code: &CodeBetween) -> Option<Missed> {
        let Some(SimulatedRuns::Counted {
            base,
            new,
            misses: Some(misses),
            ..
        }) = runs
        else {
            return None;
        };
        let renamed = renamed(code);
        let mut functions: HashMap<String, OfProcessor> = HashMap::new();
        for one in misses {
            let symbol = one.symbol.as_str();
            let as_new = renamed.get(symbol).copied().unwrap_or(symbol);
            let in_base = functions.entry(as_new.to_owned()).or_default();
            *in_base = in_base.less(OfProcessor::cycles(&one.base));
            let in_new = functions.entry(symbol.to_owned()).or_default();
            *in_new = in_new.plus(OfProcessor::cycles(&one.new));
        }
        Some(Missed {
            functions,
            all: OfProcessor::cycles(new).less(OfProcessor::cycles(base)),
        })
    }

    /// How much of a difference in time is where these misses differ, as a share of the base's
    /// time; none where nothing tells: time was not sampled, or the model does not see what
    /// counters do. `by` is what all of the misses make by an estimate, and `least` the part of a
    /// difference that misses have to make to be its cause.
    pub(super) fn time_there(
        &self,
        places: &[PlaceFound],
        longer: bool,
        (what, by, least): (Missing, f64, f64),
    ) -> Option<f64> {
        let all = self.all.of(what);
        if places.is_empty() || all * by <= 0.0 {
            return None;
        }
        let counted = |took: f64, share: f64| {
            let told = told(took, by * share, least);
            // What has fewer misses, and takes longer all the same, does so for another reason.
            let against = by * share * told < 0.0 && (told > 0.0) == longer;
            if against { 0.0 } else { told }
        };
        let (mut there, mut beside, mut rest) = (0.0, 0.0, 1.0);
        for one in places {
            let took = one.difference.map_or(one.new - one.base, |by| by.estimate);
            match &one.place {
                PlaceOf::Function { symbol, .. } => {
                    let own = self.functions.get(symbol);
                    let share = own.map_or(0.0, |own| own.of(what) / all);
                    rest -= share;
                    there += counted(took, share);
                }
                PlaceOf::Library { .. } | PlaceOf::Nameless | PlaceOf::Unknown => beside += took,
                PlaceOf::Kernel => {}
            }
        }
        Some(there + counted(beside, rest))
    }
}

/// What of a place's difference counts: all of it, where its misses make enough of it, and else no
/// more than they make. A function with a few of them may be slower for another reason.
fn told(took: f64, made: f64, least: f64) -> f64 {
    if took.abs() * least <= made.abs() {
        took
    } else {
        made.abs().copysign(took)
    }
}

#[cfg(test)]
mod tests {
    use proofmark_evidence::record::{SimulatedMisses, SimulatedRun};

    use super::*;

    /// By hand: ten cycles a miss of the first level, a hundred of the last. `old` is `new` there.
    #[test]
    fn a_function_of_two_names_is_one() {
        let counted = |symbol: &str, [base, new]: [u64; 2]| {
            let run = |d1: u64| SimulatedRun {
                d1,
                ..SimulatedRun::default()
            };
            SimulatedMisses {
                symbol: symbol.to_owned(),
                base: run(base),
                new: run(new),
            }
        };
        let whole = |d1: u64| SimulatedRun {
            instructions: 1000,
            d1,
            ll_data: 1,
            ..SimulatedRun::default()
        };
        let runs = SimulatedRuns::Counted {
            caches: [const { String::new() }; 3],
            base: whole(30),
            new: whole(50),
            functions: None,
            misses: Some(vec![
                counted("old", [7, 0]),
                counted("new", [0, 19]),
                counted("same", [4, 12]),
            ]),
        };
        let code = CodeBetween::Read {
            functions: Vec::new(),
            renamed: vec![["old".to_owned(), "new".to_owned()]],
            named: [2, 2],
            several: Vec::new(),
        };
        let found = Missed::of(Some(&runs), &code).unwrap();
        assert_eq!(found.all.of(Missing::Data), 200.0);
        let of = |symbol: &str| found.functions.get(symbol).map(|one| one.of(Missing::Data));
        assert_eq!([of("new"), of("same")], [Some(120.0), Some(80.0)]);
        assert_eq!(of("old"), Some(0.0));
        assert_eq!(Missed::of(None, &code), None);
    }
}
