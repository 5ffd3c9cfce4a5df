//! What a sitting of a study may spend, that goes on block by block and may be taken up again:
//! sweeps, attributions, explanations.

use crate::budget::Budget;
use crate::clock::now_ms;
use crate::error::LabError;
use crate::observer::{Event, Observer};

/// What a sitting may spend.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spending {
    budget_ms: Option<u64>,
    began_ms: u64,
}

impl Spending {
    /// Of a sitting that begins now; without a limit, where there is no budget.
    pub(crate) fn begin(budget_ms: Option<u64>) -> Spending {
        Spending {
            budget_ms,
            began_ms: now_ms(),
        }
    }

    /// When the sitting began, in milliseconds since 1970-01-01 UTC.
    pub(crate) fn began_ms(self) -> u64 {
        self.began_ms
    }

    /// For a study that begins with it.
    pub(crate) fn whole(self) -> Budget {
        Budget::of(self.budget_ms, self.began_ms, 0)
    }

    /// For a study that goes on behind blocks that took so many milliseconds each; says how many
    /// they are.
    pub(crate) fn rest(
        self,
        took_ms: impl ExactSizeIterator<Item = u64>,
        observer: &mut dyn Observer,
    ) -> Budget {
        observer.tell(&Event::Resumed {
            blocks: u32::try_from(took_ms.len()).unwrap_or(u32::MAX),
        });
        Budget::of(self.budget_ms, self.began_ms, took_ms.sum())
    }
}

/// What was interrupted, where the user wants it taken up.
pub(crate) fn unfinished<T, E: Into<LabError>>(
    resume: bool,
    find: impl FnOnce() -> Result<Option<T>, E>,
) -> Result<Option<T>, LabError> {
    if resume {
        find().map_err(Into::into)
    } else {
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observer::Silent;

    #[test]
    fn what_earlier_sittings_spent_is_spent() {
        let spending = Spending::begin(Some(1000));
        let now = spending.began_ms();
        assert_eq!(spending.whole().left_ms(now), Some(1000));
        let took = [300, 400];
        let rest = spending.rest(took.into_iter(), &mut Silent);
        assert_eq!(rest.left_ms(now + 100), Some(200));
        let free = Spending::begin(None);
        assert_eq!(free.rest(took.into_iter(), &mut Silent).left_ms(now), None);
    }
}
