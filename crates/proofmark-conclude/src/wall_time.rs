//! Builds whose runs differ from start to end by what CPU time does not show.

use proofmark_evidence::record::{
    ArmRef, Block, Experiment, Run, Schedule, WallTimeApart, Warning,
};
use proofmark_terms::{BuildIndex, Metric};

use crate::arms::{main_arm, paired_runs};
use crate::name::name;

/// Fewest whole runs of each build.
const FEWEST: usize = 3;
/// What runs wait, or save by several cores, differs by more than this share of the shorter one.
const APART: f64 = 0.1;

/// From start to end, runs of two builds differ by what CPU time does not show. What is told is the
/// least disturbed of the whole runs: a machine that is busy holds up some runs, and hardly ever
/// all. It is told where the runs that were made in turn say so as well.
pub(crate) fn wall_time_apart(
    experiment: &Experiment,
    [build, beside]: [BuildIndex; 2],
    blocks: &[Block],
) -> Option<Warning> {
    if experiment.benchmark.metric != Metric::CpuTime {
        return None;
    }
    let [new, base] = [build, beside].map(|build| main_arm(experiment, build));
    let pairs = pairs(blocks, [new, base]);
    let [new, base] = least_disturbed(&pairs)?;
    (apart(new, base) && agree(&pairs, new, base)).then(|| {
        Warning::WallTimeApart(WallTimeApart {
            build: name(experiment, build).to_owned(),
            beside: name(experiment, beside).to_owned(),
            wall_ns: new.wall_ns,
            beside_wall_ns: base.wall_ns,
        })
    })
}

fn apart(new: Whole, base: Whole) -> bool {
    let shorter = new.wall_ns.min(base.wall_ns) as f64;
    (new.beyond_cpu() - base.beyond_cpu()).abs() > APART * shorter
}

/// A whole run.
#[derive(Clone, Copy, Debug)]
struct Whole {
    wall_ns: u64,
    cpu_ns: u64,
}

impl Whole {
    /// What the run takes beyond its CPU time; below 0 where several cores work at once.
    fn beyond_cpu(self) -> f64 {
        self.wall_ns as f64 - self.cpu_ns as f64
    }
}

/// The whole runs of both arms that were made in turn.
fn pairs(blocks: &[Block], arms: [ArmRef; 2]) -> Vec<[Whole; 2]> {
    let whole = |run: &Run| Whole {
        wall_ns: run.wall_ns,
        cpu_ns: run.cpu_ns,
    };
    let blocks = blocks.iter();
    let runs = blocks.flat_map(|block| paired_runs(block, arms, Schedule::Interleaved));
    runs.map(|[new, base]| [whole(new), whole(base)]).collect()
}

/// Of both arms the whole run with the least wall time.
fn least_disturbed(pairs: &[[Whole; 2]]) -> Option<[Whole; 2]> {
    if pairs.len() < FEWEST {
        return None;
    }
    let least = |arm: usize| {
        pairs
            .iter()
            .map(|pair| pair[arm])
            .min_by_key(|run| run.wall_ns)
    };
    Some([least(0)?, least(1)?])
}

/// Whether pairs tell the same way as the least disturbed runs do: all of a few, and of many more
/// than chance would have it. Of n pairs that fall either way, n/2 ± √n/2 do.
fn agree(pairs: &[[Whole; 2]], new: Whole, base: Whole) -> bool {
    const ERRORS: f64 = 3.0;
    let longer = |new: Whole, base: Whole| new.beyond_cpu() > base.beyond_cpu();
    let way = longer(new, base);
    let same = pairs
        .iter()
        .filter(|[new, base]| longer(*new, *base) == way);
    let (same, all) = (same.count() as f64, pairs.len() as f64);
    same >= (0.5 * (all + ERRORS * all.sqrt())).min(all)
}

#[cfg(test)]
mod tests {
    use proofmark_evidence::record::Round;
    use proofmark_terms::{ArmIndex, Layout, Machine};

    use super::*;

    const ARMS: [ArmRef; 2] = [
        ArmRef::AsShipped {
            build: BuildIndex(1),
        },
        ArmRef::AsShipped {
            build: BuildIndex(0),
        },
    ];

    fn told(rounds: &[[(u64, u64); 2]]) -> Option<bool> {
        let run = |(wall_ms, cpu_ms): (u64, u64)| Run {
            value: 1.0,
            cpu_ns: cpu_ms * 1_000_000,
            wall_ns: wall_ms * 1_000_000,
            peak_bytes: 1,
        };
        let round = |runs: &[(u64, u64); 2]| Round {
            schedule: Schedule::Interleaved,
            order: ArmIndex::all(2).collect(),
            runs: runs.map(run).to_vec(),
        };
        let block = Block {
            index: 0,
            layout: Layout::AsShipped,
            arms: ARMS.to_vec(),
            images: Vec::new(),
            machine: Machine::default(),
            rounds: rounds.iter().map(round).collect(),
            printed: None,
            began_ms: 0,
            took_ms: 0,
        };
        let pairs = pairs(&[block], ARMS);
        least_disturbed(&pairs).map(|[new, base]| apart(new, base) && agree(&pairs, new, base))
    }

    #[test]
    fn what_is_waited_for_is_seen_and_a_busy_machine_is_not() {
        assert_eq!(told(&[[(95, 5), (65, 5)]; 3]), Some(true));
        // Four cores at once.
        assert_eq!(told(&[[(26, 100), (101, 100)]; 3]), Some(true));
        // CPU time says it all.
        assert_eq!(told(&[[(91, 90), (61, 60)]; 3]), Some(false));
        // Held up, now and then.
        let held = [[(91, 60), (61, 60)], [(62, 60), (99, 60)], [(80, 60); 2]];
        assert_eq!(told(&held), Some(false));
        assert_eq!(told(&[[(95, 5), (65, 5)]; 2]), None);
        // One run of one build came through, and as many pairs say this as that.
        let mut lucky = [[(99, 60), (98, 60)], [(97, 60), (99, 60)]].repeat(9);
        lucky.push([(61, 60), (98, 60)]);
        assert_eq!(told(&lucky), Some(false));
    }
}
