//! The compilers that a build may use: where each of them would find the tools that the shims stand
//! for.

use std::collections::{HashMap, HashSet};
use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};

use proofmark_terms::OsText;

use crate::programs::{program_dirs_and_version, search};
use crate::shim::{LINKERS, TOOLS};
use crate::stamp::Stamp;
use crate::variables::Variables;

/// What was found out about the compilers.
#[derive(Debug, Default)]
pub(super) struct Compilers {
    /// The tools that at least one compiler finds, with the first place where one does.
    pub tools: Vec<(String, OsText)>,
    /// The major version of the oldest clang among them.
    pub oldest_clang: Option<u32>,
}

impl Compilers {
    /// Looks at the compilers in `PATH`, in `CC` and the like, and in the words of the command.
    pub(super) fn look(command: &[OsString], variables: &Variables<'_>) -> Compilers {
        let mut found = Compilers::default();
        let path: Vec<PathBuf> =
            env::split_paths(&variables.get("PATH").unwrap_or_default()).collect();
        for compiler in compilers(&path, command, variables) {
            let answer = Answer::of(&compiler);
            let of_release = answer.dirs.iter().chain(&path).flat_map(|dir| linkers(dir));
            let names = TOOLS.iter().chain(&LINKERS).map(|name| (*name).to_owned());
            for name in names.chain(of_release) {
                let known = found.tools.iter().any(|(tool, _)| *tool == name);
                let places = || {
                    search(OsStr::new(&name), &answer.dirs)
                        .or_else(|| search(OsStr::new(&name), &path))
                };
                if let Some(place) = (!known).then(places).flatten() {
                    found.tools.push((name, place.into()));
                }
            }
            found.oldest_clang = found.oldest_clang.into_iter().chain(answer.clang).min();
        }
        found
    }
}

/// What a compiler says of itself.
#[derive(Clone, Debug, Default)]
struct Answer {
    /// The folders that it searches for its programs.
    dirs: Vec<PathBuf>,
    /// Its major version, where it is a clang.
    clang: Option<u32>,
}

impl Answer {
    /// Asks once in a process: a clang takes 30 ms to begin, and a history builds many commits.
    fn of(compiler: &Path) -> Answer {
        static KNOWN: LazyLock<Mutex<HashMap<(PathBuf, Stamp), Answer>>> =
            LazyLock::new(Mutex::default);
        let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let Ok(stamp) = Stamp::of(compiler) else {
            return Answer::default();
        };
        let key = (compiler.to_owned(), stamp);
        if let Some(answer) = known().get(&key) {
            return answer.clone();
        }
        let clang = compiler
            .file_name()
            .is_some_and(|name| name.to_string_lossy().contains("clang"));
        let (dirs, version) = program_dirs_and_version(compiler, compiler.as_os_str(), &[]);
        let answer = Answer {
            dirs,
            clang: clang.then(|| clang_version(&version)).flatten(),
        };
        known().insert(key, answer.clone());
        answer
    }
}

/// Each compiler once, however many names it has.
fn compilers(path: &[PathBuf], command: &[OsString], variables: &Variables<'_>) -> Vec<PathBuf> {
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    let in_path = path
        .iter()
        .flat_map(|folder| names(folder).into_iter().map(|name| folder.join(name)));
    let named = command
        .iter()
        .map(OsString::as_os_str)
        .chain(variables.set())
        .flat_map(words);
    let from_environment = ["CC", "CXX", "HOSTCC"]
        .iter()
        .filter_map(|name| variables.get(name))
        .flat_map(|word| words(&word))
        .collect::<Vec<_>>();
    for compiler in named.chain(from_environment).chain(in_path) {
        let Ok(real) = compiler.canonicalize() else {
            continue;
        };
        let clang = compiler.to_string_lossy().contains("clang");
        if real.is_file() && seen.insert((real, clang)) {
            found.push(compiler);
        }
    }
    found
}

/// The linkers of one release in a folder: `-fuse-ld=lld-19` starts `ld.lld-19`.
fn linkers(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| is_linker_of_release(name)).collect();
    names.sort_unstable();
    names
}

fn is_linker_of_release(name: &str) -> bool {
    name.rsplit_once('-').is_some_and(|(linker, release)| {
        LINKERS.contains(&linker)
            && release.starts_with(|first: char| first.is_ascii_digit())
            && release
                .chars()
                .all(|one| one.is_ascii_digit() || one == '.')
    })
}

/// The compilers in a folder.
fn names(folder: &Path) -> Vec<OsString> {
    let entries = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(Result::ok);
    let mut names: Vec<OsString> = entries
        .map(|entry| entry.file_name())
        .filter(|name| is_compiler(name))
        .collect();
    // `gcc` before `gcc-11`: the one without a version is what builds use.
    names.sort_by_key(|name| (name.len(), name.clone()));
    names
}

/// Absolute paths of compilers in a word such as `CC=/opt/llvm/bin/clang -O2`.
fn words(word: &OsStr) -> Vec<PathBuf> {
    let parts = word.as_bytes().split(|byte| b"= ;\t\n".contains(byte));
    let paths = parts.map(|part| PathBuf::from(OsStr::from_bytes(part)));
    paths
        .filter(|path| path.is_absolute() && path.file_name().is_some_and(is_compiler))
        .collect()
}

/// `gcc`, `x86_64-linux-gnu-gcc-12`, `clang-19`…; the C++ drivers search where the C drivers do.
fn is_compiler(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else {
        return false;
    };
    let without_version = name
        .trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.')
        .trim_end_matches('-');
    let bare = if without_version.is_empty() {
        name
    } else {
        without_version
    };
    ["cc", "gcc", "clang", "g++", "clang++", "c++"]
        .iter()
        .any(|known| {
            bare == *known
                || bare
                    .strip_suffix(known)
                    .is_some_and(|target| target.ends_with('-') && target.matches('-').count() >= 2)
        })
}

/// The major version: `Debian clang version 19.1.7` is 19.
fn clang_version(said: &str) -> Option<u32> {
    let (_, version) = said.split_once("clang version ")?;
    version.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compilers_are_known_by_their_names() {
        for name in [
            "cc",
            "gcc",
            "gcc-12",
            "clang-19",
            "x86_64-linux-gnu-gcc-12",
            "aarch64-linux-gnu-g++",
            "clang++-16",
        ] {
            assert!(is_compiler(OsStr::new(name)), "{name}");
        }
        for name in [
            "gcc-ar-12",
            "gcc-ranlib",
            "clang-format-19",
            "clangd",
            "ncc",
            "19",
            "colorgcc",
            "c99-gcc",
        ] {
            assert!(!is_compiler(OsStr::new(name)), "{name}");
        }
    }

    #[test]
    fn linkers_of_one_release_are_known_by_their_names() {
        for name in ["ld.lld-19", "ld.gold-2.40"] {
            assert!(is_linker_of_release(name), "{name}");
        }
        for name in [
            "ld.lld",
            "ld.lld-",
            "lld-19",
            "ld64.lld-19",
            "ld.lld-19-wrapper",
        ] {
            assert!(!is_linker_of_release(name), "{name}");
        }
    }

    #[test]
    fn a_clang_says_which_one_it_is() {
        let said = "Debian clang version 19.1.7 (3)\nTarget: x86_64-pc-linux-gnu\n";
        assert_eq!(clang_version(said), Some(19));
        assert_eq!(clang_version("clang version 20.1.0-rc1"), Some(20));
        assert_eq!(clang_version("gcc version 12.2.0"), None);
    }

    #[test]
    fn compilers_are_found_in_the_words_of_a_command() {
        assert_eq!(
            words(OsStr::new("CC=/opt/llvm/bin/clang -O2")),
            [PathBuf::from("/opt/llvm/bin/clang")]
        );
        assert!(words(OsStr::new("-j2")).is_empty());
    }
}
