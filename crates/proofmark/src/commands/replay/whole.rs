//! All experiments of a ledger, a matrix or a bisection, measured again one after the other.

use std::time::Instant;

use proofmark_conclude::again::to_the_end;
use proofmark_evidence::Recorded;
use proofmark_measure::sandbox::SandboxLimits;
use proofmark_report::replay::{
    NamedPlanView, NamedReplayView, ReplayPlanView, ReplayView, WholePlanView, WholeReplayView,
    agreement_lines, whole_json, whole_plan_json, whole_plan_terminal, whole_terminal,
};

use super::chosen::Whole;
use super::plan::Machine;
use super::{Given, ReplayArgs, again, plan, taken_in};
use crate::console;
use crate::context::Context;
use crate::exit::Exit;

pub(super) fn run(
    whole: &Whole,
    given: &Given<'_>,
    args: &ReplayArgs,
    context: &Context,
) -> anyhow::Result<Exit> {
    let machine = Machine::look(&given.shown, args.limits.limits())?;
    let (mut all, mut experiments) = (Vec::new(), Vec::new());
    for (name, id) in &whole.experiments {
        let recorded = given.store.load(id.as_str())?;
        let plan = plan::of(&recorded, given, &machine);
        experiments.push(NamedPlanView {
            name: name.clone(),
            plan,
        });
        all.push(recorded);
    }
    let planned = WholePlanView {
        kind: whole.kind,
        id: whole.id.clone(),
        file: given.file.display().to_string(),
        bundle: given.digest.to_string(),
        experiments,
    };
    if !args.run {
        match args.json {
            true => console::print_json(&whole_plan_json(&planned))?,
            false => console::print(&whole_plan_terminal(&planned, &context.style))?,
        }
        return Ok(Exit::Done);
    }
    // Where one can be made again the others are named at the end.
    let mut possible = planned.experiments.iter();
    let possible = possible.find(|one| one.plan.is_possible());
    if let Some(one) = possible.or(planned.experiments.first()) {
        plan::refuse(&one.plan)?;
    }
    given.is_ready()?;
    let (view, exit) = measured(&planned, &all, given, args, context)?;
    match args.json {
        true => console::print_json(&whole_json(&view))?,
        false => console::print(&whole_terminal(&view, &context.style))?,
    }
    Ok(exit)
}

/// Each experiment, and the worst exit code.
fn measured(
    planned: &WholePlanView,
    all: &[Recorded],
    given: &Given<'_>,
    args: &ReplayArgs,
    context: &Context,
) -> anyhow::Result<(WholeReplayView, Exit)> {
    let began = Instant::now();
    let (mut experiments, mut worst) = (Vec::new(), Exit::Done);
    for (number, (one, recorded)) in planned.experiments.iter().zip(all).enumerate() {
        let limits = args.limits.limits();
        // They hold for all of it together.
        let limits = SandboxLimits {
            time: limits.time.saturating_sub(began.elapsed()),
            ..limits
        };
        let experiment = &to_the_end(recorded);
        let asked = again::Asked {
            whole: Some(&planned.id),
            ..given.asked(recorded, experiment, limits)
        };
        let (number, of) = (number + 1, all.len());
        console::say(&format!("proofmark: {number} of {of}: {}", one.name));
        let (named, exit) = tried(one, &asked, context)?;
        worst = worst.or_worse(exit);
        for line in agreement_lines(&named) {
            console::say(&format!("proofmark: {line}"));
        }
        experiments.push(named);
        if number == of {
            again::remove_all(&asked, context)?;
        }
    }
    let view = WholeReplayView {
        kind: planned.kind,
        id: planned.id.clone(),
        bundle: planned.bundle.clone(),
        experiments,
    };
    Ok((view, worst))
}

/// One of them, and its exit code. What fails does not keep the others from being measured.
fn tried(
    one: &NamedPlanView,
    asked: &again::Asked<'_>,
    context: &Context,
) -> anyhow::Result<(NamedReplayView, Exit)> {
    let (replay, why, exit) = match single(&one.plan, asked, context) {
        Ok(Ok(replay)) => {
            let exit = taken_in::exit(replay.agreement);
            (Some(replay), None, exit)
        }
        Ok(Err(exit)) => (None, Some(NO_ANSWER.to_owned()), exit),
        Err(error) if Exit::of(&error) == Exit::Interrupted => return Err(error),
        Err(error) => {
            let said = error.to_string();
            let first = said.lines().next().unwrap_or_default().to_owned();
            console::complain(&error);
            (None, Some(first), Exit::of(&error))
        }
    };
    let named = NamedReplayView {
        name: one.name.clone(),
        first: asked.recorded.id.as_str().to_owned(),
        replay,
        why,
    };
    Ok((named, exit))
}

/// Why something was not measured of which the sandbox has said it.
const NO_ANSWER: &str = "it has no answer, and what was printed says why";

/// One of them; the exit code of what was done in the sandbox where that failed.
fn single(
    plan: &ReplayPlanView,
    asked: &again::Asked<'_>,
    context: &Context,
) -> anyhow::Result<Result<ReplayView, Exit>> {
    plan::refuse(plan)?;
    match again::measured(asked, context)? {
        Ok(replayed) => taken_in::taken(&replayed, asked, context).map(Ok),
        Err(exit) => Ok(Err(exit)),
    }
}
