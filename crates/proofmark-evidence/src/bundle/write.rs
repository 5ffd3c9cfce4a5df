//! From chains of a store to a bundle.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Write as _};
use std::ops::ControlFlow;
use std::path::Path;

use proofmark_terms::{Digest, canonical};
use tempfile::NamedTempFile;

use crate::StoreError;
use crate::envelope::name_of;
use crate::error::BundleError;
use crate::log::bundle::{FORMAT, Manifest, OF_TEXT, VERSION, added, most_of};
use crate::secrets::{Secret, secrets};
use crate::store::{Bundled, Store};

use super::enclose::{Enclosing, Packable};

/// zstd's level. Measured numbers do not repeat: of a million runs, 40 MB of text, this one makes
/// 11.2 bytes a run in 0.2 s of CPU time, and level 9 makes 11.6 in 1.8 s. Small bundles, which are
/// mostly words, are 7 % larger than at level 9.
const LEVEL: i32 = 1;

/// What goes into a bundle beside the public records of its chains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packing {
    /// The private parts: names of persons, machines and places, and values of variables.
    pub private: bool,
    /// What looks like a secret goes in all the same.
    pub secrets: bool,
}

/// The content of a bundle, before it is written.
#[derive(Clone, Debug)]
pub struct Packed {
    text: String,
    manifest: Manifest,
    /// In the order of the manifest's files.
    files: Vec<Packable>,
}

impl Packed {
    /// Gathers chains of a store: the same evidence gives the same bytes.
    ///
    /// # Errors
    ///
    /// A record is damaged; something looks like a secret.
    pub fn new(
        store: &Store,
        bundled: &Bundled,
        packing: Packing,
        made_by: &str,
    ) -> Result<Packed, BundleError> {
        Packed::enclosing(store, bundled, packing, made_by, &Enclosing::default())
    }

    /// The same, with files behind the text.
    ///
    /// # Errors
    ///
    /// As before; a file cannot be read, or is not what its digest says.
    pub fn enclosing(
        store: &Store,
        bundled: &Bundled,
        packing: Packing,
        made_by: &str,
        enclosing: &Enclosing,
    ) -> Result<Packed, BundleError> {
        let files = enclosing.packable()?;
        let mut gathered = Gathered::default();
        for chain in &bundled.chains {
            gathered.chain(store, chain.id.as_str(), packing)?;
        }
        let in_files = files.iter().flat_map(|file| file.secrets.iter().cloned());
        gathered.secrets.extend(in_files);
        if !gathered.secrets.is_empty() && !packing.secrets {
            return Err(BundleError::Secrets {
                found: gathered.secrets,
            });
        }
        let Gathered {
            mut lines,
            records,
            parts,
            ..
        } = gathered;
        for (_, part) in &parts {
            push(&mut lines, part);
        }
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let asked = bundled.chains.iter().filter(|chain| chain.asked);
        let mut captures = enclosing.captures.clone();
        captures.sort();
        captures.dedup();
        let manifest = Manifest {
            format: FORMAT.to_owned(),
            version: match files.is_empty() {
                true => OF_TEXT,
                false => VERSION,
            },
            made_by: made_by.to_owned(),
            asked: asked.map(|chain| chain.id.digest().clone()).collect(),
            chains: count(bundled.chains.len()),
            records,
            private: count(parts.len()),
            digest: blake3::hash(lines.as_bytes()).into(),
            files: files.iter().map(|file| file.file.clone()).collect(),
            captures,
        };
        let mut text = canonical::text(&manifest).map_err(|error| StoreError::Unexpected {
            path: store.folder().to_owned(),
            what: error.to_string(),
        })?;
        text.push('\n');
        text.push_str(&lines);
        Ok(Packed {
            text,
            manifest,
            files,
        })
    }

    /// What it says that it is.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// BLAKE3 of the text: what the bundle is called.
    #[must_use]
    pub fn digest(&self) -> Digest {
        name_of(&self.text)
    }

    /// The text: what a signature is of.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Bytes of the text, unpacked.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.text.len() as u64
    }

    /// Bytes of all files behind it, unpacked.
    #[must_use]
    pub fn file_bytes(&self) -> u64 {
        self.manifest.files.iter().fold(0, added)
    }

    /// Writes it to a file, whole or not at all; gives back how many bytes that has.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn write(&self, path: &Path) -> Result<u64, BundleError> {
        let written = || -> io::Result<u64> {
            let folder = path
                .parent()
                .filter(|folder| !folder.as_os_str().is_empty());
            let mut file = NamedTempFile::new_in(folder.unwrap_or(Path::new(".")))?;
            self.pack(file.as_file_mut())?;
            for enclosed in &self.files {
                enclosed.pack(file.as_file_mut())?;
            }
            file.as_file().sync_all()?;
            let bytes = file.as_file().metadata()?.len();
            self.is_taken(bytes)?;
            readable(file.as_file())?;
            file.persist(path).map_err(|error| error.error)?;
            Ok(bytes)
        };
        written().map_err(|error| BundleError::Unwritten {
            path: path.to_owned(),
            why: error.to_string(),
        })
    }

    /// What no reader takes is not given away.
    fn is_taken(&self, bytes: u64) -> io::Result<()> {
        let (most, holds) = (most_of(bytes), self.bytes().max(self.file_bytes()));
        if holds <= most {
            return Ok(());
        }
        Err(io::Error::other(format!(
            "it would unpack to {holds} bytes, and of a bundle of {bytes} bytes no reader takes \
             more than {most}; bundle fewer builds, or leave out --objects"
        )))
    }

    fn pack(&self, file: &mut File) -> io::Result<()> {
        let mut encoder = zstd::stream::write::Encoder::new(file, LEVEL)?;
        encoder.include_checksum(true)?;
        encoder.include_contentsize(true)?;
        encoder.set_pledged_src_size(Some(self.bytes()))?;
        encoder.write_all(self.text.as_bytes())?;
        encoder.finish().map(|_| ())
    }
}

/// A file that is meant for others is no secret of its owner's, as one for passing use is made.
fn readable(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

/// What has been gathered so far.
#[derive(Default)]
struct Gathered {
    lines: String,
    records: u32,
    /// Names of private parts and what they say, in the order of the records.
    parts: Vec<(String, String)>,
    known: BTreeSet<String>,
    secrets: Vec<Secret>,
}

impl Gathered {
    fn chain(&mut self, store: &Store, chain: &str, packing: Packing) -> Result<(), StoreError> {
        store.entries(chain, &mut |entry| {
            let id = name_of(entry.body);
            self.secrets.extend(secrets(entry.body, &id, entry.kind));
            push(&mut self.lines, entry.body);
            self.records += 1;
            if let (true, Some(name), Some(part)) = (packing.private, entry.private, entry.part)
                && self.known.insert(name.to_owned())
            {
                self.secrets
                    .extend(secrets(part.body, &id, "the private part of"));
                self.parts.push((name.to_owned(), part.body.to_owned()));
            }
            ControlFlow::Continue(())
        })
    }
}

fn push(lines: &mut String, line: &str) {
    lines.push_str(line);
    lines.push('\n');
}
