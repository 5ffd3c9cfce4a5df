//! From a bundle's file to its lines, whoever wrote it: in bounded memory, and with every number of
//! the manifest held against what is there.

use std::fs::File;
use std::io::{self, Read as _, Seek as _};
use std::ops::Range;
use std::path::Path;

use proofmark_terms::Digest;
use zstd::stream::read::Decoder;

use super::enclosures::Enclosures;
use super::manifest::{EnclosedFile, Manifest};
use super::unread::{Unread, WINDOW_LOG};
use super::{FORMAT, OF_TEXT, VERSION};
use crate::error::BundleError;

/// A file of text that holds more than so many times its own bytes was made to hurt: evidence is
/// packed to a third, at most to a thirtieth.
const MOST_RATIO: u64 = 200;

/// Small files may hold this much, in bytes.
const ALWAYS: u64 = 16 << 20;

/// No file may hold more, in bytes.
const MOST: u64 = 4 << 30;

/// Most bytes of a frame's header (RFC 8878, section 3.1.1), its magic number included.
const HEAD: u64 = 18;

/// The content of a bundle, unpacked.
#[derive(Debug)]
pub struct Content {
    text: String,
    manifest: Manifest,
    enclosures: Enclosures,
}

impl Content {
    /// Unpacks a bundle, and holds its manifest against what is there.
    ///
    /// # Errors
    ///
    /// The file cannot be read, is none, is damaged, unpacks to too much, or is of a later version.
    pub fn read(path: &Path) -> Result<Content, BundleError> {
        let Unpacked { text, end, length } = unpacked(path)?;
        let damaged = |what: String| BundleError::Damaged {
            path: path.to_owned(),
            what,
        };
        let (first, rest) = text
            .split_once('\n')
            .ok_or_else(|| damaged("it has no manifest".to_owned()))?;
        let manifest = manifest(path, first)?;
        let found: Digest = blake3::hash(rest.as_bytes()).into();
        if found != manifest.digest {
            return Err(damaged(format!(
                "its content hashes to {found}, and its manifest says {}",
                manifest.digest
            )));
        }
        if !rest.is_empty() && !rest.ends_with('\n') {
            return Err(damaged("its last line has no end".to_owned()));
        }
        let lines = rest.lines().count() as u64;
        let said = u64::from(manifest.records) + u64::from(manifest.private);
        if lines != said {
            return Err(damaged(format!(
                "it has {lines} lines, and its manifest says {said}"
            )));
        }
        if most_of(length) < manifest.files.iter().fold(0, added) {
            let most = most_of(length);
            let path = path.to_owned();
            return Err(BundleError::TooLarge { path, most });
        }
        let enclosures = Enclosures::found(path, end..length, &manifest)?;
        Ok(Content {
            text,
            manifest,
            enclosures,
        })
    }

    /// What it says that it is.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// All text, the manifest included: what a signature is of.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The files that stand behind the text. None of them was read yet.
    #[must_use]
    pub fn enclosures(&self) -> &Enclosures {
        &self.enclosures
    }

    /// BLAKE3 of all text, which has the digests of the files: what the bundle is called.
    #[must_use]
    pub fn digest(&self) -> Digest {
        blake3::hash(self.text.as_bytes()).into()
    }

    /// All of it, with where each line behind the manifest stands: first the records, then the
    /// private parts.
    pub(super) fn into_lines(self) -> (String, Vec<Range<usize>>, Manifest) {
        let mut lines = Vec::new();
        let mut from = 0;
        for line in self.text.split_inclusive('\n') {
            let to = from + line.len();
            lines.push(from..to - usize::from(line.ends_with('\n')));
            from = to;
        }
        // The manifest.
        lines.remove(0);
        (self.text, lines, self.manifest)
    }
}

fn manifest(path: &Path, line: &str) -> Result<Manifest, BundleError> {
    /// What every version says.
    #[derive(serde::Deserialize)]
    struct AnyVersion {
        format: String,
        version: u32,
        #[serde(default)]
        made_by: String,
    }
    let damaged = |what: String| BundleError::Damaged {
        path: path.to_owned(),
        what,
    };
    let any: AnyVersion = serde_json::from_str(line)
        .map_err(|error| damaged(format!("its first line is no manifest: {error}")))?;
    if any.format != FORMAT {
        return Err(damaged(format!("it says that it is a {:?}", any.format)));
    }
    if any.version > VERSION {
        return Err(BundleError::Newer {
            path: path.to_owned(),
            found: any.version,
            known: VERSION,
            made_by: any.made_by,
        });
    }
    let manifest: Manifest = serde_json::from_str(line)
        .map_err(|error| damaged(format!("its manifest is none: {error}")))?;
    let encloses = !manifest.files.is_empty() || !manifest.captures.is_empty();
    if encloses && manifest.version == OF_TEXT {
        return Err(damaged(format!(
            "it is of version {OF_TEXT}, which has no files, and its manifest names some"
        )));
    }
    Ok(manifest)
}

/// Most bytes that a bundle of this many may unpack to: its text, and all of its files.
pub(crate) fn most_of(length: u64) -> u64 {
    length.saturating_mul(MOST_RATIO).clamp(ALWAYS, MOST)
}

/// The bytes of files so far, and those of one more.
pub(crate) fn added(bytes: u64, file: &EnclosedFile) -> u64 {
    bytes.saturating_add(file.bytes)
}

/// The text of a bundle, and where it ends.
struct Unpacked {
    text: String,
    /// Bytes of the packed text.
    end: u64,
    /// Bytes of the file.
    length: u64,
}

fn unpacked(path: &Path) -> Result<Unpacked, BundleError> {
    let read = || -> Result<Unpacked, Unread> {
        // A pipe that nobody writes to would be waited for when it is opened.
        let about = std::fs::metadata(path)?;
        if !about.is_file() {
            return Err(Unread::Damaged("it is no file".to_owned()));
        }
        let mut file = File::open(path)?;
        let length = about.len();
        let most = most_of(length);
        if declared(&mut file)?.is_some_and(|declared| declared > most) {
            return Err(Unread::TooLarge(most));
        }
        let mut decoder = Decoder::new(file)?.single_frame();
        decoder.window_log_max(WINDOW_LOG)?;
        let mut content = Vec::new();
        let mut limited = decoder.by_ref().take(most + 1);
        limited.read_to_end(&mut content)?;
        if content.len() as u64 > most {
            return Err(Unread::TooLarge(most));
        }
        let end = decoder.finish().stream_position()?;
        let text = String::from_utf8(content)
            .map_err(|error| Unread::Damaged(format!("it is no text: {error}")))?;
        Ok(Unpacked { text, end, length })
    };
    read().map_err(|unread| unread.of(path.to_owned()))
}

/// The size that a frame says its content has, where it says one and is a frame.
fn declared(file: &mut File) -> io::Result<Option<u64>> {
    let mut head = Vec::new();
    file.by_ref().take(HEAD).read_to_end(&mut head)?;
    file.rewind()?;
    Ok(zstd::zstd_safe::get_frame_content_size(&head)
        .ok()
        .flatten())
}
