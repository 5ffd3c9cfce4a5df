//! What can go wrong when a build is captured, or when a captured one is used.

mod words;

use std::io;
use std::path::{Path, PathBuf};

use proofmark_hint::hint;

use words::{
    bypass, free_bytes, list, log_hint, near_names, of_unseen, perhaps, remedy, run_number, size,
    which_image,
};

/// Why a build could not be captured, found or removed.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// A file of the store could not be read or written.
    #[error("cannot {doing} {}: {source}{}", path.display(), remedy(source))]
    File {
        /// "read", "write"…
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A build of a revision used the work tree's own files.
    #[error("the build took files from the work tree {}, which are not the revision's: {}; write paths relative to where the build runs", folder.display(), list(files))]
    TakenFromWorkTree {
        /// The files, and options that name its folders.
        files: Vec<PathBuf>,
        /// The work tree.
        folder: PathBuf,
    },
    /// A captured link could not be linked in another way.
    #[error(transparent)]
    Layout(#[from] proofmark_layout::LayoutError),
    /// The store has no room for all of a build.
    #[error("there is no room for this capture in {}: at least {} more are needed{}; make room (`proofmark builds remove NAME` frees captured builds), \
             or name a folder elsewhere with `--store`, and capture the build again", path.display(), size(*needed), free_bytes(*free))]
    NoRoom {
        /// The store.
        path: PathBuf,
        /// Bytes that could not be written.
        needed: u64,
        /// Bytes that are free, where that is known.
        free: Option<u64>,
    },
    /// A name that cannot be given to a build.
    #[error("{name:?} is no name for a build: {why}")]
    BadName {
        /// As asked for.
        name: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// No build has this name.
    #[error("there is no captured build called {name:?}{}", near_names(near, *any))]
    NoSuchBuild {
        /// As asked for.
        name: String,
        /// Names that are much like it.
        near: Vec<String>,
        /// There are builds at all.
        any: bool,
    },
    /// A capture cannot be read.
    #[error("the captured build in {} is damaged ({problem}); remove it with {} and capture the build again", path.display(), hint("builds remove", &[name]))]
    Damaged {
        /// The build's name.
        name: String,
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// The store was written by a newer version.
    #[error("the captured build in {} has format {found}, and this version of proofmark reads up to {known}; use a newer proofmark", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u32,
        /// The newest format that is known here.
        known: u32,
    },
    /// The store was written by an older version.
    #[error(
        "the captured build {name:?} has format {found}, and this version of proofmark reads {known}: more of a build is kept since; capture it again"
    )]
    Older {
        /// The build.
        name: String,
        /// Its format.
        found: u32,
        /// The format that is known here.
        known: u32,
    },
    /// A stored file is gone.
    #[error("captured build {name:?} has lost {} (stored as {}); capture the build again", what.display(), blob.display())]
    Lost {
        /// The build.
        name: String,
        /// What the file was.
        what: PathBuf,
        /// Where it was stored.
        blob: PathBuf,
    },
    /// A folder of the store is a link.
    #[error("{} is a link, and garbage is not collected behind links: it may be another's; move \
        the folder itself here", path.display())]
    LeadsOut {
        /// The link.
        path: PathBuf,
    },
    /// Another process uses the store, or is changing it.
    #[error("{} is in use by another proofmark; try again when it has ended", path.display())]
    Busy {
        /// The lock.
        path: PathBuf,
    },
    /// The command is empty.
    #[error(
        "no build command was given; write it after `--`, for example `proofmark capture base -- make -j2`"
    )]
    NoCommand,
    /// The command cannot be started.
    #[error("cannot start the build command {command:?} in {}: {source}; look whether its program \
        is installed, and whether it is written as you meant it", cwd.display())]
    CannotStart {
        /// The program.
        command: String,
        /// The folder.
        cwd: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The build failed.
    #[error("the build failed ({status}): {command}{}; nothing was captured", log_hint(log.as_deref(), said))]
    BuildFailed {
        /// How it ended.
        status: String,
        /// The command.
        command: String,
        /// Where its output is, when it was written to a file.
        log: Option<PathBuf>,
        /// The end of its output, when it was written to a file.
        said: String,
    },
    /// The build was told to stop, and ended: whatever it left is not a build.
    #[error("the build was stopped: {command}; nothing was captured")]
    Stopped {
        /// The command.
        command: String,
    },
    /// A file that belongs to the build is not there once it has ended.
    #[error("--with {} names nothing that the build left: {source}; a relative path starts at the \
        folder in which the command runs", asked.display())]
    NotThere {
        /// As asked for.
        asked: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The build ran and linked nothing.
    #[error(
        "the build linked nothing{}: it had nothing to do, or it makes no executable. Make it build afresh, for example `sh -c 'make clean && make'`",
        run_number(*run)
    )]
    NothingLinked {
        /// Which of several builds, from 1; 0 when there was one.
        run: u32,
    },
    /// A build that was to be repeated did not link everything again.
    #[error(
        "run {run} of the build did not link {} again: for `--repeat` the command has to build afresh each time, for example `sh -c 'make clean && make'`",
        output.display()
    )]
    NotRepeated {
        /// What is missing.
        output: PathBuf,
        /// Which run, from 1.
        run: u32,
    },
    /// Nothing that the build linked is left.
    #[error("the build linked {} file(s), and none of them exists any more: {}; have the build \
        leave its program where it links it, and capture it again", gone.len(), list(gone))]
    NothingLeft {
        /// What it had linked.
        gone: Vec<PathBuf>,
    },
    /// An image was made past the shims.
    #[error("{}", bypass(images))]
    Bypassed {
        /// Executables that are newer than the build's start.
        images: Vec<PathBuf>,
    },
    /// The image asked for does not exist.
    #[error("there is no {} after the build; name what it linked by `--image`: \
        {}", image.display(), list(made))]
    ImageMissing {
        /// As asked for.
        image: PathBuf,
        /// What the build linked.
        made: Vec<PathBuf>,
    },
    /// The image asked for is older than the build.
    #[error(
        "{} is older than this build: it was up to date, and so it was not linked again. Make it build afresh, for example `sh -c 'make clean && make'`",
        image.display()
    )]
    ImageOld {
        /// As asked for.
        image: PathBuf,
    },
    /// The image asked for is a script, or something else that is not ELF.
    #[error("{} is {what}, not an executable of machine code{}", image.display(), perhaps(instead))]
    NotAnImage {
        /// As asked for.
        image: PathBuf,
        /// What it is.
        what: &'static str,
        /// What may be meant.
        instead: Vec<PathBuf>,
    },
    /// The image asked for was made of what a link wrote, and edited.
    #[error(
        "{} is a copy of {} that was edited: its code is the same, and something else is not, such \
         as its RPATH, which `cmake --install`, patchelf and chrpath write anew\n  \
         next: --image {}",
        image.display(), of.display(), of.display()
    )]
    EditedCopy {
        /// As asked for.
        image: PathBuf,
        /// What the link wrote.
        of: PathBuf,
    },
    /// No link of the capture has this image.
    #[error("captured build {name:?} has no image {}; it has: {}", asked.display(), list(candidates))]
    NoSuchImage {
        /// The build.
        name: String,
        /// As asked for.
        asked: PathBuf,
        /// What it has.
        candidates: Vec<PathBuf>,
    },
    /// What was asked for is the end of several images' paths.
    #[error("{} may be any of {} images; say which one, with more of its path: {}", asked.display(), candidates.len(), list(candidates))]
    SeveralImages {
        /// As asked for.
        asked: PathBuf,
        /// Each of which can be typed.
        candidates: Vec<PathBuf>,
    },
    /// There are several images, or a library alone, and none was named.
    #[error("captured build {name:?} {}", which_image(candidates))]
    WhichImage {
        /// The build.
        name: String,
        /// What it has.
        candidates: Vec<PathBuf>,
    },
    /// Objects that no shim saw being made.
    #[error(
        "{}Build from a clean tree (with a compiler cache: CCACHE_DISABLE=1; with a \
         CCC_OVERRIDE_OPTIONS of the build's own: set it for `proofmark` instead, which adds to \
         it; with clang's -MJ or -save-temps: without them), or allow them with `--allow-unseen`",
        of_unseen(objects)
    )]
    Unseen {
        /// Each one with what it may come from.
        objects: Vec<(String, String)>,
    },
    /// What the shims could not write down.
    #[error("the build ran, but not everything could be recorded:\n  {}\nnothing was captured", problems.join("\n  "))]
    Recording {
        /// One sentence each.
        problems: Vec<String>,
    },
}

impl BuildError {
    /// Objects that nobody saw being compiled, a line each, without a next step; ends with a line
    /// feed. `None` for every other error.
    #[must_use]
    pub fn unseen(&self) -> Option<String> {
        match self {
            BuildError::Unseen { objects } => Some(of_unseen(objects)),
            _ => None,
        }
    }

    /// For `map_err`: what was being done to which file.
    pub fn file(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> BuildError + use<> {
        let path = path.to_path_buf();
        move |source| BuildError::File {
            doing,
            path,
            source,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(candidates: &[&str]) -> String {
        let candidates = candidates.iter().map(PathBuf::from).collect();
        let name = "v1".to_owned();
        BuildError::WhichImage { name, candidates }.to_string()
    }

    #[test]
    fn a_library_alone_is_called_one() {
        let library = said(&["target/release/libplug.so"]);
        assert!(
            library.contains("has no program, but a library"),
            "{library}"
        );
        assert!(
            library.contains("`--image target/release/libplug.so -- "),
            "{library}"
        );
        let several = said(&["one", "two"]);
        assert!(several.ends_with("has 2 images; say which one with `--image PATH`: one, two"));
    }
}
