//! What a model of caches and branches makes of the builds' own images, and where the code stands that
//! was executed in it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use proofmark_evidence::record::{PlacedCode, SimulatedFunction, SimulatedRuns};
use proofmark_measure::model::{Caches, Model, model};
use proofmark_measure::{Interrupt, Unavailable};

use super::missed::{misses, run};
use super::placed::{Seen, placed};
use super::sampled::{Unsampled, run as sampled_run};
use crate::bench::Bench;
use crate::error::LabError;

/// The longest that one simulated run may take; it takes some hundred times as long as the program.
const LONGEST: Duration = Duration::from_secs(60);

/// One run of the base's and of a build's own image, simulated, and where their hot code stands.
/// Both are placed as shipped: whoever takes those of a layout asks about code that nobody ships.
/// Where nothing is simulated, a sampled run says which code is hot.
///
/// # Errors
///
/// When the user stops, or what goes before a run fails.
pub(super) fn simulated(
    bench: &mut Bench,
    (ignore_exit, stop): (bool, &Interrupt),
) -> Result<(SimulatedRuns, PlacedCode), LabError> {
    let caches = Caches::of_host();
    let mut files = Vec::new();
    let mut found = Vec::new();
    let mut reason = None;
    for arm in [0, 1] {
        let mut sampled = bench.launch_sampled(arm)?;
        sampled.launch.timeout = sampled.launch.timeout.min(LONGEST);
        files.push(sampled.file);
        if reason.is_some() {
            continue;
        }
        match model(&sampled.launch, &sampled.path, &caches, stop) {
            Ok(model) => found.push(model),
            Err(Unavailable::Interrupted) => return Err(LabError::Interrupted),
            Err(why) => reason = Some(why.to_string()),
        }
    }
    let missing = || LabError::Fault("an image as shipped is missing".to_owned());
    let files = <[PathBuf; 2]>::try_from(files).map_err(|_| missing())?;
    let [base, new] = match (reason, <[Model; 2]>::try_from(found)) {
        (None, Ok(models)) => models,
        (reason, _) => {
            let reason = reason.unwrap_or_else(|| "a simulated run is missing".to_owned());
            let placed = placed_by_samples(bench, &files, (ignore_exit, stop))?;
            return Ok((SimulatedRuns::Unavailable { reason }, placed));
        }
    };
    let Caches { i1, d1, ll, .. } = base.caches;
    let seen = [Seen::simulated(&base), Seen::simulated(&new)];
    let placed = placed(files.each_ref().map(PathBuf::as_path), &seen, &base.caches);
    let runs = SimulatedRuns::Counted {
        caches: [i1, d1, ll].map(|cache| cache.to_string()),
        base: run(&base.total),
        new: run(&new.total),
        functions: Some(functions([&base, &new])),
        misses: misses(files.each_ref().map(PathBuf::as_path), [&base, &new]),
    };
    Ok((runs, placed))
}

/// Where the code stands that sampled runs were seen in.
fn placed_by_samples(
    bench: &mut Bench,
    files: &[PathBuf; 2],
    how: (bool, &Interrupt),
) -> Result<PlacedCode, LabError> {
    let mut seen = Vec::new();
    for arm in [0, 1] {
        match sampled_run(bench, arm, how) {
            Ok(profile) => seen.extend(Seen::sampled(&profile)),
            Err(Unsampled::Stopped(error)) => return Err(error),
            Err(Unsampled::Unavailable(reason)) => return Ok(PlacedCode::Unread { reason }),
        }
    }
    let files: [&Path; 2] = files.each_ref().map(PathBuf::as_path);
    Ok(match <[Seen; 2]>::try_from(seen) {
        Ok(seen) => placed(files, &seen, &Caches::of_host()),
        Err(_) => PlacedCode::Unread {
            reason: "no sample of a run was in the image".to_owned(),
        },
    })
}

/// Functions that execute another number of instructions, from a thousandth of a run on.
fn functions(models: [&Model; 2]) -> Vec<SimulatedFunction> {
    let symbols: BTreeSet<&String> = models.iter().flat_map(|one| one.functions.keys()).collect();
    let of = |model: &Model, symbol: &String| {
        let found = model.functions.get(symbol);
        found.map_or(0, |misses| misses.instructions)
    };
    let few = models[0].total.instructions / 1000;
    let all = symbols.into_iter().map(|symbol| SimulatedFunction {
        symbol: symbol.clone(),
        instructions: models.map(|model| of(model, symbol)),
    });
    let differs = |one: &SimulatedFunction| one.instructions[0].abs_diff(one.instructions[1]) > few;
    all.filter(differs).collect()
}
