//! Toolchains looked for on the machine and in proofmark's own folder.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use proofmark_capture::stamp::Stamped;
use proofmark_capture::{Tool, plain_place};
use proofmark_hint::hint;
use proofmark_terms::Digest;
use serde::{Deserialize, Serialize};

use super::driver::{Driver, cxx_of, on_path};
use super::error::ToolchainError;
use super::identity::{identity, tools};
use super::made::{Compilers, Making, Wanted};
use super::package::{self, Package};
use super::probe::{Probed, check_plain, probe};
use super::{Toolchain, wrapper};
use crate::definition::{Source, ToolchainDefinition};
use crate::memory::Memory;
use crate::sources::Ours;

/// Where toolchains are looked for.
#[derive(Clone, Debug)]
pub struct Toolchains {
    /// Of the project: wrappers, and what is remembered.
    folder: PathBuf,
    /// Of the user: installed packages, shared by projects.
    packages: PathBuf,
    memory: Memory,
    /// The project's `.proofmark` folder.
    store: PathBuf,
    /// What no source holds.
    ours: Ours,
}

/// The answer of an earlier search: it holds while the driver is found at the same place and no
/// program has changed.
#[derive(Serialize, Deserialize)]
struct Remembered {
    driver: PathBuf,
    found: Stamped<Toolchain>,
}

impl Toolchains {
    /// The toolchains of a project, by its `.proofmark` folder. Packages are kept for all projects
    /// in `$PROOFMARK_TOOLCHAINS`, or else in the user's folder for caches.
    #[must_use]
    pub fn open(proofmark_dir: &Path) -> Toolchains {
        let folder = proofmark_dir.join("matrix");
        Toolchains {
            packages: package::folder().unwrap_or_else(|| proofmark_dir.join("toolchains")),
            memory: Memory::new(folder.join("known")),
            folder,
            store: proofmark_dir.to_owned(),
            ours: Ours::new([proofmark_dir]),
        }
    }

    /// Where packages are kept for all projects of a user, and the variable that says so.
    #[must_use]
    pub fn packages() -> Option<(&'static str, PathBuf)> {
        Some((package::FOLDER, package::folder()?))
    }

    /// The same of a project whose file is this one, by whichever name: it is no part of a source.
    #[must_use]
    pub fn of_file(self, file: &Path) -> Toolchains {
        Toolchains {
            ours: Ours::new([file, self.store.as_path()]),
            ..self
        }
    }

    fn compilers(&self) -> Compilers<'_> {
        Compilers::of(&self.store, &self.memory, &self.ours)
    }

    /// Finds a toolchain. Nothing is installed.
    ///
    /// # Errors
    /// When it is missing (with the command that gets it), has another version, or cannot compile
    /// and link.
    pub fn find(
        &self,
        name: &str,
        definition: &ToolchainDefinition,
    ) -> Result<Toolchain, ToolchainError> {
        let driver = self.driver(name, definition)?;
        let told = driver.told(&definition.flags);
        let key = format!("toolchain as started {name} {definition:?} {driver:?} {told}");
        if let Some(known) = self.memory.get::<Remembered>(&key)
            && known.driver == driver.program
            && known.found.holds()
        {
            return Ok(known.found.value);
        }
        let found = self.examine(name, definition, &driver, &told)?;
        let libraries = |tool: &Tool| -> Vec<PathBuf> {
            tool.libraries.iter().map(|of| of.path.clone()).collect()
        };
        let mut files: BTreeSet<PathBuf> = found.tools.iter().flat_map(libraries).collect();
        files.extend(found.tools.iter().map(|tool| tool.path.clone()));
        files.extend([driver.program.clone(), found.cc.clone()]);
        files.extend(found.cxx.clone());
        if let Some(stamped) = Stamped::now(files, found.clone()) {
            let driver = driver.program;
            self.memory.put(
                &key,
                &Remembered {
                    driver,
                    found: stamped,
                },
            );
        }
        Ok(found)
    }

    /// All that goes into a toolchain that is made from sources, beside these; `None` of another
    /// one.
    ///
    /// # Errors
    /// When a patch cannot be read.
    pub fn surroundings(
        &self,
        name: &str,
        definition: &ToolchainDefinition,
    ) -> Result<Option<Digest>, ToolchainError> {
        let source = definition.made_from();
        let wanted = |source| wanted(name, definition, source);
        let around = source
            .as_ref()
            .map(|of| Compilers::surroundings(wanted(of)));
        around.transpose()
    }

    /// Installs the package of a toolchain, or makes it from its sources, unless it is there.
    /// Returns whether something was done.
    ///
    /// # Errors
    /// When the package cannot be had, the definition names none that is known, or the compiler
    /// cannot be made.
    pub fn install(
        &self,
        name: &str,
        definition: &ToolchainDefinition,
        making: Making<'_>,
    ) -> Result<bool, ToolchainError> {
        if let Some(source) = definition.made_from() {
            return self
                .compilers()
                .make(wanted(name, definition, &source), making);
        }
        let Some(provider) = &definition.provider else {
            return Ok(false);
        };
        let package = Package::of(name, provider)?;
        if self.of_package(&package, definition).is_some() {
            return Ok(false);
        }
        package.install(name, &self.packages)
    }

    /// The driver in proofmark's own folder, or where a distribution has installed it.
    fn of_package(&self, package: &Package, definition: &ToolchainDefinition) -> Option<Driver> {
        let said = definition.command.as_deref();
        package.driver(&self.packages, said).or_else(|| {
            let program = package.system_command(said).and_then(on_path)?;
            let cxx = cxx_of(&program, definition.cxx.as_deref());
            Some(Driver::plain(program, cxx))
        })
    }

    /// The driver, wherever it comes from.
    fn driver(
        &self,
        name: &str,
        definition: &ToolchainDefinition,
    ) -> Result<Driver, ToolchainError> {
        if let Some(source) = definition.made_from() {
            return self.compilers().driver(wanted(name, definition, &source));
        }
        let package = definition
            .provider
            .as_ref()
            .map(|provider| Package::of(name, provider))
            .transpose()?;
        if let Some(package) = &package {
            if let Some(driver) = self.of_package(package, definition) {
                return Ok(driver);
            }
            return Err(ToolchainError::Missing {
                name: name.to_owned(),
                what: format!("{} is not installed", package.shown()),
                get: format!(
                    "{} gets it ({})",
                    hint("toolchains --install", &[name]),
                    package.get()
                ),
            });
        }
        let Some(command) = &definition.command else {
            return Err(ToolchainError::Undefined {
                name: name.to_owned(),
            });
        };
        let program = on_path(command).or_else(|| without_version(name, command, definition));
        let program = program.ok_or_else(|| ToolchainError::Missing {
            name: name.to_owned(),
            what: format!("there is no `{command}` in PATH"),
            get: get(name, command),
        })?;
        let cxx = cxx_of(&program, definition.cxx.as_deref());
        Ok(Driver::plain(program, cxx))
    }

    /// Asks, tries and hashes.
    fn examine(
        &self,
        name: &str,
        definition: &ToolchainDefinition,
        driver: &Driver,
        told: &str,
    ) -> Result<Toolchain, ToolchainError> {
        let version = driver.version();
        let reported = driver.ask(&["--version"]);
        if version.is_empty() {
            return Err(ToolchainError::Broken {
                name: name.to_owned(),
                doing: "be asked how to compile",
                said: format!("`{} -dumpversion` says nothing", driver.program.display()),
            });
        }
        if let Some(wanted) = &definition.version
            && !is_version(&version, wanted)
        {
            return Err(ToolchainError::Version {
                name: name.to_owned(),
                driver: driver.program.clone(),
                wanted: wanted.clone(),
                found: version,
                reported,
            });
        }
        let flags = &definition.flags;
        let probed = probe(name, driver, flags)?;
        if driver.package.is_some() {
            check_plain(name, driver, flags, &probed)?;
        }
        // Builds put the compiler's name into lists of words: its folder must survive that.
        let place = plain_place(&self.folder)
            .map_err(ToolchainError::file(name, "write", &self.folder))?
            .join("cc");
        let wrappers = wrapper::write(&place, name, driver, flags)
            .map_err(ToolchainError::file(name, "write", &place))?;
        let tools = tools(driver, flags);
        let target = driver.ask(&["-dumpmachine"]);
        let Probed { linker, defaults } = probed;
        Ok(Toolchain {
            name: name.to_owned(),
            hash: identity(&tools, &target, driver, flags, told),
            cc: wrappers.cc,
            cxx: wrappers.cxx,
            driver: driver.program.clone(),
            package: (driver.package.clone())
                .or_else(|| driver.made.as_ref().map(|made| made.from.clone())),
            version,
            reported,
            target,
            linker,
            tools,
            defaults,
        })
    }
}

fn wanted<'a>(
    name: &'a str,
    definition: &'a ToolchainDefinition,
    source: &'a Source,
) -> Wanted<'a> {
    Wanted {
        name,
        definition,
        source,
    }
}

/// `19.1` is the version of `19.1.7`, and `19` too; `1` is not.
fn is_version(found: &str, wanted: &str) -> bool {
    let mut found = found.split('.');
    wanted.split('.').all(|part| found.next() == Some(part))
}

/// `gcc12` may be the machine's `gcc`; its version is checked like any other.
fn without_version(name: &str, command: &str, definition: &ToolchainDefinition) -> Option<PathBuf> {
    let implied = ToolchainDefinition::implied(name)?;
    if implied.command.as_deref() != Some(command) {
        return None;
    }
    let (family, _) = command.split_once('-')?;
    let program = on_path(family)?;
    let version = Driver::plain(program.clone(), None).version();
    is_version(&version, definition.version.as_deref()?).then_some(program)
}

/// How a compiler of the machine is had.
fn get(name: &str, command: &str) -> String {
    let is_package = !command.contains('/') && ToolchainDefinition::implied(command).is_some();
    if is_package && on_path("apt-get").is_some() {
        format!(
            "where the distribution has it, `apt-get install {command}` gets it, or provider = \"apt:{command}\" under [toolchain.{name}] a copy of proofmark's own"
        )
    } else {
        "install it, or write the right `command`".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_compared_part_by_part() {
        assert!(is_version("19.1.7", "19") && is_version("19.1.7", "19.1.7"));
        assert!(!is_version("19.1.7", "1") && !is_version("19", "19.1"));
        assert!(!is_version("19.1.7", "19.1.6"));
    }
}
