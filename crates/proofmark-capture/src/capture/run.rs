//! One run of the build behind the shims.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use proofmark_terms::OsText;
use tempfile::TempDir;

use super::attend::{Ended, attend, end_of};
use super::clang::{ClangSecond, Watch};
use super::compilers::Compilers;
use super::files::modified_ns;
use super::request::{BuildOutput, CaptureRequest, Compile, shown};
use super::shims::{BuildKind, CargoShim, Shims};
use crate::cargo;
use crate::error::BuildError;
use crate::event::Event;
use crate::outside::Following;
use crate::sections::FUNCTION_SECTIONS;
use crate::session::{Session, Settings};
use crate::store::Builds;
use crate::variables::Variables;

/// What is known before the build runs.
pub(super) struct Preparation {
    compilers: Compilers,
    kind: BuildKind,
    settings: Settings,
}

/// What the build's compilers are made to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flavour {
    /// They compile a second time, with function sections.
    Twice,
    /// They add function sections.
    FunctionSections,
    /// Nothing.
    Pristine,
}

impl Flavour {
    pub(super) fn of(compile: Compile) -> Flavour {
        match compile {
            Compile::Twice => Flavour::Twice,
            Compile::Once => Flavour::FunctionSections,
        }
    }
}

/// A build that ran to its end.
pub(super) struct Run {
    pub session: Session,
    pub cwd: PathBuf,
    /// The folder of the store, which may lie in that of the build. It is none of the build's.
    pub store: PathBuf,
    pub events: Vec<Event>,
    pub problems: Vec<String>,
    pub flavour: Flavour,
    /// What clang compiled, and what was compiled of it a second time.
    pub clang: Vec<ClangSecond>,
    /// Files modified at this moment or later are the build's; nanoseconds since 1970-01-01 UTC, by
    /// the clock of the file system.
    pub started_ns: i64,
    /// When it had ended, by the same clock.
    pub ended_ns: i64,
    /// Removed with the run.
    _folder: TempDir,
}

impl Preparation {
    pub(super) fn of(request: &CaptureRequest, cwd: &Path) -> Preparation {
        let variables = Variables::of(&request.env);
        let compilers = Compilers::look(&request.command, &variables);
        let targets = cargo::targets(&request.command, cwd, &variables);
        let mut linkers: Vec<(String, OsText)> = Vec::new();
        let mut shims = Vec::new();
        for target in targets {
            let by_variable = cargo::linker_from_environment(&target, &variables);
            let linker = by_variable
                .clone()
                .or_else(|| cargo::linker(cwd, &target, &variables).map(PathBuf::into_os_string));
            linkers.extend(by_variable.map(|linker| (target.clone(), linker.into())));
            let name = linker.map_or_else(|| "cc".into(), |linker| cargo::file_name(&linker));
            shims.push(CargoShim { target, name });
        }
        let program = request
            .command
            .first()
            .map(|program| cargo::file_name(program));
        let settings = Settings {
            tools: compilers.tools.clone(),
            cargo_linkers: linkers,
            rustc_wrapper: cargo::wrapper_from_environment(&variables).map(OsText::from),
            adds: false,
            twice: false,
        };
        Preparation {
            compilers,
            kind: BuildKind {
                cargo: shims,
                plain_rustc: program.is_some_and(|name| name == "rustc"),
            },
            settings,
        }
    }
}

/// Runs the build once, or until it shall stop. Its session is thrown away with the result.
pub(super) fn run(
    builds: &Builds,
    request: &CaptureRequest,
    cwd: &Path,
    preparation: &Preparation,
    flavour: Flavour,
    stopped: &dyn Fn() -> bool,
) -> Result<Run, BuildError> {
    let sessions = builds.sessions();
    let folder =
        session_folder(&sessions).map_err(BuildError::file("create a folder in", &sessions))?;
    let root = folder.path().to_owned();
    let prepared = prepare(builds, request, preparation, flavour, &root);
    let (session, variables) = prepared.map_err(BuildError::file("prepare the shims in", &root))?;
    let started_ns = now(&root).map_err(BuildError::file("write", &root))?;
    let watch = (flavour == Flavour::Twice).then(|| Watch::start(&session, request));
    let ended = start(request, cwd, &variables, stopped);
    let clang = watch
        .map(|watch| watch.end(ended.is_ok()))
        .unwrap_or_default();
    ended?;
    let ended_ns = now(&root).map_err(BuildError::file("write", &root))?;
    let events = session.events().map_err(BuildError::file("read", &root))?;
    let problems = session
        .problems()
        .map_err(BuildError::file("read", &root))?;
    Ok(Run {
        session,
        cwd: cwd.to_owned(),
        store: builds.folder().to_owned(),
        events,
        problems,
        flavour,
        clang,
        started_ns,
        ended_ns,
        _folder: folder,
    })
}

/// A folder for one session. Another capture that has just ended may remove the folder of all
/// sessions in between.
fn session_folder(sessions: &Path) -> io::Result<TempDir> {
    const TRIES: u32 = 100;
    for _ in 1..TRIES {
        fs::create_dir_all(sessions)?;
        match TempDir::new_in(sessions) {
            Err(gone) if gone.kind() == io::ErrorKind::NotFound => {}
            other => return other,
        }
    }
    TempDir::new_in(sessions)
}

type Set = Vec<(OsString, OsString)>;

fn prepare(
    builds: &Builds,
    request: &CaptureRequest,
    preparation: &Preparation,
    flavour: Flavour,
    root: &Path,
) -> io::Result<(Session, Set)> {
    let twice = flavour == Flavour::Twice;
    let settings = Settings {
        adds: flavour == Flavour::FunctionSections,
        twice,
        ..preparation.settings.clone()
    };
    let session = Session::create(root, builds.objects(), settings)?;
    let flags: &[&str] = match flavour {
        Flavour::FunctionSections => &[FUNCTION_SECTIONS],
        Flavour::Twice | Flavour::Pristine => &[],
    };
    let tools: Vec<&str> = preparation
        .compilers
        .tools
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    let shims = Shims::install(
        builds.folder(),
        flags,
        twice,
        &request.shim_program,
        &tools,
        &preparation.kind.cargo,
    )?;
    let variables = shims.environment(
        &session,
        root,
        &preparation.compilers,
        &preparation.kind,
        &Variables::of(&request.env),
    )?;
    Ok((session, variables))
}

fn start(
    request: &CaptureRequest,
    cwd: &Path,
    variables: &Set,
    stopped: &dyn Fn() -> bool,
) -> Result<(), BuildError> {
    if request.command.is_empty() {
        return Err(BuildError::NoCommand);
    }
    let follower = request.followed.as_ref().map(Following::started_by);
    let words = follower.map(Path::as_os_str).into_iter();
    let words: Vec<&OsStr> = words
        .chain(request.command.iter().map(OsString::as_os_str))
        .collect();
    let (program, arguments) = words.split_first().ok_or(BuildError::NoCommand)?;
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(cwd)
        .envs(request.env.iter().cloned())
        .envs(variables.iter().cloned());
    for name in &request.unset {
        command.env_remove(name);
    }
    if let BuildOutput::File(log) = &request.output {
        let failed = |source| BuildError::File {
            doing: "write",
            path: log.clone(),
            source,
        };
        let file = File::create(log).map_err(failed)?;
        command
            .stderr(file.try_clone().map_err(failed)?)
            .stdout(file);
    }
    let ended = match &request.output {
        // It has the terminal, whose Ctrl-C reaches it by itself.
        BuildOutput::Inherit => command.status().map(Ended::ByItself),
        BuildOutput::Errors => command.stdout(io::stderr()).status().map(Ended::ByItself),
        BuildOutput::File(_) => attend(&mut command, stopped),
    };
    let ended = ended.map_err(|source| BuildError::CannotStart {
        command: program.to_string_lossy().into_owned(),
        cwd: cwd.to_owned(),
        source,
    })?;
    let status = match ended {
        Ended::ByItself(status) if status.success() => return Ok(()),
        Ended::ByItself(status) => status,
        Ended::Stopped => {
            return Err(BuildError::Stopped {
                command: shown(&request.command),
            });
        }
    };
    let (log, said) = match &request.output {
        BuildOutput::Inherit | BuildOutput::Errors => (None, String::new()),
        BuildOutput::File(log) => (Some(log.clone()), end_of(log)),
    };
    Err(BuildError::BuildFailed {
        status: status.to_string(),
        command: shown(&request.command),
        log,
        said,
    })
}

/// The file system's own clock, which may lag behind the system's by a tick.
fn now(folder: &Path) -> io::Result<i64> {
    let probe = folder.join("now");
    fs::write(&probe, b".")?;
    Ok(modified_ns(&fs::metadata(&probe)?))
}
