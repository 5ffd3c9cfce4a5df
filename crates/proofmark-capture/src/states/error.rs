//! Why a revision cannot be found, or not be built apart from the work tree.

use std::io;
use std::path::{Path, PathBuf};

/// Why a revision is not known, or cannot be written to a folder of its own.
#[derive(Debug, thiserror::Error)]
pub enum RevisionError {
    /// git is not there.
    #[error("cannot start git; is it installed? ({0})")]
    NoGit(io::Error),
    /// git refused, in its own words.
    #[error("cannot {doing}; git said: {said}")]
    Git {
        /// What it was to do.
        doing: String,
        /// What it said.
        said: String,
    },
    /// hg is not there.
    #[error("cannot start hg, and this is a Mercurial repository; is it installed? ({0})")]
    NoMercurial(io::Error),
    /// hg refused, in its own words.
    #[error("cannot {doing}; Mercurial said: {said}")]
    Mercurial {
        /// What it was to do.
        doing: String,
        /// What it said.
        said: String,
    },
    /// A changeset of Mercurial's has repositories inside.
    #[error(
        "changeset {commit} names repositories of their own in .hgsub and does not hold their \
         files; capture both states by `proofmark capture NAME -- BUILD…` in a work tree"
    )]
    Subrepositories {
        /// The changeset.
        commit: String,
    },
    /// Mercurial gives a changeset to no other repository.
    #[error(
        "changeset {commit} is secret: Mercurial gives it to no other repository, and so to no \
         folder of its own\n  next: `hg phase --draft --rev {commit}` lets it be copied"
    )]
    Secret {
        /// The changeset.
        commit: String,
    },
    /// There is no repository, or it has no work tree.
    #[error(
        "revisions are those of a work tree of a git repository, or of a Mercurial one; git said: \
         {said}\n  next: start the command in a folder of a work tree"
    )]
    NoRepository {
        /// What git said.
        said: String,
    },
    /// What keeps revisions is not whole.
    #[error("the repository cannot be read: {what}\n  next: {next}")]
    Damaged {
        /// What is missing.
        what: String,
        /// What says more, or mends it.
        next: &'static str,
    },
    /// No revision of that name.
    #[error("`{revision}` is no revision of this repository{}", because(said))]
    NoRevision {
        /// As asked for.
        revision: String,
        /// What git said; empty where it only says no.
        said: String,
    },
    /// A repository that the user named lacks a commit.
    #[error(
        "{repository} has no commit {revision}: it is another project's, or that commit was never \
         published there\n  next: name a repository that has it"
    )]
    NotThere {
        /// The commit.
        revision: String,
        /// The repository, as it was named.
        repository: String,
    },
    /// No revision of that name, in a clone without most of the history.
    #[error(
        "`{revision}` is no revision that this clone holds: it is shallow, and has the latest \
         commits only\n  next: `git fetch --unshallow --tags` gets the others"
    )]
    NotInShallow {
        /// As asked for.
        revision: String,
    },
    /// A name stands for several commits.
    #[error(
        "`{revision}` is ambiguous: {}; `{command}` shows them; write the one that is meant in \
         full, where it says `{revision}`",
        all_meant(meant)
    )]
    Ambiguous {
        /// The name.
        revision: String,
        /// In full what it may mean, each with its commit.
        meant: Vec<(String, String)>,
        /// What shows these commits.
        command: String,
    },
    /// The repository around a source has no revision of that name.
    #[error("`{revision}` is no revision of the repository of {}", folder.display())]
    NotOf {
        /// As asked for.
        revision: String,
        /// The source's folder.
        folder: PathBuf,
    },
    /// A revision of a source has a repository inside.
    #[error("the revision names `{}` as a repository of its own and does not hold its files: leave \
        `rev` out, or make it part of the source", path.display())]
    RepositoryInside {
        /// Where, relative to the source's folder.
        path: PathBuf,
    },
    /// The clone lacks what git LFS keeps of a source.
    #[error("`{}` is a file of git LFS, whose content this clone has not got: `git lfs fetch \
        --all` gets it, or leave `rev` out", path.display())]
    LfsOfSource {
        /// The file, relative to the repository.
        path: PathBuf,
    },
    /// A file of a source would be written by a program of the user's.
    #[error("`{}` goes through the filter `{filter}` of your git, and what that makes of it is not \
        in the revision: leave `rev` out, or take the filter away", path.display())]
    FilterOfSource {
        /// The file, relative to the repository.
        path: PathBuf,
        /// The filter's name.
        filter: String,
    },
    /// A patch does not fit.
    #[error("the patch {} does not apply: {said}", patch.display())]
    Patch {
        /// The patch.
        patch: PathBuf,
        /// What git said.
        said: String,
    },
    /// Two revisions have no base in common, or several.
    #[error("`{one}` and `{other}` have {} in common; name the base itself, as in BASE..{other}", bases(*found))]
    NoBase {
        /// One revision.
        one: String,
        /// The other one.
        other: String,
        /// How many there are.
        found: usize,
    },
    /// Both ends are one commit.
    #[error(
        "`{older}` and `{newer}` are one commit: there is nothing between them; name two, the \
         older one first"
    )]
    OneCommit {
        /// The older end, as it was asked for.
        older: String,
        /// The newer one.
        newer: String,
    },
    /// The older end has the newer one among its ancestors.
    #[error(
        "`{older}` is newer than `{newer}`: the older end comes first, whichever of the two is \
         faster; give them the other way round"
    )]
    WrongWayRound {
        /// What was given as the older end.
        older: String,
        /// What was given as the newer one.
        newer: String,
    },
    /// The older end is no ancestor of the newer one.
    #[error(
        "`{older}` is no ancestor of `{newer}`: they parted at {base}; give {base} as the older \
         end if it has that level"
    )]
    NoAncestor {
        /// The older end, as it was asked for.
        older: String,
        /// The newer one.
        newer: String,
        /// The newest commit that both have in common.
        base: String,
    },
    /// The older end is an ancestor, and not by first parents.
    #[error("{}", not_on_the_line(older, newer, before.as_deref()))]
    NoFirstParent {
        /// The older end, as it was asked for.
        older: String,
        /// The newer one.
        newer: String,
        /// The newest of the first parents that the older end has; none where they lead to the
        /// beginning of another history.
        before: Option<String>,
    },
    /// A shallow clone ends within the range.
    #[error(
        "the clone is shallow: the parents of {commit} are not in it; `git fetch --unshallow` gets \
         them"
    )]
    Shallow {
        /// Where it ends.
        commit: String,
    },
    /// A partial clone has not fetched all files of a commit.
    #[error(
        "the clone is partial (`git clone --filter`), and has not all files of {commit}; nothing \
         is fetched for a copy\n  next: `git fetch --refetch --no-filter` gets them"
    )]
    Partial {
        /// The commit.
        commit: String,
    },
    /// A submodule's commit is not in this clone.
    #[error("it has the submodule {} at {commit}, which is not in this clone; get it with `{command}`", path.display())]
    Submodule {
        /// Where it belongs, relative to the work tree.
        path: PathBuf,
        /// The commit.
        commit: String,
        /// What gets it.
        command: String,
    },
    /// A submodule has changes of its own that are not committed.
    #[error("the submodule {} has changes that are not committed, and WORK holds its commit alone; commit them there first", path.display())]
    SubmoduleChanged {
        /// Where it lies.
        path: PathBuf,
    },
    /// Files that git LFS keeps, and whose content is not here.
    #[error("git LFS keeps {} of its files, whose content is not here ({}); get it with `git lfs fetch origin {commit}`", files.len(), some(files))]
    Lfs {
        /// The files.
        files: Vec<PathBuf>,
        /// The commit.
        commit: String,
    },
    /// Files that a filter of the user's would write.
    #[error("{} of its files go through the filter `{filter}` ({}), which is a program of your own and is not run; build that revision in a work tree of its \
             own with `proofmark capture NAME -- BUILD…`", files.len(), some(files))]
    Filter {
        /// Its name.
        filter: String,
        /// The files.
        files: Vec<PathBuf>,
    },
    /// Nowhere outside of the repository is free of configuration that would be read.
    #[error("there is no place for a copy of the repository: {}; name a folder that is outside of it and has no such file above it with XDG_CACHE_HOME", reasons.join("; "))]
    NoPlace {
        /// What is wrong with each place that was tried.
        reasons: Vec<String>,
    },
    /// `rustup override` holds for the work tree's folder only.
    #[error("rustup has an override for {} ({toolchain}), which does not hold for a copy of the repository; say RUSTUP_TOOLCHAIN={toolchain} for this command", folder.display())]
    RustupOverride {
        /// The folder.
        folder: PathBuf,
        /// The toolchain.
        toolchain: String,
    },
    /// The command or a variable leads back to the work tree.
    #[error("{what} names the work tree {}, so that a revision would be built from files that are not its own; write paths relative to where the build runs", work_tree.display())]
    NamesWorkTree {
        /// "the build command", or a variable's name.
        what: String,
        /// The work tree.
        work_tree: PathBuf,
    },
    /// Another command builds a revision of this repository.
    #[error("another proofmark is building a revision of this repository ({}); try again when it has ended", path.display())]
    Busy {
        /// The lock.
        path: PathBuf,
    },
    /// A file could not be read or written.
    #[error("cannot {doing} {}: {source}", path.display())]
    File {
        /// "read", "write"…
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl RevisionError {
    pub(super) fn file(doing: &'static str, path: &Path, source: io::Error) -> RevisionError {
        RevisionError::File {
            doing,
            path: path.to_owned(),
            source,
        }
    }
}

fn not_on_the_line(older: &str, newer: &str, before: Option<&str>) -> String {
    let side = format!("`{older}` is on a side of `{newer}` that a merge brought in");
    match before {
        Some(before) => format!(
            "{side}: first parents lead from `{newer}` to {before}; give {before} as the older end \
             if it has that level, or follow all parents"
        ),
        None => format!(
            "{side}: first parents lead from `{newer}` to a commit without a parent; follow all \
             parents, or give an older end that first parents lead to"
        ),
    }
}

fn because(said: &str) -> String {
    if said.is_empty() {
        String::new()
    } else {
        format!("; it was said: {said}")
    }
}

/// What a name may mean: references with their commits, or commits alone.
fn all_meant(meant: &[(String, String)]) -> String {
    let one = |(name, commit): &(String, String)| {
        if name == commit {
            format!("a commit is {commit}")
        } else {
            format!("{name} is {commit}")
        }
    };
    let all: Vec<String> = meant.iter().map(one).collect();
    all.join(", ")
}

fn bases(found: usize) -> String {
    match found {
        0 => "no commit".to_owned(),
        several => format!("{several} newest commits"),
    }
}

fn some(files: &[PathBuf]) -> String {
    const MOST: usize = 4;
    let mut shown: Vec<String> = files
        .iter()
        .take(MOST)
        .map(|file| file.display().to_string())
        .collect();
    if files.len() > MOST {
        shown.push("…".to_owned());
    }
    shown.join(", ")
}
