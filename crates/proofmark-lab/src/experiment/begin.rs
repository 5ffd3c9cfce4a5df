//! From a request to an experiment in the store: a new one, or the one that was interrupted.

use std::path::Path;

use proofmark_evidence::LockedStore;
use proofmark_evidence::record::{Benchmark, Build, Design, Experiment, Inputs, Schedule};
use proofmark_measure::read_machine;
use proofmark_terms::canonical;

use super::heap::heap_start;
use super::inherited::inherited;
use super::layouts::{layout_control, unguarded};
use super::request::Request;
use super::under_way::UnderWay;
use crate::builds::{patches_of, records_in};
use crate::clock::now_ms;
use crate::error::LabError;
use crate::inputs::{changed_since, refuse_address_tables};
use crate::observer::{Event, Observer};

/// Takes up the experiment that this request began before and that was interrupted, or begins a new
/// one: also where a file that its runs read is another one now. `inputs` finds what they read, and
/// is told what is going to be measured.
///
/// # Errors
///
/// When the builds cannot be compared as asked, or the store refuses.
pub fn begin(
    request: &Request,
    store: &mut LockedStore,
    inputs: &mut dyn FnMut(&Experiment) -> Result<Inputs, LabError>,
    observer: &mut dyn Observer,
) -> Result<UnderWay, LabError> {
    let cwd = Path::new(request.benchmark.cwd.as_ref());
    let builds = records_in(&request.subjects, cwd);
    possible(request)?;
    let of_key: Vec<Build> = builds.iter().map(Build::without_sources).collect();
    let key = key_of(request, &of_key)?;
    if request.resume
        && let Some(id) = store.unfinished(&key)?
    {
        let recorded = store.load(&id.to_string())?;
        match changed_since(&recorded.experiment.inputs) {
            None => {
                let mut under_way = UnderWay::of(recorded);
                under_way.experiment.design.budget_ms = request.design.budget_ms;
                return Ok(under_way);
            }
            Some(path) => observer.tell(&Event::Anew {
                path: &path.display(),
                blocks: recorded.blocks.len(),
            }),
        }
    }
    let layouts = layout_control(&request.subjects, request.layouts, request.population)?;
    let layouts = if request.design.as_shipped {
        layouts
    } else {
        unguarded(layouts, &request.subjects, request.layouts)?
    };
    let heap = heap_start(&layouts, &[&request.benchmark]);
    let mut experiment = Experiment {
        question: request.question,
        layouts,
        heap,
        builds,
        patches: patches_of(&request.subjects),
        benchmark: request.benchmark.clone(),
        design: request.design.clone(),
        inputs: Inputs::default(),
        seed: request.seed.unwrap_or_else(rand::random),
        machine: read_machine(),
        proofmark: env!("CARGO_PKG_VERSION").to_owned(),
        began_ms: now_ms(),
    };
    experiment.inputs = inputs(&experiment)?;
    refuse_address_tables(&experiment.layouts, &experiment.inputs)?;
    experiment.benchmark = warmed(&experiment.benchmark, &experiment.inputs);
    let id = store.begin(&key, &experiment)?;
    Ok(UnderWay {
        id,
        experiment,
        pilot: None,
        blocks: Vec::new(),
        earlier_blocks: 0,
        partial_ms: 0,
        began_ms: now_ms(),
    })
}

/// Each block has fresh copies of images and trees. Where runs keep what they make, in their tree
/// as python does with what it compiles, or elsewhere under the number or the time of a file, the
/// first one does more than all later ones: it is not counted. What is prepared before each run is
/// as somebody wants it.
pub(crate) fn warmed(benchmark: &Benchmark, inputs: &Inputs) -> Benchmark {
    let kept = inputs.are_left_by_runs() && benchmark.prepare.is_none();
    let least = u32::from(kept || !inputs.in_trees.is_empty());
    Benchmark {
        warmup: benchmark.warmup.max(least),
        ..benchmark.clone()
    }
}

/// A design without its budget: more of it does not make it another question, so that what a small
/// one has measured is gone on with.
pub(crate) fn without_budget(design: &Design) -> Design {
    Design {
        budget_ms: None,
        ..design.clone()
    }
}

/// What contradicts itself is said before anything begins.
fn possible(request: &Request) -> Result<(), LabError> {
    let sliced = matches!(request.design.schedule, Some(Schedule::Sliced { .. }));
    if sliced && request.benchmark.prepare.is_some() {
        return Err(LabError::Refused(
            "--prepare goes before each run, and slices of several runs are taken side by \
             side\n  next: leave --schedule out, or prepare once with --setup"
                .to_owned(),
        ));
    }
    Ok(())
}

/// What makes two requests the same: all that was asked, and nothing that was drawn or found.
fn key_of(request: &Request, builds: &[Build]) -> Result<String, LabError> {
    let asked = serde_json::json!({
        "question": request.question,
        "machine": this_machine(),
        "builds": builds,
        "benchmark": request.benchmark,
        "design": without_budget(&request.design),
        "layouts": request.layouts,
        "population": request.population,
        // As text, for a number of JSON does not hold all of its bits.
        "seed": request.seed.map(|seed| seed.to_string()),
    });
    digest(&asked)
}

/// What makes the machine another one, for which what was measured on this one is no answer; with
/// what runs inherit on it.
pub(crate) fn this_machine() -> serde_json::Value {
    let id = std::fs::read_to_string("/etc/machine-id").unwrap_or_default();
    serde_json::json!([read_machine().lasting(), id.trim(), inherited()])
}

/// BLAKE3 of the canonical form of a plan, in hexadecimal.
pub(crate) fn digest(plan: &serde_json::Value) -> Result<String, LabError> {
    let text = canonical::text(plan)
        .map_err(|error| LabError::Fault(format!("cannot write the plan down: {error}")))?;
    Ok(blake3::hash(text.as_bytes()).to_hex().to_string())
}
