//! Runs as columns: round after round, and within a round in the order in which they started.

use proofmark_terms::ArmIndex;
use serde::{Deserialize, Serialize};

use crate::record::{Round, Run, Schedule};

/// The columns.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Columns {
    /// Of each round: how many runs it has.
    pub(super) runs: Vec<usize>,
    /// Of each round: the mean slice in microseconds; none where whole runs were taken.
    pub(super) slice_us: Vec<Option<u64>>,
    /// Of each run: its arm.
    pub(super) order: Vec<ArmIndex>,
    pub(super) value: Vec<f64>,
    pub(super) cpu_ns: Vec<u64>,
    pub(super) wall_ns: Vec<u64>,
    pub(super) peak_bytes: Vec<u64>,
}

impl Columns {
    pub(super) fn rounds(&self) -> Vec<Round> {
        let mut from = 0;
        let rounds = self.runs.iter().zip(&self.slice_us);
        rounds
            .map(|(&runs, &slice_us)| {
                let places = from..from + runs;
                from += runs;
                Round {
                    schedule: slice_us.map_or(Schedule::Interleaved, |slice_us| Schedule::Sliced {
                        slice_us,
                    }),
                    order: self.order[places.clone()].to_vec(),
                    runs: places.map(|place| self.run(place)).collect(),
                }
            })
            .collect()
    }

    fn run(&self, place: usize) -> Run {
        Run {
            value: self.value[place],
            cpu_ns: self.cpu_ns[place],
            wall_ns: self.wall_ns[place],
            peak_bytes: self.peak_bytes[place],
        }
    }

    pub(super) fn push(&mut self, round: &Round) {
        self.runs.push(round.runs.len());
        self.slice_us.push(match round.schedule {
            Schedule::Sliced { slice_us } => Some(slice_us),
            Schedule::Interleaved => None,
        });
        self.order.extend(&round.order);
        for &Run {
            value,
            cpu_ns,
            wall_ns,
            peak_bytes,
        } in &round.runs
        {
            self.value.push(value);
            self.cpu_ns.push(cpu_ns);
            self.wall_ns.push(wall_ns);
            self.peak_bytes.push(peak_bytes);
        }
    }
}
