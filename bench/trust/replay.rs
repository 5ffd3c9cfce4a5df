//! Recorded blocks, replayed under the shipped stopping rule: 8 to 60 blocks, 95 %, a margin of
//! 1 %.
//!
//! `trust_replay FOLDER < GROUPS` reads lists of experiments of the store in FOLDER as JSON,
//! `[["id", …], …]`. The blocks of a list follow one another and are cut into fresh stretches: each
//! is replayed from its start until its verdict, and the next begins behind it. A last stretch that
//! is neither decided nor 60 blocks long is cut off: it is counted apart. Prints a JSON object for
//! each list.

#![allow(
    clippy::print_stdout,
    reason = "a bench prints its numbers and stops at the first fault"
)]

use std::error::Error;
use std::io::{Read, Write};
use std::path::Path;

use proofmark_conclude::{effects, main_arm, rules};
use proofmark_evidence::record::{Pilot, Schedule};
use proofmark_evidence::{Recorded, Store};
use proofmark_stats::{Better, Looks, Margin, Rule, Verdict, spread};
use proofmark_terms::BuildIndex;
use serde::Serialize;

/// The design that `proofmark compare` has when nothing else is asked for.
const SHIPPED: (f64, u32, u32, f64) = (0.95, 8, 60, 0.01);

/// One recording.
#[derive(Serialize)]
struct Piece {
    experiment: String,
    schedule: Schedule,
    reason: String,
    rounds: u32,
    layouts: serde_json::Value,
    widening: f64,
    shift: Option<(f64, f64)>,
    /// Standard deviation of D.
    spread: Option<f64>,
    effects: Vec<f64>,
}

/// One verdict.
#[derive(Serialize)]
struct Stretch {
    /// Which of the recordings its first block is of.
    piece: usize,
    blocks: u32,
    estimate: f64,
    low: f64,
    high: f64,
    verdict: Verdict,
    /// Standard deviation of D over its blocks.
    spread: Option<f64>,
}

/// A list of recordings and what the rule says of them.
#[derive(Serialize)]
struct Replayed {
    pieces: Vec<Piece>,
    stretches: Vec<Stretch>,
    /// Blocks of a last stretch that ended too early.
    cut_off: usize,
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("a folder with evidence")?;
    let store = Store::open(Path::new(&folder))?;
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let lists: Vec<Vec<String>> = serde_json::from_str(&text)?;
    let mut out = std::io::stdout().lock();
    for list in lists {
        let recorded = list
            .iter()
            .map(|id| store.load(id))
            .collect::<Result<Vec<_>, _>>()?;
        serde_json::to_writer(&mut out, &replayed(&recorded)?)?;
        writeln!(out)?;
    }
    Ok(())
}

fn replayed(recorded: &[Recorded]) -> Result<Replayed, Box<dyn Error>> {
    let (confidence, min, max, margin) = SHIPPED;
    let looks = Looks::new(confidence, min, max, 1)?;
    let margin = Margin::from_relative(margin).ok_or("a margin between 0 and 1")?;
    let pieces = recorded.iter().map(piece).collect::<Result<Vec<_>, _>>()?;
    let blocks: Vec<(usize, f64)> = pieces
        .iter()
        .enumerate()
        .flat_map(|(at, piece)| piece.effects.iter().map(move |&effect| (at, effect)))
        .collect();
    let mut stretches = Vec::new();
    let mut begin = 0;
    while let Some(&(at, _)) = blocks.get(begin) {
        let rule = Rule::new(looks.clone(), margin, Better::Lower).widened(pieces[at].widening);
        let rest: Vec<f64> = blocks[begin..].iter().map(|&(_, effect)| effect).collect();
        let Some(replay) = rule.replay(&rest) else {
            break;
        };
        if !replay.look.stop && replay.blocks < max {
            break;
        }
        let length = usize::try_from(replay.blocks)?;
        stretches.push(Stretch {
            piece: at,
            blocks: replay.blocks,
            estimate: replay.look.interval.estimate.ratio(),
            low: replay.look.interval.low.ratio(),
            high: replay.look.interval.high.ratio(),
            verdict: replay.look.verdict,
            spread: spread(&rest[..length]),
        });
        begin += length;
    }
    Ok(Replayed {
        cut_off: blocks.len() - begin,
        pieces,
        stretches,
    })
}

fn piece(recorded: &Recorded) -> Result<Piece, Box<dyn Error>> {
    let Some(pilot) = &recorded.pilot else {
        return Err(format!("{}: no pilot is recorded", recorded.id).into());
    };
    let experiment = &recorded.experiment;
    let effects = effects(
        &recorded.blocks,
        main_arm(experiment, BuildIndex(1)),
        main_arm(experiment, BuildIndex::BASE),
        pilot.schedule,
    )?;
    Ok(Piece {
        experiment: recorded.id.to_string(),
        schedule: pilot.schedule,
        reason: pilot.reason.clone(),
        rounds: pilot.rounds,
        layouts: serde_json::to_value(&experiment.layouts)?,
        widening: widening(recorded, pilot)?,
        shift: pilot
            .shifts
            .first()
            .map(|shift| (shift.estimate, shift.error)),
        spread: spread(&effects),
        effects,
    })
}

/// As the laboratory itself takes it from the blocks.
fn widening(recorded: &Recorded, pilot: &Pilot) -> Result<f64, Box<dyn Error>> {
    let rules = rules(&recorded.experiment, pilot, &recorded.blocks)?;
    let after = |rule: &Rule| rule.widening_after(recorded.blocks.len());
    Ok(rules.first().map_or(0.0, after))
}
