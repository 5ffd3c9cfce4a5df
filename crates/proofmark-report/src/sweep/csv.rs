//! The runs of a sweep, one row each, for other programs.

use std::io::Write;

use proofmark_evidence::RecordedSweep;
use proofmark_evidence::record::SweepStage;
use serde::Serialize;

use crate::experiment::CsvError;
use crate::wording::unit;

/// A row: one run. The first line of the file names the columns by these fields.
#[derive(Serialize)]
struct Sample<'a> {
    /// The first digits of the sweep's name.
    sweep: &'a str,
    /// From 0.
    block: u32,
    /// `map`, or `afresh` for the extremes measured once more.
    stage: &'static str,
    /// From 0, within the block.
    round: usize,
    /// From 0: which of the round's runs came first, second…
    position: usize,
    /// `anchor` is the image with the function where it was shipped; else `address`.
    arm: &'static str,
    /// Where the function starts, as linked, or the code that is moved within it.
    address: String,
    /// Where the function starts that moves against the others; empty where none does.
    other: String,
    /// The metric.
    value: f64,
    /// Its unit.
    unit: &'a str,
    cpu_ns: u64,
    wall_ns: u64,
    peak_bytes: u64,
}

/// Writes every run of a sweep, in the order of measurement.
///
/// # Errors
///
/// `output` cannot be written.
pub fn csv(recorded: &RecordedSweep, output: impl Write) -> Result<(), CsvError> {
    let sweep = &recorded.sweep;
    let unit = unit(&sweep.benchmark.metric);
    let mut writer = ::csv::Writer::from_writer(output);
    for block in &recorded.blocks {
        for (number, round) in block.rounds.iter().enumerate() {
            for (position, &image) in round.order.iter().enumerate() {
                let Some(run) = image.of(&round.runs) else {
                    continue;
                };
                let swept = (image.place()).checked_sub(1).and_then(|nth| {
                    let index = *block.addresses.get(nth)?;
                    index.of(&sweep.addresses)
                });
                let address = swept.map_or(sweep.as_shipped, |swept| swept.address);
                let shipped = sweep.against.as_ref().map(|against| against.as_shipped);
                let other = swept.map_or(shipped, |swept| swept.other);
                writer.serialize(Sample {
                    sweep: recorded.id.short(),
                    block: block.index,
                    stage: match block.stage {
                        SweepStage::Map => "map",
                        SweepStage::Afresh => "afresh",
                    },
                    round: number,
                    position,
                    arm: if image.place() == 0 {
                        "anchor"
                    } else {
                        "address"
                    },
                    address: format!("{address:#x}"),
                    other: other.map_or(String::new(), |other| format!("{other:#x}")),
                    value: run.value,
                    unit,
                    cpu_ns: run.cpu_ns,
                    wall_ns: run.wall_ns,
                    peak_bytes: run.peak_bytes,
                })?;
            }
        }
    }
    writer.flush().map_err(::csv::Error::from)?;
    Ok(())
}
