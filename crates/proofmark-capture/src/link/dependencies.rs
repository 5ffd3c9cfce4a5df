//! The list of files that a linker says it has read (`--dependency-file`), as each linker writes
//! it.
//!
//! All of them end with one empty rule for each file, `name:`, which is read here: mold separates
//! the names of the first rule by spaces that it does not escape. lld escapes names and tidies them
//! (`a/../b` becomes `b`); GNU ld, gold and mold write them as opened.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

use proofmark_layout::LinkerKind;

/// The files in the list, each one once.
pub(crate) fn files(text: &[u8], kind: LinkerKind) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for line in text.split(|byte| *byte == b'\n') {
        let Some(name) = line.strip_suffix(b":").filter(|name| !name.is_empty()) else {
            continue;
        };
        let name = if kind == LinkerKind::Lld {
            unescape(name)
        } else {
            name.to_vec()
        };
        let path = PathBuf::from(OsString::from_vec(name));
        if seen.insert(path.clone()) {
            found.push(path);
        }
    }
    found
}

/// Undoes what lld does for make: `\ `, `\#` and `$$`, and doubled backslashes before one of them.
fn unescape(name: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(name.len());
    let mut rest = name;
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        if *byte == b'$' && after.first() == Some(&b'$') {
            rest = after.get(1..).unwrap_or_default();
            plain.push(b'$');
            continue;
        }
        if *byte == b'\\' {
            let backslashes = 1 + after.iter().take_while(|byte| **byte == b'\\').count();
            let next = rest.get(backslashes - 1);
            if matches!(next, Some(b' ' | b'#')) {
                plain.extend(std::iter::repeat_n(b'\\', backslashes / 2));
            } else {
                plain.extend(std::iter::repeat_n(b'\\', backslashes));
            }
            rest = rest.get(backslashes - 1..).unwrap_or_default();
            continue;
        }
        plain.push(*byte);
    }
    plain
}

/// The names as opened for names that lld has tidied: of the candidates the first that tidies to
/// the same.
pub(crate) fn as_opened(listed: Vec<PathBuf>, candidates: &[PathBuf]) -> Vec<PathBuf> {
    let mut by_tidy = std::collections::HashMap::new();
    for candidate in candidates {
        by_tidy.entry(tidy(candidate)).or_insert(candidate);
    }
    listed
        .into_iter()
        .map(|name| {
            by_tidy
                .get(&tidy(&name))
                .map_or(name, |candidate| (*candidate).clone())
        })
        .collect()
}

/// Without `.`, and without `..` where a folder goes before it, by the letters alone (LLVM's
/// `remove_dots`).
fn tidy(path: &Path) -> PathBuf {
    let mut tidied = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => match tidied.components().next_back() {
                Some(Component::Normal(_)) => _ = tidied.pop(),
                Some(Component::RootDir) => {}
                _ => tidied.push(".."),
            },
            other => tidied.push(other),
        }
    }
    tidied
}

/// A name that cannot stand in such a list on a line of its own.
pub(crate) fn cannot_be_listed(name: &Path) -> bool {
    name.as_os_str().as_bytes().contains(&b'\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_gnu_ld_is_read() {
        let text = b"out: \\\n  /usr/lib/../crt1.o \\\n  sp ace.o \\\n  l.so \\\n  l.so\n/usr/lib/../crt1.o:\nsp ace.o:\nl.so:\nl.so:\n";
        assert_eq!(
            files(text, LinkerKind::GnuLd),
            ["/usr/lib/../crt1.o", "sp ace.o", "l.so"].map(PathBuf::from)
        );
    }

    #[test]
    fn the_list_of_lld_is_unescaped() {
        let text = b"out: \\\n sp\\ ace.o \\\n a$$b.o\n\nsp\\ ace.o:\n\na$$b.o:\n\nback\\slash.o:\n\nodd\\\\\\ name.o:\n";
        assert_eq!(
            files(text, LinkerKind::Lld),
            ["sp ace.o", "a$b.o", "back\\slash.o", "odd\\ name.o"].map(PathBuf::from)
        );
    }

    #[test]
    fn the_list_of_mold_is_read() {
        let text = b"out: crt1.o sp ace.o\n\ncrt1.o:\n\nsp ace.o:\n";
        assert_eq!(
            files(text, LinkerKind::Mold),
            ["crt1.o", "sp ace.o"].map(PathBuf::from)
        );
    }

    #[test]
    fn tidied_names_are_led_back() {
        let listed = vec![
            PathBuf::from("/usr/lib/libm.so"),
            PathBuf::from("a.o"),
            PathBuf::from("../x.o"),
            PathBuf::from("/other.so"),
        ];
        let candidates = ["/usr/lib/gcc/../libm.so", "./a.o", "sub/../../x.o"].map(PathBuf::from);
        let opened = as_opened(listed, &candidates);
        assert_eq!(
            opened,
            [
                "/usr/lib/gcc/../libm.so",
                "./a.o",
                "sub/../../x.o",
                "/other.so"
            ]
            .map(PathBuf::from)
        );
    }
}
