//! Whether a build that runs in a copy took something from the work tree that it is a copy of.

use std::path::{Path, PathBuf};

use super::files::{absolute, distinct};
use super::finish::Finished;
use crate::error::BuildError;
use crate::states::names;

/// Refuses a build that linked, or compiled, or wrote files of `folder`. The store may lie in
/// there.
pub(super) fn check(finished: &Finished, folder: &Path, store: &Path) -> Result<(), BuildError> {
    let mut used: Vec<PathBuf> = Vec::new();
    for link in &finished.links {
        used.push(link.output.clone());
        let recipe = &link.recipe;
        for input in &recipe.inputs {
            let members = input.members.iter().map(|member| &member.given);
            used.extend(
                std::iter::once(&input.given)
                    .chain(members)
                    .map(|given| recipe.cwd.join(given)),
            );
        }
    }
    for object in &finished.objects {
        used.extend(object.source.clone());
    }
    // Where headers and libraries are looked for; paths that are only to be written otherwise say
    // nothing of it.
    let options = finished.objects.iter().flat_map(|object| &object.flags);
    let leading = options
        .filter(|option| names(option, folder) && !names(option, store))
        .filter(|option| !option.to_string_lossy().contains("prefix-map"));
    let options: Vec<PathBuf> = distinct(leading.map(PathBuf::from).collect());
    let mut files: Vec<PathBuf> = used.iter().map(|path| absolute(path)).collect();
    files.retain(|file| file.starts_with(folder) && !file.starts_with(store));
    if files.is_empty() && options.is_empty() {
        return Ok(());
    }
    let mut files = distinct(files);
    files.extend(options);
    Err(BuildError::TakenFromWorkTree {
        files,
        folder: folder.to_owned(),
    })
}
