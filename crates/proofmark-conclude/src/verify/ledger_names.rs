//! What a run of a ledger says that its matrix is, held against the matrix.

use std::collections::BTreeSet;

use proofmark_evidence::record::{
    LedgerAsked, LedgerBuild, LedgerIdea, LedgerPlace, TreeChange, benchmark_name,
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
    Ok(())
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

/// Whether a build has these ideas and no others.
fn has(asked: &LedgerAsked, build: u32, ideas: &BTreeSet<&str>) -> bool {
    let build = usize::try_from(build).ok();
    let build = build.and_then(|build| asked.builds.get(build));
    let of = |build: &LedgerBuild| {
        let names: BTreeSet<&str> = build.ideas.iter().map(String::as_str).collect();
        names == *ideas
    };
    build.is_some_and(of)
}
