//! Whether a commit that is built once more comes out as the same program: a build that does not is
//! no property of a commit.

use proofmark_evidence::record::Rebuilt;
use proofmark_terms::Commit;

use super::course::Course;
use super::request::Revisions;
use crate::builds::{Subject, alike};
use crate::observer::{Event, Observer};

/// How builds of a commit compare: those that blocks draw from, or where that is one, one more.
/// `None` where it is one and `trusted`, or where builds are not made from commits.
///
/// # Errors
/// Whatever stops the build.
pub(crate) fn rebuilt<R: Revisions>(
    revisions: &mut R,
    observer: &mut dyn Observer,
    commit: &Commit,
    built: &Subject,
    trusted: bool,
) -> Result<Option<Rebuilt>, R::Error> {
    if built.shipped().len() > 1 {
        return Ok(Some(of(alike(built, built).is_some())));
    }
    if trusted {
        return Ok(None);
    }
    let Some(again) = revisions.again(commit)? else {
        return Ok(None);
    };
    let found = of(alike(built, &again).is_some());
    if found == Rebuilt::Differs {
        observer.tell(&Event::Rebuilt { commit });
    }
    Ok(Some(found))
}

impl<R: Revisions> Course<'_, '_, R> {
    /// How builds of a commit compare.
    pub(super) fn builds_again(
        &mut self,
        commit: &Commit,
        built: &Subject,
    ) -> Result<Option<Rebuilt>, R::Error> {
        let trusted = self.request.trusted;
        rebuilt(self.revisions, self.observer, commit, built, trusted)
    }

    /// Builds a commit that is to blame once more, unless it is known already that builds come out
    /// different: at the older end they may have been the same yet.
    pub(super) fn builds_again_if_blamed(
        &mut self,
        commit: &Commit,
        built: &Subject,
    ) -> Result<(), R::Error> {
        if self.rebuilt != Some(Rebuilt::Differs)
            && self.builds_again(commit, built)? == Some(Rebuilt::Differs)
        {
            self.rebuilt = Some(Rebuilt::Differs);
            self.rebuilt_of = Some(commit.id.clone());
        }
        Ok(())
    }
}

fn of(same: bool) -> Rebuilt {
    if same {
        Rebuilt::Same
    } else {
        Rebuilt::Differs
    }
}
