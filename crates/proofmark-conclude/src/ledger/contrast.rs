//! Differences of builds, block by block, and differences of these.

use std::collections::BTreeMap;

use proofmark_evidence::record::{FigureOf, LedgerAsked};
use proofmark_stats::ledger::interaction;
use proofmark_terms::{Better, CellIndex, Holds, MemberIndex};

use crate::matrix::Sheet;

/// One build held against another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    new: CellIndex,
    base: CellIndex,
}

/// What a figure is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Contrast {
    pair: Pair,
    /// What is taken off it: another pair.
    less: Option<Pair>,
}

impl Contrast {
    /// The builds of a figure; `None` where one of them is not there, or there is no such figure.
    pub(super) fn of(figure: FigureOf, asked: &LedgerAsked) -> Option<Contrast> {
        let pair = |new: u32, base: u32| {
            let cell = |place: u32| asked.builds.get(usize::try_from(place).ok()?)?.cell;
            Some(Pair {
                new: cell(new)?,
                base: cell(base)?,
            })
        };
        let alone = |idea: u32| {
            let idea = asked.ideas.get(usize::try_from(idea).ok()?)?;
            pair(idea.with, idea.against)
        };
        let of_stack = |stack: u32| asked.stacks.get(usize::try_from(stack).ok()?);
        let in_stack = |stack: u32, place: u32| {
            let stack = of_stack(stack)?;
            Some((stack, stack.places.get(usize::try_from(place).ok()?)?))
        };
        let left_out = |stack: u32, place: u32| {
            let (stack, place) = in_stack(stack, place)?;
            pair(stack.full, place.without)
        };
        let plain = |pair: Pair| Contrast { pair, less: None };
        match figure {
            FigureOf::Null => pair(1, 0).map(plain),
            FigureOf::Alone { idea } => alone(idea).map(plain),
            FigureOf::Whole { stack } => pair(of_stack(stack)?.full, 0).map(plain),
            FigureOf::Added { stack, place } => {
                let (_, place) = in_stack(stack, place)?;
                pair(place.with, place.below).map(plain)
            }
            FigureOf::LeftOut { stack, place } => left_out(stack, place).map(plain),
            FigureOf::Interaction { stack, place } => {
                let (_, of) = in_stack(stack, place)?;
                // What is left out with it is not among what it makes alone.
                of.gone_too.is_empty().then_some(())?;
                Some(Contrast {
                    pair: left_out(stack, place)?,
                    less: Some(alone(of.idea)?),
                })
            }
        }
    }

    fn pairs(self) -> impl Iterator<Item = Pair> {
        std::iter::once(self.pair).chain(self.less)
    }

    /// What a figure of one build held against another says of a guard that has no figure.
    pub(super) fn without_figure(self, sheet: &Sheet<'_>, guard: MemberIndex) -> Holds {
        let is_out = |cell| sheet.is_out_at_a_size(guard, cell);
        match is_out(self.pair.new) && !is_out(self.pair.base) {
            true => Holds::No,
            false => Holds::Open,
        }
    }

    /// Those of these benchmarks in which all of its builds take part.
    pub(super) fn over(self, sheet: &Sheet<'_>, mut members: Vec<MemberIndex>) -> Vec<MemberIndex> {
        members.retain(|&member| {
            let mut pairs = self.pairs();
            pairs.all(|pair| sheet.meet(member, pair.new, pair.base))
        });
        members
    }

    /// Its values by block, on the scale of ln and this way round.
    pub(super) fn values(self, sheet: &Sheet<'_>, over: &[MemberIndex], way: Better) -> Vec<f64> {
        let of = |pair: Pair| sheet.suite_by_block(over, way, pair.new, pair.base);
        let values: BTreeMap<u32, f64> = match self.less {
            None => of(self.pair),
            Some(less) => interaction(&of(self.pair), &of(less)),
        };
        values.into_values().collect()
    }

    /// What slices and rounding may have done to it: the sum over its pairs.
    pub(super) fn widening(self, sheet: &Sheet<'_>, over: &[MemberIndex], blocks: usize) -> f64 {
        let of = |pair: Pair| {
            let rule = sheet.rule(&sheet.levels.suite, over, pair.new, pair.base);
            rule.widening_after(blocks)
        };
        self.pairs().map(of).sum()
    }
}
