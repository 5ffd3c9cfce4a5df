//! From a request to an experiment in the store: a new one, or the one that was interrupted.

use std::time::{SystemTime, UNIX_EPOCH};

use proofmark_evidence::LockedStore;
use proofmark_evidence::record::{
    Block, Build, Design, Drawing, Experiment, Inputs, LayoutControl, Schedule,
};
use proofmark_layout::{Asked, MATCHED_UP_TO};
use proofmark_measure::read_machine;
use proofmark_terms::{Population, canonical};

use crate::LabError;
use crate::conduct::UnderWay;
use crate::inputs::changed_since;
use crate::observer::{Event, Observer};
use crate::request::{LayoutChoice, Request, Subject};

/// Takes up the experiment that this request began before and that was interrupted, or begins a new
/// one: also where a file that its runs read is another one now. `inputs` finds what they read.
///
/// # Errors
///
/// When the builds cannot be compared as asked, or the store refuses.
pub fn begin(
    request: &Request,
    store: &mut LockedStore,
    inputs: &mut dyn FnMut() -> Result<Inputs, LabError>,
    observer: &mut dyn Observer,
) -> Result<UnderWay, LabError> {
    let builds: Vec<Build> = request.subjects.iter().map(Subject::record).collect();
    possible(request)?;
    let of_key: Vec<Build> = builds.iter().map(Build::without_sources).collect();
    let key = key_of(request, &of_key)?;
    if request.resume
        && let Some(id) = store.unfinished(&key)?
    {
        let recorded = store.load(&id.to_string())?;
        match changed_since(&recorded.experiment.inputs) {
            None => {
                let mut experiment = recorded.experiment;
                experiment.design.budget_ms = request.design.budget_ms;
                return Ok(UnderWay {
                    id,
                    experiment,
                    pilot: recorded.pilot,
                    blocks: recorded.blocks,
                    partial_ms: partial_ms(&recorded.partial),
                    began_ms: now_ms(),
                });
            }
            Some(path) => observer.tell(&Event::Anew {
                path: &path.display(),
                blocks: recorded.blocks.len(),
            }),
        }
    }
    let experiment = Experiment {
        question: request.question,
        layouts: layout_control(&request.subjects, request.layouts, request.population)?,
        builds,
        benchmark: request.benchmark.clone(),
        design: request.design.clone(),
        inputs: inputs()?,
        seed: request.seed.unwrap_or_else(rand::random),
        machine: read_machine(),
        proofmark: env!("CARGO_PKG_VERSION").to_owned(),
        began_ms: now_ms(),
    };
    let id = store.begin(&key, &experiment)?;
    Ok(UnderWay {
        id,
        experiment,
        pilot: None,
        blocks: Vec::new(),
        partial_ms: 0,
        began_ms: now_ms(),
    })
}

/// Time that blocks took which were never finished, in milliseconds.
pub(crate) fn partial_ms(partial: &[Block]) -> u64 {
    partial.iter().map(|block| block.took_ms).sum()
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
            "--prepare goes before each run, and slices of several runs are taken side by side\n  next: leave --schedule out, or prepare once with --setup".to_owned(),
        ));
    }
    Ok(())
}

/// Milliseconds since 1970-01-01 UTC.
pub(crate) fn now_ms() -> u64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// What makes two requests the same: all that was asked, and nothing that was drawn or found.
fn key_of(request: &Request, builds: &[Build]) -> Result<String, LabError> {
    let asked = serde_json::json!({
        "question": request.question,
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

/// BLAKE3 of the canonical form of a plan, in hexadecimal.
pub(crate) fn digest(plan: &serde_json::Value) -> Result<String, LabError> {
    let text = canonical::text(plan)
        .map_err(|error| LabError::Fault(format!("cannot write the plan down: {error}")))?;
    Ok(blake3::hash(text.as_bytes()).to_hex().to_string())
}

/// How placement will be varied, and why.
fn layout_control(
    subjects: &[Subject],
    layouts: LayoutChoice,
    population: Population,
) -> Result<LayoutControl, LabError> {
    let loose: Vec<&str> = subjects
        .iter()
        .filter(|subject| subject.links().is_none())
        .map(|subject| subject.name.as_str())
        .collect();
    if layouts == LayoutChoice::AsShipped {
        return Ok(LayoutControl::AsShipped {
            reason: "asked for with --layouts as-shipped".to_owned(),
        });
    }
    if let Some(first) = loose.first() {
        if layouts == LayoutChoice::Auto {
            let names = loose.join(" and ");
            let reason = format!(
                "{names} not captured; `proofmark capture NAME -- BUILD…` makes layouts possible"
            );
            return Ok(LayoutControl::AsShipped { reason });
        }
        return Err(LabError::Refused(format!(
            "{first} is a file that was not captured: its layout cannot be varied\n  next: capture the build that makes it, `proofmark capture NAME -- BUILD…`, or leave --layouts out"
        )));
    }
    same_sections(subjects)?;
    same_linker(subjects)?;
    varied(subjects, layouts, population)
}

/// How placement will be varied in a matrix, and why. Its builds may have linkers of their own:
/// each is then laid out by its own, and the linker is a part of the build like its compiler.
pub(crate) fn layout_control_of_matrix(
    subjects: &[Subject],
    layouts: LayoutChoice,
    population: Population,
) -> Result<LayoutControl, LabError> {
    match (layouts, same_linker(subjects)) {
        (LayoutChoice::Auto | LayoutChoice::Independent, Err(_)) => {
            Ok(each_by_its_own_linker(population))
        }
        _ => layout_control(subjects, layouts, population),
    }
}

/// Layouts of each build on its own, and why.
fn independent(population: Population, reason: impl Into<String>) -> LayoutControl {
    let how = Drawing::Independent {
        reason: reason.into(),
    };
    LayoutControl::Drawn { how, population }
}

fn each_by_its_own_linker(population: Population) -> LayoutControl {
    independent(
        population,
        "the builds are linked by different linkers, each by its own",
    )
}

/// How placement will be varied in a matrix, as far as it can be told without linking: `None` where
/// the code that the builds share decides. Whether there are several linkers is told by the caller,
/// who also knows of builds that are still to be made.
pub(crate) fn layouts_without_linking(
    subjects: &[Subject],
    several_linkers: bool,
    layouts: LayoutChoice,
    population: Population,
) -> Result<Option<LayoutControl>, LabError> {
    let captured = subjects.iter().all(|subject| subject.links().is_some());
    match layouts {
        LayoutChoice::Auto | LayoutChoice::Independent if captured && several_linkers => {
            Ok(Some(each_by_its_own_linker(population)))
        }
        LayoutChoice::Auto if captured => Ok(None),
        LayoutChoice::Matched | LayoutChoice::Jittered if several_linkers => {
            Err(LabError::Refused(
                "the builds are linked by different linkers: changing the linker is itself a change of layout\n  next: leave --layouts out, and each is laid out by its own linker".to_owned(),
            ))
        }
        _ => layout_control_of_matrix(subjects, layouts, population).map(Some),
    }
}

/// How the placement of captured builds will be varied.
fn varied(
    subjects: &[Subject],
    layouts: LayoutChoice,
    population: Population,
) -> Result<LayoutControl, LabError> {
    if layouts != LayoutChoice::Independent
        && let Some((name, asked)) = placed_otherwise(subjects)?
    {
        return by_own_placement(layouts, population, name, &asked);
    }
    match layouts {
        LayoutChoice::Matched => Ok(LayoutControl::Drawn {
            how: Drawing::Matched,
            population,
        }),
        LayoutChoice::Jittered => Ok(LayoutControl::Drawn {
            how: Drawing::Jittered,
            population,
        }),
        LayoutChoice::Independent => Ok(independent(
            population,
            "asked for with --layouts independent",
        )),
        LayoutChoice::Auto | LayoutChoice::AsShipped => by_shared_code(subjects, population),
    }
}

/// The first build that asks for another order or alignment than the base, and what.
fn placed_otherwise(subjects: &[Subject]) -> Result<Option<(&str, Asked)>, LabError> {
    let recipe = |subject: &Subject| Some(subject.links()?.first()?.recipe.clone());
    let Some((base, news)) = subjects.split_first() else {
        return Ok(None);
    };
    let Some(base) = recipe(base) else {
        return Ok(None);
    };
    for new in news {
        let Some(recipe) = recipe(new) else { continue };
        let asked = proofmark_layout::asked(&base, &recipe)?;
        if !asked.is_same() {
            return Ok(Some((new.name.as_str(), asked)));
        }
    }
    Ok(None)
}

/// Where order or alignment is what changed, each build keeps its own; layouts that give all the
/// same would hide the change.
fn by_own_placement(
    layouts: LayoutChoice,
    population: Population,
    name: &str,
    asked: &Asked,
) -> Result<LayoutControl, LabError> {
    let hides = match (layouts, population) {
        (LayoutChoice::Matched, _) => {
            "--layouts matched gives both builds the same, and would hide it"
        }
        (LayoutChoice::Jittered, _) => {
            "--layouts jittered gives both builds the same, and would hide it"
        }
        (_, Population::Shuffle) if !asked.order.is_empty() => "a shuffled order would hide it",
        _ => {
            let reason = format!("{name} changes {asked}: each build keeps its own");
            return Ok(independent(population, reason));
        }
    };
    Err(LabError::Refused(format!(
        "{name} changes {asked}; {hides}\n  next: leave --layouts and --population out: each build then keeps its own order and alignment"
    )))
}

/// Matched where nearly all code is shared.
fn by_shared_code(subjects: &[Subject], population: Population) -> Result<LayoutControl, LabError> {
    let mut recipes = subjects
        .iter()
        .filter_map(|subject| subject.links()?.first())
        .map(|link| &link.recipe);
    let Some(base) = recipes.next() else {
        return Err(LabError::Refused(
            "a captured build without a link: capture it again".to_owned(),
        ));
    };
    let mut largest = 0.0_f64;
    for new in recipes {
        largest = largest.max(proofmark_layout::differing_share(base, new)?);
    }
    if largest <= MATCHED_UP_TO {
        return Ok(LayoutControl::Drawn {
            how: Drawing::Matched,
            population,
        });
    }
    let reason = format!("{:.0} % of the code differs", largest * 100.0);
    Ok(independent(population, reason))
}

/// A link that folds, collects or orders sections does more of it once each function has one of its
/// own: that is the capture's doing, and no layout of what the user has.
fn same_sections(subjects: &[Subject]) -> Result<(), LabError> {
    let found = subjects.iter().find_map(|subject| {
        let mut links = subject.links().unwrap_or_default().iter();
        let does = links.find_map(|link| link.recipe.by_sections().filter(|_| link.sections_added));
        does.map(|does| (subject, does))
    });
    let Some((subject, does)) = found else {
        return Ok(());
    };
    Err(LabError::Refused(format!(
        "the link of {name} {does}, and only the capture gave each function the section that this takes: its image may be another program than the build's own file\n  next: capture it without --compile once, and the build stays as it is; or add -ffunction-sections to its own flags if that is meant",
        name = subject.name
    )))
}

/// Changing the linker is itself a change of layout.
fn same_linker(subjects: &[Subject]) -> Result<(), LabError> {
    let mut linkers = subjects.iter().flat_map(|subject| {
        subject
            .links()
            .unwrap_or_default()
            .iter()
            .map(move |link| (subject, &link.recipe.linker))
    });
    let Some((base, first)) = linkers.next() else {
        return Ok(());
    };
    match linkers.find(|(_, linker)| (linker.kind, &linker.version) != (first.kind, &first.version))
    {
        None => Ok(()),
        Some((subject, other)) => Err(LabError::Refused(format!(
            "{} was linked by {}, {} by {}: changing the linker is itself a change of layout\n  next: capture both with the same linker, or compare the files with --layouts as-shipped",
            base.name, first.version, subject.name, other.version
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Builds that are still to be made count by their linkers alone.
    #[test]
    fn several_linkers_are_told_before_anything_is_built() {
        let told =
            |several, layouts| layouts_without_linking(&[], several, layouts, Population::Pad);
        assert!(matches!(told(false, LayoutChoice::Auto), Ok(None)));
        for layouts in [LayoutChoice::Auto, LayoutChoice::Independent] {
            let control = told(true, layouts);
            assert!(matches!(
                control,
                Ok(Some(LayoutControl::Drawn {
                    how: Drawing::Independent { .. },
                    ..
                }))
            ));
        }
        for layouts in [LayoutChoice::Matched, LayoutChoice::Jittered] {
            assert!(matches!(told(true, layouts), Err(LabError::Refused(_))));
        }
    }
}
