//! Conformance of links: each feature of a link, with each linker, compiler and kind of link-time
//! optimisation, goes through capture, decision and layouts as a comparison does.
//!
//! The features are folders below `features`, the toolchains are in `toolchains.toml`. A cell is
//! one feature with one toolchain, and a test of its own: `cargo test --test links tls` runs those
//! whose name has `tls` in it. A share of the cells is run by default, all of them with
//! `--include-ignored`. `bench/links/run` does that, and sets `PROOFMARK_LINKS_RESULTS` to the
//! repository: then results are kept in `bench/results/links.json`, and make the table of
//! `docs/links.md`.
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

use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use libtest_mimic::{Arguments, Failed, Trial};

use cell::Cell;
use outcome::{Found, Outcome};

fn main() -> ExitCode {
    if let Some(code) = proofmark_capture::shim_main() {
        return code;
    }
    let cells = match cells() {
        Ok(cells) => cells,
        Err(problem) => {
            println!("{problem}");
            return ExitCode::FAILURE;
        }
    };
    let mut arguments = Arguments::from_args();
    // Each cell links on several threads of its own.
    arguments.test_threads = arguments.test_threads.or(Some(2));
    let found = Arc::new(Mutex::new(Vec::new()));
    let share = share::of(&cells);
    let names: Vec<String> = cells.iter().map(Cell::name).collect();
    let trials = cells
        .into_iter()
        .map(|cell| {
            let ignored = !share.contains(&cell.name());
            let found = Arc::clone(&found);
            Trial::test(cell.name(), move || try_out(&cell, &found)).with_ignored_flag(ignored)
        })
        .collect();
    let conclusion = libtest_mimic::run(&arguments, trials);
    if let Some(place) = std::env::var_os("PROOFMARK_LINKS_RESULTS")
        && let Err(problem) = kept(place.as_ref(), &found, &names)
    {
        println!("{problem}");
        return ExitCode::FAILURE;
    }
    conclusion.exit_code()
}

/// Puts what was found beside what earlier runs found, and makes the table of all of it.
fn kept(place: &Path, found: &Mutex<Vec<Found>>, names: &[String]) -> Result<(), String> {
    let found = found.lock().map_err(|_| "a cell panicked".to_owned())?;
    let all = report::keep(&place.join("bench/results/links.json"), &found, names)?;
    report::write(&place.join("docs/links.md"), &all, names.len())
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
fn try_out(cell: &Cell, found: &Mutex<Vec<Found>>) -> Result<(), Failed> {
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
    if let Ok(mut found) = found.lock() {
        found.push(Found::of(cell, outcome));
    }
    result
}
