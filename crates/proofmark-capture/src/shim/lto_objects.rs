//! Objects made by clang's link-time optimisation: asked for beside the build's own link, collected
//! and removed again.
//!
//! lld writes them with `--save-temps=prelink` beside the bitcode that they come from, LLVM's
//! plugin for GNU ld and gold with `obj-path`. Both leave the image as it is. What would have to be
//! written where nobody may write is not asked for: the link would fail.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use proofmark_layout::LinkerKind;
use proofmark_terms::NotADigest;

use crate::event::{LinkedLto, LinkerFacts, LtoCompiler};
use crate::link::arguments::Arguments;
use crate::link::inputs::bitcode;
use crate::objects::Mode;
use crate::session::Session;

use super::lto_wrapper;

/// How the objects of one link will be had.
pub(super) enum Plan {
    /// There is no bitcode that this capture knows of; gcc's objects come through `lto-wrapper`.
    None,
    /// lld writes them beside the inputs, under names that begin with this one.
    Prelink {
        prefix: OsString,
        folders: Vec<PathBuf>,
        before: HashSet<PathBuf>,
        order: Vec<OsString>,
    },
    /// LLVM's plugin writes them here, numbered.
    Plugin { path: PathBuf },
    /// Bitcode that is compiled where its objects cannot be had.
    Impossible { why: String },
}

impl Plan {
    pub(super) fn of(
        arguments: &Arguments,
        about: &LinkerFacts,
        cwd: &Path,
        folder: &Path,
    ) -> Plan {
        if about.kind != LinkerKind::Lld {
            let llvm = arguments
                .plugin
                .as_deref()
                .and_then(Path::file_name)
                .is_some_and(|name| name.as_bytes().starts_with(b"LLVMgold"));
            return if llvm {
                Plan::Plugin {
                    path: folder.join("obj"),
                }
            } else {
                Plan::None
            };
        }
        let modules = modules(arguments, cwd);
        if modules.is_empty() {
            return Plan::None;
        }
        if !about.save_prelink {
            return Plan::Impossible {
                why: format!("{} cannot keep them (lld 15 and newer can)", about.version),
            };
        }
        Plan::prelink(arguments, cwd, &modules)
    }

    fn prelink(arguments: &Arguments, cwd: &Path, modules: &[(PathBuf, Option<OsString>)]) -> Plan {
        let image = arguments.output.file_name().unwrap_or_default();
        let mut prefix = image.to_owned();
        prefix.push(".lto.");
        let folder_of = |file: &Path| cwd.join(file).parent().unwrap_or(cwd).to_owned();
        let mut folders = vec![folder_of(&arguments.output)];
        folders.extend(modules.iter().map(|(file, _)| folder_of(file)));
        folders.dedup();
        let mut unique = HashSet::new();
        folders.retain(|folder| unique.insert(folder.clone()));
        let closed = folders.iter().find(|folder| {
            rustix::fs::access(folder.as_path(), rustix::fs::Access::WRITE_OK).is_err()
        });
        if let Some(closed) = closed {
            return Plan::Impossible {
                why: format!(
                    "lld writes them to {}, which cannot be written",
                    closed.display()
                ),
            };
        }
        let order: Vec<OsString> = modules
            .iter()
            .map(|(file, member)| object_name(&prefix, file, member.as_deref()))
            .collect();
        let before = folders
            .iter()
            .flat_map(|folder| with_prefix(folder, &prefix))
            .collect();
        Plan::Prelink {
            prefix,
            folders,
            before,
            order,
        }
    }

    /// What is added to the link's arguments.
    pub(super) fn arguments(&self) -> Vec<OsString> {
        match self {
            Plan::Prelink { .. } => vec!["--save-temps=prelink".into()],
            Plan::Plugin { path } => {
                let mut option = OsString::from("-plugin-opt=obj-path=");
                option.push(path);
                vec![option]
            }
            Plan::None | Plan::Impossible { .. } => Vec::new(),
        }
    }

    /// Keeps the objects after the link, and removes what the build did not ask for.
    pub(super) fn collect(self, session: &Session, folder: &Path) -> io::Result<Option<LinkedLto>> {
        let files = match self {
            Plan::None => return gcc(folder),
            Plan::Impossible { why } => {
                return Err(io::Error::other(format!(
                    "the objects of link-time optimisation were not kept: {why}"
                )));
            }
            Plan::Plugin { path } => numbered(&path),
            Plan::Prelink {
                prefix,
                folders,
                before,
                order,
            } => {
                let all = folders
                    .iter()
                    .flat_map(|folder| with_prefix(folder, &prefix));
                let new: Vec<PathBuf> = all.filter(|file| !before.contains(file)).collect();
                if folders.len() < 2 && new.iter().any(|file| is_of_several(file, &order)) {
                    remove(&new)?;
                    return Plan::Impossible {
                        why: "lld would write several of them to one file".to_owned(),
                    }
                    .collect(session, folder);
                }
                in_order(new, &order)
            }
        };
        let mut objects = Vec::new();
        for file in files {
            if fs::metadata(&file)?.len() > 0 {
                objects.push(session.keep(&file, Mode::Data)?);
            }
            fs::remove_file(&file)?;
        }
        Ok((!objects.is_empty()).then_some(LinkedLto {
            compiler: LtoCompiler::Clang,
            objects,
        }))
    }
}

/// Every file with bitcode on the command line, and the members of archives, in link order.
fn modules(arguments: &Arguments, cwd: &Path) -> Vec<(PathBuf, Option<OsString>)> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    for name in arguments.candidates() {
        if seen.insert(name.clone()) {
            let modules = bitcode(&cwd.join(&name));
            found.extend(modules.into_iter().map(|module| {
                (
                    name.clone(),
                    module.member.map(|member| member.as_ref().to_owned()),
                )
            }));
        }
    }
    found
}

/// The start of the name that lld gives to the object of a module: `OUT.lto.STEM.o`, of a member
/// `OUT.lto.LIB.a(MEMBER at …).o`.
fn object_name(prefix: &OsStr, file: &Path, member: Option<&OsStr>) -> OsString {
    let mut name = prefix.to_owned();
    match member {
        None => {
            name.push(file.file_stem().unwrap_or_default());
            name.push(".o");
        }
        Some(member) => {
            name.push(file.file_name().unwrap_or_default());
            name.push("(");
            name.push(member);
            name.push(" at ");
        }
    }
    name
}

fn with_prefix(folder: &Path, prefix: &OsStr) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(Result::ok);
    let matching =
        entries.filter(|entry| entry.file_name().as_bytes().starts_with(prefix.as_bytes()));
    let mut files: Vec<PathBuf> = matching.map(|entry| entry.path()).collect();
    files.sort();
    files
}

/// Whether a file may hold the object of more than one module. Full optimisation has one object for
/// all modules, so that their names do not matter.
fn is_of_several(file: &Path, order: &[OsString]) -> bool {
    let name = file.file_name().unwrap_or_default().as_bytes();
    let modules = order.iter();
    let of = modules.filter(|start| name.starts_with(start.as_bytes()));
    of.count() > 1
}

fn remove(files: &[PathBuf]) -> io::Result<()> {
    files.iter().try_for_each(fs::remove_file)
}

/// Full optimisation's own object first (no module has its name), then the modules' in link order.
fn in_order(mut files: Vec<PathBuf>, order: &[OsString]) -> Vec<PathBuf> {
    let place = |file: &PathBuf| {
        let name = file.file_name().unwrap_or_default().as_bytes();
        order
            .iter()
            .position(|start| name.starts_with(start.as_bytes()))
            .map_or(0, |at| at + 1)
    };
    files.sort_by_key(place);
    files
}

/// `obj`, `obj1`, `obj2`… as far as they go.
fn numbered(path: &Path) -> Vec<PathBuf> {
    let with = |number: usize| {
        let mut name = path.as_os_str().to_owned();
        name.push(number.to_string());
        PathBuf::from(name)
    };
    let first = path.is_file().then(|| path.to_owned());
    first
        .into_iter()
        .chain((0..).map(with).skip(1).take_while(|file| file.is_file()))
        .collect()
}

/// Files that the linker's plugin made in the middle of the link; the linker lists them among those
/// that it has read.
pub(super) fn made_by_plugin(folder: &Path) -> impl Fn(&Path) -> bool + use<'_> {
    let printed = fs::read(folder.join(lto_wrapper::PLACES)).unwrap_or_default();
    let places: HashSet<PathBuf> = printed
        .split(|byte| *byte == b'\n')
        .map(|line| PathBuf::from(OsStr::from_bytes(line)))
        .collect();
    move |file| file.starts_with(folder) || places.contains(file)
}

/// What the shim of `lto-wrapper` has left.
fn gcc(folder: &Path) -> io::Result<Option<LinkedLto>> {
    match fs::read_to_string(folder.join(lto_wrapper::OBJECTS)) {
        Ok(list) => Ok(Some(LinkedLto {
            compiler: LtoCompiler::Gcc,
            objects: (list.lines().map(str::parse).collect::<Result<_, _>>())
                .map_err(|error: NotADigest| io::Error::new(io::ErrorKind::InvalidData, error))?,
        })),
        Err(gone) if gone.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
