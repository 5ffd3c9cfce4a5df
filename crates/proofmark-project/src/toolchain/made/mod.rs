//! Compilers that are made from sources of their own: each once, kept by what went into it, in the
//! store's `matrix/compilers`.
//!
//! A compiler's name may end up in what it compiles, and its own folder in the compiler. So it is
//! built where it stays, in a copy of its sources that is named by its key.

mod make;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use proofmark_capture::outside::{Known, Makers, content};
use proofmark_capture::states::tools;
use proofmark_capture::{hash_bytes, plain_place};
use proofmark_hint::hint;
use proofmark_terms::Digest;
use serde::{Deserialize, Serialize};

use super::driver::{Driver, Made, cxx_of};
use super::error::ToolchainError;
use crate::definition::{Source, ToolchainDefinition};
use crate::environment::{Environment, cores};
use crate::memory::Memory;
use crate::sources::{Ours, Snapshot};

pub use make::Making;

/// The version of what goes into a key: compilers made by another one are made again.
const VERSION: &str = "1";

/// Where compilers that were made are kept.
pub(super) struct Compilers<'a> {
    /// The project's `.proofmark` folder.
    store: &'a Path,
    memory: &'a Memory,
    ours: &'a Ours,
    makers: Makers,
}

/// A compiler that is to be made: what its definition says.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'a> {
    pub(super) name: &'a str,
    pub(super) definition: &'a ToolchainDefinition,
    pub(super) source: &'a Source,
}

/// A compiler that was made, written beside its folder.
#[derive(Serialize, Deserialize)]
struct Record {
    /// All of its key, of which names have the beginning.
    key: String,
    /// What its build read outside of its sources.
    outside: Known,
}

/// Where one compiler is, or is to be made.
struct Place {
    folder: PathBuf,
    record: PathBuf,
    log: PathBuf,
}

impl<'a> Compilers<'a> {
    /// Those of a project.
    pub(super) fn of(store: &'a Path, memory: &'a Memory, ours: &'a Ours) -> Compilers<'a> {
        Compilers {
            store,
            memory,
            ours,
            makers: Makers::new(store.join("matrix/made")),
        }
    }

    /// The compiler, where it was made. Nothing is made.
    pub(super) fn driver(&self, wanted: Wanted<'_>) -> Result<Driver, ToolchainError> {
        let Wanted {
            name, definition, ..
        } = wanted;
        let (key, _) = self.key(wanted)?;
        if let Some((place, record)) = self.kept(wanted, &key)? {
            let program = place.folder.join(command(definition));
            let cxx = match &definition.cxx {
                Some(said) => Some(place.folder.join(said)).filter(|file| file.is_file()),
                None => cxx_of(&program, None),
            };
            let text = serde_json::to_vec(&record).unwrap_or_default();
            return Ok(Driver {
                made: Some(Made {
                    identity: hash_bytes(&text),
                    from: wanted.said(),
                }),
                ..Driver::plain(program, cxx)
            });
        }
        if let Ok(said) = fs::read_to_string(self.failed(wanted, &key)?) {
            return Err(ToolchainError::Make {
                name: name.to_owned(),
                said,
            });
        }
        Err(ToolchainError::Missing {
            name: name.to_owned(),
            what: format!("it was not made yet from {}", wanted.said()),
            get: format!("{} makes it", hint("toolchains --install", &[name])),
        })
    }

    /// All that goes into a compiler beside its sources: another digest is another compiler from
    /// each of its commits.
    pub(super) fn surroundings(wanted: Wanted<'_>) -> Result<Digest, ToolchainError> {
        let Wanted {
            name,
            definition,
            source,
        } = wanted;
        let mut hasher = blake3::Hasher::new();
        let jobs = source.says_jobs().then(cores);
        let said = format!("{:?} {:?} {jobs:?}", source.build, source.env);
        let files = format!("{:?} {:?}", definition.command, definition.cxx);
        let environment = Environment::of_this_process().hash();
        for part in [VERSION, &said, &files, &environment, &tools()] {
            add(&mut hasher, part.as_bytes());
        }
        for patch in &source.patches {
            let text = fs::read(patch).map_err(ToolchainError::file(name, "read", patch))?;
            add(&mut hasher, &text);
        }
        Ok(hasher.finalize().into())
    }

    /// Everything that goes into a compiler and is known beforehand, with its sources.
    fn key(&self, wanted: Wanted<'_>) -> Result<(String, Snapshot), ToolchainError> {
        let name = wanted.name;
        let snapshot = Snapshot::of(wanted.source, Path::new("/"), self.ours, self.memory);
        let snapshot = snapshot.map_err(|said| ToolchainError::Make {
            name: name.to_owned(),
            said,
        })?;
        let mut hasher = blake3::Hasher::new();
        add(&mut hasher, Self::surroundings(wanted)?.as_bytes());
        add(&mut hasher, snapshot.hash.as_bytes());
        // It ends up in the compiler.
        add(
            &mut hasher,
            self.folder(name)?.as_os_str().as_encoded_bytes(),
        );
        Ok((hasher.finalize().to_hex().to_string(), snapshot))
    }

    /// The folder of all compilers: a path that survives the lists of words that builds make.
    fn folder(&self, name: &str) -> Result<PathBuf, ToolchainError> {
        let folder = self.store.join("matrix");
        let plain = plain_place(&folder).map_err(ToolchainError::file(name, "write", &folder))?;
        Ok(plain.join("compilers"))
    }

    /// The place of one of the compilers with this key: there are several where their builds read
    /// something else beside. All names are equally long.
    fn place(&self, name: &str, key: &str, number: u32) -> Result<Place, ToolchainError> {
        let folder = self.folder(name)?;
        let of = format!("{}-{number:03}", short(key));
        Ok(Place {
            record: folder.join(format!("{of}.json")),
            log: folder.join(format!("{of}.log")),
            folder: folder.join(of),
        })
    }

    /// The compiler with this key whose build would read today what it read.
    fn kept(
        &self,
        wanted: Wanted<'_>,
        key: &str,
    ) -> Result<Option<(Place, Record)>, ToolchainError> {
        for number in 0.. {
            let place = self.place(wanted.name, key, number)?;
            if !place.record.exists() {
                break;
            }
            let program = place.folder.join(command(wanted.definition));
            let record = read(&place.record).filter(|record| record.key == key);
            if let Some(record) = record.filter(|record| program.is_file() && record.holds()) {
                return Ok(Some((place, record)));
            }
        }
        Ok(None)
    }

    /// Where is written why the last one with this key could not be made.
    fn failed(&self, wanted: Wanted<'_>, key: &str) -> Result<PathBuf, ToolchainError> {
        Ok(self
            .folder(wanted.name)?
            .join(format!("{}.failed", short(key))))
    }
}

impl Record {
    /// Whether its build would read the same today. Of one that nobody followed its key tells what
    /// there is to tell.
    fn holds(&self) -> bool {
        match &self.outside {
            Known::All(outside) => outside.changed(content).is_none(),
            Known::Nothing(_) => true,
        }
    }
}

impl Wanted<'_> {
    /// Its sources, for people.
    fn said(&self) -> String {
        let mut said = self.source.path.display().to_string();
        if let Some(rev) = &self.source.rev {
            let short = rev.get(..12).filter(|_| rev.len() >= 40);
            said.push_str(&format!(" at {}", short.unwrap_or(rev)));
        }
        let names = self.source.patches.iter().map(|patch| {
            let name = Path::new(patch).file_name().unwrap_or_default();
            name.to_string_lossy().into_owned()
        });
        let names: Vec<String> = names.collect();
        if !names.is_empty() {
            said.push_str(&format!(", with {}", names.join(" and ")));
        }
        said
    }
}

/// The file that a compiler's build leaves, relative to its sources.
fn command(definition: &ToolchainDefinition) -> &str {
    definition.command.as_deref().unwrap_or_default()
}

fn add(hasher: &mut blake3::Hasher, part: &[u8]) {
    hasher.update(&part.len().to_le_bytes()).update(part);
}

fn read(file: &Path) -> Option<Record> {
    serde_json::from_slice(&fs::read(file).ok()?).ok()
}

/// Enough of a key for a name.
fn short(key: &str) -> &str {
    key.get(..16).unwrap_or(key)
}

/// An error of a file, in words.
fn cannot(doing: &str, file: &Path) -> impl Fn(io::Error) -> String + use<> {
    let said = format!("cannot {doing} {}", file.display());
    move |error| format!("{said}: {error}")
}
