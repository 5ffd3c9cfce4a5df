//! From the blocks of a sweep to its conclusion.

use proofmark_evidence::record::{
    AddressFound, Afresh, ByChance, LowBitsFound, ModulusFound, PartFound, RangeFound, Sweep,
    SweepBlock, SweepConclusion, SweepStage, SweepStop, SweptAddress, TwoWayFound,
};
use proofmark_stats::sweep::{
    AddressEffect, BlockValues, LowBits, TableCell, TableShare, address_effects,
    differ_beyond_chance, explained_by_low_bits, paired, t_interval,
};
use proofmark_terms::AddressIndex;
use rand::RngExt as _;

use super::cells::{measured, values};
use super::next::extremes;
use crate::{ConcludeError, Draws};

/// Below this p value addresses are said to differ.
const SEEN: f64 = 0.05;

/// What the blocks of a sweep say.
///
/// # Errors
///
/// When some address has fewer than two blocks: then there is nothing to be said of it.
pub fn conclude_sweep(
    sweep: &Sweep,
    blocks: &[SweepBlock],
    stop: SweepStop,
) -> Result<SweepConclusion, ConcludeError> {
    let count = sweep.addresses.len();
    let confidence = sweep.design.confidence;
    let draws = Draws::new(sweep.design.seed);
    let map = measured(blocks, SweepStage::Map);
    let found = address_effects(count, &map, confidence);
    let spreads: Vec<BlockValues> = map.iter().filter_map(BlockValues::spread).collect();
    let spread = address_effects(count, &spreads, confidence);
    let mut addresses = Vec::with_capacity(count);
    for (found, spread) in found.iter().zip(&spread) {
        let found = found.as_ref().ok_or(ConcludeError::TooFew {
            blocks: 1,
            what: "interval",
            fewest: 2,
        })?;
        addresses.push(address(found, spread.as_ref()));
    }
    let differ = differ_beyond_chance(count, &map, draws.rng("differ").random());
    let range = range(
        sweep,
        blocks,
        &found,
        differ.map_or(0.0, |by| by.noise_range),
    );
    let seen = differ.is_some_and(|by| by.p_value <= SEEN);
    let two_way = seen.then(|| two_way(sweep, &found)).flatten();
    let low_bits = (seen && sweep.against.is_none()).then(|| {
        let each = sweep.addresses.iter().zip(found.iter().flatten());
        let each: Vec<(u64, f64, f64)> = each
            .map(|(address, found)| (address.address, found.own.estimate.ln(), found.variance))
            .collect();
        low_bits(&explained_by_low_bits(&each, draws.rng("bits").random()))
    });
    let stable = differ_beyond_chance(count, &spreads, draws.rng("stable").random());
    let by_chance = |by: proofmark_stats::sweep::Chance| ByChance {
        p_value: by.p_value,
    };
    let in_runs_ns: u64 = blocks
        .iter()
        .flat_map(|block| &block.rounds)
        .flat_map(|round| &round.runs)
        .map(|run| run.wall_ns)
        .fold(0, u64::saturating_add);
    Ok(SweepConclusion {
        stop,
        addresses,
        range,
        differ: differ.map(by_chance),
        low_bits,
        two_way,
        stability: stable.map(by_chance),
        took_ms: blocks
            .iter()
            .map(|block| block.took_ms)
            .fold(0, u64::saturating_add),
        in_runs_ms: in_runs_ns / 1_000_000,
    })
}

fn address(found: &AddressEffect, spread: Option<&AddressEffect>) -> AddressFound {
    AddressFound {
        blocks: found.blocks,
        ratio: found.own.estimate.ratio(),
        low: found.own.low.ratio(),
        high: found.own.high.ratio(),
        together: found.together.exp_m1(),
        spread: spread.map(|spread| spread.own.estimate.ratio()),
        spread_low: spread.map(|spread| spread.own.low.ratio()),
        spread_high: spread.map(|spread| spread.own.high.ratio()),
    }
}

fn range(
    sweep: &Sweep,
    blocks: &[SweepBlock],
    found: &[Option<AddressEffect>],
    noise: f64,
) -> Option<RangeFound> {
    let (least, greatest) = extremes(sweep, blocks)?;
    let ln = |index: AddressIndex| {
        let found = index.of(found)?.as_ref()?;
        Some(found.own.estimate.ln())
    };
    let less = found
        .iter()
        .flatten()
        .filter(|found| found.own.estimate.ln() < 0.0);
    Some(RangeFound {
        least,
        greatest,
        found: (ln(greatest)? - ln(least)?).exp(),
        by_noise: noise.exp(),
        afresh: afresh(sweep, blocks, (least, greatest)),
        less_than_shipped: u32::try_from(less.count()).unwrap_or(u32::MAX),
    })
}

/// The extremes in blocks of their own, one beside the other.
fn afresh(
    sweep: &Sweep,
    blocks: &[SweepBlock],
    (least, greatest): (AddressIndex, AddressIndex),
) -> Option<Afresh> {
    let stage = blocks
        .iter()
        .filter(|block| block.stage == SweepStage::Afresh);
    let ratios: Vec<f64> = stage
        .filter(|block| block.addresses == [least, greatest])
        .filter_map(|block| paired(&values(block, 2), &values(block, 1)))
        .collect();
    let interval = t_interval(&ratios, sweep.design.confidence)?;
    Some(Afresh {
        blocks: u32::try_from(ratios.len()).unwrap_or(u32::MAX),
        ratio: interval.estimate.ratio(),
        low: interval.low.ratio(),
        high: interval.high.ratio(),
    })
}

/// What two starts do, where two are swept against each other.
fn two_way(sweep: &Sweep, found: &[Option<AddressEffect>]) -> Option<TwoWayFound> {
    let starts = |of: &dyn Fn(&SweptAddress) -> Option<u64>| {
        let mut starts: Vec<u64> = sweep.addresses.iter().filter_map(of).collect();
        starts.sort_unstable();
        starts.dedup();
        starts
    };
    let first = |one: &SweptAddress| Some(one.address);
    let (rows, columns) = (starts(&first), starts(&|one| one.other));
    let cell = |(one, found): (&SweptAddress, &Option<AddressEffect>)| {
        let found = found.as_ref()?;
        Some(TableCell {
            row: rows.binary_search(&one.address).ok()?,
            column: columns.binary_search(&one.other?).ok()?,
            value: found.own.estimate.ln(),
            variance: found.variance,
            blocks: found.blocks,
        })
    };
    let cells: Vec<TableCell> = sweep.addresses.iter().zip(found).filter_map(cell).collect();
    let seed = Draws::new(sweep.design.seed).rng("two ways").random();
    let parts = proofmark_stats::sweep::two_way(&cells, seed)?;
    let told = |part: TableShare| PartFound {
        share: part.share,
        p_value: part.p_value,
    };
    Some(TwoWayFound {
        first: told(parts.rows),
        second: told(parts.columns),
        both: told(parts.both),
    })
}

fn low_bits(bits: &LowBits) -> LowBitsFound {
    LowBitsFound {
        moduli: bits
            .moduli
            .iter()
            .map(|one| ModulusFound {
                modulus: one.modulus,
                share: one.share,
                p_value: one.p_value,
            })
            .collect(),
        bits: bits.bits.clone(),
        share: bits.share,
    }
}
