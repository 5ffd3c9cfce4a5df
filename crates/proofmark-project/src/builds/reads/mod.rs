//! What a build read outside of its sources, and what it looked for there in vain: hashed again
//! before the build is taken for what it was.

mod found;
mod of_tree;
mod search;
mod texts;
mod watched;
mod words;

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use proofmark_capture::outside::{Outside, content};
use proofmark_capture::stamp::Stamp;
use proofmark_terms::OsText;
use serde::{Deserialize, Serialize};

use crate::memory::Memory;
pub(super) use of_tree::OfTree;
pub(super) use watched::{PREFIX, Watched};

/// Files outside of a build's own folder by their content, and names that led to nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Reads {
    files: Vec<(OsText, String)>,
    absent: Vec<OsText>,
    /// What any of the build's processes read, where it could be followed.
    outside: Option<Outside>,
    /// Why it could not.
    pub(super) unseen: Option<String>,
    /// Files of the source that the build looked for in vain, for its copy has not got them.
    pub(super) not_copied: Vec<OsText>,
    /// In words, what patches changed elsewhere than where they were made for.
    #[serde(default)]
    pub(super) displaced: Vec<String>,
    /// What it had to do with among the files that runs read.
    #[serde(default)]
    pub(super) of_tree: OfTree,
}

/// What was found out about a file before.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
struct Known {
    file: OsText,
    stamp: Stamp,
    hash: String,
}

impl Reads {
    /// A name that the build went by and has changed itself.
    pub(super) fn left_otherwise(&self) -> Option<PathBuf> {
        self.outside.as_ref()?.left_otherwise()
    }

    /// The first file that is not as it was, or has come to where there was nothing.
    pub(super) fn changed(&self, memory: &Memory, key: &str) -> Option<PathBuf> {
        let key = format!("reads {key}");
        let known: Vec<Known> = memory.get(&key).unwrap_or_default();
        let by_name: HashMap<&OsText, &Known> = known.iter().map(|one| (&one.file, one)).collect();
        let mut now = Vec::new();
        let mut hash = |file: &Path| {
            let stamp = Stamp::of(file)?;
            let name = OsText::from(file);
            let found = match by_name.get(&name).filter(|known| known.stamp == stamp) {
                Some(known) => known.hash.clone(),
                None => content(file)?,
            };
            if stamp.settled() {
                now.push(Known {
                    file: name,
                    stamp,
                    hash: found.clone(),
                });
            }
            Ok::<String, io::Error>(found)
        };
        let files = self.files.iter();
        let differs = |(file, known): &&(OsText, String)| {
            hash(Path::new(file)).map_or(true, |found| found != *known)
        };
        let file = { files }.find(differs).map(|(file, _)| file);
        let absent = self.absent.iter();
        let file = file.or_else(|| { absent }.find(|name| is_there(Path::new(name))));
        let changed = file.map(|name| PathBuf::from(name.as_ref()));
        let changed = changed.or_else(|| self.outside.as_ref()?.changed(&mut hash));
        if now != known {
            memory.put(&key, &now);
        }
        changed
    }
}

fn is_there(name: &Path) -> bool {
    name.symlink_metadata().is_ok() && name.exists()
}
