//! Which tool this process was started as.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use crate::programs::FLAGS_FILE;

/// What gcc and clang look for through `COMPILER_PATH`, linkers apart.
pub(crate) const TOOLS: [&str; 6] = ["cc1", "cc1plus", "lto1", "lto-wrapper", "as", "ld"];

/// The linkers that `-fuse-ld=` can name.
pub(crate) const LINKERS: [&str; 4] = ["ld.bfd", "ld.gold", "ld.lld", "ld.mold"];

/// The name by which this program is started in front of a compiler's driver, to ask what it reads.
pub(super) const READS: &str = "proofmark-reads";

/// The name by which this program is started before a whole build.
pub(super) const FOLLOW: &str = "proofmark-follow";

/// What a shim stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// gcc's compiler proper.
    Compiler,
    Assembler,
    Linker,
    LtoWrapper,
    /// The compiler driver that `rustc` links with; by cargo, for one target.
    Driver {
        target: Option<OsString>,
    },
    /// What a matrix's wrappers start before a compiler's driver.
    Reads,
    /// What is started before a whole build.
    Follow,
    /// What cargo starts in the place of `rustc`.
    RustcWrapper,
}

/// How this process was started.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub role: Role,
    /// The tool's name.
    pub name: OsString,
    /// The folder of the shims.
    pub folder: PathBuf,
    /// After `argv[0]`.
    pub arguments: Vec<OsString>,
    /// Added to every compilation.
    pub flags: Vec<OsString>,
}

impl Call {
    /// The file name passed to `execve` decides: a tool that was found through `PATH` has no folder
    /// in its `argv[0]`.
    pub(super) fn of_this_process() -> Option<Call> {
        let file = Path::new(OsStr::from_bytes(rustix::param::linux_execfn().to_bytes()));
        let (role, folder) = role_of(file)?;
        let flags = fs::read(folder.join(FLAGS_FILE)).ok()?;
        let flags = flags
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty());
        Some(Call {
            role,
            name: file.file_name()?.to_owned(),
            folder,
            arguments: env::args_os().skip(1).collect(),
            flags: flags
                .map(|line| OsString::from_vec(line.to_vec()))
                .collect(),
        })
    }
}

/// The role of a shim by its place, and the folder of the shims.
fn role_of(file: &Path) -> Option<(Role, PathBuf)> {
    let name = file.file_name()?.to_str()?;
    let parent = file.parent()?;
    let marked = |folder: &Path| folder.join(FLAGS_FILE).is_file().then(|| folder.to_owned());
    if let Some(folder) = marked(parent) {
        let role = match name {
            "cc1" | "cc1plus" | "lto1" => Role::Compiler,
            "as" => Role::Assembler,
            "lto-wrapper" => Role::LtoWrapper,
            READS => Role::Reads,
            FOLLOW => Role::Follow,
            _ => Role::Linker,
        };
        return Some((role, folder));
    }
    let above = parent.parent()?;
    if let Some(folder) = marked(above) {
        let rustc = parent.file_name()? == "rustc";
        let role = if rustc {
            Role::RustcWrapper
        } else {
            Role::Driver { target: None }
        };
        return Some((role, folder));
    }
    let folder = marked(above.parent()?)?;
    Some((
        Role::Driver {
            target: Some(parent.file_name()?.to_owned()),
        },
        folder,
    ))
}
