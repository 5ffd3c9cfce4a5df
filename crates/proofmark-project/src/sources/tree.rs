//! The tree of a source: the folder of files that runs read, as it is now.

use std::path::{Path, PathBuf};

use proofmark_terms::Digest;

use super::files::{Entry, files_of_tree};
use super::links::straight;
use super::ours::Ours;
use crate::definition::SourceTree;
use crate::memory::Memory;

/// The tree of a source, as it is now.
#[derive(Clone, Debug)]
pub(crate) struct OwnTree {
    /// Where the folder lies that it is made from.
    pub(super) lies: PathBuf,
    /// Where the source has it.
    pub(super) place: PathBuf,
    /// Where runs are to see it.
    pub(super) at: PathBuf,
    /// Its place in the source; none of one that lies elsewhere.
    pub(super) inside: Option<PathBuf>,
    /// The folder whose files it has, where these are none of the source's.
    pub(super) elsewhere: Option<(PathBuf, Vec<Entry>)>,
    /// How many of the source's patches are not for it.
    pub(super) after: usize,
    /// Of all that it is made from.
    pub(crate) hash: Digest,
}

impl OwnTree {
    /// The tree that is said of a source in `folder`; `project` is the folder of the project's
    /// file.
    pub(super) fn of(
        said: &SourceTree,
        (project, folder): (&Path, &Path),
        (ours, memory): (&Ours, &Memory),
        inputs: &[PathBuf],
    ) -> Result<OwnTree, String> {
        let place = folder.join(&said.folder);
        let real = place.canonicalize().unwrap_or_else(|_| place.clone());
        let inside = match said.folder.is_relative() {
            // Written as patches do.
            true => Some(said.folder.components().collect()),
            false => real.strip_prefix(folder).ok().map(Path::to_owned),
        };
        if said.folder.is_relative()
            && let Ok(own) = real.strip_prefix(folder)
            && own != straight(&said.folder)
        {
            return Err(format!(
                "the tree `{}` is reached through a link, and is `{}`: name that",
                said.folder.display(),
                own.display()
            ));
        }
        if inside.as_deref() == Some(Path::new("")) {
            return Err(format!(
                "the tree {} is the whole source: name the folder in it that runs read",
                place.display()
            ));
        }
        let instead = said.instead.as_ref();
        let other = instead.map(|instead| project.join(&instead.folder));
        let other = other.or_else(|| inside.is_none().then(|| real.clone()));
        let elsewhere = other.map(|other| {
            let found = other.canonicalize().ok().filter(|found| found.is_dir());
            let found =
                found.ok_or_else(|| format!("there is no folder {} (`tree`)", other.display()))?;
            ours.check(&found)?;
            let entries = files_of_tree(&found, ours, memory, inputs)?;
            Ok::<_, String>((found, entries))
        });
        let elsewhere = elsewhere.transpose()?;
        Ok(OwnTree {
            lies: elsewhere
                .as_ref()
                .map_or(real, |(folder, _)| folder.clone()),
            at: said
                .at
                .as_ref()
                .map_or(place.clone(), |at| project.join(at)),
            place,
            inside,
            elsewhere,
            after: instead.map_or(0, |instead| instead.after),
            hash: blake3::hash(b"").into(),
        })
    }

    /// The folder in which a build in `work` sees the files of the source.
    pub(crate) fn seen_by_build(&self, work: &Path) -> PathBuf {
        match &self.inside {
            Some(inside) => work.join(inside),
            None => self.place.clone(),
        }
    }

    /// Its name in a copy that holds nothing else.
    pub(super) fn name(&self) -> &Path {
        self.inside.as_deref().unwrap_or(Path::new("tree"))
    }
}
