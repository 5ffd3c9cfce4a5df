//! Whether points that were measured before are of the builds and the files that there are now: one
//! line has no points of two.

use proofmark_conclude::series::{is_same_line, lines};
use proofmark_evidence::record::{EntryOf, PairOutcome, PointOutcome, SeriesEntry};
use proofmark_terms::Commit;

use super::course::Course;
use crate::bisect::{Look, Revisions};
use crate::error::LabError;

/// Which entries of a line are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    /// All of them.
    All,
    /// The last point, beside which the next one stands.
    Last,
}

impl<R: Revisions> Course<'_, '_, R> {
    /// An error that says what is not as it was when the points of this machine's line were
    /// measured, or that they are of other commits.
    pub(super) fn stands(&mut self, which: Which) -> Result<(), R::Error> {
        self.on_one_line()?;
        let mut all = lines(&self.series.entries).into_iter();
        let line = all.find(|line| is_same_line(line.about, &self.line));
        let entries: Vec<&SeriesEntry> = line.into_iter().flat_map(|line| line.entries).collect();
        let mut points = entries.iter().filter(|entry| is_measured(&entry.of));
        let asked = match which {
            Which::All => entries.clone(),
            Which::Last => points.next_back().copied().into_iter().collect(),
        };
        let mut look = Look::new(self.laboratory, self.revisions);
        for entry in asked {
            if let Some(what) = of_entry(&mut look, &entry.of, &self.request.commits)? {
                return Err(LabError::Refused(format!(
                    "the points of {} were measured otherwise: {what}\n  next: put that back, or \
                     begin a new series with --fresh",
                    self.series.series.name
                ))
                .into());
            }
        }
        Ok(())
    }
}

impl<R: Revisions> Course<'_, '_, R> {
    /// A point is known by its number along first parents. After a rewrite that is the number of
    /// another commit.
    fn on_one_line(&self) -> Result<(), LabError> {
        for entry in &self.series.entries {
            let EntryOf::Point { commit, place, .. } = &entry.of else {
                continue;
            };
            let Some(here) = self.request.commits.get(*place as usize) else {
                continue;
            };
            if here.id != commit.id {
                let [was, is] = [commit, here].map(|one| {
                    let id = one.id.get(..12).unwrap_or(&one.id);
                    format!("{id} ({})", one.subject)
                });
                return Err(LabError::Refused(format!(
                    "{} has points of another line of commits: commit {place} from its beginning \
                     was {was}, and here it is {is}\n  next: where the history was rewritten, \
                     begin a new series with --fresh; for a branch beside it give --name",
                    self.series.series.name
                )));
            }
        }
        Ok(())
    }
}

fn is_measured(of: &EntryOf) -> bool {
    matches!(
        of,
        EntryOf::Point {
            outcome: PointOutcome::Measured { .. },
            ..
        }
    )
}

fn of_entry<R: Revisions>(
    look: &mut Look<'_, '_, '_, R>,
    of: &EntryOf,
    commits: &[Commit],
) -> Result<Option<String>, R::Error> {
    let known = |id: &str| commits.iter().find(|one| one.id == *id);
    match of {
        EntryOf::Point {
            commit,
            outcome: PointOutcome::Measured {
                anchor, experiment, ..
            },
            ..
        } => {
            let both: Vec<&Commit> = [Some(commit), known(anchor)]
                .into_iter()
                .flatten()
                .collect();
            look.experiment(experiment, &both)
        }
        EntryOf::Point {
            commit,
            outcome: PointOutcome::SameProgram { as_commit },
            ..
        } => match known(as_commit) {
            Some(other) if other.tree != commit.tree => look.one_program(commit, other),
            _ => Ok(None),
        },
        EntryOf::Pair {
            older,
            newer,
            outcome: PairOutcome::Compared { experiment, .. },
            ..
        } => {
            let both: Vec<&Commit> = [known(older), known(newer)].into_iter().flatten().collect();
            look.experiment(experiment, &both)
        }
        EntryOf::Point { .. } | EntryOf::Pair { .. } => Ok(None),
    }
}
