//! A captured build taken from a store to another one: its record, and the files that this names.

use std::path::{Path, PathBuf};

use proofmark_terms::{CaptureId, Digest};

use super::builds::Builds;
use super::files::each_file;
use super::name::check_name;
use super::written::{self, Keep};
use crate::captured::{Capture, CapturedLink, Companion, id};
use crate::error::BuildError;
use crate::objects::{Objects, hash_bytes};

/// A captured build, as others are given it.
#[derive(Clone, Debug)]
pub struct Enclosable {
    /// As the user called it.
    pub name: String,
    /// The folder in which it was built, which the record names.
    pub folder: PathBuf,
    /// What the build is known by.
    pub id: CaptureId,
    /// BLAKE3 of its record, which is one of the files.
    pub record: Digest,
    /// Its record and all files that it needs, each once.
    pub files: Vec<CaptureFile>,
}

/// What the record of a captured build says of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Described {
    /// The files that it needs beside the record, by their digests.
    pub needed: Vec<Digest>,
    /// Where its images and the files that belong to them lay, and are seen by its runs.
    pub places: Vec<PathBuf>,
}

/// A stored file of a captured build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaptureFile {
    /// BLAKE3 of it.
    pub digest: Digest,
    /// Where it lies in the store.
    pub path: PathBuf,
    /// What it was in the build.
    pub what: PathBuf,
}

impl Builds {
    /// The captured build with this id, as others are given it.
    ///
    /// # Errors
    /// When no build here has this id, or it has lost a stored file.
    pub fn enclosable(&self, id: &CaptureId) -> Result<Enclosable, BuildError> {
        let mut found = self.entries()?.into_iter().flatten();
        let Some(entry) = found.find(|entry| entry.capture.id == *id) else {
            return Err(self.no_such(id.as_str())?);
        };
        let mut files = vec![CaptureFile {
            path: self.object(&entry.record),
            what: PathBuf::from("the capture's record"),
            digest: entry.record.clone(),
        }];
        each_file(&entry.capture, |what, blob| {
            let digest = Objects::hash_of(blob).filter(|_| blob.is_file());
            let digest = digest.ok_or_else(|| BuildError::Lost {
                name: entry.name.clone(),
                what: what.to_owned(),
                blob: blob.to_owned(),
            })?;
            if files.iter().all(|file| file.digest != digest) {
                files.push(CaptureFile {
                    digest,
                    path: blob.to_owned(),
                    what: what.to_owned(),
                });
            }
            Ok(())
        })?;
        Ok(Enclosable {
            name: entry.name,
            folder: entry.capture.cwd,
            id: entry.capture.id,
            record: entry.record,
            files,
        })
    }

    /// Takes in a captured build of somebody else's whose stored files lie in this store already:
    /// it gets its name here, and can be linked again.
    ///
    /// # Errors
    /// When the record is none, is of another build than this, or names files that are not here.
    pub fn take_in(&self, record: &[u8], id: &CaptureId) -> Result<Capture, BuildError> {
        let capture = self.of_record(record, id)?;
        check_name(&capture.name)?;
        self.verify(&capture)?;
        for link in links(&capture) {
            let pristine = link.pristine.as_ref().map(|one| &one.image_hash);
            for image in [Some(&link.image_hash), pristine].into_iter().flatten() {
                let made = self.objects().make_program(image);
                made.map_err(BuildError::file("store", &self.object(image)))?;
            }
        }
        self.publish(&capture, Keep::WhileUsed)?;
        Ok(capture)
    }

    /// What the record of a captured build says of it, whoever wrote it.
    ///
    /// # Errors
    /// When the record is none, or is of another build than this.
    pub fn described(record: &[u8], id: &CaptureId) -> Result<Described, BuildError> {
        let capture = of_record(record, id, &Objects::new(PathBuf::new()))?;
        let mut needed = Vec::new();
        each_file(&capture, |_, blob| {
            needed.extend(Objects::hash_of(blob));
            Ok(())
        })?;
        let mut places = Vec::new();
        for link in links(&capture) {
            places.push(link.output.clone());
            places.extend(link.aliases.iter().cloned());
            let own = |companion: &&Companion| companion.blob.is_some();
            let companions = link.companions.iter().filter(own);
            places.extend(companions.map(|companion| companion.path.clone()));
        }
        Ok(Described { needed, places })
    }

    fn of_record(&self, record: &[u8], id: &CaptureId) -> Result<Capture, BuildError> {
        of_record(record, id, self.objects())
    }
}

fn of_record(record: &[u8], of: &CaptureId, objects: &Objects) -> Result<Capture, BuildError> {
    let digest = hash_bytes(record);
    let damaged = |problem: String| BuildError::Damaged {
        name: of.as_str().to_owned(),
        path: objects.path(&digest),
        problem,
    };
    let capture = written::capture(&digest, record, objects).map_err(damaged)?;
    let found = id(&capture.links, &capture.repeats);
    // A digest beside a file's place would be believed, and the file at the place be used.
    let of_files = links(&capture).all(|link| {
        let stored = |path: &Path, hash: &Digest| Objects::hash_of(path).as_ref() == Some(hash);
        let pristine = link.pristine.as_ref();
        let recipes = [Some(&link.recipe), Some(link.as_built())];
        stored(&link.image, &link.image_hash)
            && pristine.is_none_or(|one| stored(&one.image, &one.image_hash))
            && recipes.into_iter().flatten().all(|recipe| {
                let inputs = &mut recipe.inputs.iter();
                inputs.all(|input| {
                    stored(&input.blob, &input.hash)
                        && (input.members.iter()).all(|one| stored(&one.blob, &one.hash))
                })
            })
    });
    if found != *of || capture.id != *of || !of_files {
        return Err(damaged("it is the record of another build".to_owned()));
    }
    Ok(capture)
}

fn links(capture: &Capture) -> impl Iterator<Item = &CapturedLink> {
    capture.links.iter().chain(capture.repeats.iter().flatten())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_that_is_none_is_refused() {
        let id: CaptureId = "5e".repeat(32).parse().unwrap();
        for record in [&b"{}"[..], b"", b"\xff"] {
            assert!(matches!(
                Builds::described(record, &id),
                Err(BuildError::Damaged { .. })
            ));
        }
    }
}
