//! Simulated blocks whose true effect is known, and how the stopping rule fares on them.
#![allow(
    dead_code,
    unused_imports,
    reason = "every user of this module needs another part of it"
)]

mod noise;
mod tally;

pub(crate) use noise::Noise;
pub(crate) use tally::{Tally, run};

/// Every kind of noise that was tried.
pub(crate) const NOISES: [Noise; 22] = [
    Noise::Normal,
    Noise::T3,
    Noise::OffBothSides(0.01),
    Noise::OffBothSides(0.05),
    Noise::OffBothSides(0.1),
    Noise::Bursts,
    Noise::PositionRandom(0.5),
    Noise::Skewed(1.0),
    Noise::Skewed(2.0),
    Noise::BadLayouts(0.01),
    Noise::BadLayouts(0.05),
    Noise::BadLayouts(0.1),
    Noise::Disturbed(0.01),
    Noise::Disturbed(0.05),
    Noise::Disturbed(0.1),
    Noise::BurstsInOneArm,
    Noise::Drift(1.0),
    Noise::Drift(2.0),
    Noise::Correlated(0.1),
    Noise::Correlated(0.2),
    Noise::Correlated(0.4),
    Noise::PositionFixed(0.5),
];
