//! Linkers, compilers and kinds of link-time optimisation, as `toolchains.toml` has them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// A compiler with a linker and a kind of link-time optimisation.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Toolchain {
    /// `COMPILER-LINKER` or `COMPILER-LINKER-LTO`.
    pub(crate) name: String,
    /// The linker as people call it: a column of the table.
    pub(crate) linker: String,
    /// Compilers and archiver.
    cc: String,
    cxx: String,
    ar: String,
    /// What `-fuse-ld=` takes.
    fuse: String,
    /// Options of link-time optimisation.
    #[serde(default)]
    lto: String,
    /// Programs, and files by their absolute names, without which it cannot be tried.
    needs: Vec<String>,
    /// Every layout is refused, with this word in the refusal.
    #[serde(default)]
    pub(crate) refused: Option<String>,
}

/// All toolchains, in the order of their file.
///
/// # Errors
/// When the file is not what it should be.
pub(crate) fn all() -> Result<Vec<Toolchain>, String> {
    #[derive(Deserialize)]
    struct File {
        toolchain: Vec<Toolchain>,
    }
    let file: File = toml::from_str(include_str!("toolchains.toml"))
        .map_err(|error| format!("toolchains.toml: {error}"))?;
    Ok(file.toolchain)
}

impl Toolchain {
    /// Whether each of these words is its name or a part of it.
    pub(crate) fn is(&self, words: &str) -> bool {
        words
            .split_whitespace()
            .all(|word| word == self.name || self.name.split('-').any(|part| part == word))
    }

    /// What it needs and this machine has not.
    pub(crate) fn lacks(&self) -> Option<&str> {
        lacking(&self.needs)
    }

    /// The variables by which a build of a feature knows it.
    pub(crate) fn variables(&self) -> BTreeMap<&'static str, String> {
        let lto = &self.lto;
        BTreeMap::from([
            ("CC", self.cc.clone()),
            ("CXX", self.cxx.clone()),
            ("AR", self.ar.clone()),
            ("LD", self.fuse.clone()),
            ("LTO", lto.clone()),
            ("CFLAGS", format!("-O2 {lto}")),
            ("NATIVE", "-O2".to_owned()),
            ("LDFLAGS", format!("-O2 -fuse-ld={} {lto}", self.fuse)),
        ])
    }
}

/// The first of these programs and files that is not there.
pub(crate) fn lacking(needs: &[String]) -> Option<&str> {
    let there = |need: &String| {
        if need.starts_with('/') {
            Path::new(need).exists()
        } else {
            which(need).is_some()
        }
    };
    needs.iter().find(|need| !there(need)).map(String::as_str)
}

/// Where a program is found.
pub(crate) fn which(name: &str) -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?)
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
}
