//! Where pictures of who calls whom go.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::exit::Usage;

/// Where pictures of who calls whom go. They are of runs of their own, of the images as shipped.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Pictures of calls")]
pub(crate) struct CallsArgs {
    /// Draw flame graphs: of the difference into this file, .svg, and of each build beside it, as in
    /// FILE.base.svg and FILE.new.svg
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) flame: Option<PathBuf>,

    /// Write stacks as text, a line for each: with the samples of both builds into this file, and
    /// of each build beside it
    #[arg(long, value_name = "FILE")]
    pub(crate) folded: Option<PathBuf>,

    /// Write samples of both builds for Firefox's profiler (profiler.firefox.com opens it)
    #[arg(long, value_name = "FILE.json")]
    pub(crate) profile: Option<PathBuf>,
}

impl CallsArgs {
    /// Whether any is asked for.
    pub(crate) fn are_asked(&self) -> bool {
        self.all().next().is_some()
    }

    /// Refuses what nothing could be written into: before anything is measured.
    pub(crate) fn check(&self) -> Result<(), Usage> {
        for (path, ending) in self.all() {
            let is = path.extension().and_then(std::ffi::OsStr::to_str);
            if let Some(ending) = ending.filter(|ending| is != Some(*ending)) {
                return Err(Usage(format!("{} is no .{ending} file", path.display())));
            }
            let folder = path.parent();
            let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
            if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
                return Err(Usage(format!(
                    "cannot write {}: there is no folder {}",
                    path.display(),
                    folder.display()
                )));
            }
        }
        Ok(())
    }

    /// Each file with the ending that it must have.
    fn all(&self) -> impl Iterator<Item = (&Path, Option<&'static str>)> {
        let all = [
            (&self.flame, Some("svg")),
            (&self.folded, None),
            (&self.profile, Some("json")),
        ];
        all.into_iter()
            .filter_map(|(path, ending)| Some((path.as_deref()?, ending)))
    }
}

/// The file beside another one that is of one build: `calls.svg` → `calls.base.svg`.
pub(crate) fn beside(path: &Path, build: &str) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(".");
    name.push(build);
    if let Some(ending) = path.extension() {
        name.push(".");
        name.push(ending);
    }
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_one_build_lie_beside_that_of_both() {
        let of = |path: &str| beside(Path::new(path), "base");
        assert_eq!(of("a/calls.svg"), Path::new("a/calls.base.svg"));
        assert_eq!(of("calls"), Path::new("calls.base"));
    }
}
