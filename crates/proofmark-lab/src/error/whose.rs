//! Whose matter it is that an experiment stops: one build's, the file's, or that of all.

use proofmark_project::in_the_file;
use proofmark_terms::BuildIndex;

use super::{Doing, LabError};

impl LabError {
    /// The same, as the matter of one build; what stops all builds alike stays what it is.
    pub(crate) fn of_build(self, build: BuildIndex) -> Self {
        match self {
            LabError::Interrupted
            | LabError::InputChanged { .. }
            | LabError::OfOneBuild { .. }
            | LabError::GoneWithCopy { .. }
            | LabError::NeverInCopy { .. }
            | LabError::OfOriginal { .. }
            | LabError::OutputDiffers {
                doing: Doing::Interruption,
                ..
            }
            | LabError::Store(_)
            | LabError::Budget(_)
            | LabError::OfBuild { .. } => self,
            other => LabError::OfBuild {
                build,
                cause: Box::new(other),
            },
        }
    }

    /// The same of a matrix, where it speaks of options that are keys of a project's file.
    pub(crate) fn of_matrix(self) -> Self {
        let said = self.to_string();
        if in_the_file(&said) == said {
            return self;
        }
        LabError::OfMatrix {
            cause: Box::new(self),
        }
    }

    /// The build of which a run failed by itself; not one that was only held against another.
    pub(crate) fn failed_build(&self) -> Option<BuildIndex> {
        match self {
            LabError::OfBuild { build, cause } => {
                let failed = matches!(cause.cause(), LabError::Run(_) | LabError::Metric { .. });
                failed.then_some(*build)
            }
            LabError::OfMatrix { cause } | LabError::Beside(cause) => cause.failed_build(),
            _ => None,
        }
    }

    /// What happened, whichever build it happened to.
    #[must_use]
    pub fn cause(&self) -> &LabError {
        match self {
            LabError::OfBuild { cause, .. }
            | LabError::OfMatrix { cause }
            | LabError::Beside(cause) => cause.cause(),
            other => other,
        }
    }
}
