//! What can go wrong with a store or a bundle, and what to do then. What is wrong with a record may
//! quote it, as serde's words do, and a stranger may have written it: such text is made printable
//! here, where it becomes a message, so that no line of it passes for one of ours.

use std::path::{Path, PathBuf};

use proofmark_terms::printable;
use thiserror::Error;

use crate::holder::Holder;
use crate::secrets::Secret;
use crate::{ChainId, ExperimentId};

/// What can go wrong with a store. Whatever it is, blocks stored before stay stored.
#[derive(Debug, Error)]
pub enum StoreError {
    /// There is no store.
    #[error("no evidence at {}: nothing has been measured in this project yet; `proofmark compare BASE NEW -- {{}} ARGS…` makes the first", path.display())]
    NoStore {
        /// The file that was looked for.
        path: PathBuf,
    },
    /// What was named is a file, and no bundle.
    #[error("{} is neither a folder, as a store is, nor a bundle of proofmark; --store names one of these", path.display())]
    Neither {
        /// The file.
        path: PathBuf,
    },
    /// The file is something else.
    #[error("{} is not a store of proofmark: {found}; move it away to begin a new store", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What it is.
        found: String,
    },
    /// The store was written by a later version.
    #[error(
        "{} was written by a newer proofmark (store version {found}, this one writes {known}): it can be read here, never written; measure with the newer proofmark",
        path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Version of the store.
        found: u32,
        /// The version that this program writes.
        known: u32,
    },
    /// The store was written by a version whose records are not read any more.
    #[error(
        "{} was written by an older proofmark (store version {found}, this one reads {known}); move it away to begin a new store",
        path.display()
    )]
    Older {
        /// The file.
        path: PathBuf,
        /// Version of the store.
        found: u32,
        /// The version that this program reads.
        known: u32,
    },
    /// The file is truncated or overwritten.
    #[error(
        "{} is damaged: {}; keep a copy of the file, then restore a backup of it, or move it away to begin a new store",
        path.display(), printable(what)
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What was found.
        what: String,
    },
    /// A record is not what its name says.
    #[error(
        "record {} in {} is damaged: {}; nothing that rests on it can be trusted, other experiments in the store can",
        printable(id), path.display(), printable(what)
    )]
    DamagedRecord {
        /// The file.
        path: PathBuf,
        /// The record's name, in hexadecimal.
        id: String,
        /// What was found.
        what: String,
    },
    /// No space is left.
    #[error(
        "no space left to store evidence in {}; finished blocks are kept: make room and give the same command again, it goes on from there",
        path.display()
    )]
    Full {
        /// The file.
        path: PathBuf,
    },
    /// The store cannot be written.
    #[error("{} cannot be written: {why}", path.display())]
    ReadOnly {
        /// The file or folder.
        path: PathBuf,
        /// Why, and what helps.
        why: String,
    },
    /// Somebody else wrote for too long.
    #[error("{} is being written by another process; try again when it has ended", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// The file system failed.
    #[error("cannot {doing} {}: {why}; finished blocks are kept", path.display())]
    Io {
        /// What was tried.
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's words.
        why: String,
    },
    /// Another process measures into this store.
    #[error("{}", held(path, holder.as_ref()))]
    Held {
        /// The lock's file.
        path: PathBuf,
        /// Who, where that could be read.
        holder: Option<Holder>,
    },
    /// No experiment has this name.
    #[error("no experiment `{asked}` in {}; `proofmark report --list` shows those that there are", path.display())]
    NoSuchExperiment {
        /// The store.
        path: PathBuf,
        /// As asked.
        asked: String,
    },
    /// No matrix has this name.
    #[error("no matrix `{asked}` in {}; `proofmark matrix run` makes one", path.display())]
    NoSuchMatrix {
        /// The store.
        path: PathBuf,
        /// As asked.
        asked: String,
    },
    /// No sweep has this name.
    #[error("no sweep `{asked}` in {}; `proofmark sweep BUILD --function F -- {{}}` makes \
        one", path.display())]
    NoSuchSweep {
        /// The store.
        path: PathBuf,
        /// As asked.
        asked: String,
    },
    /// No bisection has this name.
    #[error("no bisection `{asked}` in {}; `proofmark bisect --good A --bad B --build COMMAND -- \
        {{}}` makes one", path.display())]
    NoSuchBisect {
        /// The store.
        path: PathBuf,
        /// As asked.
        asked: String,
    },
    /// No series has this name.
    #[error("no series `{asked}` in {}; `proofmark history run` makes one", path.display())]
    NoSuchSeries {
        /// The store.
        path: PathBuf,
        /// As asked.
        asked: String,
    },
    /// No ledger has this name.
    #[error("no ledger `{asked}` in {}; `proofmark ledger run` begins one", path.display())]
    NoSuchLedger {
        /// The store.
        path: PathBuf,
        /// As asked.
        asked: String,
    },
    /// No attribution has this name.
    #[error("no attribution `{asked}` in {}; `proofmark attribute BUILD -- {{}}` makes \
        one", path.display())]
    NoSuchAttribution {
        /// The store.
        path: PathBuf,
        /// As asked.
        asked: String,
    },
    /// No explanation has this name.
    #[error("no explanation `{asked}` in {}; `proofmark explain BASE NEW -- {{}}` makes one", path.display())]
    NoSuchExplanation {
        /// The store.
        path: PathBuf,
        /// As asked.
        asked: String,
    },
    /// Several experiments begin with these digits.
    #[error("`{asked}` is the beginning of {} experiments; more digits, please: {}", candidates.len(), listed(candidates))]
    Ambiguous {
        /// As asked.
        asked: String,
        /// Those that it could mean.
        candidates: Vec<Candidate>,
    },
    /// The very same experiment, matrix, sweep, bisection, attribution or explanation has been begun before.
    #[error("{id} has been begun before; it can be resumed, not begun again")]
    BegunBefore {
        /// Its name.
        id: ChainId,
    },
    /// A block that cannot be a measurement, or not the next one.
    #[error("block {index} of experiment {} was not stored: {what}", experiment.short())]
    Refused {
        /// The experiment.
        experiment: ExperimentId,
        /// The block's index.
        index: u32,
        /// What is wrong with it.
        what: String,
    },
    /// The evidence is in a bundle, and that cannot be read.
    #[error(transparent)]
    Bundle(Box<BundleError>),
    /// A record that cannot be written as JSON, or a failure of the database that has no better
    /// name here.
    #[error("{}: {}; finished blocks are kept", path.display(), printable(what))]
    Unexpected {
        /// The file.
        path: PathBuf,
        /// The words of whoever failed.
        what: String,
    },
}

/// An experiment that an abbreviated name could mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its name.
    pub id: ExperimentId,
    /// Names of its builds.
    pub names: Vec<String>,
}

impl StoreError {
    /// A failure of the file system.
    pub(crate) fn io(doing: &'static str, path: &Path, error: &std::io::Error) -> Self {
        let path = path.to_path_buf();
        match error.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
                StoreError::Full { path }
            }
            std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem => {
                StoreError::ReadOnly {
                    path,
                    why: format!("{error}; make it writable, or measure in another folder"),
                }
            }
            _ => StoreError::Io {
                doing,
                path,
                why: error.to_string(),
            },
        }
    }
}

fn held(path: &Path, holder: Option<&Holder>) -> String {
    let who = holder.map_or_else(|| "another process".to_owned(), ToString::to_string);
    format!(
        "{who} is measuring into this store ({}); two at once would disturb each other: wait for it, or end it",
        path.display()
    )
}

fn listed(candidates: &[Candidate]) -> String {
    let one = |candidate: &Candidate| {
        let names = printable(&candidate.names.join(", "));
        format!("{} ({names})", candidate.id.short())
    };
    candidates.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// What can go wrong with a bundle.
#[derive(Debug, Error)]
pub enum BundleError {
    /// The evidence cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// No chain has this name.
    #[error("there is no evidence `{asked}`; `proofmark report --list` shows what there is")]
    NoSuch {
        /// As asked.
        asked: String,
    },
    /// Several chains begin with these digits.
    #[error("`{asked}` is the beginning of several names: {}; more digits, please", printable(&candidates.join(", ")))]
    Ambiguous {
        /// As asked.
        asked: String,
        /// Their names, abbreviated.
        candidates: Vec<String>,
    },
    /// Something in it looks like a key or a password.
    #[error("{}", secrets(found))]
    Secrets {
        /// What was found; never empty.
        found: Vec<Secret>,
    },
    /// A file that was to be enclosed cannot be, or is another one by now.
    #[error("{what} cannot go into the file: {why}; nothing was written")]
    NotEnclosed {
        /// What it is.
        what: String,
        /// Why.
        why: String,
    },
    /// The file cannot be written.
    #[error("cannot write {}: {why}", path.display())]
    Unwritten {
        /// The file.
        path: PathBuf,
        /// The system's words.
        why: String,
    },
    /// The file cannot be read.
    #[error("cannot read {}: {why}", path.display())]
    Unread {
        /// The file.
        path: PathBuf,
        /// The system's words.
        why: String,
    },
    /// The file is there, and is no bundle, or a damaged one.
    #[error("{} is not a whole bundle of proofmark: {}; ask for the file again, nothing in it can be trusted", path.display(), printable(what))]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What was found.
        what: String,
    },
    /// It unpacks to more than is believed.
    #[error("{} unpacks to more than {most} bytes, which no evidence of its size does; it was not read on", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Most bytes that are read of one of its size.
        most: u64,
    },
    /// A later version of the format.
    #[error("{} is of version {found} of the format, and this proofmark reads {known}; verify it with the newer proofmark that made it ({})", path.display(), printable(made_by))]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The version that is read here.
        known: u32,
        /// What wrote it.
        made_by: String,
    },
}

fn secrets(found: &[Secret]) -> String {
    let mut lines =
        vec!["what would go into the file looks like secrets, and nothing was written:".to_owned()];
    lines.extend(found.iter().map(|secret| format!("  {secret}")));
    lines.push(
        "measure again without them; or, where they are none, give --with-secrets".to_owned(),
    );
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_message_quotes_of_a_file_forges_no_line() {
        let evil = "unknown variant `\u{1b}[2J\n\nall is well\u{202e}`";
        let path = PathBuf::from("a.pmb");
        let errors: [Box<dyn std::error::Error>; 4] = [
            Box::new(StoreError::Damaged {
                path: path.clone(),
                what: evil.into(),
            }),
            Box::new(StoreError::DamagedRecord {
                path: path.clone(),
                id: evil.into(),
                what: evil.into(),
            }),
            Box::new(BundleError::Damaged {
                path: path.clone(),
                what: evil.into(),
            }),
            Box::new(BundleError::Newer {
                path,
                found: 99,
                known: 1,
                made_by: evil.into(),
            }),
        ];
        for error in errors {
            let text = error.to_string();
            assert!(!text.contains(proofmark_terms::is_unseen), "{text}");
            assert!(text.contains("`\\u{1b}[2J\\n\\nall is well"), "{text}");
        }
    }
}
