//! The tree of a revision at a folder's place: its links, and its files written to another folder.

use std::path::{Path, PathBuf};

use super::borrow;
use super::command::{Git, as_path, records};
use super::filters::{filled, named};
use super::named::unambiguous;
use super::settings::filters;
use crate::states::{RevisionError, TreeLink};

/// A tree of a repository.
#[derive(Clone, Debug)]
pub struct Tree {
    id: String,
    repository: PathBuf,
    /// The source's folder.
    folder: PathBuf,
    /// Its place in the repository.
    prefix: String,
    /// The revision's whole tree.
    whole: String,
}

impl Tree {
    /// The tree of a revision, at the folder's place in its repository.
    ///
    /// # Errors
    /// When the folder is in no repository, or that has no such revision with this folder in it.
    pub fn of(folder: &Path, revision: &str) -> Result<Tree, RevisionError> {
        let git = || Git::of_source(folder, "find the revision");
        let ask = |arguments: &[&str]| git().args(["rev-parse"]).args(arguments);
        let repository = ask(&["--absolute-git-dir"]).path()?;
        unambiguous(&git, revision)?;
        let prefix = ask(&["--show-prefix"]).text()?;
        let prefix = prefix.trim_end_matches('/');
        let whole = format!("{revision}^{{tree}}");
        let asked = if prefix.is_empty() {
            whole.clone()
        } else {
            format!("{revision}^{{commit}}:{prefix}")
        };
        let id = ask(&["--verify", "--quiet", "--end-of-options", &asked]).text();
        let id = id.map_err(|error| match error {
            RevisionError::Git { .. } => RevisionError::NotOf {
                revision: revision.to_owned(),
                folder: folder.to_owned(),
            },
            other => other,
        })?;
        let whole = ask(&["--verify", "--end-of-options", &whole]).text()?;
        let last = |said: &str| said.lines().next_back().unwrap_or_default().to_owned();
        Ok(Tree {
            id: last(&id),
            whole: last(&whole),
            repository,
            folder: folder.to_owned(),
            prefix: prefix.to_owned(),
        })
    }

    /// The name that git has for its content: equal trees have equal ids.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The symbolic links in it.
    ///
    /// # Errors
    /// When git fails, and when there is a repository inside of it: the revision does not hold that
    /// one's files.
    pub fn links(&self) -> Result<Vec<TreeLink>, RevisionError> {
        let git = || Git::of_source(&self.repository, "list the files of the revision");
        let listed = git().args(["ls-tree", "-rz", &self.id]).bytes()?;
        let mut links = Vec::new();
        for entry in records(&listed) {
            // MODE TYPE OBJECT<tab>PATH
            let Some(tab) = entry.iter().position(|byte| *byte == b'\t') else {
                continue;
            };
            let (about, name) = entry.split_at(tab);
            let about = String::from_utf8_lossy(about).into_owned();
            let file = as_path(name.get(1..).unwrap_or_default()).to_owned();
            let mut words = about.split(' ');
            match (words.next(), words.nth(1)) {
                (Some("160000"), _) => {
                    return Err(RevisionError::RepositoryInside { path: file });
                }
                (Some("120000"), Some(id)) => {
                    let target = git().args(["cat-file", "blob", id]).bytes()?;
                    let target = as_path(&target).to_owned();
                    links.push(TreeLink { file, target });
                }
                _ => {}
            }
        }
        Ok(links)
    }

    /// Writes all of its files into a folder: no attribute leaves any of them out, as
    /// `export-ignore` does in an archive, and no setting or filter of the user's changes them,
    /// which nobody would see in its name. Files of git LFS are filled in.
    ///
    /// # Errors
    /// When git fails, when the clone has not got a file of git LFS, and when the user's git would
    /// pass a file through another filter.
    pub fn write(&self, place: &Path) -> Result<(), RevisionError> {
        let bare = Bare::beside(&self.folder)?;
        self.filtered_by_others(&bare)?;
        let git = || bare.git(place, "index");
        git().args(["read-tree", &self.id]).bytes()?;
        git()
            .args(["checkout-index", "--all", "--force", "--quiet"])
            .bytes()?;
        match filled(&self.folder, place)?.first() {
            None => Ok(()),
            Some(file) => Err(RevisionError::LfsOfSource {
                path: Path::new(&self.prefix).join(file),
            }),
        }
    }

    /// Refuses files whose content only a program of the user's makes.
    fn filtered_by_others(&self, bare: &Bare) -> Result<(), RevisionError> {
        let mut defined = filters(&self.folder);
        defined.retain(|filter| filter != "lfs");
        if defined.is_empty() {
            return Ok(());
        }
        // Attributes of a file may stand in any folder above it.
        let git = || bare.git(bare.folder.path(), "whole");
        git().args(["read-tree", &self.whole]).bytes()?;
        let listed = git()
            .args(["ls-files", "-z", "--"])
            .args([format!(":(top){}", self.prefix)])
            .bytes()?;
        let said = git()
            .args(["check-attr", "--cached", "-z", "--stdin", "filter"])
            .input(listed)
            .bytes()?;
        let mut named = named(&said);
        match named.find(|(_, filter)| defined.contains(filter)) {
            None => Ok(()),
            Some((path, filter)) => Err(RevisionError::FilterOfSource { path, filter }),
        }
    }
}

/// A repository without settings, attributes and filters of the user's, which borrows the user's
/// objects.
struct Bare {
    folder: tempfile::TempDir,
}

impl Bare {
    fn beside(folder: &Path) -> Result<Bare, RevisionError> {
        let doing = "make a repository for the revision";
        let place = tempfile::tempdir().map_err(|error| {
            RevisionError::file("make a folder in", &std::env::temp_dir(), error)
        })?;
        let objects = Git::of_source(folder, doing)
            .args(["rev-parse", "--path-format=absolute"])
            .args(["--git-path", "objects"])
            .path()?;
        borrow::make(folder, &[&objects], place.path(), doing)?;
        Ok(Bare { folder: place })
    }

    /// git in this repository, with an index of its own and files in `place`.
    fn git(&self, place: &Path, index: &str) -> Git {
        Git::of_nobody(place, "write the files of the revision")
            .env("GIT_DIR", self.folder.path().join(".git"))
            .env("GIT_WORK_TREE", place)
            .env("GIT_INDEX_FILE", self.folder.path().join(index))
    }
}
