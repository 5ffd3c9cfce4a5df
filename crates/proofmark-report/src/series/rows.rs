//! What every view of a series says.

use proofmark_conclude::better;
use proofmark_conclude::series::{
    AlarmCount, Apart, LevelChange, Line, NotMeasured, PairFound, Suspected, Watched, Way, apart,
    lines,
};
use proofmark_evidence::record::{
    EntryOf, PairOutcome, PairReason, PointOutcome, SeriesEntry, SeriesLine, SkipReason, TwoWays,
};
use proofmark_stats::Interval;
use proofmark_terms::{Commit, Effect, Metric};

use super::{Shown, begins};
use crate::number::{change_of, counted, grouped, setting};
use crate::rebuilt;
use crate::text::{one_line, printable, shortened, untied};
use crate::wording::{comparatives, metric_in_full};

/// Letters of a commit that are shown.
const SHORT: usize = 10;
/// Columns of a commit's subject.
const SUBJECT: usize = 50;
/// Columns of a reason.
const REASON: usize = 100;
/// Commits without a value that are named, at most.
const NAMED: usize = 5;

/// A line of a series with what there is to say of it.
pub(super) struct LineShown<'a> {
    pub(super) line: Line<'a>,
    /// Why it is none of those before it; `None` of the first.
    pub(super) apart: Option<Apart<'a>>,
    pub(super) changes: Vec<LevelChange<'a>>,
    pub(super) suspected: Vec<Suspected<'a>>,
    pub(super) watched: Option<Watched<'a>>,
    /// What came of the alarm at the newest point, where there was one.
    pub(super) alarm: Option<LevelChange<'a>>,
    pub(super) alarms: AlarmCount,
    pub(super) metric: &'a Metric,
    /// As a relative change.
    pub(super) margin: f64,
    /// Builds of each commit.
    repeat: u32,
}

/// The lines of a series.
pub(super) fn shown(of: &Shown) -> Vec<LineShown<'_>> {
    let metric = &of.recorded.series.benchmark.metric;
    let better = better(metric);
    let lines = lines(&of.recorded.entries);
    let begun: Vec<&SeriesLine> = lines.iter().map(Line::begun).collect();
    let lines = lines.into_iter().enumerate();
    let lines = lines.map(|(at, line)| LineShown {
        apart: apart(line.begun(), begun[..at].iter().copied()),
        changes: line.changes(of.margin, better),
        suspected: line.suspected(of.margin, better),
        watched: line.watched(of.margin, better),
        alarm: (line.points.last()).and_then(|last| line.alarm_at(last.place, of.margin, better)),
        alarms: line.alarms(of.margin, better),
        line,
        metric,
        margin: of.margin.relative(),
        repeat: of.recorded.series.repeat,
    });
    lines.collect()
}

/// A commit's name as people read it.
pub(super) fn short(id: &str) -> &str {
    id.get(..SHORT).unwrap_or(id)
}

/// The day of a commit.
pub(super) fn day(commit: &Commit) -> String {
    printable(commit.date.get(..10).unwrap_or(&commit.date))
}

/// A commit's subject, safe to print.
pub(super) fn subject(commit: &Commit) -> String {
    shortened(&printable(&commit.subject), SUBJECT)
}

/// `fib: CPU time, 1 % margin`.
pub(super) fn heading(of: &Shown) -> String {
    let series = &of.recorded.series;
    format!(
        "{}: {}, margin ±{}; series {}",
        printable(&series.name),
        metric_in_full(&series.benchmark.metric),
        setting(of.margin.relative()),
        of.recorded.id.short()
    )
}

/// What is measured, and where.
pub(super) fn about(shown: &LineShown<'_>) -> Vec<String> {
    let line = &shown.line;
    let points = &line.points;
    let ends = points.first().zip(points.last());
    let mut out = vec![format!("on {}", printable(line.about.machine.processor()))];
    if let Some(why) = &shown.apart {
        out.push(format!("not the line before: {}", begins::apart(why)));
    }
    if let Some((first, last)) = ends {
        let range = last.place - first.place + 1;
        let unseen = points.windows(2).map(|two| two[1].place - two[0].place - 1);
        let unseen = unseen.max().unwrap_or(0);
        let narrow = if unseen == 0 {
            String::new()
        } else {
            format!(
                "; at most {} in a row without a value, so that a peak as narrow was not seen",
                counted(unseen, "commit", "commits")
            )
        };
        out.push(format!(
            "{} of {} from {} ({}) to {} ({}) have a value{narrow}",
            grouped(points.len() as u64),
            counted(range, "commit", "commits"),
            short(&first.commit.id),
            day(first.commit),
            short(&last.commit.id),
            day(last.commit)
        ));
        let builds = line.rebuilt().and_then(|found| {
            rebuilt::builds(
                found,
                shown.repeat,
                short(&first.commit.id),
                "the first anchor",
            )
        });
        out.extend(builds.map(|words| format!("builds: {words}")));
    }
    out
}

/// What a line is called.
pub(super) const fn way_name(way: Way) -> &'static str {
    match way {
        Way::Drawn => "over layouts",
        Way::Shipped => "as shipped",
    }
}

/// A row of the table of changes.
pub(super) struct ChangeRow {
    pub(super) commit: String,
    pub(super) day: String,
    pub(super) drawn: String,
    pub(super) shipped: String,
    pub(super) what: String,
}

impl LineShown<'_> {
    /// What a change is, in a word or two.
    pub(super) fn kind(&self, change: &LevelChange<'_>) -> String {
        let interval = change.ratio.drawn.unwrap_or(change.ratio.shipped);
        match change.found {
            PairFound::Changed => self.way_of(&interval).to_owned(),
            PairFound::ChangedAsShipped => {
                format!("{}, placement not varied", self.way_of(&interval))
            }
            PairFound::Placement => "placement".to_owned(),
            PairFound::PlacementPerhaps => "perhaps placement".to_owned(),
            PairFound::NotConfirmed => "not confirmed".to_owned(),
            PairFound::Undecided => "undecided".to_owned(),
        }
    }

    fn way_of(&self, interval: &Interval) -> &'static str {
        let rises = interval.estimate.ln() > 0.0;
        let [better, worse] = comparatives(self.metric);
        if rises == self.metric.higher_is_better() {
            better
        } else {
            worse
        }
    }

    /// The changes that were confirmed.
    pub(super) fn rows(&self) -> Vec<ChangeRow> {
        let row = |change: &LevelChange<'_>| ChangeRow {
            commit: short(&change.newer.id).to_owned(),
            day: day(change.newer),
            drawn: change
                .ratio
                .drawn
                .as_ref()
                .map_or_else(String::new, change_of),
            shipped: change_of(&change.ratio.shipped),
            what: self.kind(change),
        };
        self.changes.iter().map(row).collect()
    }

    /// Sentences on the changes: what each commit is, or among how many it is.
    pub(super) fn named(&self) -> Vec<String> {
        let name = |change: &LevelChange<'_>| match change.commits() {
            1 => format!(
                "{} {} {}",
                short(&change.newer.id),
                day(change.newer),
                subject(change.newer)
            ),
            many => {
                let others = match many - 1 {
                    1 => "the one".to_owned(),
                    more => format!("one of the {more} commits"),
                };
                format!(
                    "{} {} or {others} before it, after {}",
                    short(&change.newer.id),
                    day(change.newer),
                    short(&change.older.id)
                )
            }
        };
        self.changes.iter().map(name).collect()
    }

    /// Sentences on changes that nobody compared.
    pub(super) fn suspicions(&self) -> Vec<String> {
        let one = |one: &Suspected<'_>| {
            let same = one
                .over_layouts
                .as_ref()
                .filter(|drawn| drawn.contains(Effect::NONE));
            let placement = same.map_or(String::new(), |drawn| {
                format!(" (over layouts {}: placement, it seems)", change_of(drawn))
            });
            format!(
                "{} {}{placement} at {} or near it, by the values alone: `proofmark history run` \
                 over its neighbours compares them",
                way_name(one.way),
                change_of(&one.ratio),
                short(&one.newer.id)
            )
        };
        self.suspected.iter().map(one).collect()
    }

    /// Sentences on commits without a value.
    pub(super) fn unmeasured(&self) -> Vec<String> {
        let skipped = &self.line.skipped;
        let one = |one: &NotMeasured<'_>| {
            format!(
                "{} skipped: {}",
                short(&one.commit.id),
                reason(one.why, one.said)
            )
        };
        let mut out: Vec<String> = skipped.iter().take(NAMED).map(one).collect();
        if skipped.len() > NAMED {
            out.push(format!("and {} more skipped", skipped.len() - NAMED));
        }
        out
    }

    /// Values in one way, on the scale of the first anchor as 1.
    pub(super) fn ratios(&self, way: Way) -> Option<Vec<f64>> {
        let values = self.line.values(way)?;
        Some(values.into_iter().map(f64::exp).collect())
    }
}

fn reason(why: SkipReason, said: &str) -> String {
    let why = match why {
        SkipReason::NotBuilt => "not built",
        SkipReason::Failed => "its benchmark failed",
        SkipReason::NotLaidOut => "cannot be laid out beside its anchor",
    };
    format!("{why}: {}", shortened(&one_line(said), REASON))
}

/// Both figures of a comparison, in a few words.
pub(super) fn two_ways(found: &TwoWays) -> String {
    let shipped = format!("as shipped {}", change_of(&found.shipped));
    let blocks = counted(found.blocks, "block", "blocks");
    match &found.drawn {
        Some(drawn) => format!("over layouts {}, {shipped}; {blocks}", change_of(drawn)),
        None => format!("{shipped}; {blocks}"),
    }
}

/// One line on what was measured.
#[must_use]
pub fn progress(series: &str, entry: &SeriesEntry) -> String {
    let what = match &entry.of {
        EntryOf::Point {
            commit, outcome, ..
        } => {
            let came = match outcome {
                PointOutcome::Anchor { .. } => "the first anchor".to_owned(),
                PointOutcome::Measured { anchor, found, .. } => {
                    format!("{} (beside {})", two_ways(found), short(anchor))
                }
                PointOutcome::SameProgram { as_commit } => {
                    format!("the same program as {}", short(as_commit))
                }
                PointOutcome::Skipped { why, said } => format!("skipped: {}", reason(*why, said)),
            };
            format!("{}: {came}", short(&commit.id))
        }
        EntryOf::Pair {
            older,
            newer,
            why,
            outcome,
        } => {
            let came = match outcome {
                PairOutcome::Compared { found, .. } => two_ways(found),
                PairOutcome::Failed { said } => {
                    format!("not compared: {}", shortened(&one_line(said), REASON))
                }
            };
            let why = match why {
                PairReason::Change => "",
                PairReason::Alarm { .. } => "alarm, ",
            };
            format!("{why}{} beside {}: {came}", short(newer), short(older))
        }
    };
    untied(&format!("{}: {what}", printable(series)))
}
