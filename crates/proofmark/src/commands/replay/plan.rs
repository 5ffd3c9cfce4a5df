//! What a replay would do, and whether it can.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use proofmark_conclude::again::{DrawnAgain, obstacles};
use proofmark_evidence::bundle::Enclosures;
use proofmark_evidence::{Recorded, Store};
use proofmark_hint::hint;
use proofmark_measure::sandbox::Sandbox;
use proofmark_report::replay::{ImagesAgainView, ReplayPlanView};
use proofmark_terms::Digest;

use super::{again, images, tools};
use crate::arguments::LimitArgs;
use crate::exit::{CannotReplay, Usage};

/// The experiment that is meant.
pub(super) fn chosen(store: &Store, id: Option<&str>) -> anyhow::Result<Recorded> {
    let all = store.list()?;
    if let Some(id) = id {
        return match store.load(id) {
            Err(_) if store.bundled(&[id.to_owned()]).is_ok() => Err(Usage(format!(
                "{id} is no experiment of its own; a replay is of one of the {} in the bundle: \
                 `proofmark verify FILE` lists them",
                all.len()
            ))
            .into()),
            other => Ok(other?),
        };
    }
    match all.as_slice() {
        [one] => Ok(store.load(one.id.as_str())?),
        [] => Err(Usage("the bundle holds no experiment".to_owned()).into()),
        several => {
            let ids: Vec<&str> = several.iter().map(|one| one.id.short()).collect();
            Err(Usage(format!(
                "the bundle holds {} experiments, and a replay is of one: write its id behind the \
                 file: {}",
                ids.len(),
                ids.join(", ")
            ))
            .into())
        }
    }
}

/// Folders that are let in, in full.
pub(super) fn shown(folders: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let in_full = |folder: &PathBuf| {
        let full = folder.canonicalize();
        full.with_context(|| format!("cannot use {} as --show", folder.display()))
    };
    folders.iter().map(in_full).collect()
}

/// The plan, with what this machine has.
pub(super) fn of(
    recorded: &Recorded,
    file: &Path,
    bundle: &Digest,
    (shown, limits): (&[PathBuf], &LimitArgs),
) -> anyhow::Result<ReplayPlanView> {
    let mut plan = ReplayPlanView::of(recorded, file.display().to_string(), bundle.to_string());
    plan.obstacles = obstacles(recorded).into_iter().map(Into::into).collect();
    tools::look(&mut plan.tools, &again::path(shown));
    let variables = again::variables(shown);
    plan.variables = variables
        .into_iter()
        .map(|(name, _)| name.to_string_lossy().into_owned())
        .collect();
    let limits = limits.limits();
    plan.limit_ms = u64::try_from(limits.time.as_millis()).unwrap_or(u64::MAX);
    plan.limit_memory = limits.memory;
    plan.limit_processes = limits.processes;
    // It needs a folder, and leaves none behind: a plan changes nothing.
    let scratch = tempfile::tempdir().context("cannot make a folder to try a sandbox in")?;
    plan.no_sandbox = match Sandbox::usable(scratch.path()) {
        Ok(()) => None,
        Err(error) => Some(error.to_string()),
    };
    Ok(plan)
}

/// What the images that came with the bundle are good for; `run` says that they were asked for.
pub(super) fn images(
    recorded: &Recorded,
    enclosures: &Enclosures,
    run: bool,
) -> Option<ImagesAgainView> {
    if enclosures.is_empty() && !run {
        return None;
    }
    Some(images::at_hand(enclosures, |at_hand| {
        let drawn = at_hand.drawn(&recorded.experiment) != DrawnAgain::AsShipped;
        let obstacles = at_hand.obstacles(recorded).into_iter();
        ImagesAgainView {
            run,
            drawn,
            of_shipped: !drawn && recorded.experiment.layouts.is_drawn(),
            obstacles: obstacles.map(Into::into).collect(),
        }
    }))
}

/// An error where it cannot be made again.
pub(super) fn refuse(plan: &ReplayPlanView) -> anyhow::Result<()> {
    let obstacles = match &plan.images {
        Some(images) if images.run => &images.obstacles,
        _ => &plan.obstacles,
    };
    if !obstacles.is_empty() {
        let lines = obstacles.iter().map(|obstacle| {
            format!(
                "{}: {}\n  next: it would take {}",
                obstacle.what, obstacle.why, obstacle.needed
            )
        });
        let mut lines: Vec<String> = lines.collect();
        if plan.is_left_to_images() {
            lines.push(format!(
                "the bundle encloses images\n  next: {} runs them in place of builds",
                hint("replay --run --run-images", &[&plan.file])
            ));
        }
        return Err(Usage(format!(
            "this evidence cannot be made again; {}",
            lines.join("\n")
        ))
        .into());
    }
    if let Some(why) = &plan.no_sandbox {
        return Err(CannotReplay(why.clone()).into());
    }
    Ok(())
}
