//! What several documents have: closed sets as words, the same as in the store but promised by the
//! schema; ratios, metrics and warnings.

use std::ffi::OsStr;
use std::fmt;
use std::os::unix::ffi::OsStrExt as _;

use proofmark_evidence::record::{
    HeapStart, LayoutControl, Question, Schedule, Stop, Warning, WorkChange,
};
use proofmark_stats::{Effect, Interval, Verdict};
use proofmark_terms::{Metric, OsText};
use schemars::JsonSchema;
use serde::Serialize;

use crate::warning::{Said, in_words, in_words_of_matrix};
use crate::wording::{drawing_name, drawing_reason, unit};

/// What an interval says, given the margin.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum VerdictWord {
    /// A change for the better: less time or memory, more operations.
    Faster,
    /// A change for the worse.
    Slower,
    /// Inside the margin, and no change is possible.
    Equivalent,
    /// A change for the better, all of it inside the margin.
    FasterButNegligible,
    /// A change for the worse, all of it inside the margin.
    SlowerButNegligible,
    /// None of these can be said.
    Undecided,
}

impl From<Verdict> for VerdictWord {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Faster => VerdictWord::Faster,
            Verdict::Slower => VerdictWord::Slower,
            Verdict::Equivalent => VerdictWord::Equivalent,
            Verdict::FasterButNegligible => VerdictWord::FasterButNegligible,
            Verdict::SlowerButNegligible => VerdictWord::SlowerButNegligible,
            Verdict::Undecided => VerdictWord::Undecided,
        }
    }
}

/// Why measuring stopped.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum StopWord {
    /// Every comparison was decided.
    Decided,
    /// Every interval was as narrow as asked.
    Precise,
    /// The most blocks allowed were measured.
    Blocks,
    /// The budget was spent.
    Budget,
}

impl From<Stop> for StopWord {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Decided => StopWord::Decided,
            Stop::Precise => StopWord::Precise,
            Stop::Blocks => StopWord::Blocks,
            Stop::Budget => StopWord::Budget,
        }
    }
}

/// What an experiment asks.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum QuestionWord {
    /// Do the other builds differ from the base?
    Compare,
    /// Which of the two other builds is the base nearer to?
    Between,
    /// How often does this set-up call a build different from itself?
    Null,
}

impl From<Question> for QuestionWord {
    fn from(question: Question) -> Self {
        match question {
            Question::Compare => QuestionWord::Compare,
            Question::Between => QuestionWord::Between,
            Question::Null => QuestionWord::Null,
        }
    }
}

/// What instruction counts say of the work.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum WorkWord {
    /// Equal: consistent with a change of placement only.
    Same,
    /// No further apart than counts of one and the same image may be: nothing is known.
    Varies,
    /// The work changed.
    Changed,
}

impl From<WorkChange> for WorkWord {
    fn from(work: WorkChange) -> Self {
        match work {
            WorkChange::Same => WorkWord::Same,
            WorkChange::Varies => WorkWord::Varies,
            WorkChange::Changed => WorkWord::Changed,
        }
    }
}

/// A string of the operating system: text where it is UTF-8, its bytes where it is not.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Text {
    /// UTF-8.
    Text(String),
    /// Anything else.
    Bytes(Vec<u8>),
}

impl Text {
    /// The text, where it is one.
    #[must_use]
    pub fn of(text: impl AsRef<OsStr>) -> Self {
        let bytes = text.as_ref().as_bytes();
        std::str::from_utf8(bytes).map_or_else(
            |_| Text::Bytes(bytes.to_vec()),
            |text| Text::Text(text.to_owned()),
        )
    }
}

/// For people: bytes that are no text are replaced.
impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Text::Text(text) => f.write_str(text),
            Text::Bytes(bytes) => f.write_str(&String::from_utf8_lossy(bytes)),
        }
    }
}

impl From<&OsText> for Text {
    fn from(text: &OsText) -> Self {
        Text::of(text)
    }
}

/// What is read from each run.
#[derive(Serialize, JsonSchema)]
pub(crate) struct MetricView {
    /// `cpu-time`, `wall-time`, `peak-memory` or `output`.
    kind: &'static str,
    /// The unit of raw values; ratios have none.
    unit: String,
    /// Whether more is better.
    higher_is_better: bool,
    /// The regular expression that finds the number in what the program prints.
    pattern: Option<String>,
}

impl From<&Metric> for MetricView {
    fn from(metric: &Metric) -> Self {
        let (kind, higher_is_better, pattern) = match metric {
            Metric::CpuTime => ("cpu-time", false, None),
            Metric::WallTime => ("wall-time", false, None),
            Metric::PeakMemory => ("peak-memory", false, None),
            Metric::Output {
                pattern,
                higher_is_better,
                ..
            } => ("output", *higher_is_better, Some(pattern.clone())),
        };
        MetricView {
            kind,
            unit: unit(metric).to_owned(),
            higher_is_better,
            pattern,
        }
    }
}

/// How placement was varied.
#[derive(Serialize, JsonSchema)]
pub(crate) struct LayoutsView {
    /// `matched`, `jittered`, `inside`, `independent` or `as-shipped`.
    kind: &'static str,
    /// `pad` or `shuffle`; absent where placement was not varied.
    population: Option<String>,
    /// Why layouts are not matched, or not varied.
    reason: Option<String>,
}

impl From<&LayoutControl> for LayoutsView {
    fn from(layouts: &LayoutControl) -> Self {
        match layouts {
            LayoutControl::Drawn { how, population } => LayoutsView {
                kind: drawing_name(how),
                population: Some(population.to_string()),
                reason: drawing_reason(how).map(str::to_owned),
            },
            LayoutControl::AsShipped { reason } => LayoutsView {
                kind: "as-shipped",
                population: None,
                reason: Some(reason.clone()),
            },
        }
    }
}

/// Where the heaps of runs in drawn layouts begin.
#[derive(Serialize, JsonSchema)]
pub(crate) struct HeapView {
    /// `drawn` (at a multiple of 16 bytes within a page, another in each round) or `at-page`, as the
    /// kernel has it.
    kind: &'static str,
    /// Why it is not drawn; absent where layouts are not, either.
    reason: Option<String>,
}

impl From<&HeapStart> for HeapView {
    fn from(heap: &HeapStart) -> Self {
        match heap {
            HeapStart::Drawn => HeapView {
                kind: "drawn",
                reason: None,
            },
            HeapStart::AtPage { why } => HeapView {
                kind: "at-page",
                reason: why.clone(),
            },
        }
    }
}

/// How the runs of a block shared the machine.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ScheduleView {
    /// `sliced` or `interleaved`.
    kind: &'static str,
    /// Mean length of a turn, in microseconds; only when sliced.
    slice_us: Option<u64>,
}

impl From<Schedule> for ScheduleView {
    fn from(schedule: Schedule) -> Self {
        match schedule {
            Schedule::Sliced { slice_us } => ScheduleView {
                kind: "sliced",
                slice_us: Some(slice_us),
            },
            Schedule::Interleaved => ScheduleView {
                kind: "interleaved",
                slice_us: None,
            },
        }
    }
}

/// Whether an experiment has a conclusion.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum StateWord {
    /// Being measured, or interrupted.
    Unfinished,
    /// It has one.
    Finished,
}

/// new ÷ base with its bounds; low ≤ estimate ≤ high.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Ratio {
    estimate: f64,
    low: f64,
    high: f64,
}

impl From<&Interval> for Ratio {
    fn from(interval: &Interval) -> Self {
        let [estimate, low, high] =
            [interval.estimate, interval.low, interval.high].map(Effect::ratio);
        Ratio {
            estimate,
            low,
            high,
        }
    }
}

/// A condition that travels with the result.
#[derive(Serialize, JsonSchema)]
pub(crate) struct WarningView {
    /// A stable word: `placement-not-controlled`, `short-runs`…
    code: String,
    /// What was found.
    found: String,
    /// What would help; empty where nothing would.
    remedy: String,
}

impl From<&Warning> for WarningView {
    fn from(warning: &Warning) -> Self {
        WarningView::new(warning, in_words(warning))
    }
}

impl WarningView {
    /// Of a matrix.
    pub(crate) fn of_matrix(warning: &Warning) -> Self {
        WarningView::new(warning, in_words_of_matrix(warning))
    }

    fn new(warning: &Warning, Said { found, remedy }: Said) -> Self {
        WarningView {
            code: warning.code().to_owned(),
            found,
            remedy,
        }
    }
}
