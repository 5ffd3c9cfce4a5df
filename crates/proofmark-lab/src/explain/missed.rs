//! Which functions miss more often, or less, in a model of caches and branches.

use std::collections::BTreeMap;
use std::path::Path;

use proofmark_code::Program;
use proofmark_evidence::record::{SimulatedMisses, SimulatedRun};
use proofmark_measure::model::{Misses, Model};
use proofmark_measure::sample::Place;

use super::sampled::called;

/// A function is kept that misses something more often, or less, by one in so many instructions of
/// the base's run.
const ONE_IN: u64 = 1_000_000;

/// Functions that miss another number of times, by the symbols that sampled runs go by; none where
/// the functions of a file cannot be read.
pub(super) fn misses(files: [&Path; 2], models: [&Model; 2]) -> Option<Vec<SimulatedMisses>> {
    let [base, new] = [0, 1].map(|index| by_function(files[index], models[index]));
    let (base, new) = (base?, new?);
    let few = models[0].total.instructions / ONE_IN;
    let of = |all: &BTreeMap<String, Misses>, symbol: &String| {
        all.get(symbol).map_or_else(SimulatedRun::default, run)
    };
    let mut symbols: Vec<&String> = base.keys().chain(new.keys()).collect();
    symbols.sort();
    symbols.dedup();
    let all = symbols.into_iter().map(|symbol| SimulatedMisses {
        symbol: symbol.clone(),
        base: of(&base, symbol),
        new: of(&new, symbol),
    });
    Some(all.filter(|one| differs(one, few)).collect())
}

/// What the model counts of each function of a file.
fn by_function(file: &Path, model: &Model) -> Option<BTreeMap<String, Misses>> {
    let program = Program::open(file).ok()?;
    let image = program.images().first()?;
    let mut found: BTreeMap<String, Misses> = BTreeMap::new();
    for (at, misses) in &model.places {
        // Both stand as their linker put them.
        let (symbol, _) = called((image, false), &Place::Address(*at));
        found.entry(symbol).or_default().add(misses);
    }
    Some(found)
}

fn differs(one: &SimulatedMisses, few: u64) -> bool {
    let of = |run: &SimulatedRun| {
        let SimulatedRun {
            i1,
            d1,
            ll_instructions,
            ll_data,
            branches,
            ..
        } = *run;
        [i1, d1, ll_instructions, ll_data, branches]
    };
    let mut pairs = of(&one.base).into_iter().zip(of(&one.new));
    pairs.any(|(base, new)| base.abs_diff(new) > few)
}

/// What evidence keeps of these counts.
pub(super) fn run(all: &Misses) -> SimulatedRun {
    SimulatedRun {
        instructions: all.instructions,
        i1: all.i1,
        d1: all.d1(),
        ll_instructions: all.ll_instructions,
        ll_data: all.ll_reads + all.ll_writes,
        branches: all.branches_missed(),
    }
}
