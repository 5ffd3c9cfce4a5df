//! Objects that belong to nobody's build: start-up files, system libraries, what a toolchain
//! brings.

use std::path::{Path, PathBuf};

use super::super::files::distinct;
use super::super::run::Run;
use super::path;
use crate::event::Event;

/// Where the system and the toolchains of a build keep their files.
pub(super) struct SystemFolders {
    folders: Vec<PathBuf>,
    /// The build's own folder, which counts before the others.
    own: PathBuf,
}

const SYSTEM: [&str; 7] = [
    "/usr",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
    "/gnu/store",
];

impl SystemFolders {
    pub(super) fn of(run: &Run) -> SystemFolders {
        let mut folders: Vec<PathBuf> = SYSTEM.map(PathBuf::from).to_vec();
        for event in &run.events {
            let Event::Linked(link) = event else { continue };
            let rustc = link.ancestors.iter().filter(|process| process.is_rustc());
            let tools = link
                .driver
                .iter()
                .chain(rustc.map(|process| &process.program));
            // A toolchain of its own: what lies beside its `bin`.
            folders.extend(tools.filter_map(|tool| {
                let tool = path(tool).canonicalize().ok()?;
                let bin = tool.parent().filter(|folder| folder.ends_with("bin"))?;
                bin.parent().map(Path::to_owned)
            }));
        }
        folders.retain(|folder| folder.components().count() > 1);
        SystemFolders {
            folders: distinct(folders),
            own: run.cwd.clone(),
        }
    }

    /// The file is none of the build's.
    pub(super) fn hold(&self, file: &Path) -> bool {
        let real = file.canonicalize().unwrap_or_else(|_| file.to_owned());
        let below = |folder: &Path| file.starts_with(folder) || real.starts_with(folder);
        !below(&self.own) && self.folders.iter().any(|folder| below(folder))
    }
}
