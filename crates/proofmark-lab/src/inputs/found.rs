//! What runs and the commands around them were found to read and to write: taken in one after the
//! other, and settled when all are known.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use proofmark_evidence::record::{AskedAbout, Benchmark, Input, Inputs};
use proofmark_measure::trace::{Outliving, Traced};
use proofmark_terms::{BuildIndex, OsText};

use super::address_tables::address_tables;
use super::content::{answer_of, hashed, is_there, real};
use super::look::Look;
use super::named::named;
use super::of_builds;
use super::of_copies::{Copies, Use};
use super::own::is_own;
use super::traced::{
    asked_about, changed, changed_by_itself, in_vain, kept_between, opened, unseen,
};
use crate::builds::Subject;
use crate::error::LabError;

/// What the kernel makes up as it is read.
const MADE_UP: [&str; 3] = ["/proc", "/sys", "/dev"];

/// Files in memory lie among the devices, and are files all the same.
const IN_MEMORY: &str = "/dev/shm";

/// Whether a path is that of something that the kernel makes up.
fn is_made_up(path: &Path) -> bool {
    !path.starts_with(IN_MEMORY) && MADE_UP.iter().any(|made_up| path.starts_with(made_up))
}

/// What was found so far.
#[derive(Default)]
pub(super) struct Found {
    /// Read by content, of others than the run's own build.
    read: BTreeSet<PathBuf>,
    /// Asked about without being opened.
    asked: BTreeSet<PathBuf>,
    /// How many runs read a file, or asked about it.
    runs: BTreeMap<PathBuf, usize>,
    /// Read, or asked about, by commands that run for every build.
    of_all: BTreeSet<PathBuf>,
    /// Looked for in vain.
    missed: BTreeSet<PathBuf>,
    /// Looked for in vain where the copy was that a build was made in.
    missed_in_copies: BTreeSet<PathBuf>,
    /// Changed by a run, and still there after it.
    written: BTreeSet<PathBuf>,
    /// Files of which something else is told after a run, such as their rights: it set that.
    told_otherwise: BTreeSet<PathBuf>,
    /// Of what runs wrote, that in their working folder.
    in_cwd: BTreeSet<PathBuf>,
    /// Builds whose runs read the file that they run.
    own_readers: Vec<BuildIndex>,
    /// Read by content, of whatever build.
    all_read: BTreeSet<PathBuf>,
    /// Changed by a run in its tree.
    in_trees: BTreeSet<PathBuf>,
    /// Made by each of the commands that prepare runs.
    made: Vec<BTreeSet<PathBuf>>,
    /// What one run leaves to the next.
    state: BTreeSet<PathBuf>,
    /// What the kernel keeps from one run to the next.
    outliving: BTreeSet<Outliving>,
    /// Why some of it could not be seen.
    only_named: Option<String>,
}

impl Found {
    /// Takes in what the command of a run names.
    pub(super) fn take_named(&mut self, look: &Look<'_>) {
        let named = named(look.benchmark).into_iter();
        self.read
            .extend(named.filter(|path| look.is_of_others(path)));
    }

    /// Takes in what a command that prepares runs did, or why that was not seen.
    pub(super) fn take_prepare(&mut self, prepare: Result<Traced, String>) {
        if let Ok(prepare) = &prepare {
            // Also what it wrote as it was there already.
            self.made.push(prepare.written.keys().cloned().collect());
        }
        self.take_helper(prepare);
    }

    /// Takes in what a command around a run did, or why that was not seen.
    pub(super) fn take_helper(&mut self, helper: Result<Traced, String>) {
        let helper = match helper {
            Ok(helper) => helper,
            Err(why) => {
                self.only_named = Some(why);
                return;
            }
        };
        // What it makes is an input where a run reads it.
        let made: BTreeSet<PathBuf> = changed(&helper).collect();
        let given = |path: &PathBuf| !made.contains(path);
        // A folder that it makes sure of is there from then on.
        let files = kept_between(&helper).filter(|path| path.is_file());
        self.state.extend(files);
        self.only_named = unseen(&helper).or(self.only_named.take());
        self.read.extend(opened(&helper).filter(given));
        self.asked.extend(asked_about(&helper).filter(given));
        let seen = opened(&helper).chain(asked_about(&helper));
        self.of_all
            .extend(seen.filter(given).map(|path| real(&path)));
        self.missed.extend(in_vain(&helper).filter(given));
    }

    /// Takes in what the command that prepares each run did after a run: what it removes or writes
    /// anew is no longer what that run has left.
    pub(super) fn take_put_back(&mut self, again: Result<Traced, String>) {
        let Ok(again) = again else { return };
        let kept = changed_by_itself(&again).filter(|path| path.is_file());
        let kept: BTreeSet<PathBuf> = kept.collect();
        for path in changed(&again).filter(|path| !kept.contains(path)) {
            self.state.remove(&path);
        }
    }

    /// Takes in what a run of a build did, or why that was not seen; `own` is proofmark's own
    /// folder.
    pub(super) fn take_run(
        &mut self,
        build: BuildIndex,
        look: &Look<'_>,
        own: &Path,
        run: Result<Traced, String>,
    ) {
        let run = match run {
            Ok(run) => run,
            Err(why) => {
                self.only_named = Some(why);
                return;
            }
        };
        self.only_named = unseen(&run).or(self.only_named.take());
        let mut read = run.read.iter().filter(|(_, read)| read.found);
        let itself = read.any(|(path, _)| look.is_its_own_file(path));
        self.own_readers.extend(itself.then_some(build));
        let lasting = |path: &PathBuf| look.is_lasting(path);
        let of_others = |path: &PathBuf| look.is_of_others(path);
        let here = |path: &&PathBuf| {
            path.starts_with(look.cwd()) && look.is_lasting(path) && !is_own(path, own)
        };
        self.in_trees
            .extend(changed(&run).filter(|path| look.is_in_tree(path)));
        self.written.extend(changed(&run).filter(lasting));
        self.in_cwd.extend(run.written.keys().filter(here).cloned());
        self.state.extend(kept_between(&run).filter(lasting));
        // What is seen there is not on the disk: whether it changed, nobody can look.
        let in_copies = |path: &&PathBuf| look.is_in_copies(path);
        self.state
            .extend(run.written.keys().filter(in_copies).cloned());
        self.outliving.extend(run.outliving.iter().cloned());
        for (path, asked) in run.told_otherwise() {
            let path = path.to_owned();
            if look.is_lasting(&path) {
                self.state.extend(asked.then(|| path.clone()));
                self.told_otherwise.insert(path.clone());
                self.written.insert(path);
            }
        }
        self.all_read.extend(opened(&run));
        self.read.extend(opened(&run).filter(of_others));
        self.asked.extend(asked_about(&run).filter(of_others));
        self.missed.extend(in_vain(&run).filter(of_others));
        self.missed_in_copies
            .extend(in_vain(&run).filter(|path| look.is_in_copies(path)));
        self.count(opened(&run).chain(asked_about(&run)));
    }

    /// The inputs that follow from all that was taken in.
    ///
    /// # Errors
    ///
    /// When a build wrote what runs of several builds read, or had what its runs look for, in vain
    /// or where the sources of all builds lie.
    pub(super) fn settle(
        mut self,
        looks: &[Look<'_>],
        subjects: &[Subject],
        own: &Path,
    ) -> Result<Inputs, LabError> {
        self.settle_made();
        let copies = Copies::of(subjects)?;
        for missed in [&self.missed, &self.missed_in_copies] {
            copies.had(missed)?;
        }
        let images: BTreeSet<&Path> = looks.iter().map(|look| look.image).collect();
        let counts = |path: &PathBuf| {
            !images.contains(path.as_path()) && !is_own(path, own) && !is_made_up(path)
        };
        // What the run of one build sets may be what that of another one asks about.
        let told = self.asked.iter().map(|path| real(path));
        let told = told.filter(|path| self.told_otherwise.contains(path));
        self.state.extend(told);
        // What runs make themselves they may well find.
        self.asked
            .retain(|path| !self.written.contains(path) && counts(path));
        self.read.retain(counts);
        let benchmarks: Vec<&Benchmark> = looks.iter().map(|look| look.benchmark).collect();
        for (paths, used) in [(&self.read, Use::Read), (&self.asked, Use::Sought)] {
            for path in paths {
                copies.are_alike(path, used, &benchmarks)?;
            }
        }
        let asked = self.answers();
        self.settle_missed(counts);
        self.all_read.retain(|path| !is_made_up(path));
        let address_tables = address_tables(&self.all_read, subjects);
        let fixed = self.split_read();
        let between = self.between(&fixed, looks, subjects)?;
        Ok(Inputs {
            fixed,
            asked,
            between,
            absent: self.missed.into_iter().map(OsText::from).collect(),
            written: (self.in_cwd.into_iter())
                .filter(|path| !is_made_up(path))
                .map(OsText::from)
                .collect(),
            in_trees: without_folders(&self.in_trees),
            read_themselves: self.own_readers,
            address_tables,
            state: state(self.state, &self.outliving),
            only_named: self.only_named,
        })
    }

    /// Where runs are prepared in several ways, a file that each of them makes anew is the run's
    /// own, and may be another one for each; what only some of them make is what one run leaves to
    /// the next. With one way, it is an input like any.
    fn settle_made(&mut self) {
        if self.made.len() < 2 {
            return;
        }
        let made = std::mem::take(&mut self.made);
        let all: BTreeSet<&PathBuf> = made.iter().flatten().collect();
        for path in all {
            let met = self.read.contains(path) || self.asked.contains(path);
            if made.iter().all(|by_one| by_one.contains(path)) {
                self.read.remove(path);
                self.asked.remove(path);
            } else if met && path.is_file() {
                self.state.insert(path.clone());
            }
        }
    }

    /// What the system answers about what was asked. A file counts as read besides; of a folder
    /// nothing else is learnt by asking about it.
    fn answers(&mut self) -> Vec<AskedAbout> {
        let answered = |path: &PathBuf| {
            Some(AskedAbout {
                path: path.clone().into(),
                answer: answer_of(path)?.into(),
            })
        };
        let answers = self.asked.iter().filter_map(answered).collect();
        let asked = std::mem::take(&mut self.asked);
        self.read
            .extend(asked.into_iter().filter(|path| path.is_file()));
        answers
    }

    /// Of what was looked for in vain, what is not there is left; what one build looks for and
    /// another makes is state.
    fn settle_missed(&mut self, counts: impl Fn(&PathBuf) -> bool) {
        let made = self.missed.intersection(&self.written);
        self.state
            .extend(made.filter(|path| is_there(path)).cloned());
        self.missed
            .retain(|path| counts(path) && !self.written.contains(path) && !is_there(path));
    }

    /// The files and folders that stay as they are, with their hashes; a file that runs write as
    /// well is state.
    fn split_read(&mut self) -> Vec<Input> {
        let mut fixed = Vec::new();
        // It may be read by one name and written by another.
        let written: BTreeSet<PathBuf> = self.written.iter().map(|path| real(path)).collect();
        for path in std::mem::take(&mut self.read) {
            if self.written.contains(&path) || written.contains(&real(&path)) {
                self.state.extend(path.is_file().then_some(path));
            } else if let Ok(Some((hash, _))) = hashed(&path) {
                fixed.push(Input {
                    path: path.into(),
                    hash,
                });
            }
        }
        fixed
    }

    /// Notes what one run read, or asked about, by whatever name.
    fn count(&mut self, paths: impl Iterator<Item = PathBuf>) {
        let real: BTreeSet<PathBuf> = paths.map(|path| real(&path)).collect();
        for path in real {
            *self.runs.entry(path).or_default() += 1;
        }
    }

    /// Whether several runs, or a command that runs for every build, read a file.
    fn is_of_several(&self, path: &Path) -> bool {
        let path = real(path);
        self.of_all.contains(&path) || self.runs.get(&path).is_some_and(|runs| *runs > 1)
    }

    /// Files that runs of several builds read, and that were changed between the builds. What the
    /// user names is meant as it is.
    fn between(
        &self,
        fixed: &[Input],
        looks: &[Look<'_>],
        subjects: &[Subject],
    ) -> Result<Vec<OsText>, LabError> {
        let named: BTreeSet<PathBuf> = looks
            .iter()
            .flat_map(|look| named(look.benchmark))
            .collect();
        let shared = fixed.iter();
        let shared = shared.filter(|input| self.is_of_several(Path::new(input.path.as_ref())));
        let shared: Vec<Input> = shared.cloned().collect();
        let own_place = looks.iter().all(|look| look.view.is_some());
        let mut between = of_builds::between(&shared, subjects, own_place)?;
        between.retain(|path| !named.contains(Path::new(path.as_ref())));
        Ok(between)
    }
}

/// Names without those of folders in which there are others of them.
fn without_folders(paths: &BTreeSet<PathBuf>) -> Vec<OsText> {
    let holds = |folder: &PathBuf| {
        let mut others = paths.iter();
        others.any(|path| path != folder && path.starts_with(folder))
    };
    let names = paths.iter().filter(|path| !holds(path)).cloned();
    names.map(OsText::from).collect()
}

/// Files, and what the kernel keeps, that one run leaves to the next.
fn state(files: BTreeSet<PathBuf>, outliving: &BTreeSet<Outliving>) -> Vec<OsText> {
    let kept = (outliving.iter()).map(|each| OsString::from(each.to_string()).into());
    files.into_iter().map(OsText::from).chain(kept).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_build_reads_alone_is_not_of_several() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["of one", "of both"] {
            std::fs::write(path(name), name).unwrap();
        }
        std::os::unix::fs::symlink("of both", path("link")).unwrap();
        let mut found = Found::default();
        found.count([path("of one"), path("of one"), path("of both")].into_iter());
        found.count([path("link")].into_iter());
        assert!(!found.is_of_several(&path("of one")));
        assert!(found.is_of_several(&path("of both")) && found.is_of_several(&path("link")));
        found.of_all.insert(real(&path("of one")));
        assert!(found.is_of_several(&path("of one")));
    }
}
