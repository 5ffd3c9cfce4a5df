//! The shared libraries of the builds, before anything is measured: a build is its program and
//! every library that it loads. Where the libraries that lie on the disk are not those that each
//! build was made with, a verdict would be about something else, and there is none.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use proofmark_capture::libraries::{is_of_the_system, is_only_a_library, loaded};
use proofmark_capture::{Companion, CompanionKind};
use proofmark_evidence::record::Benchmark;
use proofmark_measure::{View, environment};

use super::hash;
use crate::builds::{Source, Subject};
use crate::command;
use crate::error::LabError;

/// Why the library at a path is not that of a build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It has other bytes than when the build was captured.
    Changed,
    /// It is no longer there.
    Gone,
    /// It was put there after the build was made.
    Newer,
    /// Another build left it there, and this one has none of that name.
    Foreign,
}

/// One library that a build loads.
struct Loaded {
    path: PathBuf,
    fault: Option<Fault>,
}

/// Refuses builds whose libraries on the disk are not their own. `run_as` says how a build is run.
///
/// # Errors
///
/// When a captured build's library has changed or gone since the capture, when one was put there
/// after it, and when executables that were not captured share a library that is newer than one of
/// them.
pub(crate) fn check<'a>(
    subjects: &[Subject],
    run_as: impl Fn(usize) -> &'a Benchmark,
) -> Result<(), LabError> {
    for (build, subject) in subjects.iter().enumerate() {
        let starts = run_as(build)
            .argv
            .first()
            .is_some_and(|word| word.as_ref() == "{}");
        let mut images = subject.shipped().into_iter();
        if starts && images.any(|image| is_only_a_library(&image)) {
            let name = subject.file_name();
            let name = name.display();
            return Err(LabError::Refused(format!(
                "{name} is a library; name the program that loads it\n  next: `--image {name} -- ./prog ARGS…`, where prog loads {name} from where the build left it; or `--env LD_PRELOAD={{}} -- prog ARGS…`"
            )));
        }
    }
    let views = View::usable();
    let all: Vec<(&Subject, Vec<Loaded>)> = subjects
        .iter()
        .enumerate()
        .map(|(build, subject)| (subject, libraries(subject, run_as(build), views.is_ok())))
        .collect();
    let mut users: BTreeMap<&Path, Vec<&Subject>> = BTreeMap::new();
    for (subject, libraries) in &all {
        for library in libraries {
            users.entry(&library.path).or_default().push(subject);
        }
    }
    let mut found = String::new();
    for (subject, libraries) in &all {
        for library in libraries {
            let mut users = users.get(library.path.as_path()).into_iter().flatten();
            let shared =
                users.any(|user| !std::ptr::eq(*user, *subject) && !user.is_program_of(subject));
            let Some(fault) = &library.fault else {
                continue;
            };
            // A file that one executable alone loads is that executable's own, whenever it was put
            // there.
            if subject.links().is_some() || shared {
                // Writing to a string does not fail.
                let _ = write!(found, "\n  {}", said(subject, &library.path, fault));
            }
        }
    }
    if found.is_empty() {
        Ok(())
    } else {
        let views = views.err().map(|why| {
            format!("\n  captured builds can each see their own where private mount namespaces are allowed; here: {why}")
        });
        Err(LabError::Libraries {
            found,
            views: views.unwrap_or_default(),
        })
    }
}

pub(crate) fn said(subject: &Subject, path: &Path, fault: &Fault) -> String {
    let (name, path) = (&subject.name, path.display());
    let captured = subject.links().is_some();
    match fault {
        Fault::Changed => {
            format!("{name} was captured with another {path} than the one that lies there now")
        }
        Fault::Gone => format!("{name} was captured with {path}, which is no longer there"),
        Fault::Foreign => {
            format!("{name} finds {path}, which another build left there and {name} does not have")
        }
        Fault::Newer if captured => {
            format!("{name} loads {path}, which was put there after it was captured")
        }
        Fault::Newer => format!("{name} loads {path}, which is newer than {name} itself"),
    }
}

fn is_library(companion: &Companion) -> bool {
    matches!(
        companion.kind,
        CompanionKind::Library | CompanionKind::LinkedLibrary
    )
}

/// The libraries of one build. `own` says whether each arm sees its own copies of what was
/// captured.
fn libraries(subject: &Subject, benchmark: &Benchmark, own: bool) -> Vec<Loaded> {
    let mut all = match &subject.source {
        Source::Captured {
            links, captured_ms, ..
        } => {
            let mut all: Vec<Loaded> = Vec::new();
            let companions = links.iter().flat_map(|link| &link.companions);
            for library in companions.filter(|companion| is_library(companion)) {
                // Where each arm sees its own copy, what lies on the disk does not matter.
                let own = own && library.blob.is_some();
                let fault = || changed(&library.path, &library.hash);
                all.push(Loaded {
                    fault: (!own).then(fault).flatten(),
                    path: library.path.clone(),
                });
            }
            let captured_ns = i128::from(*captured_ms) * 1_000_000;
            for image in subject.shipped() {
                all.extend(newer(&image, benchmark, captured_ns, &all));
            }
            all
        }
        Source::Executable { path, .. } => newer(path, benchmark, changed_ns(path), &[]),
    };
    // Those of its tree are its own.
    let of_tree = |path: &Path| subject.tree.as_ref().is_some_and(|tree| tree.holds(path));
    all.retain(|library| !of_tree(&library.path));
    all
}

/// The libraries outside the system that an image would load now, without those that are known.
fn newer(image: &Path, benchmark: &Benchmark, than_ns: i128, known: &[Loaded]) -> Vec<Loaded> {
    let set = command::variables(benchmark, image);
    let now = loaded(image, |loader| {
        loader.env_clear().envs(environment(&set, 0));
        loader.current_dir(benchmark.cwd.as_ref());
    });
    let own = image.canonicalize().ok();
    now.into_iter()
        .filter(|path| !is_of_the_system(path) && own.as_ref() != Some(path))
        .filter(|path| !known.iter().any(|library| library.path == *path))
        .map(|path| Loaded {
            fault: (changed_ns(&path) > than_ns).then_some(Fault::Newer),
            path,
        })
        .collect()
}

fn changed(path: &Path, then: &str) -> Option<Fault> {
    match hash(path) {
        None => Some(Fault::Gone),
        Some(now) => (now != then).then_some(Fault::Changed),
    }
}

/// When a file was last written, moved or copied to its place, in nanoseconds since 1970-01-01 UTC.
pub(crate) fn changed_ns(path: &Path) -> i128 {
    fs::metadata(path).map_or(i128::MIN, |about| {
        i128::from(about.ctime()) * 1_000_000_000 + i128::from(about.ctime_nsec())
    })
}
