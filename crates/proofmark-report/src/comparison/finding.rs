//! What the conclusion of a comparison says of each build. Every view arranges it in its own way.

use std::collections::BTreeSet;

use proofmark_evidence::Recorded;
use proofmark_evidence::record::{ARun, Comparison, Conclusion, DrawnWork, Stop};
use proofmark_terms::BuildIndex;

use super::rows::Rows;
use super::self_test;
use crate::method::build_name;
use crate::number::{self, counted, setting};
use crate::style::Tone;
use crate::text::{TIE, shortened, width};
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
    pub(crate) rows: Rows,
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
            let rows = Rows::of(comparison, code, self_test::row(recorded, conclusion));
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
    let builds = BuildIndex::all(recorded.experiment.builds.len());
    let names: Vec<String> = builds.map(|build| build_name(recorded, build)).collect();
    let apart = |names: &[String]| names.iter().collect::<BTreeSet<_>>().len();
    let longest = names.iter().map(|name| width(name)).max().unwrap_or(0);
    (columns..longest)
        .map(|columns| names.iter().map(move |name| shortened(name, columns)))
        .map(Iterator::collect::<Vec<String>>)
        .find(|short| apart(short) == apart(&names))
        .unwrap_or(names)
}

fn finding(
    recorded: &Recorded,
    conclusion: &Conclusion,
    comparison: &Comparison,
    rows: Rows,
    names: &[String],
) -> Finding {
    let experiment = &recorded.experiment;
    let metric = &experiment.benchmark.metric;
    let [new, base] = [comparison.build, BuildIndex::BASE].map(|build| {
        let short = build.of(names);
        short.cloned().unwrap_or_else(|| "?".to_owned())
    });
    let pair = Pair {
        new: &new,
        base: &base,
    };
    let (verdict, margin) = (comparison.verdict, experiment.design.margin);
    let mut said = say(
        verdict,
        &comparison.interval,
        metric,
        margin,
        comparison.blocks_needed,
        pair,
    );
    if let Some(why) = withheld(comparison) {
        why.clone_into(&mut said.short);
        why.clone_into(&mut said.long);
    }
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

/// Why there is no verdict whatever the interval says, if so.
fn withheld(comparison: &Comparison) -> Option<&'static str> {
    match comparison.drawn.as_ref()? {
        DrawnWork::Same => None,
        DrawnWork::Other { .. } => {
            Some("undecided: drawn images do not do what the files do as shipped")
        }
        DrawnWork::Evened { .. } => Some(
            "undecided: the files differ in the size of their data, and layouts make that alike",
        ),
        DrawnWork::Reordered { .. } => Some(
            "undecided: the files differ in the order of functions or data, and layouts have one",
        ),
        DrawnWork::Spread { code: true, .. } => {
            Some("undecided: code lies more densely in the files than layouts leave it")
        }
        DrawnWork::Spread { .. } => {
            Some("undecided: data lies more densely in the files than layouts leave it")
        }
        DrawnWork::Unknown { .. } => {
            Some("undecided: nobody knows whether drawn images do what the files do as shipped")
        }
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
