//! What the conclusion of a comparison says, as lines of label, value and words that every view
//! arranges in its own way.

use std::collections::BTreeSet;

use proofmark_evidence::Recorded;
use proofmark_evidence::record::{
    ARun, CodeChange, Comparison, Conclusion, Expected, Instructions, Stop, WorkChange,
};
use proofmark_stats::Effect;

use super::certificate::{is_idle, row};
use crate::number::{self, counted, grouped, setting, share};
use crate::style::Tone;
use crate::text::{TIE, printable, shortened, width};
use crate::wording::{Pair, metric_in_full, metric_name, say};

/// One build against the base.
pub(crate) struct Finding {
    /// The new build, safe to print.
    pub(crate) new: String,
    /// The base, safe to print.
    pub(crate) base: String,
    /// `time`.
    pub(crate) metric: String,
    /// `0.967 [0.961, 0.973]`.
    pub(crate) figure: String,
    /// `3.3 % faster`.
    pub(crate) short: String,
    /// `new is 3.3 % faster`.
    pub(crate) long: String,
    pub(crate) tone: Tone,
    /// `decided after block 14`.
    pub(crate) when: String,
    /// The block after which it was decided or given up, counted from 1.
    pub(crate) block: u32,
    /// What stands below.
    pub(crate) rows: Vec<Row>,
}

/// A line below a finding.
pub(crate) struct Row {
    pub(crate) subject: Subject,
    pub(crate) value: String,
    pub(crate) words: String,
}

/// What a line below a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    AsShipped,
    LayoutAlone,
    Instructions,
    Functions,
    Expectations,
    SelfTest,
    MedianBlock,
    /// Of a null test: a copy against the build itself.
    Copy,
    /// Of a null test: how far its blocks are apart.
    Spread,
    /// Of a null test: what the place in the round does.
    Position,
}

impl Subject {
    /// As a reader sees it.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Subject::AsShipped => "as shipped",
            Subject::LayoutAlone => "layout alone",
            Subject::Instructions => "instructions",
            Subject::Functions => "functions",
            Subject::Expectations => "expectations",
            Subject::SelfTest => "self-test",
            Subject::MedianBlock => "median block",
            Subject::Copy => "copy/itself",
            Subject::Spread => "spread",
            Subject::Position => "position",
        }
    }
}

/// The findings of an experiment that has a conclusion, in the order of the builds.
/// Names longer than `name_columns` are shortened.
pub(crate) fn findings(
    recorded: &Recorded,
    conclusion: &Conclusion,
    name_columns: usize,
) -> Vec<Finding> {
    let names = short_names(recorded, name_columns);
    conclusion
        .comparisons
        .iter()
        .zip((0..).map(|index| conclusion.code.get(index)))
        .map(|(comparison, code)| {
            let rows = rows(comparison, code, self_test(recorded, conclusion));
            finding(recorded, conclusion, comparison, rows, &names)
        })
        .collect()
}

/// `base 73.1 ms, new 87.9 ms a run`, of several builds all of them; absent where it was not kept.
pub(crate) fn a_run(
    recorded: &Recorded,
    conclusion: &Conclusion,
    findings: &[Finding],
) -> Option<String> {
    let runs: Vec<ARun> = conclusion
        .comparisons
        .iter()
        .map(|comparison| comparison.a_run)
        .collect::<Option<_>>()?;
    let values: Vec<f64> = runs
        .iter()
        .take(1)
        .map(|run| run.base)
        .chain(runs.iter().map(|run| run.new))
        .collect();
    let base = findings.iter().take(1).map(|finding| &finding.base);
    let names = base.chain(findings.iter().map(|finding| &finding.new));
    let amounts = number::amounts(&values, &recorded.experiment.benchmark.metric);
    let each: Vec<String> = names
        .zip(&amounts)
        .map(|(name, amount)| format!("{name} {amount}"))
        .collect();
    Some(format!("{} a{TIE}run", each.join(", ")))
}

/// What this set-up made of a slowdown of exactly the margin, where that adds something.
pub(crate) fn self_test(recorded: &Recorded, conclusion: &Conclusion) -> Option<Row> {
    let certificate = conclusion.certificate.as_ref();
    let certificate = certificate.filter(|_| !is_idle(recorded, conclusion));
    certificate.map(|certificate| row(recorded, certificate))
}

/// `95 %, CPU time`; with several builds `95 % together, CPU time`.
pub(crate) fn basis(recorded: &Recorded) -> String {
    let together = if recorded.experiment.builds.len() > 2 {
        " together"
    } else {
        ""
    };
    let metric = metric_in_full(&recorded.experiment.benchmark.metric);
    format!(
        "{}{together}, {metric}",
        setting(recorded.experiment.design.confidence)
    )
}

/// The names of all builds in at most so many columns, or in as many more as tell them apart:
/// `…/old/bench` and `…/new/bench` differ in their middle.
fn short_names(recorded: &Recorded, columns: usize) -> Vec<String> {
    let names = (0_u32..).zip(&recorded.experiment.builds);
    let names: Vec<String> = names.map(|(build, _)| name(recorded, build)).collect();
    let apart = |names: &[String]| names.iter().collect::<BTreeSet<_>>().len();
    let longest = names.iter().map(|name| width(name)).max().unwrap_or(0);
    (columns..longest)
        .map(|columns| names.iter().map(move |name| shortened(name, columns)))
        .map(Iterator::collect::<Vec<String>>)
        .find(|short| apart(short) == apart(&names))
        .unwrap_or(names)
}

/// The name of a build, safe to print.
pub(crate) fn name(recorded: &Recorded, build: u32) -> String {
    let build = usize::try_from(build)
        .ok()
        .and_then(|index| recorded.experiment.builds.get(index));
    build.map_or_else(|| "?".to_owned(), |build| printable(&build.name))
}

fn finding(
    recorded: &Recorded,
    conclusion: &Conclusion,
    comparison: &Comparison,
    rows: Vec<Row>,
    names: &[String],
) -> Finding {
    let experiment = &recorded.experiment;
    let metric = &experiment.benchmark.metric;
    let [new, base] = [comparison.build, 0].map(|build| {
        let short = usize::try_from(build).ok().and_then(|at| names.get(at));
        short.cloned().unwrap_or_else(|| "?".to_owned())
    });
    let pair = Pair {
        new: &new,
        base: &base,
    };
    let (verdict, margin) = (comparison.verdict, experiment.design.margin);
    let said = say(
        verdict,
        &comparison.interval,
        metric,
        margin,
        comparison.blocks_needed,
        pair,
    );
    Finding {
        metric: metric_name(metric),
        figure: number::interval(&comparison.interval),
        short: said.short,
        long: said.long,
        tone: said.tone,
        when: when(conclusion, comparison),
        block: conclusion.blocks,
        rows,
        new,
        base,
    }
}

fn when(conclusion: &Conclusion, comparison: &Comparison) -> String {
    let all = conclusion.blocks;
    match (comparison.decided_after, conclusion.stop) {
        (Some(block), Stop::Precise) if block < all => {
            format!("decided after block {block}, as precise as asked after block {all}")
        }
        (Some(block), Stop::Decided) if block < all && is_last(conclusion, block) => {
            format!(
                "decided after block {block} ({} more for the self-test)",
                all - block
            )
        }
        (Some(block), _) => format!("decided after block {block}"),
        (None, Stop::Precise) => format!("as precise as asked after block {}", conclusion.blocks),
        (None, Stop::Budget) => format!("budget spent after block {}", conclusion.blocks),
        (None, Stop::Blocks | Stop::Decided) => format!(
            "after all {}",
            counted(conclusion.blocks, "block", "blocks")
        ),
    }
}

/// Whether no comparison was decided after this block: what was measured beyond it was measured for
/// the certificate.
fn is_last(conclusion: &Conclusion, block: u32) -> bool {
    let decided = conclusion.comparisons.iter().map(|each| each.decided_after);
    decided.max() == Some(Some(block))
}

fn rows(comparison: &Comparison, code: Option<&CodeChange>, certificate: Option<Row>) -> Vec<Row> {
    let shipped = comparison.as_shipped.map(|shipped| {
        let told = "what these two images would have told you".to_owned();
        let words = match shipped.better_than {
            Some(better) => format!("better than {} of the layouts: {told}", share(better)),
            None => told,
        };
        Row {
            subject: Subject::AsShipped,
            value: number::interval(&shipped.interval),
            words,
        }
    });
    let alone = comparison.layout_alone.map(|alone| Row {
        subject: Subject::LayoutAlone,
        value: if alone.at_most {
            "not resolved".to_owned()
        } else {
            number::range(alone.low_ratio, alone.high_ratio)
        },
        words: if alone.at_most {
            let most = number::rough(alone.high_ratio - 1.0);
            format!("placement alone makes ±{most} at most")
        } else {
            "what two single builds of the same code could have shown".to_owned()
        },
    });
    shipped
        .into_iter()
        .chain(alone)
        .chain([instructions(&comparison.instructions)])
        .chain(code.map(code_rows).unwrap_or_default())
        .chain(certificate)
        .chain([blocks(comparison)])
        .collect()
}

fn instructions(instructions: &Instructions) -> Row {
    let subject = Subject::Instructions;
    match instructions {
        Instructions::Counted {
            base,
            new,
            work,
            by,
            varies,
        } => {
            let (value, words) = match work {
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
                subject,
                value,
                words: format!("{words} ({})", printable(by)),
            }
        }
        Instructions::Unavailable { reason } => Row {
            subject,
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

/// What changed in the machine code, and which expectations on it are broken.
fn code_rows(code: &CodeChange) -> Vec<Row> {
    let subject = Subject::Functions;
    match code {
        CodeChange::Unread { reason } => vec![Row {
            subject,
            value: "not read".to_owned(),
            words: printable(reason),
        }],
        CodeChange::Read {
            functions,
            changed,
            removed,
            renamed,
            expectations,
        } => {
            let beside = [(removed, "gone"), (renamed, "renamed")]
                .into_iter()
                .filter(|(number, _)| **number > 0)
                .map(|(number, what)| format!("{} {what}", grouped(*number)));
            let changes = Row {
                subject,
                value: format!("{} of {} changed", grouped(*changed), grouped(*functions)),
                words: beside.collect::<Vec<String>>().join(", "),
            };
            [changes]
                .into_iter()
                .chain(expectations.as_ref().map(expected))
                .collect()
        }
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
        subject: Subject::Expectations,
        value: match (broken, all) {
            (_, 0) => "none applies".to_owned(),
            (0, _) => format!("all {} hold", grouped(all)),
            _ => format!("{} of {} broken", grouped(broken), grouped(all)),
        },
        words: lines.chain(in_base).collect::<Vec<String>>().join("; "),
    }
}

fn blocks(comparison: &Comparison) -> Row {
    let decimals = number::decimals(&comparison.interval);
    Row {
        subject: Subject::MedianBlock,
        value: format!("{:.decimals$}", Effect::from_ln(comparison.median).ratio()),
        words: format!(
            "blocks spread by {}",
            number::rough(comparison.spread.exp_m1())
        ),
    }
}
