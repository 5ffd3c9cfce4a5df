//! What was measured in a sandbox, checked like anybody else's evidence and taken into the store.

use std::fs;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context as _;
use proofmark_conclude::again::{DrawnAgain, benchmark_in, built_by};
use proofmark_conclude::agreements;
use proofmark_conclude::verify::verify;
use proofmark_evidence::record::{BuiltBy, Experiment, Note};
use proofmark_evidence::{LockedStore, Recorded, Store};
use proofmark_report::replay::{AgreementWord, ReplayView};

use super::again::{Asked, Replayed};
use super::images;
use crate::context::Context;
use crate::exit::{Exit, Forged};

/// Takes the result in, and says whether both machines agree.
pub(super) fn taken(
    replayed: &Replayed,
    asked: &Asked<'_>,
    context: &Context,
) -> anyhow::Result<ReplayView> {
    let measured = checked(&replayed.result, asked)?;
    let mut store = LockedStore::open(&context.folder)?;
    let bundle = Store::open_bundle(&replayed.result)?;
    store.adopt(&bundle, &measured.id)?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let note = Note {
        at_ms: now.map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(0)),
        text: format!(
            "replay of experiment {} of the bundle {}",
            asked.recorded.id.as_str(),
            asked.bundle
        ),
    };
    store.note(&measured.id, &note)?;
    drop(store);
    drop(bundle);
    let agreed = agreements(asked.recorded, &measured)?;
    Ok(ReplayView::of(
        asked.bundle.to_string(),
        asked.recorded,
        &measured,
        &agreed,
    ))
}

/// The exit code of an agreement.
pub(super) fn exit(agreement: AgreementWord) -> Exit {
    match agreement {
        AgreementWord::Agree => Exit::Done,
        AgreementWord::Disagree | AgreementWord::Undecided => Exit::Failed,
    }
}

/// The one experiment of the result: what follows from its samples, and of the question that was
/// asked. Code of somebody else's had the file in its reach.
fn checked(file: &Path, asked: &Asked<'_>) -> anyhow::Result<Recorded> {
    let about = fs::symlink_metadata(file);
    let about = about.with_context(|| format!("the replay left no {}", file.display()))?;
    if !about.is_file() {
        return Err(Forged("it is no file".to_owned()).into());
    }
    let bundle = Store::open_bundle(file)?;
    let found = verify(&bundle)?;
    if !found.holds() {
        return Err(Forged("it does not follow from its samples".to_owned()).into());
    }
    let list = bundle.list()?;
    let [one] = list.as_slice() else {
        return Err(Forged(format!("it holds {} experiments", list.len())).into());
    };
    let measured = bundle.load(one.id.as_str())?;
    let (wanted, got) = (asked.experiment, &measured.experiment);
    let cwd = Path::new(got.benchmark.cwd.as_ref());
    let mut benchmark = benchmark_in(&wanted.benchmark, cwd);
    // What runs leave behind decides it.
    benchmark.warmup = got.benchmark.warmup;
    let drawn = match asked.images {
        Some(enclosures) => images::at_hand(enclosures, |at_hand| at_hand.drawn(wanted)),
        None => DrawnAgain::of(&wanted.layouts),
    };
    let is_drawn = drawn != DrawnAgain::AsShipped;
    let population = wanted.layouts.population().filter(|_| is_drawn);
    // Images of the bundle are known by their content, and builds by what they are made of.
    let programs = |experiment: &Experiment| {
        let builds = experiment.builds.iter();
        let program = builds.map(|build| (build.name.clone(), build.images.program.digest.clone()));
        program.collect::<Vec<_>>()
    };
    let states = |experiment: &Experiment| {
        let builds = experiment.builds.iter();
        let state = |build: &proofmark_evidence::record::Build| {
            // Not every record says where runs work.
            let noted = built_by(wanted).is_some_and(|how| how.runs_in.is_some());
            let how = build.built_by.clone().map(|how| BuiltBy {
                runs_in: how.runs_in.filter(|_| noted),
                ..how
            });
            let (name, patches) = (build.name.clone(), build.patches.clone());
            (name, build.revision.clone(), patches, how)
        };
        builds.map(state).collect::<Vec<_>>()
    };
    let same_builds = match asked.images {
        Some(_) => programs(wanted) == programs(got),
        None => states(wanted) == states(got),
    };
    let same = wanted.question == got.question
        && benchmark == got.benchmark
        && wanted.design == got.design
        && population == got.layouts.population()
        && is_drawn == got.layouts.is_drawn()
        && same_builds;
    if !same {
        return Err(Forged("it answers another question".to_owned()).into());
    }
    Ok(measured)
}
