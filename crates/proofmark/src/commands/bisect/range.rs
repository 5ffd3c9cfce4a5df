//! The commits that are searched: from one end to the other, in the user's repository.

use proofmark_capture::states::{self, Repository, WORK};
use proofmark_evidence::record::Vcs;
use proofmark_terms::Commit;

use super::asked::BisectArgs;
use crate::exit::Usage;

/// The commits of a search.
#[derive(Debug)]
pub(super) struct Range {
    pub(super) repository: Repository,
    pub(super) vcs: Vcs,
    /// The older end.
    pub(super) older: Commit,
    /// The candidates; the last one is the newer end.
    pub(super) commits: Vec<Commit>,
}

impl Range {
    /// Those that `--good` and `--bad` name the ends of.
    pub(super) fn of(args: &BisectArgs, repository: Repository) -> anyhow::Result<Range> {
        let vcs = match repository.vcs() {
            states::Vcs::Git => Vcs::Git,
            states::Vcs::Mercurial => Vcs::Mercurial,
        };
        if args.output.log.is_some() {
            is_logged(vcs, args.survey(0))?;
        }
        let bad = args.bad.as_deref().unwrap_or("HEAD");
        let [older, newer] = [args.good.as_deref().unwrap_or_default(), bad].map(|name| {
            if name == WORK {
                return Err(Usage(format!(
                    "{name} is no commit, and a bisection goes through commits: commit what is in \
                     the work tree first"
                ))
                .into());
            }
            Ok::<_, anyhow::Error>(repository.state(name)?)
        });
        let (older, newer) = (older?, newer?);
        let commits = repository.between(&older, &newer, args.first_parent())?;
        Ok(Range {
            vcs,
            older: repository.commit_of(&older)?,
            commits,
            repository,
        })
    }
}

/// Refuses the log of what git could not replay.
pub(super) fn is_logged(vcs: Vcs, survey: Option<u32>) -> Result<(), Usage> {
    let why = match (vcs, survey) {
        (Vcs::Git, None) => return Ok(()),
        (Vcs::Git, Some(_)) => "this one looks for every change and not for one commit",
        (Vcs::Mercurial, _) => "these are changesets of Mercurial's",
    };
    Err(Usage(format!(
        "a log is what `git bisect replay` takes, and {why}: leave --log out"
    )))
}
