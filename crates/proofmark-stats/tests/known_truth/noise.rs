//! What keeps a block from showing the true effect.

use rand::RngExt;
use rand::rngs::SmallRng;
use rand_distr::{Exp1, Gamma, StandardNormal, StudentT};

/// How far off a block is that went wrong, in standard deviations of the others.
const OFF: f64 = 8.0;

/// The noise of a sequence of blocks, in units of the spread of an ordinary block. Its mean is 0
/// unless said otherwise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Noise {
    Normal,
    /// Student's t with 3 degrees of freedom, at unit variance.
    T3,
    /// A gamma distribution of this skewness, at unit variance.
    Skewed(f64),
    /// This share of the blocks is off by 8 σ, to either side alike: disturbed arms.
    OffBothSides(f64),
    /// This share of the blocks is off by 8 σ, always to the same side, and belongs to the truth:
    /// rare bad layouts of one build.
    BadLayouts(f64),
    /// This share of the blocks is off by 8 σ, always to the same side, and does not belong to the
    /// truth: a disturbed arm.
    Disturbed(f64),
    /// A tenth of the blocks, in bursts of three on average, is five times as noisy.
    Bursts,
    /// A tenth of the blocks, in bursts of three on average, is off by 3 σ; each burst hits one
    /// arm, either alike.
    BurstsInOneArm,
    /// The effect moves in a straight line by this many σ over 60 blocks, about its true mean over
    /// them.
    Drift(f64),
    /// Neighbouring blocks have this correlation.
    Correlated(f64),
    /// Starting first costs this many σ; each of four rounds is in random order.
    PositionRandom(f64),
    /// Starting first costs this many σ; every round is in the same order.
    PositionFixed(f64),
}

impl Noise {
    /// What is shown in a table.
    pub(crate) fn name(self) -> String {
        let percent = |share: f64| format!("{} %", (share * 100.0).round());
        match self {
            Noise::Normal => "normal".to_owned(),
            Noise::T3 => "t, 3 degrees of freedom".to_owned(),
            Noise::Skewed(skewness) => format!("skewness {skewness}"),
            Noise::OffBothSides(share) => format!("{} off by 8 σ, either side", percent(share)),
            Noise::BadLayouts(share) => format!(
                "{} bad layouts (8 σ, one side, part of the truth)",
                percent(share)
            ),
            Noise::Disturbed(share) => format!(
                "{} disturbed (8 σ, one side, not part of the truth)",
                percent(share)
            ),
            Noise::Bursts => "bursts, five times the spread".to_owned(),
            Noise::BurstsInOneArm => "bursts in one arm, 3 σ".to_owned(),
            Noise::Drift(total) => format!("drift of {total} σ in 60 blocks"),
            Noise::Correlated(rho) => format!("neighbours correlated, {rho}"),
            Noise::PositionRandom(cost) => {
                format!("place in the round costs {cost} σ, random order")
            }
            Noise::PositionFixed(cost) => format!("place in the round costs {cost} σ, fixed order"),
        }
    }

    /// Fills `blocks` with noise.
    pub(crate) fn fill(self, blocks: &mut [f64], rng: &mut SmallRng) {
        let mut state = State::first(self, rng);
        for (index, block) in blocks.iter_mut().enumerate() {
            *block = self.draw(index, &mut state, rng);
        }
    }

    fn draw(self, index: usize, state: &mut State, rng: &mut SmallRng) -> f64 {
        let normal: f64 = rng.sample(StandardNormal);
        match self {
            Noise::Normal => normal,
            Noise::T3 => {
                rng.sample(StudentT::new(3.0).expect("a possible distribution")) / 3.0_f64.sqrt()
            }
            Noise::Skewed(2.0) => rng.sample::<f64, _>(Exp1) - 1.0,
            Noise::Skewed(skewness) => {
                let shape = 4.0 / (skewness * skewness);
                (rng.sample(Gamma::new(shape, 1.0).expect("a possible distribution")) - shape)
                    / shape.sqrt()
            }
            Noise::OffBothSides(share) => {
                normal
                    + if rng.random_bool(share) {
                        OFF * sign(rng)
                    } else {
                        0.0
                    }
            }
            Noise::BadLayouts(share) => {
                normal - share * OFF + if rng.random_bool(share) { OFF } else { 0.0 }
            }
            Noise::Disturbed(share) => normal + if rng.random_bool(share) { OFF } else { 0.0 },
            Noise::Bursts => normal * if state.burst(rng) == 0.0 { 1.0 } else { 5.0 },
            Noise::BurstsInOneArm => normal + 3.0 * state.burst(rng),
            Noise::Drift(total) => normal + total * ((index as f64 - 29.5) / 60.0),
            Noise::Correlated(rho) => state.correlated(rho, normal),
            Noise::PositionRandom(cost) => {
                normal + cost * (0..4).map(|_| sign(rng)).sum::<f64>() / 4.0
            }
            Noise::PositionFixed(cost) => normal + cost,
        }
    }
}

fn sign(rng: &mut SmallRng) -> f64 {
    if rng.random() { 1.0 } else { -1.0 }
}

/// What one block passes on to the next.
struct State {
    last: f64,
    burst: f64,
}

impl State {
    fn first(noise: Noise, rng: &mut SmallRng) -> Self {
        let burst =
            if matches!(noise, Noise::Bursts | Noise::BurstsInOneArm) && rng.random_bool(0.1) {
                sign(rng)
            } else {
                0.0
            };
        State {
            last: rng.sample(StandardNormal),
            burst,
        }
    }

    /// 0 outside a burst, else its sign. A burst ends after a block with probability 1/3 and begins
    /// with 1/27: a tenth of the time.
    fn burst(&mut self, rng: &mut SmallRng) -> f64 {
        let now = self.burst;
        if now == 0.0 {
            self.burst = if rng.random_bool(1.0 / 27.0) {
                sign(rng)
            } else {
                0.0
            };
        } else if rng.random_bool(1.0 / 3.0) {
            self.burst = 0.0;
        }
        now
    }

    fn correlated(&mut self, rho: f64, normal: f64) -> f64 {
        self.last = rho * self.last + (1.0 - rho * rho).sqrt() * normal;
        self.last
    }
}
