//! What a link is with second objects in the places of the first: an archive is rewritten with the
//! second objects as its members, and an object that another link made (`-r`) is linked again from
//! them.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use proofmark_layout::{InputKind, LayoutError, Lto, Recipe, check_compiled_twice, with_members};
use proofmark_terms::Digest;

use super::recipe::recipe;
use super::room::was_short;
use super::run::{Flavour, Run};
use super::seconds::Seconds;
use crate::captured::{CompiledObject, Lacking, LinkKind, Twice};
use crate::event::Event;
use crate::objects::{Mode, Objects, hash_bytes};

/// Links of a run, with second objects in the places of the first.
pub(super) struct Linking<'a> {
    run: &'a Run,
    stored: &'a Objects,
    seconds: &'a Seconds,
    /// Hash of the second object by the hash of the first, of all objects that links read.
    by_hash: HashMap<&'a Digest, &'a Digest>,
    scratch: &'a Path,
    /// What was made of archives and of other links already.
    made: RefCell<HashMap<Digest, Option<Digest>>>,
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
            .filter_map(|object| Some((&object.hash, object.second.as_ref()?)));
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
            Err(error) if was_short(&error) => Err(io::ErrorKind::StorageFull.into()),
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
            Objects::hash_of(blob).is_none_or(|hash| self.seconds.second(&hash, None).is_none())
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
                if let Some(hash) = Objects::hash_of(blob)
                    && let Some(hash) = self.seconds.second(&hash, None)
                    && self.adopted(&hash)?
                {
                    *blob = self.stored.path(&hash);
                    any = true;
                }
            }
        }
        Ok(any.then_some(recipe))
    }

    /// The second object to one: compiled, or made by another link.
    fn of_object(&self, hash: &Digest) -> io::Result<Option<Digest>> {
        // What only another link has read is known to this run alone.
        let of_run = || self.seconds.second(hash, None);
        let of_objects = self.by_hash.get(hash).copied().cloned();
        if let Some(second) = of_objects.or_else(of_run) {
            return Ok(self.adopted(&second)?.then_some(second));
        }
        let linked = self.run.events.iter().find_map(|event| match event {
            Event::Linked(linked) if linked.hash == *hash => Some(linked),
            _ => None,
        });
        let Some(linked) = linked else {
            return Ok(None);
        };
        self.once(hash, || {
            let own = recipe(&|hash| self.run.session.blob(hash), linked);
            let Some(recipe) = self.with_seconds(&own)? else {
                return Ok(None);
            };
            let folder = tempfile::tempdir_in(self.scratch)?;
            let output = folder.path().join("object");
            match proofmark_layout::relink(&recipe, &folder.path().join("tree"), &output) {
                Ok(()) => self.stored.keep(&output, Mode::Data, &[]).map(Some),
                Err(error) if was_short(&error) => Err(io::ErrorKind::StorageFull.into()),
                // The object of the build's own stands in its place.
                Err(_) => Ok(None),
            }
        })
    }

    /// The archive with second objects as members.
    fn of_archive(&self, hash: &Digest) -> io::Result<Option<Digest>> {
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
        hash: &Digest,
        make: impl FnOnce() -> io::Result<Option<Digest>>,
    ) -> io::Result<Option<Digest>> {
        if let Some(known) = self.made.borrow().get(hash) {
            return Ok(known.clone());
        }
        let made = make()?;
        self.made.borrow_mut().insert(hash.to_owned(), made.clone());
        Ok(made)
    }

    /// Moves a second object to the store; whether it is there.
    fn adopted(&self, hash: &Digest) -> io::Result<bool> {
        let staged = self.run.session.staged();
        if staged.contains(hash) {
            self.stored.adopt(staged, hash)?;
        }
        Ok(self.stored.contains(hash))
    }
}
