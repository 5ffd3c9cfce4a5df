//! Conformance of links: each feature of a link, with each linker, compiler and kind of link-time
//! optimisation, goes through capture, decision and layouts as a comparison does.
//!
//! The features are folders below `features`, the toolchains are in `toolchains.toml`. A cell is
//! one feature with one toolchain, and a test of its own: `cargo test --test links tls` runs those
//! whose name has `tls` in it. A share of the cells is run by default, all of them with
//! `--include-ignored`. `bench/links/run` does that, and sets `PROOFMARK_LINKS_RESULTS` to the
//! repository: then each result is kept in `bench/results/links.json` as soon as it is there, and
//! all of them make the table of `docs/links.md`. With `PROOFMARK_LINKS_MISSING` cells that have a
//! result there are left out.
#![expect(
    clippy::print_stdout,
    reason = "what is skipped is said where the other results are"
)]

mod cell;
mod feature;
mod folder;
mod layouts;
mod outcome;
mod report;
mod share;
mod toolchain;

use std::collections::HashSet;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use libtest_mimic::{Arguments, Failed, Trial};

use cell::Cell;
use outcome::{Found, Outcome};
use report::Results;

fn main() -> ExitCode {
    if let Some(code) = proofmark_capture::shim_main() {
        return code;
    }
    carried_out().unwrap_or_else(|problem| {
        println!("{problem}");
        ExitCode::FAILURE
    })
}

fn carried_out() -> Result<ExitCode, String> {
    let cells = cells()?;
    let mut arguments = Arguments::from_args();
    // Each cell links on several threads of its own.
    arguments.test_threads = arguments.test_threads.or(Some(2));
    let share = share::of(&cells);
    let names: Vec<String> = cells.iter().map(Cell::name).collect();
    let results = std::env::var_os("PROOFMARK_LINKS_RESULTS")
        .map(|place| Results::open(&PathBuf::from(place), &names))
        .transpose()?;
    let missing = std::env::var_os("PROOFMARK_LINKS_MISSING").is_some();
    let known = results.as_ref().filter(|_| missing);
    let known = known.map_or_else(HashSet::new, Results::cells);
    let results = Arc::new(Mutex::new(results));
    let trials = cells
        .into_iter()
        .filter(|cell| !known.contains(&cell.name()))
        .map(|cell| {
            let ignored = !share.contains(&cell.name());
            let results = Arc::clone(&results);
            Trial::test(cell.name(), move || try_out(&cell, &results)).with_ignored_flag(ignored)
        })
        .collect();
    let conclusion = libtest_mimic::run(&arguments, trials);
    let results = results.lock().map_err(|_| "a cell panicked".to_owned())?;
    if let Some(results) = &*results {
        results.write()?;
    }
    Ok(conclusion.exit_code())
}

/// Every feature with every toolchain.
fn cells() -> Result<Vec<Cell>, String> {
    let toolchains: Vec<Arc<toolchain::Toolchain>> =
        toolchain::all()?.into_iter().map(Arc::new).collect();
    let features: Vec<Arc<feature::Feature>> = feature::all()?.into_iter().map(Arc::new).collect();
    let mut cells = Vec::new();
    for feature in &features {
        for variant in feature.variants() {
            cells.extend(toolchains.iter().map(|toolchain| Cell {
                feature: Arc::clone(feature),
                variant: variant.clone(),
                toolchain: Arc::clone(toolchain),
            }));
        }
    }
    Ok(cells)
}

/// Runs a cell, and keeps what it gave.
fn try_out(cell: &Cell, results: &Mutex<Option<Results>>) -> Result<(), Failed> {
    let outcome = cell.run();
    let result = match &outcome {
        Outcome::Wrong { what } => Err(Failed::from(what.clone())),
        Outcome::Skipped { needs } => {
            println!("{}: skipped: needs {needs}", cell.name());
            if std::env::var_os("PROOFMARK_TESTS_REQUIRE_TOOLS").is_some() {
                Err(Failed::from(format!("needs {needs}")))
            } else {
                Ok(())
            }
        }
        Outcome::Works { .. } | Outcome::Refused { .. } | Outcome::NotApplicable { .. } => Ok(()),
    };
    let mut results = results.lock().map_err(|_| "another cell panicked")?;
    if let Some(results) = &mut *results {
        results.add(Found::of(cell, outcome))?;
    }
    result
}
