//! What the blocks of a matrix say so far, and which questions are open.

use std::collections::{BTreeMap, BTreeSet};

use proofmark_evidence::record::{
    ArmRef, Asked, Block, Claim, Design, Experiment, MatrixRun, Pilot, Stop,
};
use proofmark_stats::ledger::Race;
use proofmark_stats::{Better, Rule, geometric_mean};
use proofmark_terms::{CellIndex, MemberIndex};

use super::evidence::MemberEvidence;
use super::levels::Levels;
use super::page::{Cell, Page};
use crate::arms::main_arm;
use crate::error::ConcludeError;
use crate::rule::rule;
use crate::scheme::Scheme;

/// The effects of all cells on all benchmarks.
#[derive(Debug)]
pub struct Sheet<'a> {
    /// What was fixed at the beginning.
    pub run: &'a MatrixRun,
    pub(crate) asked: &'a Asked,
    pub(crate) levels: Levels,
    /// That of all benchmarks.
    pub design: Design,
    pages: Vec<Page>,
    pub(super) race: Option<Race>,
}

/// One of the columns of a cell.
pub(super) type Column = fn(&Cell) -> &BTreeMap<u32, f64>;

impl<'a> Sheet<'a> {
    /// What is recorded so far.
    ///
    /// # Errors
    ///
    /// When a block is damaged, or the design is one for which no interval exists.
    pub fn new(
        run: &'a MatrixRun,
        asked: &'a Asked,
        members: &[MemberEvidence<'_>],
    ) -> Result<Self, ConcludeError> {
        let design = members
            .first()
            .map(|member| member.experiment.design.clone())
            .ok_or_else(|| ConcludeError::Design("the matrix has no benchmark".to_owned()))?;
        let mut sheet = Sheet {
            levels: Levels::new(run, &design, asked)?,
            design,
            pages: run
                .members
                .iter()
                .zip(members)
                .map(|(member, state)| Page::new(run, member, state))
                .collect(),
            run,
            asked,
            race: None,
        };
        let all = sheet.about(&[]);
        sheet.race = Sheet::race_of(asked, &sheet.design, sheet.better(&all))?;
        for (member, state) in MemberIndex::each(members) {
            for block in state.blocks {
                sheet.add(member, state.experiment, block)?;
            }
        }
        Ok(sheet)
    }

    /// Takes one more block.
    ///
    /// # Errors
    ///
    /// When a block is damaged, or the design is one for which no interval exists.
    pub fn add(
        &mut self,
        member: MemberIndex,
        experiment: &Experiment,
        block: &Block,
    ) -> Result<(), ConcludeError> {
        let Some(page) = self.pages.get_mut(member.place()) else {
            return Ok(());
        };
        let Some(way) = page.way else {
            return Err(ConcludeError::Damaged {
                block: block.index,
                why: "has no pilot before it".to_owned(),
            });
        };
        let mains = CellIndex::all(page.cells.len())
            .map(|cell| (cell.place(), main_arm(experiment, cell.build())));
        let present: Vec<(usize, ArmRef)> =
            mains.filter(|(_, arm)| block.arms.contains(arm)).collect();
        let Some(&(_, first)) = present.first() else {
            return Ok(());
        };
        for (place, arm) in present {
            page.cells[place].add(block, way, arm, first)?;
        }
        Ok(())
    }

    /// A cell is out of a benchmark.
    pub fn exclude(&mut self, member: MemberIndex, cell: CellIndex) {
        if let Some(page) = self.pages.get_mut(member.place()) {
            page.out.insert(cell);
        }
    }

    /// How the pilot chose to measure.
    pub fn piloted(&mut self, member: MemberIndex, pilot: &Pilot) {
        if let Some(page) = self.pages.get_mut(member.place()) {
            page.way = Some(Scheme::of(pilot));
        }
    }

    pub(super) fn page(&self, member: MemberIndex) -> Option<&Page> {
        member.of(&self.pages)
    }

    /// Whether a cell is out of a benchmark.
    pub fn is_out(&self, member: MemberIndex, cell: CellIndex) -> bool {
        let page = member.of(&self.pages);
        page.is_none_or(|page| page.out.contains(&cell))
    }

    /// Whether a cell is out of a benchmark at whatever size.
    pub(crate) fn is_out_at_a_size(&self, member: MemberIndex, cell: CellIndex) -> bool {
        let mut sizes = self.at_all_sizes(&[member]).into_iter();
        sizes.any(|size| self.is_out(size, cell))
    }

    /// Whether both cells take part in a benchmark.
    pub fn meet(&self, member: MemberIndex, new: CellIndex, base: CellIndex) -> bool {
        new != base
            && member
                .of(&self.pages)
                .is_some_and(|page| !page.out.contains(&new) && !page.out.contains(&base))
    }

    /// The effects of the blocks in which both cells took part, by block.
    pub(super) fn by_block(
        &self,
        member: MemberIndex,
        new: CellIndex,
        base: CellIndex,
    ) -> BTreeMap<u32, f64> {
        self.difference(|cell| &cell.effect, member, new, base)
    }

    /// What one column has of the blocks in which both cells took part, by block.
    pub(super) fn difference(
        &self,
        column: Column,
        member: MemberIndex,
        new: CellIndex,
        base: CellIndex,
    ) -> BTreeMap<u32, f64> {
        let of = |cell: CellIndex| {
            let page = member.of(&self.pages)?;
            cell.of(&page.cells).map(column)
        };
        match (self.meet(member, new, base), of(new), of(base)) {
            (true, Some(new), Some(base)) => new
                .iter()
                .filter_map(|(block, new)| Some((*block, new - base.get(block)?)))
                .collect(),
            _ => BTreeMap::new(),
        }
    }

    /// The same in the order of the blocks.
    pub fn effects(&self, member: MemberIndex, new: CellIndex, base: CellIndex) -> Vec<f64> {
        self.by_block(member, new, base).into_values().collect()
    }

    /// The values of a cell on a benchmark by block, in the metric's unit: geometric means over
    /// rounds.
    pub(crate) fn levels_of(&self, member: MemberIndex, cell: CellIndex) -> BTreeMap<u32, f64> {
        let page = member.of(&self.pages);
        let cell = page.and_then(|page| cell.of(&page.cells));
        cell.into_iter()
            .flat_map(|cell| &cell.level)
            .map(|(block, log)| (*block, log.exp()))
            .collect()
    }

    /// The benchmarks over which two cells are compared: each once, where both take part at all of
    /// its sizes.
    pub fn over(&self, new: CellIndex, base: CellIndex) -> Vec<MemberIndex> {
        let mut over = self.about(&[]);
        let is_out = |member, cell| self.is_out_at_a_size(member, cell);
        over.retain(|&member| new != base && !is_out(member, new) && !is_out(member, base));
        over
    }

    /// The benchmarks that something is about, each once, whoever takes part: those that are named,
    /// or else all that are no guards. Where all are guards, they are the suite.
    pub fn about(&self, named: &[String]) -> Vec<MemberIndex> {
        let name = |member: MemberIndex| &self.run.members[member.place()].benchmark;
        let once = || {
            let all = MemberIndex::all(self.pages.len());
            all.filter(|&member| self.pages[member.place()].in_suite)
        };
        if !named.is_empty() {
            return once().filter(|&one| named.contains(name(one))).collect();
        }
        let plain: Vec<MemberIndex> = once()
            .filter(|&member| self.guard(member).is_none())
            .collect();
        if plain.is_empty() {
            return once().collect();
        }
        plain
    }

    /// These benchmarks at all of their sizes: what fails at one of them fails on its benchmark.
    pub(crate) fn at_all_sizes(&self, over: &[MemberIndex]) -> Vec<MemberIndex> {
        let name = |member: MemberIndex| &self.run.members[member.place()].benchmark;
        MemberIndex::all(self.pages.len())
            .filter(|&member| over.iter().any(|&other| name(other) == name(member)))
            .collect()
    }

    /// The effects on a suite: block by block the mean over the benchmarks, of the blocks that all
    /// of them have. A metric of which more is better counts the other way round when the first
    /// benchmark's is one of which less is better.
    pub fn suite(&self, over: &[MemberIndex], new: CellIndex, base: CellIndex) -> Vec<f64> {
        self.suite_of(|cell| &cell.effect, over, new, base)
    }

    /// The same by block, and this way round: a metric whose improvement is the other way counts
    /// the other way round.
    pub(crate) fn suite_by_block(
        &self,
        over: &[MemberIndex],
        way: Better,
        new: CellIndex,
        base: CellIndex,
    ) -> BTreeMap<u32, f64> {
        averaged(&self.signed(|cell| &cell.effect, (over, way), new, base))
    }

    pub(super) fn suite_of(
        &self,
        column: Column,
        over: &[MemberIndex],
        new: CellIndex,
        base: CellIndex,
    ) -> Vec<f64> {
        averaged(&self.signed(column, (over, self.better(over)), new, base))
            .into_values()
            .collect()
    }

    /// What one column has on each benchmark, this way round on all of them.
    fn signed(
        &self,
        column: Column,
        (over, way): (&[MemberIndex], Better),
        new: CellIndex,
        base: CellIndex,
    ) -> Vec<BTreeMap<u32, f64>> {
        let mut each: Vec<BTreeMap<u32, f64>> = over
            .iter()
            .map(|&member| self.difference(column, member, new, base))
            .collect();
        for (effects, member) in each.iter_mut().zip(over) {
            if self.better(&[*member]) != way {
                effects.values_mut().for_each(|effect| *effect = -*effect);
            }
        }
        each
    }

    /// Which way is an improvement on a suite: that of its first benchmark.
    pub fn better(&self, over: &[MemberIndex]) -> Better {
        let first = over.first().and_then(|&member| member.of(&self.pages));
        first.map_or(Better::Lower, |page| page.better)
    }

    /// What two cells on a suite are judged by.
    pub fn rule(
        &self,
        looks: &proofmark_stats::Looks,
        over: &[MemberIndex],
        new: CellIndex,
        base: CellIndex,
    ) -> Rule {
        let widening = self.widening(over, new, base);
        rule(looks.clone(), &self.design, self.better(over), widening)
    }

    /// All pairs of a cell and a baseline.
    pub fn pairs(&self) -> Vec<(CellIndex, CellIndex)> {
        CellIndex::all(self.run.cells.len())
            .flat_map(|cell| self.run.baselines.iter().map(move |&base| (cell, base)))
            .filter(|(cell, base)| cell != base)
            .collect()
    }

    /// The cells that a claim is held against: every baseline, and the one that it names.
    pub(crate) fn held_against(&self, claim: &Claim) -> Vec<CellIndex> {
        let mut all = self.run.baselines.clone();
        all.extend(claim.base.filter(|base| !all.contains(base)));
        all.retain(|&base| base != claim.new);
        all
    }

    /// For each benchmark, the cells of its next block: those of which something is open, and with
    /// them all baselines. Empty where nothing is.
    ///
    /// A cell stays on every benchmark until its geometric mean is decided too: that is the table,
    /// and it needs the same blocks of all.
    pub fn open(&self) -> Vec<BTreeSet<CellIndex>> {
        if self.race.is_some() {
            return self.open_race(self.pages.len());
        }
        let mut open = vec![BTreeSet::new(); self.pages.len()];
        let mut note = |members: &[MemberIndex], new: CellIndex, base: CellIndex| {
            for &member in members {
                open[member.place()].extend([new, base]);
            }
        };
        for (new, base) in self.pairs() {
            let members = MemberIndex::all(self.pages.len());
            for member in members.filter(|&member| self.meet(member, new, base)) {
                if self.is_open(&self.levels.member, &[member], new, base) {
                    note(&[member], new, base);
                }
            }
            let over = self.over(new, base);
            if over.len() > 1 && self.is_open(&self.levels.suite, &over, new, base) {
                note(&over, new, base);
            }
        }
        for claim in &self.asked.claims {
            let judged = self.judge(claim);
            for base in judged.open {
                note(&judged.over, claim.new, base);
            }
        }
        for (member, [cell, main]) in self.open_guards() {
            note(&[member], cell, main);
        }
        for (page, open) in self.pages.iter().zip(&mut open) {
            if !open.is_empty() {
                open.extend(
                    self.run
                        .baselines
                        .iter()
                        .filter(|cell| !page.out.contains(cell)),
                );
            }
        }
        open
    }

    /// Why measuring is over where this is open, the budget aside.
    #[must_use]
    pub fn stop(&self, open: &[BTreeSet<CellIndex>]) -> Stop {
        let precise = self.design.precision.is_some();
        match (open.iter().all(BTreeSet::is_empty), precise) {
            (true, true) => Stop::Precise,
            (true, false) => Stop::Decided,
            (false, _) => Stop::Blocks,
        }
    }

    fn is_open(
        &self,
        looks: &proofmark_stats::Looks,
        over: &[MemberIndex],
        new: CellIndex,
        base: CellIndex,
    ) -> bool {
        let rule = self.rule(looks, over, new, base);
        !rule
            .look(&self.suite(over, new, base))
            .is_some_and(|look| look.stop)
    }
}

/// The mean over benchmarks of what each has of a block, for the blocks that all of them have.
pub(super) fn averaged(each: &[BTreeMap<u32, f64>]) -> BTreeMap<u32, f64> {
    let Some(first) = each.first() else {
        return BTreeMap::new();
    };
    let shared: Vec<u32> = first
        .keys()
        .copied()
        .filter(|block| each.iter().all(|values| values.contains_key(block)))
        .collect();
    let columns: Vec<Vec<f64>> = each
        .iter()
        .map(|values| shared.iter().map(|block| values[block]).collect())
        .collect();
    let means = geometric_mean(&columns).unwrap_or_default();
    shared.into_iter().zip(means).collect()
}
