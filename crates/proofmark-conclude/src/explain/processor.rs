//! What the processor misses more of in one build: by its own counters, or by a model of it.

use proofmark_evidence::record::{CountFound, Counted, SimulatedRun, SimulatedRuns};

/// What is made of the new build's misses: cycles more than the base's, as a share of the cycles
/// that are given to the base.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OfProcessor {
    /// By misses of the data caches.
    pub data: f64,
    /// By misses of the instruction caches.
    pub instructions: f64,
    /// By branches that are predicted wrongly.
    pub branches: f64,
}

/// Cycles that a miss of the first level, and a branch that was not foreseen, are taken to cost:
/// KCachegrind's cycle estimation.
const NEAR: f64 = 10.0;
/// Cycles that a miss of the last level is taken to cost, by the same.
const FAR: f64 = 100.0;
/// Cycles that a branch costs at the least that was not foreseen, whatever goes on beside it: the
/// front end begins anew (A. Fog, The microarchitecture of Intel, AMD and VIA CPUs: 15 to 20 cycles
/// from Haswell and Zen on). Misses of caches overlap, and are left at the estimate above.
const BRANCH: f64 = 15.0;
/// Cycles in a nanosecond. Processors that are measured on have 2 to 5.
const CLOCK: f64 = 3.0;

/// What a processor misses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Missing {
    Data,
    Instructions,
    Branches,
}

impl OfProcessor {
    /// What is made of one kind of misses.
    pub(super) fn of(&self, what: Missing) -> f64 {
        match what {
            Missing::Data => self.data,
            Missing::Instructions => self.instructions,
            Missing::Branches => self.branches,
        }
    }

    /// Cycles that the misses of one simulated run, or of a function in it, are taken to cost.
    pub(super) fn cycles(run: &SimulatedRun) -> OfProcessor {
        OfProcessor {
            data: NEAR * run.d1 as f64 + FAR * run.ll_data as f64,
            instructions: NEAR * run.i1 as f64 + FAR * run.ll_instructions as f64,
            branches: NEAR * run.branches as f64,
        }
    }

    pub(super) fn plus(self, other: OfProcessor) -> OfProcessor {
        OfProcessor {
            data: self.data + other.data,
            instructions: self.instructions + other.instructions,
            branches: self.branches + other.branches,
        }
    }

    pub(super) fn less(self, other: OfProcessor) -> OfProcessor {
        let negative = OfProcessor {
            data: -other.data,
            instructions: -other.instructions,
            branches: -other.branches,
        };
        self.plus(negative)
    }

    /// From one simulated run of each build, by KCachegrind's estimate of cycles: instructions, ten
    /// times the misses of the first level and of branches, and a hundred times those of the last
    /// level. That takes an instruction for a cycle; a processor does up to six. So branches are
    /// held against `run_ns` as well, the CPU time of a run of the base, where it is known, and the
    /// larger share counts. None where nothing was simulated.
    #[must_use]
    pub fn simulated(runs: &SimulatedRuns, run_ns: Option<f64>) -> Option<OfProcessor> {
        let SimulatedRuns::Counted { base, new, .. } = runs else {
            return None;
        };
        let of_base = OfProcessor::cycles(base);
        let more = OfProcessor::cycles(new).less(of_base);
        let missing = of_base.data + of_base.instructions + of_base.branches;
        let all = (base.instructions as f64 + missing).max(1.0);
        let by_estimate = more.branches / all;
        let missed = new.branches as f64 - base.branches as f64;
        let by_time = run_ns.map_or(0.0, |ns| missed * BRANCH / (ns * CLOCK).max(1.0));
        let larger = if by_time.abs() > by_estimate.abs() {
            by_time
        } else {
            by_estimate
        };
        Some(OfProcessor {
            data: more.data / all,
            instructions: more.instructions / all,
            branches: larger,
        })
    }

    /// From the processor's own counters: the same cycles for each miss, as a share of the cycles
    /// that the base took. A counter that is not there, or does not differ beyond noise, adds
    /// nothing; none where cycles were not counted.
    #[must_use]
    pub fn counted(counts: &[CountFound]) -> Option<OfProcessor> {
        let of = |what: Counted| counts.iter().find(|one| one.what == what);
        let cycles = of(Counted::Cycles)?.base.max(1.0);
        let more = |what: Counted, each: f64| {
            let found = of(what).filter(|one| one.differs);
            found.map_or(0.0, |one| (one.new - one.base) * each / cycles)
        };
        Some(OfProcessor {
            data: more(Counted::DataCacheMisses, NEAR) + more(Counted::LastLevelMisses, FAR),
            instructions: more(Counted::InstructionCacheMisses, NEAR),
            branches: more(Counted::BranchMisses, NEAR),
        })
    }
}
