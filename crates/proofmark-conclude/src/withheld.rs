//! Comparisons without a verdict, because drawn images are another program, and those whose layouts
//! do not tell all.

use proofmark_evidence::Recorded;
use proofmark_evidence::record::{Comparison, DrawnWork, ShippedApart, Warning};

/// Whether a comparison has no verdict because drawn images do other work, or nobody knows whether
/// they do.
#[must_use]
pub fn is_withheld(comparison: &Comparison) -> bool {
    let drawn = comparison.drawn.as_ref();
    drawn.is_some_and(|drawn| *drawn != DrawnWork::Same)
}

/// Whether matched layouts leave open what an experiment asks: as shipped a build is further from
/// the base than they explain, by the same work. They take back what a change does to order and to
/// how densely code and data lie; layouts of each build on its own keep it, and tell it from
/// placement.
#[must_use]
pub fn matched_fall_short(recorded: &Recorded) -> bool {
    let warnings = recorded.conclusion.iter().flat_map(|one| &one.warnings);
    let by_same_work = |warning: &Warning| {
        let Warning::ShippedApart(ShippedApart { drawn, .. }) = warning else {
            return false;
        };
        match drawn {
            Some(DrawnWork::Other { .. } | DrawnWork::Unknown { .. }) | None => false,
            Some(_) => true,
        }
    };
    recorded.experiment.layouts.makes_alike() && warnings.into_iter().any(by_same_work)
}
