//! What stands below the finding of one build: each line by itself, so that a view takes those that
//! it wants by what they are.

use proofmark_evidence::record::{
    AsShipped, CodeChange, Comparison, Expected, Instructions, LayoutAlone, SpreadRatio, WorkChange,
};
use proofmark_stats::Effect;

use crate::number::{self, grouped, share};
use crate::row::Row;
use crate::text::printable;

/// What stands below a finding, each where there is something to say.
pub(crate) struct Rows {
    /// The builds' own images.
    as_shipped: Option<Row>,
    /// What placement alone could make of two builds of the same code.
    layout_alone: Option<Row>,
    /// How far its layouts lie from each other, against those of the base.
    layout_spread: Option<Row>,
    /// Whether the work changed.
    instructions: Row,
    /// What changed in the machine code.
    functions: Option<Row>,
    /// The project's expectations on it.
    pub(crate) expectations: Option<Row>,
    /// What this set-up made of a slowdown of exactly the margin.
    self_test: Option<Row>,
    /// What a single block says.
    median_block: Row,
}

/// Heads of the columns in which the rows of several builds stand side by side.
pub(crate) const ABREAST: [&str; 4] = [AS_SHIPPED, LAYOUT_ALONE, INSTRUCTIONS, FUNCTIONS];

const AS_SHIPPED: &str = "as shipped";
const LAYOUT_ALONE: &str = "layout alone";
const LAYOUT_SPREAD: &str = "layout spread";
const INSTRUCTIONS: &str = "instructions";
const FUNCTIONS: &str = "functions";

impl Rows {
    pub(crate) fn of(
        comparison: &Comparison,
        code: Option<&CodeChange>,
        self_test: Option<Row>,
    ) -> Self {
        Rows {
            as_shipped: comparison.as_shipped.as_ref().map(as_shipped),
            layout_alone: comparison.layout_alone.as_ref().map(layout_alone),
            layout_spread: comparison.layout_spread.as_ref().map(layout_spread),
            instructions: instructions(comparison, code.is_some_and(is_changed)),
            functions: code.map(functions),
            expectations: code.and_then(expectations),
            self_test,
            median_block: median_block(comparison),
        }
    }

    /// All of them, in the order in which they are read.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Row> {
        let placement = self.layout_alone.iter().chain(&self.layout_spread);
        let first = self.as_shipped.iter().chain(placement);
        let code = self.functions.iter().chain(&self.expectations);
        let last = self.self_test.iter().chain([&self.median_block]);
        first.chain([&self.instructions]).chain(code).chain(last)
    }

    /// Those that tell whether the figure is the change, in the order in which they are read.
    pub(crate) fn few(&self) -> impl Iterator<Item = &Row> {
        let placement = self.as_shipped.iter().chain(&self.layout_alone);
        let seen = [&self.instructions].into_iter().chain(&self.self_test);
        placement.chain(seen).chain(&self.expectations)
    }

    /// The values that stand side by side with those of other builds, under [`ABREAST`]; empty
    /// where there is nothing to say.
    pub(crate) fn abreast(&self) -> [&str; 4] {
        [
            self.as_shipped.as_ref(),
            self.layout_alone.as_ref(),
            Some(&self.instructions),
            self.functions.as_ref(),
        ]
        .map(|row| row.map_or("", |row| row.value.as_str()))
    }
}

fn as_shipped(shipped: &AsShipped) -> Row {
    let told = "what these two images would have told you".to_owned();
    Row {
        label: AS_SHIPPED,
        value: number::interval(&shipped.interval),
        words: match shipped.better_than {
            Some(better) => format!("better than {} of the layouts: {told}", share(better)),
            None => told,
        },
    }
}

fn layout_alone(alone: &LayoutAlone) -> Row {
    Row {
        label: LAYOUT_ALONE,
        value: if alone.at_most {
            format!("at most ±{}", number::rough(alone.high_ratio - 1.0))
        } else {
            number::range(alone.low_ratio, alone.high_ratio)
        },
        words: "what placement alone could make of two builds of the same code".to_owned(),
    }
}

fn layout_spread(spread: &SpreadRatio) -> Row {
    Row {
        label: LAYOUT_SPREAD,
        value: number::spread(spread),
        words: "how far its layouts lie from each other, new ÷ base".to_owned(),
    }
}

/// Further apart than placement makes programs: 25–40 % were seen of loops of a few bytes.
const FAR: f64 = 1.5;

/// Whether the machine code of any function is another one.
fn is_changed(code: &CodeChange) -> bool {
    match code {
        CodeChange::Unread { .. } => false,
        CodeChange::Read {
            changed, removed, ..
        } => changed + removed > 0,
    }
}

fn instructions(comparison: &Comparison, changed: bool) -> Row {
    let label = INSTRUCTIONS;
    let interval = &comparison.interval;
    let far = interval.low.ratio() > FAR || interval.high.ratio() < 1.0 / FAR;
    match &comparison.instructions {
        Instructions::Counted {
            base,
            new,
            work,
            by,
            varies,
        } => {
            let (value, words) = match work {
                WorkChange::Same if far => (
                    "equal".to_owned(),
                    "and the time too far apart for placement: caches, or code that another \
                     processor than the counter's takes (AVX-512)"
                        .to_owned(),
                ),
                WorkChange::Same if changed => (
                    "equal".to_owned(),
                    "as many, in code that changed".to_owned(),
                ),
                WorkChange::Same => (
                    "equal".to_owned(),
                    "consistent with a change of placement only".to_owned(),
                ),
                WorkChange::Varies => (
                    number::signed(relative(*base, *new)),
                    format!(
                        "the program varies by itself, by ±{}: no sign that the work changed",
                        number::rough(varies.unwrap_or_default())
                    ),
                ),
                WorkChange::Changed => (
                    number::signed(relative(*base, *new)),
                    "the work changed".to_owned(),
                ),
            };
            Row {
                label,
                value,
                words: format!("{words} ({})", printable(by)),
            }
        }
        Instructions::Unavailable { reason } => Row {
            label,
            value: "not counted".to_owned(),
            words: printable(reason),
        },
    }
}

/// (new − base) ÷ base of two counts.
#[expect(
    clippy::cast_precision_loss,
    reason = "shown in a few digits; counts beyond 2^53 lose none of those"
)]
pub(crate) fn relative(base: u64, new: u64) -> f64 {
    if base == 0 {
        0.0
    } else {
        (new as f64 - base as f64) / base as f64
    }
}

/// What changed in the machine code.
fn functions(code: &CodeChange) -> Row {
    let label = FUNCTIONS;
    match code {
        CodeChange::Unread { reason } => Row {
            label,
            value: "not read".to_owned(),
            words: printable(reason),
        },
        CodeChange::Read {
            functions,
            changed,
            removed,
            renamed,
            ..
        } => {
            let beside = [(removed, "gone"), (renamed, "renamed")]
                .into_iter()
                .filter(|(number, _)| **number > 0)
                .map(|(number, what)| format!("{} {what}", grouped(*number)));
            Row {
                label,
                value: format!("{} of {} changed", grouped(*changed), grouped(*functions)),
                words: beside.collect::<Vec<String>>().join(", "),
            }
        }
    }
}

/// Which of the project's expectations are broken, where it has any.
fn expectations(code: &CodeChange) -> Option<Row> {
    match code {
        CodeChange::Unread { .. } => None,
        CodeChange::Read { expectations, .. } => expectations.as_ref().map(expected),
    }
}

fn expected(expected: &Expected) -> Row {
    let broken = expected.broken.len() as u64;
    let all = expected.held + broken;
    let in_base = match expected.broken_in_base {
        0 => Vec::new(),
        number => vec![format!("the base breaks {}", grouped(number))],
    };
    let lines = expected.broken.iter().map(|line| printable(line));
    Row {
        label: "expectations",
        value: match (broken, all) {
            (_, 0) => "none applies".to_owned(),
            (0, _) => format!("all {} hold", grouped(all)),
            _ => format!("{} of {} broken", grouped(broken), grouped(all)),
        },
        words: lines.chain(in_base).collect::<Vec<String>>().join("; "),
    }
}

fn median_block(comparison: &Comparison) -> Row {
    let decimals = number::decimals(&comparison.interval);
    Row {
        label: "median block",
        value: format!("{:.decimals$}", Effect::from_ln(comparison.median).ratio()),
        words: format!(
            "blocks spread by {}",
            number::rough(comparison.spread.exp_m1())
        ),
    }
}
