//! What gates make of a result.

use proofmark_evidence::Recorded;
use proofmark_evidence::record::Warning;
use proofmark_report::{gate_failed, warned};
use proofmark_stats::{Better, Effect, Interval};
use proofmark_terms::BuildIndex;

use crate::arguments::GateArgs;
use crate::console;
use crate::exit::Exit;

/// Judges every comparison by every gate; says which failed. A build of which nobody knows whether
/// it did the work passes none.
pub(crate) fn judge(recorded: &Recorded, gates: &GateArgs) -> Exit {
    let better = proofmark_conclude::better(&recorded.experiment.benchmark.metric);
    let mut exit = Exit::Done;
    let doubt = recorded
        .conclusion
        .iter()
        .flat_map(|conclusion| &conclusion.warnings)
        .find(|warning| matches!(warning, Warning::WorkInDoubt(_)));
    if let Some(doubt) = doubt.filter(|_| gates.all().next().is_some() && !gates.expect_large) {
        exit = Exit::Failed;
        let doubt = warned(doubt);
        console::say(&format!("proofmark: no gate passes: {doubt}"));
        console::say("  next: look at what it does; if the work was done, --expect-large");
    }
    let name = |build: BuildIndex| {
        let build = build.of(&recorded.experiment.builds);
        build.map_or("", |build| build.name.as_str())
    };
    let comparisons = recorded.conclusion.iter();
    for comparison in comparisons.flat_map(|conclusion| &conclusion.comparisons) {
        let names = [name(comparison.build), name(BuildIndex::BASE)];
        if of_all(gates, names, &comparison.interval, better) == Exit::Failed {
            exit = Exit::Failed;
        }
    }
    exit
}

/// Judges builds that are one program: their ratio is 1, and needs no measuring.
pub(crate) fn judge_equals(gates: &GateArgs) -> Exit {
    let interval = Interval::exactly(Effect::NONE);
    of_all(gates, ["new", "base"], &interval, Better::Lower)
}

/// Judges the interval of new ÷ base by every gate.
fn of_all(gates: &GateArgs, names: [&str; 2], interval: &Interval, better: Better) -> Exit {
    let mut exit = Exit::Done;
    for gate in gates.all() {
        if !gate.passes(interval, better) {
            exit = Exit::Failed;
            console::say(&format!(
                "proofmark: {}",
                gate_failed(gate, names, interval)
            ));
        }
    }
    exit
}
