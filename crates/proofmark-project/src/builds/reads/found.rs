//! What was found outside of a build's own folder: files by content, and names of nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use proofmark_capture::hash_file_once;
use proofmark_terms::OsText;

/// What is known outside of the build's own folder.
pub(super) struct Found<'a> {
    pub(super) work: &'a Path,
    pub(super) began: (i64, i64),
    pub(super) files: BTreeMap<OsText, String>,
    pub(super) absent: BTreeSet<OsText>,
}

impl Found<'_> {
    /// Looks at a name that a compiler looked at: a file, or nothing. Whether there is a file.
    pub(super) fn look(&mut self, name: &Path) -> Result<bool, String> {
        let Ok(real) = name.canonicalize() else {
            if !name.starts_with(self.work) {
                self.absent.insert(name.into());
            }
            return Ok(false);
        };
        if !real.is_file() {
            return Ok(false);
        }
        if real.starts_with(self.work) {
            return Ok(true);
        }
        // A link of the source's is gone with the copy.
        let name = if name.starts_with(self.work) {
            real.as_path()
        } else {
            name
        };
        if self.files.contains_key(&OsText::from(name)) {
            return Ok(true);
        }
        let changed = name
            .ancestors()
            .filter_map(|above| Some((above, fs::symlink_metadata(above).ok()?)))
            .filter(|(above, about)| about.is_symlink() || *above == name)
            .chain(fs::metadata(&real).ok().map(|about| (name, about)))
            .find(|(_, about)| (about.ctime(), about.ctime_nsec()) > self.began);
        if let Some((changed, _)) = changed {
            return Err(format!(
                "{} changed while the cell was built, which reads it\n  next: give the command again; a build writes into its own folder only",
                changed.display()
            ));
        }
        let hash = hash_file_once(&real)
            .map_err(|error| format!("cannot read {}: {error}", real.display()))?;
        self.files.insert(name.into(), hash.into());
        Ok(true)
    }
}

impl Found<'_> {
    /// Looks at what compilers take instead of a header where it is there: the header compiled
    /// before.
    pub(super) fn look_compiled(&mut self, header: &Path) -> Result<(), String> {
        for ending in [".gch", ".pch"] {
            let mut name = header.as_os_str().to_owned();
            name.push(ending);
            self.look(Path::new(&name))?;
        }
        Ok(())
    }
}
