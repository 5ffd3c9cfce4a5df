//! Guards: benchmarks that are in no mean, and on which no cell may be worse than the main baseline
//! by more than so much.

use proofmark_evidence::record::{Guard, JudgedGuard};
use proofmark_stats::AtMost;
use proofmark_terms::{CellIndex, Holds, MemberIndex};

use super::sheet::Sheet;

impl Sheet<'_> {
    /// The guard that a benchmark is.
    pub(super) fn guard(&self, member: MemberIndex) -> Option<&Guard> {
        let benchmark = &member.of(&self.run.members)?.benchmark;
        let mut guards = self.asked.guards.iter();
        guards.find(|guard| guard.benchmark == *benchmark)
    }

    /// The guard that a benchmark is at its largest size, where it is judged.
    pub(crate) fn guard_of_suite(&self, member: MemberIndex) -> Option<&Guard> {
        let page = self.page(member).filter(|page| page.in_suite);
        page.and_then(|_| self.guard(member))
    }

    /// What the blocks say of each guard, at its largest size, and of each cell that takes part in
    /// it: by the interval of the single benchmark.
    pub(super) fn guards(&self) -> Vec<JudgedGuard> {
        let Some(main) = self.run.baselines.first().copied() else {
            return Vec::new();
        };
        let mut judged = Vec::new();
        for member in MemberIndex::all(self.run.members.len()) {
            let Some(guard) = self.guard_of_suite(member) else {
                continue;
            };
            let cells = CellIndex::all(self.run.cells.len());
            let cells = cells.filter(|&cell| self.meet(member, cell, main));
            judged.extend(cells.map(|cell| JudgedGuard {
                member,
                cell,
                holds: self.holds(guard, member, cell, main),
            }));
        }
        judged
    }

    fn holds(&self, guard: &Guard, member: MemberIndex, cell: CellIndex, base: CellIndex) -> Holds {
        let rule = self.rule(&self.levels.member, &[member], cell, base);
        let look = rule.look(&self.effects(member, cell, base));
        let judge = AtMost {
            loss: guard.most,
            better: self.better(&[member]),
        };
        look.map_or(Holds::Open, |look| judge.judge(&look.interval))
    }
}
