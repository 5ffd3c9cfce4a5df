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

    /// What the blocks say of each guard, at its largest size, and of each cell: by the interval of
    /// the single benchmark. A cell that is out of it, at whatever size, has broken it. Where the
    /// main baseline is out of it, or has no build, nothing is known.
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
            let built = self.main_is_built();
            let cells = cells.filter(|&cell| !built || cell != main);
            let is_out = |cell| self.is_out_at_a_size(member, cell);
            judged.extend(cells.map(|cell| JudgedGuard {
                member,
                cell,
                holds: match () {
                    () if !built || is_out(main) => Holds::Open,
                    () if is_out(cell) => Holds::No,
                    () => self.holds(guard, member, cell, main),
                },
            }));
        }
        judged
    }

    /// Guards of which blocks are still to tell, with the cells that they are about.
    pub(super) fn open_guards(&self) -> Vec<(MemberIndex, [CellIndex; 2])> {
        let main = self.run.baselines.first().copied();
        let Some(main) = main.filter(|_| self.main_is_built()) else {
            return Vec::new();
        };
        let judged = self.guards().into_iter();
        let open =
            judged.filter(|one| one.holds == Holds::Open && self.meet(one.member, one.cell, main));
        open.map(|one| (one.member, [one.cell, main])).collect()
    }

    /// Whether the first of the baselines is the main one.
    fn main_is_built(&self) -> bool {
        !self.asked.unbuilt.iter().any(|cell| cell.main)
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
