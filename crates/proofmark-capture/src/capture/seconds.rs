//! Which object was compiled a second time, with function sections.
//!
//! A second object is known by the content of the first: wherever the build moved that, into
//! archives too.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use proofmark_terms::Digest;

use super::aligned;
use super::falls;
use super::files::absolute;
use super::labels;
use super::run::{Flavour, Run};
use crate::captured::{CompiledObject, Seen};
use crate::event::{Assembled, Compiled, Event};

/// The second objects of a run.
#[derive(Debug, Default)]
pub(super) struct Seconds {
    /// Hash of the second object by the hash of the first.
    by_hash: HashMap<Digest, Digest>,
    /// By the place of the first, where its content is not the one that the compiler wrote.
    by_place: HashMap<PathBuf, Digest>,
    /// Why there is none, by the hash of the first.
    why: HashMap<Digest, String>,
    /// The same by its place.
    why_at: HashMap<PathBuf, String>,
}

impl Seconds {
    pub(super) fn of(run: &Run) -> Seconds {
        let mut seconds = Seconds::default();
        if run.flavour != Flavour::Twice {
            return seconds;
        }
        let compiled: Vec<&Compiled> = run.events.iter().filter_map(Event::compiled).collect();
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
        seconds.leave_labels(run);
        seconds.leave_alignments(run);
        seconds.leave_what_goes_on(run);
        seconds
    }

    /// Drops the second objects that ask for less alignment than the first ones.
    fn leave_alignments(&mut self, run: &Run) {
        let read = |hash: &Digest| fs::read(run.session.blob(hash)).ok();
        self.by_hash.retain(|first, second| {
            let both = read(first).zip(read(second));
            let Some((kind, [other, own])) = both.and_then(|(a, b)| aligned::lost(&a, &b)) else {
                return true;
            };
            let why = format!(
                "its second compilation aligns {kind} to {other} bytes instead of {own}: it saw \
                 another source, header or variable"
            );
            self.why.insert(first.clone(), why);
            false
        });
    }

    /// Drops the second objects in which assembly lost the function that it goes on into.
    fn leave_what_goes_on(&mut self, run: &Run) {
        let read = |hash: &Digest| fs::read(run.session.blob(hash)).ok();
        self.by_hash.retain(|first, second| {
            let both = read(first).zip(read(second));
            let Some([from, into]) = both.and_then(|(a, b)| falls::torn(&a, &b)) else {
                return true;
            };
            let why = format!(
                "assembly in it may go on from {from} into {into}, and function sections would \
                 take {into} from there"
            );
            self.why.insert(first.clone(), why);
            false
        });
    }

    /// Drops the second objects in which labels do not stand among the functions that they stood
    /// among.
    fn leave_labels(&mut self, run: &Run) {
        let read = |hash: &Digest| fs::read(run.session.blob(hash)).ok();
        let torn = |first: Option<&Digest>, second: &Digest| {
            let first = first.and_then(read);
            labels::torn(first.as_deref(), &read(second)?)
        };
        let why = |label: String| {
            format!(
                "assembly sets labels among its functions, such as {label}, and function sections \
                 would take the functions from there"
            )
        };
        let (by_hash, by_place) = (&mut self.by_hash, &mut self.by_place);
        by_hash.retain(|first, second| match torn(Some(first), second) {
            None => true,
            Some(label) => {
                self.why.insert(first.clone(), why(label));
                by_place.retain(|_, other| other != second);
                false
            }
        });
        by_place.retain(|place, second| match torn(None, second) {
            None => true,
            Some(label) => {
                self.why_at.insert(place.clone(), why(label));
                false
            }
        });
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
        let of = assembled.compilation(compiled);
        if let Some(why) = of.and_then(|compiled| compiled.only_once.clone()) {
            self.why.insert(assembled.hash.clone(), why.clone());
            self.why_at.insert(place, why);
        }
    }

    /// The second object to a first one; `place` is where the linker found that, unless it was in
    /// an archive.
    pub(super) fn second(&self, hash: &Digest, place: Option<&Path>) -> Option<Digest> {
        let by_place = || place.and_then(|place| self.by_place.get(place));
        self.by_hash.get(hash).or_else(by_place).cloned()
    }

    /// Why an object has no second one.
    pub(super) fn why(&self, object: &CompiledObject, cwd: &Path) -> String {
        let place = absolute(&cwd.join(&object.file));
        let known = self.why.get(&object.hash);
        known
            .or_else(|| self.why_at.get(&place))
            .cloned()
            .unwrap_or_else(|| match &object.seen {
                Seen::Earlier { capture } => {
                    format!("capture {capture} compiled it, and it was not compiled since")
                }
                _ => "its second compilation failed, or it was changed after it was compiled"
                    .to_owned(),
            })
    }
}
