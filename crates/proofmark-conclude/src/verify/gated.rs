//! Whether what is said of the cells of a matrix goes together: one that has no build, or whose
//! build fails a gate, is never timed, and one that was timed has passed every gate.

use std::collections::BTreeSet;

use proofmark_evidence::record::{Asked, LedgerBuild};

use super::numbers::{is_private, is_same_text};

/// What cannot be true of cells that were timed; `None` where nothing is.
pub(super) fn contradiction(asked: &Asked, timed: &[String]) -> Option<String> {
    let is = |cell: &str, other: &str| cell == other && !is_private(cell);
    let was_timed = |cell: &str| timed.iter().any(|one| is(one, cell));
    if let Some(unbuilt) = asked.unbuilt.iter().find(|one| was_timed(&one.cell)) {
        return Some(format!("`{}` has no build and was timed", unbuilt.cell));
    }
    let known = |cell: &str| {
        let unbuilt = asked.unbuilt.iter().map(|one| &one.cell);
        (timed.iter().chain(unbuilt)).any(|one| is_same_text(one, cell))
    };
    for found in &asked.gates {
        let (gate, cell) = (&found.gate, &found.cell);
        if !found.passed && was_timed(cell) {
            return Some(format!("`{cell}` fails the gate `{gate}` and was timed"));
        }
        if !known(cell) {
            return Some(format!(
                "the gate `{gate}` is of `{cell}`, which is no cell of it"
            ));
        }
    }
    let gates: BTreeSet<&str> = asked
        .gates
        .iter()
        .map(|found| found.gate.as_str())
        .collect();
    for gate in gates {
        let of_gate = || asked.gates.iter().filter(|found| found.gate == gate);
        for cell in timed {
            if !of_gate().any(|found| is_same_text(&found.cell, cell)) {
                return Some(format!("`{cell}` was timed without the gate `{gate}`"));
            }
            if of_gate().filter(|found| is(&found.cell, cell)).count() > 1 && !is_private(gate) {
                return Some(format!("`{cell}` has the gate `{gate}` twice"));
            }
        }
    }
    None
}

/// Whether a build of a ledger that was timed fails a gate, has another one's, or is said to be
/// none.
pub(super) fn is_contradicted(build: &LedgerBuild) -> bool {
    let mut gates = build.gates.iter();
    build.cell.is_some()
        && (build.why.is_some()
            || gates.any(|found| !found.passed || !is_same_text(&found.cell, &build.name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofmark_evidence::record::{GateFound, Unbuilt};
    use proofmark_terms::CellIndex;

    fn gate(cell: &str, passed: bool) -> GateFound {
        GateFound {
            gate: "tests".to_owned(),
            cell: cell.to_owned(),
            passed,
            said: String::new(),
            differs: Vec::new(),
            flaky: Vec::new(),
        }
    }

    #[test]
    fn a_cell_that_fails_a_gate_is_not_timed() {
        let timed = ["base", "new"].map(str::to_owned);
        let said = |unbuilt: &[&str], gates: &[GateFound]| {
            let unbuilt = unbuilt.iter().map(|cell| Unbuilt {
                cell: (*cell).to_owned(),
                why: "gate `tests` fails".to_owned(),
                baseline: false,
                main: false,
                claims: Vec::new(),
            });
            let asked = Asked {
                unbuilt: unbuilt.collect(),
                gates: gates.to_vec(),
                ..Asked::default()
            };
            contradiction(&asked, &timed).unwrap_or_default()
        };
        let both = [gate("base", true), gate("new", true)];
        let and = |other: GateFound| [&both[..], &[other]].concat();
        assert_eq!(said(&[], &[]), "");
        assert_eq!(said(&["wrong"], &and(gate("wrong", false))), "");
        for (unbuilt, gates, why) in [
            (&["new"][..], both.to_vec(), "`new` has no build"),
            (
                &[],
                vec![gate("base", true), gate("new", false)],
                "`new` fails the gate `tests`",
            ),
            (&[], and(gate("nobody", true)), "is of `nobody`"),
            (&[], vec![gate("base", true)], "`new` was timed without"),
            (
                &[],
                and(gate("new", true)),
                "`new` has the gate `tests` twice",
            ),
        ] {
            let found = said(unbuilt, &gates);
            assert!(found.contains(why), "{why}: {found}");
        }
    }

    #[test]
    fn a_build_of_a_ledger_that_was_timed_has_passed_its_gates() {
        let build = |cell: Option<CellIndex>, gates: &[GateFound]| LedgerBuild {
            name: "idea".to_owned(),
            ideas: vec!["idea".to_owned()],
            cell,
            why: None,
            gates: gates.to_vec(),
            files: Vec::new(),
        };
        let timed = Some(CellIndex(1));
        assert!(!is_contradicted(&build(timed, &[gate("idea", true)])));
        assert!(!is_contradicted(&build(None, &[gate("idea", false)])));
        assert!(is_contradicted(&build(timed, &[gate("idea", false)])));
        assert!(is_contradicted(&build(timed, &[gate("other", true)])));
        let why = Some("does not build".to_owned());
        assert!(is_contradicted(&LedgerBuild {
            why,
            ..build(timed, &[])
        }));
    }
}
