//! Counting what the stopping rule says.

use proofmark_stats::{Effect, Rule, Verdict, check};
use rand::SeedableRng;
use rand::rngs::SmallRng;

use super::Noise;

/// What the stopping rule said on many sequences of blocks.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) paths: u32,
    pub(crate) faster: u32,
    pub(crate) slower: u32,
    pub(crate) equivalent: u32,
    /// Among `faster` and `slower`.
    pub(crate) negligible: u32,
    pub(crate) undecided: u32,
    /// The last interval holds the true effect.
    pub(crate) covered: u32,
    pub(crate) blocks: u64,
    /// The blocks up to the verdict raised a doubt.
    pub(crate) doubted: u32,
    /// Among the paths that missed the truth.
    pub(crate) missed_doubted: u32,
}

impl Tally {
    /// Share of paths that call the builds different.
    pub(crate) fn different(&self) -> f64 {
        f64::from(self.faster + self.slower) / f64::from(self.paths)
    }

    /// Share of paths that say the effect lies inside the margin.
    pub(crate) fn inside(&self) -> f64 {
        f64::from(self.equivalent + self.negligible) / f64::from(self.paths)
    }

    pub(crate) fn share(&self, count: u32) -> f64 {
        f64::from(count) / f64::from(self.paths)
    }

    pub(crate) fn coverage(&self) -> f64 {
        self.share(self.covered)
    }

    pub(crate) fn mean_blocks(&self) -> f64 {
        self.blocks as f64 / f64::from(self.paths)
    }
}

/// Runs the rule on `paths` sequences of blocks of this true effect, spread and noise.
pub(crate) fn run(
    rule: &Rule,
    noise: Noise,
    effect: f64,
    spread: f64,
    paths: u32,
    seed: u64,
) -> Tally {
    let mut rng = SmallRng::seed_from_u64(seed);
    let mut blocks = vec![0.0; rule.looks().max() as usize];
    let mut tally = Tally {
        paths,
        ..Tally::default()
    };
    for _ in 0..paths {
        noise.fill(&mut blocks, &mut rng);
        for block in &mut blocks {
            *block = effect + spread * *block;
        }
        let replay = rule.replay(&blocks).expect("enough finite blocks");
        match replay.look.verdict {
            Verdict::Faster | Verdict::FasterButNegligible => tally.faster += 1,
            Verdict::Slower | Verdict::SlowerButNegligible => tally.slower += 1,
            Verdict::Equivalent => tally.equivalent += 1,
            Verdict::Undecided => tally.undecided += 1,
        }
        tally.negligible += u32::from(matches!(
            replay.look.verdict,
            Verdict::FasterButNegligible | Verdict::SlowerButNegligible
        ));
        let covered = replay.look.interval.contains(Effect::from_ln(effect));
        let doubted = !check(&blocks[..replay.blocks as usize]).is_empty();
        tally.covered += u32::from(covered);
        tally.doubted += u32::from(doubted);
        tally.missed_doubted += u32::from(doubted && !covered);
        tally.blocks += u64::from(replay.blocks);
    }
    tally
}
