//! `bisect --toolchain`: the commits of a compiler, with one program that each of them compiles.

use std::path::PathBuf;

use anyhow::Context as _;
use proofmark_capture::states::Repository;
use proofmark_evidence::RecordedBisect;
use proofmark_evidence::record::Axis;
use proofmark_lab::{BisectRequest, Kept, LabError, Revisions, Role, Subject};
use proofmark_project::{
    BuildOutcome, Cell, Making, Problem, Project, Purpose, Selection, ToolchainDefinition,
    ToolchainError, Toolchains,
};
use proofmark_terms::{Commit, Digest};

use super::asked::{BisectArgs, Over};
use super::over;
use super::range::Range;
use super::workshop::short;
use crate::commands::matrix::build::{self, BuildArgs};
use crate::commands::project::{self, ProjectArgs};
use crate::console;
use crate::context::Context;
use crate::exit::{Unbuilt, Usage};

/// Looks for the commit of a compiler that changed a program.
pub(super) fn searched(
    args: &BisectArgs,
    name: &str,
    context: &Context,
) -> anyhow::Result<RecordedBisect> {
    let file = ProjectArgs {
        file: args.over.file.clone(),
    };
    let context = &project::context(&file, context)?;
    context.catch_signals()?;
    if args.benchmark.image.is_some() {
        let what = "the image is the one that the source of the project's file names: leave \
                    --image out";
        return Err(Usage(what.to_owned()).into());
    }
    let project = project::find(&file)?;
    let definition = definition(&project, name)?;
    let folder = definition.source.clone().unwrap_or_default();
    let benchmark = over::benchmark(args, &project)?;
    let cell = cell(args, name, &project)?;
    console::say(&format!(
        "proofmark: over the commits of toolchain `{name}`, for the cell `{}`",
        cell.name
    ));
    let range = Range::of(args, Repository::open(&folder)?)?;
    let program = project.definitions.build_command(&cell.axes.source);
    let commands = [definition.build.clone(), program].map(Option::unwrap_or_default);
    let judge = args.blocks(commands.join("; "), benchmark)?;
    let mut forge = Forge::of(
        (name, definition),
        &cell,
        project,
        &range.repository,
        context,
    )?;
    let request = BisectRequest {
        axis: Axis::Commits,
        vcs: range.vcs,
        older: range.older,
        survey: args.survey(range.commits.len()),
        commits: range.commits,
        toolchain: Some(name.to_owned()),
        first_parent: args.first_parent(),
        judge,
        trusted: true,
        confidence: args.measuring.confidence,
        surroundings: forge.surroundings()?,
        layouts: args.measuring.layouts.into(),
        population: args.measuring.population.into(),
        seed: args.measuring.seed,
        resume: !args.measuring.fresh,
    };
    let (store, id) = context.measure(|laboratory, progress| {
        proofmark_lab::run_bisect(laboratory, &request, &mut forge, progress)
    })?;
    Ok(store.load_bisect(id.as_str())?)
}

/// What the project's file says of the toolchain, which has to be made from sources.
fn definition(project: &Project, name: &str) -> Result<ToolchainDefinition, Usage> {
    let all = &project.definitions.toolchains;
    let Some(definition) = all.get(name) else {
        let problem = Problem::new(&[], format!("there is no toolchain `{name}` in the file"));
        let known = all.keys().map(String::as_str);
        return Err(Usage(problem.among(name, known).to_string()));
    };
    if definition.source.is_none() {
        return Err(Usage(format!(
            "toolchain `{name}` is not made from sources, so that it has no commits: give it \
             `source`, `build` and `command`"
        )));
    }
    Ok(definition.clone())
}

/// The cell whose build is measured: the first of the toolchain's, or the one with the words that
/// are asked for.
fn cell(args: &BisectArgs, name: &str, project: &Project) -> Result<Cell, Usage> {
    let words = args.over.cell.as_deref();
    let is_asked = |cell: &&Cell| {
        cell.axes.toolchain == name
            // How a program is run is no property of a build.
            && cell.axes.options.is_none()
            && words.is_none_or(|words| over::is_called(cell, Over::Toolchains, words))
    };
    let mut found = project.cells.all.iter().filter(is_asked);
    let with = words.map_or(String::new(), |words| format!(" and the words `{words}`"));
    let Some(first) = found.next() else {
        return Err(Usage(format!(
            "no cell of the project's file has toolchain `{name}`{with}: `proofmark matrix plan` \
             lists its cells"
        )));
    };
    match found.next().filter(|_| words.is_some()) {
        None => Ok(first.clone()),
        Some(other) => Err(Usage(format!(
            "`{}` and `{}` have toolchain `{name}`{with}: name the source in --cell too",
            first.name, other.name
        ))),
    }
}

/// Who makes a compiler of each commit, and the program by it.
struct Forge<'a> {
    name: &'a str,
    definition: ToolchainDefinition,
    /// The project with the one cell.
    project: Project,
    repository: &'a Repository,
    toolchains: Toolchains,
    shim_program: PathBuf,
    context: &'a Context,
}

impl<'a> Forge<'a> {
    fn of(
        (name, definition): (&'a str, ToolchainDefinition),
        cell: &Cell,
        project: Project,
        repository: &'a Repository,
        context: &'a Context,
    ) -> anyhow::Result<Self> {
        let selection = Selection {
            cells: vec![cell.name.clone()],
            benchmarks: Vec::new(),
        };
        let part = project.part(&selection, Purpose::Build);
        let project = part.map_err(|problem| Usage(problem.to_string()))?.project;
        Ok(Forge {
            toolchains: Toolchains::open(&context.folder).of_file(&project.file),
            shim_program: std::env::current_exe().context("cannot tell where this program is")?,
            name,
            definition,
            project,
            repository,
            context,
        })
    }

    /// All that goes into the builds beside the compiler's commits, as a digest.
    fn surroundings(&self) -> anyhow::Result<Digest> {
        let mut hasher = blake3::Hasher::new();
        let compiler = self.toolchains.surroundings(self.name, &self.definition)?;
        let flags = format!("{:?} {:?}", self.definition.flags, self.definition.version);
        if let Some(digest) = &compiler {
            hasher.update(digest.as_bytes());
        }
        hasher.update(flags.as_bytes());
        let workshop = project::workshop(&self.project, self.context)?;
        for cell in &self.project.cells.all {
            let beside = workshop.beside_toolchain(cell).map_err(Unbuilt)?;
            hasher.update(beside.as_bytes());
        }
        Ok(hasher.finalize().into())
    }

    /// The program by the compiler of a commit. The inner error is the commit's own.
    fn made(&self, commit: &Commit) -> anyhow::Result<Result<Subject, Unbuilt>> {
        let definition = ToolchainDefinition {
            rev: Some(commit.id.to_string()),
            ..self.definition.clone()
        };
        let making = Making {
            shim_program: &self.shim_program,
            stopped: &|| self.context.stop.requested(),
        };
        let installed = self.toolchains.install(self.name, &definition, making);
        if self.context.stop.requested() {
            return Err(LabError::Interrupted.into());
        }
        match installed {
            Ok(_) => {}
            Err(error @ ToolchainError::Make { .. }) => return Ok(Err(Unbuilt(error.to_string()))),
            Err(error) => return Err(error.into()),
        }
        let mut project = self.project.clone();
        let toolchains = &mut project.definitions.toolchains;
        toolchains.insert(self.name.to_owned(), definition);
        let built = build::builds(&BuildArgs::new(true), &project, self.context)?;
        let cell = built.first().context("a project without a cell")?;
        let made = match &cell.outcome {
            BuildOutcome::Made(made) => made,
            BuildOutcome::Failed(failure) => return Ok(Err(Unbuilt(failure.why.clone()))),
        };
        let mut subject = Subject::of_cell(&cell.cell, made)?;
        short(&commit.id).clone_into(&mut subject.name);
        Ok(Ok(subject))
    }
}

impl Revisions for Forge<'_> {
    type Error = anyhow::Error;

    fn build(&mut self, commit: &Commit, role: Role) -> anyhow::Result<anyhow::Result<Subject>> {
        let made = self.made(commit)?.map_err(anyhow::Error::from);
        Ok(match role {
            Role::Candidate => made,
            Role::Older | Role::Newer => {
                let end = if role == Role::Older {
                    "older"
                } else {
                    "newer"
                };
                made.with_context(|| {
                    format!(
                        "there is no program by the compiler of the {end} end, {}",
                        short(&commit.id)
                    )
                })
            }
        })
    }

    fn kept(&mut self, commit: &Commit) -> anyhow::Result<Kept> {
        // Compilers and cells are kept by what goes into them, and looked at before they are taken.
        let made = self.made(commit)?;
        Ok(made.map_or(Kept::Gone, |subject| Kept::Same(Box::new(subject))))
    }

    fn again(&mut self, _commit: &Commit) -> anyhow::Result<Option<Subject>> {
        Ok(None)
    }

    fn judged(
        &mut self,
        _commit: &Commit,
        _command: &str,
    ) -> anyhow::Result<anyhow::Result<Option<i32>>> {
        Err(LabError::Fault("a compiler's commits have no script".to_owned()).into())
    }

    fn said(&self, error: &anyhow::Error) -> String {
        let last = error.root_cause().to_string();
        last.lines().next().unwrap_or_default().to_owned()
    }

    fn touched(&mut self, commit: &Commit) -> anyhow::Result<Vec<String>> {
        Ok(self.repository.touched(commit)?)
    }
}
