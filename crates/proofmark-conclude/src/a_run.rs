//! What one run of each build came to, beside the ratio that everything else is about.

use proofmark_evidence::record::{ARun, ArmRef, Block, Schedule};
use proofmark_stats::ln_mean;

use crate::arms::paired;

/// The geometric means of two arms over the blocks that hold both, each block weighing the same, as
/// in the estimate: their ratio is the estimate. `None` where no block holds both.
pub(crate) fn a_run(
    blocks: &[Block],
    [new, base]: [ArmRef; 2],
    schedule: Schedule,
) -> Option<ARun> {
    let both: Vec<(f64, f64)> = blocks
        .iter()
        .filter_map(|block| paired(block, [new, base], schedule))
        .filter_map(|(new, base)| ln_mean(&new).zip(ln_mean(&base)))
        .collect();
    if both.is_empty() {
        return None;
    }
    let count = both.len() as f64;
    let (new, base) = both
        .iter()
        .fold((0.0, 0.0), |sum, each| (sum.0 + each.0, sum.1 + each.1));
    Some(ARun {
        base: (base / count).exp(),
        new: (new / count).exp(),
    })
}

#[cfg(test)]
mod tests {
    use proofmark_evidence::record::{Round, Run};
    use proofmark_terms::{BuildIndex, Layout, Machine};

    use super::*;

    const ARMS: [ArmRef; 2] = [
        ArmRef::Drawn {
            build: BuildIndex(0),
        },
        ArmRef::Drawn {
            build: BuildIndex(1),
        },
    ];

    fn block(rounds: &[(f64, f64)]) -> Block {
        let run = |value| Run {
            value,
            cpu_ns: 1,
            wall_ns: 1,
            peak_bytes: 1,
        };
        Block {
            index: 0,
            layout: Layout::Drawn { seed: 0 },
            arms: ARMS.to_vec(),
            images: Vec::new(),
            machine: Machine::default(),
            rounds: rounds
                .iter()
                .map(|&(base, new)| Round {
                    schedule: Schedule::Interleaved,
                    order: proofmark_terms::ArmIndex::all(2).collect(),
                    runs: vec![run(base), run(new)],
                })
                .collect(),
            printed: None,
            began_ms: 0,
            took_ms: 0,
        }
    }

    #[test]
    fn the_ratio_of_the_two_is_the_estimate() {
        let blocks = [
            block(&[(100.0, 121.0), (100.0, 100.0)]),
            block(&[(400.0, 400.0)]),
        ];
        let whole = Schedule::Interleaved;
        let found = a_run(&blocks, [ARMS[1], ARMS[0]], whole).unwrap();
        // Blocks weigh the same: √(100 · 400), and effects of ln(1.1) and 0.
        assert!((found.base - 200.0).abs() < 1e-9, "{found:?}");
        let estimate = (1.1_f64.ln() / 2.0).exp();
        assert!((found.new / found.base - estimate).abs() < 1e-12);
        assert_eq!(a_run(&blocks, [ArmRef::Taxed, ARMS[0]], whole), None);
        assert_eq!(a_run(&[], [ARMS[1], ARMS[0]], whole), None);
    }
}
