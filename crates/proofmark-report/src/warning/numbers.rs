//! Warnings about the numbers themselves, in words.

use proofmark_evidence::record::{FewDigits, MarginMisjudged, SumsApart};
use proofmark_terms::Interval;

use super::runs::on;
use super::{Said, said};

pub(super) fn rounds(advised: u32, asked: u32) -> Said {
    said(
        format!(
            "from what blocks and rounds cost and vary, {advised} rounds a block would \
             narrow the interval fastest; {asked} were asked for"
        ),
        format!("--rounds {}", advised.max(2)),
    )
}

pub(super) fn correlated(of: &str, correlation: f64) -> Said {
    said(
        format!(
            "the blocks of {of} follow one another (correlation {correlation:.2}): the \
             interval is too narrow"
        ),
        "measure on a quieter machine, or with more rounds to a block (--rounds)",
    )
}

pub(super) fn one_sided(of: &str, blocks: u32) -> Said {
    said(
        format!(
            "{blocks} blocks of {of} lie far off on one side: rare layouts may be much worse, \
             and the interval does not cover them"
        ),
        "measure more blocks (--blocks 20..60)",
    )
}

pub(super) fn slicing(build: &str, widening: f64) -> Said {
    said(
        format!(
            "the interval of {build} is wider by {:.2} % on each side for what slices may do \
             to the effect",
            widening.exp_m1() * 100.0
        ),
        "--schedule interleaved measures without slices, more slowly",
    )
}

pub(super) fn sums_apart(warning: &SumsApart) -> Said {
    let SumsApart {
        benchmark,
        build,
        beside,
        in_the_middle,
        in_sum,
    } = warning;
    said(
        format!(
            "{}runs of one build differ much among themselves: in sum, {build} comes to \
             {in_sum:.3} times {}; the mean of the ratios, which the verdict is about, is \
             {in_the_middle:.3}",
            on(benchmark.as_deref()),
            beside.as_deref().unwrap_or("base")
        ),
        "let each run do the work many times, so that runs are alike (a random choice or a cache \
         may be why they are not)",
    )
}

pub(super) fn few_digits(warning: &FewDigits) -> Said {
    let FewDigits {
        build,
        beside,
        step,
        unseen,
    } = warning;
    // A step that was found between two numbers has digits that none of them has.
    let step: f64 = format!("{step:.5e}").parse().unwrap_or(*step);
    said(
        format!(
            "the program prints its number in steps of {step}, as far as its runs show, and nearly \
             the same one in each run of {build} or {beside}: rounding may hide a difference of up \
             to {:.0} %, and the interval is wider by that",
            unseen.exp_m1() * 100.0
        ),
        "let the program print more digits, from a finer clock; no gate passes until then. Where \
         the number is exact, print it as a whole number, in a unit that is no time",
    )
}

pub(super) fn misjudged(warning: &MarginMisjudged) -> Said {
    let Interval {
        estimate,
        low,
        high,
    } = warning.interval;
    let [estimate, low, high] = [estimate, low, high].map(|effect| effect.relative() * 100.0);
    said(
        format!(
            "a slowdown of exactly {} %, put into the base on purpose, was measured as \
             {estimate:.2} % ({low:.2} to {high:.2} %)",
            warning.margin.relative() * 100.0
        ),
        if warning.sliced {
            "--schedule interleaved shows whether slices are the cause; until then do not believe \
             differences of this size"
        } else {
            "do not believe differences of this size here; `proofmark doctor` says what disturbs \
             this machine"
        },
    )
}
