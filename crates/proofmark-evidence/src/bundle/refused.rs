//! What can be wrong with a signature, or with the list of those who may sign.

use std::path::PathBuf;

use thiserror::Error;

/// What a signature is for: one that was made for another purpose is none of a bundle
/// (`ssh-keygen -n`).
pub const NAMESPACE: &str = "proofmark-bundle";

/// Why a bundle is not signed as it was asked for.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SignatureError {
    /// There is none.
    #[error("there is no signature {}; whoever made the bundle signs it with \
        `proofmark bundle ID -o FILE.pmb --sign KEY`", path.display())]
    Missing {
        /// The file that was looked for.
        path: PathBuf,
    },
    /// Somebody signed who may not.
    #[error("the signature is by {fingerprint}, and {} has no such key{}; ask whoever sent the \
        bundle who signed it, or add the key", signers.display(), because(*line, why))]
    Stranger {
        /// The key's fingerprint.
        fingerprint: String,
        /// The list of signers.
        signers: PathBuf,
        /// A line that has the key and does not count, from 1; 0 where there is none.
        line: usize,
        /// Why that line does not count.
        why: String,
    },
    /// It was made for another purpose.
    #[error("the signature {} was made for `{found}`, and that of a bundle is made for \
        `proofmark-bundle` (`ssh-keygen -Y sign -n proofmark-bundle`)", path.display())]
    OtherPurpose {
        /// The signature's file.
        path: PathBuf,
        /// Its namespace.
        found: String,
    },
    /// It is by a key whose signatures are not checked here: it may be right, and it may not.
    #[error("the signature {} is by {by}, and what such a key signs cannot be checked here; \
        `ssh-keygen -Y verify` checks it, or whoever made the bundle signs it by a key of ed25519, \
        ECDSA, or RSA with 2048 to 4096 bits", path.display())]
    Unchecked {
        /// The signature's file.
        path: PathBuf,
        /// What kind of key it is.
        by: String,
    },
    /// It is of something else, or was changed.
    #[error("the signature {} is not of this content: the bundle or the signature was changed \
        after it was made; ask for both again", path.display())]
    OtherContent {
        /// The signature's file.
        path: PathBuf,
    },
    /// It is none.
    #[error("{} is no signature of `ssh-keygen -Y sign`: {what}; ask for it again", path.display())]
    NoSignature {
        /// The file.
        path: PathBuf,
        /// What was found.
        what: String,
    },
    /// The list of signers has a line that cannot be read.
    #[error("line {line} of {} is none of a list of allowed signers: {what}; `man ssh-keygen` has \
        the form, under ALLOWED SIGNERS", path.display())]
    Signers {
        /// The list.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What was found.
        what: String,
    },
    /// A file cannot be read.
    #[error("cannot read {}: {why}", path.display())]
    Unread {
        /// The file.
        path: PathBuf,
        /// The system's words.
        why: String,
    },
}

fn because(line: usize, why: &str) -> String {
    match line {
        0 => String::new(),
        line => format!(" that counts: line {line} {why}"),
    }
}
