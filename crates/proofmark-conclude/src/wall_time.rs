//! Builds whose runs differ from start to end by what CPU time does not show.

use proofmark_evidence::record::{ArmRef, Block, Experiment, Schedule, WallTimeApart, Warning};
use proofmark_terms::{BuildIndex, Metric};

use crate::arms::{main_arm, paired_runs};
use crate::name::name;

/// Fewest whole runs of each build.
const FEWEST: usize = 3;
/// What runs wait, or save by several cores, differs by more than this share of the shorter one.
const APART: f64 = 0.1;

/// From start to end, runs of two builds differ by what CPU time does not show. What counts is the
/// least disturbed of the whole runs: a machine that is busy holds up some runs, and hardly ever
/// all.
pub(crate) fn wall_time_apart(
    experiment: &Experiment,
    [build, beside]: [BuildIndex; 2],
    blocks: &[Block],
) -> Option<Warning> {
    if experiment.benchmark.metric != Metric::CpuTime {
        return None;
    }
    let [new, base] = [build, beside].map(|build| main_arm(experiment, build));
    let [new, base] = least_disturbed(blocks, [new, base])?;
    apart(new, base).then(|| {
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

/// Of both arms the whole run with the least wall time.
fn least_disturbed(blocks: &[Block], arms: [ArmRef; 2]) -> Option<[Whole; 2]> {
    let mut all: [Vec<Whole>; 2] = Default::default();
    for block in blocks {
        for runs in paired_runs(block, arms, Schedule::Interleaved) {
            for (all, run) in all.iter_mut().zip(runs) {
                all.push(Whole {
                    wall_ns: run.wall_ns,
                    cpu_ns: run.cpu_ns,
                });
            }
        }
    }
    let [new, base] = all.map(|all| {
        let least = all.iter().copied().min_by_key(|run| run.wall_ns);
        least.filter(|_| all.len() >= FEWEST)
    });
    Some([new?, base?])
}

#[cfg(test)]
mod tests {
    use proofmark_evidence::record::{Round, Run};
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
            began_ms: 0,
            took_ms: 0,
        };
        least_disturbed(&[block], ARMS).map(|[new, base]| apart(new, base))
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
    }
}
