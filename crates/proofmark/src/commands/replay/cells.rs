//! Builds of a project's cells, made here again: each of its commit and its patches, by its
//! compiler and with its flags.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use proofmark_evidence::record::{Build, CellBuild, CellToolchain, Experiment};
use proofmark_lab::Subject;
use proofmark_project::{
    Axes, BuildOutcome, BuiltCell, Cell, Cells, Definitions, FILE, FlagSet, Ideas,
    LedgerDefinition, Names, Project, ShellWords, SourceDefinition, ToolchainDefinition,
    Toolchains,
};
use proofmark_terms::{Digest, OsText};

use super::sources::SOURCES;
use crate::commands::matrix::build::{self, BuildArgs};
use crate::context::Context;
use crate::exit::{CannotReplay, Unbuilt, Usage};

/// The builds, in the order of the experiment.
pub(super) fn subjects(experiment: &Experiment, context: &Context) -> anyhow::Result<Vec<Subject>> {
    let project = project(experiment, context)?;
    let built = build::builds(&BuildArgs::new(true), &project, context)?;
    built.iter().map(subject).collect()
}

fn subject(built: &BuiltCell) -> anyhow::Result<Subject> {
    let name = &built.cell.name;
    match &built.outcome {
        BuildOutcome::Made(made) => Ok(Subject::of_cell(&built.cell, made)?),
        BuildOutcome::Failed(failure) if failure.toolchain => Err(CannotReplay(format!(
            "there is no compiler for `{name}` in the sandbox: {}\n  next: --show lets in the \
             folder of a compiler; it comes first in PATH",
            failure.why
        ))
        .into()),
        BuildOutcome::Failed(failure) => {
            Err(Unbuilt(format!("`{name}` cannot be built here: {}", failure.why)).into())
        }
    }
}

/// A project whose cells are the builds of an experiment, each of a source of its own.
fn project(experiment: &Experiment, context: &Context) -> anyhow::Result<Project> {
    let patches = written(experiment, &context.folder.join("patches"))?;
    let (mut definitions, mut all) = (Definitions::default(), Vec::new());
    for (number, build) in experiment.builds.iter().enumerate() {
        all.push(cell(number, build, &patches, &mut definitions)?);
    }
    let folder = PathBuf::from(SOURCES);
    Ok(Project {
        file: folder.join(FILE),
        folder,
        definitions,
        cells: Cells {
            all,
            baselines: vec![0],
        },
        benchmarks: Default::default(),
        claims: Default::default(),
        gates: Default::default(),
        ledger: LedgerDefinition::default(),
        ideas: Ideas::default(),
    })
}

/// A build as a cell, with what it is made of put down.
fn cell(
    number: usize,
    build: &Build,
    patches: &BTreeMap<Digest, String>,
    definitions: &mut Definitions,
) -> anyhow::Result<Cell> {
    let unsaid = || Usage(format!("the records do not say how {} is made", build.name));
    let how = build.built_by.as_ref().ok_or_else(unsaid)?;
    let of_cell: &CellBuild = how.cell.as_ref().ok_or_else(unsaid)?;
    let revision = build.revision.as_ref().ok_or_else(unsaid)?;
    let patch = |digest: &Digest| patches.get(digest).cloned().ok_or_else(unsaid);
    let patch = build.patches.iter().map(patch);
    let text = |text: &OsText| text.display().into_owned();
    let name = number.to_string();
    let source = SourceDefinition {
        path: Some(PathBuf::from(SOURCES).join(Path::new(how.folder.as_ref()))),
        rev: Some(revision.id.as_str().to_owned()),
        patch: Some(Names(patch.collect::<Result<_, Usage>>()?)),
        build: Some(how.command.clone()),
        image: (how.image.as_ref()).map(|image| Path::new(image.as_ref()).to_owned()),
        env: (of_cell.env.iter())
            .map(|(name, value)| (text(name), text(value)))
            .collect(),
        ..SourceDefinition::default()
    };
    let flags = FlagSet {
        add: ShellWords(of_cell.flags.clone()),
        link: ShellWords(of_cell.ldflags.clone()),
        ..FlagSet::default()
    };
    let toolchain = of_cell.toolchain.name.clone();
    definitions.sources.insert(name.clone(), source);
    definitions.flags.insert(name.clone(), flags);
    (definitions.toolchains).insert(toolchain.clone(), compiler(&of_cell.toolchain));
    Ok(Cell {
        name: build.name.clone(),
        axes: Axes {
            toolchain,
            source: name.clone(),
            flags: vec![name],
            options: None,
        },
        baseline: number == 0,
    })
}

/// Where packages of this user are, and the variable that says so, where a cell's compiler is one.
pub(super) fn packages(experiment: &Experiment) -> Option<(&'static str, PathBuf)> {
    let mut cells = toolchains(experiment);
    let packaged = cells.any(|toolchain| toolchain.provider.is_some());
    Toolchains::packages().filter(|(_, folder)| packaged && folder.is_dir())
}

/// The compilers of cells, those of a project each as often as there are cells of it.
pub(super) fn toolchains(experiment: &Experiment) -> impl Iterator<Item = &CellToolchain> {
    let how = experiment.builds.iter();
    let how = how.filter_map(|build| build.built_by.as_ref());
    how.filter_map(|how| Some(&how.cell.as_ref()?.toolchain))
}

/// A compiler as a project's file would have it.
pub(super) fn compiler(recorded: &CellToolchain) -> ToolchainDefinition {
    ToolchainDefinition {
        command: recorded.command.clone(),
        cxx: recorded.cxx.clone(),
        version: recorded.version.clone(),
        provider: recorded.provider.clone(),
        flags: ShellWords(recorded.flags.clone()),
        ..ToolchainDefinition::default()
    }
}

/// The patches of an experiment as files.
fn written(experiment: &Experiment, folder: &Path) -> anyhow::Result<BTreeMap<Digest, String>> {
    let failed = |file: &Path| format!("cannot write {}", file.display());
    fs::create_dir_all(folder).with_context(|| failed(folder))?;
    let write = |patch: &proofmark_evidence::record::PatchText| {
        let file = folder.join(format!("{}.patch", patch.digest.as_str()));
        fs::write(&file, &patch.text).with_context(|| failed(&file))?;
        Ok((patch.digest.clone(), file.display().to_string()))
    };
    experiment.patches.iter().map(write).collect()
}
