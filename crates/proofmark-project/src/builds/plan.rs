//! What a matrix needs before anything starts: which builds there are, which are missing, and what
//! stands in the way of a cell.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use proofmark_capture::outside::Makers;
use proofmark_capture::{BuildError, Builds};
use proofmark_terms::Digest;
use serde::Serialize;

use super::built::Failure;
use super::record::{Places, Record, Recorded};
use crate::cells::{Cell, Cells};
use crate::definition::{Definitions, Source};
use crate::environment::{Environment, cores};
use crate::memory::Memory;
use crate::project::FILE;
use crate::sources::{MadeTree, Ours, Snapshot};
use crate::toolchain::{Toolchain, ToolchainError, Toolchains};

/// The version of what goes into a key: builds made by another one are made again.
const KEY_VERSION: &str = "11";

/// Where the builds of a matrix are made and kept.
#[derive(Debug)]
pub struct Workshop<'a> {
    pub(super) definitions: &'a Definitions,
    pub(super) cells: &'a Cells,
    pub(super) project: PathBuf,
    pub(super) builds: Builds,
    pub(super) toolchains: Toolchains,
    pub(super) places: Places,
    pub(super) memory: Memory,
    /// Who made what lies outside of all copies.
    pub(super) makers: Makers,
    pub(super) environment: Environment,
    /// What no source holds.
    pub(super) ours: Ours,
    /// The program that acts as the capture's shims.
    pub(super) shim_program: PathBuf,
    /// Captures whose stored files were read, and are what was stored.
    pub(super) whole: Mutex<HashSet<String>>,
    /// The trees of sources that were put together, by what they are made from.
    pub(super) trees: Mutex<HashMap<Digest, Result<Option<MadeTree>, String>>>,
}

/// A matrix as it stands.
#[derive(Clone, Debug)]
pub struct BuildPlan {
    /// Each cell, in the matrix's order.
    pub cells: Vec<Planned>,
    /// Each toolchain by name, found or not.
    pub toolchains: Vec<(String, Result<Toolchain, ToolchainError>)>,
    pub(super) sources: HashMap<String, (Source, Snapshot)>,
}

/// A cell as it stands.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The combination.
    pub cell: Cell,
    /// BLAKE3 of everything that goes into its build and is known beforehand, in hexadecimal;
    /// `None` where something of it is not there.
    pub key: Option<String>,
    /// Whether there is a build.
    pub state: CellState,
    /// The build's own output, where it was started.
    pub log: Option<PathBuf>,
    /// Its name among the sources of the plan.
    pub(super) source: String,
}

/// Whether a cell has a build.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum CellState {
    /// It is there.
    Built {
        /// How long it took, in seconds.
        seconds: f64,
    },
    /// It has to be built.
    Missing {
        /// The same has failed before, for this reason.
        failed_before: Option<String>,
    },
    /// It cannot be built as things are.
    Blocked(Failure),
}

impl<'a> Workshop<'a> {
    /// The workshop of a project: `project` is the folder of its file, `proofmark_dir` its
    /// `.proofmark` folder.
    ///
    /// # Errors
    /// When the folder cannot be made, or the system cannot say where this program is.
    pub fn open(
        definitions: &'a Definitions,
        cells: &'a Cells,
        project: &Path,
        proofmark_dir: &Path,
    ) -> Result<Workshop<'a>, BuildError> {
        let builds = Builds::open(proofmark_dir)?;
        let shim_program = std::env::current_exe().map_err(BuildError::file("find", project))?;
        let places = Places::new(builds.folder());
        Ok(Workshop {
            definitions,
            cells,
            project: project.to_owned(),
            toolchains: Toolchains::open(builds.folder()),
            memory: Memory::new(places.known()),
            makers: Makers::new(places.made()),
            places,
            builds,
            environment: Environment::of_this_process(),
            ours: Ours::new([project.join(FILE).as_path(), proofmark_dir]),
            shim_program,
            whole: Mutex::default(),
            trees: Mutex::default(),
        })
    }

    /// With another program as the capture's shims: it must call [`proofmark_capture::shim_main`]
    /// first.
    #[must_use]
    pub fn with_shims(self, program: PathBuf) -> Workshop<'a> {
        Workshop {
            shim_program: program,
            ..self
        }
    }

    /// The same of a project whose file is this one, by whichever name: it is no part of a source.
    #[must_use]
    pub fn of_file(self, file: &Path) -> Workshop<'a> {
        let usual = self.project.join(FILE);
        let ours = [file, usual.as_path(), self.builds.folder()];
        Workshop {
            ours: Ours::new(ours),
            toolchains: self.toolchains.of_file(file),
            ..self
        }
    }

    /// Looks at sources and toolchains. Builds and installs nothing.
    #[must_use]
    pub fn plan(&self) -> BuildPlan {
        let mut toolchains: Vec<(String, Result<Toolchain, ToolchainError>)> = Vec::new();
        let mut sources = HashMap::new();
        let mut source_problems = HashMap::new();
        for Cell { axes, .. } in &self.cells.all {
            if !toolchains.iter().any(|(name, _)| *name == axes.toolchain) {
                let definition = self.definitions.toolchain(&axes.toolchain);
                let definition = definition.unwrap_or_default();
                let found = self.toolchains.find(&axes.toolchain, &definition);
                toolchains.push((axes.toolchain.clone(), found));
            }
            let name = &axes.source;
            if !sources.contains_key(name) && !source_problems.contains_key(name) {
                match self.snapshot(name) {
                    Ok(found) => drop(sources.insert(name.clone(), found)),
                    Err(why) => drop(source_problems.insert(name.clone(), why)),
                }
            }
        }
        let mut plan = BuildPlan {
            cells: Vec::new(),
            toolchains,
            sources,
        };
        for cell in &self.cells.all {
            let planned = self.planned(cell, &plan, &source_problems);
            plan.cells.push(planned);
        }
        self.settled(&plan).unwrap_or(plan)
    }

    fn snapshot(&self, name: &str) -> Result<(Source, Snapshot), String> {
        let source = self
            .definitions
            .source(name)
            .map_err(|problem| problem.to_string())?;
        let snapshot = Snapshot::of(&source, &self.project, &self.ours, &self.memory)?;
        Ok((source, snapshot))
    }

    fn planned(
        &self,
        cell: &Cell,
        plan: &BuildPlan,
        problems: &HashMap<String, String>,
    ) -> Planned {
        let blocked = |why: String, toolchain: bool| Planned {
            cell: cell.clone(),
            key: None,
            state: CellState::Blocked(Failure { why, toolchain }),
            log: None,
            source: cell.axes.source.clone(),
        };
        let toolchain = match plan.toolchain(&cell.axes.toolchain) {
            Some(Ok(toolchain)) => toolchain,
            Some(Err(error)) => return blocked(error.to_string(), true),
            None => return blocked("no toolchain".to_owned(), true),
        };
        let Some((source, snapshot)) = plan.sources.get(&cell.axes.source) else {
            let why = problems.get(&cell.axes.source).cloned().unwrap_or_default();
            return blocked(why, false);
        };
        let key = self.key(cell, &toolchain.hash, source, snapshot);
        let record = self.kept(&key).or_else(|| self.places.failed(&key));
        let log = record.as_ref().map(|record| self.places.log(record));
        Planned {
            cell: cell.clone(),
            state: state(record),
            key: Some(key),
            log: log.filter(|log| log.is_file()),
            source: cell.axes.source.clone(),
        }
    }

    /// The build with this key that is there as it was stored, and whose reads are what they were.
    pub(super) fn kept(&self, key: &str) -> Option<Record> {
        let holds = |record: &Record| {
            matches!(record.outcome, Recorded::Made(_))
                && record
                    .reads
                    .changed(&self.memory, &record.capture)
                    .is_none()
                && self.is_whole(&record.capture)
        };
        self.places.read(key).into_iter().find(holds)
    }

    /// Whether a capture is there with all of its files, each as it was stored: read once.
    fn is_whole(&self, name: &str) -> bool {
        let mut whole = self.whole.lock().unwrap_or_else(PoisonError::into_inner);
        let found = || {
            let capture = self.builds.find(name).ok()?;
            self.builds.verify(&capture).ok()
        };
        whole.contains(name) || (found().is_some() && whole.insert(name.to_owned()))
    }

    /// Everything that goes into a build and is known beforehand. What its compilers read beside is
    /// kept with it.
    pub(super) fn key(
        &self,
        cell: &Cell,
        toolchain: &str,
        source: &Source,
        snapshot: &Snapshot,
    ) -> String {
        let (flags, ldflags) = self.words(cell);
        // It may stand in the program, or say how its code is split.
        let jobs = source.says_jobs().then(cores);
        let parts = [
            KEY_VERSION.to_owned(),
            snapshot.hash.to_string(),
            source.build.clone(),
            format!("{:?} {:?}{}", source.image, source.env, of_tree(snapshot)),
            toolchain.to_owned(),
            self.environment.hash(),
            format!("{flags:?} {ldflags:?} {jobs:?}"),
        ];
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            hasher
                .update(&part.len().to_le_bytes())
                .update(part.as_bytes());
        }
        hasher.finalize().to_hex().to_string()
    }

    /// Everything that goes into a cell's build beside its toolchain, and is known beforehand.
    ///
    /// # Errors
    /// In words, when its sources cannot be read.
    pub fn beside_toolchain(&self, cell: &Cell) -> Result<Digest, String> {
        let (source, snapshot) = self.snapshot(&cell.axes.source)?;
        Ok(Digest::from(blake3::hash(
            self.key(cell, "", &source, &snapshot).as_bytes(),
        )))
    }

    /// What `{flags}` and `{ldflags}` stand for in a cell.
    pub(super) fn words(&self, cell: &Cell) -> (Vec<String>, Vec<String>) {
        let sets = cell.axes.flags.iter();
        let sets: Vec<_> = sets
            .filter_map(|name| self.definitions.flags.get(name))
            .collect();
        let flags = sets
            .iter()
            .flat_map(|set| set.add.iter().cloned())
            .collect();
        let ldflags = sets
            .iter()
            .flat_map(|set| set.link.iter().cloned())
            .collect();
        (flags, ldflags)
    }
}

/// Where a build sees what runs read. What it reads there is not looked at in a source without it.
fn of_tree(snapshot: &Snapshot) -> String {
    let tree = snapshot.tree.as_ref();
    tree.map_or_else(String::new, |tree| {
        format!(" {:?}", tree.seen_by_build(Path::new("")))
    })
}

pub(super) fn state(record: Option<Record>) -> CellState {
    match record {
        Some(Record {
            seconds,
            outcome: Recorded::Made(_),
            ..
        }) => CellState::Built { seconds },
        Some(Record {
            outcome: Recorded::Failed(failure),
            ..
        }) => CellState::Missing {
            failed_before: Some(failure.why),
        },
        None => CellState::Missing {
            failed_before: None,
        },
    }
}

impl BuildPlan {
    /// A plan of cells whose sources nobody has looked at: for views of it. Nothing can be built
    /// from it.
    #[must_use]
    pub fn of(
        cells: Vec<Planned>,
        toolchains: Vec<(String, Result<Toolchain, ToolchainError>)>,
    ) -> BuildPlan {
        BuildPlan {
            cells,
            toolchains,
            sources: HashMap::new(),
        }
    }

    /// The toolchain with this name, found or not.
    #[must_use]
    pub fn toolchain(&self, name: &str) -> Option<&Result<Toolchain, ToolchainError>> {
        let (_, found) = self.toolchains.iter().find(|(known, _)| known == name)?;
        Some(found)
    }

    /// Groups of cells that are one build, though their names say that they differ: same sources,
    /// compiler and options. Those whose runs read other files do differ.
    #[must_use]
    pub fn same(&self) -> Vec<Vec<&Cell>> {
        // By the build and by what its runs read.
        type Same<'a> = (&'a str, Option<&'a Digest>);
        let mut groups: Vec<(Same<'_>, Vec<&Cell>)> = Vec::new();
        for planned in &self.cells {
            let Some(key) = planned.key.as_deref() else {
                continue;
            };
            let files = self.sources.get(&planned.source);
            let tree = files.and_then(|(_, files)| Some(&files.tree.as_ref()?.hash));
            match groups.iter_mut().find(|(known, _)| *known == (key, tree)) {
                None => groups.push(((key, tree), vec![&planned.cell])),
                Some((_, cells)) => {
                    let known = cells
                        .iter()
                        .any(|cell| cell.axes.same_build(&planned.cell.axes));
                    if !known {
                        cells.push(&planned.cell);
                    }
                }
            }
        }
        let groups = groups.into_iter().map(|(_, cells)| cells);
        groups.filter(|cells| cells.len() > 1).collect()
    }
}
