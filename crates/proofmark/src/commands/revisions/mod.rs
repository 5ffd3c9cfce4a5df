//! `compare --rev A..B --build COMMAND`: both states captured in a clean copy of the repository,
//! and kept by all that went in.

mod plan;

use std::path::Path;

use anyhow::Context as _;
use proofmark_capture::Capture;
use proofmark_capture::states::{Repository, State, WORK};
use proofmark_lab::{LabError, Subject, alike};

pub(crate) use plan::{Plan, There, forget_lost};

use crate::arguments::RepeatArg;
use crate::commands::subject;
use crate::console;
use crate::context::Context;
use crate::exit::Usage;

/// The subjects of a range: A is the base.
pub(crate) fn subjects(
    range: &str,
    build: &str,
    image: Option<&Path>,
    (repeat, runs_in): (RepeatArg, &Path),
    context: &Context,
) -> anyhow::Result<Vec<Subject>> {
    let range = Range::parse(range)?;
    let repository = Repository::open(Path::new("."))?;
    // Both are looked up before either is built.
    let states = range.states(&repository)?;
    say_changes(&repository, &range, &states)?;
    let plan = Plan::of(repository, build, image)?;
    of_states(&plan, &states, (repeat, runs_in), context)
}

/// The subjects of states, whose runs work in a folder; the first one is the base.
pub(crate) fn of_states(
    plan: &Plan,
    states: &[State],
    (repeat, runs_in): (RepeatArg, &Path),
    context: &Context,
) -> anyhow::Result<Vec<Subject>> {
    let several = |state: &State| {
        let numbers = 0..repeat.builds();
        numbers
            .map(|number| captured(plan, state, number, context))
            .collect::<anyhow::Result<Vec<Capture>>>()
    };
    let captures = states
        .iter()
        .map(several)
        .collect::<anyhow::Result<Vec<Vec<Capture>>>>()?;
    let others = captures.iter().flatten().find_map(Capture::default_image);
    let subject = |state: &State, captures: &[Capture]| {
        let (first, more) = captures
            .split_first()
            .context("a revision without a build")?;
        let of_other = others.clone().filter(|_| first.chosen.is_none());
        let image = plan.image().or(of_other);
        let mut subject = subject::captured_often(first, more, image.as_deref())?;
        subject.name.clone_from(&state.name);
        subject.mark_of_others(plan.of_others(state, context)?);
        if !state.is_of_work_tree() {
            subject.mark_built_by(plan.built_by(captures.len(), runs_in));
        }
        Ok(subject)
    };
    let mut subjects = states
        .iter()
        .zip(&captures)
        .map(|(state, captures)| subject(state, captures))
        .collect::<anyhow::Result<Vec<Subject>>>()?;
    // Builds that came out the same, of two states, are no draw.
    let is_told = repeat.builds() > 1 || repeat.is_trusted() || is_same(&subjects);
    if let (false, [state, ..], [base, ..]) = (is_told, states, &mut subjects[..]) {
        let again = captured(plan, state, repeat.builds(), context)?;
        if alike(base, &subject(state, &[again])?).is_none() {
            base.mark_built_otherwise();
        }
    }
    Ok(subjects)
}

/// A build of a state; `number` tells several of one state apart.
fn captured(plan: &Plan, state: &State, number: u32, context: &Context) -> anyhow::Result<Capture> {
    let capture = plan.captured(state, number, context);
    // Ctrl-C ends the build as well, which is no fault of the build's.
    if context.stop.requested() {
        return Err(LabError::Interrupted.into());
    }
    capture.with_context(|| format!("revision `{}` was not captured", state.name))
}

fn is_same(subjects: &[Subject]) -> bool {
    let [base, others @ ..] = subjects else {
        return false;
    };
    others.iter().all(|other| alike(base, other).is_some())
}

/// Both ends of a range of commits, the older one first.
pub(crate) fn ends(range: &str, repository: &Repository) -> anyhow::Result<[State; 2]> {
    let range = Range::parse(range)?;
    for name in [&range.from, &range.to] {
        if name == WORK {
            return Err(Usage(format!(
                "{name} is no commit, and a history goes along commits: commit what is in the \
                 work tree first"
            ))
            .into());
        }
    }
    range.states(repository)
}

/// Changes that are not committed are in no revision.
fn say_changes(repository: &Repository, range: &Range, states: &[State]) -> anyhow::Result<()> {
    let asked = states.iter().any(|state| state.name == WORK);
    let changes = if asked { 0 } else { repository.changes()? };
    if changes > 0 {
        console::say(&format!(
            "proofmark: {changes} file(s) of the work tree have changes that are not committed, and are in neither build; `--rev {}..{}` compares with them",
            range.from, WORK
        ));
    }
    Ok(())
}

/// A range of revisions, as git means it.
struct Range {
    from: String,
    to: String,
    /// `A...B`: from what both have in common.
    from_base: bool,
}

impl Range {
    fn parse(text: &str) -> Result<Range, Usage> {
        let or_head = |name: &str| if name.is_empty() { "HEAD" } else { name }.to_owned();
        let parts = match text.split_once("...") {
            Some((from, to)) => Some((from, to, true)),
            None => text.split_once("..").map(|(from, to)| (from, to, false)),
        };
        let named = parts.filter(|(from, to, _)| {
            let dots = to.starts_with('.') || to.contains("..");
            let named = !from.is_empty() || !to.is_empty();
            named && !dots
        });
        let (from, to, from_base) = named.ok_or_else(|| {
            Usage(format!(
                "`{text}` is not a range of revisions: write A..B, as in main..HEAD; A.. is up to \
                 HEAD, A...B is from what both have in common, and {WORK} is the work tree"
            ))
        })?;
        Ok(Range {
            from: or_head(from),
            to: or_head(to),
            from_base,
        })
    }

    fn states(&self, repository: &Repository) -> anyhow::Result<[State; 2]> {
        let to = repository.state(&self.to)?;
        if !self.from_base {
            return Ok([repository.state(&self.from)?, to]);
        }
        // Of the work tree its commit counts here.
        let commit = |name: &str| if name == WORK { "HEAD" } else { name }.to_owned();
        let base = repository.merge_base(&commit(&self.from), &commit(&self.to))?;
        Ok([base, to])
    }
}
