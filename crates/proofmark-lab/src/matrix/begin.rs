//! From a request to a matrix in the store: a new one, or the one that was begun before.

use std::path::Path;

use proofmark_evidence::record::{
    Benchmark, Build, Experiment, Inputs, LayoutControl, MatrixRun, Member, Question,
};
use proofmark_evidence::{ExperimentId, LockedStore, MatrixId, RecordedMatrix, Store};
use proofmark_measure::read_machine;
use proofmark_terms::OsText;
use serde_json::json;

use super::inputs;
use super::member::MatrixUnderWay;
use super::request::{MatrixRequest, MemberRequest};
use crate::budget::Budget;
use crate::builds::{Subject, patches_of, records_in};
use crate::clock::now_ms;
use crate::command;
use crate::error::LabError;
use crate::experiment::{
    digest, heap_start, layout_control_of_matrix, this_machine, unguarded, warmed, without_budget,
};
use crate::inputs::{changed_since, refuse_address_tables};
use crate::laboratory::Laboratory;
use crate::observer::{Event, Observer};
use crate::prepare::set_up;

/// Loads a matrix by its name, by the beginning of it, or as `latest`.
///
/// # Errors
///
/// When there is none of that name, or a record is damaged.
pub fn load_matrix(store: &Store, asked: &str) -> Result<MatrixUnderWay, LabError> {
    Ok(MatrixUnderWay::load(store.load_matrix(asked)?, store)?)
}

/// Takes up the matrix that this request began before, as long as all that its runs read is as it
/// was; or begins a new one.
pub(super) fn begin(
    laboratory: &mut Laboratory<'_>,
    request: &MatrixRequest,
    budget: Budget,
    observer: &mut dyn Observer,
) -> Result<MatrixUnderWay, LabError> {
    let key = key_of(request)?;
    if !request.fresh
        && let Some(matrix) = taken_up(request, &key, laboratory.store, observer)?
    {
        return Ok(matrix);
    }
    observer.tell(&Event::Preparing("a look at what the runs read"));
    let found = inputs::find(request, laboratory.folder, &laboratory.stop, budget)?;
    let id = begin_new(request, &key, found, laboratory.store)?;
    load_matrix(laboratory.store, id.as_str())
}

/// The last matrix with this key whose runs would read today what they read then.
fn taken_up(
    request: &MatrixRequest,
    key: &str,
    store: &Store,
    observer: &mut dyn Observer,
) -> Result<Option<MatrixUnderWay>, LabError> {
    let known = store.matrices_of_key(key)?;
    if known.is_empty() {
        return Ok(None);
    }
    // What they make is a part of what is read.
    for member in &request.members {
        set_up(&member.benchmark)?;
    }
    let mut changed = None;
    for id in known {
        let matrix = load_matrix(store, id.as_str())?;
        let read = matrix.members.iter().map(|member| {
            let Experiment {
                benchmark, inputs, ..
            } = &member.under_way.experiment;
            (benchmark, inputs)
        });
        match inputs::first_changed(read)? {
            None => return Ok(Some(matrix)),
            Some((_, path)) => changed = changed.or(Some(path)),
        }
    }
    if let Some(path) = changed {
        let path = &path.display();
        observer.tell(&Event::MatrixAnew { path });
    }
    Ok(None)
}

/// The last matrix with this key whose runs would, as far as can be told without running anything,
/// read today what they read then.
pub(super) fn standing(key: &str, store: &Store) -> Result<Option<RecordedMatrix>, LabError> {
    for id in store.matrices_of_key(key)? {
        let matrix = store.load_matrix(id.as_str())?;
        let mut same = true;
        for member in &matrix.run.members {
            let Experiment {
                benchmark, inputs, ..
            } = store.load_beginning(&member.experiment, 0)?.experiment;
            let made = benchmark.setup.is_some() || benchmark.prepare.is_some();
            same &= made || changed_since(&inputs).is_none();
        }
        if same {
            return Ok(Some(matrix));
        }
    }
    Ok(None)
}

/// What makes two requests the same: what is built, run and how; not what is claimed of it, which
/// the same blocks can answer.
pub(super) fn key_of(request: &MatrixRequest) -> Result<String, LabError> {
    let builds = request.subjects.iter().map(Subject::record);
    let builds: Vec<Build> = builds.map(|build| build.without_sources()).collect();
    let members: Vec<_> = request
        .members
        .iter()
        .map(|member| {
            let read = crate::inputs::named_hashes(&member.benchmark);
            let found = |run: &Benchmark| command::found_in_path(run).map(OsText::from);
            let own = member.run_as.iter().flatten().map(found);
            let program: Vec<_> = std::iter::once(found(&member.benchmark))
                .chain(own)
                .collect();
            json!([
                member.name,
                member.size,
                member.benchmark,
                member.run_as,
                read,
                program
            ])
        })
        .collect();
    digest(&json!({
        // What was measured when nobody looked at what runs read is no answer to anything.
        "inputs": "traced",
        "machine": this_machine(),
        "builds": builds,
        "kinds": request.kinds,
        "baselines": request.baselines,
        "members": members,
        "design": without_budget(&request.design),
        "layouts": request.layouts,
        "population": request.population,
        // As text, for a number of JSON does not hold all of its bits.
        "seed": request.seed.map(|seed| seed.to_string()),
    }))
}

/// Begins each experiment, and then the matrix that names them. Experiments that were begun before
/// an interruption are taken up, so that none is left behind.
fn begin_new(
    request: &MatrixRequest,
    key: &str,
    found: Vec<Inputs>,
    store: &mut LockedStore,
) -> Result<MatrixId, LabError> {
    let layouts = layout_control_of_matrix(&request.subjects, request.layouts, request.population)?;
    let layouts = unguarded(layouts, &request.subjects, request.layouts)?;
    let mut seed = request.seed;
    let mut members = Vec::new();
    for (index, (member, inputs)) in request.members.iter().zip(found).enumerate() {
        refuse_address_tables(&layouts, &inputs)?;
        let key = digest(&json!([key, index]))?;
        let begun = if request.fresh {
            None
        } else {
            begun_before(store, &key, seed, &inputs)?
        };
        let (id, drawn) = match begun {
            Some(begun) => begun,
            None => {
                let seed = seed.unwrap_or_else(rand::random);
                let experiment = experiment(request, member, &layouts, seed, inputs);
                (store.begin(&key, &experiment)?, seed)
            }
        };
        seed = Some(drawn);
        members.push(Member {
            benchmark: member.name.clone(),
            size: member.size.clone(),
            experiment: id,
        });
    }
    let run = MatrixRun {
        cells: request
            .subjects
            .iter()
            .map(|subject| subject.name.clone())
            .collect(),
        kinds: request.kinds.clone(),
        baselines: request.baselines.clone(),
        members,
        proofmark: env!("CARGO_PKG_VERSION").to_owned(),
        began_ms: now_ms(),
    };
    Ok(store.begin_matrix(key, &run)?)
}

/// The experiment that was begun with this key and whose matrix was not, if it has the seed of the
/// others and reads the same.
fn begun_before(
    store: &Store,
    key: &str,
    seed: Option<u64>,
    inputs: &Inputs,
) -> Result<Option<(ExperimentId, u64)>, LabError> {
    let Some(id) = store.unfinished(key)? else {
        return Ok(None);
    };
    let recorded = store.load(id.as_str())?;
    let found = recorded.experiment.seed;
    let untouched = recorded.pilot.is_none()
        && recorded.blocks.is_empty()
        && recorded.experiment.inputs == *inputs;
    Ok((untouched && seed.is_none_or(|seed| seed == found)).then_some((id, found)))
}

fn experiment(
    request: &MatrixRequest,
    member: &MemberRequest,
    layouts: &LayoutControl,
    seed: u64,
    inputs: Inputs,
) -> Experiment {
    let run_as = member.run_as.iter().cloned().chain(std::iter::repeat(None));
    let cwd = Path::new(member.benchmark.cwd.as_ref());
    let builds = records_in(&request.subjects, cwd).into_iter();
    let builds = builds.zip(run_as).map(|(build, own)| Build {
        run_as: own.map(Box::new),
        ..build
    });
    let run: Vec<&Benchmark> = std::iter::once(&member.benchmark)
        .chain(member.run_as.iter().flatten())
        .collect();
    Experiment {
        question: Question::Compare,
        builds: builds.collect(),
        patches: patches_of(&request.subjects),
        benchmark: warmed(&member.benchmark, &inputs),
        design: request.design.clone(),
        inputs,
        layouts: layouts.clone(),
        heap: heap_start(layouts, &run),
        seed,
        machine: read_machine(),
        proofmark: env!("CARGO_PKG_VERSION").to_owned(),
        began_ms: now_ms(),
    }
}
