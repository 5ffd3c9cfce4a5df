//! Whether a commit that is built once more comes out as the same program: a build that does not is
//! no property of a commit.

use proofmark_evidence::record::Rebuilt;
use proofmark_terms::Commit;

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

fn of(same: bool) -> Rebuilt {
    if same {
        Rebuilt::Same
    } else {
        Rebuilt::Differs
    }
}
