//! Histories in which everything but the level of a commit is normal noise: where its link put its
//! code (once for each commit), and what a block shows.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use crate::world::{COMMITS, World};

/// Standard deviation of what a link's placement does to one build.
const PLACEMENT: f64 = 0.02;
/// Standard deviation of the median of five runs.
const MEDIAN: f64 = 0.01;

/// A kind of history.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// What the change costs.
    pub(crate) percent: f64,
    /// Standard deviation of a block's difference of two builds.
    spread: f64,
}

const fn case(name: &'static str, percent: f64, spread: f64) -> Case {
    Case {
        name,
        percent,
        spread,
    }
}

pub(crate) const CASES: [Case; 7] = [
    case("+1 %, blocks spread by 0.5 %", 1.0, 0.005),
    case("+2 %, blocks spread by 0.5 %", 2.0, 0.005),
    case("+5 %, blocks spread by 0.5 %", 5.0, 0.005),
    case("+2 %, blocks spread by 1.5 %", 2.0, 0.015),
    case("+5 %, blocks spread by 1.5 %", 5.0, 0.015),
    case("placement only, blocks spread by 0.5 %", 0.0, 0.005),
    case("placement only, blocks spread by 1.5 %", 0.0, 0.015),
];

/// One history.
pub(crate) struct Simulated {
    step: f64,
    spread: f64,
    first: usize,
    /// Of each commit, and of the older end behind them.
    places: Vec<f64>,
    rng: ChaCha8Rng,
}

impl Case {
    pub(crate) fn world(&self, first: usize, seed: u64) -> Simulated {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let places = (0..=COMMITS).map(|_| {
            let drawn: f64 = StandardNormal.sample(&mut rng);
            PLACEMENT * drawn
        });
        Simulated {
            step: (self.percent / 100.0).ln_1p(),
            spread: self.spread,
            first,
            places: places.collect(),
            rng,
        }
    }
}

impl Simulated {
    fn level(&self, commit: usize) -> f64 {
        if commit < self.first { 0.0 } else { self.step }
    }

    fn noise(&mut self, deviation: f64) -> f64 {
        let drawn: f64 = StandardNormal.sample(&mut self.rng);
        deviation * drawn
    }
}

impl World for Simulated {
    fn ends(&mut self) -> f64 {
        self.step + self.noise(self.spread)
    }

    /// What the three share cancels; what is left of it is as large in each of both differences.
    fn beside(&mut self, commit: usize) -> [f64; 2] {
        let build = self.spread / std::f64::consts::SQRT_2;
        let own = self.level(commit) + self.noise(build);
        let older = self.noise(build) - own;
        [older, self.step + self.noise(build) - own]
    }

    fn median(&mut self, commit: Option<usize>) -> f64 {
        let level = commit.map_or(0.0, |commit| self.level(commit));
        level + self.places[commit.unwrap_or(COMMITS)] + self.noise(MEDIAN)
    }
}
