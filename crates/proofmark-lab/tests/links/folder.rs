//! The folder that a feature is built in. Both builds are made at one and the same place, one after
//! the other, and each stands there again when it is run.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::feature::Feature;
use crate::toolchain::which;

/// Seconds after which a program that was linked wrongly is no longer waited for.
const PATIENCE: &str = "20";

/// A folder with the builds of a feature.
pub(crate) struct Folder {
    scratch: tempfile::TempDir,
    /// Which build stands at its place.
    at_hand: Option<usize>,
    variables: BTreeMap<&'static str, String>,
}

impl Folder {
    /// An empty one, whose builds see these variables.
    pub(crate) fn new(variables: BTreeMap<&'static str, String>) -> Result<Folder, String> {
        let folder = Folder {
            scratch: tempfile::tempdir().map_err(|error| error.to_string())?,
            at_hand: None,
            variables,
        };
        // gcc knows lld by this name only, which distributions give to one of several versions.
        let tools = folder.scratch().join("tools");
        fs::create_dir(&tools).map_err(|error| error.to_string())?;
        if let Some(lld) = which("ld.lld-19") {
            symlink(lld, tools.join("ld.lld")).map_err(|error| error.to_string())?;
        }
        Ok(folder)
    }

    pub(crate) fn scratch(&self) -> PathBuf {
        let path = self.scratch.path();
        path.canonicalize().unwrap_or_else(|_| path.to_owned())
    }

    /// Where the feature is built.
    pub(crate) fn place(&self) -> PathBuf {
        self.scratch().join("work")
    }

    fn aside(&self, build: usize) -> PathBuf {
        self.scratch().join(format!("build{build}"))
    }

    /// Puts the sources in place for a build, and nothing else.
    pub(crate) fn fresh(&mut self, feature: &Feature, build: usize) -> Result<(), String> {
        self.put_aside()?;
        let place = self.place();
        fs::create_dir(&place).map_err(|error| error.to_string())?;
        copy(&feature.folder, &place).map_err(|error| error.to_string())?;
        self.at_hand = Some(build);
        Ok(())
    }

    /// Removes what stands at the place.
    pub(crate) fn clear(&mut self) -> Result<(), String> {
        self.at_hand = None;
        fs::remove_dir_all(self.place()).map_err(|error| error.to_string())
    }

    fn put_aside(&mut self) -> Result<(), String> {
        match self.at_hand.take() {
            Some(build) => {
                fs::rename(self.place(), self.aside(build)).map_err(|error| error.to_string())
            }
            None => Ok(()),
        }
    }

    /// Puts a build back to its place.
    fn take(&mut self, build: usize) -> Result<(), String> {
        if self.at_hand == Some(build) {
            return Ok(());
        }
        self.put_aside()?;
        fs::rename(self.aside(build), self.place()).map_err(|error| error.to_string())?;
        self.at_hand = Some(build);
        Ok(())
    }

    /// The variables of a build.
    pub(crate) fn environment(&self, change: &str) -> Vec<(String, String)> {
        let path = std::env::var("PATH").unwrap_or_default();
        let own = [
            ("CHANGE".to_owned(), change.to_owned()),
            (
                "PATH".to_owned(),
                format!("{}:{path}", self.scratch().join("tools").display()),
            ),
        ];
        let of_toolchain = self
            .variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.clone()));
        own.into_iter().chain(of_toolchain).collect()
    }

    /// Builds without a capture; gives the image.
    pub(crate) fn build(&self, feature: &Feature, change: &str) -> Result<Vec<u8>, String> {
        let done = Command::new("sh")
            .args(["-euc", &feature.build])
            .current_dir(self.place())
            .envs(self.environment(change))
            .output()
            .map_err(|error| error.to_string())?;
        if !done.status.success() {
            return Err(String::from_utf8_lossy(&done.stderr).trim().to_owned());
        }
        fs::read(self.place().join(&feature.image)).map_err(|error| error.to_string())
    }

    /// What a build prints, and how it ends, with this file as its image.
    pub(crate) fn run(
        &mut self,
        feature: &Feature,
        build: usize,
        image: &Path,
    ) -> Result<String, String> {
        self.take(build)?;
        let place = self.place().join(&feature.image);
        // By another process: what this one has open for writing, a child that another test starts
        // at that moment has open too, and then the kernel starts no such program.
        let put = Command::new("install")
            .args(["-m", "755"])
            .args([image, &place])
            .status();
        if !put.map_err(|error| error.to_string())?.success() {
            return Err(format!("cannot write {}", place.display()));
        }
        let done = Command::new("timeout")
            .args([PATIENCE, "sh", "-c", &feature.run])
            .current_dir(self.place())
            .env("ASAN_OPTIONS", "detect_leaks=0")
            .output()
            .map_err(|error| error.to_string())?;
        let said = String::from_utf8_lossy(&done.stdout).trim().to_owned();
        match done.status.code() {
            Some(0) => Ok(said),
            code => Ok(format!(
                "{said} [ends with {code:?}: {}]",
                String::from_utf8_lossy(&done.stderr).trim()
            )),
        }
    }
}

/// Copies a folder of sources.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let place = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            fs::create_dir(&place)?;
            copy(&entry.path(), &place)?;
        } else if entry.file_name() != "feature.toml" {
            fs::copy(entry.path(), &place)?;
        }
    }
    Ok(())
}
