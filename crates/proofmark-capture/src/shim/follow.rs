//! In front of a whole build: runs it under a tracer and leaves a note of the files that its
//! processes read, looked for, listed and changed.
//!
//! Compilers tell what they read, other tools do not: a linker that makes an object of a file, a
//! generator, a script.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use proofmark_measure::Launch;
use proofmark_measure::trace::{
    BuildFiles, Change, FileState, FileWritten, OnChange, Untraceable, trace_build,
};
use proofmark_terms::OsText;
use serde::{Deserialize, Serialize};

use super::call::{Call, FOLLOW};
use super::run;
use crate::programs::{FLAGS_FILE, find_program};

/// The name of the note.
const NOTE: &str = "followed";

/// And that of the list of names that were changed so far.
const JOURNAL: &str = "changed";

/// Makes a folder one in which the note of a build is left. `program` is the one that acts as the
/// shims ([`crate::shim_main`]). Returns what is started in front of the build's command.
///
/// # Errors
/// When there is no such program, or the folder cannot be written to.
pub(crate) fn prepare(folder: &Path, program: &Path) -> io::Result<PathBuf> {
    let started = folder.join(FOLLOW);
    std::os::unix::fs::symlink(program.canonicalize()?, &started)?;
    fs::write(folder.join(FLAGS_FILE), "")?;
    Ok(started)
}

/// The note that was left in a folder; none where the build was ended before its end.
pub(crate) fn note(folder: &Path) -> Option<Followed> {
    serde_json::from_slice(&fs::read(folder.join(NOTE)).ok()?).ok()
}

/// What came of following a build.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Followed {
    /// It ran to its end.
    Seen(Box<Seen>),
    /// It ran, and nobody followed it, for this reason.
    Unseen(String),
    /// It was ended, or failed, because it was followed: it has to run without.
    Disturbed(String),
}

/// Files by the names that processes called them by, absolute.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Seen {
    /// Opened or run, there, and not made by the build before; with the state of the first time.
    pub(crate) read: Vec<(OsText, FileMark)>,
    /// Asked about and there; with the state of the first time.
    pub(crate) asked: Vec<(OsText, FileMark)>,
    /// Looked for, and not there.
    pub(crate) absent: Vec<OsText>,
    /// Folders whose entries were listed.
    pub(crate) listed: Vec<(OsText, FileMark)>,
    /// Opened for writing, made, moved or removed.
    pub(crate) written: Vec<Written>,
    /// Names that it would have made, moved or removed, had they not been so already.
    pub(crate) in_vain: Vec<OsText>,
}

/// A file that was opened for writing, made, moved or removed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Written {
    pub(crate) name: OsText,
    /// It does not hold now what it held before.
    pub(crate) changed: bool,
    /// It was read as well, at any time.
    pub(crate) read: bool,
    /// A part of what it held is left, and it was asked about.
    pub(crate) asked_in_part: bool,
    /// What there was of this name before, where the build could tell.
    pub(crate) before: Option<String>,
}

/// What tells one state of a file from the next: a [`FileState`]'s numbers in their order; none
/// where it could not be looked at.
pub(crate) type FileMark = Option<(u64, u64, u64, (i64, i64))>;

pub(crate) fn mark(of: FileState) -> FileMark {
    Some((of.device, of.inode, of.size, of.modified))
}

pub(super) fn act(call: &Call) -> ExitCode {
    let Some((program, words)) = call.arguments.split_first() else {
        return run::not_found(OsStr::new(FOLLOW), false);
    };
    let Some(place) = find_program(program) else {
        return run::become_tool(Path::new(program), words);
    };
    // Whoever ends the build signals its group, and this process has to see how the build takes it.
    for signal in [
        signal_hook::consts::SIGINT,
        signal_hook::consts::SIGTERM,
        signal_hook::consts::SIGHUP,
        signal_hook::consts::SIGQUIT,
    ] {
        let _ = signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false)));
    }
    let mut launch = Launch::new(&place, Duration::MAX);
    launch.argv0.clone_from(program);
    launch.args = words.to_vec();
    launch.env = env::vars_os().collect();
    match trace_build(&launch, journal(&call.folder)) {
        Ok(files) => {
            let status = files.status;
            leave(&call.folder, &followed(&files));
            run::end_as(status)
        }
        // It did not begin.
        Err(
            why @ (Untraceable::Run(_)
            | Untraceable::Forbidden(_)
            | Untraceable::AlreadyTraced { .. }),
        ) => {
            leave(&call.folder, &Followed::Unseen(why.to_string()));
            run::become_tool(&place, words)
        }
        Err(why) => {
            leave(&call.folder, &Followed::Disturbed(why.to_string()));
            ExitCode::FAILURE
        }
    }
}

/// Who writes down each name that the build changes, when it does: this process may be killed. What
/// cannot be written down is in the note.
fn journal(folder: &Path) -> OnChange {
    let mut file = File::create(folder.join(JOURNAL)).ok();
    Box::new(move |name| {
        let mut line = name.as_os_str().as_bytes().to_vec();
        line.push(0);
        if let Some(file) = &mut file {
            let _ = file.write_all(&line);
        }
    })
}

/// When a build began, in seconds and nanoseconds since 1970-01-01 UTC.
pub(crate) fn began(folder: &Path) -> Option<(i64, i64)> {
    let about = fs::metadata(folder.join(FLAGS_FILE)).ok()?;
    Some((about.ctime(), about.ctime_nsec()))
}

/// The names that a build had changed when it was killed, and when it had begun.
pub(crate) fn journalled(folder: &Path) -> Option<((i64, i64), Vec<OsText>)> {
    let began = began(folder)?;
    let all = fs::read(folder.join(JOURNAL)).ok()?;
    let names = all.split(|&byte| byte == 0).filter(|name| !name.is_empty());
    let names = names.map(|name| OsText::from(OsStr::from_bytes(name).to_owned()));
    Some((began, names.collect()))
}

/// A note that cannot be left is missing, and said then.
fn leave(folder: &Path, followed: &Followed) {
    if let Ok(text) = serde_json::to_vec(followed) {
        let _ = fs::write(folder.join(NOTE), text);
    }
}

fn followed(files: &BuildFiles) -> Followed {
    if files.traces && !files.status.success() {
        return Followed::Disturbed(
            "it traces processes itself, which only one tracer at a time can".to_owned(),
        );
    }
    if files.elsewhere {
        return Followed::Unseen(
            "it changes its root folder, its mounts or its namespaces, so that paths mean other \
             files"
                .to_owned(),
        );
    }
    let first = |path: &Path| files.first.get(path).copied().and_then(mark);
    let inputs = files
        .read
        .iter()
        .filter(|(_, read)| read.found && !read.own);
    let changed: BTreeSet<&PathBuf> = files
        .written
        .keys()
        .filter(|path| files.before.is_changed(path))
        .collect();
    // A program that the build made is its own.
    let code = files.code.iter().filter(|path| !changed.contains(path));
    let read = inputs.map(|(path, _)| path).chain(code);
    let sought = files.read.iter().filter(|(_, read)| !read.found);
    let (there, missing): (Vec<_>, Vec<_>) = files.looked_at.iter().partition(|(_, found)| **found);
    let absent = sought
        .map(|(path, _)| path)
        .chain(missing.into_iter().map(|(path, _)| path));
    let text = |path: &PathBuf| OsText::from(path.clone());
    Followed::Seen(Box::new(Seen {
        read: read.map(|path| (text(path), first(path))).collect(),
        asked: there
            .into_iter()
            .map(|(path, _)| (text(path), first(path)))
            .collect(),
        absent: absent.map(text).collect(),
        listed: files
            .listed
            .iter()
            .map(|path| (text(path), first(path)))
            .collect(),
        written: files
            .written
            .iter()
            .map(|(path, written)| Written {
                name: text(path),
                changed: changed.contains(path),
                read: files.read.get(path).is_some_and(|read| read.found),
                asked_in_part: is_added_to(written) && files.looked_at.get(path) == Some(&true),
                before: written
                    .found_before()
                    .map(|before| before.word().to_owned()),
            })
            .collect(),
        in_vain: files.in_vain.iter().map(text).collect(),
    }))
}

/// Whether a part of what a file held is still there.
fn is_added_to(written: &FileWritten) -> bool {
    !written.anew
        && written
            .changes
            .iter()
            .all(|change| *change == Change::Written)
}
