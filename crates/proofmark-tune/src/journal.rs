//! Former values, written down before the first change: what they were, and what they become.

use std::io;

use serde::{Deserialize, Serialize};

use crate::change::Change;
use crate::error::{TuneError, of_file};
use crate::tree::{About, Kind, Tree};

/// The folder of the journal, and whose it is in: both are root's alone.
pub(crate) const FOLDER: &str = "run/proofmark";
const ABOVE: &str = "run";
const DRAFT: &str = "run/proofmark/tune.json.new";
const BOOT: &str = "proc/sys/kernel/random/boot_id";

const VERSION: u32 = 1;

/// How long the changes are to last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lasting {
    /// As long as the process that made them.
    Process,
    /// Until they are undone; those of a process that ended before it had made all of them are
    /// undone like the others.
    UntilUndone {
        /// Whether all are made.
        made: bool,
    },
}

/// What was changed, and by whom.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Journal {
    version: u32,
    /// The kernel's name for the time since the machine was started.
    boot: String,
    /// The process that made the changes.
    pub process: u32,
    /// How long they are to last.
    pub lasting: Lasting,
    /// The core that they are for.
    pub core: Option<u32>,
    /// In the order in which they are made.
    pub changes: Vec<Change>,
}

impl Journal {
    /// Where it is.
    pub(crate) const PATH: &str = "run/proofmark/tune.json";

    /// A journal of this boot.
    pub(crate) fn new(
        tree: &dyn Tree,
        core: Option<u32>,
        lasting: Lasting,
        changes: Vec<Change>,
    ) -> Result<Journal, TuneError> {
        Ok(Journal {
            version: VERSION,
            boot: boot(tree)?,
            process: std::process::id(),
            lasting,
            core,
            changes,
        })
    }

    /// The journal of this boot, if there is one that `owner` alone can have written.
    ///
    /// # Errors
    /// When there is one that others could have written, or that cannot be understood.
    pub fn read(tree: &dyn Tree, owner: u32) -> Result<Option<Journal>, TuneError> {
        if !there(tree, Journal::PATH)? {
            return Ok(None);
        }
        check(tree, owner)?;
        let text = tree
            .read(Journal::PATH)
            .map_err(of_file("read", Journal::PATH))?;
        // A boot that is over took its settings along, whatever version wrote of them.
        let journal = match (Journal::parse(&text), boot_of(&text)) {
            (_, Some(written)) if written != boot(tree)? => return Ok(None),
            (journal, _) => journal?,
        };
        Ok(Some(journal))
    }

    fn parse(text: &str) -> Result<Journal, TuneError> {
        #[derive(Deserialize)]
        struct Versioned {
            version: u32,
        }
        let damaged = |why: String| TuneError::Damaged {
            path: Journal::PATH.to_owned(),
            why,
        };
        let versioned: Versioned =
            serde_json::from_str(text).map_err(|error| damaged(error.to_string()))?;
        if versioned.version > VERSION {
            return Err(TuneError::Newer {
                path: Journal::PATH.to_owned(),
            });
        }
        let journal: Journal =
            serde_json::from_str(text).map_err(|error| damaged(error.to_string()))?;
        match journal.changes.iter().find(|change| !change.can_be()) {
            None => Ok(journal),
            Some(change) => Err(damaged(format!(
                "{:?} or {:?} is no value of /{}",
                change.before,
                change.after,
                change.setting.path()
            ))),
        }
    }

    /// Writes it down, whole or not at all.
    pub(crate) fn keep(&self, tree: &dyn Tree, owner: u32) -> Result<(), TuneError> {
        ready(tree, owner)?;
        let text = serde_json::to_string_pretty(self).map_err(io::Error::from);
        let text = text.map_err(of_file("write", DRAFT))?;
        tree.make_file(DRAFT, &text)
            .map_err(of_file("write", DRAFT))?;
        tree.rename(DRAFT, Journal::PATH)
            .map_err(of_file("write", Journal::PATH))
    }

    /// Removes the journal, where there is one.
    pub(crate) fn forget(tree: &dyn Tree) -> Result<(), TuneError> {
        match tree.remove_file(Journal::PATH) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(of_file("remove", Journal::PATH)(error))
            }
            _ => Ok(()),
        }
    }
}

/// Makes the folder of the journal where it is not there, and sees to it that it is `owner`'s.
pub(crate) fn ready(tree: &dyn Tree, owner: u32) -> Result<(), TuneError> {
    if !there(tree, FOLDER)? {
        tree.make_folder(FOLDER).map_err(of_file("make", FOLDER))?;
    }
    check(tree, owner)
}

/// That nobody but `owner` could have written in the folder, or put another in its place.
fn check(tree: &dyn Tree, owner: u32) -> Result<(), TuneError> {
    for (path, kind) in [
        (ABOVE, Kind::Folder),
        (FOLDER, Kind::Folder),
        (Journal::PATH, Kind::File),
    ] {
        if path == Journal::PATH && !there(tree, Journal::PATH)? {
            continue;
        }
        let about = tree.about(path).map_err(of_file("look at", path))?;
        if let Some(why) = wrong(about, kind, owner) {
            return Err(TuneError::Untrusted {
                path: path.to_owned(),
                why,
            });
        }
    }
    Ok(())
}

fn wrong(about: About, kind: Kind, owner: u32) -> Option<String> {
    /// Permission of the group and of others to write.
    const OTHERS_WRITE: u32 = 0o022;
    if about.kind != kind {
        return Some("is a link or a special file".to_owned());
    }
    if about.owner != owner {
        return Some(format!("belongs to the user {}", about.owner));
    }
    let open = about.mode & OTHERS_WRITE != 0;
    open.then(|| format!("can be written by others (mode {:o})", about.mode))
}

fn there(tree: &dyn Tree, path: &str) -> Result<bool, TuneError> {
    match tree.about(path) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(of_file("look at", path)(error)),
    }
}

fn boot(tree: &dyn Tree) -> Result<String, TuneError> {
    tree.read(BOOT).map_err(of_file("read", BOOT))
}

/// The boot that a journal of any version was written in.
fn boot_of(text: &str) -> Option<String> {
    let journal: serde_json::Value = serde_json::from_str(text).ok()?;
    Some(journal.get("boot")?.as_str()?.to_owned())
}
