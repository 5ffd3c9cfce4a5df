//! Programs that run with rights of their own, which a copy would not have: they are refused by
//! name.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::subject::{Source, Subject};
use crate::error::LabError;

/// Runs as the file's owner or group.
const SET_ID: u32 = 0o6000;

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

/// The image of a build where it left it, and what belongs to it.
fn files(subject: &Subject) -> Vec<PathBuf> {
    match &subject.source {
        Source::Captured { links, .. } => links
            .iter()
            .flat_map(|link| {
                let beside = link.companions.iter().map(|file| file.path.clone());
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
    if about.permissions().mode() & SET_ID != 0 {
        return Some("runs with the rights of its owner or group (setuid, setgid)");
    }
    let mut value = [0_u8; 64];
    // Too large is there as well.
    let found = match rustix::fs::getxattr(path, CAPABILITIES, &mut value) {
        Ok(length) => length > 0,
        Err(error) => error == rustix::io::Errno::RANGE,
    };
    found.then_some("has rights of its own (file capabilities)")
}
