//! One compiler, from a copy of its sources to its record.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use proofmark_capture::outside::{Follower, Following, Held, Known, Tools};
use proofmark_capture::{Ended, attend, end_of};
use proofmark_measure::trace::is_for_temporary_files;
use rustix::fs::FlockOperation;

use super::{Compilers, Place, Record, Wanted, cannot, command};
use crate::definition::{Replacements, expanded};
use crate::environment::{Environment, cores};
use crate::memory::write_json;
use crate::sources::{self, Copied, Frozen, Snapshot};
use crate::toolchain::ToolchainError;

/// How the folders of those who follow a build begin: what a killed command leaves is known by it.
const FOLLOWED: &str = "followed-";

/// What a compiler is made with.
#[derive(Clone, Copy)]
pub struct Making<'a> {
    /// The program that acts as the capture's shims.
    pub shim_program: &'a Path,
    /// Whether the user wants to end it.
    pub stopped: &'a dyn Fn() -> bool,
}

impl Compilers<'_> {
    /// Makes a compiler, unless it is there. Returns whether it was made.
    pub(in crate::toolchain) fn make(
        &self,
        wanted: Wanted<'_>,
        making: Making<'_>,
    ) -> Result<bool, ToolchainError> {
        let name = wanted.name;
        let folder = self.folder(name)?;
        fs::create_dir_all(&folder).map_err(ToolchainError::file(name, "create", &folder))?;
        let _lock = lock(&folder).map_err(ToolchainError::file(name, "lock", &folder))?;
        let (key, snapshot) = self.key(wanted)?;
        if self.kept(wanted, &key)?.is_some() {
            return Ok(false);
        }
        sweep(&folder);
        let failed = self.failed(wanted, &key)?;
        let _ = fs::remove_file(&failed);
        let mut number = 0;
        let place = loop {
            let place = self.place(name, &key, number)?;
            if !place.record.exists() || !place.folder.exists() {
                break place;
            }
            number += 1;
        };
        let made = self.made(wanted, &snapshot, &place, making);
        if let Err(ToolchainError::Make { said, .. }) = &made
            && !(making.stopped)()
        {
            let _ = fs::write(&failed, said);
        }
        let record = Record {
            key,
            outside: made?,
        };
        let written = write_json(&place.record, &record);
        written.map_err(ToolchainError::file(name, "write", &place.record))?;
        Ok(true)
    }

    /// Builds it where it stays. Returns what its build read outside.
    fn made(
        &self,
        wanted: Wanted<'_>,
        snapshot: &Snapshot,
        place: &Place,
        making: Making<'_>,
    ) -> Result<Known, ToolchainError> {
        let around = place.folder.parent().unwrap_or(Path::new("/"));
        let frozen = snapshot.freeze(around).map_err(wanted.wrong())?;
        let mut alone = None;
        loop {
            fresh(&place.folder, &frozen).map_err(wanted.wrong())?;
            let follower = match &alone {
                None => Some(
                    Follower::begin(around, FOLLOWED, making.shim_program)
                        .map_err(ToolchainError::file(wanted.name, "write", around))?,
                ),
                Some(_) => None,
            };
            let key = place.folder.file_name().unwrap_or_default();
            let held = self.makers.held(&key.to_string_lossy());
            let ran = run(wanted, place, follower.as_ref(), making);
            let disturbed = follower.as_ref().and_then(Follower::disturbed);
            if let Some(why) = disturbed.filter(|_| !(making.stopped)()) {
                alone = Some(why);
                continue;
            }
            ran?;
            is_whole(wanted, place).map_err(wanted.wrong())?;
            let Some(follower) = follower else {
                return Ok(Known::Nothing(alone.unwrap_or_default()));
            };
            let known = self.known(
                &follower,
                (snapshot, &frozen),
                (wanted, place),
                making.shim_program,
                &held,
            );
            return known.map_err(wanted.wrong());
        }
    }

    /// What its build read outside, once it has ended. What lies beside the copy is none of it, and
    /// nothing was left anywhere else.
    fn known(
        &self,
        follower: &Follower,
        (snapshot, frozen): (&Snapshot, &Frozen),
        (wanted, place): (Wanted<'_>, &Place),
        shim_program: &Path,
        held: &Held,
    ) -> Result<Known, String> {
        let real = |folder: &Path| folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let (work, store) = (real(&place.folder), real(self.store));
        let own = [work.as_path(), store.as_path()];
        let copied = Copied {
            work: &work,
            own: &store,
            source: &snapshot.folder,
        };
        let sought = follower.sought();
        if let Some(why) = copied.misses(&sought) {
            return Err(why);
        }
        let of_source = |name: &str| wanted.source.env.get(name).map(OsString::from);
        let variable = |name: &str| of_source(name).or_else(|| env::var_os(name));
        let tools = Tools {
            programs: &[],
            variable: &variable,
        };
        let ours = [store.as_path(), shim_program];
        if let Some(why) = frozen.is_bypassed(&sought, snapshot, &ours, tools) {
            return Err(why);
        }
        if let Some(file) = left(&follower.following(&own)) {
            return Err(format!(
                "its build writes {}, where the next compiler's build would write too\n  next: \
                 have it install into its own folder, as by --prefix=$PWD/installed",
                file.display()
            ));
        }
        let (known, touched) = follower.end(&own);
        let known = known?;
        let Known::All(outside) = &known else {
            return Ok(known);
        };
        if let Some(file) = outside.left_otherwise() {
            return Err(format!(
                "its build goes by {}, and leaves it otherwise than it finds it\n  next: let it \
                 write into its own folder only",
                file.display()
            ));
        }
        if let Some(met) = held.met(&touched) {
            return Err(format!("its build {}", met.told()));
        }
        Ok(known)
    }
}

impl Wanted<'_> {
    /// For `map_err`: it could not be made, for this reason.
    fn wrong(&self) -> impl Fn(String) -> ToolchainError + use<> {
        let name = self.name.to_owned();
        move |said| ToolchainError::Make {
            name: name.clone(),
            said,
        }
    }
}

/// It left its compiler, and that can be run.
fn is_whole(wanted: Wanted<'_>, place: &Place) -> Result<(), String> {
    let name = command(wanted.definition);
    let about = fs::metadata(place.folder.join(name));
    let runs = about.is_ok_and(|of| of.is_file() && of.permissions().mode() & 0o111 != 0);
    if runs {
        return Ok(());
    }
    Err(format!(
        "its build has ended well, and has left no program {name}\n  next: let `command` name the \
         compiler that it leaves, relative to its sources; what it did stands in {}",
        place.log.display()
    ))
}

/// Runs the build to its end, with its output in the log.
fn run(
    wanted: Wanted<'_>,
    place: &Place,
    follower: Option<&Follower>,
    making: Making<'_>,
) -> Result<(), ToolchainError> {
    let build = expanded(
        &wanted.source.build,
        &Replacements {
            cc: "{cc}",
            cxx: "{cxx}",
            flags: &[],
            ldflags: &[],
            jobs: cores(),
        },
    );
    let following = follower.map(|one| one.following(&[&place.folder]));
    let mut words: Vec<&OsStr> = Vec::new();
    words.extend(following.as_ref().map(|one| one.started_by().as_os_str()));
    // The log begins with the command as it was run.
    words.extend(["/bin/sh", "-xc", &build].map(OsStr::new));
    let cannot_write = || ToolchainError::file(wanted.name, "write", &place.log);
    let log = File::create(&place.log).map_err(cannot_write())?;
    let errors = log.try_clone().map_err(cannot_write())?;
    let mut process = Command::new(words.first().copied().unwrap_or_default());
    process
        .args(words.iter().skip(1))
        .current_dir(&place.folder);
    for name in Environment::of_this_process().cleared() {
        process.env_remove(name);
    }
    let above: OsString = place.folder.parent().unwrap_or(Path::new("/")).into();
    process
        .env("LC_ALL", "C")
        // The copy is no repository. git would find the one around it, in another state.
        .env("GIT_CEILING_DIRECTORIES", above)
        .envs(&wanted.source.env)
        .stdout(log)
        .stderr(errors);
    let ended = attend(&mut process, making.stopped);
    let ended = ended.map_err(ToolchainError::file(wanted.name, "start", "/bin/sh"))?;
    let said = match ended {
        Ended::ByItself(status) if status.success() => return Ok(()),
        Ended::ByItself(status) => format!(
            "its build failed ({status}): {}; {} has all that it said",
            last_words(&place.log),
            place.log.display()
        ),
        Ended::Stopped => "its build was ended".to_owned(),
    };
    Err(wanted.wrong()(said))
}

/// The end of what a build said, in one line: a cell of a table has room for it.
fn last_words(log: &Path) -> String {
    const LINES: usize = 3;
    let said = end_of(log);
    let lines = said.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut last: Vec<&str> = lines.rev().take(LINES).collect();
    last.reverse();
    last.join(" / ")
}

/// A fresh copy of its sources, without what an earlier build left.
fn fresh(place: &Path, frozen: &Frozen) -> Result<(), String> {
    if place.exists() {
        fs::remove_dir_all(place).map_err(cannot("remove", place))?;
    }
    fs::create_dir_all(place).map_err(cannot("create", place))?;
    frozen.copy_to(place)
}

/// A file that a build has left outside of its folder, but for temporary ones.
fn left(following: &Following) -> Option<PathBuf> {
    let mut left = following.left()?.files.into_iter();
    left.find(|file| !file.parent().is_some_and(is_for_temporary_files))
}

/// Two commands never make compilers at once.
fn lock(folder: &Path) -> std::io::Result<File> {
    let mut options = File::options();
    let lock = options
        .create(true)
        .append(true)
        .open(folder.join("lock"))?;
    rustix::fs::flock(&lock, FlockOperation::LockExclusive)?;
    Ok(lock)
}

/// Removes what failed and killed builds left. Each is moved first: a process of a killed build
/// that still runs in it moves with it.
fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let (place, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        let ours = [sources::PREFIX, FOLLOWED]
            .iter()
            .any(|start| name.starts_with(start));
        let whole = folder.join(format!("{name}.json")).exists();
        if !place.is_dir() || (whole && !ours) {
            continue;
        }
        if let Ok(aside) = tempfile::TempDir::with_prefix_in(FOLLOWED, folder) {
            let _ = fs::rename(&place, aside.path().join("left"));
        }
    }
}
