//! The second compilation by clang, which assembles within itself and starts nothing that could be
//! a shim: it notes each compilation (`-gen-cdb-fragment-path`), and what it notes is compiled once
//! more from here, with function sections, while the build goes on.
//!
//! clang opens its note before it compiles, and writes it at its end, when the objects are there
//! (or in pieces, where it is long). So an object is the one that was noted when it was written
//! after the note was opened and not after the note's last change.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{JoinHandle, sleep, spawn};
use std::time::{Duration, SystemTime};

use proofmark_terms::Digest;

use super::super::request::CaptureRequest;
use super::again::{Made, Plan, StandsFor, Variables, plan};
use super::environment::Environment;
use super::job::{Again, First, Job};
use super::notes::{Compilation, noted};
use super::workers::Workers;
use crate::objects::hash_file;
use crate::session::Session;

/// Between two looks at what clang has noted.
const GLANCE: Duration = Duration::from_millis(4);

/// A compilation by clang, and its second one.
#[derive(Clone, Debug)]
pub(in super::super) struct ClangSecond {
    /// Where the first one wrote its object, absolute.
    pub output: PathBuf,
    /// Of that object; none where it was gone before anybody saw it.
    pub hash: Option<Digest>,
    /// The hash of the second object in the session's store, or why there is none.
    pub second: Result<Digest, String>,
}

impl ClangSecond {
    /// Takes in what one more compilation came to. The order is that of the end: an object that
    /// nobody saw is made again last.
    fn made(&mut self, made: Made) {
        match made {
            Made::First(hash) => {
                self.hash = self.hash.take().or(hash);
            }
            Made::Second(Err(why)) => self.second = Err(why),
            Made::Second(Ok((second, StandsFor::TheBuilds))) => self.second = Ok(second),
            Made::Second(Ok((second, StandsFor::ObjectOf(own, doubt)))) => {
                let seen = self.hash.get_or_insert_with(|| own.clone());
                self.second = if *seen == own {
                    Ok(second)
                } else {
                    Err(doubt.why())
                };
            }
        }
    }
}

/// A compilation whose object has not been seen yet.
struct Pending {
    /// Its number among all.
    number: usize,
    output: PathBuf,
    /// Where the note lies that clang left of it.
    note: PathBuf,
    /// Where it is compiled a second time.
    compilation: Option<Compilation>,
    first: First,
}

/// Watches what clang notes while a build runs.
pub(in super::super) struct Watch {
    ended: Arc<Mutex<Option<bool>>>,
    watcher: JoinHandle<Vec<ClangSecond>>,
}

impl Watch {
    pub(in super::super) fn start(session: &Session, request: &CaptureRequest) -> Watch {
        let ended = Arc::new(Mutex::new(None));
        let variables = Variables {
            set: request.env.clone(),
            unset: request.unset.clone(),
        };
        let (session, end) = (session.clone(), Arc::clone(&ended));
        Watch {
            ended,
            watcher: spawn(move || watch(&session, &variables, &end)),
        }
    }

    /// To be called when the build has ended: waits for what is under way where the build came to a
    /// good end.
    pub(in super::super) fn end(self, well: bool) -> Vec<ClangSecond> {
        *self.ended.lock().unwrap_or_else(PoisonError::into_inner) = Some(well);
        self.watcher.join().unwrap_or_default()
    }
}

fn watch(session: &Session, variables: &Variables, end: &Mutex<Option<bool>>) -> Vec<ClangSecond> {
    let mut found = Found {
        all: Vec::new(),
        pending: Vec::new(),
        workers: Workers::start(session, variables),
        running: HashMap::new(),
    };
    let well = loop {
        // Asked before looking: what was noted before the end is found.
        let end = *end.lock().unwrap_or_else(PoisonError::into_inner);
        for (note, compilation) in found.take_notes(session) {
            found.take(note, compilation);
        }
        found.look();
        match end {
            Some(well) => break well,
            None => sleep(GLANCE),
        }
    };
    found.end(well)
}

/// Compilations that clang has noted so far.
struct Found {
    all: Vec<ClangSecond>,
    pending: Vec<Pending>,
    workers: Workers,
    /// What clangs run with that are still at work, by the names of their notes.
    running: HashMap<OsString, Environment>,
}

impl Found {
    /// Takes in a compilation of which clang left this note.
    fn take(&mut self, note: PathBuf, compilation: Compilation) {
        let number = self.all.len();
        let plan = plan(&compilation);
        if let Plan::Unwanted = plan {
            return;
        }
        self.all.push(ClangSecond {
            output: compilation.output.clone(),
            hash: None,
            second: Err(match plan {
                Plan::Impossible(why) => why.to_owned(),
                _ => "its second compilation failed".to_owned(),
            }),
        });
        let first = First {
            environment: note
                .file_name()
                .and_then(|name| self.running.get(name).cloned()),
            began: fs::metadata(&note).and_then(|note| note.created()).ok(),
        };
        let wanted = matches!(plan, Plan::Wanted).then_some(compilation.clone());
        self.pending.push(Pending {
            number,
            output: compilation.output,
            note,
            compilation: wanted.clone(),
            first: first.clone(),
        });
        if let Some(compilation) = wanted {
            self.workers.give(Job {
                number,
                again: Again::Second,
                compilation,
                first,
            });
        }
    }

    /// Looks for the objects of those whose object has not been seen yet.
    fn look(&mut self) {
        let all = &mut self.all;
        self.pending
            .retain(|one| match seen(&one.output, &one.note) {
                Some(hash) => {
                    if let Some(known) = all.get_mut(one.number) {
                        known.hash = Some(hash);
                    }
                    false
                }
                None => true,
            });
    }

    /// All of them, with what their second compilations came to. Objects that nobody saw are made
    /// again as they were; after a build that came to no good end, nothing more is made.
    fn end(mut self, well: bool) -> Vec<ClangSecond> {
        for unseen in self.pending {
            if let Some(compilation) = unseen.compilation {
                self.workers.give(Job {
                    number: unseen.number,
                    again: Again::First,
                    compilation,
                    first: unseen.first,
                });
            }
        }
        for (number, made) in self.workers.end(well) {
            if let Some(known) = self.all.get_mut(number) {
                known.made(made);
            }
        }
        self.all
    }

    /// What clang has noted since, and where the note lies now. A note that is still being written
    /// is left for the next look; who writes it is looked at.
    fn take_notes(&mut self, session: &Session) -> Vec<(PathBuf, Compilation)> {
        let mut found = Vec::new();
        let files = fs::read_dir(session.clang_folder()).into_iter().flatten();
        for file in files.filter_map(Result::ok) {
            let text = fs::read(file.path()).unwrap_or_default();
            if !text.ends_with(b"\n") {
                self.look_at_who_writes(&file);
                continue;
            }
            let read = session.clang_read_folder().join(file.file_name());
            // A note that cannot be put away would be read again and again.
            if fs::rename(file.path(), &read).is_err() {
                break;
            }
            let all = noted(&text, false).into_iter();
            found.extend(all.map(|one| (read.clone(), one)));
        }
        found
    }

    fn look_at_who_writes(&mut self, note: &fs::DirEntry) {
        if self.running.contains_key(&note.file_name()) {
            return;
        }
        // Links of processes lead to plain paths.
        let held = note.path().canonicalize().ok();
        let held = held.and_then(|note| Environment::of_who_holds(&note));
        self.running
            .extend(held.map(|environment| (note.file_name(), environment)));
    }
}

/// The hash of the object at `output`, where it is the one of which clang left `note`.
fn seen(output: &Path, note: &Path) -> Option<Digest> {
    let object = fs::metadata(output).ok()?;
    let note = fs::metadata(note).ok()?;
    // A file system that keeps no time of birth shows no object for certain: it is known by what
    // the same compilation gives.
    let opened: SystemTime = note.created().ok()?;
    let written = object.modified().ok()?;
    // clang writes beside the object and renames: what is there is whole.
    let this = object.is_file()
        && object.len() > 0
        && written >= opened
        && written <= note.modified().ok()?;
    this.then(|| hash_file(output).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An object written `after` its note was opened, which was written last `later` than that.
    fn object_and_note(after: i64, later: u64) -> bool {
        let folder = tempfile::tempdir().unwrap();
        let (note, object) = (folder.path().join("note"), folder.path().join("a.o"));
        fs::write(&note, "noted").unwrap();
        fs::write(&object, "object").unwrap();
        let opened = fs::metadata(&note).unwrap().created().unwrap();
        let ms = Duration::from_millis;
        let written = if after < 0 {
            opened - ms(after.unsigned_abs())
        } else {
            opened + ms(after.unsigned_abs())
        };
        let set = |file: &Path, time| {
            let file = fs::File::options().write(true).open(file).unwrap();
            file.set_modified(time).unwrap();
        };
        set(&object, written);
        set(&note, opened + ms(later));
        seen(&object, &note) == hash_file(&object).ok()
    }

    #[test]
    fn an_object_is_its_note_s_where_it_was_written_while_the_note_was_open() {
        // On a busy machine clang writes its note long after the object.
        assert!(object_and_note(20, 3_000));
        assert!(object_and_note(0, 0));
        // What an earlier compilation left, while a long note is there in part already.
        assert!(!object_and_note(-1, 0));
        // What a later one wrote in the same place.
        assert!(!object_and_note(21, 20));
    }
}
