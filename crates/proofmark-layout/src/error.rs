//! What can go wrong between a recipe and a verified image.

use std::path::{Path, PathBuf};

use crate::LinkerKind;

/// Why a link or a layout could not be had.
#[derive(Debug, thiserror::Error)]
pub enum LayoutError {
    /// A file could not be read or written.
    #[error("cannot {doing} {}: {source}", path.display())]
    File {
        /// "read", "write"…
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The recipe's folder is not an absolute path.
    #[error("the recipe of the link says that it ran in {}, which is not an absolute path; capture the build again", cwd.display())]
    RelativeFolder {
        /// As recorded.
        cwd: PathBuf,
    },
    /// A name leads out of the staged tree.
    #[error("the link names {}, which leads above the root of the file system; give it a path that \
        is there, and capture the build again", path.display())]
    Outside {
        /// As the linker was given it.
        path: PathBuf,
    },
    /// The link names a file that the capture does not hold.
    #[error("the link names {}, which the capture does not hold; capture the build again", path.display())]
    NotCaptured {
        /// As the linker was given it.
        path: PathBuf,
    },
    /// The linker could not be started.
    #[error("cannot start the linker {}: {source}{}", path.display(), if_gone(source))]
    LinkerMissing {
        /// The program.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The linker ended with an error.
    #[error("the link of {what} failed ({status}); it said:\n{said}\nrun again by: {command}")]
    LinkFailed {
        /// Which link it was.
        what: String,
        /// How the linker ended.
        status: String,
        /// The end of what it wrote to its standard error.
        said: String,
        /// A shell command that repeats it.
        command: String,
    },
    /// A relocatable object or archive is damaged or of a kind that cannot be patched.
    #[error("the object {file} cannot be used: {problem}")]
    Object {
        /// The file, with the member of an archive in parentheses.
        file: String,
        /// What is wrong, and what to do.
        problem: String,
    },
    /// A linked image cannot be read.
    #[error("cannot read the linked image {}: {problem}; compare the builds as they are (--layouts \
        as-shipped)", path.display())]
    Image {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// There is no back-end for this linker, or not for this link.
    #[error("layouts cannot be made with {version}: {why}")]
    Unsupported {
        /// The linker.
        linker: LinkerKind,
        /// Its version.
        version: String,
        /// The reason, and what to do.
        why: String,
    },
    /// The functions of a link cannot be put in another order, or at other multiples of bytes.
    #[error("{why}")]
    NotArranged {
        /// Why not.
        why: String,
    },
    /// Builds linked by different linkers are not comparable.
    #[error(
        "build {build} was linked by {found}, the first one by {expected}: another linker is another layout; build both with the same one"
    )]
    LinkersDiffer {
        /// Index of the build.
        build: usize,
        /// Its linker.
        found: String,
        /// The first build's linker.
        expected: String,
    },
    /// What matched layouts promise was not found on the linked images.
    #[error(
        "{linker} laid out an image otherwise than it was told to ({promise}): {found}; compare \
         the builds as they are (--layouts as-shipped)"
    )]
    PromiseBroken {
        /// The linker.
        linker: LinkerKind,
        /// What was promised.
        promise: &'static str,
        /// What was found instead, with an example.
        found: String,
    },
    /// An image is not what the user has.
    #[error(
        "{image} is not the file that the build made, and nothing measured on it would be true of that: {found}\n  likely: {likely}\n  next: compare the files as they are (--layouts as-shipped)"
    )]
    Unfaithful {
        /// Which image.
        image: String,
        /// What differs, with examples.
        found: String,
        /// The feature of the link that it most likely comes from.
        likely: String,
    },
    /// A seed whose gaps are longer than the room kept for them; expected less than once in 10¹⁵
    /// draws.
    #[error(
        "the layout of seed {seed} needs {needed} bytes of code, and {room} are kept; draw another seed"
    )]
    DrawTooLong {
        /// The seed.
        seed: u64,
        /// Bytes.
        needed: u64,
        /// Bytes.
        room: u64,
    },
    /// A function cannot be put where it is asked for, or not by itself.
    #[error("{function} cannot be moved: {why}")]
    CannotPlace {
        /// The function.
        function: String,
        /// The reason, and what to do.
        why: String,
    },
    /// The code of a function cannot be moved within it.
    #[error("the code of {function} cannot be moved within it: {why}")]
    Inside {
        /// The function.
        function: String,
        /// The reason, and what to do.
        why: String,
    },
    /// An assembler ended with an error.
    #[error("{} cannot assemble a text again that it has assembled before: {said}; capture the \
        build again", assembler.display())]
    Assembler {
        /// The program.
        assembler: PathBuf,
        /// The beginning of what it wrote to its standard error.
        said: String,
    },
    /// Something was asked of a build that the set does not have.
    #[error("build {build} was asked for, and there are {builds}")]
    NoSuchBuild {
        /// Index asked for.
        build: usize,
        /// How many there are.
        builds: usize,
    },
}

impl LayoutError {
    /// For `map_err`: what was being done to which file.
    pub(crate) fn file(
        doing: &'static str,
        path: &Path,
    ) -> impl FnOnce(std::io::Error) -> LayoutError + use<> {
        let path = path.to_path_buf();
        move |source| LayoutError::File {
            doing,
            path,
            source,
        }
    }
}

/// What a linker that is not there means for a capture.
fn if_gone(error: &std::io::Error) -> &'static str {
    if error.kind() == std::io::ErrorKind::NotFound {
        "; a capture needs the linker that it was made with"
    } else {
        ""
    }
}
