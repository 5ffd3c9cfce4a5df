//! Prints, as Markdown, how interval and verdict fare on simulated blocks with a known truth.
#![expect(clippy::print_stdout, reason = "a generator prints what it generates")]

#[path = "../../tests/known_truth/mod.rs"]
mod known_truth;

use known_truth::{Noise, run};
use proofmark_stats::{Better, Looks, Margin, Rule};

fn main() {
    let margin = Margin::from_relative(0.01).unwrap();
    let looks = Looks::new(0.95, 8, 60, 1).unwrap();
    let rule = Rule::new(looks, margin, Better::Lower);
    let all = [
        Noise::Normal,
        Noise::T3,
        Noise::Skewed(1.0),
        Noise::Skewed(2.0),
        Noise::OffBothSides(0.01),
        Noise::OffBothSides(0.05),
        Noise::OffBothSides(0.1),
        Noise::BadLayouts(0.01),
        Noise::BadLayouts(0.05),
        Noise::BadLayouts(0.1),
        Noise::Disturbed(0.01),
        Noise::Disturbed(0.05),
        Noise::Disturbed(0.1),
        Noise::Bursts,
        Noise::BurstsInOneArm,
        Noise::Drift(1.0),
        Noise::Drift(2.0),
        Noise::Correlated(0.1),
        Noise::Correlated(0.2),
        Noise::Correlated(0.4),
        Noise::PositionRandom(0.5),
        Noise::PositionFixed(0.5),
    ];
    for spread in [0.005, 0.01, 0.03] {
        for noise in all {
            print!("{spread} {:60}", noise.name());
            for m in [0.0, 1.0, 2.0] {
                let t = run(&rule, noise, m * margin.ln(), spread, 10000, 1);
                print!(
                    " | {m}: diff {:.3} in {:.3} cov {:.3} und {:.3} n {:.1}",
                    t.different(),
                    t.inside(),
                    t.coverage(),
                    t.share(t.undecided),
                    t.mean_blocks()
                );
            }
            println!();
        }
    }
}
