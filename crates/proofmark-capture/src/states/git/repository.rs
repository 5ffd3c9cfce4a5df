//! The user's repository: its states by name, and how one of them is written somewhere else.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::CheckoutError;
use super::git::{Git, setting, without_filters};
use super::{filters, submodules, work};

/// Settings that decide which bytes a checkout writes. They are data; what names a program is left
/// behind.
const CONTENT: [&str; 7] = [
    "core.attributesFile",
    "core.autocrlf",
    "core.eol",
    "core.sparseCheckout",
    "core.sparseCheckoutCone",
    "core.symlinks",
    "remote.origin.url",
];

/// Files of a repository's own folder that decide what a checkout writes, or what history there is.
const FILES: [&str; 4] = [
    "shallow",
    "info/attributes",
    "info/sparse-checkout",
    "info/grafts",
];

/// A repository with a work tree.
#[derive(Debug)]
pub struct Repository {
    /// The topmost folder of the work tree.
    pub(super) top: PathBuf,
    /// Where in it the command was started.
    prefix: PathBuf,
    source: Source,
}

/// Where the objects and the settings of a repository are; of a submodule too.
#[derive(Clone, Debug)]
pub(super) struct Source {
    /// A folder in which git finds it: a work tree, or the repository's own folder.
    pub(super) folder: PathBuf,
    /// The folder of this work tree's own state.
    pub(super) git_dir: PathBuf,
    /// The folder that its work trees share.
    pub(super) common: PathBuf,
}

/// A state of the sources.
#[derive(Debug)]
pub struct State {
    /// As it was asked for.
    pub name: String,
    /// The commit. That of the work tree is made for the occasion, outside of the repository, and
    /// is the same for the same files.
    pub commit: String,
    /// The commit that a work tree's changes are counted from.
    pub(super) changes_of: Option<String>,
    /// Where the objects are that the repository does not have.
    pub(super) objects: Option<TempDir>,
}

impl State {
    /// What the evidence says of it.
    #[must_use]
    pub fn revision(&self) -> crate::model::Revision {
        crate::model::Revision {
            commit: self
                .changes_of
                .clone()
                .unwrap_or_else(|| self.commit.clone()),
            modified: self.changes_of.is_some(),
        }
    }
}

impl Repository {
    /// The work tree by which its state is asked for.
    pub const WORK: &'static str = "WORK";

    /// The repository whose work tree a folder is in.
    ///
    /// # Errors
    /// When there is none, or no git.
    pub fn open(folder: &Path) -> Result<Repository, CheckoutError> {
        let ask = |what: &str| {
            Git::of_user(folder, "find the repository")
                .args(["rev-parse", what])
                .path()
        };
        let top = ask("--show-toplevel").map_err(|error| match error {
            CheckoutError::Git { said, .. } => CheckoutError::NoRepository { said },
            other => other,
        })?;
        Ok(Repository {
            prefix: ask("--show-prefix")?,
            source: Source::of(&top)?,
            top,
        })
    }

    /// The topmost folder of the work tree.
    #[must_use]
    pub fn top(&self) -> &Path {
        &self.top
    }

    /// Where in the work tree the command was started, relative to its topmost folder.
    #[must_use]
    pub fn prefix(&self) -> &Path {
        &self.prefix
    }

    /// The state that a name stands for: a revision, or `WORK`.
    ///
    /// # Errors
    /// When there is none of that name.
    pub fn state(&self, name: &str) -> Result<State, CheckoutError> {
        if name == Repository::WORK {
            return work::state(&self.top, &self.source, name);
        }
        Ok(State {
            name: name.to_owned(),
            commit: self.commit(name)?,
            changes_of: None,
            objects: None,
        })
    }

    /// The newest commit that two revisions have in common.
    ///
    /// # Errors
    /// When there is none, or more than one.
    pub fn merge_base(&self, one: &str, other: &str) -> Result<State, CheckoutError> {
        let (a, b) = (self.commit(one)?, self.commit(other)?);
        let asked = Git::of_user(&self.top, "find the merge base");
        let all = match asked.args(["merge-base", "--all", &a, &b]).text() {
            Err(CheckoutError::Git { said, .. }) if said.is_empty() => String::new(),
            other => other?,
        };
        match *all.lines().collect::<Vec<_>>() {
            [commit] => Ok(State {
                name: format!("merge-base({one},{other})"),
                commit: commit.to_owned(),
                changes_of: None,
                objects: None,
            }),
            ref found => Err(CheckoutError::NoBase {
                one: one.to_owned(),
                other: other.to_owned(),
                found: found.len(),
            }),
        }
    }

    fn commit(&self, revision: &str) -> Result<String, CheckoutError> {
        let asked = format!("{revision}^{{commit}}");
        let git = Git::of_user(&self.top, "find the revision");
        let found = git.args([
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            &asked,
        ]);
        let no = |said: String| CheckoutError::NoRevision {
            revision: revision.to_owned(),
            said,
        };
        match found.text() {
            Ok(commit) => Ok(commit
                .lines()
                .next_back()
                .unwrap_or_default()
                .trim()
                .to_owned()),
            Err(CheckoutError::Git { said, .. }) => Err(no(said)),
            Err(other) => Err(other),
        }
    }

    /// How many files of the work tree differ from the last commit, new ones that are not ignored
    /// among them.
    ///
    /// # Errors
    /// When git cannot tell.
    pub fn changes(&self) -> Result<usize, CheckoutError> {
        let options = without_filters(&self.top);
        let status = Git::of_user(&self.top, "look at the work tree")
            .args(options)
            .args(["status", "--porcelain", "-z", "--no-renames"])
            .bytes()?;
        Ok(super::git::records(&status).count())
    }

    /// What builds are told when they ask git for a version. It changes with tags, though the
    /// commit is the same.
    ///
    /// # Errors
    /// When git cannot be started.
    pub fn described(&self, state: &State) -> Result<String, CheckoutError> {
        let commit = state.changes_of.as_ref().unwrap_or(&state.commit);
        let mut all = String::new();
        for how in [&[][..], &["--tags"], &["--all", "--long"]] {
            let git = Git::of_user(&self.top, "describe the revision");
            let said = git
                .args(["describe", "--always"])
                .args(how)
                .arg_commit(commit);
            match said.text() {
                Ok(text) => all.push_str(&text),
                Err(CheckoutError::Git { .. }) => {}
                Err(other) => return Err(other),
            }
            all.push('\n');
        }
        Ok(all)
    }

    /// Writes a state to an empty folder.
    pub(super) fn write(&self, state: &State, place: &Path) -> Result<(), CheckoutError> {
        let made = state.objects.as_ref().map(TempDir::path);
        self.source.write(&state.commit, made, place, Path::new(""))
    }
}

impl Git {
    fn arg_commit(self, commit: &str) -> Git {
        self.args([commit])
    }
}

impl Source {
    /// The repository that git finds in a folder.
    pub(super) fn of(folder: &Path) -> Result<Source, CheckoutError> {
        let ask = |what: &str| {
            Git::of_user(folder, "find the repository")
                .args(["rev-parse", "--path-format=absolute", what])
                .path()
        };
        Ok(Source {
            folder: folder.to_owned(),
            git_dir: ask("--git-dir")?,
            common: ask("--git-common-dir")?,
        })
    }

    /// The folder of objects.
    pub(super) fn objects(&self) -> PathBuf {
        self.common.join("objects")
    }

    pub(super) fn has(&self, commit: &str) -> Result<bool, CheckoutError> {
        let commit = format!("{commit}^{{commit}}");
        let git = Git::of_user(&self.folder, "look for a commit");
        // A clone without all objects would fetch what it lacks.
        git.env("GIT_NO_LAZY_FETCH", "1")
            .args(["cat-file", "-e", &commit])
            .succeeds()
    }

    /// Writes one commit to an empty folder, with a repository of its own, and the submodules in
    /// it. `inside` is the folder's place in the whole.
    pub(super) fn write(
        &self,
        commit: &str,
        made: Option<&Path>,
        place: &Path,
        inside: &Path,
    ) -> Result<(), CheckoutError> {
        self.prepare(made, place)?;
        Git::of_copy(place, format!("write commit {commit}"))
            .args(["-c", "advice.detachedHead=false", "checkout", "--quiet"])
            .args(["--detach", "--force", commit])
            .env("GIT_LFS_SKIP_SMUDGE", "1")
            .bytes()?;
        filters::judge(self, commit, place, inside)?;
        submodules::write(self, place, inside)
    }

    /// A repository that borrows this one's objects, has its refs, and those settings that decide
    /// about content.
    fn prepare(&self, made: Option<&Path>, place: &Path) -> Result<(), CheckoutError> {
        let doing = "make a copy of the repository";
        let format = Git::of_user(&self.folder, doing)
            .args(["rev-parse", "--show-object-format"])
            .text()?;
        Git::of_copy(place, doing)
            .args(["init", "--quiet", "--template="])
            .args([&format!("--object-format={format}")])
            .bytes()?;
        let own = place.join(".git");
        let write = |file: &Path, content: &[u8]| {
            let folder = file.parent().unwrap_or(place);
            fs::create_dir_all(folder)
                .and_then(|()| fs::write(file, content))
                .map_err(|source| CheckoutError::file("write", file, source))
        };
        let mut alternates = Vec::new();
        for folder in [Some(self.objects().as_path()), made].into_iter().flatten() {
            alternates.extend_from_slice(folder.as_os_str().as_encoded_bytes());
            alternates.push(b'\n');
        }
        write(&own.join("objects/info/alternates"), &alternates)?;
        for name in FILES {
            let there = [&self.git_dir, &self.common].map(|folder| folder.join(name));
            if let Some(content) = there.iter().find_map(|file| fs::read(file).ok()) {
                write(&own.join(name), &content)?;
            }
        }
        self.settings(place, doing)?;
        self.refs(place, doing)
    }

    fn settings(&self, place: &Path, doing: &str) -> Result<(), CheckoutError> {
        let of_user = CONTENT.map(|name| setting(&self.folder, name).map(|value| (name, value)));
        let quiet = ["core.fsmonitor", "gc.auto", "maintenance.auto"].map(|name| {
            Some((
                name,
                if name == "gc.auto" { "0" } else { "false" }.to_owned(),
            ))
        });
        for (name, value) in of_user.into_iter().chain(quiet).flatten() {
            Git::of_copy(place, doing)
                .args(["config", name, &value])
                .bytes()?;
        }
        Ok(())
    }

    fn refs(&self, place: &Path, doing: &str) -> Result<(), CheckoutError> {
        let listed = Git::of_user(&self.folder, doing)
            .args(["for-each-ref", "--format=%(refname) %(objectname)"])
            .args(["refs/heads", "refs/tags", "refs/remotes", "refs/notes"])
            .args(["refs/replace"])
            .text()?;
        let mut commands: Vec<u8> = Vec::new();
        for line in listed.lines() {
            commands.extend_from_slice(b"update ");
            commands.extend_from_slice(line.as_bytes());
            commands.push(b'\n');
        }
        Git::of_copy(place, doing)
            .args(["update-ref", "--stdin"])
            .input(commands)
            .bytes()
            .map(drop)
    }
}
