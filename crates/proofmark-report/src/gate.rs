//! A gate that failed, in words.

use proofmark_stats::{Gate, Interval};

use crate::number::interval;
use crate::text::untied;

/// Which gate failed, and the interval that failed it: of these two, new and base.
#[must_use]
pub fn gate_failed(gate: &Gate, [new, base]: [&str; 2], of: &Interval) -> String {
    let interval = untied(&interval(of));
    format!("{gate} failed: {new}/{base} is {interval}")
}

#[cfg(test)]
mod tests {
    use proofmark_stats::{Effect, GateKind};

    use super::*;

    #[test]
    fn a_failure_names_the_gate_the_builds_and_the_interval() {
        let gate = Gate::parse(GateKind::FailIf, "slower:1%").unwrap();
        let of = Interval {
            estimate: Effect::from_ratio(1.03),
            low: Effect::from_ratio(1.02),
            high: Effect::from_ratio(1.04),
        };
        let said = "--fail-if slower:1% failed: other/main is 1.030 [1.020, 1.040]";
        assert_eq!(gate_failed(&gate, ["other", "main"], &of), said);
    }
}
