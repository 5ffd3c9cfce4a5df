//! Whose doing it is that runs print different things, or do not stand one another.

use super::LabError;

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

/// What helps where outputs differ.
pub(super) fn next_of_output(doing: Doing) -> &'static str {
    match doing {
        Doing::Program => {
            "this is not the builds' doing: one build differs from itself. Where only the order of lines varies, --output-filter 'sort' compares them in one order; a filter may also leave out what varies; --allow-output-difference compares nothing. In drawn layouts the heap begins elsewhere in each round; for a program that prints where, there is --layouts as-shipped"
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
