//! The second compilation by clang, which assembles within itself and starts nothing that could be
//! a shim: it notes each compilation (`-gen-cdb-fragment-path`), and what it notes is compiled once
//! more from here, with function sections, while the build goes on.
//!
//! clang opens its note before it compiles, and writes it at its end, when the objects are there
//! (or in pieces, where it is long). So an object is the one that was noted when it was written
//! after the note was opened and not after the note's last change.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{JoinHandle, sleep, spawn};
use std::time::{Duration, SystemTime};

use super::super::request::CaptureRequest;
use super::notes::{Compilation, noted};
use crate::link::inputs::kind_of;
use crate::objects::{Mode, hash_file};
use crate::probes::is_probe;
use crate::sections::{self, FUNCTION_SECTIONS};
use crate::session::Session;
use proofmark_layout::InputKind;

/// Between two looks at what clang has noted.
const GLANCE: Duration = Duration::from_millis(4);

/// A compilation by clang, and its second one.
#[derive(Clone, Debug)]
pub(in super::super) struct ClangSecond {
    /// Where the first one wrote its object, absolute.
    pub output: PathBuf,
    /// Of that object; none where it was gone before anybody saw it.
    pub hash: Option<String>,
    /// The hash of the second object in the session's store, or why there is none.
    pub second: Result<String, String>,
}

/// Options of a compilation that makes no object of machine code, or leaves that to others.
const NO_CODE: [&str; 7] = [
    "-E",
    "-S",
    "-M",
    "-MM",
    "-fsyntax-only",
    "-emit-llvm",
    "--precompile",
];

/// Options with which a second compilation would be another one, or write over the first one's
/// files.
const IMPOSSIBLE: [(&str, &str); 9] = [
    ("-ftest-coverage", "it is instrumented for coverage"),
    ("-fcoverage-mapping", "it is instrumented for coverage"),
    ("--coverage", "it is instrumented for coverage"),
    ("-fprofile-arcs", "it is instrumented for a profile"),
    ("-fprofile-generate", "it is instrumented for a profile"),
    (
        "-fprofile-instr-generate",
        "it is instrumented for a profile",
    ),
    ("-fcs-profile-generate", "it is instrumented for a profile"),
    ("-fplugin=", "a plugin takes part in the compilation"),
    ("-fmodules", "it reads or writes modules"),
];

/// Options that write a file beside the object.
const ASIDE: [&str; 5] = [
    "-save-temps",
    "--save-temps",
    "-ftime-trace",
    "-fsave-optimization-record",
    "-fstack-usage",
];

/// A compilation whose object has not been seen yet.
struct Pending {
    /// Its number among all.
    number: usize,
    output: PathBuf,
    /// Where the note lies that clang left of it.
    note: PathBuf,
    /// Where it is compiled a second time.
    compilation: Option<Compilation>,
}

/// Compilations to be made a second time.
#[derive(Default)]
struct Queue {
    jobs: Mutex<(VecDeque<Job>, bool)>,
    news: Condvar,
}

struct Job {
    number: usize,
    again: Again,
    compilation: Compilation,
}

/// What is compiled once more.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Again {
    /// With function sections.
    Second,
    /// Just so: the first object was gone or another one before anybody saw it, and is known by
    /// what the same compilation gives.
    First,
}

/// What jobs came to: the number of the compilation, and the hash of the object or why there is
/// none.
type Made = Arc<Mutex<Vec<(usize, Again, Result<String, String>)>>>;

/// Watches what clang notes while a build runs.
pub(in super::super) struct Watch {
    ended: Arc<Mutex<Option<bool>>>,
    watcher: JoinHandle<Vec<ClangSecond>>,
}

/// What the second compilations run with: what the build runs with.
#[derive(Clone)]
struct Variables {
    set: Vec<(OsString, OsString)>,
    unset: Vec<OsString>,
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
    let queue = Arc::new(Queue::default());
    let made = Made::default();
    let workers: Vec<JoinHandle<()>> = (0..std::thread::available_parallelism()
        .map_or(1, usize::from))
        .map(|_| {
            let (session, variables) = (session.clone(), variables.clone());
            let (queue, made) = (Arc::clone(&queue), Arc::clone(&made));
            spawn(move || {
                while let Some(job) = queue.take() {
                    let object = compile(&session, &variables, &job);
                    let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
                    made.push((job.number, job.again, object));
                }
            })
        })
        .collect();
    let mut all: Vec<ClangSecond> = Vec::new();
    let mut pending: Vec<Pending> = Vec::new();
    let well = loop {
        // Asked before looking: what was noted before the end is found.
        let end = *end.lock().unwrap_or_else(PoisonError::into_inner);
        for (note, compilation) in take_notes(session) {
            let number = all.len();
            let plan = plan(&compilation);
            if let Plan::Unwanted = plan {
                continue;
            }
            all.push(ClangSecond {
                output: compilation.output.clone(),
                hash: None,
                second: Err(match plan {
                    Plan::Impossible(why) => why.to_owned(),
                    _ => "its second compilation failed".to_owned(),
                }),
            });
            let wanted = matches!(plan, Plan::Wanted).then_some(compilation.clone());
            pending.push(Pending {
                number,
                output: compilation.output,
                note,
                compilation: wanted.clone(),
            });
            if let Some(compilation) = wanted {
                queue.give(Job {
                    number,
                    again: Again::Second,
                    compilation,
                });
            }
        }
        pending.retain(|one| match seen(&one.output, &one.note) {
            Some(hash) => {
                if let Some(known) = all.get_mut(one.number) {
                    known.hash = Some(hash);
                }
                false
            }
            None => true,
        });
        match end {
            Some(well) => break well,
            None => sleep(GLANCE),
        }
    };
    for unseen in pending {
        if let Some(compilation) = unseen.compilation {
            queue.give(Job {
                number: unseen.number,
                again: Again::First,
                compilation,
            });
        }
    }
    queue.end(well);
    for worker in workers {
        // A worker that fell over leaves its compilations without a second one, which is said of
        // them.
        let _ = worker.join();
    }
    let made = std::mem::take(&mut *made.lock().unwrap_or_else(PoisonError::into_inner));
    for (number, again, object) in made {
        let Some(known) = all.get_mut(number) else {
            continue;
        };
        match again {
            Again::Second => known.second = object,
            Again::First => known.hash = object.ok(),
        }
    }
    all
}

impl Queue {
    fn give(&self, job: Job) {
        let mut jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        jobs.0.push_back(job);
        self.news.notify_one();
    }

    /// No more will come; what waits is done only where it is needed.
    fn end(&self, needed: bool) {
        let mut jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        jobs.1 = true;
        if !needed {
            jobs.0.clear();
        }
        self.news.notify_all();
    }

    fn take(&self) -> Option<Job> {
        let mut jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(job) = jobs.0.pop_front() {
                return Some(job);
            }
            if jobs.1 {
                return None;
            }
            jobs = self.news.wait(jobs).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// What clang has noted since, and where the note lies now. A note that is still being written is
/// left for the next look.
fn take_notes(session: &Session) -> Vec<(PathBuf, Compilation)> {
    let mut found = Vec::new();
    let files = fs::read_dir(session.clang_folder()).into_iter().flatten();
    for file in files.filter_map(Result::ok) {
        let text = fs::read(file.path()).unwrap_or_default();
        if !text.ends_with(b"\n") {
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

/// The hash of the object at `output`, where it is the one of which clang left `note`.
fn seen(output: &Path, note: &Path) -> Option<String> {
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

enum Plan {
    Wanted,
    Unwanted,
    Impossible(&'static str),
}

fn plan(compilation: &Compilation) -> Plan {
    let arguments = &compilation.origin.flags;
    let ends = |path: &Path, ends: &[&str]| {
        let end = path.extension().unwrap_or_default();
        ends.iter().any(|one| end == *one)
    };
    let source = compilation
        .origin
        .source
        .as_deref()
        .unwrap_or(Path::new(""));
    let begins = |start: &str| {
        let mut all = arguments.iter();
        all.any(|argument| argument.as_bytes().starts_with(start.as_bytes()))
    };
    let no_code = arguments
        .iter()
        .any(|argument| NO_CODE.iter().any(|option| argument == option));
    let header = begins("-xc-header") || begins("-xc++-header") || begins("-xassembler");
    if no_code
        || header
        || sections::asked_for(arguments)
        || sections::left_to_link(arguments)
        || ends(source, &["s", "S", "sx"])
        || ends(&compilation.output, &["s", "gch", "pch", "i", "ii", "bc"])
        || is_probe(source)
        || is_probe(&compilation.output)
    {
        return Plan::Unwanted;
    }
    if source.file_name() == Some(OsStr::new("-")) {
        return Plan::Impossible("its source came through a pipe");
    }
    let impossible = IMPOSSIBLE.iter().find(|(start, _)| begins(start));
    impossible.map_or(Plan::Wanted, |(_, why)| Plan::Impossible(why))
}

/// Compiles once more. Gives the hash of the object; a second one is in the session's store then.
fn compile(session: &Session, variables: &Variables, job: &Job) -> Result<String, String> {
    let compilation = &job.compilation;
    let failed = || "its second compilation failed".to_owned();
    let object = session.second_file("o");
    let compiler = compilation.origin.compiler.as_ref().ok_or_else(failed)?;
    let mut command = Command::new(compiler);
    command
        .args(arguments(compilation, job.again, &object))
        .current_dir(&compilation.directory)
        .envs(variables.set.iter().cloned())
        .env_remove("CCC_OVERRIDE_OPTIONS")
        .env_remove("DEPENDENCIES_OUTPUT")
        .env_remove("SUNPRO_DEPENDENCIES")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    for name in &variables.unset {
        command.env_remove(name);
    }
    let ended = command.status();
    let made = ended.is_ok_and(|status| status.success())
        && fs::read(&object).is_ok_and(|data| kind_of(&data) == InputKind::Object);
    let keep = || match job.again {
        Again::Second => session.keep(&object, Mode::Data),
        Again::First => hash_file(&object),
    };
    let kept = made.then(|| keep().map_err(|error| error.to_string()));
    let _ = fs::remove_file(&object);
    kept.unwrap_or_else(|| Err(failed()))
}

/// The arguments of one more compilation.
fn arguments(compilation: &Compilation, again: Again, object: &Path) -> Vec<OsString> {
    let mut arguments = Vec::new();
    let mut rest = compilation.origin.flags.iter();
    while let Some(argument) = rest.next() {
        let aside = |start: &str| argument.as_bytes().starts_with(start.as_bytes());
        if argument == "-o" {
            rest.next();
        } else if !ASIDE.iter().any(|start| aside(start)) {
            arguments.push(argument.clone());
        }
    }
    arguments.push("-Qunused-arguments".into());
    arguments.extend((again == Again::Second).then(|| FUNCTION_SECTIONS.into()));
    arguments.extend(["-c".into(), "-o".into()]);
    arguments.push(object.into());
    arguments
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

    fn compilation(arguments: &str, output: &str) -> Compilation {
        let words = arguments.split(' ').map(|word| format!("\"{word}\""));
        let words: Vec<String> = words.collect();
        let line = format!(
            "{{ \"directory\": \"/b\", \"file\": \"a.c\", \"output\": \"{output}\", \"arguments\": [{}]}},\n",
            words.join(", ")
        );
        noted(line.as_bytes(), false).remove(0)
    }

    #[test]
    fn the_second_compilation_is_the_first_with_sections_and_another_output() {
        let noted = compilation(
            "/l/clang -xc a.c -o a.o -O2 -c -ftime-trace=x -dumpdir a- --target=x86_64-pc-linux-gnu",
            "a.o",
        );
        let arguments = arguments(&noted, Again::Second, Path::new("/s/x.o"));
        let wanted = "-xc a.c -O2 -c -dumpdir a- --target=x86_64-pc-linux-gnu -Qunused-arguments -ffunction-sections -c -o /s/x.o";
        assert_eq!(arguments, wanted.split(' ').collect::<Vec<_>>());
        assert!(matches!(plan(&noted), Plan::Wanted));
    }

    #[test]
    fn what_makes_no_code_or_another_one_each_time_is_compiled_once() {
        for (arguments, output) in [
            ("clang -flto -c", "a.o"),
            ("clang -S", "a.s"),
            ("clang -ffunction-sections -c", "a.o"),
            ("clang -c", "conftest.o"),
        ] {
            assert!(
                matches!(plan(&compilation(arguments, output)), Plan::Unwanted),
                "{arguments}"
            );
        }
        assert!(matches!(
            plan(&compilation("clang --coverage -c", "a.o")),
            Plan::Impossible(_)
        ));
        assert!(matches!(
            plan(&compilation("clang -flto -fno-lto -c", "a.o")),
            Plan::Wanted
        ));
    }
}
