//! What the blocks of a matrix say so far, and which questions are open.

use std::collections::{BTreeMap, BTreeSet};

use proofmark_evidence::record::{Asked, Block, Claim, Design, Experiment, MatrixRun, Member};
use proofmark_stats::{Better, Rule, geometric_mean};

use super::levels::Levels;
use super::member::MemberUnderWay;
use crate::LabError;
use crate::arms::{main_arm, values};
use crate::conclude::better;

/// The effects of all cells on all benchmarks.
#[derive(Debug)]
pub(super) struct Sheet<'a> {
    pub(super) run: &'a MatrixRun,
    pub(super) asked: &'a Asked,
    pub(super) levels: Levels,
    pub(super) design: Design,
    pages: Vec<Page>,
}

/// One benchmark at one size.
#[derive(Debug)]
struct Page {
    better: Better,
    /// What slicing may have moved each cell by, on the scale of ln(new ÷ base).
    widening: Vec<f64>,
    /// For each cell, by block: the mean over rounds of the logarithm of its value. Differences of these are the effects of blocks.
    logs: Vec<BTreeMap<u32, f64>>,
    out: BTreeSet<u32>,
    /// It stands for its benchmark in the suite: its largest size.
    in_suite: bool,
}

impl<'a> Sheet<'a> {
    pub(super) fn new(
        run: &'a MatrixRun,
        asked: &'a Asked,
        members: &[MemberUnderWay],
    ) -> Result<Self, LabError> {
        let design = members
            .first()
            .map(|member| member.under_way.experiment.design.clone())
            .ok_or_else(|| LabError::Plan("the matrix has no benchmark".to_owned()))?;
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
        };
        for (member, state) in members.iter().enumerate() {
            for block in &state.under_way.blocks {
                sheet.add(member, &state.under_way.experiment, block)?;
            }
        }
        Ok(sheet)
    }

    /// Takes one more block.
    pub(super) fn add(
        &mut self,
        member: usize,
        experiment: &Experiment,
        block: &Block,
    ) -> Result<(), LabError> {
        let Some(page) = self.pages.get_mut(member) else {
            return Ok(());
        };
        for (cell, logs) in (0_u32..).zip(&mut page.logs) {
            let Some(values) = values(block, main_arm(experiment, cell)) else {
                continue;
            };
            if values.is_empty() || values.iter().any(|&v| !(v > 0.0 && v.is_finite())) {
                let index = block.index;
                return Err(LabError::Plan(format!(
                    "block {index} of the evidence holds a value without a logarithm"
                )));
            }
            let mean = values.iter().map(|v| v.ln()).sum::<f64>() / values.len() as f64;
            logs.insert(block.index, mean);
        }
        Ok(())
    }

    /// A cell is out of a benchmark.
    pub(super) fn exclude(&mut self, member: usize, cell: u32) {
        if let Some(page) = self.pages.get_mut(member) {
            page.out.insert(cell);
        }
    }

    /// What the pilot says slicing may have moved.
    pub(super) fn piloted(&mut self, member: usize, state: &MemberUnderWay) {
        if let Some(page) = self.pages.get_mut(member) {
            page.widening = widening(self.run, state);
        }
    }

    /// Whether a cell is out of a benchmark.
    pub(super) fn is_out(&self, member: usize, cell: u32) -> bool {
        let page = self.pages.get(member);
        page.is_none_or(|page| page.out.contains(&cell))
    }

    /// Whether both cells take part in a benchmark.
    pub(super) fn meet(&self, member: usize, new: u32, base: u32) -> bool {
        new != base
            && self
                .pages
                .get(member)
                .is_some_and(|page| !page.out.contains(&new) && !page.out.contains(&base))
    }

    /// The effects of the blocks in which both cells took part, by block.
    pub(super) fn by_block(&self, member: usize, new: u32, base: u32) -> BTreeMap<u32, f64> {
        let logs = |cell: u32| self.pages.get(member)?.logs.get(cell as usize);
        match (self.meet(member, new, base), logs(new), logs(base)) {
            (true, Some(new), Some(base)) => new
                .iter()
                .filter_map(|(block, new)| Some((*block, new - base.get(block)?)))
                .collect(),
            _ => BTreeMap::new(),
        }
    }

    /// The same in the order of the blocks.
    pub(super) fn effects(&self, member: usize, new: u32, base: u32) -> Vec<f64> {
        self.by_block(member, new, base).into_values().collect()
    }

    /// The values of a cell on a benchmark by block, in the metric's unit: geometric means over rounds.
    pub(super) fn levels_of(&self, member: usize, cell: u32) -> BTreeMap<u32, f64> {
        let page = self.pages.get(member);
        let logs = page.and_then(|page| page.logs.get(cell as usize));
        logs.into_iter()
            .flatten()
            .map(|(block, log)| (*block, log.exp()))
            .collect()
    }

    /// The benchmarks over which two cells are compared: each once, where both take part.
    pub(super) fn over(&self, new: u32, base: u32) -> Vec<usize> {
        let mut over = self.about(&[]);
        over.retain(|&member| self.meet(member, new, base));
        over
    }

    /// The benchmarks that something is about, each once, whoever takes part: those that are named, or all.
    pub(super) fn about(&self, named: &[String]) -> Vec<usize> {
        (0..self.pages.len())
            .filter(|&member| {
                let name = &self.run.members[member].benchmark;
                self.pages[member].in_suite && (named.is_empty() || named.contains(name))
            })
            .collect()
    }

    /// The effects on a suite: block by block the mean over the benchmarks, of the blocks that all of them have. A metric of which more is better
    /// counts the other way round when the first benchmark's is one of which less is better.
    pub(super) fn suite(&self, over: &[usize], new: u32, base: u32) -> Vec<f64> {
        let mut each: Vec<BTreeMap<u32, f64>> = over
            .iter()
            .map(|&member| self.by_block(member, new, base))
            .collect();
        let Some(first) = each.first() else {
            return Vec::new();
        };
        let shared: Vec<u32> = first
            .keys()
            .copied()
            .filter(|block| each.iter().all(|effects| effects.contains_key(block)))
            .collect();
        for (effects, member) in each.iter_mut().zip(over) {
            if self.better(&[*member]) != self.better(over) {
                effects.values_mut().for_each(|effect| *effect = -*effect);
            }
        }
        let columns: Vec<Vec<f64>> = each
            .iter()
            .map(|effects| shared.iter().map(|block| effects[block]).collect())
            .collect();
        geometric_mean(&columns).unwrap_or_default()
    }

    /// Which way is an improvement on a suite: that of its first benchmark.
    pub(super) fn better(&self, over: &[usize]) -> Better {
        let first = over.first().and_then(|&member| self.pages.get(member));
        first.map_or(Better::Lower, |page| page.better)
    }

    /// What two cells on a suite are judged by.
    pub(super) fn rule(
        &self,
        looks: &proofmark_stats::Looks,
        over: &[usize],
        new: u32,
        base: u32,
    ) -> Rule {
        let rule = Rule::new(looks.clone(), self.design.margin, self.better(over))
            .widened(self.widening(over, new, base));
        match self.design.precision {
            Some(relative) => rule.precise(relative),
            None => rule,
        }
    }

    /// What slicing may have moved the effect by, at most: the pilot knows it of each cell against the main baseline.
    pub(super) fn widening(&self, over: &[usize], new: u32, base: u32) -> f64 {
        let of = |page: &Page, cell: u32| page.widening.get(cell as usize).copied().unwrap_or(0.0);
        let pages = over.iter().filter_map(|&member| self.pages.get(member));
        let sum: f64 = pages.map(|page| of(page, new) + of(page, base)).sum();
        sum / over.len().max(1) as f64
    }

    /// All pairs of a cell and a baseline.
    pub(super) fn pairs(&self) -> Vec<(u32, u32)> {
        let cells = 0..u32::try_from(self.run.cells.len()).unwrap_or(u32::MAX);
        cells
            .flat_map(|cell| self.run.baselines.iter().map(move |&base| (cell, base)))
            .filter(|(cell, base)| cell != base)
            .collect()
    }

    /// The cells that a claim is held against: every baseline, and the one that it names.
    pub(super) fn held_against(&self, claim: &Claim) -> Vec<u32> {
        let mut all = self.run.baselines.clone();
        all.extend(claim.base.filter(|base| !all.contains(base)));
        all.retain(|&base| base != claim.new);
        all
    }

    /// For each benchmark, the cells of its next block: those of which something is open, and with them all baselines. Empty where nothing is.
    ///
    /// A cell stays on every benchmark until its geometric mean is decided too: that is the table, and it needs the same blocks of all.
    pub(super) fn open(&self) -> Vec<BTreeSet<u32>> {
        let mut open = vec![BTreeSet::new(); self.pages.len()];
        let mut note = |members: &[usize], new: u32, base: u32| {
            for &member in members {
                open[member].extend([new, base]);
            }
        };
        for (new, base) in self.pairs() {
            for member in (0..self.pages.len()).filter(|&member| self.meet(member, new, base)) {
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

    fn is_open(&self, looks: &proofmark_stats::Looks, over: &[usize], new: u32, base: u32) -> bool {
        let rule = self.rule(looks, over, new, base);
        !rule
            .look(&self.suite(over, new, base))
            .is_some_and(|look| look.stop)
    }
}

impl Page {
    fn new(run: &MatrixRun, member: &Member, state: &MemberUnderWay) -> Self {
        let value = |member: &Member| member.size.as_ref().map(|size| size.value);
        let largest = run
            .members
            .iter()
            .filter(|other| other.benchmark == member.benchmark)
            .max_by_key(|other| value(other));
        Page {
            better: better(&state.under_way.experiment.benchmark.metric),
            widening: widening(run, state),
            logs: vec![BTreeMap::new(); run.cells.len()],
            out: state.out.keys().copied().collect(),
            in_suite: largest.is_some_and(|largest| largest.size == member.size),
        }
    }
}

/// Members as records name them.
pub(super) fn indices(members: &[usize]) -> Vec<u32> {
    let indices = members.iter().map(|&member| u32::try_from(member));
    indices.filter_map(Result::ok).collect()
}

/// What slicing may have moved each cell by; nothing for the first, against which the pilot held the others.
fn widening(run: &MatrixRun, state: &MemberUnderWay) -> Vec<f64> {
    let shifts = state.under_way.pilot.iter().flat_map(|pilot| &pilot.shifts);
    let mut all: Vec<f64> = std::iter::once(0.0)
        .chain(shifts.map(|shift| shift.widening))
        .collect();
    all.resize(run.cells.len(), 0.0);
    all
}
