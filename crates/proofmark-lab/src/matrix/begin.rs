//! From a request to a matrix in the store: a new one, or the one that was begun before.

use proofmark_evidence::record::{
    Build, Experiment, Inputs, LayoutControl, MatrixRun, Member, Question,
};
use proofmark_evidence::{ExperimentId, MatrixId, Store};
use proofmark_measure::read_machine;
use serde_json::json;

use super::member::MatrixUnderWay;
use super::request::{MatrixRequest, MemberRequest};
use crate::LabError;
use crate::begin::{layout_control_of_matrix, now_ms, without_budget};
use crate::request::Subject;

/// Loads a matrix by its name, by the beginning of it, or as `latest`.
///
/// # Errors
///
/// When there is none of that name, or a record is damaged.
pub fn load_matrix(store: &Store, asked: &str) -> Result<MatrixUnderWay, LabError> {
    Ok(MatrixUnderWay::load(store.load_matrix(asked)?, store)?)
}

/// Takes up the matrix that this request began before, or begins a new one.
pub(super) fn begin(
    request: &MatrixRequest,
    store: &mut Store,
) -> Result<MatrixUnderWay, LabError> {
    let key = key_of(request)?;
    if !request.fresh
        && let Some(recorded) = store.matrix_of_key(&key)?
    {
        return Ok(MatrixUnderWay::load(recorded, store)?);
    }
    let id = begin_new(request, &key, store)?;
    load_matrix(store, id.as_str())
}

/// What makes two requests the same: what is built, run and how; not what is claimed of it, which the same blocks can answer.
pub(super) fn key_of(request: &MatrixRequest) -> Result<String, LabError> {
    let builds: Vec<Build> = request.subjects.iter().map(Subject::record).collect();
    let members: Vec<_> = request
        .members
        .iter()
        .map(|member| {
            let read = crate::inputs::named_hashes(&member.benchmark);
            json!([
                member.name,
                member.size,
                member.benchmark,
                member.run_as,
                read
            ])
        })
        .collect();
    hashed(&json!({
        "builds": builds,
        "kinds": request.kinds,
        "baselines": request.baselines,
        "members": members,
        "design": without_budget(&request.design),
        "layouts": format!("{:?}", request.layouts),
        "population": request.population,
        "seed": request.seed,
    }))
}

fn hashed(value: &serde_json::Value) -> Result<String, LabError> {
    let text = serde_json::to_vec(value)
        .map_err(|error| LabError::Plan(format!("cannot write the plan down: {error}")))?;
    Ok(blake3::hash(&text).to_hex().to_string())
}

/// Begins each experiment, and then the matrix that names them. Experiments that were begun before an interruption are taken up, so that none is
/// left behind.
fn begin_new(request: &MatrixRequest, key: &str, store: &mut Store) -> Result<MatrixId, LabError> {
    let layouts = layout_control_of_matrix(&request.subjects, request.layouts, request.population)?;
    let mut seed = request.seed;
    let mut members = Vec::new();
    for (index, member) in request.members.iter().enumerate() {
        let key = hashed(&json!([key, index]))?;
        let begun = if request.fresh {
            None
        } else {
            taken_up(store, &key, seed)?
        };
        let (id, drawn) = match begun {
            Some(begun) => begun,
            None => {
                let seed = seed.unwrap_or_else(rand::random);
                let experiment = experiment(request, member, &layouts, seed);
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

/// The experiment that was begun with this key and whose matrix was not, if it has the seed of the others.
fn taken_up(
    store: &Store,
    key: &str,
    seed: Option<u64>,
) -> Result<Option<(ExperimentId, u64)>, LabError> {
    let Some(id) = store.unfinished(key)? else {
        return Ok(None);
    };
    let recorded = store.load(id.as_str())?;
    let found = recorded.experiment.seed;
    let untouched = recorded.pilot.is_none() && recorded.blocks.is_empty();
    Ok((untouched && seed.is_none_or(|seed| seed == found)).then_some((id, found)))
}

fn experiment(
    request: &MatrixRequest,
    member: &MemberRequest,
    layouts: &LayoutControl,
    seed: u64,
) -> Experiment {
    let run_as = member.run_as.iter().cloned().chain(std::iter::repeat(None));
    let builds = request
        .subjects
        .iter()
        .zip(run_as)
        .map(|(subject, own)| Build {
            run_as: own.map(Box::new),
            ..subject.record()
        });
    Experiment {
        question: Question::Compare,
        builds: builds.collect(),
        benchmark: member.benchmark.clone(),
        design: request.design.clone(),
        inputs: Inputs::default(),
        layouts: layouts.clone(),
        seed,
        machine: read_machine(),
        proofmark: env!("CARGO_PKG_VERSION").to_owned(),
        began_ms: now_ms(),
    }
}
