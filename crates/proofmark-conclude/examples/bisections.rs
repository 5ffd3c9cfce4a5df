//! Prints, as Markdown, how often whole bisections of simulated histories name the right commit,
//! and beside them `git bisect run` with a script that holds the median of five runs against a
//! threshold:
//!
//! ```text
//! cargo run -p proofmark-conclude --release --example bisections
//! cargo run -p proofmark-conclude --release --example bisections -- 10000
//! ```
//!
//! A history has 1,000 commits in a line. Everything but the level of a commit is noise: where its
//! link put its code (once for each commit), and what a block shows.

#![expect(clippy::print_stdout, reason = "a generator prints what it generates")]

use proofmark_conclude::bisect::{Mark, Nearer, Next, Search, ends_sign, judge_values, level};
use proofmark_stats::{Better, Effect, Interval, Looks, Margin, Rule, Verdict};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

const COMMITS: usize = 1000;
const ALPHA: f64 = 0.05;
/// Blocks of the ends; a step takes up to three times the most.
const BLOCKS: (u32, u32) = (8, 60);
/// Most steps of a simulated search.
const STEPS: u32 = 30;
/// Standard deviation of what a link's placement does to one build.
const PLACEMENT: f64 = 0.02;
/// Standard deviation of the median of five runs.
const MEDIAN: f64 = 0.01;

/// A kind of history.
struct Case {
    name: &'static str,
    /// The level after the change, on the scale of ln.
    step: f64,
    /// Standard deviation of a block's difference of two builds.
    spread: f64,
}

/// What came of many searches, in the order: right, another commit, a range, no commit to blame.
type Tally = [u32; 4];

struct Design {
    ends: Looks,
    steps: Vec<Looks>,
}

fn main() {
    let count = std::env::args().nth(1).and_then(|text| text.parse().ok());
    let count: u32 = count.unwrap_or(1000);
    let looks = |step: u32, most: u32, comparisons: u32| {
        let level = level(ALPHA, step)?;
        Looks::new(1.0 - level, BLOCKS.0, most, comparisons).ok()
    };
    let steps = (2..STEPS).filter_map(|step| looks(step, 3 * BLOCKS.1, 2));
    let steps: Vec<Looks> = steps.collect();
    let Some(ends) = looks(1, BLOCKS.1, 1) else {
        return;
    };
    let design = Design { ends, steps };
    let case = |name, percent: f64, spread| Case {
        name,
        step: (percent / 100.0).ln_1p(),
        spread,
    };
    let cases = [
        case("+1 %, blocks spread by 0.5 %", 1.0, 0.005),
        case("+2 %, blocks spread by 0.5 %", 2.0, 0.005),
        case("+5 %, blocks spread by 0.5 %", 5.0, 0.005),
        case("+2 %, blocks spread by 1.5 %", 2.0, 0.015),
        case("+5 %, blocks spread by 1.5 %", 5.0, 0.015),
        case("placement only, blocks spread by 0.5 %", 0.0, 0.005),
        case("placement only, blocks spread by 1.5 %", 0.0, 0.015),
    ];
    println!(
        "| history | right | another commit | a range | no commit to blame | steps | blocks of all \
         steps | threshold: right | threshold: another commit |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for case in cases {
        println!("{}", row(&case, &design, count));
    }
}

fn row(case: &Case, design: &Design, count: u32) -> String {
    let mut rng = ChaCha8Rng::seed_from_u64(20);
    let (mut own, mut other) = (Tally::default(), Tally::default());
    let (mut steps, mut blocks) = (0_u64, 0_u64);
    for _ in 0..count {
        let first = rng.random_range(0..COMMITS);
        let level = |commit: usize| if commit < first { 0.0 } else { case.step };
        let mut cost = Cost::default();
        let found = bisected(case, design, &level, &mut cost, &mut rng);
        own[column(found, first, case)] += 1;
        steps += u64::from(cost.steps);
        blocks += u64::from(cost.blocks);
        let found = thresholded(&level, &mut rng);
        other[column(found, first, case)] += 1;
    }
    let percent = |part: u32| format!("{:.1} %", f64::from(part) * 100.0 / f64::from(count));
    let mean = |sum: u64| format!("{:.0}", sum as f64 / f64::from(count));
    format!(
        "| {} | {} | {} | {} | {} | {} | {} | {} | {} |",
        case.name,
        percent(own[0]),
        percent(own[1]),
        percent(own[2]),
        percent(own[3]),
        mean(steps),
        mean(blocks),
        percent(other[0]),
        percent(other[1]),
    )
}

/// What a search ends with.
#[derive(Clone, Copy)]
enum Found {
    Commit(usize),
    Range,
    Nothing,
}

fn column(found: Found, first: usize, case: &Case) -> usize {
    match found {
        Found::Commit(commit) if commit == first && case.step > 0.0 => 0,
        Found::Commit(_) => 1,
        Found::Range => 2,
        Found::Nothing => 3,
    }
}

#[derive(Default)]
struct Cost {
    steps: u32,
    blocks: u32,
}

fn line() -> Option<Search> {
    let parents = |commit: usize| commit.checked_sub(1).into_iter().collect();
    Search::new((0..COMMITS).map(parents).collect()).ok()
}

/// A search as `proofmark bisect` makes it.
fn bisected(
    case: &Case,
    design: &Design,
    level: &dyn Fn(usize) -> f64,
    cost: &mut Cost,
    rng: &mut ChaCha8Rng,
) -> Found {
    let Some(sign) = ends(case, design, cost, rng) else {
        return Found::Nothing;
    };
    let Some(mut search) = line() else {
        return Found::Nothing;
    };
    let mut ahead = design.steps.iter();
    loop {
        match search.next() {
            Next::Found(commit) => return Found::Commit(commit),
            Next::Among(_) => return Found::Range,
            Next::Try { commit, .. } => {
                let Some(looks) = ahead.next() else {
                    return Found::Range;
                };
                let mark = mark(case, looks, level(commit), sign, cost, rng);
                search.set(commit, mark);
            }
        }
    }
}

/// The sign of what the ends differ by; `None` where they were not told apart, or by less than the
/// margin.
fn ends(case: &Case, design: &Design, cost: &mut Cost, rng: &mut ChaCha8Rng) -> Option<f64> {
    let rule = Rule::new(design.ends.clone(), Margin::default(), Better::Lower);
    let mut effects = Vec::new();
    for _ in 0..design.ends.max() {
        let noise: f64 = StandardNormal.sample(rng);
        effects.push(case.step + case.spread * noise);
        cost.blocks += 1;
        let Some(look) = rule.look(&effects).filter(|look| look.stop) else {
            continue;
        };
        let differs = matches!(look.verdict, Verdict::Faster | Verdict::Slower);
        return differs.then(|| ends_sign(&look.interval));
    }
    None
}

/// One commit beside both ends. What the three share cancels; what is left of it is as large in
/// each of both differences.
fn mark(
    case: &Case,
    looks: &Looks,
    level: f64,
    sign: f64,
    cost: &mut Cost,
    rng: &mut ChaCha8Rng,
) -> Mark {
    let rule = Rule::new(looks.clone(), Margin::default(), Better::Lower);
    let rules = [rule.clone(), rule.clone(), rule];
    let (mut older, mut newer) = (Vec::new(), Vec::new());
    let build = case.spread / std::f64::consts::SQRT_2;
    cost.steps += 1;
    for _ in 0..looks.max() {
        let mut noise = || -> f64 {
            let drawn: f64 = StandardNormal.sample(rng);
            build * drawn
        };
        let commit = level + noise();
        older.push(noise() - commit);
        newer.push(case.step + noise() - commit);
        cost.blocks += 1;
        let judged = judge_values(&older, &newer, &rules, sign);
        match judged.and_then(|judged| judged.nearer) {
            Some(Nearer::Older) => return Mark::Older,
            Some(Nearer::Newer) => return Mark::Newer,
            None => {}
        }
    }
    Mark::Skipped
}

/// `git bisect run` with a script that calls a commit bad where the median of five runs of it, as
/// it was linked, lies above half-way between the ends' medians.
fn thresholded(level: &dyn Fn(usize) -> f64, rng: &mut ChaCha8Rng) -> Found {
    let places: Vec<f64> = (0..=COMMITS)
        .map(|_| {
            let drawn: f64 = StandardNormal.sample(rng);
            PLACEMENT * drawn
        })
        .collect();
    let mut median = |true_level: f64, place: f64| -> f64 {
        let drawn: f64 = StandardNormal.sample(rng);
        true_level + place + MEDIAN * drawn
    };
    let older = median(0.0, places[COMMITS]);
    let newer = median(level(COMMITS - 1), places[COMMITS - 1]);
    let interval = Interval::exactly(Effect::from_ln(newer - older));
    let (threshold, sign) = (f64::midpoint(older, newer), ends_sign(&interval));
    let Some(mut search) = line() else {
        return Found::Nothing;
    };
    loop {
        match search.next() {
            Next::Found(commit) => return Found::Commit(commit),
            Next::Among(_) => return Found::Range,
            Next::Try { commit, .. } => {
                let above = (median(level(commit), places[commit]) - threshold) * sign > 0.0;
                let mark = if above { Mark::Newer } else { Mark::Older };
                search.set(commit, mark);
            }
        }
    }
}
