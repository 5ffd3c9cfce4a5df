//! Toolchains looked for on the machine and in proofmark's own folder.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use proofmark_capture::stamp::Stamped;
use proofmark_capture::{Tool, ToolRole, hash_bytes, plain_place};
use proofmark_hint::hint;
use proofmark_terms::Digest;
use serde::{Deserialize, Serialize};

use super::driver::{Driver, cxx_of, on_path};
use super::error::ToolchainError;
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
        package.install(name, &self.packages)
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
            if let Some(driver) = package.driver(&self.packages, definition.command.as_deref()) {
                return Ok(driver);
            }
            // A distribution's package may be installed where the distribution puts it.
            let command = definition.command.as_deref().or(package.system_command());
            if let Some(program) = command.and_then(on_path) {
                let cxx = cxx_of(&program, definition.cxx.as_deref());
                return Ok(Driver::plain(program, cxx));
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

/// Driver, compiler proper, assembler and linker.
fn tools(driver: &Driver, flags: &[String]) -> Vec<Tool> {
    let mut programs: Vec<(ToolRole, PathBuf)> = vec![(ToolRole::Driver, driver.program.clone())];
    programs.extend(driver.cxx.iter().map(|cxx| (ToolRole::Driver, cxx.clone())));
    let mut add = |role, name: &str| {
        let program = driver.program_of(name, flags);
        programs.extend(program.map(|program| (role, program)));
    };
    add(ToolRole::Compiler, "cc1");
    add(ToolRole::Compiler, "cc1plus");
    if !driver.is_clang() {
        add(ToolRole::Assembler, "as");
    }
    add(ToolRole::Linker, &linker_name(flags));
    let mut found: Vec<Tool> = Vec::new();
    for (role, path) in programs {
        let tool = Tool::examined(role, &path, &driver.env);
        if let Some(tool) = tool
            && !found.iter().any(|known| known.path == tool.path)
        {
            found.push(tool);
        }
    }
    found
}

/// What `-fuse-ld=` makes of `ld`.
fn linker_name(flags: &[String]) -> String {
    let chosen = flags.iter().rev().find_map(|flag| {
        flag.strip_prefix("-fuse-ld=")
            .or_else(|| flag.strip_prefix("--ld-path="))
    });
    match chosen {
        None => "ld".to_owned(),
        Some(name) if name.contains('/') || name.starts_with("ld") => name.to_owned(),
        Some(name) => format!("ld.{name}"),
    }
}

fn identity(tools: &[Tool], target: &str, driver: &Driver, flags: &[String], told: &str) -> Digest {
    let mut text = format!("{target}\n{flags:?}\n{:?}\n{told}\n", driver.first.len());
    // It reads files of its own folder too, which nobody else can change.
    text.extend(
        driver
            .made
            .as_ref()
            .map(|made| format!("{}\n", made.identity)),
    );
    for program in [Some(&driver.program), driver.cxx.as_ref()] {
        text.push_str(&format!(
            "{:?}\n",
            program.map(|program| started_as(program))
        ));
    }
    for tool in tools {
        text.push_str(&format!("{} {}\n", tool.role, tool.hash));
        for library in &tool.libraries {
            text.push_str(&format!("  {}\n", library.hash));
        }
    }
    hash_bytes(text.as_bytes())
}

/// The name by which a program knows itself: links of several names may lead to one that goes by
/// it. A script may go by its folder as well; what else lies in the folder of a compiler is seen
/// when it reads it.
fn started_as(program: &Path) -> &OsStr {
    let mut first = [0; 2];
    let read = File::open(program).and_then(|mut file| file.read_exact(&mut first));
    match program.file_name() {
        Some(name) if read.is_err() || first != *b"#!" => name,
        _ => program.as_os_str(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_compiler_is_known_by_the_name_that_it_is_started_under() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("other")).unwrap();
        for (file, text) in [("script", "#!/bin/sh\n"), ("binary", "\x7fELF")] {
            fs::write(at(file), text).unwrap();
            for link in ["slow", "fast", "other/slow"] {
                symlink(at(file), at(&format!("{link}-{file}"))).unwrap();
            }
        }
        let of = |cc: &str, cxx: Option<&str>| {
            let driver = Driver::plain(at(cc), cxx.map(at));
            identity(&[], "", &driver, &[], "")
        };
        for file in ["script", "binary"] {
            let [slow, fast, other] =
                ["slow", "fast", "other/slow"].map(|link| format!("{link}-{file}"));
            assert_eq!(of(&slow, None), of(&slow, None));
            assert_ne!(of(&slow, None), of(&fast, None));
            assert_ne!(of(&slow, Some(&slow)), of(&slow, Some(&fast)));
            assert_eq!(of(&slow, None) == of(&other, None), file == "binary");
        }
    }

    #[test]
    fn a_version_is_compared_part_by_part() {
        assert!(is_version("19.1.7", "19") && is_version("19.1.7", "19.1.7"));
        assert!(!is_version("19.1.7", "1") && !is_version("19", "19.1"));
        assert!(!is_version("19.1.7", "19.1.6"));
    }
}
