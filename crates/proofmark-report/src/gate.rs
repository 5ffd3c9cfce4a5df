//! A gate that failed, in words.

use proofmark_stats::{Gate, Interval};

use crate::number::interval;
use crate::text::untied;

/// Which gate failed, and the interval that failed it: of these two, new and base.
#[must_use]
pub fn gate_failed(gate: &Gate, [new, base]: [&str; 2], of: &Interval, open: bool) -> String {
    let interval = untied(&interval(of));
    let open = if open {
        format!(", which does not decide it\n  {NEXT}")
    } else {
        String::new()
    };
    format!("{gate} failed: {new}/{base} is {interval}{open}")
}

/// `--fail-if slower:5% passes undecided: new/base is 1.07 [1.01, 1.14]`: nobody knows yet.
#[must_use]
pub fn gate_open(gate: &Gate, [new, base]: [&str; 2], of: &Interval) -> String {
    let interval = untied(&interval(of));
    format!("{gate} passes undecided: {new}/{base} is {interval}\n  {NEXT}")
}

const NEXT: &str = "next: decide it with more blocks (--blocks, --budget), or on a quieter machine";

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
        assert_eq!(gate_failed(&gate, ["other", "main"], &of, false), said);
        let said = gate_open(&gate, ["other", "main"], &of);
        let begins = "--fail-if slower:1% passes undecided: other/main is 1.030 [1.020, 1.040]\n";
        assert!(said.starts_with(begins), "{said}");
    }
}
