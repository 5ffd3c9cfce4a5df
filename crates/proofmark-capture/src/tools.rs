//! A program that took part in a build: known by its content and by what it says of itself.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use proofmark_terms::{Digest, lossless};
use serde::{Deserialize, Serialize};

use crate::libraries;
use crate::objects::hash_file_once;
use crate::programs::find_program;

/// A program that took part in a build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tool {
    /// What it did.
    pub role: ToolRole,
    /// The executable, symbolic links resolved.
    #[serde(with = "lossless::one")]
    pub path: PathBuf,
    /// The first line of `--version`; empty where it has none.
    pub version: String,
    /// BLAKE3 of it, in hexadecimal.
    pub hash: Digest,
    /// The shared libraries that it loads.
    pub libraries: Vec<ToolLibrary>,
}

/// A shared library that a tool loads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolLibrary {
    /// The file, symbolic links resolved.
    #[serde(with = "lossless::one")]
    pub path: PathBuf,
    /// BLAKE3 of it, in hexadecimal.
    pub hash: Digest,
}

/// What a tool did in a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ToolRole {
    /// `gcc`, `clang`: what the build started.
    Driver,
    /// `cc1`, `cc1plus`, `lto1`; clang and `rustc` are their own.
    Compiler,
    /// `as`.
    Assembler,
    /// `ld`.
    Linker,
    /// What the linker loads for link-time optimisation.
    LinkerPlugin,
}

impl Tool {
    /// A program with what it says of itself and what it loads, started with these variables.
    /// `None` where there is no such program, or it cannot be read.
    #[must_use]
    pub fn examined(role: ToolRole, program: &Path, env: &[(OsString, OsString)]) -> Option<Tool> {
        let path = if program.is_absolute() {
            program.to_owned()
        } else {
            find_program(program.as_os_str())?
        };
        let path = path.canonicalize().ok()?;
        let loaded = libraries::loaded(&path, |loader| {
            loader.envs(env.iter().cloned());
        });
        let libraries = loaded.into_iter().filter_map(|library| {
            Some(ToolLibrary {
                hash: hash_file_once(&library).ok()?,
                path: library,
            })
        });
        Some(Tool {
            role,
            version: if role == ToolRole::LinkerPlugin {
                String::new()
            } else {
                version(&path, env)
            },
            hash: hash_file_once(&path).ok()?,
            libraries: libraries.collect(),
            path,
        })
    }
}

impl fmt::Display for ToolRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ToolRole::Driver => "driver",
            ToolRole::Compiler => "compiler",
            ToolRole::Assembler => "assembler",
            ToolRole::Linker => "linker",
            ToolRole::LinkerPlugin => "linker plugin",
        })
    }
}

impl fmt::Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let version = if self.version.is_empty() {
            String::new()
        } else {
            format!(": {}", self.version)
        };
        write!(f, "{} {}{version}", self.role, self.path.display())
    }
}

/// Whether it is gcc's compiler proper.
pub(crate) fn is_gcc(compiler: &Path) -> bool {
    compiler.file_name().is_some_and(|name| {
        ["cc1", "cc1plus", "lto1"]
            .iter()
            .any(|known| name == *known)
    })
}

/// What a program of this machine says of its version, in its first line; empty where it says
/// nothing.
#[must_use]
pub fn version_of(program: &Path) -> String {
    version(program, &[])
}

/// The first line that a program says about its version. gcc's compilers proper say it on their
/// standard error.
fn version(program: &Path, env: &[(OsString, OsString)]) -> String {
    let compiler_proper = is_gcc(program);
    let mut command = Command::new(program);
    if compiler_proper {
        command.args(["-quiet", "-version", "/dev/null", "-o", "/dev/null"]);
    } else {
        command.arg("--version");
    }
    command
        .envs(env.iter().cloned())
        .env("LC_ALL", "C")
        .env_remove("CCC_OVERRIDE_OPTIONS")
        .stdin(Stdio::null());
    let Ok(output) = command.output() else {
        return String::new();
    };
    let said = if compiler_proper {
        &output.stderr
    } else {
        &output.stdout
    };
    String::from_utf8_lossy(said)
        .lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or_default()
        .trim()
        .to_owned()
}
