//! What a null test says, for programs.

use proofmark_evidence::record::NullConclusion;
use schemars::JsonSchema;
use serde::Serialize;

use crate::document::words::{Ratio, StopWord, VerdictWord};

/// The end of a null test: a build against itself, as two distinct files.
#[derive(Serialize, JsonSchema)]
pub(crate) struct NullView {
    /// Blocks that it rests on.
    blocks: u32,
    /// Why measuring stopped.
    stop: StopWord,
    /// Wall time of all blocks and the pilot, in milliseconds.
    took_ms: u64,
    /// How often this set-up would call the build different from itself.
    alarms: AlarmsView,
    /// copy ÷ build over all blocks.
    ratio: Ratio,
    /// What that interval says.
    verdict: VerdictWord,
    /// Standard deviation of the blocks' ln(copy ÷ build).
    spread: f64,
    /// Smallest relative effect that as many blocks can be expected to resolve.
    resolvable: Option<f64>,
    /// Whether the place within the round tells in the numbers.
    position: Option<PositionView>,
}

/// False alarms when the signs of the blocks are re-drawn and the stopping rule is replayed.
#[derive(Serialize, JsonSchema)]
pub(crate) struct AlarmsView {
    /// Re-drawings of the signs.
    redraws: u32,
    /// Verdicts in all.
    verdicts: u64,
    /// Verdicts of faster or slower, negligible or not.
    alarms: u64,
    /// Alarms that lie inside the margin.
    negligible: u64,
    /// Alarms ÷ verdicts, 0 to 1.
    rate: f64,
    /// Lower end of its 95 % interval.
    low: f64,
    /// Upper end of its 95 % interval.
    high: f64,
    /// What the confidence asked for allows.
    allowed: f64,
}

/// Whether a run differs for where in its round it started.
#[derive(Serialize, JsonSchema)]
pub(crate) struct PositionView {
    /// Mean of ln(value ÷ mean of its round) of the runs that started first, second…
    by_position: Vec<f64>,
    /// Probability of differences this large if the position did not matter.
    p: f64,
}

impl From<&NullConclusion> for NullView {
    fn from(null: &NullConclusion) -> Self {
        let alarms = &null.alarms;
        NullView {
            blocks: null.blocks,
            stop: null.stop.into(),
            took_ms: null.took_ms,
            alarms: AlarmsView {
                redraws: alarms.redraws,
                verdicts: alarms.verdicts,
                alarms: alarms.alarms,
                negligible: alarms.negligible,
                rate: alarms.rate,
                low: alarms.low,
                high: alarms.high,
                allowed: alarms.allowed,
            },
            ratio: (&null.interval).into(),
            verdict: null.verdict.into(),
            spread: null.spread,
            resolvable: null.resolvable,
            position: null.position.as_ref().map(|bias| PositionView {
                by_position: bias.by_position.clone(),
                p: bias.p,
            }),
        }
    }
}
