//! Which object was compiled a second time, and what a link is with the second objects in the
//! places of the first.
//!
//! A second object is known by the content of the first: wherever the build moved that, into
//! archives too. An archive is rewritten with the second objects as its members, and an object that
//! another link made (`-r`) is linked again from them.

mod clang;

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use proofmark_layout::{InputKind, LayoutError, Lto, Recipe, check_compiled_twice, with_members};

use super::finish;
use super::found::absolute;
use super::run::{Flavour, Run};
use crate::event::{Assembled, Compiled, Event};
use crate::model::{CompiledObject, Lacking, LinkKind, Twice};
use crate::objects::{Mode, Objects, hash_bytes};

pub(super) use clang::{ClangSecond, Watch};

/// The second objects of a run.
#[derive(Debug, Default)]
pub(super) struct Seconds {
    /// Hash of the second object by the hash of the first.
    by_hash: HashMap<String, String>,
    /// By the place of the first, where its content is not the one that the compiler wrote.
    by_place: HashMap<PathBuf, String>,
    /// Why there is none, by the hash of the first.
    why: HashMap<String, String>,
    /// The same by its place.
    why_at: HashMap<PathBuf, String>,
}

impl Seconds {
    pub(super) fn of(run: &Run) -> Seconds {
        let mut seconds = Seconds::default();
        if run.flavour != Flavour::Twice {
            return seconds;
        }
        let compiled: Vec<&Compiled> = run.events.iter().filter_map(compiled).collect();
        for event in &run.events {
            if let Event::Assembled(assembled) = event {
                seconds.assembled(assembled, &compiled);
            }
        }
        for one in &run.clang {
            let place = absolute(&one.output);
            let (hash, second) = (one.hash.clone(), one.second.clone());
            match (hash, second) {
                (Some(hash), Ok(second)) => drop(seconds.by_hash.insert(hash, second)),
                (Some(hash), Err(why)) => drop(seconds.why.insert(hash, why)),
                (None, Ok(second)) => drop(seconds.by_place.insert(place, second)),
                (None, Err(why)) => drop(seconds.why_at.insert(place, why)),
            }
        }
        seconds
    }

    fn assembled(&mut self, assembled: &Assembled, compiled: &[&Compiled]) {
        let place = absolute(Path::new(assembled.output.as_ref() as &OsStr));
        if let Some(second) = &assembled.second {
            self.by_hash.insert(assembled.hash.clone(), second.clone());
            // The driver takes the debug information out of it afterwards.
            let splits = |flag: &proofmark_terms::OsText| {
                AsRef::<OsStr>::as_ref(flag)
                    .as_encoded_bytes()
                    .starts_with(b"-gsplit-dwarf")
            };
            if assembled.flags.iter().any(splits) {
                self.by_place.insert(place, second.clone());
            }
            return;
        }
        let of = super::origins::compilation(assembled, compiled);
        if let Some(why) = of.and_then(|compiled| compiled.only_once.clone()) {
            self.why.insert(assembled.hash.clone(), why.clone());
            self.why_at.insert(place, why);
        }
    }

    /// The second object to a first one; `place` is where the linker found that, unless it was in
    /// an archive.
    pub(super) fn second(&self, hash: &str, place: Option<&Path>) -> Option<String> {
        let by_place = || place.and_then(|place| self.by_place.get(place));
        self.by_hash.get(hash).or_else(by_place).cloned()
    }

    /// Why an object has no second one.
    fn why(&self, object: &CompiledObject, cwd: &Path) -> String {
        let place = absolute(&cwd.join(&object.file));
        let known = self.why.get(&object.hash);
        known
            .or_else(|| self.why_at.get(&place))
            .cloned()
            .unwrap_or_else(|| match &object.seen {
                crate::model::Seen::Earlier { capture } => {
                    format!("capture {capture} compiled it, and it was not compiled since")
                }
                _ => "its second compilation failed, or it was changed after it was compiled"
                    .to_owned(),
            })
    }
}

fn compiled(event: &Event) -> Option<&Compiled> {
    match event {
        Event::Compiled(compiled) => Some(compiled),
        _ => None,
    }
}

/// Links of a run, with second objects in the places of the first.
pub(super) struct Linking<'a> {
    run: &'a Run,
    stored: &'a Objects,
    seconds: &'a Seconds,
    /// Hash of the second object by the hash of the first, of all objects that links read.
    by_hash: HashMap<&'a str, &'a str>,
    scratch: &'a Path,
    /// What was made of archives and of other links already.
    made: RefCell<HashMap<String, Option<String>>>,
}

impl<'a> Linking<'a> {
    pub(super) fn new(
        run: &'a Run,
        stored: &'a Objects,
        (seconds, objects): (&'a Seconds, &'a [CompiledObject]),
        scratch: &'a Path,
    ) -> Linking<'a> {
        let known = objects
            .iter()
            .filter_map(|object| Some((object.hash.as_str(), object.second.as_deref()?)));
        Linking {
            run,
            stored,
            seconds,
            by_hash: known.collect(),
            scratch,
            made: RefCell::default(),
        }
    }

    /// The recipe for layouts, and what became of second compilations. `own` is the build's own,
    /// and `objects` are what it links.
    ///
    /// # Errors
    /// When the disk is full.
    pub(super) fn chosen(
        &self,
        own: Recipe,
        kind: LinkKind,
        objects: &[CompiledObject],
    ) -> io::Result<(Recipe, Option<Twice>)> {
        if self.run.flavour != Flavour::Twice || kind == LinkKind::Relocatable {
            return Ok((own, None));
        }
        let lacking = self.lacking(objects, &own);
        let told = |own, refused| Twice {
            own,
            refused,
            lacking: lacking.clone(),
        };
        let Some(recipe) = self.with_seconds(&own)? else {
            let twice = (!lacking.is_empty()).then(|| told(None, None));
            return Ok((own, twice));
        };
        match check_compiled_twice(&own, &recipe) {
            Ok(()) => {
                let twice = told(Some(own), None);
                Ok((recipe, Some(twice)))
            }
            Err(error) if super::room::was_short(&error) => Err(io::ErrorKind::StorageFull.into()),
            Err(LayoutError::Unfaithful { found, likely, .. }) => Ok((
                own,
                Some(told(None, Some(format!("{found}; most likely: {likely}")))),
            )),
            Err(error) => {
                let text = error.to_string();
                let first = text.lines().next().unwrap_or_default().to_owned();
                Ok((own, Some(told(None, Some(first)))))
            }
        }
    }

    fn lacking(&self, objects: &[CompiledObject], own: &Recipe) -> Vec<Lacking> {
        let lacks = |object: &&CompiledObject| {
            object.lacks_sections() && object.second.is_none() && !object.sections_added
        };
        let mut found: Vec<Lacking> = objects
            .iter()
            .filter(lacks)
            .map(|object| Lacking {
                object: match &object.member {
                    None => object.file.display().to_string(),
                    Some(member) => format!("{}({})", object.file.display(), member.display()),
                },
                why: self.seconds.why(object, &own.cwd),
            })
            .collect();
        let optimised = match &own.lto {
            Some(Lto::Gcc { objects }) => objects.as_slice(),
            _ => &[],
        };
        let bare = |blob: &&PathBuf| {
            Objects::hash_of(blob).is_none_or(|hash| !self.seconds.by_hash.contains_key(&hash))
        };
        let bare = optimised.iter().filter(bare).count();
        if bare > 0 {
            found.push(Lacking {
                object: format!("{bare} objects of gcc's link-time optimisation"),
                why: "their second compilation failed".to_owned(),
            });
        }
        found
    }

    /// A link with second objects wherever there are such; none where there are none.
    fn with_seconds(&self, own: &Recipe) -> io::Result<Option<Recipe>> {
        let mut recipe = own.clone();
        let optimised = own.lto.is_some();
        let mut any = false;
        for input in &mut recipe.inputs {
            let other = match input.kind {
                InputKind::Object => self.of_object(&input.hash)?,
                InputKind::GccLto if !optimised => self.of_object(&input.hash)?,
                InputKind::Archive => self.of_archive(&input.hash)?,
                _ => None,
            };
            if let Some(hash) = other {
                input.blob = self.stored.path(&hash);
                input.hash = hash;
                any = true;
            }
            for member in &mut input.members {
                if let Some(hash) = self.of_object(&member.hash)? {
                    member.blob = self.stored.path(&hash);
                    member.hash = hash;
                    any = true;
                }
            }
        }
        if let Some(Lto::Gcc { objects }) = &mut recipe.lto {
            for blob in objects {
                let hash = Objects::hash_of(blob).unwrap_or_default();
                if let Some(hash) = self.seconds.by_hash.get(&hash)
                    && self.adopted(hash)?
                {
                    *blob = self.stored.path(hash);
                    any = true;
                }
            }
        }
        Ok(any.then_some(recipe))
    }

    /// The second object to one: compiled, or made by another link.
    fn of_object(&self, hash: &str) -> io::Result<Option<String>> {
        // What only another link has read is known to this run alone.
        let of_run = || self.seconds.by_hash.get(hash).map(String::as_str);
        if let Some(second) = self.by_hash.get(hash).copied().or_else(of_run) {
            return Ok(self.adopted(second)?.then(|| second.to_owned()));
        }
        let linked = self.run.events.iter().find_map(|event| match event {
            Event::Linked(linked) if linked.hash == hash => Some(linked),
            _ => None,
        });
        let Some(linked) = linked else {
            return Ok(None);
        };
        self.once(hash, || {
            let own = finish::recipe(&|hash| self.run.session.blob(hash), linked);
            let Some(recipe) = self.with_seconds(&own)? else {
                return Ok(None);
            };
            let folder = tempfile::tempdir_in(self.scratch)?;
            let output = folder.path().join("object");
            match proofmark_layout::relink(&recipe, &folder.path().join("tree"), &output) {
                Ok(()) => self.stored.keep(&output, Mode::Data, &[]).map(Some),
                Err(error) if super::room::was_short(&error) => {
                    Err(io::ErrorKind::StorageFull.into())
                }
                // The object of the build's own stands in its place.
                Err(_) => Ok(None),
            }
        })
    }

    /// The archive with second objects as members.
    fn of_archive(&self, hash: &str) -> io::Result<Option<String>> {
        self.once(hash, || {
            let data = fs::read(self.run.session.blob(hash))?;
            let mut failed = None;
            let other = with_members(&data, |content| {
                let found = self.of_object(&hash_bytes(content)).and_then(|second| {
                    second
                        .map(|hash| fs::read(self.stored.path(&hash)))
                        .transpose()
                });
                found.unwrap_or_else(|error| {
                    failed = Some(error);
                    None
                })
            });
            if let Some(error) = failed {
                return Err(error);
            }
            let Ok(Some(other)) = other else {
                return Ok(None);
            };
            let file = tempfile::NamedTempFile::new_in(self.scratch)?;
            fs::write(file.path(), other)?;
            self.stored.keep(file.path(), Mode::Data, &[]).map(Some)
        })
    }

    fn once(
        &self,
        hash: &str,
        make: impl FnOnce() -> io::Result<Option<String>>,
    ) -> io::Result<Option<String>> {
        if let Some(known) = self.made.borrow().get(hash) {
            return Ok(known.clone());
        }
        let made = make()?;
        self.made.borrow_mut().insert(hash.to_owned(), made.clone());
        Ok(made)
    }

    /// Moves a second object to the store; whether it is there.
    fn adopted(&self, hash: &str) -> io::Result<bool> {
        let staged = self.run.session.staged();
        if staged.contains(hash) {
            self.stored.adopt(staged, hash)?;
        }
        Ok(self.stored.contains(hash))
    }
}
