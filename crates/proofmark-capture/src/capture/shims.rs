//! The folder of shims, and the environment that leads compilers to it.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::cargo;
use crate::objects::hash_bytes;
use crate::plain::{plain_link, plain_place, point};
use crate::programs::FLAGS_FILE;
use crate::session::{SESSION, Session};
use crate::variables::Variables;

use super::compilers::Compilers;

/// A folder of shims.
pub(super) struct Shims {
    folder: PathBuf,
    flags: Vec<&'static str>,
}

impl Shims {
    /// Makes the folder, or finds it as an earlier capture made it. Its name carries a hash of what
    /// is injected: ccache keys on `COMPILER_PATH`, and so never mixes objects of this capture with
    /// others. And a hash of the tools that have a shim: captures of several compilers may run at
    /// the same time, and none takes a shim away from another.
    pub(super) fn install(
        root: &Path,
        flags: &[&'static str],
        twice: bool,
        program: &Path,
        tools: &[&str],
        cargo: &[CargoShim],
    ) -> io::Result<Shims> {
        let version = env!("CARGO_PKG_VERSION");
        let twice = if twice { "twice" } else { "" };
        let content = format!("{version} {} {twice} {}", flags.join(" "), tools.join(" "));
        let hash = hash_bytes(content.as_bytes());
        let folder = plain_place(root)?
            .join("shims")
            .join(hash.get(..16).unwrap_or(&hash));
        fs::create_dir_all(folder.join("rustc"))?;
        fs::create_dir_all(folder.join("plain"))?;
        let mut file = NamedTempFile::new_in(&folder)?;
        file.write_all(flags.join("\n").as_bytes())?;
        file.persist(folder.join(FLAGS_FILE))?;
        let program = program.canonicalize()?;
        for tool in tools {
            point(&folder.join(tool), &program)?;
        }
        point(&folder.join("rustc/rustc-wrapper"), &program)?;
        point(&folder.join("plain/cc"), &program)?;
        for shim in cargo {
            let place = folder.join(cargo_place(shim));
            fs::create_dir_all(place.parent().unwrap_or(&folder))?;
            point(&place, &program)?;
        }
        Ok(Shims {
            folder,
            flags: flags.to_vec(),
        })
    }

    /// The variables that a build runs with.
    pub(super) fn environment(
        &self,
        session: &Session,
        root: &Path,
        compilers: &Compilers,
        build: &BuildKind,
        variables: &Variables<'_>,
    ) -> io::Result<Vec<(OsString, OsString)>> {
        let mut set: Vec<(OsString, OsString)> = vec![(SESSION.into(), root.into())];
        set.push((
            "COMPILER_PATH".into(),
            in_front(&self.folder, "COMPILER_PATH", variables),
        ));
        set.push((
            "CCC_OVERRIDE_OPTIONS".into(),
            self.clang_options(session, compilers, variables)?,
        ));
        // distcc would run the compilers of other machines, where there are no shims.
        set.push(("DISTCC_HOSTS".into(), "localhost".into()));
        if build.plain_rustc {
            set.push((
                "PATH".into(),
                in_front(&self.folder.join("plain"), "PATH", variables),
            ));
        }
        if !build.cargo.is_empty() {
            set.push((
                "RUSTC_WRAPPER".into(),
                self.folder.join("rustc/rustc-wrapper").into(),
            ));
        }
        for shim in &build.cargo {
            set.push((
                cargo::linker_variable(&shim.target).into(),
                self.folder.join(cargo_place(shim)).into(),
            ));
        }
        Ok(set)
    }

    /// clang edits its own command line by this variable; words in it are separated by spaces and
    /// cannot be quoted.
    fn clang_options(
        &self,
        session: &Session,
        compilers: &Compilers,
        variables: &Variables<'_>,
    ) -> io::Result<OsString> {
        let mut options = variables
            .get("CCC_OVERRIDE_OPTIONS")
            .unwrap_or_else(|| "#".into());
        let oldest = compilers.oldest_clang.unwrap_or(u32::MAX);
        // An option that one of the clangs does not know would break the build: these are since 14
        // and since 10.
        let scoped = oldest >= 14;
        let mut words: Vec<OsString> = vec![
            if scoped {
                "--start-no-unused-arguments"
            } else {
                "-Qunused-arguments"
            }
            .into(),
        ];
        words.extend(self.flags.iter().map(OsString::from));
        if oldest >= 10 {
            words.push("-gen-cdb-fragment-path".into());
            words.push(plain_link(&session.clang_folder())?.into());
        }
        words.extend(scoped.then(|| "--end-no-unused-arguments".into()));
        for word in words {
            options.push(" +");
            options.push(word);
        }
        Ok(options)
    }
}

/// A shim for the linker of one cargo target.
#[derive(Clone, Debug)]
pub(super) struct CargoShim {
    pub target: String,
    /// The file name tells `rustc` what kind of linker it is: that of the configured linker, or
    /// `cc`.
    pub name: OsString,
}

/// What a build is started by.
#[derive(Clone, Debug, Default)]
pub(super) struct BuildKind {
    /// The targets that cargo may link for; empty without cargo.
    pub cargo: Vec<CargoShim>,
    /// The command is `rustc` itself.
    pub plain_rustc: bool,
}

fn cargo_place(shim: &CargoShim) -> PathBuf {
    Path::new("cargo").join(&shim.target).join(&shim.name)
}

fn in_front(folder: &Path, variable: &str, variables: &Variables<'_>) -> OsString {
    let mut value = folder.as_os_str().to_owned();
    if let Some(rest) = variables.get(variable).filter(|rest| !rest.is_empty()) {
        value.push(":");
        value.push(rest);
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captures_at_the_same_time_keep_their_own_shims() {
        let root = tempfile::tempdir().unwrap();
        let program = std::env::current_exe().unwrap();
        let install = |tools: &[&str]| {
            for _ in 0..20 {
                let shims =
                    Shims::install(root.path(), &["-f"], false, &program, tools, &[]).unwrap();
                let there = |tool: &&str| shims.folder.join(tool).exists();
                assert!(tools.iter().all(there), "{tools:?}");
                let flags = fs::read_to_string(shims.folder.join(FLAGS_FILE)).unwrap();
                assert_eq!(flags, "-f");
            }
        };
        std::thread::scope(|scope| {
            for number in 0..8 {
                let tools: &[&str] = if number % 2 == 0 {
                    &["cc1", "ld"]
                } else {
                    &["ld"]
                };
                scope.spawn(move || install(tools));
            }
        });
    }
}
