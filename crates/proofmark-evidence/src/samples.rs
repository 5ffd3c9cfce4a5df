//! How a block is written down: its runs as columns, a fifth of the bytes of a list of objects, and
//! still plain JSON.

mod columns;

use columns::Columns;
use proofmark_terms::{ArmIndex, Digest, Layout, Machine};
use serde::{Deserialize, Serialize};

use crate::private::parts;
use crate::record::{ArmRef, Block, Round, Run};

/// A block as stored. Each column of `runs` holds round after round, and within a round the runs in
/// the order in which they started.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct StoredBlock {
    index: u32,
    layout: Layout,
    arms: Vec<ArmRef>,
    images: Vec<Digest>,
    machine: Machine,
    printed: Option<Digest>,
    began_ms: u64,
    took_ms: u64,
    runs: Columns,
}

parts!(StoredBlock {
    index: open,
    layout: open,
    arms: open,
    images: open,
    machine: inner,
    printed: open,
    began_ms: open,
    took_ms: open,
    runs: open,
});

impl StoredBlock {
    /// Checks that a block is one, and turns its rounds into columns.
    ///
    /// # Errors
    ///
    /// In words, what it lacks.
    pub(crate) fn from_block(block: &Block) -> Result<Self, String> {
        let arms = block.arms.len();
        if arms == 0 || block.rounds.is_empty() {
            return Err("it has no runs".to_owned());
        }
        if block.images.len() != arms {
            return Err(format!(
                "it has {arms} arms and {} images",
                block.images.len()
            ));
        }
        let mut runs = Columns::default();
        for (number, round) in block.rounds.iter().enumerate() {
            sound(round, arms).map_err(|what| format!("round {number}: {what}"))?;
            runs.push(round);
        }
        let &Block {
            index,
            began_ms,
            took_ms,
            ..
        } = block;
        let (layout, machine) = (block.layout.clone(), block.machine.clone());
        let (arms, images) = (block.arms.clone(), block.images.clone());
        let printed = block.printed.clone();
        Ok(StoredBlock {
            index,
            layout,
            arms,
            images,
            machine,
            printed,
            began_ms,
            took_ms,
            runs,
        })
    }

    /// Milliseconds since 1970-01-01 UTC when it began.
    pub(crate) fn began_ms(&self) -> u64 {
        self.began_ms
    }

    /// The block again.
    ///
    /// # Errors
    ///
    /// In words, where the columns disagree.
    pub(crate) fn into_block(self) -> Result<Block, String> {
        let StoredBlock {
            index,
            layout,
            arms,
            images,
            machine,
            printed,
            began_ms,
            took_ms,
            runs,
        } = self;
        // Numbers of a damaged record may add up to more than there can be.
        let total = runs
            .runs
            .iter()
            .fold(0_usize, |sum, &one| sum.saturating_add(one));
        let columns = [
            runs.order.len(),
            runs.value.len(),
            runs.cpu_ns.len(),
            runs.wall_ns.len(),
            runs.peak_bytes.len(),
        ];
        if arms.is_empty()
            || runs.runs.len() != runs.slice_us.len()
            || columns.iter().any(|&length| length != total)
        {
            return Err(format!(
                "{} arms, {} rounds of {total} runs and columns of {columns:?}",
                arms.len(),
                runs.runs.len()
            ));
        }
        let rounds = runs.rounds();
        for (number, round) in rounds.iter().enumerate() {
            sound(round, arms.len()).map_err(|what| format!("round {number}: {what}"))?;
        }
        Ok(Block {
            index,
            layout,
            arms,
            images,
            machine,
            rounds,
            printed,
            began_ms,
            took_ms,
        })
    }
}

/// Whether a round is one of a block of so many arms, and holds only what can be compared; in words
/// what is wrong.
fn sound(round: &Round, arms: usize) -> Result<(), String> {
    if !each_once(&round.order, arms) || round.runs.len() != round.order.len() {
        return Err(format!(
            "{} runs in the order {:?} for {arms} arms",
            round.runs.len(),
            round.order
        ));
    }
    for Run { value, .. } in &round.runs {
        if !(value.is_finite() && *value > 0.0) {
            return Err(format!(
                "a run has the value {value}, where only positive numbers can be compared"
            ));
        }
    }
    Ok(())
}

/// Whether an order names some of so many arms, each once.
fn each_once(order: &[ArmIndex], arms: usize) -> bool {
    if order.is_empty() || order.iter().any(|arm| arm.place() >= arms) {
        return false;
    }
    // A block has a handful of arms, and a bit for each is enough to see one come again.
    if arms <= 64 {
        let seen = order.iter().fold(0_u64, |seen, arm| seen | (1 << arm.0));
        return seen.count_ones() as usize == order.len();
    }
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).all(|pair| pair[0] != pair[1])
}

#[cfg(test)]
mod tests {
    use proofmark_terms::BuildIndex;
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::record::Schedule;

    fn run() -> impl Strategy<Value = Run> {
        (
            f64::MIN_POSITIVE..f64::MAX,
            any::<u64>(),
            any::<u64>(),
            any::<u64>(),
        )
            .prop_map(|(value, cpu_ns, wall_ns, peak_bytes)| Run {
                value,
                cpu_ns,
                wall_ns,
                peak_bytes,
            })
    }

    /// Some of the arms in any order.
    fn round(arms: usize) -> impl Strategy<Value = Round> {
        let order: Vec<ArmIndex> = ArmIndex::all(arms).collect();
        let slice = proptest::option::of(1..1_000_000_u64);
        (Just(order).prop_shuffle(), vec(run(), 1..=arms), slice).prop_map(
            |(mut order, runs, slice)| {
                order.truncate(runs.len());
                Round {
                    schedule: slice.map_or(Schedule::Interleaved, |slice_us| Schedule::Sliced {
                        slice_us,
                    }),
                    order,
                    runs,
                }
            },
        )
    }

    fn block() -> impl Strategy<Value = Block> {
        (1_usize..5).prop_flat_map(|arms| {
            (vec(round(arms), 1..6), any::<u32>(), any::<u64>()).prop_map(
                move |(rounds, index, seed)| Block {
                    index,
                    layout: Layout::Drawn { seed },
                    arms: (0..)
                        .take(arms)
                        .map(|build| ArmRef::Drawn {
                            build: BuildIndex(build),
                        })
                        .collect(),
                    images: vec![Digest::from(blake3::hash(b"image")); arms],
                    machine: Machine::default(),
                    rounds,
                    printed: (seed % 2 == 0).then(|| blake3::hash(b"printed").into()),
                    began_ms: seed,
                    took_ms: 7,
                },
            )
        })
    }

    proptest! {
        #[test]
        fn a_block_comes_back_to_the_last_bit(block in block()) {
            let text = serde_json::to_string(&StoredBlock::from_block(&block).unwrap()).unwrap();
            let read: StoredBlock = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(read.into_block().unwrap(), block);
        }
    }

    fn plain() -> Block {
        let run = Run {
            value: 1.0,
            cpu_ns: 1,
            wall_ns: 1,
            peak_bytes: 1,
        };
        Block {
            index: 0,
            layout: Layout::AsShipped,
            arms: [0, 1]
                .map(|build| ArmRef::Drawn {
                    build: BuildIndex(build),
                })
                .to_vec(),
            images: vec![Digest::from(blake3::hash(b"image")); 2],
            machine: Machine::default(),
            rounds: vec![Round {
                schedule: Schedule::Interleaved,
                order: vec![ArmIndex(1), ArmIndex(0)],
                runs: vec![run; 2],
            }],
            printed: None,
            began_ms: 0,
            took_ms: 0,
        }
    }

    #[test]
    fn what_is_no_measurement_is_refused() {
        assert!(StoredBlock::from_block(&plain()).is_ok());
        for value in [f64::NAN, f64::INFINITY, 0.0, -1.0] {
            let mut block = plain();
            block.rounds[0].runs[1].value = value;
            assert!(
                StoredBlock::from_block(&block)
                    .unwrap_err()
                    .contains("only positive")
            );
        }
        for order in [vec![0], vec![0, 0], vec![0, 2], vec![0, 1, 2]] {
            let mut block = plain();
            block.rounds[0].order = order.into_iter().map(ArmIndex).collect();
            assert!(
                StoredBlock::from_block(&block)
                    .unwrap_err()
                    .contains("in the order")
            );
        }
        assert!(
            StoredBlock::from_block(&Block {
                images: Vec::new(),
                ..plain()
            })
            .unwrap_err()
            .contains("0 images")
        );
        assert!(
            StoredBlock::from_block(&Block {
                rounds: Vec::new(),
                ..plain()
            })
            .unwrap_err()
            .contains("no runs")
        );
    }

    #[test]
    fn an_order_names_each_arm_once_however_many_there_are() {
        for arms in [2_u32, 64, 65, 1000] {
            let all: Vec<ArmIndex> = (0..arms).rev().map(ArmIndex).collect();
            let count = arms as usize;
            assert!(each_once(&all, count));
            assert!(each_once(&all[..1], count));
            assert!(!each_once(&[], count));
            assert!(!each_once(&[ArmIndex(arms)], count));
            let twice = [arms - 1, 0, arms - 1].map(ArmIndex);
            assert!(!each_once(&twice, count));
        }
    }

    #[test]
    fn columns_of_unequal_length_are_refused() {
        let mut stored = StoredBlock::from_block(&plain()).unwrap();
        stored.runs.peak_bytes.pop();
        assert!(
            stored
                .into_block()
                .unwrap_err()
                .contains("columns of [2, 2, 2, 2, 1]")
        );
        // A run of an arm that the block has not, and one arm twice.
        for order in [vec![0, 2], vec![1, 1]] {
            let mut stored = StoredBlock::from_block(&plain()).unwrap();
            stored.runs.order = order.into_iter().map(ArmIndex).collect();
            assert!(stored.into_block().unwrap_err().contains("in the order"));
        }
    }
}
