//! Where gates run builds: each as it was shipped, at its own place.

use std::fs;
use std::path::{Path, PathBuf};

use proofmark_evidence::record::{Benchmark, Stdin};
use proofmark_measure::trace::{TraceLimits, Traced, Untraceable, trace};
use proofmark_measure::{End, Launch, MeasureError, Outcome};
use proofmark_project::GateDefinition;
use proofmark_terms::{BuildIndex, Digest};

use super::opened::Opened;
use super::request::GatesRequest;
use crate::bench::BenchParts;
use crate::builds::{Subject, held, refuse_special};
use crate::command;
use crate::error::{LabError, of_file};
use crate::laboratory::{Laboratory, emptied};
use crate::output::Said;
use crate::places::{Places, Staged, Take};

/// The builds of a request, each in its place.
pub(super) struct GateBench<'a> {
    request: &'a GatesRequest<'a>,
    parts: BenchParts,
    staged: Vec<Staged>,
    opened: Opened,
    /// The file of results, or the one that holds an input: the same for all builds.
    pub(super) file: PathBuf,
    /// Where inputs are kept on which builds differ.
    pub(super) kept: PathBuf,
}

/// What a build made of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) end: End,
    pub(super) printed: Digest,
    /// Whether it printed nothing.
    pub(super) silent: bool,
    /// Whether the build's image was opened for it.
    pub(super) opened: bool,
}

/// One run of a build.
pub(super) struct Run {
    pub(super) outcome: Outcome,
    /// Whether the build's image was opened: to be started, loaded or read.
    pub(super) opened: bool,
}

impl Answer {
    /// Whether it is one: of what was ended in the middle nobody knows what it would have been.
    pub(super) fn is_one(&self) -> bool {
        self.end != End::TimedOut
    }
}

impl<'a> GateBench<'a> {
    pub(super) fn new(
        laboratory: &Laboratory<'_>,
        request: &'a GatesRequest<'a>,
    ) -> Result<Self, LabError> {
        let work = laboratory.folder.join("work");
        emptied(&work)?;
        let folder = work.join("gates");
        fs::create_dir_all(&folder).map_err(of_file("make", &folder))?;
        let folder = folder.canonicalize().map_err(of_file("find", &folder))?;
        let subjects: Vec<Subject> = request
            .cells
            .iter()
            .map(|cell| cell.subject.clone())
            .collect();
        refuse_special(&subjects)?;
        let subjects = held::held(&subjects, &folder.join("held"))?;
        let places = Places::of(&subjects, None)?;
        let mut staged = Vec::with_capacity(subjects.len());
        for (index, subject) in subjects.iter().enumerate() {
            let shipped = subject.shipped().into_iter().next();
            let shipped =
                shipped.ok_or_else(|| LabError::Fault(format!("{} has no image", subject.name)))?;
            // Numbers of one length, and so paths.
            let own = folder.join((1000 + index).to_string());
            staged.push(places.stage(Take::first(BuildIndex::at(index)), &shipped, &own)?);
        }
        let files: Vec<PathBuf> = staged.iter().map(|one| one.file.clone()).collect();
        Ok(GateBench {
            request,
            opened: Opened::of(&files)?,
            parts: BenchParts::claim(folder.clone(), places, &laboratory.stop)?,
            staged,
            file: folder.join("file"),
            kept: laboratory.folder.join("failed"),
        })
    }

    /// Whether a path is where each build sees a tree of its own.
    pub(super) fn is_in_tree(&self, path: &Path) -> bool {
        let mut trees = self
            .request
            .cells
            .iter()
            .filter_map(|cell| cell.subject.tree.as_ref());
        trees.any(|tree| path.starts_with(tree.at()))
    }

    /// The folder of the project's file.
    pub(super) fn folder_of_project(&self) -> &Path {
        &self.request.project.folder
    }

    /// How a build is run for a gate.
    pub(super) fn benchmark(&self, gate: &GateDefinition, build: usize) -> Benchmark {
        let options = self.request.cells.get(build).and_then(|cell| cell.options);
        let benchmark = gate.record(&self.request.project.folder, options, &self.file);
        let on_standard_input = gate.is_differential() && !gate.names_input();
        let stdin = match on_standard_input {
            true => Stdin::File(self.file.clone().into()),
            false => Stdin::Null,
        };
        Benchmark { stdin, ..benchmark }
    }

    /// How a build is started.
    fn launch(&self, benchmark: &Benchmark, build: usize) -> Result<Launch, LabError> {
        let lacking = || LabError::Fault(format!("build {build} is not placed"));
        let staged = self.staged.get(build).ok_or_else(lacking)?;
        Ok(Launch {
            view: staged.view.clone(),
            ..command::launch(benchmark, &staged.path, 0, None)?
        })
    }

    /// One traced run of a build; none where it cannot be traced.
    pub(super) fn traced(
        &self,
        benchmark: &Benchmark,
        build: usize,
    ) -> Result<Option<Traced>, LabError> {
        let launch = self.launch(benchmark, build)?;
        match trace(&launch, &TraceLimits::default(), &self.parts.stop) {
            Ok(traced) => Ok(Some(traced)),
            Err(Untraceable::Run(MeasureError::Interrupted)) => Err(LabError::Interrupted),
            Err(_) => Ok(None),
        }
    }

    /// One run of a build.
    pub(super) fn run(&self, benchmark: &Benchmark, build: usize) -> Result<Run, LabError> {
        let launch = self.launch(benchmark, build)?;
        self.opened.since_last(build)?;
        let outcome = self.parts.instrument.run(&launch)?;
        let opened = self.opened.since_last(build)?;
        Ok(Run { outcome, opened })
    }

    /// What a build makes of an input.
    pub(super) fn answer(&self, benchmark: &Benchmark, build: usize) -> Result<Answer, LabError> {
        let Run { outcome, opened } = self.run(benchmark, build)?;
        let path = self
            .staged
            .get(build)
            .map_or(Path::new(""), |staged| &staged.path);
        Ok(Answer {
            end: outcome.end,
            printed: Said::of(benchmark, &outcome.stdout, path)?.digest,
            silent: outcome.stdout.length == 0,
            opened,
        })
    }

    /// One run of a shell command that makes something.
    pub(super) fn shell(&self, gate: &GateDefinition, text: &str) -> Result<Outcome, LabError> {
        let benchmark = Benchmark {
            argv: ["/bin/sh", "-c", text].map(Into::into).into(),
            ..gate.record(&self.request.project.folder, None, &self.file)
        };
        let launch = command::launch(&benchmark, Path::new("/bin/sh"), 0, None)?;
        Ok(self.parts.instrument.run(&launch)?)
    }

    /// Writes the file that the next run reads.
    pub(super) fn give(&self, input: &[u8]) -> Result<(), LabError> {
        fs::write(&self.file, input).map_err(of_file("write", &self.file))
    }
}

impl Drop for GateBench<'_> {
    fn drop(&mut self) {
        // What stays is removed by whoever measures next.
        let _ = fs::remove_dir_all(&self.parts.folder);
    }
}
