//! Who compiled the objects of a link, and with which flags.
//!
//! An object is known by its content: what an assembler's shim saw being written is recognised wherever the build moved it, in an
//! archive too. clang assembles within itself; its objects are known by the place that it noted, and by the source that they name.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use crate::lossless::OsText;
use object::{Object, ObjectSymbol, SymbolKind};
use proofmark_layout::InputKind;
use serde::Deserialize;

use super::found::absolute;
use super::run::Run;
use super::shims::FUNCTION_SECTIONS;
use crate::elf;
use crate::event::{Assembled, Compiled, Event, Linked, LinkedInput, Rustc};
use crate::model::{Capture, CompiledObject, Seen};
use crate::objects::hash_file;

/// How an object was made.
#[derive(Clone, Debug, Default)]
struct Origin {
    compiler: Option<PathBuf>,
    flags: Vec<OsString>,
    source: Option<PathBuf>,
}

/// Everything known about who made which object.
pub(super) struct Origins {
    /// By content.
    by_hash: HashMap<String, Origin>,
    /// By the absolute place that the compiler wrote to.
    by_place: HashMap<PathBuf, Origin>,
    /// clang's, by the file name of the source.
    by_source: HashMap<OsString, Origin>,
    /// `rustc`, by the process that linked.
    rustc: Vec<Rustc>,
    /// Outputs of other links, by content.
    linked: HashMap<String, PathBuf>,
    /// Earlier captures' objects, by content.
    earlier: HashMap<String, (String, Origin)>,
    started_ns: i64,
    system: Vec<PathBuf>,
}

/// A line of clang's compilation database.
#[derive(Deserialize)]
struct Fragment {
    directory: String,
    file: String,
    output: Option<String>,
    arguments: Vec<String>,
}

impl Origins {
    pub(super) fn of(run: &Run, earlier: &[Capture]) -> std::io::Result<Origins> {
        let mut origins = Origins {
            by_hash: HashMap::new(),
            by_place: HashMap::new(),
            by_source: HashMap::new(),
            rustc: Vec::new(),
            linked: HashMap::new(),
            earlier: HashMap::new(),
            started_ns: run.started_ns,
            system: system_folders(run),
        };
        let compiled: Vec<&Compiled> = run
            .events
            .iter()
            .filter_map(|event| {
                if let Event::Compiled(compiled) = event {
                    Some(compiled)
                } else {
                    None
                }
            })
            .collect();
        for event in &run.events {
            match event {
                Event::Assembled(assembled) => origins.assembled(assembled, &compiled),
                Event::Rustc(rustc) => origins.rustc(rustc),
                Event::Linked(linked) => {
                    origins
                        .linked
                        .insert(linked.hash.clone(), linked.output_path());
                }
                Event::Compiled(_) => {}
            }
        }
        for text in run.session.clang_fragments()? {
            text.split(|byte| *byte == b'\n')
                .filter_map(fragment)
                .for_each(|fragment| origins.clang(&fragment));
        }
        for capture in earlier {
            for object in capture
                .objects
                .iter()
                .filter(|object| !matches!(object.seen, Seen::Unseen { .. }))
            {
                let origin = Origin {
                    compiler: object.compiler.clone(),
                    flags: object.flags.clone(),
                    source: object.source.clone(),
                };
                origins
                    .earlier
                    .insert(object.hash.clone(), (capture.name.clone(), origin));
            }
        }
        Ok(origins)
    }

    /// The compilation that wrote the assembler's input; through a pipe, the one that the same driver started.
    fn assembled(&mut self, assembled: &Assembled, compiled: &[&Compiled]) {
        let by_file = compiled.iter().rfind(|compiled| {
            compiled
                .output
                .as_ref()
                .is_some_and(|output| assembled.inputs.contains(output))
        });
        let by_pipe = || {
            compiled.iter().rfind(|compiled| {
                compiled.output.is_none()
                    && compiled.parent.is_some()
                    && compiled.parent == assembled.parent
            })
        };
        let origin = match by_file.or_else(by_pipe) {
            Some(compiled) => Origin {
                compiler: Some(path(&compiled.compiler)),
                flags: words(&compiled.flags),
                source: compiled
                    .source
                    .as_ref()
                    .map(|source| path(&compiled.cwd).join(source.as_ref())),
            },
            None => Origin {
                compiler: Some(path(&assembled.assembler)),
                flags: words(&assembled.flags),
                source: assembled.inputs.last().map(path),
            },
        };
        self.by_hash.insert(assembled.hash.clone(), origin.clone());
        self.by_place
            .insert(absolute(&path(&assembled.output)), origin);
    }

    /// A crate's library is named by cargo; the objects of a link are those of the `rustc` that started it.
    fn rustc(&mut self, rustc: &Rustc) {
        if let Some(library) = rust_library(rustc) {
            self.by_place.insert(absolute(&library), rust_origin(rustc));
        }
        self.rustc.push(rustc.clone());
    }

    fn clang(&mut self, fragment: &Fragment) {
        let Some(output) = &fragment.output else {
            return;
        };
        let directory = PathBuf::from(plain(&fragment.directory));
        let source = directory.join(plain(&fragment.file));
        let mut arguments = fragment.arguments.iter().map(|word| plain(word));
        let compiler = arguments.next().map(PathBuf::from);
        let flags = arguments.filter(|word| word != FUNCTION_SECTIONS).collect();
        let origin = Origin {
            compiler,
            flags,
            source: Some(source.clone()),
        };
        self.by_source.insert(
            source.file_name().unwrap_or_default().to_owned(),
            origin.clone(),
        );
        let place = absolute(&directory.join(plain(output)));
        if let Ok(hash) = hash_file(&place) {
            self.by_hash.insert(hash, origin.clone());
        }
        self.by_place.insert(place, origin);
    }

    /// The objects of a link, but for those of the system and of the toolchain.
    pub(super) fn objects(&self, link: &Linked, run: &Run) -> Vec<CompiledObject> {
        let rustc = self.rustc_of(link);
        let mut found = Vec::new();
        for input in &link.inputs {
            let place = absolute(&path(&link.cwd).join(input.given.as_ref()));
            if self.is_system(&place, &run.cwd) {
                continue;
            }
            match input.kind {
                InputKind::Object | InputKind::Bitcode | InputKind::GccLto => {
                    found.push(self.object(input, None, &input.hash, &place, rustc.as_ref(), run));
                }
                InputKind::Archive | InputKind::ThinArchive => {
                    for member in &input.members {
                        if !is_metadata(&member.name) {
                            found.push(self.object(
                                input,
                                Some(&member.name),
                                &member.hash,
                                &place,
                                rustc.as_ref(),
                                run,
                            ));
                        }
                    }
                }
                InputKind::SharedLibrary | InputKind::Script | InputKind::Other => {}
            }
        }
        found
    }

    /// The `rustc` that started a link, and so made the objects that are no archive's members.
    fn rustc_of(&self, link: &Linked) -> Option<Origin> {
        let process = link.ancestors.iter().find(|process| process.is_rustc())?;
        let noted = self.rustc.iter().find(|rustc| {
            rustc
                .process
                .as_ref()
                .is_some_and(|noted| noted.pid == process.pid && noted.started == process.started)
        });
        Some(noted.map_or_else(
            || Origin {
                compiler: Some(path(&process.program)),
                ..Origin::default()
            },
            rust_origin,
        ))
    }

    fn object(
        &self,
        input: &LinkedInput,
        member: Option<&OsText>,
        hash: &str,
        place: &Path,
        rustc: Option<&Origin>,
        run: &Run,
    ) -> CompiledObject {
        let (seen, origin) = self.origin(input, member, hash, place, rustc, run);
        CompiledObject {
            file: path(&input.given),
            member: member.map(|name| name.as_ref().to_owned()),
            hash: hash.to_owned(),
            seen,
            compiler: origin.compiler,
            flags: origin.flags,
            source: origin.source,
        }
    }

    fn origin(
        &self,
        input: &LinkedInput,
        member: Option<&OsText>,
        hash: &str,
        place: &Path,
        rustc: Option<&Origin>,
        run: &Run,
    ) -> (Seen, Origin) {
        let compiled = |origin: &Origin| (Seen::Compiled, origin.clone());
        if let Some(origin) = self.by_hash.get(hash) {
            return compiled(origin);
        }
        if self.linked.contains_key(hash) {
            return (Seen::Linked, Origin::default());
        }
        let fresh = input.modified_ns >= self.started_ns;
        let own_place = fresh.then(|| self.by_place.get(place)).flatten();
        if let Some(origin) = own_place.or(rustc.filter(|_| member.is_none())) {
            return compiled(origin);
        }
        let content = || content(run, input, member);
        if fresh
            && let Some(origin) = content()
                .as_deref()
                .and_then(source_named_in)
                .and_then(|source| self.by_source.get(&source).cloned())
        {
            return (Seen::Compiled, origin);
        }
        if let Some((capture, origin)) = self.earlier.get(hash) {
            return (
                Seen::Earlier {
                    capture: capture.clone(),
                },
                origin.clone(),
            );
        }
        if fresh
            && content().is_some_and(|data| elf::comments(&data).is_empty() && !has_bitcode(&data))
        {
            return (Seen::Assembled, Origin::default());
        }
        (
            Seen::Unseen {
                guess: guess(fresh).to_owned(),
            },
            Origin::default(),
        )
    }

    /// Toolchains and system libraries, unless the project itself lies there.
    fn is_system(&self, place: &Path, cwd: &Path) -> bool {
        let real = place.canonicalize().unwrap_or_else(|_| place.to_owned());
        let own = place.starts_with(cwd) || real.starts_with(cwd);
        !own && [place, &real]
            .iter()
            .any(|place| self.system.iter().any(|folder| place.starts_with(folder)))
    }
}

fn guess(fresh: bool) -> &'static str {
    if fresh {
        "it appeared during the build without a compiler: from a compiler cache, a compile daemon, or copied"
    } else {
        "it is older than this build: the tree was not clean, or it came ready-made"
    }
}

/// Folders whose objects and archives belong to nobody's build.
fn system_folders(run: &Run) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = [
        "/usr",
        "/lib",
        "/lib32",
        "/lib64",
        "/libx32",
        "/nix/store",
        "/gnu/store",
    ]
    .map(PathBuf::from)
    .to_vec();
    for event in &run.events {
        let Event::Linked(link) = event else { continue };
        // A toolchain outside of /usr: the folder above its `bin`.
        let tools = link.driver.iter().map(path).chain(
            link.ancestors
                .iter()
                .filter(|process| process.is_rustc())
                .map(|process| path(&process.program)),
        );
        for tool in tools {
            let real = tool.canonicalize().unwrap_or(tool);
            folders.extend(
                real.parent()
                    .filter(|folder| folder.ends_with("bin"))
                    .and_then(Path::parent)
                    .map(Path::to_owned),
            );
        }
    }
    folders.retain(|folder| folder.components().count() > 1);
    super::distinct(folders)
}

/// Members of Rust's libraries that hold no code.
fn is_metadata(name: &OsText) -> bool {
    let name = name.as_bytes();
    name == b"lib.rmeta" || name.ends_with(b".rmeta") || name == b"/" || name == b"//"
}

/// An object's bytes, from the session or the store.
fn content(run: &Run, input: &LinkedInput, member: Option<&OsText>) -> Option<Vec<u8>> {
    let Some(member) = member else {
        return fs::read(run.session.blob(&input.hash)).ok();
    };
    if input.kind == InputKind::ThinArchive {
        let hash = &input
            .members
            .iter()
            .find(|known| known.name == *member)?
            .hash;
        return fs::read(run.session.blob(hash)).ok();
    }
    let archive = fs::read(run.session.blob(&input.hash)).ok()?;
    let parsed = object::read::archive::ArchiveFile::parse(&*archive).ok()?;
    let found = parsed
        .members()
        .filter_map(Result::ok)
        .find(|known| known.name() == member.as_bytes())?;
    found.data(&*archive).ok().map(<[u8]>::to_vec)
}

/// The source that an object names in its symbol table: an object may have been moved, its compiler's note stays.
fn source_named_in(data: &[u8]) -> Option<OsString> {
    let file = object::File::parse(data).ok()?;
    let symbol = file
        .symbols()
        .find(|symbol| symbol.kind() == SymbolKind::File)?;
    let name = OsStr::from_bytes(symbol.name_bytes().ok()?);
    Some(Path::new(name).file_name()?.to_owned())
}

fn has_bitcode(data: &[u8]) -> bool {
    crate::link::inputs::kind_of(data) == InputKind::Bitcode
}

/// `OUT_DIR/libNAME-HASH.rlib`.
fn rust_library(rustc: &Rustc) -> Option<PathBuf> {
    let words: Vec<&OsStr> = rustc.arguments.iter().map(AsRef::as_ref).collect();
    let value = |option: &str| {
        let at = words.iter().position(|word| *word == option)?;
        words.get(at + 1).copied()
    };
    let extra = words
        .iter()
        .find_map(|word| word.as_bytes().strip_prefix(b"extra-filename="));
    let mut name = OsString::from("lib");
    name.push(value("--crate-name")?);
    name.push(OsStr::from_bytes(extra.unwrap_or_default()));
    name.push(".rlib");
    Some(path(&rustc.cwd).join(value("--out-dir")?).join(name))
}

fn rust_origin(rustc: &Rustc) -> Origin {
    let source = rustc
        .arguments
        .iter()
        .find(|word| word.as_bytes().ends_with(b".rs"));
    Origin {
        compiler: Some(path(&rustc.compiler)),
        flags: words(&rustc.arguments),
        source: source.map(|source| path(&rustc.cwd).join(source.as_ref())),
    }
}

/// clang writes names as they are, which need not be UTF-8: each byte is taken for a letter here, and [`plain`] takes it back.
fn fragment(line: &[u8]) -> Option<Fragment> {
    let text: String = line.iter().map(|byte| char::from(*byte)).collect();
    serde_json::from_str(text.trim().trim_end_matches(',')).ok()
}

/// The bytes of a text whose letters are bytes.
fn plain(text: &str) -> OsString {
    let bytes: Result<Vec<u8>, _> = text
        .chars()
        .map(|letter| u8::try_from(u32::from(letter)))
        .collect();
    bytes.map_or_else(|_| text.into(), OsString::from_vec)
}

fn path(text: &OsText) -> PathBuf {
    PathBuf::from(text.as_ref())
}

fn words(texts: &[OsText]) -> Vec<OsString> {
    texts.iter().map(|text| text.as_ref().to_owned()).collect()
}
