//! A budget that cannot hold what is needed, in words.

use std::fmt;
use std::time::Duration;

/// Blocks that a hint offers where more are needed: what an interval wants at the least.
const FEWEST_BLOCKS: u32 = 4;

/// How far it went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// The runs that tell how to measure were not over.
    First,
    /// No block was begun.
    NoBlock {
        /// Time of the shortest and the longest run, in milliseconds.
        run_ms: [u64; 2],
        /// Time of a block, in milliseconds.
        block_ms: u64,
        /// Blocks that are still needed.
        blocks: u32,
        /// The builds' own images are measured as well.
        as_shipped: bool,
    },
    /// Some blocks were measured.
    Blocks {
        /// How many; of a matrix, of the benchmark that has fewest.
        done: u32,
        /// The fewest.
        fewest: u32,
    },
}

/// A budget that cannot hold what is needed.
#[derive(Debug)]
pub struct TooLittle {
    /// All of it, in milliseconds.
    pub(crate) whole_ms: u64,
    /// What is left of it, in milliseconds.
    pub(crate) left_ms: u64,
    /// The budget that would do, in milliseconds.
    pub(crate) asked_ms: Option<u64>,
    /// How far it went.
    pub(crate) stage: Stage,
}

impl std::error::Error for TooLittle {}

impl fmt::Display for TooLittle {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = flag(self.whole_ms);
        let more = match self.asked_ms {
            Some(asked) => format!("--budget {}", flag(rounded_up(asked))),
            None => "a larger --budget".to_owned(),
        };
        match &self.stage {
            Stage::First => write!(
                out,
                "--budget {whole} was spent before the pilot was over: nothing can be \
                 said\n  next: {more}; or give the program less work, so that a run is shorter"
            ),
            Stage::NoBlock {
                run_ms: [shortest, longest],
                block_ms,
                blocks,
                as_shipped,
            } => {
                let run = if words(*shortest) == words(*longest) {
                    words(*longest)
                } else {
                    format!("{} to {}", words(*shortest), words(*longest))
                };
                let fits = match self.left_ms / (*block_ms).max(1) {
                    0 => "none".to_owned(),
                    some => some.to_string(),
                };
                let fewer = if *blocks > FEWEST_BLOCKS {
                    format!(", or allow fewer blocks (--blocks {FEWEST_BLOCKS}..60)")
                } else {
                    String::new()
                };
                let parts = if *as_shipped {
                    "; --skip as-shipped leaves a part out"
                } else {
                    ""
                };
                write!(
                    out,
                    "--budget {whole} does not hold the {blocks} blocks that an interval takes: a \
                     run takes {run}, a block {}, and {} are left after the first runs, which hold \
                     {fits}\n  next: {more}; or give the program less work, or compare fewer \
                     builds at once{fewer}{parts}",
                    words(*block_ms),
                    words(self.left_ms),
                )
            }
            Stage::Blocks { done, fewest } => write!(
                out,
                "--budget {whole} was spent after {done} of the {fewest} blocks that an interval \
                 takes: nothing can be said yet\n  next: the same command with {more} goes on from \
                 there; what was measured is kept"
            ),
        }
    }
}

/// A time as it is typed.
fn flag(ms: u64) -> String {
    let time = humantime::format_duration(Duration::from_millis(ms));
    time.to_string().replace(' ', "")
}

/// A fifth more, as round a number as people would type.
fn rounded_up(ms: u64) -> u64 {
    let seconds = (ms + ms / 5).div_ceil(1000);
    let step = match seconds {
        0..=20 => 1,
        21..=120 => 10,
        121..=3600 => 60,
        _ => 600,
    };
    seconds.div_ceil(step) * step * 1000
}

/// A time for people.
fn words(ms: u64) -> String {
    let seconds = Duration::from_millis(ms).as_secs_f64();
    match ms {
        0..1000 => format!("{ms} ms"),
        1000..10_000 => format!("{seconds:.1} s"),
        10_000..120_000 => format!("{seconds:.0} s"),
        _ => format!("{:.1} min", seconds / 60.0),
    }
}
