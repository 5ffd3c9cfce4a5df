//! What can go wrong with a measurement before there is a number.

use std::path::PathBuf;

use thiserror::Error;

/// Why a run, or a round, yielded nothing. A program that ran and failed is no error here: see
/// [`crate::End`].
#[derive(Debug, Error)]
pub enum MeasureError {
    /// The stop flag was raised; every child has been ended.
    #[error("interrupted; every process that was being measured has been ended")]
    Interrupted,
    /// There is no such file.
    #[error("cannot run {}: there is no such file; give the path of an executable (PATH is not searched)", .program.display())]
    NotFound {
        /// As given.
        program: PathBuf,
    },
    /// The file may not be executed.
    #[error("cannot run {}: permission denied; is it executable (`chmod +x`), and its file system not mounted noexec?", .program.display())]
    NotExecutable {
        /// As given.
        program: PathBuf,
    },
    /// A folder, or another thing that is not a regular file.
    #[error("cannot run {}: it is not a regular file", .program.display())]
    NotAFile {
        /// As given.
        program: PathBuf,
    },
    /// The file exists, but the interpreter of a script or the loader of an executable does not.
    #[error("cannot run {}: its interpreter {} does not exist", .program.display(), .interpreter)]
    NoInterpreter {
        /// As given.
        program: PathBuf,
        /// As the file names it, or a word when it cannot be told.
        interpreter: String,
    },
    /// The kernel knows no way to run it (ENOEXEC).
    #[error("cannot run {}: it is no executable for this machine ({}); a script needs a first line such as `#!/bin/sh`", .program.display(), .what)]
    NotAProgram {
        /// As given.
        program: PathBuf,
        /// What the file looks like.
        what: String,
    },
    /// The file is open for writing.
    #[error("cannot run {}: the file is still open for writing (text file busy); end what writes to it", .program.display())]
    Busy {
        /// As given.
        program: PathBuf,
    },
    /// The working folder cannot be entered.
    #[error("cannot enter the folder {}: {source}", .cwd.display())]
    Folder {
        /// As given.
        cwd: PathBuf,
        /// The kernel's reason.
        source: std::io::Error,
    },
    /// The input file cannot be opened.
    #[error("cannot open {} as standard input: {source}", .path.display())]
    Stdin {
        /// As given.
        path: PathBuf,
        /// The kernel's reason.
        source: std::io::Error,
    },
    /// What the input file holds can be read once only.
    #[error(
        "cannot take {} as standard input: it is {what}, which does not give every run the same; write what it holds into a file, and give that", .path.display()
    )]
    StdinOnce {
        /// As given.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// Arguments and environment together exceed what the kernel takes.
    #[error(
        "arguments and environment are too long: {bytes} bytes, and this system takes {limit} (`ulimit -s` ÷ 4), at most 131072 in a single one"
    )]
    TooLong {
        /// Asked for.
        bytes: usize,
        /// The limit, in bytes.
        limit: usize,
    },
    /// A zero byte in a path, an argument or the environment, or `=` in a variable's name.
    #[error(
        "{0} cannot be passed to a program: it contains a zero byte, or its name an equals sign"
    )]
    BadText(String),
    /// The program wrote more than is kept in memory for it.
    #[error("{} wrote more than {limit} bytes of output and was ended; send its output to /dev/null or make it print less", .program.display())]
    TooMuchOutput {
        /// As given.
        program: PathBuf,
        /// In bytes, standard output and error each.
        limit: u64,
    },
    /// The core does not exist or this process may not use it.
    #[error(
        "cannot pin to core {core}: {source}; `proofmark doctor` lists the cores that may be used"
    )]
    Core {
        /// As given.
        core: u32,
        /// The kernel's reason.
        source: std::io::Error,
    },
    /// The turns do not fit the arms.
    #[error("these turns cannot be taken: {0}")]
    BadTurns(String),
    /// The process that starts the programs has gone.
    #[error(
        "the launcher process has ended unexpectedly (killed for want of memory?); start the measurement again"
    )]
    LauncherLost,
    /// The time that was to be added to a run was not.
    #[error(
        "no time could be added to a run of {}: the process that spends it could not be started, or was ended from outside; start the measurement again", .program.display()
    )]
    Untaxed {
        /// As given.
        program: PathBuf,
    },
    /// The heap of a program could not be moved.
    #[error("cannot have the heap of a program begin elsewhere: {0}; start the measurement again")]
    Heap(String),
    /// There is no private view of the file system, or a file could not be put into it.
    #[error("{doing}: {source}")]
    NoView {
        /// What was being done.
        doing: String,
        /// The kernel's reason.
        source: std::io::Error,
    },
    /// What a program's private view showed at a path is gone from there, so that another file may
    /// have been run or read.
    #[error(
        "{} was replaced, moved or removed while it was measured: from then on, what lies there would be measured in its place\n  next: leave this path alone while it is measured (build in another folder), and give the command again; blocks that were finished before are kept", .path.display()
    )]
    Replaced {
        /// As the program sees it.
        path: PathBuf,
    },
    /// Anything else that the kernel refused.
    #[error("{doing}: {source}")]
    System {
        /// What was being done.
        doing: String,
        /// The kernel's reason.
        source: std::io::Error,
    },
}

impl MeasureError {
    pub(crate) fn system(doing: impl Into<String>) -> impl FnOnce(std::io::Error) -> MeasureError {
        let doing = doing.into();
        move |source| MeasureError::System { doing, source }
    }
}
