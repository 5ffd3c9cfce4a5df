//! The lines on one commit: who made it, what it changes, what became of its code.

use proofmark_evidence::RecordedBisect;
use proofmark_evidence::record::{
    Axis, BisectAnswer, CodeFound, EffectFound, FunctionChange, FunctionFound, Judge,
};
use proofmark_hint::hint;
use proofmark_terms::{Commit, CommitId, StateIndex};

use super::answer::{as_shipped, short, subject};
use crate::line::Line;
use crate::number::{counted, interval};
use crate::text::printable;

/// Files and functions that are named, at most.
const NAMED: usize = 8;

/// A state that changed something.
pub(super) fn of_state(recorded: &RecordedBisect, state: &Commit, files: &[String]) -> Vec<Line> {
    let label = match recorded.bisect.axis {
        Axis::Commits => return of_commit(state, files),
        Axis::Toolchains => "toolchain",
        Axis::Flags => "flags",
    };
    let said = subject(state);
    vec![Line::new(label, format!("{} {said}", state.id).trim_end())]
}

/// The command that says why: the commit that was found, against the parent that it was held
/// against, else the first. None of a compiler's commit, and where a script judged.
pub(super) fn explain(recorded: &RecordedBisect, answer: &BisectAnswer) -> Option<Line> {
    let bisect = &recorded.bisect;
    let (
        BisectAnswer::Found { commit },
        Judge::Blocks {
            build, benchmark, ..
        },
    ) = (answer, &bisect.judge)
    else {
        return None;
    };
    if bisect.axis != Axis::Commits || bisect.toolchain.is_some() {
        return None;
    }
    let commit = commit.of(&bisect.commits)?;
    let effect = recorded
        .conclusion
        .as_ref()
        .and_then(|one| one.effect.as_ref());
    let held_against = |parent: &&CommitId| effect.is_some_and(|effect| effect.parent == **parent);
    let parent = commit.parents.iter().find(held_against);
    let parent = parent.or_else(|| commit.parents.first())?;
    let range = format!("{}..{}", short(parent), short(&commit.id));
    let words = benchmark.argv.iter();
    let words: Vec<String> = words
        .map(|word| word.as_ref().to_string_lossy().into_owned())
        .collect();
    let mut all = vec![range.as_str(), "--build", build, "--"];
    all.extend(words.iter().map(String::as_str));
    Some(Line::new(
        "why",
        format!(
            "{} says what it is made of (with --image and what else was given here)",
            hint("explain --rev", &all)
        ),
    ))
}

fn of_commit(commit: &Commit, files: &[String]) -> Vec<Line> {
    let mut lines = vec![
        Line::new("commit", format!("{} {}", commit.id, subject(commit))),
        Line::new(
            "author",
            format!("{}, {}", printable(&commit.author), printable(&commit.date)),
        ),
    ];
    if commit.parents.len() > 1 {
        let parents: Vec<&str> = commit.parents.iter().map(|one| short(one)).collect();
        lines.push(Line::new("merge", format!("of {}", parents.join(" and "))));
    }
    let named: Vec<String> = files.iter().map(|file| printable(file)).collect();
    lines.push(Line::new("files", listed(&named, named.len())));
    lines
}

fn listed(names: &[String], all: usize) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    let shown = names.len().min(NAMED);
    let mut text = names[..shown].join(", ");
    if all > shown {
        text.push_str(&format!(" and {} more", all - shown));
    }
    text
}

pub(super) fn among(recorded: &RecordedBisect, places: &[StateIndex]) -> Vec<Line> {
    let commits = &recorded.bisect.commits;
    let named = places.iter().filter_map(|place| place.of(commits));
    let mut lines: Vec<Line> = named
        .rev()
        .take(NAMED)
        .map(|commit| {
            Line::new(
                "one of",
                format!("{} {}", short(&commit.id), subject(commit)),
            )
        })
        .collect();
    if places.len() > NAMED {
        lines.push(Line::new("", format!("and {} more", places.len() - NAMED)));
    }
    lines
}

pub(super) fn effect(recorded: &RecordedBisect, effect: &EffectFound) -> Vec<Line> {
    let shipped = effect.as_shipped.as_ref();
    // Where layouts are drawn, the images as shipped run beside them.
    let way = if shipped.is_none() {
        "as shipped"
    } else {
        "over layouts"
    };
    let shipped = shipped.map_or(String::new(), |one| {
        format!("; {} as shipped", interval(one))
    });
    let mut lines = vec![Line::new(
        "effect",
        format!(
            "{} {way}{shipped}; against {}, {}",
            interval(&effect.interval),
            short(&effect.parent),
            counted(effect.blocks, "block", "blocks")
        ),
    )];
    if effect.as_shipped.is_none() && !as_shipped(recorded) {
        lines.push(Line::new(
            "but",
            "placement was not varied, and what differs as shipped may be placement",
        ));
    }
    if effect.interval.contains(proofmark_stats::Effect::NONE) {
        lines.push(Line::new(
            "but",
            "this interval holds 1: beside its parent alone the commit was not seen to change \
             anything; the steps below say otherwise, so that the answer is open",
        ));
    }
    lines
}

/// What a function came to, in a few words.
fn function(found: &FunctionFound) -> String {
    let [old, new] = found.bytes;
    let how = match found.how {
        FunctionChange::Changed if old == new => format!("changed, {new} bytes"),
        FunctionChange::Changed => format!("changed, {old} to {new} bytes"),
        FunctionChange::Added => format!("new, {new} bytes"),
        FunctionChange::Removed => "gone".to_owned(),
    };
    let runs = match found.runs {
        Some(true) => ", runs",
        Some(false) => ", never runs",
        None => "",
    };
    format!("{} ({how}{runs})", printable(&found.name))
}

pub(super) fn code(code: &CodeFound) -> Line {
    let all = code.changed.len() + usize::try_from(code.unnamed).unwrap_or(usize::MAX);
    let runs = code.changed.iter().any(|one| one.runs == Some(true));
    let known = code.unnamed == 0 && code.changed.iter().all(|one| one.runs.is_some());
    let found = if all == 0 {
        "no machine code changed: placement, or data"
    } else if runs {
        "code that the benchmark runs changed"
    } else if known {
        "no code that the benchmark runs changed: placement, or data"
    } else {
        "machine code changed"
    };
    if all == 0 {
        return Line::new("code", found);
    }
    let named: Vec<String> = code.changed.iter().map(function).collect();
    Line::new(
        "code",
        format!(
            "{found}; {all} of {} functions: {}",
            code.functions,
            listed(&named, all)
        ),
    )
}
