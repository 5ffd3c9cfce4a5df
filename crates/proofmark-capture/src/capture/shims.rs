//! The folder of shims, and the environment that leads compilers to it.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::cargo;
use crate::objects::hash_bytes;
use crate::session::{SESSION, Session};
use crate::shim::FLAGS_FILE;
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

/// A symbolic link to the program, replaced in one step where it pointed elsewhere.
fn point(place: &Path, program: &Path) -> io::Result<()> {
    if fs::read_link(place).is_ok_and(|target| target == program) {
        return Ok(());
    }
    let beside = tempfile::Builder::new()
        .prefix("link")
        .make_in(place.parent().unwrap_or(Path::new(".")), |beside| {
            std::os::unix::fs::symlink(program, beside)
        })?;
    beside.persist(place)?;
    Ok(())
}

/// A path that survives lists separated by colons, words separated by spaces, and cargo's wish for
/// UTF-8.
fn is_plain(path: &Path) -> bool {
    let byte_is_plain = |byte: &u8| !byte.is_ascii_whitespace() && !b":;'\"\\$#%".contains(byte);
    path.to_str().is_some() && path.as_os_str().as_bytes().iter().all(byte_is_plain)
}

/// The folder itself where its path is plain, and otherwise one of this user's own beside it in the
/// system's folder for temporary files.
pub(crate) fn plain_place(root: &Path) -> io::Result<PathBuf> {
    if is_plain(root) {
        return Ok(root.to_owned());
    }
    let hash = hash_bytes(root.as_os_str().as_bytes());
    let folder = own_temporary()?.join(hash.get(..16).unwrap_or(&hash));
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// A plain name for a folder.
fn plain_link(folder: &Path) -> io::Result<PathBuf> {
    if is_plain(folder) {
        return Ok(folder.to_owned());
    }
    let hash = hash_bytes(folder.as_os_str().as_bytes());
    let link = own_temporary()?.join(format!("clang-{}", hash.get(..16).unwrap_or(&hash)));
    point(&link, folder)?;
    Ok(link)
}

/// A folder for temporary files that nobody else can write to.
fn own_temporary() -> io::Result<PathBuf> {
    let user = rustix::process::getuid().as_raw();
    let base = Some(env::temp_dir())
        .filter(|dir| is_plain(dir))
        .unwrap_or_else(|| PathBuf::from("/tmp"));
    let folder = base.join(format!("proofmark-{user}"));
    match fs::DirBuilder::new().mode(0o700).create(&folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let about = fs::symlink_metadata(&folder)?;
    if !about.is_dir() || about.uid() != user || about.mode() & 0o022 != 0 {
        return Err(io::Error::other(format!(
            "{} is not a folder of this user's own; remove it",
            folder.display()
        )));
    }
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::*;

    #[test]
    fn captures_at_the_same_time_keep_their_own_shims() {
        let root = tempfile::tempdir().unwrap();
        let program = env::current_exe().unwrap();
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

    #[test]
    fn paths_that_compilers_would_split_are_not_plain() {
        assert!(is_plain(Path::new("/home/user/project/.proofmark")));
        for path in ["/a b", "/a:b", "/a\tb", "/a'b"] {
            assert!(!is_plain(Path::new(path)), "{path}");
        }
        assert!(!is_plain(Path::new(OsStr::from_bytes(b"/\xff"))));
    }
}
