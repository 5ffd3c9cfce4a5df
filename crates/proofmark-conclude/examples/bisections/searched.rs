//! A search as `proofmark bisect` makes it, and one as `git bisect run` makes it.

use proofmark_conclude::bisect::{Mark, Nearer, Next, Search, ends_sign, judge_values, level};
use proofmark_stats::{Better, Effect, Interval, Looks, Margin, Rule, Verdict};

use crate::world::{COMMITS, World};

const ALPHA: f64 = 0.05;
/// Blocks of the ends, and of a step.
const BLOCKS: (u32, u32) = (8, 180);
/// Most steps of a search.
const STEPS: u32 = 30;

/// The levels of all steps.
pub(crate) struct Design {
    ends: Looks,
    steps: Vec<Looks>,
}

impl Design {
    pub(crate) fn new() -> Option<Design> {
        let looks = |step: u32, comparisons: u32| {
            let level = level(ALPHA, step)?;
            Looks::new(1.0 - level, BLOCKS.0, BLOCKS.1, comparisons).ok()
        };
        let steps = (2..STEPS).filter_map(|step| looks(step, 2));
        Some(Design {
            steps: steps.collect(),
            ends: looks(1, 1)?,
        })
    }
}

/// What a search ends with.
#[derive(Clone, Copy)]
pub(crate) enum Found {
    Commit(usize),
    Range,
    Nothing,
}

/// What a search takes.
#[derive(Default)]
pub(crate) struct Cost {
    pub(crate) steps: u32,
    pub(crate) blocks: u32,
}

fn line() -> Option<Search> {
    let parents = |commit: usize| commit.checked_sub(1).into_iter().collect();
    Search::new((0..COMMITS).map(parents).collect()).ok()
}

/// A search as `proofmark bisect` makes it.
pub(crate) fn bisected(world: &mut impl World, design: &Design, cost: &mut Cost) -> Found {
    let Some(sign) = ends(world, design, cost) else {
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
                let mark = mark(world, looks, commit, sign, cost);
                search.set(commit, mark);
            }
        }
    }
}

/// The sign of what the ends differ by; `None` where they were not told apart, or by less than the
/// margin.
fn ends(world: &mut impl World, design: &Design, cost: &mut Cost) -> Option<f64> {
    let rule = Rule::new(design.ends.clone(), Margin::default(), Better::Lower);
    let mut effects = Vec::new();
    for _ in 0..design.ends.max() {
        effects.push(world.ends());
        cost.blocks += 1;
        let Some(look) = rule.look(&effects).filter(|look| look.stop) else {
            continue;
        };
        let differs = matches!(look.verdict, Verdict::Faster | Verdict::Slower);
        return differs.then(|| ends_sign(&look.interval));
    }
    None
}

/// One commit beside both ends.
fn mark(world: &mut impl World, looks: &Looks, commit: usize, sign: f64, cost: &mut Cost) -> Mark {
    let rule = Rule::new(looks.clone(), Margin::default(), Better::Lower);
    let rules = [rule.clone(), rule.clone(), rule];
    let (mut older, mut newer) = (Vec::new(), Vec::new());
    cost.steps += 1;
    for _ in 0..looks.max() {
        let [by_older, by_newer] = world.beside(commit);
        older.push(by_older);
        newer.push(by_newer);
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
pub(crate) fn thresholded(world: &mut impl World) -> Found {
    let (older, newer) = (world.median(None), world.median(Some(COMMITS - 1)));
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
                let above = (world.median(Some(commit)) - threshold) * sign > 0.0;
                let mark = if above { Mark::Newer } else { Mark::Older };
                search.set(commit, mark);
            }
        }
    }
}
