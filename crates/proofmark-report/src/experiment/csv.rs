//! The raw samples, one row a run, for other programs.

use std::io::Write;

use proofmark_evidence::Recorded;
use proofmark_evidence::record::{ArmRef, Block, Schedule};
use proofmark_terms::BuildIndex;
use serde::Serialize;
use thiserror::Error;

use crate::wording::unit;

/// The samples could not be written.
#[derive(Debug, Error)]
#[error("cannot write the samples: {0}")]
pub struct CsvError(#[from] ::csv::Error);

/// Digits of an image's hash: no two images of a project share them by chance.
const IMAGE_DIGITS: usize = 16;

/// A row: one run. The first line of the file names the columns by these fields.
#[derive(Serialize)]
struct Sample<'a> {
    /// The first digits of the experiment's name; every command takes them.
    experiment: &'a str,
    /// From 0.
    block: u32,
    /// From 0, within the block.
    round: usize,
    /// `drawn`, `as-shipped`, `taxed`, or `idle`: the program that leaves caches alone.
    arm: &'static str,
    /// The build's name.
    build: &'a str,
    /// Which build it is; 0 is the base. Empty for what is no build.
    build_index: Option<u32>,
    /// From 0: which of the round's runs started first, second…
    position: usize,
    /// The mean slice of the round, in microseconds; empty for whole runs.
    slice_us: Option<u64>,
    /// The metric.
    value: f64,
    /// Its unit.
    unit: &'a str,
    cpu_ns: u64,
    wall_ns: u64,
    peak_bytes: u64,
    /// The seed of the block's layouts; empty where they were not drawn.
    layout_seed: Option<u64>,
    /// The first digits of the BLAKE3 of the image that ran: a million rows of whole hashes would
    /// be mostly hashes.
    image: &'a str,
}

/// Writes every run of an experiment, in the order of measurement.
///
/// # Errors
///
/// `output` cannot be written.
pub fn csv(recorded: &Recorded, output: impl Write) -> Result<(), CsvError> {
    let mut writer = ::csv::Writer::from_writer(output);
    for block in &recorded.blocks {
        write_block(recorded, block, &mut writer)?;
    }
    writer.flush().map_err(::csv::Error::from)?;
    Ok(())
}

fn write_block(
    recorded: &Recorded,
    block: &Block,
    writer: &mut ::csv::Writer<impl Write>,
) -> Result<(), CsvError> {
    let unit = unit(&recorded.experiment.benchmark.metric);
    let arms: Vec<(&str, &str, Option<u32>)> = block
        .arms
        .iter()
        .map(|&arm| described(recorded, arm))
        .collect();
    for (number, round) in block.rounds.iter().enumerate() {
        let slice_us = match round.schedule {
            Schedule::Sliced { slice_us } => Some(slice_us),
            Schedule::Interleaved => None,
        };
        for (position, (run, &place)) in round.runs.iter().zip(&round.order).enumerate() {
            let place = place.place();
            let (Some(&(arm, build, build_index)), Some(image)) =
                (arms.get(place), block.images.get(place))
            else {
                continue;
            };
            writer.serialize(Sample {
                experiment: recorded.id.short(),
                block: block.index,
                round: number,
                arm,
                build,
                build_index,
                position,
                slice_us,
                value: run.value,
                unit,
                cpu_ns: run.cpu_ns,
                wall_ns: run.wall_ns,
                peak_bytes: run.peak_bytes,
                layout_seed: block.layout.seed(),
                image: image.get(..IMAGE_DIGITS).unwrap_or(image),
            })?;
        }
    }
    Ok(())
}

fn described(recorded: &Recorded, arm: ArmRef) -> (&'static str, &str, Option<u32>) {
    let (kind, index) = match arm {
        ArmRef::Drawn { build } => ("drawn", build),
        ArmRef::AsShipped { build } => ("as-shipped", build),
        ArmRef::Taxed => ("taxed", BuildIndex::BASE),
        ArmRef::Idle => return ("idle", "", None),
    };
    let build = index.of(&recorded.experiment.builds);
    (kind, build.map_or("", |build| &build.name), Some(index.0))
}
