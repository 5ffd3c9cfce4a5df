//! How a block is written down: its runs as columns, a fifth of the bytes of a list of objects, and still plain JSON.

use serde::{Deserialize, Serialize};

use crate::record::{ArmRef, Block, Round, Run};

/// A block as stored. Each column of `runs` holds round after round, and within a round the runs in the order of `arms`.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct StoredBlock {
    index: u32,
    layout_seed: u64,
    arms: Vec<ArmRef>,
    images: Vec<String>,
    began_ms: u64,
    took_ms: u64,
    runs: Columns,
}

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct Columns {
    order: Vec<u32>,
    value: Vec<f64>,
    cpu_ns: Vec<u64>,
    wall_ns: Vec<u64>,
    peak_bytes: Vec<u64>,
}

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
            push_round(&mut runs, round, arms).map_err(|what| format!("round {number}: {what}"))?;
        }
        let &Block {
            index,
            layout_seed,
            began_ms,
            took_ms,
            ..
        } = block;
        let (arms, images) = (block.arms.clone(), block.images.clone());
        Ok(StoredBlock {
            index,
            layout_seed,
            arms,
            images,
            began_ms,
            took_ms,
            runs,
        })
    }

    /// The block again.
    ///
    /// # Errors
    ///
    /// In words, where the columns disagree.
    pub(crate) fn into_block(self) -> Result<Block, String> {
        let StoredBlock {
            index,
            layout_seed,
            arms,
            images,
            began_ms,
            took_ms,
            runs,
        } = self;
        let total = runs.value.len();
        let columns = [
            runs.order.len(),
            runs.cpu_ns.len(),
            runs.wall_ns.len(),
            runs.peak_bytes.len(),
        ];
        if arms.is_empty()
            || !total.is_multiple_of(arms.len())
            || columns.iter().any(|&length| length != total)
        {
            return Err(format!(
                "{} arms, {total} values and columns of {columns:?}",
                arms.len()
            ));
        }
        let rounds = runs.rounds(arms.len());
        Ok(Block {
            index,
            layout_seed,
            arms,
            images,
            rounds,
            began_ms,
            took_ms,
        })
    }
}

impl Columns {
    fn rounds(&self, arms: usize) -> Vec<Round> {
        let run = |((&value, &cpu_ns), (&wall_ns, &peak_bytes))| Run {
            value,
            cpu_ns,
            wall_ns,
            peak_bytes,
        };
        let times = self.value.chunks(arms).zip(self.cpu_ns.chunks(arms));
        let others = self.wall_ns.chunks(arms).zip(self.peak_bytes.chunks(arms));
        self.order
            .chunks(arms)
            .zip(times.zip(others))
            .map(|(order, ((value, cpu), (wall, peak)))| Round {
                order: order.to_vec(),
                runs: value
                    .iter()
                    .zip(cpu)
                    .zip(wall.iter().zip(peak))
                    .map(run)
                    .collect(),
            })
            .collect()
    }
}

fn push_round(columns: &mut Columns, round: &Round, arms: usize) -> Result<(), String> {
    let mut sorted = round.order.clone();
    sorted.sort_unstable();
    if round.runs.len() != arms
        || sorted.len() != arms
        || sorted.iter().zip(0..).any(|(&arm, place)| arm != place)
    {
        return Err(format!(
            "{} runs in the order {:?} for {arms} arms",
            round.runs.len(),
            round.order
        ));
    }
    columns.order.extend(&round.order);
    for &Run {
        value,
        cpu_ns,
        wall_ns,
        peak_bytes,
    } in &round.runs
    {
        if !(value.is_finite() && value > 0.0) {
            return Err(format!(
                "a run has the value {value}, where only positive numbers can be compared"
            ));
        }
        columns.value.push(value);
        columns.cpu_ns.push(cpu_ns);
        columns.wall_ns.push(wall_ns);
        columns.peak_bytes.push(peak_bytes);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

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

    fn round(arms: usize) -> impl Strategy<Value = Round> {
        let order: Vec<u32> = (0..).take(arms).collect();
        (Just(order).prop_shuffle(), vec(run(), arms))
            .prop_map(|(order, runs)| Round { order, runs })
    }

    fn block() -> impl Strategy<Value = Block> {
        (1_usize..5).prop_flat_map(|arms| {
            (vec(round(arms), 1..6), any::<u32>(), any::<u64>()).prop_map(
                move |(rounds, index, layout_seed)| Block {
                    index,
                    layout_seed,
                    arms: (0..)
                        .take(arms)
                        .map(|build| ArmRef::Drawn { build })
                        .collect(),
                    images: vec!["ab".repeat(32); arms],
                    rounds,
                    began_ms: layout_seed,
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
            layout_seed: 0,
            arms: vec![ArmRef::Drawn { build: 0 }, ArmRef::Drawn { build: 1 }],
            images: vec![String::new(); 2],
            rounds: vec![Round {
                order: vec![1, 0],
                runs: vec![run; 2],
            }],
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
            block.rounds[0].order = order;
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
    fn columns_of_unequal_length_are_refused() {
        let mut stored = StoredBlock::from_block(&plain()).unwrap();
        stored.runs.peak_bytes.pop();
        assert!(
            stored
                .into_block()
                .unwrap_err()
                .contains("columns of [2, 2, 2, 1]")
        );
    }
}
