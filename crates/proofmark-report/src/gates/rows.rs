//! What is shown of gates: a line for each gate and build, and what differs below it.

use proofmark_evidence::record::GateFound;

use crate::text::printable;

/// What differs from base in the builds that fail, each in a line.
pub(crate) fn failing(found: &[GateFound]) -> impl Iterator<Item = String> {
    let failing = found.iter().filter(|one| !one.passed);
    failing.flat_map(|one| {
        let of = format!("{}, gate {}", printable(&one.cell), printable(&one.gate));
        differs(one).map(move |line| format!("{of}: {line}"))
    })
}

/// The gates that every one of these cells, which were timed, has passed; nothing where there are
/// none.
pub(crate) fn passed(found: &[GateFound], timed: &[String]) -> Option<String> {
    let by_all = |all: &[GateFound]| {
        let passes = |cell: &String| all.iter().any(|one| one.passed && one.cell == *cell);
        timed.iter().all(passes)
    };
    let gates = by_gate(found).filter(|(_, all)| by_all(all));
    let names: Vec<String> = gates.map(|(gate, _)| printable(gate)).collect();
    let noun = if names.len() == 1 { "gate" } else { "gates" };
    let all = "passed by every build that was timed";
    (!names.is_empty()).then(|| format!("{noun} {all}: {}", names.join(", ")))
}

/// All that was found, by gate: they were run one after another.
pub(super) fn by_gate(found: &[GateFound]) -> impl Iterator<Item = (&str, &[GateFound])> {
    let gates = found.chunk_by(|one, other| one.gate == other.gate);
    gates.filter_map(|all| Some((all.first()?.gate.as_str(), all)))
}

/// What differs from base, each in a line.
pub(super) fn differs(one: &GateFound) -> impl Iterator<Item = String> {
    one.differs.iter().map(|line| printable(line))
}
