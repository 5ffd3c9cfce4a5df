//! Packages of registries, installed into a folder of proofmark's own: nothing of the system is
//! changed.

mod apt;
mod pypi;
mod relocate;

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::fs::FlockOperation;

use super::driver::Driver;
use super::error::ToolchainError;
use apt::Apt;

/// A package by its registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Package {
    /// `NAME==VERSION` of PyPI.
    Pypi(String),
    /// Packages of the Debian family.
    Apt(Apt),
}

/// The variable that says where packages are kept.
pub(super) const FOLDER: &str = "PROOFMARK_TOOLCHAINS";

/// Where packages are kept for all projects of a user.
pub(super) fn folder() -> Option<PathBuf> {
    let of = |variable: &str| std::env::var_os(variable).filter(|value| !value.is_empty());
    if let Some(chosen) = of(FOLDER) {
        return std::path::absolute(PathBuf::from(chosen)).ok();
    }
    let cache = of("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| Some(PathBuf::from(of("HOME")?).join(".cache")))?;
    cache
        .is_absolute()
        .then(|| cache.join("proofmark/toolchains"))
}

impl Package {
    pub(super) fn of(name: &str, provider: &str) -> Result<Package, ToolchainError> {
        let unknown = || ToolchainError::Provider {
            name: name.to_owned(),
            provider: provider.to_owned(),
        };
        let (registry, package) = provider.split_once(':').ok_or_else(unknown)?;
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.+=~:[]".contains(c);
        let is_plain = !package.starts_with('-') && package.chars().all(plain);
        match registry {
            "pypi" if is_plain && !package.is_empty() => Ok(Package::Pypi(package.to_owned())),
            "apt" => Apt::of(package).map(Package::Apt).ok_or_else(unknown),
            _ => Err(unknown()),
        }
    }

    /// As it is written in a definition.
    pub(super) fn shown(&self) -> String {
        match self {
            Package::Pypi(package) => format!("pypi:{package}"),
            Package::Apt(apt) => format!("apt:{}", apt.shown()),
        }
    }

    /// What installing does, in a word or two.
    pub(super) fn get(&self) -> &'static str {
        match self {
            Package::Pypi(_) => "a wheel from PyPI, unpacked into proofmark's own folder",
            Package::Apt(_) => "Debian's packages, unpacked into proofmark's own folder",
        }
    }

    /// The command that it brings, where the distribution may have installed it.
    pub(super) fn system_command<'a>(&'a self, command: Option<&'a str>) -> Option<&'a str> {
        match self {
            Package::Apt(apt) if apt.is_installed() => Some(command.unwrap_or(apt.command())),
            Package::Apt(_) => None,
            Package::Pypi(_) => command,
        }
    }

    fn place(&self, packages: &Path) -> PathBuf {
        let plain = |c: char| {
            if c.is_ascii_alphanumeric() || "-_.=+,@".contains(c) {
                c
            } else {
                '-'
            }
        };
        packages.join(self.shown().chars().map(plain).collect::<String>())
    }

    /// The driver in the installed package, if it is installed.
    pub(super) fn driver(&self, packages: &Path, command: Option<&str>) -> Option<Driver> {
        let place = self.place(packages);
        if !place.is_dir() {
            return None;
        }
        let driver = match self {
            Package::Pypi(_) => pypi::driver(&place, command),
            Package::Apt(apt) => apt.driver(&place, command.unwrap_or(apt.command())),
        }?;
        Some(Driver {
            package: Some(self.shown()),
            ..driver
        })
    }

    /// Installs it unless it is there. It appears in one step: an interrupted installation leaves
    /// nothing that counts.
    pub(super) fn install(&self, name: &str, packages: &Path) -> Result<bool, ToolchainError> {
        let place = self.place(packages);
        fs::create_dir_all(packages).map_err(ToolchainError::file(name, "create", packages))?;
        let _lock = lock(packages).map_err(ToolchainError::file(name, "lock", packages))?;
        if place.is_dir() {
            return Ok(false);
        }
        let fresh = tempfile::TempDir::with_prefix_in(".installing-", packages)
            .map_err(ToolchainError::file(name, "create a folder in", packages))?;
        let installed = match self {
            Package::Pypi(package) => pypi::install(package, fresh.path()),
            Package::Apt(apt) => apt.install(fresh.path(), &place),
        };
        installed.map_err(|said| ToolchainError::Install {
            name: name.to_owned(),
            provider: self.shown(),
            said,
        })?;
        fs::rename(fresh.path(), &place).map_err(ToolchainError::file(name, "create", &place))?;
        Ok(true)
    }
}

/// Two commands never install at once. What interrupted ones left is removed.
fn lock(packages: &Path) -> io::Result<File> {
    let lock = File::options()
        .create(true)
        .append(true)
        .open(packages.join("lock"))?;
    rustix::fs::flock(&lock, FlockOperation::LockExclusive)?;
    for entry in fs::read_dir(packages)?.filter_map(Result::ok) {
        if entry
            .file_name()
            .to_string_lossy()
            .starts_with(".installing-")
        {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
    Ok(lock)
}

/// Runs a registry's client. Says the end of what it said when it fails.
fn run(command: &mut Command) -> Result<Vec<u8>, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("cannot start {program}: {error}"))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let last: Vec<&str> = said
        .lines()
        .rev()
        .filter(|line| !line.is_empty())
        .take(4)
        .collect();
    let last: Vec<&str> = last.into_iter().rev().collect();
    Err(format!(
        "{program} failed ({}): {}",
        output.status,
        last.join(" / ")
    ))
}
