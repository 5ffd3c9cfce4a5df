//! A log that was read from a bundle: all of it in memory, and nothing is ever appended.

mod content;
mod enclosures;
mod manifest;
mod unread;

use std::collections::{HashMap, HashSet};
use std::io::Read as _;
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};

use proofmark_terms::Digest;
use serde::Deserialize;

use crate::StoreError;
use crate::envelope::{Flaw, Kind, Place, Sealed, name_of};
use crate::error::BundleError;
use crate::log::{Appended, Entry, Heading, Last, Log, Order, Tip};
use crate::private::{Here, Part};

pub use content::Content;
pub(crate) use content::{added, most_of};
pub use enclosures::Enclosures;
pub use manifest::{EnclosedCapture, EnclosedFile, Manifest};

pub(crate) use enclosures::MAGIC as ENCLOSES;

/// The latest version of the format, that of bundles which enclose files. One that is newer is
/// refused.
pub const VERSION: u32 = 2;

/// The version of a bundle without files. What it is made of has not changed since.
pub(crate) const OF_TEXT: u32 = 1;

/// How a zstd frame begins (RFC 8878, section 3.1.1).
const MAGIC: [u8; 4] = 0xFD2F_B528_u32.to_le_bytes();

/// What a manifest says that it is.
pub(crate) const FORMAT: &str = "proofmark-bundle";

/// Whether a path is a file that begins as a bundle does.
///
/// # Errors
///
/// The file is there and cannot be read, or is none.
pub(crate) fn is_bundle(path: &Path) -> Result<bool, StoreError> {
    if !path.is_file() {
        return Ok(false);
    }
    let mut first = [0; 4];
    let read = std::fs::File::open(path).and_then(|mut file| file.read(&mut first));
    let read = read.map_err(|error| StoreError::io("read", path, &error))?;
    if read == first.len() && first == MAGIC {
        return Ok(true);
    }
    Err(StoreError::Neither {
        path: path.to_owned(),
    })
}

/// A log that was read from a bundle.
#[derive(Debug)]
pub(crate) struct BundleLog {
    path: PathBuf,
    /// The content, once; what is held says where in it.
    text: String,
    records: Vec<Held>,
    /// Names of chains, in the order in which each is first met.
    chains: Vec<String>,
    /// Places in `records`, by the names of their chains.
    of_chain: HashMap<String, Vec<usize>>,
    /// Places in `records`, by their names.
    of_name: HashMap<Digest, usize>,
    /// By their names.
    parts: HashMap<String, HeldPart>,
}

#[derive(Debug)]
struct Held {
    id: Digest,
    kind: String,
    chain: String,
    number: Option<u32>,
    private: Option<String>,
    body: Range<usize>,
}

#[derive(Debug)]
struct HeldPart {
    key: Option<String>,
    body: Range<usize>,
}

/// What a record says of itself.
#[derive(Deserialize)]
struct Head {
    kind: String,
    chain: Option<String>,
    private: Option<String>,
    record: Numbered,
}

#[derive(Deserialize)]
struct Numbered {
    index: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct Keyed {
    key: Option<String>,
}

impl BundleLog {
    /// Takes the lines of a bundle apart. Names follow from what they say; places are checked by
    /// whoever reads a chain.
    ///
    /// # Errors
    ///
    /// A line is no record and no private part, or one is there twice.
    pub(crate) fn open(path: &Path) -> Result<Self, BundleError> {
        let (text, lines, manifest) = Content::read(path)?.into_lines();
        let damaged = |what: Flaw| BundleError::Damaged {
            path: path.to_owned(),
            what,
        };
        let mut log = BundleLog {
            path: path.to_owned(),
            text: String::new(),
            records: Vec::new(),
            chains: Vec::new(),
            of_chain: HashMap::new(),
            of_name: HashMap::new(),
            parts: HashMap::new(),
        };
        let line = |at: &Range<usize>| text.get(at.clone()).unwrap_or_default();
        let count = usize::try_from(manifest.records).unwrap_or(usize::MAX);
        for at in lines.iter().take(count) {
            held(line(at), at.clone())
                .and_then(|held| log.hold(held))
                .map_err(damaged)?;
        }
        for at in lines.iter().skip(count) {
            let Keyed { key } = serde_json::from_str(line(at))
                .map_err(|error| damaged(format!("a private part is none: {error}")))?;
            let body = at.clone();
            let name = name_of(line(at)).as_str().to_owned();
            let before = log.parts.insert(name.clone(), HeldPart { key, body });
            if before.is_some() {
                return Err(damaged(format!("private part {name} is there twice")));
            }
        }
        log.held_against(&manifest).map_err(damaged)?;
        log.text = text;
        Ok(log)
    }

    /// Holds what the manifest says of chains, and private parts, against what is there.
    fn held_against(&self, manifest: &Manifest) -> Result<(), Flaw> {
        if self.chains.len() as u64 != u64::from(manifest.chains) {
            return Err(format!(
                "it has {} chains, and its manifest says {}",
                self.chains.len(),
                manifest.chains
            ));
        }
        let mut asked = manifest.asked.iter();
        if let Some(missing) = asked.find(|asked| !self.of_chain.contains_key(asked.as_str())) {
            return Err(format!("{missing} was asked for and is not in it"));
        }
        let named: HashSet<&str> = self
            .records
            .iter()
            .filter_map(|held| held.private.as_deref())
            .collect();
        let mut parts = self.parts.keys();
        match parts.find(|name| !named.contains(name.as_str())) {
            Some(stray) => Err(format!("private part {stray} belongs to no record")),
            None => Ok(()),
        }
    }

    fn hold(&mut self, held: Held) -> Result<(), Flaw> {
        let place = self.records.len();
        if self.of_name.insert(held.id.clone(), place).is_some() {
            return Err(format!("record {} is there twice", held.id));
        }
        let of_chain = self.of_chain.entry(held.chain.clone()).or_default();
        if of_chain.is_empty() {
            self.chains.push(held.chain.clone());
        }
        of_chain.push(place);
        self.records.push(held);
        Ok(())
    }

    fn of_chain(&self, chain: &str) -> impl DoubleEndedIterator<Item = &Held> {
        let places = self.of_chain.get(chain).into_iter().flatten();
        places.filter_map(|&place| self.records.get(place))
    }

    /// The chains that begin with a record of this kind, in the order of the file.
    fn begun(&self, kind: Kind) -> impl DoubleEndedIterator<Item = &Held> {
        let records = self.records.iter();
        records.filter(move |held| held.kind == kind.as_str() && held.id.as_str() == held.chain)
    }

    fn said(&self, body: &Range<usize>) -> &str {
        self.text.get(body.clone()).unwrap_or_default()
    }

    fn part(&self, held: &Held) -> Option<&HeldPart> {
        self.parts.get(held.private.as_ref()?)
    }

    fn entry<'a>(&'a self, held: &'a Held) -> Entry<'a> {
        Entry {
            id: &held.id,
            kind: &held.kind,
            number: held.number,
            private: held.private.as_deref(),
            part: self.part(held).map(|part| Here {
                key: part.key.as_deref(),
                body: self.said(&part.body),
            }),
            body: self.said(&held.body),
        }
    }
}

/// A line as the record that it is.
fn held(line: &str, body: Range<usize>) -> Result<Held, Flaw> {
    let id = name_of(line);
    let head: Head = serde_json::from_str(line)
        .map_err(|error| format!("the line of record {id} is none: {error}"))?;
    let index = head
        .record
        .index
        .as_ref()
        .and_then(serde_json::Value::as_u64);
    let is_block = head.kind == Kind::Block.as_str();
    Ok(Held {
        number: index
            .filter(|_| is_block)
            .and_then(|index| u32::try_from(index).ok()),
        chain: head.chain.unwrap_or_else(|| id.as_str().to_owned()),
        kind: head.kind,
        private: head.private,
        body,
        id,
    })
}

fn names<'a>(held: impl Iterator<Item = &'a Held>, most: u32) -> Vec<String> {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    held.take(most).map(|held| held.chain.clone()).collect()
}

impl Log for BundleLog {
    fn append(
        &mut self,
        _: &Place,
        _: Option<u32>,
        _: &Sealed,
        _: Option<&Part>,
    ) -> Result<Appended, StoreError> {
        Err(StoreError::ReadOnly {
            path: self.path.clone(),
            why: "it is a bundle, and nothing is added to one".to_owned(),
        })
    }

    fn tip(&self, chain: &str) -> Result<Option<Tip>, StoreError> {
        let last = self.of_chain(chain).next_back();
        let numbered = self.of_chain(chain).filter_map(|held| held.number).max();
        Ok(last.map(|held| Tip {
            last: held.id.as_str().to_owned(),
            numbered: numbered.map_or(0, |last| last.saturating_add(1)),
        }))
    }

    fn chain(
        &self,
        chain: &str,
        take: &mut dyn FnMut(&Entry<'_>) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        let mut records = self.of_chain(chain);
        // That it was enough is no failure.
        let _ = records.try_for_each(|held| take(&self.entry(held)));
        Ok(())
    }

    fn headings(&self, chain: &str) -> Result<Vec<Heading>, StoreError> {
        let heading = |held: &Held| Heading {
            id: held.id.as_str().to_owned(),
            kind: held.kind.clone(),
        };
        Ok(self.of_chain(chain).map(heading).collect())
    }

    fn last(&self, chain: &str, kind: Kind) -> Result<Option<Last>, StoreError> {
        let mut backwards = self.of_chain(chain).rev();
        let last = backwards.find(|held| held.kind == kind.as_str());
        let before = backwards.next();
        Ok(last.map(|last| Last {
            id: last.id.as_str().to_owned(),
            before: before.map(|before| before.id.as_str().to_owned()),
        }))
    }

    fn record(&self, id: &str, take: &mut dyn FnMut(&Entry<'_>)) -> Result<bool, StoreError> {
        let name: Option<Digest> = id.parse().ok();
        let found = name.and_then(|name| self.records.get(*self.of_name.get(&name)?));
        if let Some(held) = found {
            take(&self.entry(held));
        }
        Ok(found.is_some())
    }

    fn by_key(&self, kind: Kind, key: &str) -> Result<Vec<String>, StoreError> {
        let of_key = |held: &&Held| {
            let part = self.part(held);
            part.and_then(|part| part.key.as_deref()) == Some(key)
        };
        Ok(names(self.begun(kind).rev().filter(of_key), u32::MAX))
    }

    fn by_prefix(&self, kind: Kind, prefix: &str, most: u32) -> Result<Vec<String>, StoreError> {
        // A whole name is looked up: of many chains, each is asked for by its own.
        if let Ok(name) = prefix.parse::<Digest>() {
            let held = self.of_name.get(&name);
            let held = held.and_then(|&place| self.records.get(place));
            let begins = held.filter(|held| held.kind == kind.as_str() && held.chain == prefix);
            return Ok(names(begins.into_iter(), most));
        }
        let begun = self.begun(kind);
        let mut found: Vec<&Held> = begun
            .filter(|held| held.chain.starts_with(prefix))
            .collect();
        found.sort_by(|one, other| one.chain.cmp(&other.chain));
        Ok(names(found.into_iter(), most))
    }

    /// A bundle has the order of beginning alone: what was begun last counts as appended to last.
    fn list(&self, kind: Kind, _: Order, most: u32) -> Result<Vec<String>, StoreError> {
        Ok(names(self.begun(kind).rev(), most))
    }

    fn others(&self, kinds: &[Kind], take: &mut dyn FnMut(&Entry<'_>)) -> Result<(), StoreError> {
        let known = |held: &Held| kinds.iter().any(|kind| kind.as_str() == held.kind);
        let others = self.records.iter().filter(|held| !known(held));
        others.for_each(|held| take(&self.entry(held)));
        Ok(())
    }

    fn examine(&self) -> Result<Vec<String>, StoreError> {
        Ok(self.chains.clone())
    }
}
