//! Patches, applied to a folder that is no repository.

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::Write;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use super::command::{Git, as_path, records};
use crate::states::RevisionError;

/// A patch that was applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    /// The files that it is about.
    pub files: Vec<PathBuf>,
    /// In words, each hunk that went in at another line than the one it was made for. git takes the
    /// nearest place with the same lines around it, which may be in another function.
    pub displaced: Vec<String>,
}

/// Which files of a patch are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part<'a> {
    /// All of them.
    All,
    /// Those in this folder, by its path in the patch.
    Within(&'a Path),
    /// Those outside of it.
    Without(&'a Path),
}

impl Part<'_> {
    /// How git is told of it.
    fn argument(self) -> Option<OsString> {
        let (option, folder) = match self {
            Part::All => return None,
            Part::Within(folder) => ("--include=", folder),
            Part::Without(folder) => ("--exclude=", folder),
        };
        let mut word = option.as_bytes().to_vec();
        for byte in folder.as_os_str().as_bytes() {
            if b"*?[\\".contains(byte) {
                word.push(b'\\');
            }
            word.push(*byte);
        }
        // To git a star stands for slashes too here.
        word.extend_from_slice(b"/*");
        Some(OsString::from_vec(word))
    }
}

/// Applies a patch in a folder; `name` is what errors call it. Without a repository around it:
/// inside of one git passes over what lies outside of the present folder, and says nothing. Without
/// settings of the user's: `core.autocrlf` and `apply.whitespace` would write other lines than
/// those of the patch.
///
/// # Errors
/// When it does not apply, or git cannot be started.
pub fn apply(name: &Path, patch: &[u8], place: &Path) -> Result<Applied, RevisionError> {
    apply_part(name, patch, place, Part::All)
}

/// The same of a part of the files that it is about.
///
/// # Errors
/// When that does not apply, or git cannot be started.
pub fn apply_part(
    name: &Path,
    patch: &[u8],
    place: &Path,
    part: Part<'_>,
) -> Result<Applied, RevisionError> {
    let file = written(name, patch)?;
    let git = Git::of_nobody(place, "apply a patch")
        .args(["apply", "--whitespace=nowarn", "--verbose"])
        .args(["--apply", "--numstat", "-z"])
        .args(part.argument())
        .args([file.path()])
        .env("GIT_CEILING_DIRECTORIES", place.parent().unwrap_or(place));
    match git.with_errors() {
        Err(RevisionError::Git { said, .. }) => {
            const MOST: usize = 6;
            let said: Vec<&str> = faults(&said).take(MOST).collect();
            Err(RevisionError::Patch {
                patch: name.to_owned(),
                said: said.join(" / "),
            })
        }
        other => {
            let (printed, said) = other?;
            Ok(Applied {
                files: named(&printed),
                displaced: displaced(name, &said),
            })
        }
    }
}

/// The files that a patch is about, whether or not it applies anywhere.
///
/// # Errors
/// When git cannot read it, or cannot be started.
pub fn names(name: &Path, patch: &[u8]) -> Result<Vec<PathBuf>, RevisionError> {
    let failed = |error| RevisionError::file("make a folder for the patch", name, error);
    let nowhere = tempfile::tempdir().map_err(failed)?;
    let file = written(name, patch)?;
    let place = nowhere.path();
    let listed = Git::of_nobody(place, "read a patch")
        .args(["apply", "--numstat", "-z"])
        .args([file.path()])
        .env("GIT_CEILING_DIRECTORIES", place.parent().unwrap_or(place))
        .bytes()?;
    Ok(named(&listed))
}

/// The two names of a file that a patch renames or copies into a folder, or out of it: neither part
/// of such a patch says all of it. A patch may rename a file by nothing else than its two names.
#[must_use]
pub fn crossing(patch: &[u8], folder: &Path) -> Option<[PathBuf; 2]> {
    let said = |line: &[u8], words: &[&[u8]]| {
        let name = words.iter().find_map(|word| line.strip_prefix(*word))?;
        let name = name.strip_suffix(b"\r").unwrap_or(name);
        Some(as_path(&unquoted(name)).to_owned())
    };
    // Behind a tab stands a time, and in front the name of one of the two trees.
    let version = |line: &[u8], word: &[u8]| {
        let line = match line.strip_prefix(word)? {
            quoted @ [b'"', ..] => quoted,
            plain => plain.split(|byte| *byte == b'\t').next()?,
        };
        let name = said(line, &[b""]).filter(|name| name != Path::new("/dev/null"))?;
        Some(name.components().skip(1).collect::<PathBuf>())
    };
    let (mut from, mut old): (Option<PathBuf>, Option<PathBuf>) = (None, None);
    for line in patch.split(|byte| *byte == b'\n') {
        let pair = if let Some(to) = said(line, &[b"rename to ", b"rename new ", b"copy to "]) {
            from.clone().zip(Some(to))
        } else {
            old.take().zip(version(line, b"+++ "))
        };
        if let Some((from, to)) = pair
            && from.starts_with(folder) != to.starts_with(folder)
        {
            return Some([from, to]);
        }
        from = said(line, &[b"rename from ", b"rename old ", b"copy from "]).or(from);
        old = version(line, b"--- ");
    }
    None
}

/// A name as git writes it where it has letters beyond ASCII, or such as a tab: in quotes, with the
/// escapes of C (`git config`, core.quotePath).
fn unquoted(name: &[u8]) -> Cow<'_, [u8]> {
    let Some(quoted) = name.strip_prefix(b"\"") else {
        return Cow::Borrowed(name);
    };
    let mut bytes = quoted.iter().copied().peekable();
    let mut plain = Vec::new();
    while let Some(byte) = bytes.next().filter(|byte| *byte != b'"') {
        if byte != b'\\' {
            plain.push(byte);
            continue;
        }
        let Some(escape) = bytes.next() else { break };
        plain.push(match escape {
            b'a' => 7,
            b'b' => 8,
            b't' => b'\t',
            b'n' => b'\n',
            b'v' => 11,
            b'f' => 12,
            b'r' => b'\r',
            b'0'..=b'3' => {
                let mut value = escape - b'0';
                for _ in 0..2 {
                    let digit = bytes.next_if(|byte| matches!(byte, b'0'..=b'7'));
                    value = value << 3 | digit.map_or(0, |digit| digit - b'0');
                }
                value
            }
            itself => itself,
        });
    }
    Cow::Owned(plain)
}

/// A patch as a file.
fn written(name: &Path, patch: &[u8]) -> Result<tempfile::NamedTempFile, RevisionError> {
    let failed = |error| RevisionError::file("write the patch", name, error);
    let mut file = tempfile::NamedTempFile::new().map_err(failed)?;
    file.write_all(patch).map_err(failed)?;
    Ok(file)
}

/// What git says of a patch that does not apply, without the lines that it looked for.
fn faults(said: &str) -> impl Iterator<Item = &str> {
    let mut looked_for = false;
    let lines = said.lines().filter(move |line| {
        looked_for = match looked_for {
            true => !line.starts_with("error: patch failed: "),
            false => line.starts_with("error: while searching for:"),
        };
        !looked_for && !line.starts_with(CHECKING)
    });
    lines.map(str::trim).filter(|line| !line.is_empty())
}

/// How git begins what it says of a file.
const CHECKING: &str = "Checking patch ";

/// What git says of hunks that lie elsewhere: `Hunk #1 succeeded at 12 (offset -6 lines).`
fn displaced(name: &Path, said: &str) -> Vec<String> {
    let name = name.display();
    let mut file = "";
    let mut found = Vec::new();
    for line in said.lines() {
        if let Some(checked) = line.strip_prefix(CHECKING) {
            file = checked.trim_end_matches('.');
        } else if let Some(hunk) = line.strip_prefix("Hunk #")
            && let Some((number, rest)) = hunk.split_once(" succeeded at ")
            && let Some((_, offset)) = rest.split_once("(offset ")
            && let Some(offset) = offset.split(' ').next()
        {
            let (lines, way) = match offset.strip_prefix('-') {
                Some(lines) => (lines, "above"),
                None => (offset, "below"),
            };
            let lines = match lines {
                "1" => "1 line".to_owned(),
                lines => format!("{lines} lines"),
            };
            found.push(format!(
                "{name}: hunk {number} of {file} went in {lines} {way} the place that it was made for"
            ));
        } else if line.starts_with("Context reduced") {
            found.push(format!("{name}: {file}: git says: {line}"));
        }
    }
    found
}

/// The names in lines of ADDED, DELETED, NAME.
fn named(said: &[u8]) -> Vec<PathBuf> {
    let names = records(said).filter_map(|record| record.splitn(3, |byte| *byte == b'\t').nth(2));
    names.map(|name| as_path(name).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_patch_is_applied_where_it_is_meant() {
        let hunk = |file: &str| format!("--- a/{file}\n+++ b/{file}\n@@ -1 +1 @@\n-1\n+2\n");
        let patch = ["p.c", "li[b]/a", "li[b]/sub/b", "lib/c"]
            .map(hunk)
            .concat();
        let done = |part: Part<'_>| {
            let folder = tempfile::tempdir().unwrap();
            for file in ["p.c", "li[b]/a", "li[b]/sub/b", "lib/c"] {
                let place = folder.path().join(file);
                std::fs::create_dir_all(place.parent().unwrap()).unwrap();
                std::fs::write(place, "1\n").unwrap();
            }
            let patch = patch.as_bytes();
            apply_part(Path::new("h.patch"), patch, folder.path(), part)
                .unwrap()
                .files
        };
        let folder = Path::new("li[b]");
        let all = ["p.c", "li[b]/a", "li[b]/sub/b", "lib/c"].map(Path::new);
        assert_eq!(names(Path::new("h.patch"), patch.as_bytes()).unwrap(), all);
        assert_eq!(done(Part::All), all);
        assert_eq!(done(Part::Within(folder)), [all[1], all[2]]);
        assert_eq!(done(Part::Without(folder)), [all[0], all[3]]);
        assert!(done(Part::Within(Path::new("none"))).is_empty());
    }

    #[test]
    fn a_file_that_moves_across_the_border_of_a_folder_is_named() {
        let moved = |from: &str, to: &str| {
            let text = format!("similarity index 100%\nrename from {from}\nrename to {to}\n");
            crossing(text.as_bytes(), Path::new("lib"))
        };
        assert_eq!(moved("lib/a", "lib/b"), None);
        assert_eq!(moved("a", "b"), None);
        assert_eq!(moved("lib/a", "b"), Some(["lib/a".into(), "b".into()]));
        assert_eq!(moved("\"a\"", "lib/a"), Some(["a".into(), "lib/a".into()]));
        let versions = |old: &str, new: &str| {
            let text = format!("--- {old}\t2026-01-01\n+++ {new}\n@@ -1 +1 @@\n-1\n+2\n");
            crossing(text.as_bytes(), Path::new("lib"))
        };
        assert_eq!(versions("a/lib/a", "b/lib/a"), None);
        assert_eq!(versions("/dev/null", "b/lib/a"), None);
        assert_eq!(
            versions("a/lib/a", "b/li"),
            Some(["lib/a".into(), "li".into()])
        );
        let quoted = "\"li\\142/\\303\\251\\t\"";
        assert_eq!(
            moved(quoted, "b"),
            Some(["lib/\u{e9}\t".into(), "b".into()])
        );
    }

    #[test]
    fn a_hunk_that_lands_elsewhere_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let patch = b"--- a/p.c\n+++ b/p.c\n@@ -3,3 +3,3 @@\n 3\n-4\n+four\n 5\n";
        let displaced = |above: &str| {
            let text = format!("{above}1\n2\n3\n4\n5\n6\n");
            std::fs::write(folder.path().join("p.c"), text).unwrap();
            let applied = apply(Path::new("h.patch"), patch, folder.path()).unwrap();
            assert_eq!(applied.files, [Path::new("p.c")]);
            applied.displaced
        };
        assert!(displaced("").is_empty());
        assert_eq!(
            displaced("a\nb\n"),
            ["h.patch: hunk 1 of p.c went in 2 lines below the place that it was made for"]
        );
        let above = "@@ -4,3 +4,3 @@";
        let later = String::from_utf8_lossy(patch).replace("@@ -3,3 +3,3 @@", above);
        std::fs::write(folder.path().join("p.c"), "1\n2\n3\n4\n5\n6\n").unwrap();
        let applied = apply(Path::new("h.patch"), later.as_bytes(), folder.path()).unwrap();
        assert!(applied.displaced[0].contains("1 line above"), "{applied:?}");
        std::fs::write(folder.path().join("p.c"), "1\n").unwrap();
        let error = apply(Path::new("h.patch"), patch, folder.path()).unwrap_err();
        let said = error.to_string();
        assert!(
            said.contains("h.patch does not apply: error: patch failed: p.c:3"),
            "{said}"
        );
        assert!(
            !said.contains("searching") && !said.contains("four"),
            "{said}"
        );
    }
}
