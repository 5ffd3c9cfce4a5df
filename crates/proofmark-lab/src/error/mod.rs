//! What stops an experiment.

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

pub(crate) use too_little::Stage;
pub use too_little::TooLittle;

/// What stops an experiment.
#[derive(Debug, Error)]
pub enum LabError {
    /// It cannot be carried out as asked.
    #[error("{0}")]
    Refused(String),
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

/// Whose doing it is that outputs differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    /// The builds', as far as is known.
    Builds,
    /// Two runs of one image differ.
    Program,
    /// A layout of a build and the file that the build left differ, as far as is known.
    Layout,
    /// Only runs that go on at the same time differ.
    Company,
    /// Runs differ from those before an interruption.
    Interruption,
}

/// Milliseconds for people.
fn seconds(ms: i64) -> String {
    format!("{}.{} s", ms / 1000, ms % 1000 / 100)
}

/// What helps where outputs differ.
fn next_of_output(doing: Doing) -> &'static str {
    match doing {
        Doing::Program => {
            "this is not the builds' doing: one build differs from itself. Where only the order of lines varies, --output-filter 'sort' compares them in one order; a filter may also leave out what varies; --allow-output-difference compares nothing"
        }
        Doing::Layout => {
            "the two are images of one build, and the layout changed what it does: it depends on where its code or data stands. --layouts as-shipped compares the files as they are"
        }
        Doing::Builds => "mend it, or compare all the same with --allow-output-difference",
        Doing::Company => ONE_AFTER_THE_OTHER,
        Doing::Interruption => {
            "something that the program goes by has changed since then. --fresh measures all of it anew"
        }
    }
}

/// What helps where runs do not stand one another.
const ONE_AFTER_THE_OTHER: &str = "the builds run at the same time here, and alone it did not happen: they may share a lock, a port or a file. --schedule interleaved runs them one after the other";

impl LabError {
    /// Whether the outputs of two builds differ, or of two images of one.
    pub(crate) fn is_of_output(&self) -> bool {
        let cause = self.cause();
        matches!(cause, LabError::OutputDiffers { doing, .. } if matches!(doing, Doing::Builds | Doing::Layout))
    }

    /// The same, of outputs that differ between two runs of one image.
    pub(crate) fn not_deterministic(mut self) -> Self {
        match &mut self {
            LabError::OutputDiffers { doing, .. } => *doing = Doing::Program,
            LabError::OfBuild { build, cause } => {
                let cause = std::mem::replace(cause, Box::new(LabError::Interrupted));
                return LabError::OfBuild {
                    build: *build,
                    cause: Box::new(cause.not_deterministic()),
                };
            }
            _ => {}
        }
        self
    }

    /// Whether it is the matter of one run: how it ended, or what it printed.
    pub(crate) fn is_of_a_run(&self) -> bool {
        matches!(
            self.cause(),
            LabError::Run(_) | LabError::OutputDiffers { .. } | LabError::Metric { .. }
        )
    }

    /// The same, of runs that fail beside one another, and not by themselves.
    pub(crate) fn beside(self) -> Self {
        let failed = match self {
            LabError::OfBuild { build, cause } => {
                let cause = Box::new(cause.beside());
                return LabError::OfBuild { build, cause };
            }
            LabError::Run(mut failed) => {
                ONE_AFTER_THE_OTHER.clone_into(&mut failed.next);
                LabError::Run(failed)
            }
            LabError::OutputDiffers {
                arm,
                how,
                reference,
                difference,
                command,
                ..
            } => LabError::OutputDiffers {
                arm,
                how,
                reference,
                difference,
                command,
                doing: Doing::Company,
            },
            LabError::Metric { arm, why, command } => LabError::Metric {
                arm,
                why,
                command: format!("{command}\n  next: {ONE_AFTER_THE_OTHER}"),
            },
            other => other,
        };
        LabError::Beside(Box::new(failed))
    }

    /// Whether it happens only where another run goes on at the same time.
    pub(crate) fn is_beside(&self) -> bool {
        match self {
            LabError::OfBuild { cause, .. } => cause.is_beside(),
            other => matches!(other, LabError::Beside(_)),
        }
    }

    /// What happened beside another run, in half a sentence.
    pub(crate) fn brief(&self) -> String {
        const BESIDE: &str = "where another run goes on at the same time";
        match self.cause() {
            LabError::Run(failed) => format!("{} {} {BESIDE}", failed.arm, failed.how),
            LabError::OutputDiffers { arm, .. } => {
                format!("{arm} prints something else {BESIDE}")
            }
            LabError::Metric { arm, .. } => format!("{arm} prints no number {BESIDE}"),
            other => format!("{other} {BESIDE}"),
        }
    }
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
