//! The line of commits that a series goes along: first parents, from its origin on.

use proofmark_capture::states::{Repository, State};
use proofmark_terms::Commit;

use crate::commands::bisect::short;
use crate::exit::Usage;

/// Commits from a series' origin to the end of a range, and where in them the range begins.
#[derive(Debug)]
pub(super) struct Range {
    /// By place.
    pub(super) commits: Vec<Commit>,
    /// The place of the range's beginning.
    pub(super) from: u32,
}

impl Range {
    /// The range from one state to another, of a series that begins at `origin`; of a new one where
    /// that is absent.
    pub(super) fn of(
        repository: &Repository,
        origin: Option<&str>,
        from: &State,
        to: &State,
    ) -> anyhow::Result<Range> {
        let of_origin = origin.map(|origin| repository.state(origin)).transpose()?;
        let start = of_origin.as_ref().unwrap_or(from);
        let first = repository.commit_of(start)?;
        let mut commits = vec![first];
        if start.commit != to.commit {
            commits.extend(repository.between(start, to, true)?);
        }
        // What `between` leaves out may have been reached by another way than first parents.
        let joined = |two: &[Commit]| two[1].parents.first() == Some(&two[0].id);
        if let Some(two) = commits.windows(2).find(|two| !joined(two)) {
            return Err(Usage(format!(
                "{} is not on the line of first parents that leads to {}: {} comes from \
                 {}\n  next: begin at a commit of that line, such as {}",
                start.name,
                to.name,
                short(&two[1].id),
                two[1].parents.first().map_or("nothing", |one| short(one)),
                short(&two[1].id)
            ))
            .into());
        }
        let at = commits.iter().position(|one| one.id == from.commit);
        let Some(at) = at else {
            return Err(Usage(format!(
                "the series begins at {}, and {} is not on the line of first parents from there to \
                 {}\n  next: begin the range later, or give --fresh for a new series that begins \
                 at {}",
                short(&commits[0].id),
                from.name,
                to.name,
                from.name
            ))
            .into());
        };
        Ok(Range {
            from: u32::try_from(at).unwrap_or(u32::MAX),
            commits,
        })
    }
}
