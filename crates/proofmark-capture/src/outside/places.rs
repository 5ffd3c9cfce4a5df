//! Where a build works, and which places outside of that are nobody's input.

use std::collections::{BTreeSet, HashMap};
use std::env;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use proofmark_terms::OsText;

use crate::detours::without_detours;

/// What the running system makes up, and what says only where its libraries and the network are:
/// the libraries themselves are known by content.
const OF_THE_SYSTEM: [&str; 8] = [
    "/proc",
    "/sys",
    "/dev",
    "/run",
    "/etc/ld.so.cache",
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/mtab",
];

/// Files in memory lie among the devices, and are files all the same.
const IN_MEMORY: &str = "/dev/shm";

pub(super) fn is_of_the_system(place: &Path) -> bool {
    !place.starts_with(IN_MEMORY) && OF_THE_SYSTEM.iter().any(|known| place.starts_with(known))
}

/// Folders at home of what programs keep there for themselves: packages and objects by their
/// content, locks, when they last asked somebody. They may be read, written anew, and say the same.
const CACHES: [&str; 12] = [
    ".cargo",
    ".rustup",
    ".ccache",
    ".npm",
    ".m2",
    ".gradle",
    ".nuget",
    ".stack",
    ".cabal",
    ".conan2",
    ".config/go",
    "go/pkg",
];

/// The folder for caches at home. A script of anybody's may keep there what it likes, so that only
/// these of its folders count, whose programs find a thing again by all that it was made from.
const SHARED: &str = ".cache";
const OF_SHARED: [&str; 38] = [
    "bazel",
    "bazelisk",
    "buck",
    "cabal",
    "ccache",
    "clang",
    "composer",
    "conan",
    "coursier",
    "deno",
    "dune",
    "fontconfig",
    "g-ir-scanner",
    "go-build",
    "golangci-lint",
    "gopls",
    "gstreamer-1.0",
    "guile",
    "hie-bios",
    "meson",
    "mypy",
    "nim",
    "nix",
    "node",
    "node-gyp",
    "opam",
    "org.swift.swiftpm",
    "pip",
    "pnpm",
    "pre-commit",
    "proofmark",
    "pypoetry",
    "rebar3",
    "sccache",
    "uv",
    "vcpkg",
    "yarn",
    "zig",
];

/// Whether something in a folder for caches is of one that is known, or the folder itself.
fn is_of_a_known(rest: &Path) -> bool {
    rest.as_os_str().is_empty() || OF_SHARED.iter().any(|known| rest.starts_with(known))
}

/// Where something may be read, written anew and still say the same: what python compiled, git's
/// index, and caches by their names.
pub(super) fn is_of_a_cache(place: &Path) -> bool {
    is_of_a_cache_of(place, |name| env::var_os(name).map(PathBuf::from))
}

/// The same where variables have these values.
fn is_of_a_cache_of(place: &Path, variable: impl Fn(&str) -> Option<PathBuf>) -> bool {
    let named = |name: &str| place.components().any(|part| part.as_os_str() == name);
    let home = variable("HOME").unwrap_or_default();
    let at_home = place.strip_prefix(&home).is_ok_and(|rest| {
        let shared = rest.strip_prefix(SHARED);
        CACHES.iter().any(|cache| rest.starts_with(cache)) || shared.is_ok_and(is_of_a_known)
    });
    let shared = variable("XDG_CACHE_HOME");
    let in_shared =
        shared.is_some_and(|shared| place.strip_prefix(shared).is_ok_and(is_of_a_known));
    let mut folders = ["CARGO_HOME", "RUSTUP_HOME", "CCACHE_DIR"].iter();
    at_home
        || in_shared
        || named("__pycache__")
        || named(".git")
        || folders.any(|name| variable(name).is_some_and(|folder| place.starts_with(folder)))
}

/// What programs keep there for later, and for more than one build.
pub(super) fn is_hidden_at_home(place: &Path) -> bool {
    let home = env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    place
        .strip_prefix(&home)
        .is_ok_and(|rest| rest.as_os_str().as_bytes().starts_with(b"."))
}

/// Where the build works, and where names lead to.
pub(super) struct Places {
    own: Vec<PathBuf>,
    program: PathBuf,
    /// Folders by their names, with links resolved.
    folders: HashMap<PathBuf, PathBuf>,
}

impl Places {
    pub(super) fn new(own: &[&Path], program: &Path) -> Places {
        let plain = |folder: &&Path| folder.canonicalize().unwrap_or_else(|_| (*folder).into());
        Places {
            own: own.iter().map(plain).collect(),
            program: program.to_owned(),
            folders: HashMap::new(),
        }
    }

    /// The name by which a file is looked at again, and where it leads; `None` where it is the
    /// build's own, the system's, or made by the build.
    pub(super) fn outside(
        &mut self,
        name: &OsText,
        written: &BTreeSet<PathBuf>,
    ) -> Option<(PathBuf, PathBuf)> {
        let name = Path::new(name);
        // Links there lead elsewhere for every process: to its own descriptors.
        if is_of_the_system(name) {
            return None;
        }
        let place = self.settled(name);
        let leads = place.canonicalize().unwrap_or_else(|_| place.clone());
        if self.leaves_out(&leads) || written.contains(&leads) || written.contains(&place) {
            return None;
        }
        // A link of the build's own is gone with it.
        let own = self.leaves_out(&place) || self.own.iter().any(|own| name.starts_with(own));
        let kept = if own { leads.clone() } else { name.to_owned() };
        Some((kept, leads))
    }

    /// Whether it matters to others that this was written.
    pub(super) fn is_counted(&self, place: &Path) -> bool {
        !self.leaves_out(place) && !is_of_a_cache(place)
    }

    pub(super) fn leaves_out(&self, place: &Path) -> bool {
        is_of_the_system(place)
            || *place == *self.program
            || self.own.iter().any(|own| place.starts_with(own))
    }

    /// A name without the links of its folder and without detours; what is not there is taken as it
    /// is spelt.
    pub(super) fn settled(&mut self, name: &Path) -> PathBuf {
        let (folder, last) = match (name.parent(), name.components().next_back()) {
            (Some(folder), Some(Component::Normal(last))) => (folder, last),
            _ => (name, OsStr::new("")),
        };
        if !self.folders.contains_key(folder) {
            let place = folder
                .canonicalize()
                .unwrap_or_else(|_| without_detours(folder));
            self.folders.insert(folder.to_owned(), place);
        }
        match self.folders.get(folder) {
            Some(place) if last.is_empty() => place.clone(),
            Some(place) => place.join(last),
            None => name.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cache_is_known_by_the_program_that_keeps_it() {
        let variable = |name: &str| match name {
            "HOME" => Some(PathBuf::from("/home/me")),
            "XDG_CACHE_HOME" => Some(PathBuf::from("/caches")),
            "CARGO_HOME" => Some(PathBuf::from("/cargo")),
            _ => None,
        };
        let is = |place: &str| is_of_a_cache_of(Path::new(place), variable);
        for place in [
            "/home/me/.cache/go-build/00/x",
            "/caches/ccache/x",
            "/home/me/.cache",
            "/home/me/.cargo/registry/x",
            "/cargo/git/x",
            "/src/__pycache__/x.pyc",
        ] {
            assert!(is(place), "{place}");
        }
        for place in [
            "/home/me/.cache/mine/config.cache",
            "/caches/x",
            "/ccache/x",
        ] {
            assert!(!is(place), "{place}");
        }
    }
}
