//! What a run of a ledger says that its matrix is, held against the matrix.

use std::collections::BTreeSet;

use proofmark_evidence::record::{
    LedgerAsked, LedgerBuild, LedgerIdea, LedgerPlace, LedgerStack, TreeChange, benchmark_name,
};
use proofmark_terms::CellIndex;

use super::gated::is_contradicted;
use super::numbers::is_same_text;
use crate::{ConcludeError, MatrixEvidence, MemberEvidence};

/// Whether builds, ideas, stacks and benchmarks are those of the matrix, each in its place.
///
/// # Errors
///
/// Where one is not.
pub(super) fn is_about(
    asked: &LedgerAsked,
    evidence: &MatrixEvidence<'_>,
) -> Result<(), ConcludeError> {
    let wrong = |what: String| {
        Err(ConcludeError::Design(format!(
            "{what} of a run is not that of its matrix"
        )))
    };
    for build in &asked.builds {
        if is_contradicted(build) {
            return Err(ConcludeError::Design(format!(
                "the build `{}` of a run was timed, and has no build or fails a gate",
                build.name
            )));
        }
        let Some(cell) = build.cell else { continue };
        let called = cell.of(&evidence.run.cells);
        if !called.is_some_and(|called| is_same_text(called, &build.name)) {
            return wrong(format!("the build `{}`", build.name));
        }
        if !evidence
            .members
            .iter()
            .all(|member| reads(build, cell, member))
        {
            return wrong(format!("what runs of the build `{}` read", build.name));
        }
    }
    if !has_all_cells(asked, evidence.run.cells.len()) {
        return wrong("the list of builds".to_owned());
    }
    let members = evidence.run.members.iter().zip(&evidence.members);
    let alike = asked.benchmarks.len() == evidence.members.len()
        && (asked.benchmarks.iter().zip(members)).all(|(asked, (member, measured))| {
            let name = benchmark_name(&member.benchmark, member.size.as_ref());
            is_same_text(&asked.name, &name) && asked.metric == measured.experiment.benchmark.metric
        });
    if !alike {
        return wrong("a benchmark".to_owned());
    }
    for idea in &asked.ideas {
        let below = idea.on.iter().map(String::as_str).collect();
        if !has(asked, idea.against, &below) || !has(asked, idea.with, &put_on([idea])) {
            return wrong(format!("the idea `{}`", idea.name));
        }
    }
    for stack in &asked.stacks {
        let ideas: Option<Vec<&LedgerIdea>> = (stack.places.iter())
            .map(|place| asked.ideas.get(usize::try_from(place.idea).ok()?))
            .collect();
        let ideas = ideas.unwrap_or_default();
        let left = |place: &LedgerPlace| {
            let gone = |idea: &&LedgerIdea| place.gone_too.contains(&idea.name);
            let own = usize::try_from(place.idea).ok();
            let own = own.and_then(|own| asked.ideas.get(own));
            let stay = ideas.iter().copied();
            let stay = stay.filter(|idea| !gone(idea) && Some(*idea) != own);
            put_on(stay)
        };
        let whole = put_on(ideas.iter().copied());
        let mut sound = ideas.len() == stack.places.len() && has(asked, stack.full, &whole);
        for (count, place) in stack.places.iter().enumerate() {
            let up_to = |count: usize| put_on(ideas.iter().copied().take(count));
            sound &= has(asked, place.below, &up_to(count))
                && has(asked, place.with, &up_to(count + 1))
                && has(asked, place.without, &left(place));
        }
        if !sound {
            return wrong(format!("the stack `{}`", stack.name));
        }
    }
    match called_otherwise(asked) {
        Some(build) => wrong(format!("the name of the build `{}`", build.name)),
        None => Ok(()),
    }
}

/// Whether each cell of the matrix is a build of the run, once: one that was measured and is left
/// out would leave fewer figures to hold together.
fn has_all_cells(asked: &LedgerAsked, cells: usize) -> bool {
    let builds = asked.builds.iter().filter_map(|build| build.cell);
    let all: BTreeSet<CellIndex> = builds.clone().collect();
    all.len() == cells && builds.count() == cells
}

/// A build that has another name than what it was asked for by first, or that nothing asked for.
/// The name is the cell's, so that the ideas that a build is said to have are those of its cell.
fn called_otherwise(asked: &LedgerAsked) -> Option<&LedgerBuild> {
    let mut names: Vec<Option<String>> = vec![None; asked.builds.len()];
    for (place, name) in wanted(asked) {
        let place = usize::try_from(place).ok();
        if let Some(first) = place.and_then(|place| names.get_mut(place)) {
            first.get_or_insert(name);
        }
    }
    let mut builds = asked.builds.iter().zip(&names);
    let otherwise = builds.find(|(build, name)| {
        let name = name.as_deref();
        !name.is_some_and(|name| is_same_text(name, &build.name))
    });
    otherwise.map(|(build, _)| build)
}

/// The places of the builds that figures need, in the order in which a plan asks for them, each
/// with the name that it asks by.
fn wanted(asked: &LedgerAsked) -> Vec<(u32, String)> {
    let mut all = vec![(0, "base".to_owned()), (1, "base again".to_owned())];
    for idea in &asked.ideas {
        all.push((idea.with, idea.name.clone()));
        all.push((idea.against, format!("{} without it", idea.name)));
    }
    for LedgerStack {
        name, full, places, ..
    } in &asked.stacks
    {
        all.push((*full, name.clone()));
        for place in places {
            let idea = usize::try_from(place.idea).ok();
            let idea = idea.and_then(|idea| asked.ideas.get(idea));
            let idea = idea.map_or("", |idea| idea.name.as_str());
            all.push((place.with, format!("{name} up to {idea}")));
            all.push((place.below, format!("{name} below {idea}")));
            all.push((place.without, format!("{name} without {idea}")));
        }
    }
    all
}

/// Whether a build differs from base in those files that it says.
fn reads(build: &LedgerBuild, cell: CellIndex, member: &MemberEvidence<'_>) -> bool {
    let recorded = cell.build().of(&member.experiment.builds);
    let tree = recorded.and_then(|recorded| recorded.tree.as_ref());
    let found = tree.map_or(&[][..], |tree| &tree.changes);
    let is_same = |(said, found): (&TreeChange, &TreeChange)| {
        let [one, other] = [said, found].map(|one| one.path.display().into_owned());
        is_same_text(&one, &other) && (said.how, said.code) == (found.how, found.code)
    };
    build.files.len() == found.len() && build.files.iter().zip(found).all(is_same)
}

/// Names of these ideas and of all that they stand on.
fn put_on<'a>(ideas: impl IntoIterator<Item = &'a LedgerIdea>) -> BTreeSet<&'a str> {
    let all = ideas.into_iter();
    all.flat_map(|idea| idea.on.iter().chain([&idea.name]))
        .map(String::as_str)
        .collect()
}

/// Whether a build has these ideas and no others, and is the first one that has them: base again
/// is base, and nothing is held against it but base.
fn has(asked: &LedgerAsked, place: u32, ideas: &BTreeSet<&str>) -> bool {
    let Ok(place) = usize::try_from(place) else {
        return false;
    };
    asked.builds.get(place).is_some_and(|build| {
        let names: BTreeSet<&str> = build.ideas.iter().map(String::as_str).collect();
        let mut all = asked.builds.iter();
        names == *ideas && all.position(|other| other.ideas == build.ideas) == Some(place)
    })
}
