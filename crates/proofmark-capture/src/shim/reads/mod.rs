//! Before a compiler's driver: asks the same driver, with the same words, which files a compilation
//! reads and where it looks for them.
//!
//! One more pass of the preprocessor for each source. The build's own lists of dependencies stay as
//! they are, and the failed look-ups, which no compiler tells, follow from the folders that it
//! searches.
//!
//! A driver may be one of several in a program, chosen by its first words (`zig clang`): in front
//! of all stands how many words the driver is.

mod names;
mod note;
mod words;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use proofmark_layout::LinkerKind;
use proofmark_terms::OsText;

use super::call::{Call, READS};
use super::run;
use crate::link::dependencies;
use crate::programs::FLAGS_FILE;
use names::expanded;
use words::Meant;

pub use note::Note;

/// How the names of notes begin.
const NOTE: &str = "note-";

/// Makes an empty folder one in which the wrappers of compilers leave what compilations read.
/// `program` is the one that acts as the shims ([`crate::shim_main`]). Returns what a wrapper
/// starts in front of how many words the compiler's driver is, the driver, and its words.
///
/// # Errors
/// When there is no such program, or the folder cannot be written to.
pub fn prepare(folder: &Path, program: &Path) -> io::Result<PathBuf> {
    let started = folder.join(READS);
    std::os::unix::fs::symlink(program.canonicalize()?, &started)?;
    fs::write(folder.join(FLAGS_FILE), "")?;
    Ok(started)
}

/// What was left in a folder, in no order.
///
/// # Errors
/// When the folder or a note cannot be read.
pub fn notes(folder: &Path) -> io::Result<Vec<Note>> {
    let mut notes = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().as_bytes().starts_with(NOTE.as_bytes()) {
            notes.push(serde_json::from_slice(&fs::read(entry.path())?)?);
        }
    }
    Ok(notes)
}

pub(super) fn act(call: &Call) -> ExitCode {
    let Some((driver, words)) = split(&call.arguments) else {
        return run::not_found(OsStr::new(READS), false);
    };
    let [program, first @ ..] = driver else {
        return run::not_found(OsStr::new(READS), false);
    };
    let meant = Meant::of(words);
    if meant.links || !meant.responses.is_empty() || !meant.named.is_empty() {
        let mut note = Note::of(program);
        note.named = meant.named.iter().cloned().map(OsText::from).collect();
        note.profiles = meant.profiles.iter().cloned().map(OsText::from).collect();
        note.linked = meant.links.then(|| {
            let words = expanded(words, 0, &mut Vec::new());
            words.into_iter().map(OsText::from).collect()
        });
        meant.note(&mut note, &call.folder);
    }
    for (at, source) in meant.sources.iter().enumerate() {
        meant.note(
            &mut meant.asked(driver, at, source, &call.folder),
            &call.folder,
        );
    }
    for source in &meant.assembly {
        let mut note = Note::of(source);
        note.files = vec![source.clone().into()];
        note.search.extend(meant.searched_besides());
        meant.note(&mut note, &call.folder);
    }
    run::become_tool(Path::new(program), [first, words].concat())
}

/// The words that are the driver, one at least, and those that it is given.
fn split(arguments: &[OsString]) -> Option<(&[OsString], &[OsString])> {
    let (count, all) = arguments.split_first()?;
    let count = count.to_str()?.parse().ok().filter(|count| *count > 0)?;
    all.split_at_checked(count)
}

impl Meant {
    /// Writes a note down. What is not written is missing at the end, and said then.
    fn note(&self, note: &mut Note, folder: &Path) {
        note.files
            .extend(self.responses.iter().map(|file| OsText::from(file.clone())));
        let Ok(text) = serde_json::to_vec(note) else {
            return;
        };
        let _ = tempfile::Builder::new()
            .prefix(NOTE)
            .tempfile_in(folder)
            .and_then(|file| {
                fs::write(file.path(), text)?;
                file.keep().map_err(|error| error.error)
            });
    }

    /// Asks the driver about one source.
    fn asked(&self, driver: &[OsString], at: usize, source: &OsStr, folder: &Path) -> Note {
        let mut note = Note::of(source);
        if source == "-" {
            note.failed = Some("it is read from standard input".to_owned());
            return note;
        }
        if self.pipe {
            note.failed = Some("it reads a pipe, which can be read only once".to_owned());
            return note;
        }
        let list = folder.join(format!("list-{}-{at}", std::process::id()));
        let [program, first @ ..] = driver else {
            return note;
        };
        let asked = Command::new(program)
            .args(first)
            .args(&self.options)
            .args(["-w", "-v", "-M", "-MP", "-MG", "-MT", "x", "-MF"])
            .arg(&list)
            .arg(source)
            .env_remove(crate::session::SESSION)
            .env_remove("COMPILER_PATH")
            .env_remove("CCC_OVERRIDE_OPTIONS")
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .output();
        let told = fs::read(&list).unwrap_or_default();
        let _ = fs::remove_file(&list);
        match asked {
            Ok(output) => {
                note.searched(&output.stderr);
                let embeds = self.embeds.iter().cloned().map(OsText::from);
                note.search.splice(0..0, embeds);
                note.search.extend(self.searched_besides());
                note.files = dependencies::files(&told, LinkerKind::Lld)
                    .into_iter()
                    .chain([PathBuf::from(source)])
                    .map(OsText::from)
                    .collect();
                if !output.status.success() {
                    let said = String::from_utf8_lossy(&output.stderr).into_owned();
                    let error = said.lines().find(|line| line.contains("error"));
                    note.failed = Some(error.unwrap_or("the compiler fails").trim().to_owned());
                }
            }
            Err(error) => note.failed = Some(error.to_string()),
        }
        note
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_driver_that_its_first_word_chooses_is_asked_by_it() {
        let folder = tempfile::tempdir().unwrap();
        let several = folder.path().join("several");
        let script = "#!/bin/sh\n[ \"$1\" = chosen ] || exit 1\n\
             while [ $# -gt 2 ]; do [ \"$1\" = -MF ] && printf 'x: a.c b.h\\n\\nb.h:\\n' >\"$2\"; shift; done\n";
        fs::write(&several, script).unwrap();
        fs::set_permissions(&several, fs::Permissions::from_mode(0o755)).unwrap();
        let words = ["2", &several.display().to_string(), "chosen", "-c", "a.c"];
        let words: Vec<OsString> = words.iter().map(Into::into).collect();
        let (driver, given) = split(&words).unwrap();
        let meant = Meant::of(given);
        assert_eq!(meant.sources, ["a.c"].map(OsString::from));
        assert!(meant.named.is_empty());
        let note = meant.asked(driver, 0, "a.c".as_ref(), folder.path());
        assert_eq!(note.failed, None);
        assert!(note.files.contains(&OsText::from(PathBuf::from("b.h"))));
    }

    #[test]
    fn how_many_words_the_driver_is_stands_in_front() {
        let told = |words: &[&str]| {
            let words: Vec<OsString> = words.iter().map(Into::into).collect();
            split(&words).map(|(driver, given)| (driver.len(), given.len()))
        };
        assert_eq!(told(&["1", "gcc", "-c", "a.c"]), Some((1, 2)));
        assert_eq!(told(&["2", "zig", "clang", "-c"]), Some((2, 1)));
        for wrong in [&["0", "gcc"][..], &["2", "gcc"], &["gcc", "-c"], &[]] {
            assert_eq!(told(wrong), None, "{wrong:?}");
        }
    }
}
