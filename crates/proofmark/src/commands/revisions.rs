//! `compare --rev A..B --build COMMAND`: both revisions captured in a clean work tree, and kept by revision.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context as _;
use proofmark_build::{BuildError, Builds, Capture, CaptureRequest, capture};
use proofmark_lab::{LabError, Subject};
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use crate::commands::subject;
use crate::context::Context;
use crate::exit::Usage;

/// The subjects of a range: A is the base.
pub(crate) fn subjects(
    range: &str,
    build: &str,
    image: Option<&Path>,
    context: &Context,
) -> anyhow::Result<Vec<Subject>> {
    let (a, b) = range
        .split_once("..")
        .filter(|(a, b)| !a.is_empty() && !b.is_empty() && !b.starts_with('.'))
        .ok_or_else(|| {
            Usage(format!(
                "`{range}` is not a range of revisions: write A..B, as in main..HEAD"
            ))
        })?;
    // Both are looked up before either is built.
    let revisions = [(a, commit(a)?), (b, commit(b)?)];
    revisions
        .iter()
        .map(|(revision, commit)| {
            let capture = captured(commit, build, image, context);
            // Ctrl-C ends the build as well, which is no fault of the build's.
            if context.stop.requested() {
                return Err(LabError::Interrupted.into());
            }
            let capture =
                capture.with_context(|| format!("revision `{revision}` was not captured"))?;
            let mut subject = subject::captured(&capture, image)?;
            subject.name = (*revision).to_owned();
            Ok(subject)
        })
        .collect()
}

/// The capture of a commit, made where it is not there yet.
fn captured(
    commit: &str,
    build: &str,
    image: Option<&Path>,
    context: &Context,
) -> anyhow::Result<Capture> {
    let how = blake3::hash(format!("{build}\0{image:?}").as_bytes()).to_hex();
    let name = format!("rev-{}-{}", &commit[..commit.len().min(12)], &how[..8]);
    let builds = Builds::open(&context.folder)?;
    let kept = builds.find(&name).and_then(|capture| {
        builds.verify(&capture)?;
        Ok(capture)
    });
    match kept {
        Ok(capture) => return Ok(capture),
        Err(BuildError::NoSuchBuild { .. } | BuildError::Lost { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    let tree = WorkTree::add(&context.folder, commit)?;
    let words = ["/bin/sh", "-c", build].map(OsString::from);
    let request = CaptureRequest::new(&name, words.into())
        .context("cannot tell the current folder; was it removed?")?;
    let request = CaptureRequest {
        image: image.map(Path::to_owned),
        cwd: tree.folder.join(prefix()?),
        ..request
    };
    Ok(capture(&builds, &request)?)
}

/// The full name of a revision's commit.
fn commit(revision: &str) -> anyhow::Result<String> {
    let asked = format!("{revision}^{{commit}}");
    git(Path::new("."), ["rev-parse", "--verify", "--quiet", &asked]).map_err(|error| {
        match error.downcast_ref::<GitSaid>() {
            // Quietly: there is such a repository, and no such revision in it.
            Some(GitSaid(said)) if said.is_empty() => {
                Usage(format!("`{revision}` is no revision of this repository")).into()
            }
            Some(said) => Usage(format!("cannot find revision `{revision}`: {said}")).into(),
            None => error,
        }
    })
}

/// A clean work tree of one commit. All revisions use the same folder, one after the other: its name ends up in the code (assertions, debug
/// information), and two names would make every build differ.
struct WorkTree {
    folder: PathBuf,
    /// Ends with the process: nobody else's command takes the folder away while a build is in it.
    _lock: File,
}

impl WorkTree {
    fn add(store: &Path, commit: &str) -> anyhow::Result<Self> {
        let folder = store.join("worktree");
        std::fs::create_dir_all(store)
            .with_context(|| format!("cannot make {}", store.display()))?;
        let tree = WorkTree {
            _lock: lock(&store.join("worktree.lock"))?,
            folder,
        };
        // One may be left from a command that was killed.
        tree.remove();
        let arguments: [&OsStr; 6] = [
            "worktree".as_ref(),
            "add".as_ref(),
            "--detach".as_ref(),
            "--force".as_ref(),
            tree.folder.as_ref(),
            commit.as_ref(),
        ];
        git(Path::new("."), arguments).context("cannot make a work tree for the revision")?;
        Ok(tree)
    }

    fn remove(&self) {
        let arguments: [&OsStr; 4] = [
            "worktree".as_ref(),
            "remove".as_ref(),
            "--force".as_ref(),
            self.folder.as_ref(),
        ];
        if self.folder.exists() && git(Path::new("."), arguments).is_err() {
            let _ = std::fs::remove_dir_all(&self.folder);
            let _ = git(Path::new("."), ["worktree", "prune"]);
        }
    }
}

impl Drop for WorkTree {
    fn drop(&mut self) {
        self.remove();
    }
}

/// Takes the right to build revisions into this store.
fn lock(path: &Path) -> anyhow::Result<File> {
    let doing = || format!("cannot lock {}", path.display());
    let file = File::options()
        .create(true)
        .append(true)
        .open(path)
        .with_context(doing)?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(file),
        Err(Errno::WOULDBLOCK) => anyhow::bail!(
            "another proofmark is building a revision into this store ({}); try again when it has ended",
            path.display()
        ),
        Err(errno) => Err(errno).with_context(doing),
    }
}

/// Git refused, in its own words.
#[derive(Debug, thiserror::Error)]
#[error("git said: {0}")]
struct GitSaid(String);

/// Where in the repository the current folder is.
fn prefix() -> anyhow::Result<String> {
    git(Path::new("."), ["rev-parse", "--show-prefix"])
}

/// What git prints, without the line end.
fn git<I>(folder: &Path, arguments: I) -> anyhow::Result<String>
where
    I: IntoIterator,
    I::Item: AsRef<OsStr>,
{
    let output = Command::new("git")
        .args(arguments)
        .current_dir(folder)
        .output()
        .context("cannot start git; is it installed?")?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout)
            .trim_end()
            .to_owned())
    } else {
        let said = String::from_utf8_lossy(&output.stderr);
        Err(GitSaid(said.trim_end().to_owned()).into())
    }
}
