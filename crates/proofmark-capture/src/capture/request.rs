//! What is asked of a capture.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::outside::Following;
use crate::states::Revision;
use crate::store::Keep;

/// A build to be captured.
#[derive(Clone, Debug)]
pub struct CaptureRequest {
    /// The name by which it will be known. A capture of the same name is replaced.
    pub name: String,
    /// The build's command: a program and its arguments, unchanged.
    pub command: Vec<OsString>,
    /// Who follows the build.
    pub followed: Option<Following>,
    /// The folder in which it runs.
    pub cwd: PathBuf,
    /// The image that is wanted, relative to `cwd` or absolute.
    pub image: Option<PathBuf>,
    /// Files, and folders of files, that belong to the build and do not lie beside its image;
    /// relative to `cwd` or absolute. Those that a followed build writes outside of its own folders
    /// belong to it without being named.
    pub with: Vec<PathBuf>,
    /// The copy of the sources that it is made in, where that is gone once it has been captured:
    /// what its programs read there belongs to the build.
    pub copy: Option<SourceCopy>,
    /// How many builds of the same state to keep, at least 1. The command runs that often and has
    /// to build afresh each time.
    pub repeat: u32,
    /// How code gets the function sections by which layouts move it.
    pub compile: Compile,
    /// With [`Compile::Once`]: build once more without function sections, last, for the exact image
    /// as shipped. The command has to build afresh each time.
    pub pristine: bool,
    /// Accept objects that no shim saw being compiled.
    pub allow_unseen: bool,
    /// Variables set for the build beside the environment of this process.
    pub env: Vec<(OsString, OsString)>,
    /// Variables of this process that the build does not see.
    pub unset: Vec<OsString>,
    /// What the sources are, where the folder itself does not tell it rightly.
    pub revision: Option<Revision>,
    /// In what the sources differ from that, as a patch.
    pub changes: Option<Vec<u8>>,
    /// A folder from which nothing may be taken: the work tree whose revision is built elsewhere.
    pub not_from: Option<PathBuf>,
    /// The program that acts as the shims: it must call [`crate::shim_main`] first.
    pub shim_program: PathBuf,
    /// Where the build's own output goes.
    pub output: BuildOutput,
    /// How long it is kept.
    pub keep: Keep,
}

/// A copy of sources in which a build is made.
#[derive(Clone, Debug)]
pub struct SourceCopy {
    /// The folder of all that was made for it: the copy, and what is around it.
    pub whole: PathBuf,
    /// The copy itself.
    pub folder: PathBuf,
    /// What it is a copy of.
    pub original: PathBuf,
}

/// How the code of C compilers gets the function sections by which layouts move it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compile {
    /// Each object is compiled a second time, with function sections, for the store alone. The
    /// build is left with exactly what it makes by itself.
    #[default]
    Twice,
    /// Function sections are added to the build's own compilations: its objects and images are then
    /// not those that it makes by itself.
    Once,
}

/// Where a build's own output goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BuildOutput {
    /// Where the output of this process goes.
    Inherit,
    /// To standard error, all of it: standard output is the answer's.
    Errors,
    /// To a file, which is replaced; its end is shown when the build fails. The build reads
    /// nothing, and is out of reach of the terminal's Ctrl-C.
    File(PathBuf),
}

impl CaptureRequest {
    /// A request for one build in the current folder, with this very program as its shims.
    ///
    /// # Errors
    /// When the system cannot say where this program or the current folder is.
    pub fn new(name: &str, command: Vec<OsString>) -> std::io::Result<CaptureRequest> {
        Ok(CaptureRequest {
            name: name.to_owned(),
            command,
            followed: None,
            cwd: std::env::current_dir()?,
            image: None,
            with: Vec::new(),
            copy: None,
            repeat: 1,
            compile: Compile::default(),
            pristine: false,
            allow_unseen: false,
            env: Vec::new(),
            unset: Vec::new(),
            revision: None,
            changes: None,
            not_from: None,
            shim_program: std::env::current_exe()?,
            output: BuildOutput::Inherit,
            keep: Keep::default(),
        })
    }
}

/// A command for people.
pub(super) fn shown(command: &[OsString]) -> String {
    let quoted = |word: &OsString| {
        let text = word.to_string_lossy();
        if text.is_empty() || text.contains(char::is_whitespace) {
            format!("'{text}'")
        } else {
            text.into_owned()
        }
    };
    command.iter().map(quoted).collect::<Vec<_>>().join(" ")
}
