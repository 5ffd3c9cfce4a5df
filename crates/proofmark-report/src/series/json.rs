//! A series for programs: JSON with a schema.

use std::collections::BTreeMap;

use proofmark_conclude::series::{LevelChange, LinePoint, PairFound, Way};
use proofmark_evidence::PrivateParts;
use proofmark_evidence::record::{
    EntryOf, PairReason, PointOutcome, Rebuilt, SeriesEntry, SkipReason,
};
use proofmark_stats::Interval;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::rows::{LineShown, shown};
use super::{Shown, begins};
use crate::document::{Document, enveloped};
use crate::wording::unit;

/// Series of commits.
#[derive(Serialize, JsonSchema)]
pub(crate) struct SeriesDocument {
    /// One for each benchmark.
    series: Vec<OneSeries>,
}

/// One benchmark along a line of commits.
#[derive(Serialize, JsonSchema)]
struct OneSeries {
    /// Its name in the store: 64 hexadecimal digits.
    id: String,
    /// The benchmark's name.
    name: String,
    /// What is read from a run.
    metric: String,
    /// The metric's unit.
    unit: String,
    /// The shell command that builds a commit.
    build: String,
    /// Builds of each commit, of which a block draws one.
    repeat: u32,
    /// Levels that differ by less count as one; relative, 0.01 for 1 %.
    margin: f64,
    /// The commit at place 0, which is the first anchor.
    origin: String,
    /// One for each model of processor and each set of tools.
    lines: Vec<LineEntry>,
    /// Whether what names persons and places is here: authors, paths, names of machines. Where it
    /// is not, `⟨private N⟩` stands in its place.
    private_here: bool,
}

/// What can be compared with one another.
#[derive(Serialize, JsonSchema)]
struct LineEntry {
    /// The processor's model.
    processor: String,
    /// What is not as it was on the line before, in words; null of the first line.
    apart: Option<String>,
    /// What stays of the machine when it is started again, by key.
    machine: BTreeMap<String, String>,
    /// How builds of the first anchor compare: `same`, `differs`, or null where nobody asked.
    rebuilt: Option<&'static str>,
    /// By place.
    points: Vec<PointEntry>,
    /// Changes of the level that a fresh comparison confirmed, the oldest first.
    changes: Vec<ChangeEntry>,
    /// Changes that the values show and that nobody compared.
    suspected: Vec<SuspectedEntry>,
    /// The newest point against the level before it; null without points.
    watch: Option<WatchEntry>,
    /// Alarms by their direction.
    alarms: AlarmsEntry,
    /// Commits that cannot be measured.
    skipped: Vec<SkippedEntry>,
}

/// The newest point against the level before it.
#[derive(Serialize, JsonSchema)]
struct WatchEntry {
    /// The newest point.
    newest: String,
    /// Points of the level, itself included.
    points: usize,
    /// Twice the log likelihood ratio of the clearest change of the level.
    statistic: f64,
    /// The statistic beyond which there is an alarm.
    penalty: f64,
    /// The standard deviation of the noise of points, as ln.
    noise: f64,
    /// What came of an alarm at the newest point; null where there was none.
    alarm: Option<ChangeEntry>,
}

/// Alarms by their direction.
#[derive(Serialize, JsonSchema)]
struct AlarmsEntry {
    /// At values that rose.
    rose: u32,
    /// At values that fell.
    fell: u32,
    /// Those at values that rose that fresh layouts did not confirm.
    rose_in_vain: u32,
    /// Those at values that fell that fresh layouts did not confirm.
    fell_in_vain: u32,
    /// How often they would be as one-sided by chance, 0 to 1.
    p: f64,
    /// The same of those that were not confirmed.
    p_in_vain: f64,
}

/// A commit with a value.
#[derive(Serialize, JsonSchema)]
struct PointEntry {
    /// The commit.
    commit: String,
    /// How many first parents it is away from the origin.
    place: u32,
    /// RFC 3339, its author's.
    date: String,
    /// The first line of its message.
    subject: String,
    /// The commit whose program was measured, where it is another one.
    same_program_as: Option<String>,
    /// The anchor beside which it was measured; null of the first anchor, and of a program that was
    /// measured before.
    anchor: Option<String>,
    /// The experiment's name in the store, where it was measured.
    experiment: Option<String>,
    /// Over layouts, ÷ the line's first anchor; null where placement was not varied.
    over_layouts: Option<f64>,
    /// As shipped, ÷ the line's first anchor.
    as_shipped: Option<f64>,
    /// Half the width of the interval over layouts of its own measurement, as ln.
    half_width: Option<f64>,
}

/// A change of the level.
#[derive(Serialize, JsonSchema)]
struct ChangeEntry {
    /// The last commit that is known to have the old level.
    older: String,
    /// The first commit that is known to have the new level.
    newer: String,
    /// How many commits it may be: 1 where the two are neighbours.
    commits: u32,
    /// `changed`: over layouts. `not-confirmed`: of an alarm alone. `changed-as-shipped`: placement
    /// was not varied. `placement`: as shipped alone. `placement-perhaps`: as shipped, and not
    /// decided over layouts.
    kind: &'static str,
    /// New ÷ old, over layouts.
    over_layouts: Option<RatioEntry>,
    /// New ÷ old, as shipped.
    as_shipped: RatioEntry,
    /// The experiment's name in the store.
    experiment: String,
    /// It was seen when its commit was added.
    alarm: bool,
}

/// A change that nobody compared.
#[derive(Serialize, JsonSchema)]
struct SuspectedEntry {
    /// The last point of the old level.
    older: String,
    /// The first point of the new level.
    newer: String,
    /// `over-layouts` or `as-shipped`.
    way: &'static str,
    /// New ÷ old.
    ratio: RatioEntry,
}

/// A commit without a value.
#[derive(Serialize, JsonSchema)]
struct SkippedEntry {
    /// The commit.
    commit: String,
    /// `not-built`, `failed` or `not-laid-out`.
    why: &'static str,
    /// What was said.
    said: String,
}

/// A ratio with its bounds.
#[derive(Serialize, JsonSchema)]
struct RatioEntry {
    /// The estimate.
    estimate: f64,
    /// The lower bound.
    low: f64,
    /// The upper bound.
    high: f64,
}

impl Document for SeriesDocument {
    const SCHEMA: &'static str = "series";
}

/// Series for programs.
#[must_use]
pub fn json(series: &[Shown]) -> Value {
    enveloped(&SeriesDocument {
        series: series.iter().map(one).collect(),
    })
}

fn one(of: &Shown) -> OneSeries {
    let series = &of.recorded.series;
    let metric = &series.benchmark.metric;
    OneSeries {
        id: of.recorded.id.to_string(),
        name: series.name.clone(),
        metric: metric.name().to_owned(),
        unit: unit(metric).to_owned(),
        build: series.build.clone(),
        repeat: series.repeat,
        margin: of.margin.relative(),
        origin: series.origin.id.to_string(),
        lines: shown(of).iter().map(line).collect(),
        private_here: of.recorded.private == PrivateParts::Here,
    }
}

fn line(shown: &LineShown<'_>) -> LineEntry {
    let line = &shown.line;
    let facts = &line.about.machine.facts;
    let changes = shown.changes.iter().map(change);
    let watch = shown.watched.as_ref().map(|watched| WatchEntry {
        newest: watched.newest.id.to_string(),
        points: watched.points,
        statistic: watched.statistic,
        penalty: watched.penalty,
        noise: watched.noise,
        alarm: shown.alarm.as_ref().map(change),
    });
    let (p, p_in_vain) = shown.alarms.by_chance();
    let alarms = AlarmsEntry {
        rose: shown.alarms.rose,
        fell: shown.alarms.fell,
        rose_in_vain: shown.alarms.rose_in_vain,
        fell_in_vain: shown.alarms.fell_in_vain,
        p,
        p_in_vain,
    };
    let suspected = shown.suspected.iter().map(|one| SuspectedEntry {
        older: one.older.id.to_string(),
        newer: one.newer.id.to_string(),
        way: match one.way {
            Way::Drawn => "over-layouts",
            Way::Shipped => "as-shipped",
        },
        ratio: ratio(&one.ratio),
    });
    let skipped = line.skipped.iter().map(|one| SkippedEntry {
        commit: one.commit.id.to_string(),
        why: match one.why {
            SkipReason::NotBuilt => "not-built",
            SkipReason::Failed => "failed",
            SkipReason::NotLaidOut => "not-laid-out",
        },
        said: one.said.to_owned(),
    });
    LineEntry {
        processor: line.about.machine.processor().to_owned(),
        apart: shown.apart.as_ref().map(begins::apart),
        machine: facts
            .iter()
            .map(|(key, fact)| (key.clone(), fact.text().to_owned()))
            .collect(),
        rebuilt: line.rebuilt().map(|rebuilt| match rebuilt {
            Rebuilt::Same => "same",
            Rebuilt::Differs => "differs",
        }),
        points: line.points.iter().map(|one| point(shown, one)).collect(),
        changes: changes.collect(),
        suspected: suspected.collect(),
        watch,
        alarms,
        skipped: skipped.collect(),
    }
}

fn change(change: &LevelChange<'_>) -> ChangeEntry {
    ChangeEntry {
        older: change.older.id.to_string(),
        newer: change.newer.id.to_string(),
        commits: change.commits(),
        kind: match change.found {
            PairFound::Changed => "changed",
            PairFound::ChangedAsShipped => "changed-as-shipped",
            PairFound::Placement => "placement",
            PairFound::PlacementPerhaps => "placement-perhaps",
            PairFound::NotConfirmed => "not-confirmed",
            PairFound::Undecided => "undecided",
        },
        over_layouts: change.ratio.drawn.as_ref().map(ratio),
        as_shipped: ratio(&change.ratio.shipped),
        experiment: change.experiment.to_string(),
        alarm: matches!(change.why, PairReason::Alarm { .. }),
    }
}

fn point(shown: &LineShown<'_>, point: &LinePoint<'_>) -> PointEntry {
    let line = &shown.line;
    let own = |entry: &&&SeriesEntry| match &entry.of {
        EntryOf::Point { commit, .. } => commit.id == point.commit.id,
        EntryOf::Pair { .. } => false,
    };
    let outcome = line.entries.iter().rev().find(own).map(|entry| &entry.of);
    let (anchor, experiment) = match outcome {
        Some(EntryOf::Point {
            outcome: PointOutcome::Measured {
                anchor, experiment, ..
            },
            ..
        }) => (Some(anchor.to_string()), Some(experiment.to_string())),
        _ => (None, None),
    };
    PointEntry {
        commit: point.commit.id.to_string(),
        place: point.place,
        date: point.commit.date.clone(),
        subject: point.commit.subject.clone(),
        same_program_as: (point.commit.id != point.measured).then(|| point.measured.to_owned()),
        anchor,
        experiment,
        over_layouts: line.value(point, Way::Drawn).map(f64::exp),
        as_shipped: line.value(point, Way::Shipped).map(f64::exp),
        half_width: line.half_width(point, Way::Drawn),
    }
}

fn ratio(interval: &Interval) -> RatioEntry {
    RatioEntry {
        estimate: interval.estimate.ratio(),
        low: interval.low.ratio(),
        high: interval.high.ratio(),
    }
}
