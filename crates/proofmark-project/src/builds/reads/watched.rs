//! A build whose reads are noted: by its compilers, and by who follows all of its processes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

use proofmark_capture::outside::{Follower, Following, Known as Followed, Maker, Sought, Touched};
use proofmark_capture::reads::{self, Note};
use proofmark_capture::{Capture, CompiledObject, Seen};
use tempfile::TempDir;

use super::found::Found;
use super::search::by_search;
use super::words::{linked, named};
use super::{OfTree, Reads};
use crate::sources::Copied;

/// How the folders of notes begin: what a killed command leaves is known by it.
pub(in crate::builds) const PREFIX: &str = "reads-";

/// The folder in which the compilers of one build leave what they read.
#[derive(Debug)]
pub(in crate::builds) struct Watched {
    folder: TempDir,
    program: PathBuf,
    follower: Option<Follower>,
    /// When the build began, by the clock of the file system.
    began: (i64, i64),
}

impl Watched {
    /// Makes the folder; `program` is the one that acts as the shims. All processes of the build
    /// are followed, and known as those of this `maker`; of none where it does not bear it.
    pub(in crate::builds) fn begin(
        place: &Path,
        program: &Path,
        maker: Option<&Maker>,
    ) -> io::Result<Watched> {
        let folder = TempDir::with_prefix_in(PREFIX, place)?;
        let follower = maker.map(|maker| {
            let follower = Follower::begin(place, PREFIX, program)?;
            follower.is_of(maker)?;
            Ok::<Follower, io::Error>(follower)
        });
        let follower = follower.transpose()?;
        let program = reads::prepare(folder.path(), program)?;
        let about = fs::metadata(folder.path())?;
        Ok(Watched {
            folder,
            program,
            follower,
            began: (about.ctime(), about.ctime_nsec()),
        })
    }

    /// What the wrappers of compilers start before these.
    pub(in crate::builds) fn program(&self) -> &Path {
        &self.program
    }

    /// What the capture has to know of who follows the build, which works in `own` folders.
    pub(in crate::builds) fn following(&self, own: &[&Path]) -> Option<Following> {
        let follower = self.follower.as_ref();
        follower.map(|follower| follower.following(own))
    }

    /// Why the build has to run again without being followed.
    pub(in crate::builds) fn disturbed(&self) -> Option<String> {
        self.follower.as_ref()?.disturbed()
    }

    /// What was seen of a build that has ended, or why that is not known; nothing of one that was
    /// not followed. And what it had to do with, in any case.
    pub(in crate::builds) fn ended(
        &self,
        work: &Path,
        own: &Path,
    ) -> (Option<Result<Followed, String>>, Touched) {
        match self.follower.as_ref().map(|of| of.end(&[work, own])) {
            Some((known, touched)) => (Some(known), touched),
            None => (None, Touched::default()),
        }
    }

    /// Why a build of this copy is not what it would be in the place of its source.
    pub(in crate::builds) fn misses(&self, copied: &Copied<'_>) -> Option<String> {
        copied.misses(&self.follower.as_ref()?.sought())
    }

    /// What the build had to do with, wherever it is, as far as that was seen.
    pub(in crate::builds) fn sought(&self) -> Sought {
        let sought = |follower: &Follower| follower.sought();
        self.follower.as_ref().map(sought).unwrap_or_default()
    }

    /// What was read, once the build has ended and `followed` is known of it. `objects` are those
    /// of the image.
    ///
    /// # Errors
    /// When it is not known of an object, or a file changed while the build ran: nobody knows which
    /// content was read.
    pub(in crate::builds) fn end(
        &self,
        work: &Path,
        followed: Option<Result<Followed, String>>,
        capture: &Capture,
        objects: &[&CompiledObject],
        inputs: &[PathBuf],
    ) -> Result<Reads, String> {
        let (outside, unseen) = match followed.transpose()? {
            Some(Followed::All(outside)) => (Some(outside), None),
            Some(Followed::Nothing(why)) => (None, Some(why)),
            None => (None, None),
        };
        // Where every process was seen, nothing has to be guessed from words.
        let known = outside.is_some() || !inputs.is_empty();
        let notes = reads::notes(self.folder.path())
            .map_err(|error| format!("cannot read what the compilers read: {error}"))?;
        known_of_all(objects, &notes)?;
        let mut found = Found {
            work,
            began: self.began,
            files: BTreeMap::new(),
            absent: BTreeSet::new(),
        };
        for input in inputs {
            found.look(input)?;
        }
        for tool in &capture.toolchain {
            found.look(&tool.path)?;
            for library in &tool.libraries {
                found.look(&library.path)?;
            }
        }
        named(&notes, inputs, outside.is_some(), &mut found)?;
        for searched in by_search(&notes) {
            searched.look(&mut found, known)?;
        }
        let repeats = capture.repeats.iter().flatten();
        for link in capture.links.iter().chain(repeats) {
            linked(link, &mut found)?;
        }
        Ok(Reads {
            files: found.files.into_iter().collect(),
            absent: found.absent.into_iter().collect(),
            outside,
            unseen,
            not_copied: Vec::new(),
            displaced: Vec::new(),
            of_tree: OfTree::default(),
        })
    }

    /// The words of those calls of a driver that linked a file of this name; of all that linked
    /// where none did by that name.
    pub(in crate::builds) fn links(&self, output: &Path) -> Vec<Vec<String>> {
        let notes = reads::notes(self.folder.path()).unwrap_or_default();
        let all: Vec<Vec<String>> = notes
            .iter()
            .filter_map(|note| note.linked.as_ref())
            .map(|words| {
                let words = words.iter().map(|word| word.as_ref().to_string_lossy());
                words.map(std::borrow::Cow::into_owned).collect()
            })
            .collect();
        let name = output.file_name().unwrap_or_default().to_string_lossy();
        let writes = |words: &Vec<String>| {
            let named = words.iter().enumerate().filter_map(|(at, word)| {
                match word.strip_prefix("-o")? {
                    "" => words.get(at + 1).map(String::as_str),
                    joined => Some(joined),
                }
            });
            let file = named.fold("a.out", |_, named| named);
            Path::new(file)
                .file_name()
                .is_some_and(|file| *file == *name)
        };
        let named: Vec<Vec<String>> = all.iter().filter(|words| writes(words)).cloned().collect();
        if named.is_empty() { all } else { named }
    }
}

/// Every object of the image was compiled by this build, through the toolchain's own name, and its
/// reads are known.
fn known_of_all(objects: &[&CompiledObject], notes: &[Note]) -> Result<(), String> {
    for object in objects {
        if let Seen::Earlier { capture } = &object.seen {
            return Err(format!(
                "{object} comes out of a cache (it was compiled for {capture}), so that nobody knows what it was made from\n  next: build without the cache"
            ));
        }
        let Some(source) = object.source.as_deref().filter(|_| is_preprocessed(object)) else {
            continue;
        };
        let source_place = plain(source);
        let of_it = |note: &&Note| {
            Path::new(&note.source).file_name() == source.file_name()
                && plain(&Path::new(&note.cwd).join(note.source.as_ref())) == source_place
        };
        let mut noted = notes.iter().filter(of_it).peekable();
        if noted.peek().is_none() {
            return Err(format!(
                "{} was not compiled through {{cc}} or {{cxx}}, so that nobody knows what it was made from: does its build use them for all files?",
                source.display()
            ));
        }
        let mut failed: Vec<&String> = Vec::new();
        for note in noted {
            match &note.failed {
                None => failed.clear(),
                Some(why) => failed.push(why),
            }
            if note.failed.is_none() {
                break;
            }
        }
        if let Some(why) = failed.first() {
            return Err(format!(
                "nobody knows what {} was made from: {why}",
                source.display()
            ));
        }
    }
    Ok(())
}

/// A place without links and detours; a file that has gone since keeps its links.
fn plain(place: &Path) -> PathBuf {
    if let Ok(real) = place.canonicalize() {
        return real;
    }
    let mut plain = PathBuf::new();
    for part in place.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

/// Whether an object was made by a compilation that reads headers.
fn is_preprocessed(object: &CompiledObject) -> bool {
    let compiler = object.compiler.as_deref().and_then(Path::file_name);
    let of_link = compiler.is_some_and(|name| name == "lto1");
    let ending = object.source.as_deref().and_then(Path::extension);
    let assembly =
        ending.is_some_and(|ending| ["s", "asm", "i", "ii"].iter().any(|e| ending == *e));
    matches!(object.seen, Seen::Compiled) && !of_link && !assembly
}
