//! In the place of the compiler driver that `rustc` links with, and of `rustc` when cargo starts
//! it.
//!
//! `rustc` brings a linker of its own by `-B…/gcc-ld`, which wins over `COMPILER_PATH`; the first
//! `-B` wins over both.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use proofmark_terms::OsText;

use super::call::Call;
use super::{link, run};
use crate::cargo;
use crate::event::{Event, Rustc};
use crate::process::Process;
use crate::programs::{find_program, is_shim};
use crate::session::Session;
use crate::variables::Variables;

/// In the place of a target: the shims of linkers that options name.
const NAMED: &str = "named";

/// The variable that tells such a shim which linker that is.
const LINKER: &str = "PROOFMARK_LINKER";

pub(super) fn act(call: &Call, target: Option<&OsStr>) -> ExitCode {
    let session = Session::from_environment();
    let linker = session
        .as_ref()
        .and_then(|session| configured(session, target))
        .unwrap_or_else(|| call.name.clone());
    let Some(real) = find_program(&linker) else {
        return run::not_found(&linker, true);
    };
    if is_linker_itself(&linker) {
        return link::act_for(call, &real, session);
    }
    let mut first = OsString::from("-B");
    first.push(&call.folder);
    run::become_tool(&real, std::iter::once(&first).chain(&call.arguments))
}

/// The project's own linker for a target: by the variable that was set before the capture's, or by
/// the configuration that the cargo which started `rustc` reads.
fn configured(session: &Session, target: Option<&OsStr>) -> Option<OsString> {
    let target = target?.to_str()?;
    if target == NAMED {
        return env::var_os(LINKER);
    }
    let by_variable = session
        .settings()
        .cargo_linkers
        .iter()
        .find(|(name, _)| name == target);
    if let Some((_, linker)) = by_variable {
        return Some(linker.as_ref().to_owned());
    }
    cargo::linker(&cargo_folder()?, target, &Variables::of_this_process())
        .map(PathBuf::into_os_string)
}

/// The project's own wrapper of `rustc`. An empty variable means none.
fn configured_wrapper(session: &Session) -> Option<OsString> {
    let wrapper = match &session.settings().rustc_wrapper {
        Some(wrapper) => wrapper.as_ref().to_owned(),
        None => {
            cargo::rustc_wrapper(&cargo_folder()?, &Variables::of_this_process())?.into_os_string()
        }
    };
    (!wrapper.is_empty()).then_some(wrapper)
}

/// The folder in which the cargo above this process was started.
fn cargo_folder() -> Option<PathBuf> {
    let above = Process::this()?.ancestors(8);
    above
        .iter()
        .find(|process| process.name() == "cargo")?
        .folder()
}

/// A linker proper rather than a compiler's driver, by the names that `rustc` tells them apart by.
fn is_linker_itself(linker: &OsStr) -> bool {
    let stem = Path::new(linker)
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy();
    let name = Path::new(linker)
        .file_name()
        .unwrap_or_default()
        .to_string_lossy();
    matches!(&*stem, "ld" | "lld" | "rust-lld" | "mold" | "wild")
        || name.starts_with("ld.")
        || stem.ends_with("-ld")
}

/// `argv[1]` is the compiler, unless the project has a wrapper of its own, which then comes first.
pub(super) fn rustc(call: &Call) -> ExitCode {
    let session = Session::from_environment();
    let Some(compiler) = call.arguments.first() else {
        return run::not_found("rustc".as_ref(), false);
    };
    if let Some(session) = &session
        && let Err(error) = note(
            session,
            compiler,
            call.arguments.get(1..).unwrap_or_default(),
        )
    {
        session.problem(&format!(
            "a compilation by rustc could not be recorded: {error}"
        ));
    }
    let mut arguments = call.arguments.clone();
    let mut env: Vec<(&str, OsString)> = Vec::new();
    if session.is_some()
        && compiles(&call.arguments)
        && let Some(own) = cargo::linker_option(&call.arguments)
        && !is_shim(Path::new(&own))
    {
        match in_front_of(&own, &call.folder) {
            Ok(shim) => {
                arguments.extend(["-C".into(), shim]);
                env.push((LINKER, absolute_program(&own)));
            }
            Err(error) => {
                let text = format!(
                    "the links of the linker {}, which rustc is told to use, could not be recorded: {error}",
                    own.display()
                );
                session.iter().for_each(|session| session.problem(&text));
            }
        }
    }
    match session.as_ref().and_then(configured_wrapper) {
        Some(wrapper) => run::become_tool_with(Path::new(&wrapper), &arguments, &env),
        None => run::become_tool_with(
            &PathBuf::from(compiler),
            arguments.get(1..).unwrap_or_default(),
            &env,
        ),
    }
}

/// An option that puts a shim in front of a linker that options name. Its file name is the
/// linker's: by that `rustc` tells what kind it is.
fn in_front_of(own: &OsStr, shims: &Path) -> std::io::Result<OsString> {
    let place = shims.join("cargo").join(NAMED).join(cargo::file_name(own));
    if let Some(folder) = place.parent() {
        fs::create_dir_all(folder)?;
    }
    match symlink(env::current_exe()?, &place) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let mut option = OsString::from("linker=");
    option.push(place);
    Ok(option)
}

/// As `rustc` would find it: a name through `PATH`, a path from where `rustc` runs.
fn absolute_program(program: &OsStr) -> OsString {
    if !program.as_bytes().contains(&b'/') {
        return program.to_owned();
    }
    std::path::absolute(program).map_or_else(|_| program.to_owned(), PathBuf::into_os_string)
}

/// It is no question of cargo's.
fn compiles(arguments: &[OsString]) -> bool {
    arguments.iter().any(|argument| argument == "--crate-name")
        && !arguments.iter().any(|argument| argument == "___")
}

fn note(session: &Session, compiler: &OsStr, arguments: &[OsString]) -> std::io::Result<()> {
    if !compiles(arguments) {
        return Ok(()); // cargo's questions
    }
    session.record(&Event::Rustc(Rustc {
        process: Process::this(),
        compiler: compiler.into(),
        cwd: env::current_dir()?.into(),
        arguments: arguments.iter().map(OsText::from).collect(),
    }))
}
