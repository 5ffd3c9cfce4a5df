//! The whole of an explanation, from a request to a conclusion in the store.

use proofmark_conclude::is_withheld;
use proofmark_evidence::record::{
    AskedOfSystem, CodeBetween, Explanation, HardwareRuns, LayoutControl, PlacedCode, Question,
    SampledLayouts, SimulatedRuns,
};
use proofmark_evidence::{ExplanationId, RecordedExplanation};
use proofmark_measure::sample::Sampler;
use proofmark_measure::{Interrupt, read_machine};
use proofmark_terms::{BuildIndex, Population};

use super::asked::asked;
use super::called::{CalledRuns, called};
use super::code;
use super::conduct::{ExplanationUnderWay, FEWEST, arms, as_shipped, conduct};
use super::hardware::hardware;
use super::request::ExplanationRequest;
use super::sampled::{Unsampled, run};
use super::simulated::simulated;
use crate::bench::Bench;
use crate::budget::Budget;
use crate::clock::now_ms;
use crate::error::LabError;
use crate::experiment::{
    CountedRuns, LayoutChoice, Ready, Request, UnderWay, digest, this_machine,
};
use crate::laboratory::Laboratory;
use crate::observer::{Event, Observer};
use crate::rig::Rig as _;
use crate::spending::{Spending, unfinished};

/// CPU time that the runs of a build shall take in a block: some 2,000 samples.
const IN_A_BLOCK_S: f64 = 0.4;
/// Most runs of a build in a block.
const MOST_RUNS: f64 = 200.0;

/// An explanation that was carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplanationRun {
    /// Its name in the store.
    pub id: ExplanationId,
    /// Samples with their callers, or why the kernel tells nothing; none where nobody asked.
    pub called: Option<Result<CalledRuns, String>>,
}

/// Explains what a comparison found, or goes on where that was interrupted.
///
/// # Errors
///
/// When the comparison has no conclusion, a run fails, or the user stops; finished blocks are in
/// the store.
pub fn run_explanation(
    laboratory: &mut Laboratory<'_>,
    request: &ExplanationRequest,
    observer: &mut dyn Observer,
) -> Result<ExplanationRun, LabError> {
    let spending = Spending::begin(request.design.budget_ms);
    possible(request)?;
    let key = key(request)?;
    let taken_up = unfinished(request.resume, || {
        laboratory.store.unfinished_explanation(&key)
    })?;
    let (base, new) = subjects(request)?;
    observer.tell(&Event::Preparing("the machine code of both builds"));
    let code = code::between(base, new);
    let layouts = layouts(request, &code);
    observer.tell(&Event::Preparing("the images"));
    let asked_before = again(request);
    let ready = Ready::of(&asked_before, laboratory)?;
    let mut bench = ready.sampling_bench(&from_the_first_block(request))?;
    let stop = laboratory.stop.clone();
    let under_way = match taken_up {
        Some(recorded) => {
            let took_ms = recorded.blocks.iter().map(|block| block.took_ms);
            let budget = spending.rest(took_ms, observer);
            taken_up_again(recorded, request, budget, stop)
        }
        None => {
            bench.place(Some(0), &arms(&layouts, request.build))?;
            observer.tell(&Event::Preparing("what runs ask of the system"));
            let benchmark = &request.comparison.experiment.benchmark;
            let asked = asked(&mut bench, benchmark, &stop)?;
            observer.tell(&Event::Preparing("where runs are"));
            let sampling = Sampling::tried(request, &mut bench, &stop)?;
            // Of code that is shipped: nobody ships that of a layout.
            bench.place(Some(0), &as_shipped(request.build))?;
            observer.tell(&Event::Preparing("counters of the processor"));
            let hardware = hardware(&mut bench, &stop)?;
            observer.tell(&Event::Preparing("a model of the caches"));
            let (simulated, placed) = simulated(&mut bench, (benchmark.ignore_exit, &stop))?;
            let found = Found {
                layouts,
                asked,
                simulated,
                hardware,
                placed,
                code,
            };
            let explanation = explanation(request, found, sampling, spending.began_ms());
            ExplanationUnderWay {
                id: laboratory.store.begin_explanation(&key, &explanation)?,
                explanation,
                blocks: Vec::new(),
                comparison: &request.comparison,
                budget: spending.whole(),
                stop,
            }
        }
    };
    let id = under_way.id.clone();
    let (build, runs) = (request.build, under_way.explanation.runs);
    conduct(under_way, &mut bench, laboratory.store, observer)?;
    let called = if request.with_callers {
        observer.tell(&Event::Preparing("who calls whom"));
        bench.place(Some(0), &as_shipped(build))?;
        Some(called(&mut bench, runs, &laboratory.stop)?)
    } else {
        None
    };
    Ok(ExplanationRun { id, called })
}

/// Whether there is something to be explained.
fn possible(request: &ExplanationRequest) -> Result<(), LabError> {
    let recorded = &request.comparison;
    let id = recorded.id.short();
    if recorded.experiment.question != Question::Compare {
        return Err(LabError::Refused(format!(
            "{id} is no comparison: there is no change in it to be explained\n  next: name a \
             comparison, `proofmark report --list` has all of them"
        )));
    }
    let Some(conclusion) = &recorded.conclusion else {
        return Err(LabError::Refused(format!(
            "comparison {id} was not finished: how large the change is, is not known\n  next: give \
             its command again, which goes on from there"
        )));
    };
    let mut comparisons = conclusion.comparisons.iter();
    if comparisons.any(|one| one.build == request.build && is_withheld(one)) {
        return Err(LabError::Refused(format!(
            "comparison {id} has no verdict: drawn images do other work than those as shipped, or \
             nobody knows whether they do, so that its layouts explain nothing\n  next: compare and \
             explain the files as they are, with `--layouts as-shipped`"
        )));
    }
    Ok(())
}

fn subjects(
    request: &ExplanationRequest,
) -> Result<(&crate::builds::Subject, &crate::builds::Subject), LabError> {
    let of = |build: BuildIndex| build.of(&request.subjects);
    let lacking = || LabError::Fault("an explanation without its builds".to_owned());
    let base = of(BuildIndex::BASE).ok_or_else(lacking)?;
    Ok((base, of(request.build).ok_or_else(lacking)?))
}

/// The comparison's request, as far as its images go.
fn again(request: &ExplanationRequest) -> Request {
    let experiment = &request.comparison.experiment;
    Request {
        question: experiment.question,
        subjects: request.subjects.clone(),
        benchmark: experiment.benchmark.clone(),
        design: experiment.design.clone(),
        layouts: LayoutChoice::Auto,
        population: experiment.layouts.population().unwrap_or(Population::Pad),
        seed: Some(experiment.seed),
        resume: false,
        counted: CountedRuns::None,
        expectations: None,
    }
}

/// The comparison as if its first block were to come: its images are made from there on.
fn from_the_first_block(request: &ExplanationRequest) -> UnderWay {
    let recorded = &request.comparison;
    let mut experiment = recorded.experiment.clone();
    experiment.design.max_blocks = experiment
        .design
        .max_blocks
        .max(request.design.blocks)
        .max(FEWEST);
    UnderWay {
        id: recorded.id.clone(),
        experiment,
        pilot: recorded.pilot.clone(),
        blocks: Vec::new(),
        earlier_blocks: 0,
        partial_ms: 0,
        began_ms: now_ms(),
    }
}

/// In which images both are sampled: where most functions have no name, functions of two layouts
/// cannot be told to be one.
fn layouts(request: &ExplanationRequest, code: &CodeBetween) -> SampledLayouts {
    match &request.comparison.experiment.layouts {
        LayoutControl::AsShipped { reason } => SampledLayouts::AsShipped {
            why: reason.clone(),
        },
        LayoutControl::Drawn { .. } => match code {
            CodeBetween::Read { named, .. } if named.contains(&0) => SampledLayouts::AsShipped {
                why: "a build is stripped, and functions without a name go by their addresses; \
                      link without -s for names and drawn layouts"
                    .to_owned(),
            },
            _ => SampledLayouts::Drawn,
        },
    }
}

/// How runs are sampled.
enum Sampling {
    /// So many runs of each build in a block.
    Runs { runs: u32, blocks: u32 },
    /// Not at all, and why.
    Impossible(String),
}

impl Sampling {
    /// By one run of each build.
    fn tried(
        request: &ExplanationRequest,
        bench: &mut Bench,
        stop: &Interrupt,
    ) -> Result<Sampling, LabError> {
        let how = (request.comparison.experiment.benchmark.ignore_exit, stop);
        let mut longest: f64 = 0.0;
        for arm in [0, 1] {
            match run(bench, arm, how) {
                // Instructions are the same each time.
                Ok(profile) if profile.by == Sampler::Callgrind => {
                    return Ok(Sampling::Runs {
                        runs: 1,
                        blocks: FEWEST,
                    });
                }
                Ok(profile) => longest = longest.max(profile.spent.cpu.as_secs_f64()),
                Err(Unsampled::Stopped(error)) => return Err(error),
                Err(Unsampled::Unavailable(why)) => return Ok(Sampling::Impossible(why)),
            }
        }
        let fit = (IN_A_BLOCK_S / longest.max(1e-6)).ceil();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "kept within small bounds"
        )]
        let runs = fit.clamp(1.0, MOST_RUNS) as u32;
        Ok(Sampling::Runs {
            runs: request.design.runs.unwrap_or(runs),
            blocks: request.design.blocks.max(FEWEST),
        })
    }
}

/// What is known before the first block.
struct Found {
    layouts: SampledLayouts,
    asked: AskedOfSystem,
    simulated: SimulatedRuns,
    hardware: HardwareRuns,
    placed: PlacedCode,
    code: CodeBetween,
}

/// What is fixed before the first block.
fn explanation(
    request: &ExplanationRequest,
    found: Found,
    sampling: Sampling,
    began_ms: u64,
) -> Explanation {
    let mut design = request.design.clone();
    let (runs, unsampled) = match sampling {
        Sampling::Runs { runs, blocks } => {
            design.blocks = blocks;
            (runs, None)
        }
        Sampling::Impossible(why) => (0, Some(why)),
    };
    Explanation {
        comparison: request.comparison.id.clone(),
        build: request.build,
        design,
        layouts: found.layouts,
        runs,
        unsampled,
        asked: found.asked,
        simulated: Some(found.simulated),
        hardware: Some(found.hardware),
        placed: Some(found.placed),
        code: found.code,
        machine: read_machine(),
        proofmark: env!("CARGO_PKG_VERSION").to_owned(),
        began_ms,
    }
}

/// An explanation that was interrupted.
fn taken_up_again(
    recorded: RecordedExplanation,
    request: &ExplanationRequest,
    budget: Budget,
    stop: Interrupt,
) -> ExplanationUnderWay<'_> {
    ExplanationUnderWay {
        id: recorded.id,
        explanation: recorded.explanation,
        blocks: recorded.blocks,
        comparison: &request.comparison,
        budget,
        stop,
    }
}

/// What makes two requests the same: all that was asked.
fn key(request: &ExplanationRequest) -> Result<String, LabError> {
    let mut design = request.design.clone();
    design.budget_ms = None;
    digest(&serde_json::json!({
        "explanation": request.comparison.id.as_str(),
        "build": request.build,
        "machine": this_machine(),
        "design": design,
    }))
}
