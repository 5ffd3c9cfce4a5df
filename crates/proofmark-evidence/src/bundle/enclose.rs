//! Files that go into a bundle behind its text.

use std::fs::File;
use std::io::{self, Read, Seek as _, SeekFrom, Write as _};
use std::path::PathBuf;

use proofmark_terms::Digest;

use crate::error::BundleError;
use crate::log::bundle::{ENCLOSES, EnclosedCapture, EnclosedFile};
use crate::secrets::{Secret, secrets_in};

/// zstd's level for images and objects: of 50 MB of CPython's objects level 3 makes 11 MB.
const LEVEL: i32 = 3;

/// What goes into a bundle behind its text.
#[derive(Clone, Debug, Default)]
pub struct Enclosing {
    /// The files. One that is named twice goes in once.
    pub files: Vec<ToEnclose>,
    /// The captured builds that are among them.
    pub captures: Vec<EnclosedCapture>,
}

/// A file that goes into a bundle.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ToEnclose {
    /// BLAKE3 of it, as records name it.
    pub digest: Digest,
    /// Where it is.
    pub path: PathBuf,
    /// What it is, for people: `the image of base, fib`.
    pub what: String,
}

impl Enclosing {
    /// The files in the order of a bundle, each once, read and held against its digest.
    pub(super) fn packable(&self) -> Result<Vec<Packable>, BundleError> {
        let mut files: Vec<&ToEnclose> = self.files.iter().collect();
        files.sort();
        files.dedup_by(|one, other| one.digest == other.digest);
        files.into_iter().map(Packable::of).collect()
    }
}

/// A file that goes into a bundle, and was read.
#[derive(Clone, Debug)]
pub(super) struct Packable {
    pub(super) file: EnclosedFile,
    pub(super) secrets: Vec<Secret>,
    path: PathBuf,
}

impl Packable {
    fn of(file: &ToEnclose) -> Result<Packable, BundleError> {
        let not = |why: String| BundleError::NotEnclosed {
            what: format!("{} ({})", file.what, file.path.display()),
            why,
        };
        let read = || -> io::Result<(Hashed<File>, Vec<Secret>)> {
            let mut hashed = Hashed::of(File::open(&file.path)?);
            let secrets = secrets_in(&mut hashed, &file.digest, &file.what)?;
            Ok((hashed, secrets))
        };
        let (hashed, secrets) = read().map_err(|error| not(error.to_string()))?;
        let (found, bytes) = hashed.end();
        if found != file.digest {
            return Err(not(
                "it has been changed since it was measured: measure again what it is now"
                    .to_owned(),
            ));
        }
        Ok(Packable {
            file: EnclosedFile {
                digest: file.digest.clone(),
                bytes,
            },
            secrets,
            path: file.path.clone(),
        })
    }

    /// Writes it as a frame of zstd inside of a skippable one.
    pub(super) fn pack(&self, bundle: &mut File) -> io::Result<()> {
        let at = bundle.stream_position()?;
        bundle.write_all(&ENCLOSES)?;
        bundle.write_all(&[0; 4])?;
        let mut hashed = Hashed::of(File::open(&self.path)?.take(self.file.bytes));
        let mut encoder = zstd::stream::write::Encoder::new(&mut *bundle, LEVEL)?;
        encoder.include_checksum(true)?;
        encoder.include_contentsize(true)?;
        encoder.set_pledged_src_size(Some(self.file.bytes))?;
        io::copy(&mut hashed, &mut encoder)?;
        encoder.finish()?;
        if hashed.end() != (self.file.digest.clone(), self.file.bytes) {
            let path = self.path.display();
            return Err(io::Error::other(format!("{path} was changed meanwhile")));
        }
        let end = bundle.stream_position()?;
        let length = u32::try_from(end - at - 8).map_err(|_| {
            let path = self.path.display();
            io::Error::other(format!("{path} is larger than a bundle can hold"))
        })?;
        bundle.seek(SeekFrom::Start(at + 4))?;
        bundle.write_all(&length.to_le_bytes())?;
        bundle.seek(SeekFrom::Start(end)).map(|_| ())
    }
}

/// What is read, with its hash.
struct Hashed<R> {
    from: R,
    hasher: blake3::Hasher,
}

impl<R> Hashed<R> {
    fn of(from: R) -> Self {
        Hashed {
            from,
            hasher: blake3::Hasher::new(),
        }
    }

    /// The digest of what was read, and how many bytes it was.
    fn end(self) -> (Digest, u64) {
        (self.hasher.finalize().into(), self.hasher.count())
    }
}

impl<R: Read> Read for Hashed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.from.read(buffer)?;
        self.hasher.update(buffer.get(..read).unwrap_or_default());
        Ok(read)
    }
}
