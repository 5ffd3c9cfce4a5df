//! Whether the two populations of layouts agree: where they do not, locality is part of the effect.

use proofmark_evidence::record::{
    Build, Comparison, Conclusion, Experiment, PopulationsDisagree, Question, Warning,
};
use proofmark_evidence::{Progress, Recorded, Store};
use proofmark_stats::Interval;
use proofmark_terms::Population;

use crate::error::LabError;

/// Compares a conclusion with the newest one on the same builds and benchmark in the other
/// population, where the store has one.
///
/// # Errors
///
/// When the store cannot be read.
pub(crate) fn disagreements(
    store: &Store,
    experiment: &Experiment,
    conclusion: &Conclusion,
) -> Result<Vec<Warning>, LabError> {
    let Some(here) = experiment.layouts.population() else {
        return Ok(Vec::new());
    };
    let Some((other, there)) = other_population(store, experiment, here)? else {
        return Ok(Vec::new());
    };
    let earlier = other
        .conclusion
        .iter()
        .flat_map(|conclusion| &conclusion.comparisons);
    Ok(conclusion
        .comparisons
        .iter()
        .zip(earlier)
        .filter(|(now, earlier)| disagree(&now.interval, &earlier.interval))
        .map(|(now, earlier)| {
            let now = Over {
                comparison: now,
                population: here,
            };
            let earlier = Over {
                comparison: earlier,
                population: there,
            };
            told(experiment, &now, &earlier, &other)
        })
        .collect())
}

fn other_population(
    store: &Store,
    experiment: &Experiment,
    here: Population,
) -> Result<Option<(Recorded, Population)>, LabError> {
    let finished = |state| matches!(state, Progress::Finished { .. });
    let names: Vec<&String> = experiment.builds.iter().map(|build| &build.name).collect();
    for summary in store.list()?.into_iter().rev() {
        let same_names = summary.names.iter().eq(names.iter().copied());
        if summary.question != Question::Compare || !finished(summary.state) || !same_names {
            continue;
        }
        let recorded = store.load(&summary.id.to_string())?;
        let earlier = &recorded.experiment;
        let Some(there) = earlier.layouts.population().filter(|there| *there != here) else {
            continue;
        };
        if builds(earlier) == builds(experiment) && earlier.benchmark == experiment.benchmark {
            return Ok(Some((recorded, there)));
        }
    }
    Ok(None)
}

/// The builds of an experiment, whatever states their sources were in.
fn builds(of: &Experiment) -> Vec<Build> {
    of.builds.iter().map(Build::without_sources).collect()
}

/// Two independent estimates disagree where they lie further apart than their half-widths together,
/// as the root of the sum of squares.
fn disagree(one: &Interval, other: &Interval) -> bool {
    let apart = (one.estimate.ln() - other.estimate.ln()).abs();
    apart > one.half_width().hypot(other.half_width())
}

/// A comparison over the layouts of one population.
struct Over<'a> {
    comparison: &'a Comparison,
    population: Population,
}

fn told(experiment: &Experiment, now: &Over<'_>, earlier: &Over<'_>, other: &Recorded) -> Warning {
    let build = now.comparison.build.of(&experiment.builds);
    let name = build.map_or("?", |build| build.name.as_str());
    let ratio = |over: &Over<'_>| over.comparison.interval.estimate.ratio();
    Warning::PopulationsDisagree(PopulationsDisagree {
        build: name.to_owned(),
        here: now.population,
        ratio: ratio(now),
        there: earlier.population,
        other_ratio: ratio(earlier),
        experiment: other.id.clone(),
    })
}
