//! What gates make of a result.

use proofmark_evidence::Recorded;
use proofmark_evidence::record::{DrawnWork, MarginMisjudged, ShippedApart, Warning};
use proofmark_report::{gate_failed, gate_open, warned};
use proofmark_stats::{Better, Effect, Interval};
use proofmark_terms::BuildIndex;

use crate::arguments::GateArgs;
use crate::console;
use crate::exit::Exit;

/// Judges every comparison by every gate; says which failed. A build of which nobody knows whether
/// it did the work passes none, and none whose images as shipped say something else than layouts.
pub(crate) fn judge(recorded: &Recorded, gates: &GateArgs) -> Exit {
    let better = proofmark_conclude::better(&recorded.experiment.benchmark.metric);
    let mut exit = Exit::Done;
    let warnings = recorded.conclusion.iter();
    let warnings = warnings.flat_map(|conclusion| &conclusion.warnings);
    let misjudged = warnings.clone().find_map(|warning| match warning {
        Warning::MarginMisjudged(of) => Some((warning, of)),
        _ => None,
    });
    let doubts = warnings.filter_map(|warning| Some((warning, next(warning, gates)?)));
    for (doubt, next) in doubts.filter(|_| gates.all().next().is_some()) {
        exit = Exit::Failed;
        console::say(&format!("proofmark: no gate passes: {}", warned(doubt)));
        console::say(&format!("  next: {next}"));
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
        } else if let Some((warning, of)) = misjudged
            && !stands(gates, &comparison.interval, of, better)
        {
            exit = Exit::Failed;
            console::say(&format!("proofmark: no gate passes: {}", warned(warning)));
            let next = match of.sliced {
                true => "measure whole runs in turn, with --schedule interleaved",
                false => "mend what `proofmark doctor` finds, and measure again",
            };
            console::say(&format!("  next: {next}"));
        }
    }
    exit
}

/// Whether every gate passes also where the comparison is as far off as the slowdown that was put
/// into the base.
fn stands(gates: &GateArgs, found: &Interval, of: &MarginMisjudged, better: Better) -> bool {
    let off = (of.interval.estimate.ln() - of.margin.relative().ln_1p()).abs();
    let found = found.widened(off);
    gates.all().all(|gate| gate.passes(&found, better))
}

/// What to do about a warning with which no gate passes.
fn next(warning: &Warning, gates: &GateArgs) -> Option<&'static str> {
    match warning {
        Warning::WorkInDoubt(_) if gates.expect_large => None,
        Warning::WorkInDoubt(_) => {
            Some("look at what it does; if the work was done, --expect-large")
        }
        // What drawn images do as well is placement, and what layouts say stands.
        Warning::ShippedApart(ShippedApart {
            drawn: Some(DrawnWork::Same),
            ..
        }) => None,
        Warning::ShippedApart(ShippedApart {
            drawn:
                Some(
                    DrawnWork::Evened { .. }
                    | DrawnWork::Reordered { .. }
                    | DrawnWork::Spread { .. },
                ),
            ..
        }) => Some("judge builds that keep their own data and order, with --layouts independent"),
        // One of both figures is of another program.
        Warning::ShippedApart(_) | Warning::ReadsItself(_) => {
            Some("judge the files as they are, with --layouts as-shipped")
        }
        _ => of_values(warning),
    }
}

/// The same of a warning about the values themselves.
pub(crate) fn of_values(warning: &Warning) -> Option<&'static str> {
    match warning {
        Warning::WorkInDoubt(_) => Some("let the program print its result, which then shows it"),
        Warning::FewDigits(_) => Some("let the program print more digits, from a finer clock"),
        Warning::SumsApart(_) => {
            Some("let each run do the work many times, so that runs are alike")
        }
        _ => None,
    }
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
        let open = gate.is_open(interval, better);
        if !gate.passes(interval, better) {
            exit = Exit::Failed;
            let said = gate_failed(gate, names, interval, open);
            console::say(&format!("proofmark: {said}"));
        } else if open {
            let said = gate_open(gate, names, interval);
            console::say(&format!("proofmark: {said}"));
        }
    }
    exit
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;
    use proofmark_evidence::record::{FewDigits, ShippedApart};
    use proofmark_stats::Margin;

    use super::*;

    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        gates: GateArgs,
    }

    #[test]
    fn no_gate_passes_where_layouts_and_files_say_different_things() {
        let Line { gates } = Line::parse_from(["compare"]);
        let apart = ShippedApart {
            build: "new".to_owned(),
            shipped: 1.475,
            over_layouts: 0.998,
            explained: Some(0.02),
            drawn: None,
        };
        let apart = |drawn| {
            Warning::ShippedApart(ShippedApart {
                drawn,
                ..apart.clone()
            })
        };
        let other = DrawnWork::Other {
            build: "new".to_owned(),
            shipped: 7_000,
            drawn: 10_000,
        };
        assert_eq!(next(&apart(Some(DrawnWork::Same)), &gates), None);
        for apart in [apart(None), apart(Some(other))] {
            assert!(next(&apart, &gates).is_some_and(|next| next.contains("as-shipped")));
        }
        let few = Warning::FewDigits(FewDigits {
            build: "new".to_owned(),
            beside: "base".to_owned(),
            step: 0.01,
            unseen: 0.17,
        });
        assert!(next(&few, &gates).is_some_and(|next| next.contains("digits")));
        let other = Warning::NotAtOneAddress {
            examples: Vec::new(),
        };
        assert_eq!(next(&other, &gates), None);
    }

    #[test]
    fn what_a_known_slowdown_was_misjudged_by_can_be_the_comparisons_fault_too() {
        let interval = |percent: [f64; 3]| {
            let [low, estimate, high] = percent.map(|one| Effect::from_ratio(1.0 + one / 100.0));
            Interval {
                estimate,
                low,
                high,
            }
        };
        // 1 % was measured as 0.2 %.
        let of = MarginMisjudged {
            margin: Margin::from_relative(0.01).unwrap(),
            interval: interval([0.0, 0.2, 0.4]),
            sliced: true,
        };
        let found = interval([-0.1, 0.2, 0.5]);
        for (gate, stands_too) in [
            ("--require=no-slower:1%", false),
            ("--require=no-slower:2%", true),
            ("--fail-if=slower:1%", true),
        ] {
            let Line { gates } = Line::parse_from(["compare", gate]);
            assert!(gates.all().all(|gate| gate.passes(&found, Better::Lower)));
            assert_eq!(
                stands(&gates, &found, &of, Better::Lower),
                stands_too,
                "{gate}"
            );
        }
    }
}
