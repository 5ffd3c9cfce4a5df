//! The images that blocks are copies of, held fast: a file that its owner replaces meanwhile is not
//! measured.

use std::fs::{self, File, FileTimes};
use std::io;
use std::path::Path;

use super::subject::{Source, Subject};
use crate::error::{LabError, of_file};

/// The subjects, with each executable that was not captured copied once below `folder`. The copy is
/// the file that was asked for, by its recorded hash.
///
/// # Errors
///
/// When a file changed since it was named, or cannot be copied.
pub(crate) fn held(subjects: &[Subject], folder: &Path) -> Result<Vec<Subject>, LabError> {
    let hold = |(index, subject): (usize, &Subject)| {
        let Source::Executable { path, hash, .. } = &subject.source else {
            return Ok(subject.clone());
        };
        let folder = folder.join(index.to_string());
        let copy = folder.join(subject.file_name());
        fs::create_dir_all(&folder).map_err(of_file("make", &folder))?;
        fs::copy(path, &copy)
            .and_then(|_| same_time(path, &copy))
            .map_err(of_file("copy", path))?;
        unchanged(&copy, path, hash)?;
        Ok(Subject {
            name: subject.name.clone(),
            source: Source::Executable {
                path: path.clone(),
                hash: hash.clone(),
                held: Some(copy),
            },
            tree: subject.tree.clone(),
        })
    };
    subjects.iter().enumerate().map(hold).collect()
}

/// Whether the executables are still those that were named: a command of --setup that builds them
/// would do so when they are held fast already.
///
/// # Errors
///
/// When one of them is another file now, or cannot be read.
pub(crate) fn still_there(subjects: &[Subject]) -> Result<(), LabError> {
    for subject in subjects {
        if let Source::Executable { path, hash, .. } = &subject.source {
            unchanged(path, path, hash)?;
        }
    }
    Ok(())
}

/// Gives a copy the time of its original.
fn same_time(path: &Path, copy: &Path) -> io::Result<()> {
    let modified = path.metadata()?.modified()?;
    File::open(copy)?.set_times(FileTimes::new().set_modified(modified))
}

/// Whether a file has the content that was asked for; `named` is what the user calls it.
fn unchanged(file: &Path, named: &Path, hash: &str) -> Result<(), LabError> {
    let content = fs::read(file).map_err(of_file("read", file))?;
    same(&blake3::hash(&content).to_hex(), named, hash)
}

/// Whether the hash of what is about to be measured is the recorded one.
pub(crate) fn same(found: &str, named: &Path, recorded: &str) -> Result<(), LabError> {
    if found == recorded {
        return Ok(());
    }
    Err(LabError::ImageChanged {
        path: named.to_owned(),
    })
}
