//! Whether runs read the trees that were given to their builds: a run that looks elsewhere would
//! compare a program with itself.

use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use proofmark_evidence::record::{Benchmark, Stdin};
use proofmark_measure::trace::Traced;
use proofmark_terms::OsText;

use super::look::{Look, straight};
use super::traced::{asked_about, in_vain, opened};
use crate::builds::Subject;
use crate::error::LabError;
use crate::tree::Tree;

/// What runs were seen to do with their trees.
#[derive(Default)]
pub(crate) struct TreesRead {
    /// Some run could be followed.
    followed: bool,
    /// Some run looked into its tree.
    read: bool,
    /// Some command names the place of its tree.
    named: bool,
}

impl TreesRead {
    /// Takes in what is to be run, be it seen or not.
    pub(super) fn take_named(&mut self, look: &Look<'_>) {
        self.named |= names_tree(look);
    }

    /// Takes in a run of a build with a tree.
    ///
    /// # Errors
    ///
    /// When it reads the tree of another build, where that lies.
    pub(super) fn take(
        &mut self,
        look: &Look<'_>,
        subject: &Subject,
        all: &[Subject],
        run: &Traced,
    ) -> Result<(), LabError> {
        let Some(own) = &subject.tree else {
            return Ok(());
        };
        if let Stdin::File(file) = &look.benchmark.stdin
            && look.is_in_tree(Path::new(file.as_ref()))
        {
            return Err(LabError::Refused(format!(
                "--stdin {} lies where the trees are seen, and is opened before a run sees its own: all runs would read that one file\n  next: have the command read it, as in `sh -c 'prog <FILE'`",
                file.display()
            )));
        }
        self.followed = true;
        let paths: Vec<PathBuf> = opened(run)
            .chain(asked_about(run))
            .chain(in_vain(run))
            .collect();
        self.read |= look.is_in_tree(look.image) || paths.iter().any(|path| look.is_in_tree(path));
        let read = opened(run).map(|path| straight(&path).into_owned());
        let read: Vec<PathBuf> = read.collect();
        refuse_copy(subject, own, &read)?;
        let others = all.iter().filter_map(|other| other.tree.as_ref());
        let strange = |tree: &&Tree| {
            let elsewhere = tree.from() != own.from() || tree.is_kept();
            elsewhere && !tree.from().starts_with(own.at())
        };
        for other in others.filter(strange) {
            if let Some(path) = read.iter().find(|path| path.starts_with(other.from())) {
                return Err(LabError::Refused(format!(
                    "a run of {} reads {}, which is {}: the trees are seen at {}, and not there\n  next: name the place from which the program reads them, such as --tree-at {}",
                    subject.name,
                    path.display(),
                    match other.from() == own.from() {
                        true => "where its tree was copied from",
                        false => "of another build's tree",
                    },
                    own.at().display(),
                    other.from().display()
                )));
            }
        }
        Ok(())
    }

    /// Whether what is measured is about the trees at all.
    ///
    /// # Errors
    ///
    /// When no run looked into its tree; or, where runs cannot be followed, none is told to.
    pub(crate) fn settle(&self, all: &[Subject]) -> Result<(), LabError> {
        let tree = all.iter().find_map(|subject| subject.tree.as_ref());
        let read = self.read || (!self.followed && self.named);
        match tree {
            Some(tree) if !read => Err(LabError::Refused(format!(
                "no run looks into {}, where the trees are seen: whatever differs in them, the runs would be the same\n  next: name the place from which the program reads them with --tree-at DIR",
                tree.at().display()
            ))),
            _ => Ok(()),
        }
    }
}

/// Refuses what is done around runs where it goes by a file below the place of the trees: it does
/// not see the tree of a build. `option` is as on a command line.
pub(super) fn refuse_around(
    look: &Look<'_>,
    option: &str,
    helper: &Result<Traced, String>,
) -> Result<(), LabError> {
    let Ok(helper) = helper else {
        return Ok(());
    };
    let mut paths = opened(helper).chain(asked_about(helper));
    paths
        .find(|path| look.is_in_tree(path))
        .map_or(Ok(()), |path| Err(sees_no_tree(option, &path)))
}

/// The same of what is done once for all runs, which is not traced: by the names in it.
pub(super) fn refuse_set_up(look: &Look<'_>) -> Result<(), LabError> {
    let text = look.benchmark.setup.as_deref().unwrap_or_default();
    let part_of_name = |c: char| c.is_alphanumeric() || "/._-+@%~".contains(c);
    let names = text
        .split(|c| !part_of_name(c))
        .filter(|name| !name.is_empty());
    let cwd = Path::new(look.benchmark.cwd.as_ref());
    let mut paths = names.map(|name| cwd.join(name));
    paths
        .find(|path| look.is_in_tree(path))
        .map_or(Ok(()), |path| Err(sees_no_tree("--setup", &path)))
}

fn sees_no_tree(option: &str, path: &Path) -> LabError {
    LabError::Refused(format!(
        "{option} reads {}, which lies in the tree. It does not see the tree of a build: it would \
         find the same file for all of them\n  next: let the command of the runs do that",
        path.display()
    ))
}

/// Refuses a run that reads the files of the source in the copy that its build was made in: builds
/// with other trees may be made in the same one.
fn refuse_copy(subject: &Subject, own: &Tree, read: &[PathBuf]) -> Result<(), LabError> {
    let links = subject.links().unwrap_or_default().iter();
    let copies = links.filter_map(|link| own.in_copy(&link.gone.as_ref()?.folder));
    for copy in copies {
        if let Some(path) = read.iter().find(|path| path.starts_with(&copy)) {
            return Err(LabError::Refused(format!(
                "a run of {} reads {}, which is of the copy that its build was made in: the trees are seen at {}, and not there\n  next: let the program find the files there, by an argument or a variable",
                subject.name,
                path.display(),
                own.at().display()
            )));
        }
    }
    Ok(())
}

/// Whether a command names the place of its tree.
fn names_tree(look: &Look<'_>) -> bool {
    let named = |word: &OsText| {
        let place = look.tree.map(|tree| tree.as_os_str().as_bytes());
        let word = word.as_ref().as_bytes();
        place.is_some_and(|place| word.windows(place.len()).any(|part| part == place))
    };
    let Benchmark { argv, env, .. } = look.benchmark;
    look.is_in_tree(look.image)
        || argv
            .iter()
            .chain(env.iter().map(|(_, value)| value))
            .any(named)
}
