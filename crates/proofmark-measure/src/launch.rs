//! What is to be started.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::{Accounting, MeasureError, Tax, View};

/// One process to run. Nothing is inherited except limits (`ulimit`), the file mode mask and the
/// user.
///
/// Standard output and error are files in memory, not pipes: the program is never held up, nor
/// woken, by a reader. A program sees neither a terminal nor a pipe; one that opens `/dev/stdout`
/// again truncates what it wrote before, as with any file.
#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    /// The executable. A relative path is taken from the caller's current folder, not from `cwd`;
    /// `PATH` is not searched.
    pub program: PathBuf,
    /// What the program sees as its own name. Keep one length for all arms of a comparison: it
    /// moves the stack.
    pub argv0: OsString,
    /// Arguments after the name.
    pub args: Vec<OsString>,
    /// The file that is measured: where an output has its path, the digest is of `{}`. Each arm has
    /// a path of its own, which says nothing of what the program did.
    pub image: Option<PathBuf>,
    /// The complete environment; see [`crate::environment`].
    pub env: Vec<(OsString, OsString)>,
    /// The folder it runs in.
    pub cwd: PathBuf,
    /// A file for standard input; `None` is `/dev/null`.
    pub stdin: Option<PathBuf>,
    /// The longest that it may run, its tax included. When turns are taken, only its own turns
    /// count.
    pub timeout: Duration,
    /// The core that it and its children are kept on; `None` leaves the choice to the kernel.
    pub core: Option<u32>,
    /// Whether addresses are drawn at random for each process.
    pub aslr: bool,
    /// What it sees at some paths instead of what lies there; `program`, `cwd` and all else that it
    /// opens are looked for there.
    pub view: Option<Arc<View>>,
    /// Time that is added once it has ended by itself.
    pub tax: Option<Tax>,
    /// Who tells its CPU time where no cgroup does. Keep one for all arms of a comparison.
    pub accounting: Accounting,
    /// Whether its peak memory is wanted, so that it matters whether the kernel reaps processes of
    /// it that nobody is told of.
    pub peak: bool,
    /// How many bytes behind a page its heap begins (its break when its first instruction runs); a
    /// multiple of 16, as allocators want it. `None` leaves it where the kernel has it begin, at a
    /// page. Only where [`moves_heaps`](crate::moves_heaps); a program with special rights (setuid)
    /// would lose them.
    pub heap: Option<u64>,
}

impl Launch {
    /// A launch with an empty environment, in the current folder, without input, unpinned, ASLR on,
    /// untaxed, at most `timeout`.
    #[must_use]
    pub fn new(program: impl Into<PathBuf>, timeout: Duration) -> Launch {
        let program = program.into();
        Launch {
            argv0: program.clone().into_os_string(),
            program,
            args: Vec::new(),
            image: None,
            env: Vec::new(),
            cwd: PathBuf::from("."),
            stdin: None,
            timeout,
            core: None,
            aslr: true,
            view: None,
            tax: None,
            accounting: Accounting::default(),
            peak: false,
            heap: None,
        }
    }

    /// What came of these launches, unless a view lost a file meanwhile: then another program may
    /// have run.
    ///
    /// # Errors
    /// [`MeasureError::Replaced`], whatever else came of them.
    pub(crate) fn held_by<'a, T, E: From<MeasureError>>(
        launches: impl IntoIterator<Item = &'a Launch>,
        came: Result<T, E>,
    ) -> Result<T, E> {
        let views = launches
            .into_iter()
            .filter_map(|launch| launch.view.as_deref());
        match views.filter_map(View::lost).next() {
            Some(path) => Err(E::from(MeasureError::Replaced {
                path: path.to_owned(),
            })),
            None => came,
        }
    }
}
