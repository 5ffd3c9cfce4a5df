//! Names of files in a driver's words.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::super::once;
use crate::link::quoted::split_response;

/// Options that name what is written, with their values joined.
const WRITTEN: [&str; 9] = [
    "-o",
    "-MF",
    "-MJ",
    "-Map",
    "--Map",
    "-fdump",
    "-ftime-trace",
    "-save-temps",
    "--dependency-file",
];

/// The value of one of these options, which is joined to it.
pub(super) fn value_in(word: &OsStr, options: &[&str]) -> Option<PathBuf> {
    let value = options
        .iter()
        .find_map(|option| word.as_bytes().strip_prefix(option.as_bytes()))?;
    let value = value.strip_prefix(b"=").unwrap_or(value);
    (!value.is_empty()).then(|| PathBuf::from(OsStr::from_bytes(value)))
}

/// The values of an option among these words, joined to it or behind it.
pub(super) fn values<'a>(words: impl Iterator<Item = &'a OsStr>, option: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut words = words;
    while let Some(word) = words.next() {
        if word == option {
            found.extend(words.next().map(PathBuf::from));
        } else {
            found.extend(value_in(word, &[option]));
        }
    }
    found
}

/// Response files in the place of their names, also of those that are passed on to the assembler
/// and the linker.
pub(super) fn expanded(
    words: &[OsString],
    depth: u32,
    responses: &mut Vec<OsString>,
) -> Vec<OsString> {
    const DEEPEST: u32 = 8;
    let mut all = Vec::new();
    for word in words {
        let file = word.as_bytes().strip_prefix(b"@").map(OsStr::from_bytes);
        let file = file.filter(|file| depth < DEEPEST && !once::is_read_once(Path::new(file)));
        match file.map(fs::read) {
            Some(Ok(text)) => {
                responses.extend(file.map(OsStr::to_owned));
                all.extend(expanded(&split_response(&text), depth + 1, responses));
            }
            _ => {
                all.push(word.clone());
                for behind in ["-Wl,", "-Wa,"] {
                    let Some(parts) = word.as_bytes().strip_prefix(behind.as_bytes()) else {
                        continue;
                    };
                    let parts = parts.split(|byte| *byte == b',');
                    let passed = parts.filter(|part| part.starts_with(b"@"));
                    let passed: Vec<OsString> = passed
                        .map(|part| OsStr::from_bytes(part).to_owned())
                        .collect();
                    // Words that are no file's name stay as they are.
                    let inside = expanded(&passed, depth + 1, responses);
                    let inside = inside.iter().filter(|word| !passed.contains(word));
                    all.extend(inside.map(|word| {
                        let mut whole = OsString::from(behind);
                        whole.push(word);
                        whole
                    }));
                }
            }
        }
    }
    all
}

/// Names of files in a word, as far as they lead out of the folder that the driver was started in:
/// `-T/x.ld`, `-fprofile-use=../x`, `-Wl,--script=/x`.
pub(super) fn names_in(word: &OsStr) -> Vec<PathBuf> {
    let parts = word.as_bytes().split(|byte| *byte == b',');
    let mut names = Vec::new();
    for part in parts {
        if WRITTEN
            .iter()
            .any(|start| part.starts_with(start.as_bytes()))
        {
            continue;
        }
        let value = part.iter().position(|byte| *byte == b'=');
        let value = value.and_then(|at| part.get(at + 1..));
        let leads = |text: &&[u8]| text.starts_with(b"/") || text.starts_with(b"../");
        let name = match value {
            None if part.starts_with(b"-") => {
                let joined = (0..part.len()).filter_map(|at| part.get(at..));
                joined.into_iter().find(leads)
            }
            value => Some(value.unwrap_or(part)).filter(leads),
        };
        names.extend(name.map(|name| PathBuf::from(OsStr::from_bytes(name))));
    }
    names
}
