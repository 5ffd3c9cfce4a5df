//! What a build read outside of its sources, and what it looked for there in vain: hashed again
//! before the build is taken for what it was.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

use proofmark_capture::outside::{
    Follower, Following, Known as Followed, Outside, Touched, content,
};
use proofmark_capture::reads::{self, Note};
use proofmark_capture::stamp::Stamp;
use proofmark_capture::{Capture, CapturedLink, CompanionKind, CompiledObject, Seen, hash_file};
use proofmark_terms::OsText;
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use super::above::Copied;
use crate::memory::Memory;

/// Files outside of a build's own folder by their content, and names that led to nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Reads {
    files: Vec<(OsText, String)>,
    absent: Vec<OsText>,
    /// What any of the build's processes read, where it could be followed.
    outside: Option<Outside>,
    /// Why it could not.
    pub(super) unseen: Option<String>,
}

/// What was found out about a file before.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
struct Known {
    file: OsText,
    stamp: Stamp,
    hash: String,
}

impl Reads {
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

/// How the folders of notes begin: what a killed command leaves is known by it.
pub(super) const PREFIX: &str = "reads-";

/// The folder in which the compilers of one build leave what they read.
#[derive(Debug)]
pub(super) struct Watched {
    folder: TempDir,
    program: PathBuf,
    follower: Option<Follower>,
    /// When the build began, by the clock of the file system.
    began: (i64, i64),
}

impl Watched {
    /// Makes the folder; `program` is the one that acts as the shims. All processes of the build
    /// are followed, unless `alone`: it does not bear it.
    pub(super) fn begin(place: &Path, program: &Path, alone: bool) -> io::Result<Watched> {
        let folder = TempDir::with_prefix_in(PREFIX, place)?;
        let follower = (!alone)
            .then(|| Follower::begin(place, PREFIX, program))
            .transpose()?;
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
    pub(super) fn program(&self) -> &Path {
        &self.program
    }

    /// What the capture has to know of who follows the build, which works in `own` folders.
    pub(super) fn following(&self, own: &[&Path]) -> Option<Following> {
        let follower = self.follower.as_ref();
        follower.map(|follower| follower.following(own))
    }

    /// Why the build has to run again without being followed.
    pub(super) fn disturbed(&self) -> Option<String> {
        self.follower.as_ref()?.disturbed()
    }

    /// What a build that failed had to do with, as far as that can be told.
    pub(super) fn touched(&self, work: &Path, own: &Path) -> Touched {
        let ended = self.follower.as_ref().map(|of| of.end(&[work, own]));
        let known = ended.and_then(Result::ok);
        known.map(|(_, touched)| touched).unwrap_or_default()
    }

    /// Why a build of this copy is not what it would be in the place of its source.
    pub(super) fn misses(&self, copied: &Copied<'_>) -> Option<String> {
        let (sought, read) = self.follower.as_ref()?.sought();
        copied.misses(&sought, &read)
    }

    /// What was read, once the build has ended. `objects` are those of the image.
    ///
    /// # Errors
    /// When it is not known of an object, or a file changed while the build ran: nobody knows which
    /// content was read.
    pub(super) fn end(
        &self,
        work: &Path,
        own: &Path,
        capture: &Capture,
        objects: &[&CompiledObject],
        inputs: &[PathBuf],
    ) -> Result<(Reads, Touched), String> {
        let followed = self.follower.as_ref().map(|of| of.end(&[work, own]));
        let (outside, unseen, touched) = match followed.transpose()? {
            Some((Followed::All(outside), touched)) => (Some(outside), None, touched),
            Some((Followed::Nothing(why), touched)) => (None, Some(why), touched),
            None => (None, None, Touched::default()),
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
        let reads = Reads {
            files: found.files.into_iter().collect(),
            absent: found.absent.into_iter().collect(),
            outside,
            unseen,
        };
        Ok((reads, touched))
    }

    /// The words of those calls of a driver that linked a file of this name; of all that linked
    /// where none did by that name.
    pub(super) fn links(&self, output: &Path) -> Vec<Vec<String>> {
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

/// What is known outside of the build's own folder.
struct Found<'a> {
    work: &'a Path,
    began: (i64, i64),
    files: BTreeMap<OsText, String>,
    absent: BTreeSet<OsText>,
}

impl Found<'_> {
    /// Looks at a name that a compiler looked at: a file, or nothing. Whether there is a file.
    fn look(&mut self, name: &Path) -> Result<bool, String> {
        let Ok(real) = name.canonicalize() else {
            if !name.starts_with(self.work) {
                self.absent.insert(name.into());
            }
            return Ok(false);
        };
        if !real.is_file() {
            return Ok(false);
        }
        if real.starts_with(self.work) {
            return Ok(true);
        }
        // A link of the source's is gone with the copy.
        let name = if name.starts_with(self.work) {
            real.as_path()
        } else {
            name
        };
        if self.files.contains_key(&OsText::from(name)) {
            return Ok(true);
        }
        let changed = name
            .ancestors()
            .filter_map(|above| Some((above, fs::symlink_metadata(above).ok()?)))
            .filter(|(above, about)| about.is_symlink() || *above == name)
            .chain(fs::metadata(&real).ok().map(|about| (name, about)))
            .find(|(_, about)| (about.ctime(), about.ctime_nsec()) > self.began);
        if let Some((changed, _)) = changed {
            return Err(format!(
                "{} changed while the cell was built, which reads it\n  next: give the command again; a build writes into its own folder only",
                changed.display()
            ));
        }
        let hash =
            hash_file(&real).map_err(|error| format!("cannot read {}: {error}", real.display()))?;
        self.files.insert(name.into(), hash.into());
        Ok(true)
    }
}

impl Found<'_> {
    /// Looks at what compilers take instead of a header where it is there: the header compiled
    /// before.
    fn look_compiled(&mut self, header: &Path) -> Result<(), String> {
        for ending in [".gch", ".pch"] {
            let mut name = header.as_os_str().to_owned();
            name.push(ending);
            self.look(Path::new(&name))?;
        }
        Ok(())
    }
}

/// Looks at the files that the words of compilers name.
fn named(
    notes: &[Note],
    inputs: &[PathBuf],
    followed: bool,
    found: &mut Found<'_>,
) -> Result<(), String> {
    for note in notes {
        let cwd: &Path = note.cwd.as_ref().as_ref();
        let mut names: Vec<PathBuf> = note
            .named
            .iter()
            .map(|name| cwd.join(name.as_ref()))
            .collect();
        let mut known: BTreeSet<PathBuf> = BTreeSet::new();
        while let Some(name) = names.pop() {
            if found.look(&name)? && known.insert(name.clone()) {
                names.extend(taken_in(&name, cwd));
            }
        }
        for profile in &note.profiles {
            let Ok(place) = cwd.join(profile.as_ref()).canonicalize() else {
                continue;
            };
            let known = followed || inputs.iter().any(|input| input.starts_with(&place));
            if place.is_dir() && !place.starts_with(found.work) && !known {
                return Err(format!(
                    "-fprofile-use names the folder {}, outside of the source, and nobody knows which files of it were read: make it part of the source, or name it in `inputs`",
                    place.display()
                ));
            }
        }
    }
    Ok(())
}

/// The files that a file of options takes in: `%include <x>` in specifications of gcc, `@x` in a
/// configuration file of clang. A name counts from that file's folder, or from the compiler's.
fn taken_in(file: &Path, cwd: &Path) -> Vec<PathBuf> {
    const LARGEST: u64 = 1 << 20;
    if fs::metadata(file).map_or(true, |about| about.len() > LARGEST) {
        return Vec::new();
    }
    let text = fs::read(file).unwrap_or_default();
    let lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let names = lines.filter_map(|line| {
        let name = match line.strip_prefix(b"%include") {
            Some(rest) => {
                let rest = rest
                    .strip_prefix(b"_noerr")
                    .unwrap_or(rest)
                    .trim_ascii_start();
                rest.strip_prefix(b"<")?.strip_suffix(b">")?
            }
            None => line.strip_prefix(b"@")?,
        };
        let name = name.strip_prefix(b"<CFGDIR>/").unwrap_or(name);
        Some(Path::new(std::ffi::OsStr::from_bytes(name)))
    });
    let beside = file.parent().unwrap_or(cwd);
    names
        .flat_map(|name| [beside.join(name), cwd.join(name)])
        .collect()
}

/// The files that assembly in a text takes in, as they are spelt; `None` where a macro makes such a
/// name.
fn assembled(text: &[u8]) -> Option<Vec<PathBuf>> {
    let mut names = Vec::new();
    for takes in [&b".incbin"[..], b".include"] {
        let mut rest = text;
        while let Some(at) = rest.windows(takes.len()).position(|text| text == takes) {
            rest = rest
                .get(at + takes.len()..)
                .unwrap_or_default()
                .trim_ascii_start();
            // In a string of C the quotes of assembly are escaped.
            let quoted = rest.strip_prefix(b"\\\"").or(rest.strip_prefix(b"\""));
            let Some(quoted) = quoted else { continue };
            let name = quoted.iter().take_while(|byte| !b"\"\\\n".contains(byte));
            let name: Vec<u8> = name.copied().collect();
            if name.is_empty() {
                return None;
            }
            names.push(PathBuf::from(std::ffi::OsStr::from_bytes(&name)));
        }
    }
    Some(names)
}

/// Compilations that search the same folders.
struct Searched {
    cwd: PathBuf,
    search: Vec<PathBuf>,
    nowhere: BTreeSet<PathBuf>,
    files: BTreeSet<PathBuf>,
}

fn by_search(notes: &[Note]) -> Vec<Searched> {
    let mut all: HashMap<(&OsText, &[OsText]), Searched> = HashMap::new();
    for note in notes {
        let cwd = PathBuf::from(note.cwd.as_ref());
        let places = |names: &[OsText]| -> Vec<PathBuf> {
            names.iter().map(|name| cwd.join(name.as_ref())).collect()
        };
        let searched = all
            .entry((&note.cwd, note.search.as_slice()))
            .or_insert_with(|| Searched {
                search: places(&note.search),
                cwd: cwd.clone(),
                nowhere: BTreeSet::new(),
                files: BTreeSet::new(),
            });
        searched.nowhere.extend(places(&note.nowhere));
        searched.files.extend(places(&note.files));
    }
    all.into_values().collect()
}

impl Searched {
    /// `known` says that what cannot be told from here is known otherwise: every process was
    /// followed, or the source names its inputs.
    fn look(&self, found: &mut Found<'_>, known_otherwise: bool) -> Result<(), String> {
        for folder in &self.nowhere {
            found.look(folder)?;
        }
        // A name in quotes is looked for beside the file that includes it first.
        let beside: BTreeSet<&Path> = self
            .files
            .iter()
            .filter(|file| file.is_absolute() && !file.starts_with(found.work))
            .filter_map(|file| file.parent())
            .collect();
        let mut asked: BTreeSet<PathBuf> = BTreeSet::new();
        let mut files: Vec<PathBuf> = self.files.iter().cloned().collect();
        let mut known = self.files.clone();
        while let Some(file) = &files.pop() {
            found.look(file)?;
            found.look_compiled(file)?;
            if !file.exists() {
                // It was looked for everywhere.
                asked.extend(file.strip_prefix(&self.cwd).map(Path::to_owned));
            }
            let text = fs::read(file).unwrap_or_default();
            asked.extend(tested(&text));
            match assembled(&text) {
                Some(names) => {
                    for name in &names {
                        found.look(&self.cwd.join(name))?;
                        // What is taken in may take in more.
                        let places = [&self.cwd].into_iter().chain(&self.search);
                        let taken = places.map(|place| place.join(name));
                        let taken = taken.into_iter().find(|place| place.is_file());
                        files.extend(taken.filter(|place| known.insert(place.clone())));
                    }
                    asked.extend(names.into_iter().filter(|name| name.is_relative()));
                }
                None if known_otherwise => {}
                None => {
                    return Err(format!(
                        "{} takes a file in by `.incbin`, and a macro makes its name, so that nobody knows which: name the file in `inputs`",
                        file.display()
                    ));
                }
            }
            for (at, folder) in self.search.iter().enumerate() {
                let Ok(name) = file.strip_prefix(folder) else {
                    continue;
                };
                for earlier in self.search.iter().take(at) {
                    found.look(&earlier.join(name))?;
                    found.look_compiled(&earlier.join(name))?;
                }
                for folder in &beside {
                    found.look(&folder.join(name))?;
                }
            }
        }
        for name in asked {
            for folder in &beside {
                found.look(&folder.join(&name))?;
            }
            for folder in &self.search {
                if found.look(&folder.join(&name))? {
                    break;
                }
            }
        }
        Ok(())
    }
}

/// The names that a file asks for by `__has_include` and `__has_embed`, which are looked for and
/// need not be read.
fn tested(text: &[u8]) -> Vec<PathBuf> {
    const ASKS: [&[u8]; 3] = [b"__has_include_next", b"__has_include", b"__has_embed"];
    let asked_at = |at: usize| {
        let rest = text.get(at..)?;
        let asked = ASKS.iter().find_map(|asks| rest.strip_prefix(*asks))?;
        let asked = asked.trim_ascii_start().strip_prefix(b"(")?;
        let (first, asked) = asked.trim_ascii_start().split_first()?;
        let end = match first {
            b'<' => b'>',
            b'"' => b'"',
            _ => return None,
        };
        let line = asked.split(|byte| *byte == b'\n').next()?;
        let length = line.iter().position(|byte| *byte == end)?;
        let name = line.get(..length)?;
        Some(PathBuf::from(std::ffi::OsStr::from_bytes(name)))
    };
    (0..text.len()).filter_map(asked_at).collect()
}

/// What a link read, and where it looked for libraries in vain.
fn linked(link: &CapturedLink, found: &mut Found<'_>) -> Result<(), String> {
    for library in &link.companions {
        if let CompanionKind::Library | CompanionKind::LinkedLibrary = library.kind {
            found.look(&library.path)?;
        }
    }
    let recipe = link.as_built();
    let cwd = &recipe.cwd;
    found.look(&recipe.linker.path)?;
    let folders: Vec<PathBuf> = recipe
        .argv
        .iter()
        .filter_map(|word| word.as_bytes().strip_prefix(b"-L"))
        .filter(|folder| !folder.is_empty())
        .map(|folder| cwd.join(std::ffi::OsStr::from_bytes(folder)))
        .collect();
    for input in &recipe.inputs {
        let place = cwd.join(&input.given);
        // What has gone since was made by the build itself.
        if !place.exists() {
            continue;
        }
        found.look(&place)?;
        let hash = found.files.get(&OsText::from(place.as_path()));
        if hash.is_some_and(|hash| input.hash != hash.as_str()) {
            return Err(format!(
                "{} changed while the cell was built, which links it\n  next: give the command again",
                place.display()
            ));
        }
    }
    let libraries = recipe
        .argv
        .iter()
        .filter_map(|word| word.as_bytes().strip_prefix(b"-l"));
    for name in libraries.filter(|name| !name.is_empty()) {
        let files = [&b".so"[..], b".a"].map(|ending| {
            let file = match name.strip_prefix(b":") {
                Some(file) => file.to_vec(),
                None => [b"lib", name, ending].concat(),
            };
            PathBuf::from(std::ffi::OsStr::from_bytes(&file))
        });
        'folders: for folder in &folders {
            for file in &files {
                if found.look(&folder.join(file))? {
                    break 'folders;
                }
            }
        }
    }
    Ok(())
}

fn is_there(name: &Path) -> bool {
    name.symlink_metadata().is_ok() && name.exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_assembly_takes_in_are_found_in_c_and_by_themselves() {
        let names = |text: &str| assembled(text.as_bytes());
        let one = |name: &str| Some(vec![PathBuf::from(name)]);
        assert_eq!(
            names("asm(\".incbin \\\"/p/x.bin\\\"\\n\");"),
            one("/p/x.bin")
        );
        assert_eq!(names("  .include \"../x.s\"\n"), one("../x.s"));
        assert_eq!(names("asm(\".incbin \\\"\" FILE \"\\\"\");"), None);
        assert_eq!(names("// the .incbin directive"), Some(Vec::new()));
    }

    #[test]
    fn files_that_are_asked_for_and_need_not_be_read_are_found() {
        let text = "#if __has_include_next ( <a/b.h> ) || __has_include(\"c.h\")\n\
            #elif __has_embed(\"/p/d.bin\" limit(1)) && __has_embed(MADE)\n";
        let names = ["a/b.h", "c.h", "/p/d.bin"].map(PathBuf::from);
        assert_eq!(tested(text.as_bytes()), names);
    }
}
