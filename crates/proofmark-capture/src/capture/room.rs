//! Whether the store had room for all of a build. A capture that could not keep everything is no
//! capture.

use std::io;
use std::path::Path;

use proofmark_layout::LayoutError;

use crate::captured::RelinkCheck;
use crate::error::BuildError;
use crate::event::Linked;
use crate::store::Builds;

use super::run::Run;

/// Refuses a build of which something was lost on a full disk.
pub(super) fn check(builds: &Builds, run: &Run) -> Result<(), BuildError> {
    let lost = run
        .session
        .lost()
        .map_err(BuildError::file("read", &builds.sessions()))?;
    match lost {
        Some(bytes) => Err(short_of(builds, bytes)),
        None => Ok(()),
    }
}

/// The link of a build could not be tried again for want of room: the trial needs as much as the
/// link's files.
pub(super) fn for_trial(builds: &Builds, event: &Linked) -> BuildError {
    let objects = builds.objects();
    let inputs = event.inputs.iter().map(|input| &input.hash);
    let files = inputs.chain([&event.hash]);
    let sizes = files.filter_map(|hash| std::fs::metadata(objects.path(hash)).ok());
    short_of(builds, sizes.map(|about| about.len()).sum())
}

/// Whether a link that was tried again failed for want of room.
pub(super) fn was_short(error: &LayoutError) -> bool {
    match error {
        LayoutError::File { source, .. } => is_full(source),
        LayoutError::LinkFailed { said, .. } => said.contains("No space left on device"),
        _ => false,
    }
}

/// The same of what a trial came to.
pub(super) fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
    )
}

fn short_of(builds: &Builds, needed: u64) -> BuildError {
    // Of some things only that they could not be written is known.
    const LEAST: u64 = 64 * 1024;
    BuildError::NoRoom {
        path: builds.folder().to_owned(),
        needed: needed.max(LEAST),
        free: free(builds.folder()),
    }
}

/// Bytes that this user may still write.
fn free(folder: &Path) -> Option<u64> {
    let about = rustix::fs::statvfs(folder).ok()?;
    Some(about.f_bavail.saturating_mul(about.f_frsize))
}

/// How a trial ended, where it was not for want of room.
pub(super) enum Trial {
    Told(RelinkCheck),
    Full,
}
