//! What the levels of a bisection promise, in simulated worlds.

use proofmark_conclude::bisect::{Mark, Nearer, Next, Search, ends_sign, judge_values, level};
use proofmark_stats::{Better, Looks, Margin, Rule};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution as _, StandardNormal};

#[test]
fn levels_are_used_up_and_never_more() {
    let all: f64 = (1..).map_while(|step| level(0.05, step)).sum();
    assert!(all < 0.05 && all > 0.0497, "{all}");
    assert!(level(0.05, 174).is_some() && level(0.05, 175).is_none());
}

/// A bisection of simulated blocks.
struct Simulated {
    /// The level of each commit, on the scale of ln; the older end's is 0.
    truth: Vec<f64>,
    /// Standard deviation of a block's difference of two builds.
    spread: f64,
}

impl Simulated {
    /// The first commit of the newer level as a bisection finds it; `None` where it finds none.
    fn bisected(&self, looks: &[Looks], rng: &mut ChaCha8Rng) -> Option<usize> {
        let commits = self.truth.len();
        let line = (0..commits).map(|commit: usize| commit.checked_sub(1).into_iter().collect());
        let mut search = Search::new(line.collect()).unwrap();
        let ends = *self.truth.last().unwrap();
        let sign = ends_sign(&proofmark_stats::Interval::exactly(
            proofmark_stats::Effect::from_ln(ends),
        ));
        for looks in looks {
            match search.next() {
                Next::Found(commit) => return Some(commit),
                Next::Among(_) => return None,
                Next::Try { commit, .. } => {
                    let mark = self.mark(self.truth[commit], looks, sign, rng);
                    search.set(commit, mark);
                }
            }
        }
        None
    }

    fn mark(&self, level: f64, looks: &Looks, sign: f64, rng: &mut ChaCha8Rng) -> Mark {
        let rule = Rule::new(looks.clone(), Margin::default(), Better::Lower);
        let rules = [rule.clone(), rule.clone(), rule];
        let ends = *self.truth.last().unwrap();
        let (mut older, mut newer) = (Vec::new(), Vec::new());
        let mut noise = || -> f64 { StandardNormal.sample(rng) };
        for _ in 0..looks.max() {
            older.push(-level + self.spread * noise());
            newer.push(ends - level + self.spread * noise());
            let judged = judge_values(&older, &newer, &rules, sign);
            match judged.and_then(|judged| judged.nearer) {
                Some(Nearer::Older) => return Mark::Older,
                Some(Nearer::Newer) => return Mark::Newer,
                None => {}
            }
        }
        Mark::Skipped
    }
}

/// Of 300 bisections of 64 commits each with a step of three times a block's spread, at
/// most as many go wrong as were allowed to.
#[test]
fn a_whole_answer_is_wrong_no_more_often_than_promised() {
    const ALPHA: f64 = 0.2;
    let looks: Vec<Looks> = (2..12)
        .map(|step| Looks::new(1.0 - level(ALPHA, step).unwrap(), 2, 20, 2).unwrap())
        .collect();
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let (mut wrong, mut none) = (0, 0);
    for sign in [1.0, -1.0].repeat(150) {
        let first = rng.random_range(0..64_usize);
        let truth = (0..64).map(|commit| if commit < first { 0.0 } else { 0.03 * sign });
        let simulated = Simulated {
            truth: truth.collect(),
            spread: 0.01,
        };
        match simulated.bisected(&looks, &mut rng) {
            Some(found) if found == first => {}
            Some(_) => wrong += 1,
            None => none += 1,
        }
    }
    // 60 of 300 were allowed to; three standard deviations of chance beyond that are 21.
    assert!(
        wrong <= 60,
        "{wrong} of 300 wrong, {none} without an answer"
    );
    assert!(none <= 100, "{none} of 300 without an answer");
}

/// A commit half-way between the ends is told from both, and is nearer to neither.
#[test]
fn what_lies_between_is_seen() {
    let looks = Looks::new(0.95, 8, 60, 2).unwrap();
    let rule = Rule::new(looks, Margin::default(), Better::Lower);
    let rules = [rule.clone(), rule.clone(), rule];
    let noise = |block: u32| 0.001 * f64::from(block % 3) - 0.001;
    for sign in [1.0, -1.0] {
        let older: Vec<f64> = (0..9).map(|block| -0.02 * sign + noise(block)).collect();
        let newer: Vec<f64> = (0..9).map(|block| 0.02 * sign - noise(block)).collect();
        let judged = judge_values(&older, &newer, &rules, sign).unwrap();
        assert!(judged.between && judged.nearer.is_none(), "{judged:?}");
        // Beyond the newer end is not between.
        let beyond: Vec<f64> = newer.iter().map(|one| one - 0.04 * sign).collect();
        let judged = judge_values(&older, &beyond, &rules, sign).unwrap();
        assert!(
            !judged.between && judged.nearer == Some(Nearer::Newer),
            "{judged:?}"
        );
    }
}
