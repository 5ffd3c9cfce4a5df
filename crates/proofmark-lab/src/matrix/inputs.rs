//! What the runs of a matrix read: found by a traced run of every cell on every benchmark before it
//! begins, and looked at again before it is taken up.

use std::collections::BTreeMap;
use std::path::Path;

use proofmark_evidence::record::{Benchmark, Inputs, Size};
use proofmark_measure::trace::Traced;
use proofmark_measure::{Interrupt, MetricError, PrintedNumber, printed};
use proofmark_terms::{BuildIndex, OsText};

use super::request::{MatrixRequest, MemberRequest};
use crate::budget::Budget;
use crate::error::LabError;
use crate::inputs::{Look, TreesRead, changed_since, find_hearing};
use crate::laboratory::emptied;
use crate::places::{Places, Take};
use crate::prepare::{prepare, set_up};
use crate::tree::Tree;

/// What the runs of each benchmark read, at each size; `folder` is proofmark's own. Each benchmark
/// is set up before.
///
/// # Errors
///
/// When a run cannot be started or prepared, when the budget is spent, when the user stops, when one
/// benchmark changes what another one reads, and when numbers of several sizes have several units.
pub(super) fn find(
    request: &MatrixRequest,
    folder: &Path,
    stop: &Interrupt,
    budget: Budget,
) -> Result<Vec<Inputs>, LabError> {
    let work = folder.join("work");
    emptied(&work)?;
    let places = Places::of(&request.subjects, None)?;
    let staged = places.to_be_looked_at(&request.subjects, &work)?;
    let mut found = Vec::new();
    let mut trees = TreesRead::default();
    // By benchmark and cell: a cell with a unit of its own is another matter.
    let mut units: BTreeMap<(&str, usize), PrintedNumber> = BTreeMap::new();
    for member in &request.members {
        set_up(&member.benchmark)?;
        let cells = BuildIndex::each(&staged);
        let looks: Vec<Look<'_>> = cells
            .map(|(build, staged)| Look {
                benchmark: benchmark_of(member, build),
                image: &staged.path,
                view: staged.view.clone(),
                bound: places.covered(Take::first(build)),
                original: None,
                tree: places.tree(Take::first(build)).map(Tree::at),
                copies: places.copies(Take::first(build)),
            })
            .collect();
        let mut numbers = Vec::new();
        let around = (folder, stop, budget);
        found.push(find_hearing(
            &looks,
            &request.subjects,
            around,
            &mut trees,
            &mut |_, run| {
                // What yields no number is told of by the run that counts.
                numbers.push(number_of(&member.benchmark, run));
                Ok(())
            },
        )?);
        let all = member.size.is_some() && numbers.len() == looks.len();
        for (cell, number) in numbers.into_iter().enumerate().filter(|_| all) {
            let Some(number) = number else { continue };
            let first = units.entry((&member.name, cell));
            let first = first.or_insert_with(|| number.clone());
            first
                .same_unit(&number)
                .map_err(|error| of_size(member, &error))?;
        }
    }
    // A benchmark may leave them alone.
    trees.settle(&request.subjects)?;
    apart(request, &found)?;
    Ok(found)
}

fn number_of(benchmark: &Benchmark, run: &Traced) -> Option<PrintedNumber> {
    printed(&benchmark.metric, &run.stdout).ok().flatten()
}

/// What is measured at several sizes is put on one line.
fn of_size(member: &MemberRequest, error: &MetricError) -> LabError {
    let size = member.size.as_ref();
    let size = size.map_or_else(String::new, |Size { name, value }| {
        format!(" at {name} = {value}")
    });
    let words: Vec<String> = (member.benchmark.argv.iter())
        .map(|word| word.display().to_string())
        .collect();
    LabError::Metric {
        arm: format!("benchmark `{}`{size}", member.name),
        why: error.to_string(),
        command: words.join(" "),
    }
}

/// How a cell is run.
fn benchmark_of(member: &MemberRequest, build: BuildIndex) -> &Benchmark {
    let own = build.of(&member.run_as).and_then(Option::as_ref);
    own.unwrap_or(&member.benchmark)
}

/// Benchmarks are measured in turns. What one of them reads must not be what another one has just
/// put there.
fn apart(request: &MatrixRequest, found: &[Inputs]) -> Result<(), LabError> {
    let benchmarks = request.members.iter().map(|member| &member.benchmark);
    let Some((index, path)) = first_changed(benchmarks.zip(found))? else {
        return Ok(());
    };
    let member = request.members.get(index);
    let name = member.map_or("?", |member| &member.name);
    let size = member.and_then(|member| member.size.as_ref());
    let size = size.map_or_else(String::new, |size| {
        format!(" at {} = {}", size.name, size.value)
    });
    Err(LabError::Refused(format!(
        "benchmark `{name}`{size} reads {}, which another benchmark (or the same at another size) changes by its `setup` or its runs: they are measured in turns, and each would read what the other has left\n  next: give each a file of its own, or make it in `prepare`, which goes before each run",
        path.display()
    )))
}

/// The first file that is not what it was, with the index of its benchmark. What is prepared before
/// each run is looked at as a run finds it.
pub(super) fn first_changed<'a>(
    read: impl Iterator<Item = (&'a Benchmark, &'a Inputs)>,
) -> Result<Option<(usize, OsText)>, LabError> {
    for (index, (benchmark, inputs)) in read.enumerate() {
        let mut changed = changed_since(inputs);
        let unknown = inputs.only_named.is_some();
        if (changed.is_some() || unknown) && benchmark.prepare.is_some() {
            prepare(benchmark)?;
            changed = changed_since(inputs);
        }
        if let Some(path) = changed {
            return Ok(Some((index, path)));
        }
    }
    Ok(None)
}
