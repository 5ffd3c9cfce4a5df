//! The replay from outside: sources fetched, a sandbox filled and run, its end put into words.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use bytesize::ByteSize;
use proofmark_capture::states::git;
use proofmark_conclude::again::built_by;
use proofmark_evidence::Recorded;
use proofmark_evidence::bundle::Enclosures;
use proofmark_evidence::record::Experiment;
use proofmark_lab::LabError;
use proofmark_measure::sandbox::{
    Ended, Excess, Sandbox, SandboxEnd, SandboxLimits, Shown, system,
};
use proofmark_terms::Digest;

use super::cells::packages;
use super::images;
use super::sources::{SOURCES, fetch, in_sources, refuse_files};
use crate::console;
use crate::context::Context;
use crate::exit::{Exit, Unbuilt, Usage};

/// What is replayed, and with what.
pub(super) struct Asked<'a> {
    pub(super) file: &'a Path,
    pub(super) bundle: &'a Digest,
    pub(super) recorded: &'a Recorded,
    /// It, with the builds that are made again.
    pub(super) experiment: &'a Experiment,
    /// The builds, where they are taken from the bundle.
    pub(super) images: Option<&'a Enclosures>,
    /// Where revisions are fetched from; none where the images are enough.
    pub(super) repository: Option<&'a str>,
    pub(super) shown: &'a [PathBuf],
    pub(super) limits: SandboxLimits,
    /// The id of what it is measured again as a part of: builds are made once for all of that.
    pub(super) whole: Option<&'a str>,
}

/// The folder in the store for replays under way.
const FOLDER: &str = "replays";

/// The folder of one for what is done of something larger.
const DONE: &str = "done";

/// Where things are in the sandbox.
const BUNDLE: &str = "/replay/bundle.pmb";
const PROGRAM: &str = "/replay/proofmark";
const STORE: &str = "/replay/store";

/// The bundle that is written in the sandbox.
pub(super) const RESULT: &str = "/replay/result/replay.pmb";

/// Where programs are found in the sandbox.
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Variables of the user's that are passed on as they are: how text and times are written.
const PASSED: &[&str] = &["LANG", "LC_ALL", "LC_CTYPE", "LC_NUMERIC", "TZ"];

/// `PATH` in the sandbox: what is let in comes first.
pub(super) fn path(shown: &[PathBuf]) -> String {
    let own = shown
        .iter()
        .map(|folder| folder.join("bin").display().to_string());
    own.chain([PATH.to_owned()]).collect::<Vec<_>>().join(":")
}

/// All variables that are set in the sandbox.
pub(super) fn variables(shown: &[PathBuf]) -> Vec<(OsString, OsString)> {
    let mut all: Vec<(OsString, OsString)> = vec![
        ("HOME".into(), "/home".into()),
        ("PATH".into(), path(shown).into()),
        ("TMPDIR".into(), "/tmp".into()),
    ];
    all.extend(PASSED.iter().filter_map(|name| {
        let value = std::env::var_os(name)?;
        Some((OsString::from(name), value))
    }));
    all
}

/// The folder of a replay, removed when it is over. One that is interrupted is gone on with.
pub(super) struct Replayed {
    scratch: PathBuf,
    /// The bundle that was written in the sandbox. Nothing that stands there is trusted.
    pub(super) result: PathBuf,
}

impl Replayed {
    /// What was written in the sandbox; of a part of something larger it is put where no sandbox
    /// reaches it, and found there when the rest is gone on with.
    fn of(asked: &Asked<'_>, scratch: PathBuf) -> anyhow::Result<Self> {
        let mut result = scratch.join("result/replay.pmb");
        if asked.whole.is_some() {
            let done = done(asked, &scratch);
            let failed = || format!("cannot write {}", done.display());
            fs::create_dir_all(scratch.join(DONE)).with_context(failed)?;
            fs::rename(&result, &done).with_context(failed)?;
            result = done;
        }
        Ok(Replayed { scratch, result })
    }

    pub(super) fn remove(&self) -> anyhow::Result<()> {
        remove(&self.scratch)
    }
}

fn remove(scratch: &Path) -> anyhow::Result<()> {
    fs::remove_dir_all(scratch).with_context(|| format!("cannot remove {}", scratch.display()))
}

/// The folder of a replay, by its bundle and what is replayed of that.
fn folder(asked: &Asked<'_>, context: &Context) -> PathBuf {
    let begun = |name: &str| name.get(..12).unwrap_or(name).to_owned();
    let what = begun(asked.whole.unwrap_or(asked.recorded.id.as_str()));
    let name = format!("{}-{what}", begun(asked.bundle.as_str()));
    context.folder.join(FOLDER).join(name)
}

/// Removes what a whole replay left, where it is over.
pub(super) fn remove_all(asked: &Asked<'_>, context: &Context) -> anyhow::Result<()> {
    let scratch = folder(asked, context);
    match scratch.exists() {
        true => remove(&scratch),
        false => Ok(()),
    }
}

/// Where the result of a part is kept.
fn done(asked: &Asked<'_>, scratch: &Path) -> PathBuf {
    scratch
        .join(DONE)
        .join(format!("{}.pmb", asked.recorded.id.as_str()))
}

/// Fetches, builds and measures; the exit code of what was done in the sandbox where that failed.
pub(super) fn measured(
    asked: &Asked<'_>,
    context: &Context,
) -> anyhow::Result<Result<Replayed, Exit>> {
    if let Some(repository) = asked.repository
        && !git::is_reachable(repository)
    {
        return Err(Usage(format!(
            "`{repository}` is no way to a repository that is taken: name a folder of this \
             machine, https://…, ssh://… or user@host:path"
        ))
        .into());
    }
    let scratch = scratch(asked, context)?;
    let result = done(asked, &scratch);
    if asked.whole.is_some() && result.is_file() {
        return Ok(Ok(Replayed { scratch, result }));
    }
    let sources = scratch.join("sources");
    let how = built_by(asked.experiment);
    let folder = match asked.repository {
        Some(repository) => {
            fetch(asked.experiment, repository, &sources)?;
            // Each cell has a folder of its own.
            let of_all = how.filter(|how| how.cell.is_none());
            of_all.map(|how| Path::new(how.folder.as_ref()))
        }
        None => None,
    };
    // What runs without a repository runs in an empty folder.
    let folder = folder.unwrap_or(Path::new(""));
    in_sources(&sources, folder, "the builds are made")?;
    let runs_in = how.and_then(|how| how.runs_in.as_ref());
    let runs_in = runs_in.filter(|_| asked.repository.is_some());
    let runs_in = runs_in.map_or(folder, |inside| Path::new(inside));
    let there = in_sources(&sources, runs_in, "the benchmark runs")?;
    refuse_files(asked.experiment, &there)?;
    if context.stop.requested() {
        return Err(LabError::Interrupted.into());
    }
    let sandbox = sandbox(asked, &scratch, folder)?;
    console::say(&match (asked.images, how) {
        (None, Some(how)) => format!(
            "proofmark: building and running code of {} in a sandbox; build: {}",
            asked.repository.unwrap_or_default(),
            how.command
        ),
        _ => format!(
            "proofmark: running images of {} in a sandbox",
            asked.file.display()
        ),
    });
    let end = sandbox.run(&context.stop)?;
    if end.network > 0 {
        console::say(&format!(
            "proofmark: code in the sandbox looked for the network {} time(s), and there is none",
            end.network
        ));
    }
    match end.how {
        Ended::Exited(0) => Ok(Ok(Replayed::of(asked, scratch)?)),
        Ended::Exited(code) => {
            let code = u8::try_from(code).unwrap_or(1);
            console::say(&without_answer(&end));
            // Nothing in it would make the next try end otherwise.
            if asked.whole.is_none() {
                remove(&scratch)?;
            }
            Ok(Err(Exit::OfCommand(code)))
        }
        Ended::Interrupted => Err(LabError::Interrupted.into()),
        Ended::Signalled(signal) => Err(Unbuilt(format!(
            "what ran in the sandbox was ended by signal {signal}\n  next: {NEXT}"
        ))
        .into()),
        Ended::Stopped(excess) => Err(Unbuilt(told(excess)).into()),
    }
}

/// What can be done where a replay has no answer.
const NEXT: &str = "look at what it printed above; in the sandbox there is no network, no home, and \
     no file but those of the system, of the repository and of --show";

fn without_answer(end: &SandboxEnd) -> String {
    let network = match end.network {
        0 => "",
        _ => ". A build that downloads something cannot be replayed",
    };
    format!("proofmark: the replay has no answer{network}\n  next: {NEXT}")
}

/// What was used beyond its limit, in words.
fn told(excess: Excess) -> String {
    let size = |bytes: u64| ByteSize::b(bytes).display().si().to_string();
    match excess {
        Excess::Time(limit) => format!(
            "the replay took longer than {}, and was ended\n  next: --max-time allows more",
            humantime::format_duration(limit)
        ),
        Excess::Memory { used, limit } => format!(
            "the replay took {} of memory, where {} are allowed, and was ended\n  next: \
             --max-memory allows more",
            size(used),
            size(limit)
        ),
        Excess::Processes { seen, limit } => format!(
            "the replay had {seen} processes and threads, where {limit} are allowed, and was \
             ended\n  next: --max-processes allows more"
        ),
        Excess::Disk { free, limit } => format!(
            "the replay was ended, for {} are free on the disk, and {} have to stay free\n  next: \
             make room, or name a store on another disk with --store",
            size(free),
            size(limit)
        ),
    }
}

/// The folder of this replay, with all that is written outside of the sandbox made anew: what ran
/// in it may have written there.
fn scratch(asked: &Asked<'_>, context: &Context) -> anyhow::Result<PathBuf> {
    let scratch = folder(asked, context);
    let failed = |doing: &str, path: &Path| format!("cannot {doing} {}", path.display());
    fs::create_dir_all(&scratch).with_context(|| failed("make", &scratch))?;
    let scratch = scratch
        .canonicalize()
        .with_context(|| failed("find", &scratch))?;
    // What is mounted in them goes by the links in them, too.
    for fresh in ["sources", "result", "tmp", "home", "places", "root"] {
        let folder = scratch.join(fresh);
        match fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(error).with_context(|| failed("remove", &folder));
            }
            _ => fs::create_dir(&folder).with_context(|| failed("make", &folder))?,
        }
    }
    let store = scratch.join("store");
    fs::create_dir_all(&store).with_context(|| failed("make", &store))?;
    let bundle = scratch.join("bundle.pmb");
    let _ = fs::remove_file(&bundle);
    fs::copy(asked.file, &bundle).with_context(|| failed("write", &bundle))?;
    Ok(scratch)
}

fn sandbox(asked: &Asked<'_>, scratch: &Path, folder: &Path) -> anyhow::Result<Sandbox> {
    let program =
        fs::canonicalize("/proc/self/exe").context("cannot tell where this program is")?;
    let own = |name: &str, at: &str, writable: bool| Shown {
        file: scratch.join(name),
        at: PathBuf::from(at),
        writable,
    };
    let mut shown = system();
    shown.extend([
        own("sources", SOURCES, true),
        own("store", STORE, true),
        own("result", "/replay/result", true),
        own("home", "/home", true),
        own("tmp", "/tmp", true),
        own("bundle.pmb", BUNDLE, false),
        Shown {
            file: program,
            at: PathBuf::from(PROGRAM),
            writable: false,
        },
    ]);
    if let Some(enclosures) = asked.images {
        for at in images::places(asked.experiment, enclosures)? {
            let place = scratch
                .join("places")
                .join(at.strip_prefix("/").unwrap_or(&at));
            fs::create_dir_all(&place)
                .with_context(|| format!("cannot make {}", place.display()))?;
            Sandbox::give(&place)?;
            shown.push(Shown {
                file: place,
                at,
                writable: true,
            });
        }
    }
    let mut env = variables(asked.shown);
    // Compilers that proofmark has installed for this user.
    if asked.images.is_none()
        && let Some((variable, folder)) = packages(asked.experiment)
    {
        shown.push(Shown::to_read(&folder));
        env.push((variable.into(), folder.into()));
    }
    // Behind the others: they may lie below what is home, or for temporary files, out there.
    shown.extend(asked.shown.iter().map(|folder| Shown::to_read(folder)));
    for name in ["sources", "store", "result", "home", "tmp", "bundle.pmb"] {
        Sandbox::give(&scratch.join(name))?;
    }
    let images = asked.images.map(|_| "--run-images");
    let words = [
        PROGRAM,
        "--store",
        STORE,
        "replay",
        BUNDLE,
        asked.recorded.id.as_str(),
        "--inside",
    ];
    Ok(Sandbox {
        scratch: scratch.to_owned(),
        shown,
        command: words
            .into_iter()
            .chain(images)
            .map(OsString::from)
            .collect(),
        env,
        cwd: Path::new(SOURCES).join(folder),
        limits: asked.limits,
    })
}
