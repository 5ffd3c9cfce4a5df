//! What can go wrong.

use std::io;

/// Why a machine was not tuned, or not put back.
#[derive(Debug, thiserror::Error)]
pub enum TuneError {
    /// Only root may write the settings of a machine.
    #[error("the settings of a machine are root's, and this user is not root")]
    NotRoot,

    /// Somebody else tunes at the moment.
    #[error("the machine is being tuned by {holder}\n  next: wait until that has ended, or end it")]
    Busy {
        /// Who: process and command.
        holder: String,
    },

    /// It is tuned for good, until that is undone.
    #[error(
        "the machine is tuned already, by `proofmark tune`: nothing is changed twice\n  next: \
         measure as it is, or undo that first with `proofmark tune --undo`"
    )]
    Tuned,

    /// The journal, or its folder, is not what root alone can have written.
    #[error(
        "/{path} {why}: former values that are read there could be anybody's, and are not \
         written\n  next: look at it, and remove it"
    )]
    Untrusted {
        /// The file or folder.
        path: String,
        /// What is wrong with it.
        why: String,
    },

    /// The journal cannot be understood.
    #[error(
        "/{path}, the journal of former values, is damaged: {why}\n  next: set the values by hand, \
         or restart the machine, which resets them, and remove the file"
    )]
    Damaged {
        /// The journal.
        path: String,
        /// What is wrong with it.
        why: String,
    },

    /// A later version wrote the journal.
    #[error(
        "/{path}, the journal of former values, was written by a newer proofmark\n  next: undo it \
         with that version"
    )]
    Newer {
        /// The journal.
        path: String,
    },

    /// Something could not be read or written that everything else depends on.
    #[error("cannot {action} /{path}")]
    File {
        /// What was being done.
        action: &'static str,
        /// To what.
        path: String,
        /// Why not.
        source: io::Error,
    },
}

/// Makes an error of one of the file system.
pub(crate) fn of_file(
    action: &'static str,
    path: &str,
) -> impl FnOnce(io::Error) -> TuneError + use<> {
    let path = path.to_owned();
    move |source| TuneError::File {
        action,
        path,
        source,
    }
}
