//! A gate that failed, in words.

use proofmark_stats::{Gate, Interval};

use crate::number::interval;
use crate::text::untied;

/// Which gate failed, and the interval that failed it.
#[must_use]
pub fn gate_failed(gate: &Gate, of: &Interval) -> String {
    format!("{gate} failed: new/base is {}", untied(&interval(of)))
}

#[cfg(test)]
mod tests {
    use proofmark_stats::{Effect, GateKind};

    use super::*;

    #[test]
    fn a_failure_names_the_gate_and_the_interval() {
        let gate = Gate::parse(GateKind::FailIf, "slower:1%").unwrap();
        let of = Interval {
            estimate: Effect::from_ratio(1.03),
            low: Effect::from_ratio(1.02),
            high: Effect::from_ratio(1.04),
        };
        let said = "--fail-if slower:1% failed: new/base is 1.030 [1.020, 1.040]";
        assert_eq!(gate_failed(&gate, &of), said);
    }
}
