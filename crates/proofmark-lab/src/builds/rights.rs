//! Programs that run with rights of their own, which a copy would not have, and runs that start
//! others of the kind: they are refused by name.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use proofmark_measure::trace::Traced;
use rustix::process::{getegid, geteuid};

use super::subject::{Source, Subject};
use crate::error::LabError;

/// Runs as the file's owner.
const SET_USER: u32 = 0o4000;

/// Runs as the file's group.
const SET_GROUP: u32 = 0o2000;

/// Where the rights of a file are kept that it has without either.
const CAPABILITIES: &str = "security.capability";

/// Refuses builds of which a file runs with rights of its own. Each arm runs a fresh copy, which
/// belongs to this user and has none.
///
/// # Errors
///
/// The first such file.
pub(crate) fn refuse_special(subjects: &[Subject]) -> Result<(), LabError> {
    for subject in subjects {
        for path in files(subject) {
            if let Some(what) = special(&path) {
                return Err(LabError::Refused(format!(
                    "{} of {} {what}: what is measured are copies, which would run without that, and do something else\n  next: build it without that, into another folder, and compare as the user that it becomes",
                    path.display(),
                    subject.name
                )));
            }
        }
    }
    Ok(())
}

/// Refuses a run that executes, of files of the system or of others, one that has rights of its
/// own: a user's runs get none, for they are in a namespace of their own, or under a filter.
///
/// # Errors
///
/// The first such file.
pub(crate) fn refuse_lent(traced: &Traced, name: &str) -> Result<(), LabError> {
    if geteuid().is_root() {
        return Ok(());
    }
    for path in &traced.code {
        let Some(what) = special(path).filter(|_| !is_own(path)) else {
            continue;
        };
        return Err(LabError::Refused(format!(
            "a run of {name} starts {}, which {what}: runs that are measured get no such rights, so that it would do something else\n  next: measure what it does by itself, as the user that it becomes",
            path.display()
        )));
    }
    Ok(())
}

/// Whether a file lends nothing but what this user is already.
fn is_own(path: &Path) -> bool {
    let own = |about: fs::Metadata| {
        let mode = about.permissions().mode();
        (mode & SET_USER == 0 || about.uid() == geteuid().as_raw())
            && (mode & SET_GROUP == 0 || about.gid() == getegid().as_raw())
    };
    fs::metadata(path).is_ok_and(own) && !has_capabilities(path)
}

/// The image of a build where it left it, and what belongs to it.
fn files(subject: &Subject) -> Vec<PathBuf> {
    match &subject.source {
        Source::Captured { links, .. } => links
            .iter()
            .flat_map(|link| {
                let beside = link.companions.iter().filter(|one| one.kind.is_file());
                let beside = beside.map(|file| file.path.clone());
                let names = link.aliases.iter().cloned();
                std::iter::once(link.output.clone())
                    .chain(names)
                    .chain(beside)
            })
            .collect(),
        Source::Executable { path, .. } => vec![path.clone()],
    }
}

/// What rights a file gives to those who run it; nothing of one that is not there.
fn special(path: &Path) -> Option<&'static str> {
    let about = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    if about.permissions().mode() & (SET_USER | SET_GROUP) != 0 {
        return Some("runs with the rights of its owner or group (setuid, setgid)");
    }
    has_capabilities(path).then_some("has rights of its own (file capabilities)")
}

fn has_capabilities(path: &Path) -> bool {
    let mut value = [0_u8; 64];
    // Too large is there as well.
    match rustix::fs::getxattr(path, CAPABILITIES, &mut value) {
        Ok(length) => length > 0,
        Err(error) => error == rustix::io::Errno::RANGE,
    }
}
