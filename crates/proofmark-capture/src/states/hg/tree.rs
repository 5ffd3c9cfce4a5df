//! The files of a changeset at a folder's place, written to another folder.

use std::fs;
use std::path::{Path, PathBuf};

use super::changeset::changeset;
use super::command::Hg;
use crate::states::{RevisionError, TreeLink};

/// A tree of a repository.
#[derive(Clone, Debug)]
pub struct Tree {
    id: String,
    top: PathBuf,
    commit: String,
    /// The source's place in the repository; empty for all of it.
    prefix: String,
    links: Vec<PathBuf>,
}

impl Tree {
    /// The tree of a changeset, at the folder's place in its repository.
    ///
    /// # Errors
    /// When the repository has no such changeset with this folder in it.
    pub fn of(folder: &Path, revision: &str) -> Result<Tree, RevisionError> {
        let doing = "find the changeset";
        let not_of = || RevisionError::NotOf {
            revision: revision.to_owned(),
            folder: folder.to_owned(),
        };
        let top = PathBuf::from(Hg::new(folder, doing).args(["root"]).text()?);
        let asked = if revision == "HEAD" { "." } else { revision };
        let commit = changeset(&top, asked, revision).map_err(|error| match error {
            RevisionError::NoRevision { .. } => not_of(),
            other => other,
        })?;
        let prefix = folder.strip_prefix(&top).unwrap_or(Path::new(""));
        let prefix = prefix.to_string_lossy().into_owned();
        // NODE MODE FLAG PATH, the flag in a column of its own.
        let listed = Hg::new(&top, doing)
            .args(["manifest", "--debug", "--rev", &commit])
            .args(["--template", "{hash} {type} {path}\\0"])
            .bytes()?;
        let text = String::from_utf8_lossy(&listed).into_owned();
        let mut hasher = blake3::Hasher::new();
        let (mut links, mut found) = (Vec::new(), false);
        for line in text.split('\0').filter(|line| !line.is_empty()) {
            let mut words = line.splitn(3, ' ');
            let (_, kind, path) = (words.next(), words.next(), words.next());
            let path = Path::new(path.unwrap_or_default());
            if path == Path::new(".hgsub") {
                return Err(RevisionError::Subrepositories { commit });
            }
            let Ok(inside) = path.strip_prefix(&prefix) else {
                continue;
            };
            found = true;
            hasher.update(line.as_bytes()).update(b"\0");
            if kind == Some("@") {
                links.push(inside.to_owned());
            }
        }
        if !found {
            return Err(not_of());
        }
        Ok(Tree {
            id: hasher.finalize().to_hex().to_string(),
            top,
            commit,
            prefix,
            links,
        })
    }

    /// A name for its content: equal names are equal trees.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The symbolic links in it.
    ///
    /// # Errors
    /// When hg fails.
    pub fn links(&self) -> Result<Vec<TreeLink>, RevisionError> {
        let target = |file: &PathBuf| {
            let path = Path::new(&self.prefix).join(file);
            let cat = Hg::new(&self.top, "read a link of the changeset");
            let target = cat
                .args(["cat", "--rev", &self.commit])
                .args([format!("path:{}", path.display())])
                .text()?;
            Ok(TreeLink {
                file: file.clone(),
                target: PathBuf::from(target),
            })
        };
        self.links.iter().map(target).collect()
    }

    /// Writes all of its files into a folder, as they are in the repository.
    ///
    /// # Errors
    /// When hg fails, or a file cannot be written.
    pub fn write(&self, place: &Path) -> Result<(), RevisionError> {
        let whole = tempfile::tempdir_in(place)
            .map_err(|error| RevisionError::file("make a folder in", place, error))?;
        let to = whole.path().join("files");
        Hg::new(&self.top, "write the files of the changeset")
            .args([
                "archive",
                "--type",
                "files",
                "--config",
                "ui.archivemeta=false",
            ])
            .args(["--rev", &self.commit])
            .args([format!(
                "--include=path:{}",
                if self.prefix.is_empty() {
                    "."
                } else {
                    &self.prefix
                }
            )])
            .arg_path(&to)
            .bytes()?;
        let from = to.join(&self.prefix);
        let entries =
            fs::read_dir(&from).map_err(|error| RevisionError::file("read", &from, error))?;
        for entry in entries {
            let moved =
                entry.and_then(|entry| fs::rename(entry.path(), place.join(entry.file_name())));
            moved.map_err(|error| RevisionError::file("write", place, error))?;
        }
        Ok(())
    }
}
