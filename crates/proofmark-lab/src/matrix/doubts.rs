//! Whether the cells of a matrix did the work at all.

use proofmark_conclude::comparisons;
use proofmark_evidence::record::{MatrixConclusion, Warning};
use proofmark_terms::{CellIndex, MemberIndex};

use super::member::MatrixUnderWay;
use crate::experiment::Compared;
use crate::output::Printed;

/// What casts doubt on the work of the cells, benchmark by benchmark, each held against the first
/// baseline that takes part. `printed` is what the runs of each benchmark have to show; empty where
/// none was made.
pub(super) fn doubts_of_members(
    matrix: &MatrixUnderWay,
    conclusion: &MatrixConclusion,
    printed: &[Printed],
) -> Vec<Warning> {
    let several = matrix.members.len() > 1;
    let mut all = Vec::new();
    for ((index, state), printed) in MemberIndex::each(&matrix.members).zip(printed) {
        let takes_part = |cell: &&CellIndex| !state.out.contains_key(&cell.build());
        let base = matrix.run.baselines.iter().find(takes_part);
        let (Some(&base), Some(pilot)) = (base, &state.under_way.pilot) else {
            continue;
        };
        let comparisons = comparisons(conclusion, index, base);
        let name = index.of(&matrix.run.members);
        let compared = Compared {
            experiment: &state.under_way.experiment,
            pilot,
            base: base.build(),
            comparisons: &comparisons,
            benchmark: name
                .map(|member| member.benchmark.as_str())
                .filter(|_| several),
            printed,
        };
        all.extend(compared.doubts());
    }
    all
}
