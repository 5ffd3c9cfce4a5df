//! The whole of an attribution, from a request to a conclusion in the store.

use std::path::Path;

use proofmark_conclude::{RoundAt, conclude_screening};
use proofmark_evidence::record::{
    Attribution, HotFunction, Inputs, PlaceScreening, SampledRun, UnmovedFunction,
};
use proofmark_evidence::{AttributionId, RecordedAttribution};
use proofmark_layout::{Placeable, SlotSet};
use proofmark_measure::{Interrupt, read_machine};

use super::conduct::{AttributionUnderWay, conduct};
use super::hot::Hot;
use super::images::Images;
use super::request::AttributionRequest;
use crate::LabError;
use crate::alone::{AloneBench, Nature, Put, Setting, inputs_hold, link_of, nature};
use crate::budget::Budget;
use crate::clock::now_ms;
use crate::experiment::{digest, this_machine};
use crate::laboratory::Laboratory;
use crate::observer::{Event, Observer};
use crate::spending::{Spending, unfinished};

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
    let spending = Spending::begin(request.design.budget_ms);
    let setting = Setting::new(laboratory, &request.subject, &request.benchmark)?;
    let key = key(request)?;
    let taken_up = unfinished(request.resume, || {
        laboratory.store.unfinished_attribution(&key)
    })?;
    observer.tell(&Event::Preparing("the build, in its own order"));
    let captured = link_of(&request.subject)?.for_layouts();
    let build = Placeable::observe(captured, &setting.work.join("set"))?;
    let mut bench = setting.bench()?;
    observer.tell(&Event::Preparing("the program: a few runs"));
    let nature = nature_of(&build, &mut bench, &setting)?;
    let (known, taken_up) = known(taken_up, &build)?;
    let mut hot = match known {
        Some(hot) => hot,
        None => hot(request, &mut bench, &build, &setting.stop)?,
    };
    let seed = request.seed.unwrap_or_else(rand::random);
    let screening = match &taken_up {
        Some(recorded) => recorded.attribution.screening.clone(),
        None => screening(
            request,
            &mut hot,
            seed,
            (setting.work.as_path(), &mut *observer),
        )?,
    };
    let begun = Begun {
        nature,
        sampled: hot.sampled.clone(),
        screening,
        seed,
        began_ms: spending.began_ms(),
    };
    if request.comparison.is_some() && hot.functions.is_empty() {
        let inputs = setting.inputs(spending.whole())?;
        return undecided(laboratory, request, (&key, begun), inputs);
    }
    observer.tell(&Event::Preparing("layouts in slots"));
    let slotted = Slotted::of(build, &hot)?;
    let taken_up = taken_up.filter(|recorded| goes_on(recorded, &slotted.functions, observer));
    let under_way = match taken_up {
        Some(recorded) => {
            let took_ms = recorded.blocks.iter().map(|block| block.took_ms);
            let budget = spending.rest(took_ms, observer);
            again(recorded, budget)
        }
        None => {
            let inputs = setting.inputs(spending.whole())?;
            let functions = (slotted.functions, slotted.left_out);
            let attribution = begun.attribution(request, functions, inputs);
            AttributionUnderWay {
                id: laboratory.store.begin_attribution(&key, &attribution)?,
                attribution,
                blocks: Vec::new(),
                budget: spending.whole(),
            }
        }
    };
    let images = Images::new(slotted.set, setting.work.join("images"));
    let id = under_way.id.clone();
    let fixed = &under_way.attribution;
    bench.begin(fixed.design.seed, &fixed.inputs, fixed.pinned);
    conduct(under_way, &mut bench, &images, laboratory.store, observer)?;
    Ok(id)
}

/// What the program is like in its own order.
fn nature_of(
    build: &Placeable,
    bench: &mut AloneBench,
    setting: &Setting<'_>,
) -> Result<Nature, LabError> {
    let put = Put {
        name: "in its own order".to_owned(),
        image: build.image().to_owned(),
    };
    bench.place(RoundAt::FIRST, &[put])?;
    nature(bench, &setting.stop)
}

/// What the layouts of a comparison say, where one was asked about; leaves the functions that stand
/// out there.
fn screening(
    request: &AttributionRequest,
    hot: &mut Hot,
    seed: u64,
    (work, observer): (&Path, &mut dyn Observer),
) -> Result<Option<PlaceScreening>, LabError> {
    let Some(comparison) = &request.comparison else {
        return Ok(None);
    };
    observer.tell(&Event::Preparing(
        "the layouts of the comparison, drawn again",
    ));
    let level = (request.design.confidence, seed);
    let told = comparison.screen(hot, level, &work.join("screening"))?;
    hot.keep_named(&told);
    Ok(Some(told))
}

/// The functions of an attribution that goes on, which begins anew where they cannot be found.
fn known(
    taken_up: Option<RecordedAttribution>,
    build: &Placeable,
) -> Result<(Option<Hot>, Option<RecordedAttribution>), LabError> {
    let Some(recorded) = taken_up else {
        return Ok((None, None));
    };
    let mut hot = Hot::again(build.image(), &recorded.attribution.functions)?;
    if let Some(hot) = &mut hot {
        hot.sampled = recorded.attribution.sampled.clone();
    }
    let taken_up = hot.is_some().then_some(recorded);
    Ok((hot, taken_up))
}

/// The functions in question: those that were asked for, or those in which runs are.
fn hot(
    request: &AttributionRequest,
    bench: &mut AloneBench,
    build: &Placeable,
    stop: &Interrupt,
) -> Result<Hot, LabError> {
    let asked = &request.design.asked;
    if !asked.is_empty() {
        return Hot::asked(build.image(), asked);
    }
    Hot::sampled(bench, build.image(), request.design.most as usize, stop)
}

/// A build in slots, with the functions that have places of their own.
struct Slotted {
    set: SlotSet,
    functions: Vec<HotFunction>,
    left_out: Vec<UnmovedFunction>,
}

impl Slotted {
    fn of(build: Placeable, hot: &Hot) -> Result<Slotted, LabError> {
        let chosen: Vec<_> = hot
            .functions
            .iter()
            .map(|(chosen, _)| chosen.clone())
            .collect();
        let set = SlotSet::new(build, &chosen)?;
        let function = |index: usize| &hot.functions[index].1;
        let moved = set.functions().iter().map(|index| function(*index).clone());
        let unmoved = set.unmoved().iter().map(|unmoved| UnmovedFunction {
            name: function(unmoved.function).name.clone(),
            samples: function(unmoved.function).samples,
            why: unmoved.why.clone(),
        });
        let (functions, left_out): (Vec<_>, Vec<_>) = (moved.collect(), unmoved.collect());
        if functions.is_empty() {
            let why = left_out.first();
            let why = why.map_or_else(String::new, |one| format!("{}, {}", one.name, one.why));
            return Err(LabError::Refused(format!(
                "none of the functions in question can be moved by itself: {why}\n  next: name \
                 others, --function PATTERN"
            )));
        }
        Ok(Slotted {
            set,
            functions,
            left_out,
        })
    }
}

/// An attribution that was interrupted.
fn again(recorded: RecordedAttribution, budget: Budget) -> AttributionUnderWay {
    AttributionUnderWay {
        id: recorded.id,
        attribution: recorded.attribution,
        blocks: recorded.blocks,
        budget,
    }
}

/// What makes two requests the same: all that was asked, and nothing that was drawn or found.
fn key(request: &AttributionRequest) -> Result<String, LabError> {
    let mut design = request.design.clone();
    (design.seed, design.budget_ms) = (0, None);
    let asked = serde_json::json!({
        "attribution": request.subject.record(),
        "machine": this_machine(),
        "benchmark": request.benchmark,
        "design": design,
        "comparison": request.comparison.as_ref().map(|one| one.recorded.id.as_str()),
        "seed": request.seed.map(|seed| seed.to_string()),
    });
    digest(&asked)
}

/// Whether an unfinished attribution is of the same functions and inputs.
fn goes_on(
    recorded: &RecordedAttribution,
    functions: &[HotFunction],
    observer: &mut dyn Observer,
) -> bool {
    let attribution = &recorded.attribution;
    inputs_hold(&attribution.inputs, recorded.blocks.len(), observer)
        && attribution.functions == functions
}

/// What is known before the functions in question have slots.
struct Begun {
    nature: Nature,
    sampled: Option<SampledRun>,
    screening: Option<PlaceScreening>,
    seed: u64,
    began_ms: u64,
}

impl Begun {
    /// What is fixed before the first block.
    fn attribution(
        self,
        request: &AttributionRequest,
        (functions, left_out): (Vec<HotFunction>, Vec<UnmovedFunction>),
        inputs: Inputs,
    ) -> Attribution {
        let mut design = request.design.clone();
        design.seed = self.seed;
        let fit = IN_A_MEASUREMENT_MS / 1e3 / self.nature.run.as_secs_f64();
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
            sampled: self.sampled,
            screening: self.screening,
            functions,
            left_out,
            inputs,
            rounds: request.design.rounds.unwrap_or(rounds),
            pinned: self.nature.pinned,
            remarks: self.nature.remarks,
            machine: read_machine(),
            proofmark: env!("CARGO_PKG_VERSION").to_owned(),
            began_ms: self.began_ms,
        }
    }
}

/// Records that no function stood out among the layouts of a comparison.
fn undecided(
    laboratory: &mut Laboratory<'_>,
    request: &AttributionRequest,
    (key, begun): (&str, Begun),
    inputs: Inputs,
) -> Result<AttributionId, LabError> {
    let began_ms = begun.began_ms;
    let attribution = begun.attribution(request, (Vec::new(), Vec::new()), inputs);
    let lacking = || LabError::Fault("a screening without what it found".to_owned());
    let screening = attribution.screening.as_ref().ok_or_else(lacking)?;
    let conclusion = conclude_screening(screening, now_ms().saturating_sub(began_ms));
    let id = laboratory.store.begin_attribution(key, &attribution)?;
    laboratory.store.conclude_attribution(&id, &conclusion)?;
    Ok(id)
}
