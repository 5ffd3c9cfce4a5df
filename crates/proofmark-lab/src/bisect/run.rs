//! The whole of a bisection, from a request to a conclusion in the store.

use std::collections::BTreeMap;
use std::path::PathBuf;

use proofmark_capture::outside::content;
use proofmark_evidence::record::{Bisect, Judge};
use proofmark_evidence::{BisectId, RecordedBisect};
use proofmark_measure::read_machine;

use super::course::Course;
use super::departed::departed;
use super::request::{BisectRequest, Revisions};
use crate::clock::now_ms;
use crate::error::LabError;
use crate::experiment::{digest, without_budget};
use crate::laboratory::Laboratory;
use crate::observer::{Event, Observer};

/// Carries a bisection out, goes on where it was interrupted, or finds the answer that it had
/// before.
///
/// # Errors
///
/// Whatever stops it; finished steps are in the store.
pub fn run_bisect<R: Revisions>(
    laboratory: &mut Laboratory<'_>,
    request: &BisectRequest,
    revisions: &mut R,
    observer: &mut dyn Observer,
) -> Result<BisectId, R::Error> {
    let mut recorded = recorded(laboratory, request)?;
    let earlier = recorded.conclusion.is_some() || !recorded.steps.is_empty();
    if earlier && let Some(what) = departed(laboratory, request, revisions, &recorded)? {
        observer.tell(&Event::BisectAnew { what: &what });
        recorded = begun(laboratory, request)?;
    }
    if recorded.conclusion.is_some() {
        observer.tell(&Event::BisectKnown {
            bisect: recorded.id.short(),
        });
        return Ok(recorded.id);
    }
    if !recorded.steps.is_empty() {
        observer.tell(&Event::BisectResumed {
            steps: recorded.steps.len(),
        });
    }
    let id = recorded.id.clone();
    let mut course = Course::new(laboratory, request, revisions, observer, recorded)?;
    let conclusion = match (&request.judge, request.survey) {
        (Judge::Blocks { .. }, None) => course.measured()?,
        (Judge::Blocks { .. }, Some(width)) => course.surveyed(width)?,
        (Judge::Script { command }, _) => course.scripted(command)?,
    };
    let store = &mut laboratory.store;
    store
        .conclude_bisect(&id, &conclusion)
        .map_err(LabError::from)?;
    Ok(id)
}

/// The same bisection from the store, or a new one in it.
fn recorded(
    laboratory: &mut Laboratory<'_>,
    request: &BisectRequest,
) -> Result<RecordedBisect, LabError> {
    let key = key(request)?;
    if request.resume
        && let Some(recorded) = laboratory.store.bisect_of_key(&key)?
    {
        return Ok(recorded);
    }
    begun(laboratory, request)
}

fn begun(
    laboratory: &mut Laboratory<'_>,
    request: &BisectRequest,
) -> Result<RecordedBisect, LabError> {
    let key = key(request)?;
    let bisect = Bisect {
        axis: request.axis,
        vcs: request.vcs,
        older: request.older.clone(),
        commits: request.commits.clone(),
        first_parent: request.first_parent,
        survey: request.survey,
        toolchain: request.toolchain.clone(),
        judge: request.judge.clone(),
        confidence: request.confidence,
        machine: read_machine(),
        proofmark: env!("CARGO_PKG_VERSION").to_owned(),
        began_ms: now_ms(),
    };
    let id = laboratory.store.begin_bisect(&key, &bisect)?;
    Ok(RecordedBisect {
        id,
        bisect,
        steps: Vec::new(),
        conclusion: None,
        private: proofmark_evidence::PrivateParts::Here,
    })
}

/// What makes two requests the same: all that was asked, and what goes into the builds.
fn key(request: &BisectRequest) -> Result<String, LabError> {
    let judge = match &request.judge {
        Judge::Blocks {
            build,
            repeat,
            benchmark,
            design,
            as_shipped,
        } => Judge::Blocks {
            build: build.clone(),
            repeat: *repeat,
            benchmark: benchmark.clone(),
            design: Box::new(without_budget(design)),
            as_shipped: *as_shipped,
        },
        script => script.clone(),
    };
    let names = request.commits.iter().map(|commit| &commit.id);
    let mut asked = serde_json::json!({
        "axis": request.axis,
        "bisect": request.older.id,
        "commits": names.collect::<Vec<_>>(),
        "survey": request.survey,
        "judge": judge,
        "confidence": request.confidence,
        "surroundings": request.surroundings,
        "layouts": request.layouts,
        "population": request.population,
        "seed": request.seed.map(|seed| seed.to_string()),
    });
    if let Judge::Script { command } = &request.judge {
        asked["files"] = serde_json::json!(named_files(command));
    }
    if let Some(toolchain) = &request.toolchain {
        asked["toolchain"] = toolchain.as_str().into();
    }
    if request.trusted {
        asked["trusted"] = true.into();
    }
    digest(&asked)
}

/// Files that a script names by their whole path or that `PATH` has, and what they hold: another
/// content is another judge. Names without a folder in front are files of the commit.
fn named_files(command: &str) -> BTreeMap<PathBuf, Option<String>> {
    let home = std::env::var("HOME").unwrap_or_default();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let parts = |c: char| c.is_whitespace() || "\"'`;|&()<>=".contains(c);
    let words = command.split(parts).filter(|word| !word.is_empty());
    let places = words.flat_map(|word| {
        let at_home = ["~", "$HOME", "${HOME}"];
        let inside = at_home.iter().find_map(|begin| word.strip_prefix(begin));
        let whole = inside.filter(|rest| rest.starts_with('/'));
        let whole = whole.map_or_else(|| word.to_owned(), |rest| format!("{home}{rest}"));
        if whole.contains('/') {
            vec![PathBuf::from(whole)]
        } else {
            let all = std::env::split_paths(&path).map(|folder| folder.join(&whole));
            all.collect()
        }
    });
    let files = places.filter(|place| place.is_absolute() && place.is_file());
    files
        .map(|file| {
            let content = content(&file).ok();
            (file, content)
        })
        .collect()
}
