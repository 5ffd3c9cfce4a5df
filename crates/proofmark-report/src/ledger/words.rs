//! What a ledger says in sentences, for the terminal and for Markdown.

use proofmark_evidence::record::{
    Decision, FirstFigure, LedgerClaim, LedgerEntry, LedgerEvent, LedgerFigure, LedgerRace,
    LedgerRunner, TreeChange,
};
use proofmark_hint::hint;
use proofmark_stats::Effect;
use proofmark_terms::Holds;

use super::LedgerView;
use super::question::chance;
use super::rows::{Decided, Gates, Guarded, Over, Row, Table};
use super::{figure, reading};
use crate::method::files;
use crate::number::{interval, rough, setting};
use crate::text::one_line;
use crate::warning::{Said, in_words_of_matrix};
use crate::wording::comparatives;

pub(crate) const fn decision(of: Decision) -> &'static str {
    match of {
        Decision::Keep => "keep",
        Decision::Drop => "drop",
        Decision::Again => "again",
    }
}

/// What was decided, for a table: the change beside it may be another one by now.
pub(crate) fn decided(of: Option<&Decided<'_>>) -> String {
    match of {
        None => "—".to_owned(),
        Some(one) if one.of_another => format!("{}, of another change", decision(one.decision)),
        Some(one) => decision(one.decision).to_owned(),
    }
}

pub(crate) const fn gates(of: Gates) -> &'static str {
    match of {
        Gates::NotRun => "not run",
        Gates::Passed => "passed",
        Gates::Failed => "failed",
    }
}

/// What is said of the guards of one build, in a word: one that is broken counts most.
pub(crate) fn guards(of: &[Guarded<'_>]) -> &'static str {
    let any = |holds: Holds| of.iter().any(|guard| guard.holds == holds);
    match () {
        () if of.is_empty() => "—",
        () if any(Holds::No) => "broken",
        () if any(Holds::Open) => "not known",
        () => "kept",
    }
}

/// The guards that are broken, or of which it is not known, a sentence each.
pub(crate) fn of_guards(of: &[Guarded<'_>]) -> Vec<String> {
    let open = of.iter().filter(|guard| guard.holds != Holds::Yes);
    let said = open.map(|guard| {
        let [_, worse] = comparatives(&guard.benchmark.metric);
        let is = match guard.holds {
            Holds::No => "is broken",
            Holds::Yes | Holds::Open => "may be broken",
        };
        let name = &guard.benchmark.name;
        let Some(shown) = &guard.figure else {
            return format!("guard {name} {is}: the build is out of it");
        };
        format!(
            "guard {name} {is}: {} %, and at most {} {worse} is allowed",
            figure::said(Some(shown)),
            setting(guard.benchmark.guard.unwrap_or_default()),
        )
    });
    said.collect()
}

/// How to read the figures of a table. `each` says that those of groups and benchmarks are shown
/// too.
pub(crate) fn how_to_read(table: &Table<'_>, each: bool) -> String {
    let run = table.run;
    let blocks = run.figures.iter().map(|one| one.figure.blocks).max();
    format!(
        "{}; ± half the interval, (…) holds no change; {} blocks; the figures of the mean hold \
         together at {}, those of groups and those of benchmarks as well; for these benchmarks \
         only",
        reading::said(run, each),
        blocks.unwrap_or(0),
        setting(run.confidence),
    )
}

/// What heads a table.
pub(crate) fn title(table: &Table<'_>) -> String {
    let measured = format!("measured {}", crate::number::minute(table.at_ms));
    match table.stack {
        Some(stack) => {
            let whole = figure::shown(table.whole(Over::Suite).as_ref());
            format!("stack {stack}: {whole} % against base ({measured})")
        }
        None => format!("ideas by themselves ({measured})"),
    }
}

/// Base held against itself.
pub(crate) fn null(table: &Table<'_>) -> Option<String> {
    let null = table.null(Over::Suite)?;
    let said = figure::of_interval(&null.figure.interval);
    Some(match figure::open(&null.figure.interval) {
        true => format!("base against itself, in the same blocks: {said} %"),
        false => format!(
            "base differs from itself, in the same blocks: {said} %: believe no figure of that size"
        ),
    })
}

/// What must be known before the figures of a run are believed, a sentence each.
pub(crate) fn warnings(table: &Table<'_>) -> Vec<String> {
    let all = table.run.warnings.iter().map(in_words_of_matrix);
    let said = all.map(|Said { found, remedy }| match remedy.is_empty() {
        true => found,
        false => format!("{found}; {remedy}"),
    });
    said.collect()
}

/// Why figures of a stack are missing: builds of it that there are not, a sentence each.
pub(crate) fn unbuilt(table: &Table<'_>) -> Vec<String> {
    let builds = table.unbuilt().into_iter();
    builds
        .map(|(build, why)| format!("`{build}` has no figure: {}", one_line(why)))
        .collect()
}

/// In which files that its runs read a build differs from base.
pub(crate) fn of_files(changes: &[TreeChange]) -> Option<String> {
    let said = || {
        format!(
            "its runs read other files than those of base: {}",
            files(changes)
        )
    };
    (!changes.is_empty()).then(said)
}

/// What is said of an idea below its table.
pub(crate) fn of_idea(row: &Row<'_>) -> Vec<String> {
    let mut said = Vec::new();
    if let Some(hypothesis) = row.hypothesis {
        said.push(hypothesis.to_owned());
    }
    said.extend(of_files(row.files));
    if !row.on.is_empty() {
        said.push(format!("on {}, and held against it", row.on.join(", ")));
    }
    if !row.gone_too.is_empty() {
        let gone = row.gone_too.join(", ");
        said.push(format!("left out together with {gone}, which stands on it"));
    }
    if let Some(expected) = row.expected {
        said.push(format!("expected: {} better", setting(expected)));
    }
    if let Some(why) = row.unbuilt {
        said.push(format!("has no figure: {why}"));
    }
    for (benchmark, why) in &row.out {
        said.push(format!(
            "out of {benchmark}, and of its question to the budget: {why}"
        ));
    }
    said.extend(of_guards(&row.guards));
    said.extend(row.test.clone());
    match &row.decision {
        Some(one) => said.push(format!(
            "{} ({}) because {}",
            decided(Some(one)),
            crate::number::minute(one.at_ms),
            one.because
        )),
        None => said.push("not decided".to_owned()),
    }
    // Reasons have lines: an error with its next step.
    said.iter().map(|one| one_line(one)).collect()
}

/// How others get the evidence.
pub(crate) fn for_others(ledger: &LedgerView<'_>) -> String {
    let bundle = hint("bundle --output FILE", &[ledger.recorded.id.short()]);
    format!("all of it in one file, for others: {bundle}")
}

/// What is left of the error budget, and what is promised.
pub(crate) fn budget(ledger: &LedgerView<'_>) -> String {
    format!(
        "error budget: {} questions, {} findings; {} left of a wealth that findings replenish, the \
         next question is asked at level {}; of all findings at most {} are expected to be none \
         (LORD++), and what was kept without being found is not among them",
        ledger.asked,
        ledger.findings,
        rough(ledger.left),
        chance(ledger.next_level),
        setting(ledger.recorded.ledger.rate),
    )
}

/// Races, and what was claimed and confirmed, in the order in which it happened.
pub(crate) fn confirmations(ledger: &LedgerView<'_>) -> Vec<String> {
    let entries = ledger.recorded.entries.iter();
    entries
        .filter_map(|entry| confirmation(ledger, entry.index, &entry.of))
        .collect()
}

/// What came of a race; a claim that awaits its measurement, or what came of one.
pub(crate) fn confirmation(
    ledger: &LedgerView<'_>,
    index: u32,
    of: &LedgerEvent,
) -> Option<String> {
    let all = &ledger.recorded.entries;
    match of {
        LedgerEvent::Claimed { claim } => {
            let measured = all.iter().any(|other| {
                matches!(&other.of, LedgerEvent::Confirmed { claim, .. } if *claim == index)
            });
            (!measured).then(|| format!("claimed and not yet measured: {}", claimed(claim)))
        }
        LedgerEvent::Screened { race } => Some(screened(race)),
        LedgerEvent::Confirmed {
            claim,
            found,
            holds,
            reached,
            ..
        } => {
            let entry = all.get(usize::try_from(*claim).ok()?)?;
            let LedgerEvent::Claimed { claim } = &entry.of else {
                return None;
            };
            let mut said = came_to(claim, found, *holds);
            said.extend(match &claim.first {
                Some(first) => Some(flattered(ledger, first, found)),
                None => of_another(all, &claim.idea),
            });
            if !reached {
                said.push("the width was not reached".to_owned());
            }
            Some(said.join("; "))
        }
        _ => None,
    }
}

/// Who stays in a race, and after how many blocks others left it.
fn screened(race: &LedgerRace) -> String {
    let runner = |runner: &LedgerRunner| {
        let figure = figure::said(runner.figure.as_ref());
        match &runner.why {
            Some(why) => format!("{} failed: {}", runner.idea, one_line(why)),
            None => format!("{} ({} blocks, {figure} %)", runner.idea, runner.blocks),
        }
    };
    let (stay, left): (Vec<&LedgerRunner>, Vec<&LedgerRunner>) =
        race.runners.iter().partition(|runner| runner.stays);
    let all = |of: Vec<&LedgerRunner>| match of.as_slice() {
        [] => "none".to_owned(),
        some => some
            .iter()
            .copied()
            .map(runner)
            .collect::<Vec<_>>()
            .join(", "),
    };
    let error = setting(1.0 - race.confidence);
    let null = figure::said(race.null.as_ref());
    format!(
        "screened: may be the best: {}; left: {}; the best one left with a probability of at most \
         {error}; base against itself {null} %; the figures were picked by, so confirm the winner \
         afresh",
        all(stay),
        all(left),
    )
}

pub(crate) fn claimed(claim: &LedgerClaim) -> String {
    format!(
        "“{} is at least {} better” on {}, to ±{}",
        claim.idea,
        setting(claim.at_least),
        claim.benchmarks.join(", "),
        setting(claim.precision),
    )
}

fn came_to(claim: &LedgerClaim, found: &LedgerFigure, holds: Holds) -> Vec<String> {
    let verdict = match holds {
        Holds::Yes => "confirmed",
        Holds::No => "refuted",
        Holds::Open => "neither confirmed nor refuted",
    };
    let afresh = interval(&found.interval);
    vec![
        format!("{}: {verdict}", claimed(claim)),
        format!(
            "measured afresh {afresh} new/base over {} blocks",
            found.blocks
        ),
    ]
}

/// What is to be known of a figure that the ledger has of the same name, where the claim has none.
fn of_another(entries: &[LedgerEntry], name: &str) -> Option<String> {
    let measured = entries.iter().any(|entry| match &entry.of {
        LedgerEvent::Measured { run } => {
            let mut ideas = run.asked.ideas.iter().map(|idea| &idea.name);
            let mut stacks = run.asked.stacks.iter().map(|stack| &stack.name);
            ideas.any(|one| one == name) || stacks.any(|one| one == name)
        }
        _ => false,
    });
    measured.then(|| {
        format!("the ledger's figures of {name} are of another change, or of other benchmarks")
    })
}

/// By how much the figure that an idea was picked for looked better than the one measured afresh.
fn flattered(ledger: &LedgerView<'_>, first: &FirstFigure, found: &LedgerFigure) -> String {
    let place = usize::try_from(first.entry).ok();
    let entry = place.and_then(|place| ledger.recorded.entries.get(place));
    let metric = match entry.map(|entry| &entry.of) {
        Some(LedgerEvent::Measured { run }) => run.asked.benchmarks.first(),
        _ => None,
    };
    let more = metric.is_some_and(|first| first.metric.higher_is_better());
    let less = found.interval.estimate.ln() - first.figure.interval.estimate.ln();
    let by = if more { -less } else { less };
    let figure = interval(&first.figure.interval);
    let picked = format!("the first figure, {figure}, picked from {},", first.among);
    if by > Effect::ROUNDING {
        format!("{picked} had flattered by {}", rough(by.exp_m1()))
    } else {
        format!("{picked} had not flattered")
    }
}
