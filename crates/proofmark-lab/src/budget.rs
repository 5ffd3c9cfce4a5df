//! What may be spent on measuring: a limit by the clock that holds for all that runs, and the words
//! where it cannot hold what is needed.

use std::fmt;
use std::time::Duration;

use proofmark_evidence::record::Design;

use crate::LabError;

/// A limit by the clock; none where nobody set one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Budget {
    limit: Option<Limit>,
}

#[derive(Clone, Copy, Debug)]
struct Limit {
    /// All that may be spent, in milliseconds.
    whole_ms: u64,
    /// Of that, what is left of it when this sitting began.
    sitting_ms: u64,
    /// When this sitting began, in milliseconds since 1970-01-01 UTC.
    began_ms: u64,
}

impl Budget {
    /// No limit.
    pub(crate) const NONE: Budget = Budget { limit: None };

    /// The limit of a design for a sitting that began at `began_ms`, where earlier ones spent
    /// `earlier_ms`.
    pub(crate) fn new(design: &Design, began_ms: u64, earlier_ms: u64) -> Budget {
        let limit = |whole_ms: u64| Limit {
            whole_ms,
            sitting_ms: whole_ms.saturating_sub(earlier_ms),
            began_ms,
        };
        Budget {
            limit: design.budget_ms.map(limit),
        }
    }

    /// Milliseconds that are left; `None` without a limit.
    pub(crate) fn left_ms(&self, now_ms: u64) -> Option<u64> {
        let limit = self.limit?;
        let spent_ms = now_ms.saturating_sub(limit.began_ms);
        Some(limit.sitting_ms.saturating_sub(spent_ms))
    }

    /// Whether nothing is left.
    pub(crate) fn is_spent(&self, now_ms: u64) -> bool {
        self.left_ms(now_ms) == Some(0)
    }

    /// Whether so many milliseconds are left.
    pub(crate) fn holds(&self, now_ms: u64, needed_ms: u64) -> bool {
        self.left_ms(now_ms).is_none_or(|left| left >= needed_ms)
    }

    /// When it ends, in milliseconds since 1970-01-01 UTC.
    pub(crate) fn end_ms(&self) -> Option<u64> {
        let limit = self.limit?;
        Some(limit.began_ms.saturating_add(limit.sitting_ms))
    }

    /// Why nothing can be said within it. `more_ms` is what would have been needed beyond now, as
    /// far as that is known.
    pub(crate) fn refused(&self, now_ms: u64, more_ms: Option<u64>, stage: Stage) -> LabError {
        let whole_ms = self.limit.map_or(0, |limit| limit.whole_ms);
        let left_ms = self.left_ms(now_ms).unwrap_or(0);
        LabError::Budget(Box::new(TooLittle {
            whole_ms,
            left_ms,
            asked_ms: more_ms.map(|more| whole_ms - left_ms.min(whole_ms) + more),
            stage,
        }))
    }

    /// That it was spent before it was known how to measure.
    pub(crate) fn spent_early(&self, now_ms: u64) -> LabError {
        self.refused(now_ms, None, Stage::First)
    }
}

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
    whole_ms: u64,
    left_ms: u64,
    /// The budget that would do.
    asked_ms: Option<u64>,
    stage: Stage,
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
                "--budget {whole} was spent before the pilot was over: nothing can be said\n  next: {more}; or give the program less work, so that a run is shorter"
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
                let parts = if *as_shipped {
                    "; --skip as-shipped leaves a part out"
                } else {
                    ""
                };
                write!(
                    out,
                    "--budget {whole} does not hold the {blocks} blocks that an interval takes: a run takes {run}, a block {}, and {} are left after the first runs, which hold {fits}\n  next: {more}; or give the program less work, compare fewer builds at once, or allow fewer blocks (--blocks 4..60){parts}",
                    words(*block_ms),
                    words(self.left_ms),
                )
            }
            Stage::Blocks { done, fewest } => write!(
                out,
                "--budget {whole} was spent after {done} of the {fewest} blocks that an interval takes: nothing can be said yet\n  next: the same command with {more} goes on from there; what was measured is kept"
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

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(whole_ms: u64, earlier_ms: u64) -> Budget {
        let mut design = crate::power::of_the_shell().design;
        design.budget_ms = Some(whole_ms);
        Budget::new(&design, 5_000, earlier_ms)
    }

    #[test]
    fn time_of_earlier_sittings_is_gone() {
        let budget = budget(10_000, 4_000);
        assert_eq!(budget.left_ms(5_000), Some(6_000));
        assert!(budget.holds(6_000, 5_000) && !budget.holds(6_001, 5_000));
        assert!(!budget.is_spent(10_999) && budget.is_spent(11_000));
        assert_eq!(budget.end_ms(), Some(11_000));
        assert!(!Budget::NONE.is_spent(u64::MAX) && Budget::NONE.holds(u64::MAX, u64::MAX));
    }

    #[test]
    fn a_refusal_says_what_a_run_costs_what_fits_and_what_to_ask_for() {
        let stage = Stage::NoBlock {
            run_ms: [11_000, 22_000],
            block_ms: 132_000,
            blocks: 8,
            as_shipped: true,
        };
        let said = budget(60_000, 0)
            .refused(45_000, Some(8 * 132_000), stage)
            .to_string();
        for part in [
            "--budget 1m ",
            "the 8 blocks",
            "a run takes 11 s to 22 s, a block 2.2 min, and 20 s are left after the first runs, which hold none",
            // 40 s and 17.6 min, and a fifth.
            "--budget 22m;",
            "--blocks 4..60",
            "--skip as-shipped",
        ] {
            assert!(said.contains(part), "{part}: {said}");
        }
        let stage = Stage::Blocks { done: 5, fewest: 8 };
        let said = budget(60_000, 0)
            .refused(65_000, Some(30_000), stage)
            .to_string();
        assert!(said.contains("after 5 of the 8 blocks"), "{said}");
        assert!(said.contains("with --budget 1m50s goes on"), "{said}");
    }
}
