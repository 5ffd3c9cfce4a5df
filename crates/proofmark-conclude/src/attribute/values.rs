//! From recorded blocks to two numbers for each layout of a block.

use proofmark_evidence::record::{AttributionBlock, SweepRound};
use proofmark_stats::attribute::{Mixed, Twice, without_bursts};
use proofmark_stats::median;

/// The layouts of some blocks for estimates: as measured, without bursts.
pub(super) fn layouts(blocks: &[AttributionBlock]) -> Vec<Mixed> {
    let mut layouts = as_measured(blocks);
    without_bursts(&mut layouts);
    layouts
}

/// The layouts of some blocks. In each round a layout stands by its logarithm less the median of
/// all layouts' in that round; its value is the median over the rounds of a measurement. Medians,
/// because noise on shared machines comes in bursts that hit single runs. Nothing goes from one
/// measurement to the other.
pub(super) fn as_measured(blocks: &[AttributionBlock]) -> Vec<Mixed> {
    blocks.iter().filter_map(mixed).collect()
}

fn mixed(block: &AttributionBlock) -> Option<Mixed> {
    let images = block.groups.len() + 2 + usize::from(block.others);
    let [first, second] = block.measured.each_ref().map(|rounds| of(rounds, images));
    let (first, second) = (first?, second?);
    let mut twice = first.into_iter().zip(second).map(|(a, b)| [a, b]);
    let (one, other): (Twice, Twice) = (twice.next()?, twice.next()?);
    Some(Mixed {
        one,
        other,
        kept: twice.collect(),
    })
}

/// The same without groups: layouts A and B alone.
pub(super) fn pairs(blocks: &[AttributionBlock]) -> Vec<Mixed> {
    let alone = |mixed| Mixed {
        kept: Vec::new(),
        ..mixed
    };
    layouts(blocks).into_iter().map(alone).collect()
}

/// By image, the median over these rounds.
fn of(rounds: &[SweepRound], images: usize) -> Option<Vec<f64>> {
    let centred = |round: &SweepRound| {
        let logs: Vec<f64> = round.runs.iter().map(|run| run.value.ln()).collect();
        let middle = median(&logs)?;
        let centred: Vec<f64> = logs.into_iter().map(|log| log - middle).collect();
        (centred.len() == images).then_some(centred)
    };
    let rounds: Vec<Vec<f64>> = rounds.iter().map(centred).collect::<Option<_>>()?;
    let of_image = |image: usize| {
        let values: Vec<f64> = rounds.iter().map(|round| round[image]).collect();
        median(&values)
    };
    (0..images).map(of_image).collect()
}
