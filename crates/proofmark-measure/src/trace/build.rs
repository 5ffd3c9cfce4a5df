//! A build followed from its first process to its last: which files all of them read, looked for,
//! listed and changed. What a build was made from is told by nobody else: a linker, a generator or
//! a script may read whatever it likes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::{Duration, SystemTime};

use super::facts::Facts;
use super::found::{FileRead, FileWritten};
use super::start::{Manners, Streams};
use super::{Untraceable, filter, follow, start};
use crate::launcher::Checked;
use crate::{Launch, MeasureError};

/// What a build's last helpers get to end by themselves when the build has ended. Who is alive then
/// is ended: a process cannot live on without its tracer.
const PATIENCE: Duration = Duration::from_secs(1);

/// What the processes of a build did to files, in the words of [`super::Traced`].
#[derive(Clone, Debug)]
pub struct BuildFiles {
    /// How the first process ended.
    pub status: ExitStatus,
    /// Files opened for reading.
    pub read: BTreeMap<PathBuf, FileRead>,
    /// Paths that were asked about, and whether there was such a file; also those by which programs
    /// were started in vain.
    pub looked_at: BTreeMap<PathBuf, bool>,
    /// Folders whose entries were listed.
    pub listed: BTreeSet<PathBuf>,
    /// Files that were changed.
    pub written: BTreeMap<PathBuf, FileWritten>,
    /// Programs that were started, by the names that they were started by and with links resolved,
    /// and their loaders.
    pub code: BTreeSet<PathBuf>,
    /// When each of these was first opened, listed or started, by the clock of the system.
    pub first: BTreeMap<PathBuf, SystemTime>,
    /// A process tried to trace another one, which fails under a tracer.
    pub traces: bool,
    /// A process changed its root folder or its mounts: paths may mean other files from then on.
    pub elsewhere: bool,
}

/// Runs a build in the place of this process, with its standard streams, descriptors, process group
/// and signals, and follows it with everything that it starts. Of `launch` the program, its words,
/// its environment and its folder count.
///
/// The calling process has to be there for this alone: whoever is left when the build has ended is
/// ended after a second. Rings for input and output (`io_uring`) are refused to it, as by an older
/// kernel.
///
/// # Errors
///
/// [`Untraceable::Run`], [`Untraceable::Forbidden`] and [`Untraceable::AlreadyTraced`] when the
/// build did not begin. After any other error it did, and was ended.
pub fn trace_build(launch: &Launch) -> Result<BuildFiles, Untraceable> {
    let checked = Checked::new(launch, true)?;
    let own = |stream: std::os::fd::BorrowedFd<'_>| {
        let copy = stream.try_clone_to_owned();
        copy.map(File::from)
            .map_err(MeasureError::system("cannot copy a standard stream"))
    };
    let streams = Streams {
        stdin: &own(std::io::stdin().as_fd())?,
        stdout: &own(std::io::stdout().as_fd())?,
        stderr: &own(std::io::stderr().as_fd())?,
    };
    let filter = filter::build();
    let (started, _process) =
        start::start(launch, &checked, &streams, Manners::Inherited, &filter)?;
    let followed = follow::follow(&started, launch, Facts::of_build(), PATIENCE)?;
    Ok(followed.facts.build(followed.status))
}
