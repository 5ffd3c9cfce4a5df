//! Exit codes, all in one place.

mod of_error;

use std::process::ExitCode;

use proofmark_capture::BuildError;
use proofmark_capture::states::RevisionError;
use proofmark_code::CodeError;
use proofmark_conclude::ConcludeError;
use proofmark_evidence::StoreError;
use proofmark_evidence::bundle::{BundleError, SignatureError};
use proofmark_foreign::ForeignError;
use proofmark_lab::LabError;
use proofmark_layout::LayoutError;
use proofmark_measure::MeasureError;
use proofmark_measure::sandbox::SandboxError;
use proofmark_project::ProjectError;
use proofmark_tune::TuneError;

/// How the command ends. The numbers are a promise to scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done.
    Done,
    /// A gate, a guard or an expectation failed.
    Failed,
    /// The command line is wrong.
    Usage,
    /// The benchmark or the build failed.
    Subject,
    /// The machine, or a tool on it, cannot do it.
    Machine,
    /// An input is damaged: executable, store, bundle, foreign file.
    Damaged,
    /// Interrupted.
    Interrupted,
    /// As another command ended that was run.
    OfCommand(u8),
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit.code())
    }
}

/// A command line that can be read but not carried out: an error of usage.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Usage(pub(crate) String);

/// A build that was wanted and could not be made.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Unbuilt(pub(crate) String);

/// Evidence that cannot be measured again on this machine.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct CannotReplay(pub(crate) String);

/// Files that are not those that evidence was measured with.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct OtherInputs(pub(crate) String);

/// What came out of a sandbox is not what went in.
#[derive(Debug, thiserror::Error)]
#[error(
    "what was measured in the sandbox is refused: {0}\n  next: read the sources of the builds; \
     code of theirs may have written it"
)]
pub(crate) struct Forged(pub(crate) String);

impl Exit {
    const fn code(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Subject => 3,
            Exit::Machine => 4,
            Exit::Damaged => 5,
            Exit::Interrupted => 130,
            Exit::OfCommand(code) => code,
        }
    }

    /// The worse one of two: the one with the higher code.
    pub(crate) fn or_worse(self, other: Exit) -> Self {
        if other.code() > self.code() {
            other
        } else {
            self
        }
    }

    /// The code for an error, by the innermost cause that says one.
    pub(crate) fn of(error: &anyhow::Error) -> Self {
        error
            .chain()
            .find_map(Exit::of_cause)
            .unwrap_or(Exit::Machine)
    }

    fn of_cause(cause: &(dyn std::error::Error + 'static)) -> Option<Self> {
        if cause.is::<Usage>() {
            return Some(Exit::Usage);
        }
        if cause.is::<Unbuilt>() {
            return Some(Exit::Subject);
        }
        if cause.is::<CannotReplay>() || cause.is::<SandboxError>() {
            return Some(Exit::Machine);
        }
        if cause.is::<OtherInputs>() || cause.is::<Forged>() {
            return Some(Exit::Damaged);
        }
        if let Some(error) = cause.downcast_ref::<ProjectError>() {
            return Some(match error {
                ProjectError::Read { .. } | ProjectError::Wrong { .. } => Exit::Usage,
            });
        }
        if let Some(error) = cause.downcast_ref::<LabError>() {
            return Some(Exit::of_lab(error));
        }
        if let Some(error) = cause.downcast_ref::<BuildError>() {
            return Some(Exit::of_build(error));
        }
        if let Some(error) = cause.downcast_ref::<RevisionError>() {
            return Some(Exit::of_revision(error));
        }
        if let Some(error) = cause.downcast_ref::<MeasureError>() {
            return Some(Exit::of_measure(error));
        }
        if let Some(error) = cause.downcast_ref::<CodeError>() {
            return Some(Exit::of_code(error));
        }
        if let Some(error) = cause.downcast_ref::<ConcludeError>() {
            return Some(Exit::of_conclusion(error));
        }
        if let Some(error) = cause.downcast_ref::<LayoutError>() {
            return Some(Exit::of_layout(error));
        }
        if let Some(error) = cause.downcast_ref::<ForeignError>() {
            return Some(Exit::of_foreign(error));
        }
        if let Some(error) = cause.downcast_ref::<SignatureError>() {
            return Some(match error {
                SignatureError::Missing { .. }
                | SignatureError::Stranger { .. }
                | SignatureError::OtherPurpose { .. } => Exit::Failed,
                SignatureError::OtherContent { .. }
                | SignatureError::NoSignature { .. }
                | SignatureError::Signers { .. } => Exit::Damaged,
                SignatureError::Unread { .. } | SignatureError::Unchecked { .. } => Exit::Machine,
            });
        }
        if let Some(error) = cause.downcast_ref::<BundleError>() {
            return Some(Exit::of_bundle(error));
        }
        if let Some(error) = cause.downcast_ref::<TuneError>() {
            return Some(Exit::of_tune(error));
        }
        cause.downcast_ref::<StoreError>().map(Exit::of_store)
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn what_is_missing_is_usage_and_what_is_damaged_is_damage() {
        let path = PathBuf::from("evidence.db");
        let of = |error: LabError| Exit::of(&anyhow::Error::new(error));
        let asked = "abc".to_owned();
        let matrix = StoreError::NoSuchMatrix {
            path: path.clone(),
            asked: asked.clone(),
        };
        let experiment = StoreError::NoSuchExperiment { path, asked };
        assert_eq!(of(matrix.into()), Exit::Usage);
        assert_eq!(of(experiment.into()), Exit::Usage);
        let damaged = ConcludeError::Damaged {
            block: 3,
            why: "has no pilot before it".to_owned(),
        };
        assert_eq!(of(damaged.into()), Exit::Damaged);
        let alone = ConcludeError::Damaged {
            block: 3,
            why: "has no pilot before it".to_owned(),
        };
        assert_eq!(Exit::of(&anyhow::Error::new(alone)), Exit::Damaged);
        assert_eq!(
            of(LabError::Fault("an arm is lost".to_owned())),
            Exit::Machine
        );
        assert_eq!(of(MeasureError::LauncherLost.into()), Exit::Machine);
        assert_eq!(of(LabError::Interrupted), Exit::Interrupted);
    }
}
