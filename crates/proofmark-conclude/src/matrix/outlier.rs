//! Baselines that are worse than the others of their kind: what "faster" against one of them is
//! then owed to.

use proofmark_evidence::record::{MatrixRun, Outlier, SuiteEffect};
use proofmark_stats::{Better, Margin, median};
use proofmark_terms::{CellIndex, MemberIndex};

/// Fewest others of a kind: of two that differ, neither is the odd one.
const PEERS: usize = 2;

/// Baselines that are worse than more than half of the other cells of their kind, beyond the margin
/// and each by its interval, and better than none. A baseline that is better than its kind is none
/// of them: to beat it says more and not less.
///
/// `better` says which way is an improvement on a suite, by its members.
pub(super) fn outliers(
    run: &MatrixRun,
    suite: &[SuiteEffect],
    margin: Margin,
    better: &dyn Fn(&[MemberIndex]) -> Better,
) -> Vec<Outlier> {
    let found = |&baseline: &CellIndex| {
        let kind = baseline.of(&run.kinds)?;
        let mut peers: Vec<&SuiteEffect> = suite
            .iter()
            .filter(|one| one.baseline == baseline && one.cell != baseline)
            .filter(|one| one.cell.of(&run.kinds) == Some(kind))
            .collect();
        // Who is out of a benchmark is compared on another suite.
        let over = peers.iter().map(|one| &one.over).max_by_key(|o| o.len())?;
        let over = over.clone();
        peers.retain(|one| one.over == over);
        // Each peer ÷ baseline, so that a gain is below one.
        let sign = match better(&over) {
            Better::Lower => 1.0,
            Better::Higher => -1.0,
        };
        let beyond = |one: &&&SuiteEffect| {
            let (low, high) = (one.interval.low.ln() * sign, one.interval.high.ln() * sign);
            low.max(high) < -margin.ln()
        };
        let behind = |one: &&SuiteEffect| {
            let (low, high) = (one.interval.low.ln() * sign, one.interval.high.ln() * sign);
            low.min(high) > margin.ln()
        };
        let faster = peers.iter().filter(beyond).count();
        if peers.len() < PEERS || faster * 2 <= peers.len() || peers.iter().any(behind) {
            return None;
        }
        let logs: Vec<f64> = peers.iter().map(|one| one.interval.estimate.ln()).collect();
        Some(Outlier {
            baseline,
            peers: peers.iter().map(|one| one.cell).collect(),
            ratio: (-median(&logs)?).exp(),
            over,
        })
    };
    run.baselines.iter().filter_map(found).collect()
}

#[cfg(test)]
mod tests {
    use proofmark_stats::{Effect, Interval, Verdict};

    use super::*;

    /// A cell against a baseline: how many times faster, and half the width of its interval.
    fn faster(cell: u32, baseline: u32, factor: f64, half: f64) -> SuiteEffect {
        let [low, estimate, high] =
            [factor + half, factor, factor - half].map(|times| Effect::from_ratio(1.0 / times));
        SuiteEffect {
            cell: CellIndex(cell),
            baseline: CellIndex(baseline),
            over: vec![MemberIndex(0), MemberIndex(1)],
            blocks: 15,
            interval: Interval {
                estimate,
                low,
                high,
            },
            verdict: Verdict::Faster,
            blocks_needed: None,
        }
    }

    fn run(kinds: &[&str], baselines: &[u32]) -> MatrixRun {
        MatrixRun {
            cells: kinds.iter().map(|kind| format!("a {kind}")).collect(),
            kinds: kinds.iter().map(|&kind| kind.to_owned()).collect(),
            baselines: baselines.iter().copied().map(CellIndex).collect(),
            members: Vec::new(),
            proofmark: String::new(),
            began_ms: 0,
        }
    }

    fn found(run: &MatrixRun, suite: &[SuiteEffect], better: Better) -> Vec<(u32, Vec<u32>, f64)> {
        let margin = Margin::from_relative(0.01).unwrap();
        let all = outliers(run, suite, margin, &|_| better);
        all.into_iter()
            .map(|one| {
                let peers = one.peers.iter().map(|peer| peer.0).collect();
                (one.baseline.0, peers, (one.ratio * 100.0).round() / 100.0)
            })
            .collect()
    }

    /// The figures of `cases/cpython`: clang 18, clang 19, clang 19 with the flag, gcc 12, clang
    /// 16, clang 20.
    #[test]
    fn of_cpython_s_baselines_clang_19_is_the_odd_one_and_not_the_fastest() {
        let run = run(
            &["clang", "clang", "clang dup", "gcc", "clang", "clang"],
            &[0, 3, 1],
        );
        let suite = [
            faster(1, 0, 1.0 / 1.11, 0.025),
            faster(2, 0, 0.997, 0.012),
            faster(3, 0, 1.0 / 1.10, 0.01),
            faster(4, 0, 1.0 / 1.01, 0.008),
            faster(5, 0, 1.0, 0.013),
            faster(0, 3, 1.10, 0.01),
            faster(1, 3, 0.993, 0.025),
            faster(2, 3, 1.10, 0.01),
            faster(4, 3, 1.09, 0.01),
            faster(5, 3, 1.10, 0.01),
            faster(0, 1, 1.11, 0.03),
            faster(2, 1, 1.11, 0.02),
            faster(3, 1, 1.007, 0.025),
            faster(4, 1, 1.10, 0.03),
            faster(5, 1, 1.11, 0.03),
        ];
        assert_eq!(
            found(&run, &suite, Better::Lower),
            [(1, vec![0, 4, 5], 1.11)]
        );
    }

    /// The figures of `cases/dispatch`, computed goto: clang 18, gcc 12, gcc 12 with jumps kept
    /// apart, clang 16, 17, 19, 19 with the flag, 20.
    #[test]
    fn of_the_dispatch_s_baselines_clang_19_is_the_odd_one() {
        let kinds = [
            "clang",
            "gcc",
            "gcc apart",
            "clang",
            "clang",
            "clang",
            "clang dup",
            "clang",
        ];
        let mut suite = Vec::new();
        for (cell, factor) in [(1, 0.952), (2, 0.976), (3, 1.005), (4, 1.004), (6, 1.005)] {
            suite.push(faster(cell, 0, factor, 0.015));
        }
        suite.extend([faster(5, 0, 1.0 / 1.11, 0.03), faster(7, 0, 1.0, 0.02)]);
        for (cell, factor) in [(1, 1.06), (2, 1.08), (0, 1.11), (3, 1.12), (4, 1.11)] {
            suite.push(faster(cell, 5, factor, 0.035));
        }
        suite.extend([faster(6, 5, 1.12, 0.03), faster(7, 5, 1.11, 0.03)]);
        for (cell, factor) in [(0, 1.05), (3, 1.05), (4, 1.05), (6, 1.05), (7, 1.05)] {
            suite.push(faster(cell, 1, factor, 0.02));
        }
        assert_eq!(
            found(&run(&kinds, &[0, 1, 5]), &suite, Better::Lower),
            [(5, vec![0, 3, 4, 7], 1.11)]
        );
    }

    #[test]
    fn of_two_that_differ_neither_is_odd_and_a_metric_may_be_better_when_higher() {
        let two = run(&["gcc", "gcc"], &[0, 1]);
        let suite = [faster(1, 0, 1.2, 0.01), faster(0, 1, 0.8, 0.01)];
        assert!(found(&two, &suite, Better::Lower).is_empty());
        let three = run(&["gcc", "gcc", "gcc"], &[0]);
        let suite = [faster(1, 0, 1.2, 0.01), faster(2, 0, 1.2, 0.01)];
        assert_eq!(found(&three, &suite, Better::Lower).len(), 1);
        assert!(found(&three, &suite, Better::Higher).is_empty());
        let lower = [faster(1, 0, 0.8, 0.01), faster(2, 0, 0.8, 0.01)];
        assert!(found(&three, &lower, Better::Lower).is_empty());
        assert_eq!(
            found(&three, &lower, Better::Higher),
            [(0, vec![1, 2], 0.8)]
        );
    }
}
