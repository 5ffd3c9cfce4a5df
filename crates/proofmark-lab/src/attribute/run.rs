//! The whole of an attribution, from a request to a conclusion in the store.

use std::path::Path;

use proofmark_evidence::record::{Attribution, Inputs, UnmovedFunction};
use proofmark_evidence::{AttributionId, RecordedAttribution};
use proofmark_layout::{Placeable, SlotSet};
use proofmark_measure::read_machine;
use proofmark_terms::BuildIndex;

use super::conduct::{AttributionUnderWay, conduct};
use super::hot::Hot;
use super::images::Images;
use super::request::AttributionRequest;
use crate::LabError;
use crate::bench::BenchParts;
use crate::budget::Budget;
use crate::builds::held::held;
use crate::builds::refuse_special;
use crate::clock::now_ms;
use crate::experiment::digest;
use crate::inputs::{self, Look, changed_since};
use crate::laboratory::{Laboratory, emptied};
use crate::observer::{Event, Observer};
use crate::places::{Original, Places, Take, libraries};
use crate::prepare::set_up;
use crate::sweep::{Nature, Put, SweepBench, nature};

/// Time that the runs of a layout shall take in one of its two measurements.
const IN_A_MEASUREMENT_MS: f64 = 100.0;
/// Fewest and most rounds of a measurement: of three, one may be hit by a burst.
const ROUNDS: (f64, f64) = (3.0, 9.0);

/// Carries an attribution out, or goes on where it was interrupted.
///
/// # Errors
///
/// When no function can be moved, a run fails, or the user stops; finished blocks are in the store.
pub fn run_attribution(
    laboratory: &mut Laboratory<'_>,
    request: &AttributionRequest,
    observer: &mut dyn Observer,
) -> Result<AttributionId, LabError> {
    let began_ms = now_ms();
    let work = laboratory.folder.join("work");
    emptied(&work)?;
    let subjects = std::slice::from_ref(&request.subject);
    refuse_special(subjects)?;
    let original = Original::of(&request.benchmark, laboratory.folder)?;
    let subjects = held(subjects, &work.join("held"))?;
    set_up(&request.benchmark)?;
    libraries::check(&subjects, |_| &request.benchmark)?;

    let key = key(request)?;
    let taken_up = if request.resume {
        laboratory.store.unfinished_attribution(&key)?
    } else {
        None
    };
    observer.tell(&Event::Preparing("the build, in its own order"));
    let build = observe(request, &work)?;
    let places = Places::of(&subjects, original.clone())?;
    let parts = BenchParts::claim(work.join("run"), places, &laboratory.stop)?;
    let mut bench = SweepBench::new(&request.benchmark, parts, 0);
    observer.tell(&Event::Preparing("the program: a few runs"));
    bench.place(&[Put {
        name: "in its own order".to_owned(),
        image: build.image().to_owned(),
    }])?;
    let found = nature(&mut bench, &laboratory.stop)?;
    let asked = &request.design.asked;
    let hot = match &taken_up {
        Some(recorded) => Hot::again(build.image(), &recorded.attribution.functions)?,
        None if !asked.is_empty() => Hot::asked(build.image(), asked)?,
        None => {
            let most = request.design.most as usize;
            Hot::sampled(&mut bench, build.image(), most, &laboratory.stop)?
        }
    };
    observer.tell(&Event::Preparing("layouts in slots"));
    let chosen: Vec<_> = hot
        .functions
        .iter()
        .map(|(chosen, _)| chosen.clone())
        .collect();
    let set = SlotSet::new(build, &chosen)?;
    let (functions, left_out) = parted(&hot, &set);
    if functions.is_empty() {
        let why = left_out.first();
        let why = why.map_or_else(String::new, |one| format!("{}, {}", one.name, one.why));
        return Err(LabError::Refused(format!(
            "none of the functions in question can be moved by itself: {why}\n  next: name others, --function PATTERN"
        )));
    }
    let images = Images::new(set, work.join("images"));
    let taken_up = taken_up.filter(|recorded| goes_on(recorded, &functions, observer));
    let budget = |earlier_ms| Budget::of(request.design.budget_ms, began_ms, earlier_ms);
    let under_way = match taken_up {
        Some(recorded) => {
            observer.tell(&Event::Resumed {
                blocks: u32::try_from(recorded.blocks.len()).unwrap_or(u32::MAX),
            });
            let earlier_ms = recorded.blocks.iter().map(|block| block.took_ms).sum();
            AttributionUnderWay {
                id: recorded.id,
                attribution: recorded.attribution,
                blocks: recorded.blocks,
                budget: budget(earlier_ms),
            }
        }
        None => {
            let places = Places::of(&subjects, original.clone())?;
            let staged = places.to_be_looked_at(&subjects, &work)?;
            let looks: Vec<Look<'_>> = staged
                .iter()
                .map(|staged| Look {
                    benchmark: &request.benchmark,
                    image: &staged.path,
                    view: staged.view.clone(),
                    bound: places.covered(Take::first(BuildIndex::BASE)),
                    original: original.as_ref(),
                })
                .collect();
            let inputs = inputs::find(
                &looks,
                &subjects,
                laboratory.folder,
                &laboratory.stop,
                budget(0),
            )?;
            let hot = Hot {
                sampled: hot.sampled,
                functions: Vec::new(),
            };
            let found = (found, hot, functions, left_out);
            let attribution = begin(request, found, inputs, began_ms);
            let id = laboratory.store.begin_attribution(&key, &attribution)?;
            AttributionUnderWay {
                id,
                attribution,
                blocks: Vec::new(),
                budget: budget(0),
            }
        }
    };
    let id = under_way.id.clone();
    let fixed = &under_way.attribution;
    bench.begin(fixed.design.seed, &fixed.inputs, fixed.pinned);
    conduct(under_way, &mut bench, &images, laboratory.store, observer)?;
    Ok(id)
}

/// The build in its own order.
fn observe(request: &AttributionRequest, work: &Path) -> Result<Placeable, LabError> {
    let links = request.subject.links().ok_or_else(|| {
        LabError::Refused(format!(
            "{} is a file that was not captured: its functions cannot be moved\n  next: capture the build that makes it, `proofmark capture NAME -- BUILD…`",
            request.subject.name
        ))
    })?;
    let link = links.first().ok_or_else(|| {
        LabError::Refused("a captured build without a link: capture it again".to_owned())
    })?;
    Ok(Placeable::observe(link.for_layouts(), &work.join("set"))?)
}

/// What makes two requests the same: all that was asked, and nothing that was drawn or found.
fn key(request: &AttributionRequest) -> Result<String, LabError> {
    let mut design = request.design.clone();
    (design.seed, design.budget_ms) = (0, None);
    let asked = serde_json::json!({
        "attribution": request.subject.record(),
        "benchmark": request.benchmark,
        "design": design,
        "seed": request.seed.map(|seed| seed.to_string()),
    });
    digest(&asked)
}

type Functions = Vec<proofmark_evidence::record::HotFunction>;

/// The functions that can be moved by themselves, and those that cannot.
fn parted(hot: &Hot, set: &SlotSet) -> (Functions, Vec<UnmovedFunction>) {
    let function = |index: usize| &hot.functions[index].1;
    let moved = set.functions().iter().map(|index| function(*index).clone());
    let unmoved = set.unmoved().iter().map(|unmoved| UnmovedFunction {
        name: function(unmoved.function).name.clone(),
        samples: function(unmoved.function).samples,
        why: unmoved.why.clone(),
    });
    (moved.collect(), unmoved.collect())
}

/// Whether an unfinished attribution is of the same functions and inputs.
fn goes_on(
    recorded: &RecordedAttribution,
    functions: &Functions,
    observer: &mut dyn Observer,
) -> bool {
    let changed = changed_since(&recorded.attribution.inputs);
    if let Some(path) = &changed {
        observer.tell(&Event::Anew {
            path: &path.display(),
            blocks: recorded.blocks.len(),
        });
    }
    recorded.attribution.functions == *functions && changed.is_none()
}

/// What is fixed before the first block.
fn begin(
    request: &AttributionRequest,
    (nature, hot, functions, left_out): (Nature, Hot, Functions, Vec<UnmovedFunction>),
    inputs: Inputs,
    began_ms: u64,
) -> Attribution {
    let mut design = request.design.clone();
    design.seed = request.seed.unwrap_or_else(rand::random);
    let fit = IN_A_MEASUREMENT_MS / 1e3 / nature.run.as_secs_f64();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "kept within small bounds"
    )]
    let rounds = fit.clamp(ROUNDS.0, ROUNDS.1) as u32;
    Attribution {
        build: request.subject.record(),
        benchmark: request.benchmark.clone(),
        design,
        sampled: hot.sampled,
        functions,
        left_out,
        inputs,
        rounds: request.design.rounds.unwrap_or(rounds),
        pinned: nature.pinned,
        remarks: nature.remarks,
        machine: read_machine(),
        proofmark: env!("CARGO_PKG_VERSION").to_owned(),
        began_ms,
    }
}
