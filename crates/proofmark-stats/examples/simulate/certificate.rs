//! What it costs a verdict of no difference to wait until a slowdown of the margin would have been
//! seen.

use std::fmt::Write as _;

use proofmark_stats::{Better, Effect, Looks, Rule, Verdict};
use rand::SeedableRng;
use rand::rngs::SmallRng;

use crate::known_truth::Noise;
use crate::promise::rule;

const PATHS: u32 = 10_000;
const MAX: usize = 60;

/// What the rounds of a block leave of their noise, in margins.
const LEFT: [f64; 3] = [0.5, 0.75, 1.0];

/// A verdict waits until there are so many times its blocks: not at all, and as shipped.
const PATIENCE: [usize; 2] = [1, 2];

/// The blocks of two equal builds, and of the base and the taxed base, which share the base's
/// noise.
struct World {
    builds: Vec<f64>,
    /// Three blocks of four.
    taxed: Vec<f64>,
}

#[derive(Default)]
struct Said {
    blocks: usize,
    equivalent: u32,
    certified: u32,
}

pub(crate) fn table() -> String {
    let mut text = format!(
        "Two equal builds, {PATHS} sequences a cell, looks after each of 8 to 60 blocks, margin 1 %, the taxed base in three blocks of four.\n\n\
         | noise left in a block | waits to | blocks | equivalent, % | of these would have been seen, % |\n|---|---|---|---|---|\n"
    );
    for left in LEFT {
        for patience in PATIENCE {
            let said = carry_out(left, patience);
            let percent = |part: u32, of: u32| f64::from(part) * 100.0 / f64::from(of.max(1));
            let _ = writeln!(
                text,
                "| {left} margins | {patience} × its blocks | {:.1} | {:.1} | {:.1} |",
                said.blocks as f64 / f64::from(PATHS),
                percent(said.equivalent, PATHS),
                percent(said.certified, said.equivalent),
            );
        }
    }
    text
}

fn carry_out(left: f64, patience: usize) -> Said {
    let rule = rule(8, 1);
    // Of the first 8 and of all 60 blocks, so many hold the taxed base.
    let looks = Looks::new(0.95, 6, 45, 1).expect("a possible design");
    let certificate = Rule::new(looks, rule.margin(), Better::Lower);
    let mut rng = SmallRng::seed_from_u64(19);
    let mut said = Said::default();
    for _ in 0..PATHS {
        let world = World::draw(left, rule.margin().ln(), &mut rng);
        let mut decided = None;
        for blocks in 8..=MAX {
            let Some(look) = rule.look(&world.builds[..blocks]).filter(|look| look.stop) else {
                if blocks == MAX {
                    said.blocks += blocks;
                }
                continue;
            };
            let first = *decided.get_or_insert(blocks);
            let taxed = certificate.look(&world.taxed[..blocks - blocks / 4]);
            let interval = taxed.expect("at least six blocks").interval;
            let seen = !interval.contains(Effect::NONE);
            let told = seen || !interval.contains(Effect::from_ln(rule.margin().ln()));
            let equivalent = look.verdict == Verdict::Equivalent;
            if !equivalent || told || blocks >= patience * first || blocks == MAX {
                said.blocks += blocks;
                said.equivalent += u32::from(equivalent);
                said.certified += u32::from(equivalent && seen);
                break;
            }
        }
    }
    said
}

impl World {
    /// Blocks whose noise is `left` margins, half of it the base's own.
    fn draw(left: f64, margin: f64, rng: &mut SmallRng) -> World {
        let mut draw = || {
            let mut noise = vec![0.0; MAX];
            Noise::Normal.fill(&mut noise, rng);
            noise
                .into_iter()
                .map(move |n| n * left * margin / 2_f64.sqrt())
        };
        let base: Vec<f64> = draw().collect();
        let builds = draw().zip(&base).map(|(new, base)| new - base).collect();
        let taxed = draw().zip(&base).map(|(taxed, base)| margin + taxed - base);
        let held = taxed.enumerate().filter(|(block, _)| block % 4 != 3);
        World {
            builds,
            taxed: held.map(|(_, effect)| effect).collect(),
        }
    }
}
