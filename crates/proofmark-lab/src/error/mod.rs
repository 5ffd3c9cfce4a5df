//! What stops an experiment.

mod doing;
mod too_little;
mod whose;

use std::path::{Path, PathBuf};

use proofmark_capture::BuildError;
use proofmark_conclude::ConcludeError;
use proofmark_evidence::StoreError;
use proofmark_layout::LayoutError;
use proofmark_measure::MeasureError;
use proofmark_project::in_the_file;
use proofmark_terms::BuildIndex;
use thiserror::Error;

pub use doing::Doing;
use doing::next_of_output;
pub(crate) use too_little::Stage;
pub use too_little::TooLittle;

/// What stops an experiment.
#[derive(Debug, Error)]
pub enum LabError {
    /// It cannot be carried out as asked.
    #[error("{0}")]
    Refused(String),
    /// Builds fail their gates, so that too few are left to measure.
    #[error("{0}")]
    Gated(String),
    /// Something in here is not as it must be, whatever was asked.
    #[error("{0}: a fault of proofmark itself\n  next: report it, with the command that was given")]
    Fault(String),
    /// The command's program is not to be found.
    #[error("{0}")]
    NoProgram(String),
    /// A run did not succeed.
    #[error(transparent)]
    Run(Box<FailedRun>),
    /// A run printed something else than the reference run of the base.
    #[error(
        "{arm} {how} {reference}: {difference}\n  command: {command}\n  next: {}",
        next_of_output(*doing)
    )]
    OutputDiffers {
        /// The build and kind of image.
        arm: String,
        /// What it did, such as "printed something else than".
        how: &'static str,
        /// What it was held against.
        reference: String,
        /// Where the two part.
        difference: String,
        /// The command, to be pasted into a shell.
        command: String,
        /// Whose doing it is.
        doing: Doing,
    },
    /// A run fails where another one goes on at the same time, and not by itself.
    #[error("{0}")]
    Beside(Box<LabError>),
    /// What may be spent does not hold what is needed.
    #[error("{0}")]
    Budget(Box<TooLittle>),
    /// The command given by --output-filter failed.
    #[error("--output-filter `{command}` {how}")]
    Filter {
        /// The command.
        command: String,
        /// What happened.
        how: String,
    },
    /// The libraries on the disk are not those that the builds were made with.
    #[error(
        "a build is measured with the libraries and files that are its own, and these are \
         not:{found}{views}\n  next: capture both builds, or build each in a folder of its own, \
         libraries and files and all; or link the libraries statically. Where a library is meant \
         to be shared as it is, capture the builds again (cells of a matrix: name it in `inputs` \
         of their source, so that they are built again; executables: touch them)"
    )]
    Libraries {
        /// Which, one line each.
        found: String,
        /// Why the arms cannot each see their own; empty where they can.
        views: String,
    },
    /// The metric cannot be read from what the program printed.
    #[error("{arm}: {why}\n  command: {command}")]
    Metric {
        /// The build and kind of image.
        arm: String,
        /// What is wrong.
        why: String,
        /// The command, to be pasted into a shell.
        command: String,
    },
    /// A file that was asked for is another one now.
    #[error(
        "{path} changed since the comparison began: what would be measured is not what was asked for\n  next: give the command again, once the file stays as it is"
    )]
    ImageChanged {
        /// The file.
        path: PathBuf,
    },
    /// A file that the runs read is not what it was when the experiment began.
    #[error(
        "{path}, which the runs {how}: the numbers before and after it would be of two inputs\n  next: give the command again; it begins anew with the file as it is, and what was measured before is kept by itself"
    )]
    InputChanged {
        /// The file, or the folder.
        path: PathBuf,
        /// What the runs did with it, and what happened to it.
        how: &'static str,
    },
    /// Runs of all builds read what one of them wrote.
    #[error(
        "{path}, which the runs read, was changed while {build} was built, {} after that began: it \
         is of that build, and the other would read it as well\n  \
         next: capture each build with `--with {path}`, so that each reads its own; if the file \
         is no part of a build, `touch` it",
        seconds(*after_ms)
    )]
    OfOneBuild {
        /// The file.
        path: PathBuf,
        /// The build.
        build: String,
        /// When it was changed: milliseconds after its command began.
        after_ms: i64,
    },
    /// A run looks for a file of the copy that its build was made in.
    #[error(
        "{path} was there when {build} had been built, and its runs look for it: it was in the copy \
         that the build was made in, which is gone\n  \
         next: let the build write it beside the executable (`cp`, `make install`): what a build \
         writes there is kept with it, and what lies in its sources is not. Or name a folder which \
         stays by an argument of the benchmark; a capture is built in your own folder, which stays"
    )]
    GoneWithCopy {
        /// The file, or the folder.
        path: PathBuf,
        /// The build.
        build: String,
    },
    /// A run looks in the copy that its build was made in for what only the sources have.
    #[error(
        "{path}: the runs of {build} look for it in the copy of the sources that it was built in, \
         which never had it: a copy has nothing that git ignores, and without git no compiled files. \
         Your sources have it: {original}\n  \
         next: let the build write it beside the executable (`cp`, `make install`), or name its \
         folder by an argument of the benchmark"
    )]
    NeverInCopy {
        /// The name that is looked for.
        path: PathBuf,
        /// What the sources have there.
        original: PathBuf,
        /// The build.
        build: String,
    },
    /// Runs go to the sources that their builds were copied from, and the copies differ there.
    #[error(
        "{path}, which the runs read, is not the same in the sources of {} and of {}: a build is \
         made in a copy of its own, and runs of all builds would read this one\n  \
         next: name it by an argument of the benchmark where all are to read this one; or let each \
         build write it beside its executable (`cp`, `make install`), and read it there",
        builds[0],
        builds[1]
    )]
    OfOriginal {
        /// The file, or the folder.
        path: PathBuf,
        /// Two builds that have it differently.
        builds: [String; 2],
    },
    /// A gate's own suite, inputs or generator fail on base, so that nothing can be held against it.
    #[error("gate `{gate}` cannot be judged: {why}")]
    Gate {
        /// The gate's name.
        gate: String,
        /// What happened, and the next step.
        why: String,
    },
    /// A command given by --setup or --prepare failed.
    #[error("{option} `{command}` {how}; nothing was measured after it")]
    Prepare {
        /// The option that gave it.
        option: &'static str,
        /// The command.
        command: String,
        /// How it ended.
        how: String,
    },
    /// A command that judges commits does not.
    #[error(
        "the script `{command}` {how} at {commit}\n  0 is good, 1 to 124 is bad, 125 skips the \
         commit; anything else ends the bisection\n  next: mend the script and give the command \
         again; commits that it judged before are kept as long as the script is the same text"
    )]
    Judge {
        /// The command.
        command: String,
        /// The commit.
        commit: String,
        /// What it did.
        how: String,
    },
    /// The user, or a signal, asked to stop.
    #[error("interrupted; finished blocks are kept, and the same command goes on from there")]
    Interrupted,
    /// A captured build could not be read.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A layout could not be made.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// The instrument failed.
    #[error(transparent)]
    Measure(MeasureError),
    /// Blocks carry no conclusion.
    #[error(transparent)]
    Conclude(#[from] ConcludeError),
    /// Evidence could not be stored or read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A program does something else where a function is at another address, each time.
    #[error(
        "{cause}\n  both images do so again each time: the program depends on where this function \
         is, which is a finding in itself\n  images: {kept}"
    )]
    OfAddress {
        /// What happened.
        cause: Box<LabError>,
        /// The two images, that as shipped first.
        kept: String,
    },
    /// What stopped a matrix, with the keys of a project's file in the place of options.
    #[error("{}", in_the_file(&cause.to_string()))]
    OfMatrix {
        /// What happened.
        cause: Box<LabError>,
    },
    /// What stopped is the matter of one build; the others could go on.
    #[error("{cause}")]
    OfBuild {
        /// Index of the build.
        build: BuildIndex,
        /// What happened.
        cause: Box<LabError>,
    },
    /// The file system refused.
    #[error("cannot {action} {path}: {source}")]
    File {
        /// The verb.
        action: &'static str,
        /// What.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

/// Milliseconds for people.
fn seconds(ms: i64) -> String {
    format!("{}.{} s", ms / 1000, ms % 1000 / 100)
}

/// A run that did not end as a measurement must.
#[derive(Debug, Error)]
#[error(
    "{arm} {how}\n  command: {command}{}\n  next: {next}",
    if stderr.is_empty() { String::new() } else { format!("\n  it said: {}", stderr.trim_end().replace('\n', "\n           ")) }
)]
pub struct FailedRun {
    /// The build and kind of image.
    pub arm: String,
    /// How it ended.
    pub how: String,
    /// The command, to be pasted into a shell; the image in it is kept.
    pub command: String,
    /// The end of what it wrote to its standard error.
    pub stderr: String,
    /// What to do.
    pub next: String,
}

/// What the file system refused to do with a file.
pub(crate) fn of_file(
    action: &'static str,
    path: &Path,
) -> impl FnOnce(std::io::Error) -> LabError + use<> {
    let path = path.to_owned();
    move |source| LabError::File {
        action,
        path,
        source,
    }
}

impl From<MeasureError> for LabError {
    fn from(error: MeasureError) -> Self {
        match error {
            MeasureError::Interrupted => LabError::Interrupted,
            other => LabError::Measure(other),
        }
    }
}
