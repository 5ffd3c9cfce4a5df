//! What may be spent on measuring: a limit by the clock that holds for all that runs.

use proofmark_evidence::record::Design;

use crate::error::{LabError, Stage, TooLittle};

/// What a verdict waits for may take so long beyond the limit, in milliseconds, and no more than
/// half of the limit: without it all that was measured says nothing.
const BEYOND_MS: u64 = 20_000;

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
        Budget::of(design.budget_ms, began_ms, earlier_ms)
    }

    /// A limit of so many milliseconds, for a sitting that began at `began_ms`, where earlier ones
    /// spent `earlier_ms`.
    pub(crate) fn of(budget_ms: Option<u64>, began_ms: u64, earlier_ms: u64) -> Budget {
        let limit = |whole_ms: u64| Limit {
            whole_ms,
            sitting_ms: whole_ms.saturating_sub(earlier_ms),
            began_ms,
        };
        Budget {
            limit: budget_ms.map(limit),
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

    /// When what is needed for a verdict is given up, in milliseconds since 1970-01-01 UTC: so that
    /// it has its time even where measuring has spent all.
    pub(crate) fn end_for_a_verdict_ms(&self, now_ms: u64) -> Option<u64> {
        let limit = self.limit?;
        let end_ms = self.end_ms()?.max(now_ms);
        Some(end_ms.saturating_add(BEYOND_MS.min(limit.whole_ms / 2)))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(whole_ms: u64, earlier_ms: u64) -> Budget {
        let mut design = crate::shell::of_the_shell(&crate::shell::shell().unwrap()).design;
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
        // What a verdict hangs on has half as long, whenever measuring ends.
        assert_eq!(budget.end_for_a_verdict_ms(5_000), Some(16_000));
        assert_eq!(budget.end_for_a_verdict_ms(12_000), Some(17_000));
        let long = self::budget(600_000, 0);
        assert_eq!(long.end_for_a_verdict_ms(5_000), Some(625_000));
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
