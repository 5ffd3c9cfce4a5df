//! What runs read, found by a traced run before anything is measured.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use proofmark_evidence::record::{AskedAbout, Benchmark, Input, Inputs, Stdin};
use proofmark_measure::trace::{Change, TraceLimits, Traced, Untraceable, trace};
use proofmark_measure::{Interrupt, Launch, MeasureError, View};
use proofmark_terms::{Digest, OsText};

use super::around;
use super::content::{answer_of, hashed, is_there};
use super::of_builds;
use crate::budget::Budget;
use crate::builds::Subject;
use crate::clock::now_ms;
use crate::command;
use crate::error::LabError;
use crate::places::Original;
use crate::prepare::prepare;

/// What the kernel makes up as it is read.
const MADE_UP: [&str; 3] = ["/proc", "/sys", "/dev"];

/// Files in memory lie among the devices, and are files all the same.
const IN_MEMORY: &str = "/dev/shm";

/// Whether a path is that of something that the kernel makes up.
fn is_made_up(path: &Path) -> bool {
    !path.starts_with(IN_MEMORY) && MADE_UP.iter().any(|made_up| path.starts_with(made_up))
}

/// One run that is to be looked at.
pub(crate) struct Look<'a> {
    pub(crate) benchmark: &'a Benchmark,
    pub(crate) image: &'a Path,
    /// What it sees, where that is not what lies on the disk.
    pub(crate) view: Option<Arc<View>>,
    /// Paths at which it sees files of its own build.
    pub(crate) bound: BTreeSet<PathBuf>,
    /// The working folder, where each run sees a copy of it.
    pub(crate) original: Option<&'a Original>,
}

/// What these runs of these builds read; `own` is proofmark's own folder. Each is prepared as it
/// will be.
///
/// # Errors
///
/// When a run cannot be started or prepared, the budget is spent, the user stops, or a build wrote
/// what all of them read. Where no trace is possible, only what the command names is found.
pub(crate) fn find(
    looks: &[Look<'_>],
    subjects: &[Subject],
    own: &Path,
    stop: &Interrupt,
    budget: Budget,
) -> Result<Inputs, LabError> {
    let mut read = BTreeSet::new();
    let mut asked: BTreeSet<PathBuf> = BTreeSet::new();
    let mut missed = BTreeSet::new();
    let mut written = BTreeSet::new();
    let mut in_cwd = BTreeSet::new();
    let mut state = BTreeSet::new();
    let mut shared_memory = BTreeSet::new();
    let mut inputs = Inputs::default();
    let mut prepared: BTreeSet<&str> = BTreeSet::new();
    for look in looks {
        if budget.is_spent(now_ms()) {
            return Err(budget.spent_early(now_ms()));
        }
        let of_others = |path: &PathBuf| {
            let real = || path.canonicalize();
            !look.bound.contains(path) && !real().is_ok_and(|real| look.bound.contains(&real))
        };
        read.extend(named(look.benchmark).into_iter().filter(of_others));
        let mut helpers = Vec::new();
        if let Some(text) = &look.benchmark.prepare
            && prepared.insert(text)
        {
            helpers.push(around::of_prepare(text, look.benchmark, stop, budget)?);
        }
        let traced = traced(look, stop, budget)?;
        if let (Some(text), Ok(traced)) = (&look.benchmark.output_filter, &traced) {
            let printed = &traced.stdout.kept;
            let filter = around::of_filter(text, look.benchmark, printed, stop, budget)?;
            helpers.push(filter);
        }
        for helper in helpers {
            match helper {
                Ok(helper) => {
                    // What it makes is an input where a run reads it.
                    let made: BTreeSet<PathBuf> = changed(&helper).collect();
                    let given = |path: &PathBuf| !made.contains(path);
                    state.extend(kept_between(&helper));
                    read.extend(opened(&helper).filter(given));
                    asked.extend(asked_about(&helper).filter(given));
                    missed.extend(in_vain(&helper).filter(given));
                }
                Err(why) => inputs.only_named = Some(why),
            }
        }
        match traced {
            Ok(traced) => {
                let cwd = Path::new(look.benchmark.cwd.as_ref());
                // What is written into a copy is gone with it.
                let lasting = |path: &Path| look.original.is_none() || !path.starts_with(cwd);
                written.extend(changed(&traced).filter(|path| lasting(path)));
                let here = |path: &&PathBuf| {
                    path.starts_with(cwd) && lasting(path) && !path.starts_with(own)
                };
                in_cwd.extend(traced.written.keys().filter(here).cloned());
                state.extend(kept_between(&traced).filter(|path| lasting(path)));
                shared_memory.extend(traced.shared_memory.iter().copied());
                read.extend(opened(&traced).filter(of_others));
                asked.extend(asked_about(&traced).filter(of_others));
                missed.extend(in_vain(&traced).filter(of_others));
            }
            Err(why) => inputs.only_named = Some(why),
        }
    }
    let images: BTreeSet<&Path> = looks.iter().map(|look| look.image).collect();
    let counts = |path: &PathBuf| {
        !images.contains(path.as_path()) && !path.starts_with(own) && !is_made_up(path)
    };
    // What runs make themselves they may well find.
    asked.retain(|path| !written.contains(path) && counts(path));
    for path in &asked {
        if let Some(answer) = answer_of(path) {
            inputs.asked.push(AskedAbout {
                path: path.clone().into(),
                answer: answer.into(),
            });
        }
    }
    // Of a folder nothing else is learnt by asking about it.
    read.extend(asked.into_iter().filter(|path| path.is_file()));
    read.retain(counts);
    // What one build looks for is made by another.
    state.extend(
        missed
            .intersection(&written)
            .filter(|path| path.is_file())
            .cloned(),
    );
    missed.retain(|path| counts(path) && !written.contains(path) && !is_there(path));
    inputs.absent = missed.into_iter().map(OsText::from).collect();
    for path in read {
        if written.contains(&path) {
            state.extend(path.is_file().then_some(path));
        } else if let Ok(Some((hash, _))) = hashed(&path) {
            inputs.fixed.push(Input {
                path: path.into(),
                hash,
            });
        }
    }
    let own_place = looks.iter().all(|look| look.view.is_some());
    inputs.between = of_builds::between(&inputs.fixed, subjects, own_place)?;
    // What the user names is meant as it is.
    let named: BTreeSet<OsText> = (looks.iter().flat_map(|look| named(look.benchmark)))
        .map(OsText::from)
        .collect();
    inputs.between.retain(|path| !named.contains(path));
    in_cwd.retain(|path| !is_made_up(path));
    inputs.written = in_cwd.into_iter().map(OsText::from).collect();
    inputs.state = state.into_iter().map(OsText::from).collect();
    let memory = shared_memory.into_iter();
    inputs
        .state
        .extend(memory.map(|key| OsString::from(format!("shared memory 0x{key:x}")).into()));
    Ok(inputs)
}

/// A traced run; the reason where there can be none.
fn traced(
    look: &Look<'_>,
    stop: &Interrupt,
    budget: Budget,
) -> Result<Result<Traced, String>, LabError> {
    prepare(look.benchmark)?;
    let launch = Launch {
        view: look.view.clone(),
        ..command::launch(look.benchmark, look.image, 0, None)?
    };
    // To its end, as far as the budget goes: it may open a file in its last second.
    let left = budget.left_ms(now_ms()).map(Duration::from_millis);
    let limits = TraceLimits {
        time: left.map_or(launch.timeout, |left| left.min(launch.timeout)),
        ..TraceLimits::default()
    };
    match trace(&launch, &limits, stop) {
        Ok(traced) => Ok(Ok(traced)),
        Err(Untraceable::Run(MeasureError::Interrupted)) => Err(LabError::Interrupted),
        Err(why) => Ok(Err(why.to_string())),
    }
}

/// Files that the command names, and its standard input.
fn named(benchmark: &Benchmark) -> Vec<PathBuf> {
    let cwd = Path::new(benchmark.cwd.as_ref());
    let words = benchmark.argv.iter().map(|word| word.as_ref().as_bytes());
    let values = benchmark.argv.iter().filter_map(|word| {
        let bytes = word.as_ref().as_bytes();
        let at = bytes.iter().position(|&byte| byte == b'=')?;
        bytes.get(at + 1..)
    });
    let mut found: Vec<PathBuf> = words
        .chain(values)
        .filter(|word| !word.is_empty())
        .map(|word| cwd.join(OsStr::from_bytes(word)))
        .filter(|path| path.is_file())
        .collect();
    if let Stdin::File(path) = &benchmark.stdin {
        found.push(PathBuf::from(path.as_ref()));
    }
    found
}

/// Files that were there before the run and were read by it, folders that it listed, and code that
/// it loaded.
fn opened(traced: &Traced) -> impl Iterator<Item = PathBuf> {
    let files = traced
        .read
        .iter()
        .filter(|(_, read)| read.found && !read.own);
    files
        .map(|(path, _)| path)
        .chain(&traced.listed)
        .chain(&traced.code)
        .cloned()
}

/// What the run found and asked about: that it is there, its size, where a link leads, may be all
/// that it wants to know.
fn asked_about(traced: &Traced) -> impl Iterator<Item = PathBuf> {
    let found = traced.looked_at.iter().filter(|(_, found)| **found);
    found
        .map(|(path, _)| path)
        .filter(|path| !traced.written.contains_key(*path))
        .cloned()
}

/// Files that the run read as they were and changed then, or looked for in vain and made.
fn kept_between(traced: &Traced) -> impl Iterator<Item = PathBuf> {
    let again = traced.written.iter().filter(|(path, file)| {
        let read = || {
            traced
                .read
                .get(*path)
                .is_some_and(|read| read.found && !read.own)
        };
        let changed = || traced.before.is_changed(path);
        ((file.read_before || read()) && changed()) || (file.sought_before && path.is_file())
    });
    again.map(|(path, _)| path.clone())
}

/// Names that the run looked for and did not find.
fn in_vain(traced: &Traced) -> impl Iterator<Item = PathBuf> {
    let opened = traced.read.iter().filter(|(_, read)| !read.found);
    let asked = traced.looked_at.iter().filter(|(_, found)| !**found);
    opened
        .map(|(path, _)| path)
        .chain(asked.map(|(path, _)| path))
        .cloned()
}

/// Files that the run changed, and the folders in which names came or went by it. What it opened
/// for writing and left as it was is not among them.
fn changed(traced: &Traced) -> impl Iterator<Item = PathBuf> {
    let written = traced.written.iter();
    let changed = written.filter(|(path, _)| traced.before.is_changed(path));
    changed.flat_map(|(path, written)| {
        let names = written
            .changes
            .iter()
            .any(|change| *change != Change::Written);
        let folder = path.parent().filter(|_| names).map(Path::to_owned);
        [Some(path.clone()), folder].into_iter().flatten()
    })
}

/// The hashes of what the command names: for what is known before anything runs. One that cannot be
/// read is told by its first run.
pub(crate) fn named_hashes(benchmark: &Benchmark) -> Vec<(OsText, Digest)> {
    let known = |path: PathBuf| {
        let (hash, _) = hashed(&path).ok().flatten()?;
        Some((path.into(), hash))
    };
    named(benchmark).into_iter().filter_map(known).collect()
}
