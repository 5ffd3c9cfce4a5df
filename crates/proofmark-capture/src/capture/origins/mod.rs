//! Who compiled the objects of a build, and with which flags.
//!
//! An object is known by its content: what an assembler's shim saw being written is recognised
//! wherever the build moved it, in an archive too. clang assembles within itself; its objects are
//! known by the place that it noted, and by the source that they name.

mod judge;
mod rust;
mod system;

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;

use super::clang::{self, Compilation};
use super::files::absolute;
use super::origin::Origin;
use super::run::Run;
use super::seconds::Seconds;
use crate::captured::{Capture, Seen};
use crate::event::{Assembled, Compiled, Event};
use crate::objects::hash_file;

use proofmark_terms::{Digest, OsText};
use rust::RustCompilations;
use system::SystemFolders;

/// Everything known about who made which object.
pub(super) struct Origins {
    /// By content.
    by_hash: HashMap<Digest, Origin>,
    /// By the absolute place that the compiler wrote to.
    by_place: HashMap<PathBuf, Origin>,
    /// Compilations by clang whose object is no longer where it was written, by the file name of
    /// the source.
    by_source: HashMap<OsString, Origin>,
    rust: RustCompilations,
    /// Outputs of other links, by content.
    linked: HashMap<Digest, PathBuf>,
    /// Earlier captures' objects, by content.
    earlier: HashMap<Digest, (String, Origin)>,
    system: SystemFolders,
    seconds: Seconds,
    /// See [`Run::started_ns`].
    started_ns: i64,
}

impl Origins {
    pub(super) fn of(run: &Run, earlier: &[Capture]) -> std::io::Result<Origins> {
        let mut origins = Origins {
            by_hash: HashMap::new(),
            by_place: HashMap::new(),
            by_source: HashMap::new(),
            rust: RustCompilations::of(run),
            linked: HashMap::new(),
            earlier: HashMap::new(),
            system: SystemFolders::of(run),
            seconds: Seconds::of(run),
            started_ns: run.started_ns,
        };
        // The capture that compiled an object is named rather than one that found it there.
        for compiled in [false, true] {
            let known = earlier.iter().flat_map(known_from);
            let known = known.filter(|known| known.compiled == compiled);
            origins
                .earlier
                .extend(known.map(|known| (known.hash, (known.capture, known.origin))));
        }
        let compiled: Vec<&Compiled> = run.events.iter().filter_map(Event::compiled).collect();
        for event in &run.events {
            match event {
                Event::Assembled(assembled) => origins.assembled(assembled, &compiled),
                Event::Linked(linked) => {
                    let output = linked.output_path();
                    origins.linked.insert(linked.hash.clone(), output);
                }
                Event::Rustc(_) | Event::Compiled(_) => {}
            }
        }
        for (library, origin) in origins.rust.libraries() {
            origins.by_place.insert(library, origin);
        }
        for compilation in clang::compilations(&run.session)? {
            origins.clang(compilation);
        }
        for second in &run.clang {
            let known = origins.by_place.get(&second.output).cloned();
            if let (Some(hash), Some(origin)) = (&second.hash, known) {
                origins.by_hash.entry(hash.clone()).or_insert(origin);
            }
        }
        Ok(origins)
    }

    fn assembled(&mut self, assembled: &Assembled, compiled: &[&Compiled]) {
        let origin = match assembled.compilation(compiled) {
            Some(compiled) => Origin {
                compiler: Some(path(&compiled.compiler)),
                flags: words(&compiled.flags),
                source: compiled
                    .source
                    .as_ref()
                    .map(|source| path(&compiled.cwd).join(source.as_ref())),
                ..Origin::default()
            },
            None => Origin {
                compiler: Some(path(&assembled.assembler)),
                flags: words(&assembled.flags),
                source: assembled.inputs.last().map(path),
                ..Origin::default()
            },
        };
        self.by_hash.insert(assembled.hash.clone(), origin.clone());
        self.by_place
            .insert(absolute(&path(&assembled.output)), origin);
    }

    fn clang(&mut self, compilation: Compilation) {
        match hash_file(&compilation.output).ok() {
            Some(hash) => _ = self.by_hash.insert(hash, compilation.origin.clone()),
            None => {
                let source = compilation
                    .origin
                    .source
                    .as_ref()
                    .and_then(|source| source.file_name());
                self.by_source
                    .extend(source.map(|name| (name.to_owned(), compilation.origin.clone())));
            }
        }
        self.by_place.insert(compilation.output, compilation.origin);
    }
}

/// An object of an earlier capture.
struct Known {
    hash: Digest,
    /// The capture that compiled it.
    capture: String,
    origin: Origin,
    /// It was that very capture.
    compiled: bool,
}

/// The objects of an earlier capture that somebody saw being made.
fn known_from(capture: &Capture) -> impl Iterator<Item = Known> + use<'_> {
    let seen = capture
        .objects
        .iter()
        .filter(|object| !matches!(object.seen, Seen::Unseen { .. }));
    seen.map(|object| {
        let origin = Origin {
            compiler: object.compiler.clone(),
            flags: object.flags.clone(),
            source: object.source.clone(),
            sections_added: object.sections_added,
            second: object.second.clone(),
        };
        let (name, compiled) = match &object.seen {
            Seen::Earlier { capture } => (capture, false),
            _ => (&capture.name, true),
        };
        Known {
            hash: object.hash.clone(),
            capture: name.clone(),
            origin,
            compiled,
        }
    })
}

fn path(text: &OsText) -> PathBuf {
    PathBuf::from(text.as_ref())
}

fn words(texts: &[OsText]) -> Vec<OsString> {
    texts.iter().map(|text| text.as_ref().to_owned()).collect()
}
