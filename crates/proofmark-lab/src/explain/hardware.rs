//! What the processor's own counters say of the builds' own images, where it has some.

use std::collections::BTreeMap;

use proofmark_evidence::record::{Counted, HardwareCount, HardwareRuns};
use proofmark_measure::counters::{Counter, count};
use proofmark_measure::{Interrupt, Unavailable};

use crate::bench::Bench;
use crate::error::LabError;

/// Counters that are asked together. Processors count four events or more at once, so that none of
/// a group is scaled up from a part of a run; one that had to be is left out by name.
const GROUPS: [&[(Counter, Counted)]; 3] = [
    &[
        (Counter::Cycles, Counted::Cycles),
        (Counter::Branches, Counted::Branches),
        (Counter::BranchMisses, Counted::BranchMisses),
    ],
    &[
        (
            Counter::InstructionCacheMisses,
            Counted::InstructionCacheMisses,
        ),
        (Counter::InstructionTlbMisses, Counted::InstructionTlbMisses),
    ],
    &[
        (Counter::DataCacheMisses, Counted::DataCacheMisses),
        (Counter::LastLevelMisses, Counted::LastLevelMisses),
        (Counter::DataTlbMisses, Counted::DataTlbMisses),
    ],
];
/// Runs of each build for each group.
const RUNS: usize = 5;

/// Counts runs of the two placed builds in turn.
///
/// # Errors
///
/// When the user stops, or what goes before a run fails.
pub(super) fn hardware(bench: &mut Bench, stop: &Interrupt) -> Result<HardwareRuns, LabError> {
    if let Err(why) = Counter::Cycles.available() {
        let reason = why.to_string();
        return Ok(HardwareRuns::Unavailable { reason });
    }
    let mut gathered = Gathered::default();
    for group in GROUPS {
        let wanted: Vec<Counter> = group.iter().map(|(counter, _)| *counter).collect();
        for _ in 0..RUNS {
            for arm in [0, 1] {
                let launch = bench.launch_sampled(arm)?.launch;
                let counted = match count(&launch, &wanted, stop) {
                    Err(Unavailable::Interrupted) => return Err(LabError::Interrupted),
                    Err(why) => {
                        let reason = why.to_string();
                        return Ok(HardwareRuns::Unavailable { reason });
                    }
                    Ok(counted) => counted,
                };
                for ((_, what), (counter, reading)) in group.iter().zip(counted.readings) {
                    let reading = reading.map_err(|why| why.to_string());
                    gathered.take(arm, (*what, counter.name()), reading);
                }
            }
        }
    }
    Ok(gathered.found())
}

/// Readings of both builds, by counter.
#[derive(Default)]
struct Gathered {
    counters: Vec<HardwareCount>,
    /// Why a counter is left out, by its name.
    lacking: BTreeMap<&'static str, String>,
}

impl Gathered {
    fn take(
        &mut self,
        arm: usize,
        (what, name): (Counted, &'static str),
        reading: Result<u64, String>,
    ) {
        let count = match reading {
            Ok(count) => count,
            Err(why) => {
                self.lacking.entry(name).or_insert(why);
                self.counters.retain(|one| one.what != what);
                return;
            }
        };
        if self.lacking.contains_key(name) {
            return;
        }
        let at = self.counters.iter().position(|one| one.what == what);
        let at = at.unwrap_or_else(|| {
            self.counters.push(HardwareCount {
                what,
                base: Vec::new(),
                new: Vec::new(),
            });
            self.counters.len() - 1
        });
        if let Some(counter) = self.counters.get_mut(at) {
            let runs = if arm == 0 {
                &mut counter.base
            } else {
                &mut counter.new
            };
            runs.push(count);
        }
    }

    fn found(self) -> HardwareRuns {
        let lacking = self.lacking.into_iter();
        HardwareRuns::Counted {
            counters: self.counters,
            lacking: lacking
                .map(|(name, why)| format!("{name}: {why}"))
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_that_was_not_there_for_one_run_is_left_out() {
        let mut gathered = Gathered::default();
        let cycles = (Counted::Cycles, "cycles");
        let misses = (Counted::BranchMisses, "branch misses");
        gathered.take(0, cycles, Ok(100));
        gathered.take(0, misses, Ok(7));
        gathered.take(1, cycles, Ok(110));
        gathered.take(1, misses, Err("shared".to_owned()));
        gathered.take(0, misses, Ok(8));
        let expected = HardwareRuns::Counted {
            counters: vec![HardwareCount {
                what: Counted::Cycles,
                base: vec![100],
                new: vec![110],
            }],
            lacking: vec!["branch misses: shared".to_owned()],
        };
        assert_eq!(gathered.found(), expected);
    }
}
