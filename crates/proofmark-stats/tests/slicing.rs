//! Verdicts by slices that move the effect, simulated: shorter slices and whole runs of the same
//! blocks are what is known of it.

#![expect(
    clippy::print_stdout,
    reason = "the table of docs/methods.md comes from here"
)]

use proofmark_stats::{
    Better, Effect, Looks, Margin, Rule, Verdict, shift_among, widening_by_block,
};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use rand_distr::StandardNormal;

const PATHS: u32 = 400;

/// What slices do, and how noisy whole runs are; everything in margins.
#[derive(Clone, Copy, Debug)]
struct World {
    truth: f64,
    /// What the verdict's own slices add to the effect.
    own: f64,
    /// What shorter ones add.
    short: f64,
    /// What is left of it for builds that share their slices with an idle program.
    alone: f64,
    /// Standard deviation of a block's number by whole runs.
    whole_noise: f64,
}

/// The noise of the number of a block by slices, and what its layouts add to every way alike.
const NOISE: f64 = 0.75;
const LAYOUTS: f64 = 0.5;

/// The share of paths, and the mean number of blocks.
#[derive(Debug, Default)]
struct Told {
    covered: f64,
    equivalent: f64,
    blocks: f64,
}

fn told(world: World) -> Told {
    let margin = Margin::from_relative(0.01).expect("a margin");
    let looks = Looks::new(0.95, 8, 60, 1).expect("a design");
    let mut rng = SmallRng::seed_from_u64(5);
    let mut all = Told::default();
    for _ in 0..PATHS {
        let mut draw = |spread: f64| spread * rng.sample::<f64, _>(StandardNormal);
        let mut effects = Vec::new();
        let (mut short, mut whole, mut alone) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..60 {
            let layout = world.truth + draw(LAYOUTS);
            let own = layout + world.own + draw(NOISE);
            let mut than_own =
                |adds: f64, noise: f64| (layout + adds + draw(noise) - own) * margin.ln();
            short.push(than_own(world.short, NOISE));
            whole.push(than_own(0.0, world.whole_noise));
            // Two pairs of runs instead of one.
            alone.push(than_own(world.alone, NOISE * 2.0_f64.sqrt()));
            effects.push(own * margin.ln());
        }
        let rule = Rule::new(looks.clone(), margin, Better::Lower)
            .widened_by_block(widening_by_block(&[&short, &alone], &whole, margin));
        let replay = rule.replay(&effects).expect("sixty blocks");
        let truth = Effect::from_ln(world.truth * margin.ln());
        let share = 1.0 / f64::from(PATHS);
        all.covered += share * f64::from(u8::from(replay.look.interval.contains(truth)));
        let equivalent = replay.look.verdict == Verdict::Equivalent;
        all.equivalent += share * f64::from(u8::from(equivalent));
        all.blocks += share * f64::from(replay.blocks);
    }
    all
}

/// Three standard errors below 95 %.
const AT_LEAST: f64 = 0.95 - 3.0 * 0.0109;

fn covers(world: World) -> Told {
    let told = told(world);
    println!("{world:?}: {told:?}");
    assert!(told.covered > AT_LEAST, "{world:?}: {told:?}");
    assert!(
        world.truth.abs() < 1.0 || told.equivalent < 1.0 - AT_LEAST,
        "{world:?}: {told:?}"
    );
    told
}

/// Slices of a quarter of the length are taken four times as often, and move the effect four times
/// as much, where each costs the same.
#[test]
fn what_grows_with_the_number_of_slices_is_covered() {
    for own in [0.1, 0.25, 0.5, 1.0, 3.0] {
        for truth in [0.0, 1.0, 3.0] {
            covers(World {
                truth,
                own: -own,
                short: -4.0 * own,
                alone: -own,
                whole_noise: 4.0,
            });
        }
    }
}

/// A build that loses its whole cache at once loses it at any length of slice, but not beside an
/// idle program. Whole runs are too noisy to see it.
#[test]
fn what_the_neighbour_does_at_any_length_is_covered() {
    for own in [0.1, 0.25, 0.5, 1.0, 3.0] {
        for truth in [0.0, 1.0, 3.0] {
            covers(World {
                truth,
                own: -own,
                short: -own,
                alone: 0.0,
                whole_noise: 4.0,
            });
        }
    }
}

/// Where slices do nothing, a verdict of no difference takes two to three times the eight blocks at
/// the least; a difference of ten margins takes none more.
#[test]
fn what_slices_do_not_do_costs_blocks_only_where_it_matters() {
    let world = World {
        truth: 0.0,
        own: 0.0,
        short: 0.0,
        alone: 0.0,
        whole_noise: 4.0,
    };
    let equal = covers(world);
    assert!(equal.equivalent > 0.98 && equal.blocks < 30.0, "{equal:?}");
    let far = covers(World {
        truth: 10.0,
        ..world
    });
    assert!(far.blocks < 8.1, "{far:?}");
}

/// What slices do to both kinds alike, a program's own clocks, is left to whole runs: it is covered
/// where they are as quiet as slices, and as far as their noise allows otherwise.
#[test]
fn what_only_whole_runs_show_is_covered_as_far_as_they_are_quiet() {
    let moved = |own: f64, whole_noise: f64| World {
        truth: 0.0,
        own,
        short: own,
        alone: own,
        whole_noise,
    };
    covers(moved(5.0, 1.0));
    covers(moved(30.0, 4.0));
}

/// Six builds that slices do nothing to, each tried in eight rounds of both ways.
#[test]
fn of_many_builds_noise_moves_one_in_twenty_sets_at_most() {
    let margin = Margin::from_relative(0.01).expect("a possible margin");
    let mut rng = SmallRng::seed_from_u64(31);
    let sets = 4000;
    let mut moved = [0, 0];
    for _ in 0..sets {
        let mut rounds = || -> Vec<f64> {
            (0..8)
                .map(|_| 0.03 * rng.sample::<f64, _>(StandardNormal))
                .collect()
        };
        let builds: Vec<_> = (0..6).map(|_| (rounds(), rounds())).collect();
        for (moved, among) in moved.iter_mut().zip([1, 6]) {
            *moved += u32::from(builds.iter().any(|(own, other)| {
                shift_among(own, other, among).is_some_and(|shift| shift.exceeds(margin))
            }));
        }
    }
    let [alone, together] = moved.map(|moved| f64::from(moved) / f64::from(sets));
    assert!(alone > 0.12 && together < 0.05, "{alone}, {together}");
    // One that slices do move is seen all the same.
    let own: Vec<f64> = (0..8)
        .map(|_| 0.03 * rng.sample::<f64, _>(StandardNormal))
        .collect();
    let other: Vec<f64> = own.iter().map(|effect| effect + 0.15).collect();
    assert!(shift_among(&own, &other, 6).is_some_and(|shift| shift.exceeds(margin)));
}
