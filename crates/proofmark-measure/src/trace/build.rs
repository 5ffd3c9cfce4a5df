//! A build followed from its first process to its last: which files all of them read, looked for,
//! listed and changed. What a build was made from is told by nobody else: a linker, a generator or
//! a script may read whatever it likes.

use std::fs::File;
use std::os::fd::AsFd;
use std::time::Duration;

use super::facts::Facts;
use super::found::{BuildFiles, OnChange};
use super::start::{Manners, Streams};
use super::untraceable::Untraceable;
use super::{filter, follow, start};
use crate::launcher::Checked;
use crate::{Launch, MeasureError};

/// What a build's last helpers get to end by themselves when the build has ended. Who is alive then
/// is ended: a process cannot live on without its tracer.
const PATIENCE: Duration = Duration::from_secs(1);

/// Runs a build in the place of this process, with its standard streams, descriptors, process group
/// and signals, and follows it with everything that it starts. Of `launch` the program, its words,
/// its environment and its folder count.
///
/// The calling process has to be there for this alone: whoever is left when the build has ended is
/// ended after a second. `writes` is told of each name when it is first written, made, moved or
/// removed: whoever is killed cannot tell it afterwards. Rings for input and output (`io_uring`)
/// are refused to it, as by an older kernel.
///
/// # Errors
///
/// [`Untraceable::Run`], [`Untraceable::Forbidden`] and [`Untraceable::AlreadyTraced`] when the
/// build did not begin. After any other error it did, and was ended.
pub fn trace_build(launch: &Launch, writes: OnChange) -> Result<BuildFiles, Untraceable> {
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
    let followed = follow::follow(&started, launch, Facts::of_build(writes), PATIENCE)?;
    Ok(followed.facts.build(followed.status))
}
