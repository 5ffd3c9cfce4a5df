//! The real tool behind a shim: the one that the compiler which started the shim would have found
//! without it.

use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use proofmark_terms::OsText;

use crate::link::quoted;
use crate::process::Process;
use crate::programs::{find_program, path_dirs, program_dirs, search};
use crate::session::Session;

/// The compiler that started a shim.
pub(super) struct Caller {
    pub process: Option<Process>,
    pub kind: CallerKind,
}

pub(super) enum CallerKind {
    /// gcc, by the driver that it names in `COLLECT_GCC`, with the options that it names in
    /// `COLLECT_GCC_OPTIONS`.
    Gcc {
        driver: OsString,
        options: Vec<OsString>,
    },
    /// clang, with its arguments.
    Clang { arguments: Vec<OsString> },
    /// `make`, a shell, libtool…
    Other,
}

impl Caller {
    pub(super) fn of_this_process() -> Caller {
        let process = Process::this().and_then(|this| this.parent());
        let kind = match (&process, env::var_os("COLLECT_GCC")) {
            (Some(parent), _) if parent.is_clang() => CallerKind::Clang {
                arguments: parent.arguments(),
            },
            (_, Some(driver)) => CallerKind::Gcc {
                driver,
                options: quoted::split(&env::var_os("COLLECT_GCC_OPTIONS").unwrap_or_default()),
            },
            _ => CallerKind::Other,
        };
        Caller { process, kind }
    }

    /// The driver's executable.
    pub(super) fn driver(&self) -> Option<PathBuf> {
        match &self.kind {
            CallerKind::Gcc { driver, .. } => find_program(driver),
            CallerKind::Clang { .. } => self
                .process
                .as_ref()
                .map(|parent| parent.program.as_ref().into()),
            CallerKind::Other => None,
        }
    }

    /// The driver's options: what the user asked for.
    pub(super) fn flags(&self) -> Vec<OsText> {
        match &self.kind {
            CallerKind::Gcc { options, .. } => options.iter().map(OsText::from).collect(),
            CallerKind::Clang { arguments } => arguments.iter().skip(1).map(OsText::from).collect(),
            CallerKind::Other => Vec::new(),
        }
    }
}

/// The real tool of this name, if the caller would have found one.
pub(super) fn find(name: &OsStr, caller: &Caller, session: Option<&Session>) -> Option<PathBuf> {
    let key = key(name, caller);
    let search = || look(name, caller, session).map(OsText::from);
    let found = match session {
        Some(session) => session.memo(&key, search),
        None => search(),
    };
    found.map(|path| PathBuf::from(path.as_ref()))
}

/// Everything that the search depends on.
fn key(name: &OsStr, caller: &Caller) -> OsString {
    let mut key = OsString::from("real\0");
    let mut add = |part: &OsStr| {
        key.push(part);
        key.push("\0");
    };
    add(name);
    for variable in ["COMPILER_PATH", "PATH"] {
        add(&env::var_os(variable).unwrap_or_default());
    }
    match &caller.kind {
        CallerKind::Gcc { driver, options } => {
            add(driver);
            place_options(options).iter().for_each(|option| add(option));
        }
        CallerKind::Clang { arguments } => {
            add(caller
                .process
                .as_ref()
                .map_or(OsStr::new(""), |process| process.program.as_ref()));
            place_options(arguments)
                .iter()
                .for_each(|option| add(option));
        }
        CallerKind::Other => add(OsStr::new("other")),
    }
    key
}

/// The order of the drivers: `-B`, then `COMPILER_PATH`, then their own folders, then `PATH`. gcc
/// hands `COMPILER_PATH` on with everything but `PATH` in it when it links.
fn look(name: &OsStr, caller: &Caller, session: Option<&Session>) -> Option<PathBuf> {
    let mut dirs: Vec<PathBuf> = Vec::new();
    match &caller.kind {
        CallerKind::Gcc { driver, options } => {
            dirs.extend(prefix_dirs(options));
            dirs.extend(compiler_path());
            if let Some(program) = find_program(driver) {
                dirs.extend(program_dirs(&program, driver, &place_options(options)));
            }
        }
        CallerKind::Clang { arguments } => {
            let program = PathBuf::from(caller.process.as_ref()?.program.as_ref());
            dirs.extend(prefix_dirs(arguments));
            dirs.extend(compiler_path());
            let argv0 = arguments
                .first()
                .map_or(program.as_os_str(), OsString::as_os_str);
            dirs.extend(program_dirs(&program, argv0, &place_options(arguments)));
        }
        CallerKind::Other => {
            dirs.extend(compiler_path());
            if let Some(found) = search(name, &dirs) {
                return Some(found);
            }
            let tools = session.map(|session| session.settings().tools.as_slice());
            let known = tools
                .unwrap_or_default()
                .iter()
                .find(|(tool, _)| name == tool.as_str());
            if let Some((_, path)) = known {
                return Some(PathBuf::from(path.as_ref()));
            }
        }
    }
    search(name, &dirs).or_else(|| search(name, &path_dirs()))
}

fn compiler_path() -> Vec<PathBuf> {
    let listed = env::var_os("COMPILER_PATH").unwrap_or_default();
    env::split_paths(&listed)
        .filter(|dir| !dir.as_os_str().is_empty())
        .collect()
}

/// The options that decide where a driver looks.
fn place_options(arguments: &[OsString]) -> Vec<OsString> {
    let mut chosen = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let bytes = argument.as_bytes();
        let alone = [&b"-target"[..], b"-B", b"--sysroot", b"--gcc-toolchain"].contains(&bytes);
        let joined = [
            &b"-B"[..],
            b"--target=",
            b"--sysroot=",
            b"--gcc-toolchain=",
            b"--gcc-install-dir=",
            b"-m32",
            b"-m64",
        ];
        if alone {
            chosen.push(argument.clone());
            chosen.extend(rest.next().cloned());
        } else if joined.iter().any(|start| bytes.starts_with(start)) {
            chosen.push(argument.clone());
        }
    }
    chosen
}

/// The folders of `-B`.
fn prefix_dirs(arguments: &[OsString]) -> Vec<PathBuf> {
    let mut dirs = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_bytes().strip_prefix(b"-B") {
            Some(b"") => dirs.extend(rest.next().map(PathBuf::from)),
            Some(dir) => dirs.push(PathBuf::from(OsStr::from_bytes(dir))),
            None => {}
        }
    }
    dirs
}
