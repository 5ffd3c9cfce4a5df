//! Captured builds found again: by name, by the start of an id, or all of them.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use proofmark_terms::Digest;
use serde::Deserialize;

use super::builds::Builds;
use super::files::each_file;
use super::name::{decode, encode, name_of};
use super::written::{self, FORMAT, Keep, Reference};
use crate::captured::Capture;
use crate::error::BuildError;
use crate::objects::{Objects, hash_file};

/// The captured builds of a project.
#[derive(Debug, Default)]
pub struct Listing {
    /// By name.
    pub builds: Vec<Capture>,
    /// Why others cannot be read, one for each.
    pub unreadable: Vec<BuildError>,
}

/// A build that is named, as it is at hand.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) name: String,
    /// The file that names it.
    pub(super) file: PathBuf,
    /// Digest of its record.
    pub(super) record: Digest,
    pub(super) keep: Keep,
    pub(super) capture: Capture,
}

impl Builds {
    /// Every captured build, by name; and why the others cannot be read.
    ///
    /// # Errors
    /// When the folder of the builds cannot be read.
    pub fn list(&self) -> Result<Listing, BuildError> {
        let mut names = self.names()?;
        names.sort();
        let mut listing = Listing::default();
        for name in names {
            match self.read(&self.file(&name)) {
                Ok(capture) => listing.builds.push(capture),
                Err(error) => listing.unreadable.push(error),
            }
        }
        Ok(listing)
    }

    /// The captured build with this name, or with an id that starts so.
    ///
    /// # Errors
    /// When there is none (names that are much like it are given), when it is damaged, newer than
    /// this version, or has lost a stored file.
    pub fn find(&self, name: &str) -> Result<Capture, BuildError> {
        let file = self.file(name);
        let capture = if file.is_file() {
            self.read(&file)?
        } else {
            match self.by_id(name)? {
                Some(capture) => capture,
                None => return Err(self.no_such(name)?),
            }
        };
        self.complete(&capture)?;
        Ok(capture)
    }

    /// The build whose id starts with these digits; of several that are equal, any.
    fn by_id(&self, start: &str) -> Result<Option<Capture>, BuildError> {
        const FEWEST: usize = 8;
        if start.len() < FEWEST || !start.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return Ok(None);
        }
        let mut found = self.list()?.builds;
        found.retain(|capture| capture.id.starts_with(start));
        let same = found.windows(2).all(|two| match two {
            [one, other] => one.id == other.id,
            _ => true,
        });
        Ok(found.pop().filter(|_| same))
    }

    /// Whether a build of this name is listed. What it needs may be gone all the same:
    /// [`Builds::find`] looks.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.file(name).is_file()
    }

    pub(super) fn names_folder(&self) -> PathBuf {
        self.root.join("builds")
    }

    fn names(&self) -> Result<Vec<String>, BuildError> {
        let folder = self.names_folder();
        let entries = fs::read_dir(&folder).map_err(BuildError::file("read", &folder))?;
        let files = entries
            .filter_map(Result::ok)
            .map(|entry| entry.file_name().to_string_lossy().into_owned());
        Ok(files
            .filter_map(|file| Some(decode(file.strip_suffix(".json")?)))
            .collect())
    }

    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.names_folder().join(format!("{}.json", encode(name)))
    }

    pub(super) fn no_such(&self, name: &str) -> Result<BuildError, BuildError> {
        let names = self.names()?;
        let any = !names.is_empty();
        let mut near: Vec<(f64, String)> = names
            .into_iter()
            .map(|known| (strsim::jaro_winkler(name, &known), known))
            .collect();
        near.retain(|(likeness, _)| *likeness > 0.75);
        near.sort_by(|one, other| other.0.total_cmp(&one.0));
        let near = near.into_iter().take(3).map(|(_, known)| known).collect();
        Ok(BuildError::NoSuchBuild {
            name: name.to_owned(),
            near,
            any,
        })
    }

    fn read(&self, file: &Path) -> Result<Capture, BuildError> {
        Ok(self.entry(file)?.capture)
    }

    /// Every build that is named, or why it cannot be read.
    pub(super) fn entries(&self) -> Result<Vec<Result<Entry, BuildError>>, BuildError> {
        let names = self.names()?;
        let entry = |name: &String| self.entry(&self.file(name));
        Ok(names.iter().map(entry).collect())
    }

    pub(super) fn entry(&self, file: &Path) -> Result<Entry, BuildError> {
        #[derive(Deserialize)]
        struct Format {
            format: u32,
        }
        let text = fs::read(file).map_err(BuildError::file("read", file))?;
        let damaged = |problem: String| BuildError::Damaged {
            name: name_of(file),
            path: file.to_owned(),
            problem,
        };
        let told = |error: serde_json::Error| damaged(error.to_string());
        let Format { format } = serde_json::from_slice(&text).map_err(told)?;
        if format > FORMAT {
            return Err(BuildError::Newer {
                path: file.to_owned(),
                found: format,
                known: FORMAT,
            });
        }
        if format < FORMAT {
            return Err(BuildError::Older {
                name: name_of(file),
                found: format,
                known: FORMAT,
            });
        }
        let reference: Reference = serde_json::from_slice(&text).map_err(told)?;
        let stored = self.objects.path(&reference.capture);
        let record = fs::read(&stored).map_err(|error| match error.kind() {
            ErrorKind::NotFound => BuildError::Lost {
                name: name_of(file),
                what: PathBuf::from("the capture's record"),
                blob: stored,
            },
            _ => damaged(format!("its record cannot be read: {error}")),
        })?;
        let capture = written::capture(&reference.capture, &record, &self.objects);
        let capture = capture.map_err(damaged)?;
        let name = name_of(file);
        if capture.name != name {
            return Err(damaged(format!(
                "it leads to the build `{}`, of another name",
                capture.name
            )));
        }
        Ok(Entry {
            name,
            file: file.to_owned(),
            record: reference.capture,
            keep: reference.keep,
            capture,
        })
    }

    fn complete(&self, capture: &Capture) -> Result<(), BuildError> {
        each_file(capture, |what, blob| {
            if blob.is_file() {
                Ok(())
            } else {
                Err(lost(capture, what, blob))
            }
        })
    }

    /// Reads every stored file of a captured build and compares it with its hash.
    ///
    /// # Errors
    /// When one is gone, unreadable or not what was stored.
    pub fn verify(&self, capture: &Capture) -> Result<(), BuildError> {
        each_file(capture, |what, blob| {
            let hash = hash_file(blob).ok();
            if hash.is_some() && hash == Objects::hash_of(blob) {
                Ok(())
            } else {
                Err(lost(capture, what, blob))
            }
        })
    }
}

fn lost(capture: &Capture, what: &Path, blob: &Path) -> BuildError {
    BuildError::Lost {
        name: capture.name.clone(),
        what: what.to_owned(),
        blob: blob.to_owned(),
    }
}
