//! A project's file and the builds of its cells as a request.

use std::path::PathBuf;

use proofmark_code::expect::Expectations;
use proofmark_evidence::record::{
    Asked, Benchmark, Claim, Design, GateFound, Guard, Size, Unbuilt,
};
use proofmark_measure::MOST_ARMS;
use proofmark_project::{BuildOutcome, BuiltCell, Cell, Made};
use proofmark_terms::{CellIndex, Digest, Population};

use super::code;
use super::request::{MatrixRequest, MemberRequest};
use crate::builds::{Subject, cut_alike, of_cells};
use crate::error::LabError;
use crate::experiment::LayoutChoice;
use crate::output::digest_expected;
use proofmark_project::{BenchmarkDefinition, Expected, Project};

/// How a project's matrix is measured: what its file does not say.
#[derive(Clone, Debug)]
pub struct MatrixDesign {
    /// When measuring stops.
    pub design: Design,
    /// How placement is to be varied.
    pub layouts: LayoutChoice,
    /// The layouts that are drawn from.
    pub population: Population,
    /// The seed; fresh when absent.
    pub seed: Option<u64>,
    /// Begin anew even where the same matrix was measured before.
    pub fresh: bool,
    /// Proofmark's own folder.
    pub own: PathBuf,
}

/// What a project asks of machine code, read before anything is built.
#[derive(Clone, Debug, Default)]
pub struct MatrixCode {
    facts: Vec<String>,
    expectations: Option<(Expectations, Digest)>,
}

impl MatrixCode {
    /// Reads what a project's file asks of machine code.
    ///
    /// # Errors
    ///
    /// When a fact is none, the file of expectations cannot be read, or there are more cells than run
    /// side by side.
    pub fn of(project: &Project) -> Result<Self, LabError> {
        fits(project)?;
        let matrix = &project.definitions.matrix;
        code::check(&matrix.facts)?;
        let read = |file: &PathBuf| {
            let path = project.folder.join(file);
            let content = content(&path)?;
            let expectations =
                Expectations::read(&path).map_err(|error| LabError::Refused(error.to_string()))?;
            let digest = Digest::from(blake3::hash(&content));
            Ok::<_, LabError>((expectations, digest))
        };
        Ok(MatrixCode {
            facts: matrix.facts.clone(),
            expectations: matrix.expectations.as_ref().map(read).transpose()?,
        })
    }
}

/// Whether the cells of a project can run side by side.
pub(super) fn fits(project: &Project) -> Result<(), LabError> {
    let cells = project.cells.all.len();
    if cells <= MOST_ARMS {
        return Ok(());
    }
    Err(LabError::Refused(format!(
        "the matrix has {cells} cells, and at most {MOST_ARMS} builds are measured side by side\n  \
         next: `--cell NAME` measures those that it names, or write fewer of them"
    )))
}

impl MatrixRequest {
    /// The matrix of a project: its built cells, the main baseline first, on each of its benchmarks
    /// at each size.
    ///
    /// # Errors
    ///
    /// When a capture lacks its image, or a file that is expected cannot be read.
    pub fn of_project(
        project: &Project,
        built: &[BuiltCell],
        code: MatrixCode,
        gates: Vec<GateFound>,
        design: MatrixDesign,
    ) -> Result<Self, LabError> {
        let cells = in_order(project, built);
        let made = cells
            .iter()
            .filter_map(|cell| Some((&cell.cell, cell.made()?)));
        let made: Vec<(&Cell, &Made)> = made.collect();
        let subjects = cut_alike(of_cells(&made, &design.own)?);
        let place = |name: &str| position(&subjects, name);
        let (claims, left_out) = claims(project, &place);
        Ok(MatrixRequest {
            kinds: cells.iter().map(|cell| kind(project, &cell.cell)).collect(),
            baselines: baselines(project, &subjects),
            members: members(project, &cells)?,
            asked: Asked {
                claims,
                facts: code.facts,
                expectations: code.expectations.as_ref().map(|(_, hash)| hash.clone()),
                unbuilt: unbuilt(project, built, &left_out),
                gates,
                guards: guards(project),
                race: Vec::new(),
            },
            expectations: code.expectations.map(|(expectations, _)| expectations),
            subjects,
            design: design.design,
            layouts: design.layouts,
            population: design.population,
            seed: design.seed,
            fresh: design.fresh,
        })
    }
}

/// The cells that have a build, the main baseline first.
pub(crate) fn in_order<'a>(project: &Project, built: &'a [BuiltCell]) -> Vec<&'a BuiltCell> {
    let mut cells: Vec<&BuiltCell> = built.iter().filter(|cell| cell.made().is_some()).collect();
    let main = project
        .baselines()
        .find_map(|name| cells.iter().position(|cell| cell.cell.name == name));
    if let Some(main) = main {
        let main = cells.remove(main);
        cells.insert(0, main);
    }
    cells
}

fn position(subjects: &[Subject], name: &str) -> Option<CellIndex> {
    let place = subjects.iter().position(|subject| subject.name == name);
    place.map(CellIndex::at)
}

/// Baselines that have a build; the first cell where the file names none at all.
fn baselines(project: &Project, subjects: &[Subject]) -> Vec<CellIndex> {
    if project.cells.baselines.is_empty() {
        return subjects.first().map(|_| CellIndex(0)).into_iter().collect();
    }
    let places = project.baselines();
    places.filter_map(|name| position(subjects, name)).collect()
}

/// The claims on cells that have a build, and what becomes of the others, by cell.
fn claims(
    project: &Project,
    place: &dyn Fn(&str) -> Option<CellIndex>,
) -> (Vec<Claim>, Vec<(String, String)>) {
    let full = |name: &str| {
        let cell = project.cells.find(name);
        cell.map_or(name, |cell| cell.name.as_str()).to_owned()
    };
    let (mut claims, mut left_out) = (Vec::new(), Vec::new());
    for (name, claim) in &project.claims {
        let new = full(&claim.new);
        let base = claim.base.as_deref().map(full);
        let without = [Some(&new), base.as_ref()].into_iter().flatten();
        let mut without = without.filter(|cell| place(cell).is_none()).peekable();
        if without.peek().is_some() {
            left_out.extend(without.map(|cell| (cell.clone(), name.clone())));
        } else if let Some(new) = place(&new) {
            claims.push(Claim {
                name: name.clone(),
                new,
                base: base.as_deref().and_then(place),
                at_least: claim.at_least,
                benchmarks: claim.benchmarks.iter().cloned().collect(),
            });
        }
    }
    (claims, left_out)
}

fn unbuilt(project: &Project, built: &[BuiltCell], left_out: &[(String, String)]) -> Vec<Unbuilt> {
    let is_baseline = |cell: &Cell| match project.cells.baselines.as_slice() {
        [] => (project.cells.all.first()).is_some_and(|first| first.name == cell.name),
        _ => project.baselines().any(|name| name == cell.name),
    };
    let main = project.cells.baselines.first().copied().unwrap_or_default();
    let main = project.cells.all.get(main).map(|cell| &cell.name);
    let failed = built.iter().filter_map(|cell| match &cell.outcome {
        BuildOutcome::Made(_) => None,
        BuildOutcome::Failed(failure) => Some(Unbuilt {
            cell: cell.cell.name.clone(),
            why: failure.why.clone(),
            baseline: is_baseline(&cell.cell),
            main: main == Some(&cell.cell.name),
            claims: (left_out.iter())
                .filter(|(name, _)| *name == cell.cell.name)
                .map(|(_, claim)| claim.clone())
                .collect(),
        }),
    });
    failed.collect()
}

/// What a cell is a kind of: its source, flag sets and program options, by some release of a family
/// of compilers.
fn kind(project: &Project, cell: &Cell) -> String {
    let toolchain = project.definitions.toolchain(&cell.axes.toolchain);
    let family = toolchain.map(|definition| definition.family());
    let flags = cell.axes.flags.join(" ");
    let options = cell.axes.options.as_deref().unwrap_or_default();
    let family = family.unwrap_or_default();
    [family.as_str(), &cell.axes.source, &flags, options].join("|")
}

fn guards(project: &Project) -> Vec<Guard> {
    let guards = project.benchmarks.iter().filter_map(|(name, benchmark)| {
        Some(Guard {
            benchmark: name.clone(),
            most: benchmark.guard?,
        })
    });
    guards.collect()
}

/// Every benchmark at every size.
fn members(project: &Project, cells: &[&BuiltCell]) -> Result<Vec<MemberRequest>, LabError> {
    let mut members = Vec::new();
    for (name, definition) in &project.benchmarks {
        for value in sizes(definition) {
            members.push(member(project, cells, name, definition, value)?);
        }
    }
    Ok(members)
}

/// The sizes that a benchmark is run at, each once; `None` where it has no scale.
pub(super) fn sizes(definition: &BenchmarkDefinition) -> Vec<Option<u64>> {
    let mut values: Vec<Option<u64>> = definition.values.iter().copied().map(Some).collect();
    values.sort_unstable();
    values.dedup();
    if values.is_empty() {
        values.push(None);
    }
    values
}

fn member(
    project: &Project,
    cells: &[&BuiltCell],
    name: &str,
    definition: &BenchmarkDefinition,
    value: Option<u64>,
) -> Result<MemberRequest, LabError> {
    let expected = expected(definition, &project.folder, value)?;
    let record = |options: Option<&str>| Benchmark {
        expected: expected.clone(),
        ..definition.record(
            &project.folder,
            options.and_then(|options| project.definitions.options.get(options)),
            value,
        )
    };
    let own = |cell: &&BuiltCell| {
        let options = cell.cell.axes.options.as_deref()?;
        Some(record(Some(options)))
    };
    Ok(MemberRequest {
        name: name.to_owned(),
        size: definition
            .scale
            .clone()
            .zip(value)
            .map(|(name, value)| Size { name, value }),
        benchmark: record(None),
        run_as: cells.iter().map(own).collect(),
    })
}

/// A benchmark of a project's file at each of its sizes, without program options, each with its
/// name.
///
/// # Errors
///
/// When a file that is expected cannot be read.
pub fn benchmarks_of(
    name: &str,
    definition: &BenchmarkDefinition,
    folder: &std::path::Path,
) -> Result<Vec<(String, Benchmark)>, LabError> {
    let record = |value: Option<u64>| {
        let named = match (&definition.scale, value) {
            (Some(scale), Some(value)) => format!("{name} {scale}={value}"),
            _ => name.to_owned(),
        };
        let benchmark = Benchmark {
            expected: expected(definition, folder, value)?,
            ..definition.record(folder, None, value)
        };
        Ok((named, benchmark))
    };
    sizes(definition).into_iter().map(record).collect()
}

/// The digest of what runs have to print.
fn expected(
    definition: &BenchmarkDefinition,
    folder: &std::path::Path,
    value: Option<u64>,
) -> Result<Option<Digest>, LabError> {
    let asked = definition.expected(folder, value).map_err(|error| {
        LabError::Refused(format!(
            "what `{}` is expected to print: {error}\n  next: give what `b3sum` \
             says of it, or a file that holds it",
            definition.command.join(" ")
        ))
    })?;
    Ok(match asked {
        None => None,
        Some(Expected::Digest(digest)) => Some(digest),
        Some(Expected::File(path)) => {
            let plain = definition.record(folder, None, value);
            Some(digest_expected(&plain, &content(&path)?)?)
        }
    })
}

fn content(path: &std::path::Path) -> Result<Vec<u8>, LabError> {
    std::fs::read(path).map_err(|source| LabError::File {
        action: "read",
        path: path.to_owned(),
        source,
    })
}
