//! The commits between two states, by what either system of versions can tell.

use std::collections::{BTreeSet, HashSet};

use proofmark_terms::{Commit, CommitId};

use super::{RevisionError, State};

/// What is asked of a repository on the way from one state to another.
pub(super) trait History {
    /// Whether the newer state is the older one, or comes from it.
    fn is_ancestor(&self, older: &State, newer: &State) -> Result<bool, RevisionError>;

    /// The newest commit that two states have in common.
    fn common(&self, one: &State, other: &State) -> Result<State, RevisionError>;

    /// The commits that the newer state has and the older one has not, parents before their
    /// children; by first parents alone where those are followed.
    fn listed(
        &self,
        older: &State,
        newer: &State,
        first_parent: bool,
    ) -> Result<Vec<Commit>, RevisionError>;

    /// Commits by their names, in any order.
    fn named(&self, names: &[CommitId]) -> Result<Vec<Commit>, RevisionError>;

    /// The commits whose parents are not here, as those at the end of a shallow clone.
    fn cut(&self) -> Result<Vec<CommitId>, RevisionError>;
}

/// The commits that the newer state has and the older one has not, parents before their children;
/// the newer state is the last one. With `first_parent` only first parents are followed; without,
/// those at which sides were forked off before the older state stand in front, without parents.
///
/// # Errors
/// When the older state is no ancestor of the newer one, or none by first parents where those are
/// followed, or the clone does not hold what lies between them.
pub(super) fn between(
    history: &impl History,
    older: &State,
    newer: &State,
    first_parent: bool,
) -> Result<Vec<Commit>, RevisionError> {
    if older.commit == newer.commit {
        return Err(RevisionError::OneCommit {
            older: older.name.clone(),
            newer: newer.name.clone(),
        });
    }
    if !history.is_ancestor(older, newer)? {
        return Err(apart(history, older, newer)?);
    }
    let commits = history.listed(older, newer, first_parent)?;
    let cut = history.cut()?;
    if let Some(commit) = commits.iter().find(|commit| cut.contains(&commit.id)) {
        return Err(RevisionError::Shallow {
            commit: short(&commit.id),
        });
    }
    let before = commits.first().and_then(|first| first.parents.first());
    if first_parent && before != Some(&older.commit) {
        return Err(RevisionError::NoFirstParent {
            older: older.name.clone(),
            newer: newer.name.clone(),
            before: before.map(|before| short(before)),
        });
    }
    if first_parent {
        return Ok(commits);
    }
    let mut all = forks(history, older, &commits)?;
    all.extend(commits);
    Ok(all)
}

/// Where sides were forked off that the older state has not among its ancestors, and which were
/// merged since. They are older than that, and stand here without parents: what lies before them is
/// of no interest.
fn forks(
    history: &impl History,
    older: &State,
    commits: &[Commit],
) -> Result<Vec<Commit>, RevisionError> {
    let known: HashSet<&CommitId> = commits.iter().map(|commit| &commit.id).collect();
    let parents = commits.iter().flat_map(|commit| &commit.parents);
    let outside = parents.filter(|one| !known.contains(one) && **one != older.commit);
    let outside: BTreeSet<&CommitId> = outside.collect();
    if outside.is_empty() {
        return Ok(Vec::new());
    }
    let names: Vec<CommitId> = outside.into_iter().cloned().collect();
    let without_parents = |commit| Commit {
        parents: Vec::new(),
        ..commit
    };
    let found = history.named(&names)?.into_iter();
    Ok(found.map(without_parents).collect())
}

/// Why there is no way from one state to the other.
fn apart(
    history: &impl History,
    older: &State,
    newer: &State,
) -> Result<RevisionError, RevisionError> {
    let (one, other) = (older.name.clone(), newer.name.clone());
    if history.is_ancestor(newer, older)? {
        return Ok(RevisionError::WrongWayRound {
            older: one,
            newer: other,
        });
    }
    if let Some(commit) = history.cut()?.first() {
        return Ok(RevisionError::Shallow {
            commit: short(commit),
        });
    }
    match history.common(older, newer) {
        Ok(base) => Ok(RevisionError::NoAncestor {
            older: one,
            newer: other,
            base: short(&base.commit),
        }),
        Err(RevisionError::NoBase { found, .. }) => Ok(RevisionError::NoBase { one, other, found }),
        Err(error) => Err(error),
    }
}

/// A commit of one line: its fields in their order, with a zero byte between them. `no_parent` is
/// what stands in the place of one that is not there.
pub(super) fn commit(line: &str, no_parent: &str) -> Option<Commit> {
    const FIELDS: usize = 6;
    let mut fields = line.splitn(FIELDS, '\0');
    Some(Commit {
        id: fields.next()?.into(),
        parents: fields
            .next()?
            .split(' ')
            .filter(|one| *one != no_parent)
            .map(CommitId::from)
            .collect(),
        tree: fields.next()?.into(),
        author: fields.next()?.to_owned(),
        date: fields.next()?.to_owned(),
        subject: fields.next()?.to_owned(),
    })
}

fn short(commit: &str) -> String {
    commit.get(..12).unwrap_or(commit).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A history in which a merge brought in the older state, with these commits on first parents.
    struct Merged(Vec<Commit>);

    impl History for Merged {
        fn is_ancestor(&self, _: &State, _: &State) -> Result<bool, RevisionError> {
            Ok(true)
        }

        fn common(&self, one: &State, _: &State) -> Result<State, RevisionError> {
            Ok(State::of_commit(&one.name, one.commit.clone()))
        }

        fn listed(&self, _: &State, _: &State, _: bool) -> Result<Vec<Commit>, RevisionError> {
            Ok(self.0.clone())
        }

        fn named(&self, names: &[CommitId]) -> Result<Vec<Commit>, RevisionError> {
            let line = |name: &CommitId| format!("{name}\0before\0tree\0author\0date\0subject");
            let commits = names.iter().map(|name| commit(&line(name), "").unwrap());
            Ok(commits.collect())
        }

        fn cut(&self) -> Result<Vec<CommitId>, RevisionError> {
            Ok(Vec::new())
        }
    }

    fn said(first: &str) -> String {
        let commits = [first, "merge\0root side\0tree\0author\0date\0subject"];
        let merged = Merged(commits.map(|line| commit(line, "").unwrap()).into());
        let [older, newer] = ["side", "merge"].map(|name| State::of_commit(name, name.into()));
        let all = between(&merged, &older, &newer, false).unwrap();
        // The side was forked off before the older state, or is a history of its own.
        let forked = merged.0[0].parents.first();
        let forked = forked.map(|fork| (fork.clone(), Vec::new()));
        let forks = all.iter().map(|one| (one.id.clone(), one.parents.clone()));
        let forks: Vec<_> = forks.take(all.len() - merged.0.len()).collect();
        assert_eq!(forks, forked.into_iter().collect::<Vec<_>>());
        assert_eq!(all[forks.len()..], merged.0);
        let refused = between(&merged, &older, &newer, true);
        refused.unwrap_err().to_string()
    }

    #[test]
    fn first_parents_that_do_not_lead_to_the_older_state_are_refused() {
        let said_of_parent = said("root\0before\0tree\0author\0date\0subject");
        assert!(
            said_of_parent.contains("to before; give before"),
            "{said_of_parent}"
        );
        let said_of_root = said("root\0\0tree\0author\0date\0subject");
        assert!(
            said_of_root.contains("to a commit without a parent"),
            "{said_of_root}"
        );
    }
}
