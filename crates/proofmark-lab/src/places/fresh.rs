//! `--cwd fresh`: each run sees a copy of the working folder of its own, in that folder's place.
//!
//! The copy lies below proofmark's own folder and is bound over the working folder in the run's
//! private view: every path means what it always does, `..` and absolute ones too. It is made anew
//! before each run, outside of what is measured.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use proofmark_evidence::record::Benchmark;
use proofmark_measure::{Binding, View};

use crate::error::{LabError, of_file};
use crate::tree::like::{Links, like, may_be_copied};

/// Most files and folders, and most bytes, that are copied before each run.
const MOST: (u64, u64) = (10_000, 256 << 20);

/// A folder of which each run has a copy.
#[derive(Clone, Debug)]
pub(crate) struct Original {
    folder: PathBuf,
    /// proofmark's own folder, which is never copied, and stays what it is.
    own: PathBuf,
}

/// The copy that one arm sees.
#[derive(Clone, Debug)]
pub(crate) struct Fresh {
    original: Original,
    copy: PathBuf,
    /// Where something is bound in it, relative: those must not be removed.
    bound: BTreeSet<PathBuf>,
}

impl Original {
    /// The folder of a benchmark whose runs have copies; `None` where they run in the folder
    /// itself. `own` is proofmark's own folder.
    ///
    /// # Errors
    ///
    /// When there can be no copies: no views, too much to copy, or each run is prepared in the
    /// folder itself.
    pub(crate) fn of(benchmark: &Benchmark, own: &Path) -> Result<Option<Original>, LabError> {
        if !benchmark.fresh_cwd {
            return Ok(None);
        }
        let refused = |why: String| Err(LabError::Refused(why));
        if benchmark.prepare.is_some() {
            return refused(
                "--prepare and --cwd fresh: each run has a copy of the folder already, and the command would go on in the folder itself\n  next: use one of them".to_owned(),
            );
        }
        if let Err(why) = View::usable() {
            return refused(format!(
                "--cwd fresh puts a copy in the place of the folder, for which private mount namespaces are needed: {why}\n  next: allow them to this user, or put things back before each run with --prepare"
            ));
        }
        let absolute = |path: &Path| path.canonicalize().map_err(of_file("find", path));
        let original = Original {
            folder: absolute(Path::new(benchmark.cwd.as_ref()))?,
            own: absolute(own)?,
        };
        let mut found = (0, 0);
        original.size(&original.folder, &mut found)?;
        let (files, bytes) = found;
        if files > MOST.0 || bytes > MOST.1 {
            return refused(format!(
                "--cwd fresh copies {} before each run, and that has more than {} files or {} MiB\n  next: put what the runs need into a folder of its own, and name it: --cwd fresh:DIR",
                original.folder.display(),
                MOST.0,
                MOST.1 >> 20
            ));
        }
        Ok(Some(original))
    }

    /// Adds up what is below a folder, until it is too much.
    fn size(&self, folder: &Path, (files, bytes): &mut (u64, u64)) -> Result<(), LabError> {
        for entry in fs::read_dir(folder).map_err(of_file("list", folder))? {
            let entry = entry.map_err(of_file("list", folder))?;
            let path = entry.path();
            let about = path.symlink_metadata().map_err(of_file("look at", &path))?;
            if path == self.own || *files > MOST.0 || *bytes > MOST.1 {
                continue;
            }
            *files += 1;
            if !about.is_symlink() {
                may_be_copied(&path, &about)?;
            }
            if about.is_dir() {
                let mut inside = (*files, *bytes);
                self.size(&path, &mut inside)?;
                (*files, *bytes) = inside;
            } else if about.is_file() {
                *bytes += about.len();
            }
        }
        Ok(())
    }

    /// A copy at `copy`, and the view in which it lies in the folder's place, with these bindings
    /// beside and in it.
    ///
    /// # Errors
    ///
    /// When it cannot be copied or bound.
    pub(crate) fn seen(
        &self,
        copy: &Path,
        mut bindings: Vec<Binding>,
    ) -> Result<(Fresh, View), LabError> {
        fs::create_dir_all(copy).map_err(of_file("make", copy))?;
        let copy = copy.canonicalize().map_err(of_file("find", copy))?;
        bindings.insert(
            0,
            Binding {
                file: self.own.clone(),
                at: self.own.clone(),
            },
        );
        let inside = |binding: &Binding| {
            let inside = binding.at.strip_prefix(&self.folder).ok()?;
            (!inside.as_os_str().is_empty()).then(|| inside.to_owned())
        };
        let fresh = Fresh {
            original: self.clone(),
            bound: bindings.iter().filter_map(inside).collect(),
            copy: copy.clone(),
        };
        fresh.renew()?;
        for path in &fresh.bound {
            // What is not copied, since it lies in proofmark's own folder, is there once that is
            // bound.
            let place = copy.join(path);
            if self.folder.join(path) == self.own {
                fs::create_dir_all(&place).map_err(of_file("make", &place))?;
            }
        }
        let folder = Binding {
            file: copy,
            at: self.folder.clone(),
        };
        let view = View::in_folder(&bindings, &folder)?;
        Ok((fresh, view))
    }
}

impl Fresh {
    /// Makes the copy what the folder is.
    ///
    /// # Errors
    ///
    /// When something cannot be removed or copied.
    pub(crate) fn renew(&self) -> Result<(), LabError> {
        self.empty(&self.copy)?;
        let folder = &self.original.folder;
        self.fill(folder, &self.copy, &mut Links::default())?;
        let about = folder.metadata().map_err(of_file("look at", folder))?;
        like(&self.copy, &about, 0).map_err(of_file("make", &self.copy))
    }

    fn is_bound(&self, path: &Path) -> bool {
        let inside = path.strip_prefix(&self.copy);
        inside.is_ok_and(|inside| self.bound.contains(inside))
    }

    /// Whether something below a folder of the copy is bound.
    fn holds_bound(&self, path: &Path) -> bool {
        let inside = path.strip_prefix(&self.copy);
        inside.is_ok_and(|inside| self.bound.iter().any(|bound| bound.starts_with(inside)))
    }

    fn empty(&self, folder: &Path) -> Result<(), LabError> {
        for entry in fs::read_dir(folder).map_err(of_file("list", folder))? {
            let path = entry.map_err(of_file("list", folder))?.path();
            let about = path.symlink_metadata().map_err(of_file("look at", &path))?;
            if self.is_bound(&path) {
                continue;
            }
            if about.is_dir() && self.holds_bound(&path) {
                self.empty(&path)?;
            } else if about.is_dir() {
                fs::remove_dir_all(&path).map_err(of_file("remove", &path))?;
            } else {
                fs::remove_file(&path).map_err(of_file("remove", &path))?;
            }
        }
        Ok(())
    }

    fn fill(&self, from: &Path, to: &Path, links: &mut Links) -> Result<(), LabError> {
        for entry in fs::read_dir(from).map_err(of_file("list", from))? {
            let entry = entry.map_err(of_file("list", from))?;
            let (path, copy) = (entry.path(), to.join(entry.file_name()));
            let about = path.symlink_metadata().map_err(of_file("look at", &path))?;
            if path == self.original.own || (self.is_bound(&copy) && copy.exists()) {
                continue;
            }
            if about.is_symlink() {
                let target = fs::read_link(&path).map_err(of_file("read", &path))?;
                symlink(target, &copy).map_err(of_file("copy a link to", &copy))?;
            } else if about.is_dir() {
                if !copy.is_dir() {
                    fs::create_dir(&copy).map_err(of_file("make", &copy))?;
                }
                self.fill(&path, &copy, links)?;
                like(&copy, &about, 0).map_err(of_file("make", &copy))?;
            } else {
                let write = || fs::copy(&path, &copy).map(drop);
                (links.copy(&about, &copy, write)).map_err(of_file("copy for a run", &path))?;
            }
        }
        Ok(())
    }
}
