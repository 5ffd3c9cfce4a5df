//! What a replay would do, and whether it can.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::Context as _;
use proofmark_conclude::again::{DrawnAgain, to_the_end};
use proofmark_conclude::with_builds::obstacles;
use proofmark_evidence::Recorded;
use proofmark_evidence::bundle::Enclosures;
use proofmark_hint::hint;
use proofmark_measure::sandbox::{Sandbox, SandboxLimits};
use proofmark_report::replay::{ImagesAgainView, ReplayPlanView};

use super::{Given, again, images, tools};
use crate::exit::{CannotReplay, Usage};

/// Folders that are let in, in full.
pub(super) fn shown(folders: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let in_full = |folder: &PathBuf| {
        let full = folder.canonicalize();
        full.with_context(|| format!("cannot use {} as --show", folder.display()))
    };
    folders.iter().map(in_full).collect()
}

/// What this machine has for replays.
pub(super) struct Machine {
    /// What its compilers and linkers say of their versions.
    tools: BTreeSet<String>,
    /// Why there is no sandbox; none where there is one.
    no_sandbox: Option<String>,
    /// Names of the variables that builds have.
    variables: Vec<String>,
    limits: SandboxLimits,
}

impl Machine {
    /// Looks, with these folders let in.
    pub(super) fn look(shown: &[PathBuf], limits: SandboxLimits) -> anyhow::Result<Self> {
        // It needs a folder, and leaves none behind: a plan changes nothing.
        let scratch = tempfile::tempdir().context("cannot make a folder to try a sandbox in")?;
        let sandbox = Sandbox::usable(scratch.path());
        let variables = again::variables(shown).into_iter();
        Ok(Machine {
            tools: tools::said(&again::path(shown)),
            no_sandbox: sandbox.err().map(|error| error.to_string()),
            variables: variables
                .map(|(name, _)| name.to_string_lossy().into_owned())
                .collect(),
            limits,
        })
    }
}

/// The plan, with what this machine has.
pub(super) fn of(recorded: &Recorded, bundle: &Given<'_>, machine: &Machine) -> ReplayPlanView {
    let file = bundle.file.display().to_string();
    let mut plan = ReplayPlanView::of(recorded, file, bundle.digest.to_string());
    plan.obstacles = obstacles(recorded).into_iter().map(Into::into).collect();
    let mut said = tools::of_packages(&recorded.experiment);
    said.extend(machine.tools.iter().cloned());
    tools::look(&mut plan.tools, &said);
    plan.variables.clone_from(&machine.variables);
    plan.no_sandbox.clone_from(&machine.no_sandbox);
    let limits = &machine.limits;
    plan.limit_ms = u64::try_from(limits.time.as_millis()).unwrap_or(u64::MAX);
    plan.limit_memory = limits.memory;
    plan.limit_processes = limits.processes;
    plan.images = images(recorded, &bundle.enclosures, bundle.run_images);
    if let Some(images) = plan.images.as_ref().filter(|images| images.run) {
        // Nothing is compiled.
        plan.tools
            .retain(|tool| images.drawn && tool.role == "linker");
    }
    plan
}

/// What the images that came with the bundle are good for; `run` says that they were asked for.
fn images(recorded: &Recorded, enclosures: &Enclosures, run: bool) -> Option<ImagesAgainView> {
    if enclosures.is_empty() && !run {
        return None;
    }
    Some(images::at_hand(enclosures, |at_hand| {
        let drawn = at_hand.drawn(&to_the_end(recorded)) != DrawnAgain::AsShipped;
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
    let obstacles = plan.obstacles_of_choice();
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
