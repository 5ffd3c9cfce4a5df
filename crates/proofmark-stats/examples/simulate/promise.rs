//! What the shipped rule keeps of its promise.

use std::fmt::Write as _;

use proofmark_stats::{Better, Looks, Margin, Rule};

use crate::known_truth::{NOISES, Noise, Tally, run};

const PATHS: u32 = 20_000;

/// Spreads of the blocks, in margins: well below the margin, at it, and well above it, where every
/// path looks up to sixty times.
const SPREADS: [f64; 3] = [0.5, 1.0, 3.0];

pub(crate) fn tables() -> String {
    [kept(), power(), later_first_look(), suite()].join("\n")
}

pub(crate) fn rule(min: u32, comparisons: u32) -> Rule {
    let margin = Margin::from_relative(0.01).expect("a possible margin");
    Rule::new(
        Looks::new(0.95, min, 60, comparisons).expect("a possible design"),
        margin,
        Better::Lower,
    )
}

/// Effect and spread in margins.
pub(crate) fn tally(rule: &Rule, noise: Noise, effect: f64, spread: f64) -> Tally {
    let margin = rule.margin().ln();
    run(rule, noise, effect * margin, spread * margin, PATHS, 7)
}

fn percent(share: f64) -> String {
    format!("{:.1}", share * 100.0)
}

/// False alarms, misses, false equivalence and power, beside what is promised. Of an effect the
/// sign is taken that fares worse: noise that takes a side hides or feigns one of the two.
fn kept() -> String {
    let rule = rule(8, 1);
    let mut text = format!(
        "Looks after each of 8 to 60 blocks, 95 %, margin 1 %, {PATHS} sequences a cell, at spreads of ½, 1 and 3 margins. All in %; promised: at most 5 each, but for what is found.\n\n\
         | blocks are | no effect, called different (truth missed) | effect of the margin, truth missed | called inside | twice the margin, truth missed | found | worst | doubted when it missed (worst) | doubted at all |\n\
         |---|---|---|---|---|---|---|---|---|\n"
    );
    for noise in NOISES {
        let of = |effect: f64| SPREADS.map(|spread| tally(&rule, noise, effect, spread));
        let (none, at, beyond) = (of(0.0), [of(1.0), of(-1.0)], [of(2.0), of(-2.0)]);
        let all: Vec<Tally> = [none, at[0], at[1], beyond[0], beyond[1]].concat();
        let worst = all
            .iter()
            .max_by(|a, b| (a.paths - a.covered).cmp(&(b.paths - b.covered)))
            .expect("fifteen of them");
        let missed = |tally: &Tally| 1.0 - tally.coverage();
        let largest = |[plus, minus]: [[Tally; 3]; 2], share: fn(&Tally) -> f64| {
            let shares = [0, 1, 2].map(|i| share(&plus[i]).max(share(&minus[i])));
            shares.map(percent).join(", ")
        };
        let found = [0, 1, 2].map(|i| {
            let [plus, minus] = [&beyond[0][i], &beyond[1][i]];
            percent(plus.share(plus.slower).min(minus.share(minus.faster)))
        });
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            noise.name(),
            none.map(|tally| percent(tally.different())).join(", "),
            largest(at, |tally| 1.0 - tally.coverage()),
            largest(at, Tally::inside),
            largest(beyond, |tally| 1.0 - tally.coverage()),
            found.join(", "),
            percent(missed(worst)),
            percent(
                f64::from(worst.missed_doubted) / f64::from((worst.paths - worst.covered).max(1))
            ),
            percent(worst.share(worst.doubted)),
        );
    }
    text
}

/// Blocks to a verdict and the share found.
fn power() -> String {
    let rule = rule(8, 1);
    let mut text = String::from(
        "Normal blocks with a spread of three margins: found, and blocks to the verdict, by effect ÷ spread.\n\n\
         | effect ÷ spread | found, % | wrong way, % | blocks |\n|---|---|---|---|\n",
    );
    for ratio in [0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0] {
        let said = tally(&rule, Noise::Normal, ratio * 3.0, 3.0);
        let _ = writeln!(
            text,
            "| {ratio} | {} | {:.3} | {:.1} |",
            percent(said.share(said.slower)),
            said.share(said.faster) * 100.0,
            said.mean_blocks()
        );
    }
    text
}

/// What a later first look buys where blocks are lopsided.
fn later_first_look() -> String {
    let mut text = String::from(
        "No effect, spread of three margins, truth missed in % (blocks to an effect of one spread): what a later first look buys.\n\n\
         | blocks are | from 8 | from 12 | from 20 | from 30 |\n|---|---|---|---|---|\n",
    );
    for noise in [
        Noise::Normal,
        Noise::Skewed(1.0),
        Noise::Skewed(2.0),
        Noise::BadLayouts(0.05),
        Noise::BadLayouts(0.1),
        Noise::Correlated(0.2),
    ] {
        let cells = [8, 12, 20, 30].map(|min| {
            let rule = rule(min, 1);
            let (none, effect) = (tally(&rule, noise, 0.0, 3.0), tally(&rule, noise, 3.0, 3.0));
            format!(
                "{} ({:.1})",
                percent(1.0 - none.coverage()),
                effect.mean_blocks()
            )
        });
        let _ = writeln!(text, "| {} | {} |", noise.name(), cells.join(" | "));
    }
    text
}

/// Several comparisons share the level: the share of one that is called different, simulated, and
/// any of so many by it, as if they were independent.
fn suite() -> String {
    let mut text = String::from(
        "Several builds against one base, no effect, normal blocks, spread of three margins: at least one comparison called different, in % (of one simulated; of all as if they were independent).\n\n\
         | comparisons | any alarm |\n|---|---|\n",
    );
    for comparisons in [1, 2, 4, 8] {
        let rule = rule(8, comparisons);
        // Comparisons with independent blocks: the worst case of Bonferroni's inequality but for
        // its own slack.
        let alarm = tally(&rule, Noise::Normal, 0.0, 3.0).different();
        let _ = writeln!(
            text,
            "| {comparisons} | {} |",
            percent(1.0 - (1.0 - alarm).powi(comparisons.cast_signed()))
        );
    }
    text
}
