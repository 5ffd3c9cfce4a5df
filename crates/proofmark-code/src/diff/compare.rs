//! Two images matched function by function.

use std::collections::HashMap;

use rayon::prelude::*;

use super::canonical::canonical;
use super::content::{Fingerprint, fingerprint};
use super::difference::{Difference, Pair};
use super::idle::NoOps;
use super::shifts::Shifts;
use crate::image::{Function, Image};

/// A function with fewer instructions than this is not recognised by content alone: many would look
/// the same.
const SHORTEST: usize = 6;
/// A function renamed changes its callers, whose names may have changed as well: so many times
/// names are looked for.
const ROUNDS: usize = 4;

/// Compares two images of one instruction set; with two, everything counts as removed and added.
#[must_use]
pub fn compare(base: &Image, new: &Image) -> Difference {
    compare_with(base, new, NoOps::Count)
}

/// The same, with or without the no-ops that functions run through.
pub(super) fn compare_with(base: &Image, new: &Image, no_ops: NoOps) -> Difference {
    if base.arch() != new.arch() {
        return Difference {
            removed: (0..base.functions.len()).collect(),
            added: (0..new.functions.len()).collect(),
            ..Difference::default()
        };
    }
    let prints = |image: &Image| -> Vec<Fingerprint> {
        (0..image.functions.len())
            .into_par_iter()
            .with_min_len(16)
            .map(|i| fingerprint(image, i, no_ops))
            .collect()
    };
    let (a, b) = rayon::join(|| prints(base), || prints(new));
    let mut matching = Matching {
        base,
        new,
        a,
        b,
        forward: vec![None; base.functions.len()],
        backward: vec![None; new.functions.len()],
        renamed: vec![false; base.functions.len()],
        shifts: Shifts::default(),
    };
    matching.by_name();
    let groups = matching.nameless();
    matching.learn_shifts();
    for _ in 0..ROUNDS {
        matching.untangle(&groups);
    }
    for _ in 0..ROUNDS {
        if !matching.by_content() {
            break;
        }
    }
    matching.between();
    matching.difference()
}

/// Which function stands for which, as far as is known.
pub(super) struct Matching<'a> {
    pub(super) base: &'a Image,
    pub(super) new: &'a Image,
    pub(super) a: Vec<Fingerprint>,
    pub(super) b: Vec<Fingerprint>,
    pub(super) forward: Vec<Option<usize>>,
    pub(super) backward: Vec<Option<usize>>,
    renamed: Vec<bool>,
    /// How far data moved that has no name.
    pub(super) shifts: Shifts,
}

impl Matching<'_> {
    fn pair(&mut self, base: usize, new: usize) {
        self.forward[base] = Some(new);
        self.backward[new] = Some(base);
    }

    /// Pairs functions of one name; among several of a name, those alike first, then in their
    /// order.
    fn by_name(&mut self) {
        let (base, new) = (self.base, self.new);
        let mut there: HashMap<&str, Vec<usize>> = HashMap::new();
        for (i, function) in new.functions.iter().enumerate() {
            if let Some(name) = function.symbol.as_deref() {
                there.entry(canonical(name)).or_default().push(i);
            }
        }
        let mut here: HashMap<&str, Vec<usize>> = HashMap::new();
        for (i, function) in base.functions.iter().enumerate() {
            if let Some(name) = function.symbol.as_deref() {
                here.entry(canonical(name)).or_default().push(i);
            }
        }
        for (name, mine) in &here {
            let Some(theirs) = there.get(name) else {
                continue;
            };
            if mine.len() > 1 || theirs.len() > 1 {
                self.alike(mine, theirs);
            }
            let left: Vec<usize> = theirs
                .iter()
                .copied()
                .filter(|j| self.backward[*j].is_none())
                .collect();
            let rest = mine
                .iter()
                .copied()
                .filter(|i| self.forward[*i].is_none())
                .collect::<Vec<_>>();
            for (i, j) in rest.into_iter().zip(left) {
                self.pair(i, j);
            }
        }
        self.by_alias();
    }

    /// Among functions of one name, pairs those of one shape.
    fn alike(&mut self, mine: &[usize], theirs: &[usize]) {
        for i in mine {
            let same =
                |j: &&usize| self.backward[**j].is_none() && self.b[**j].shape == self.a[*i].shape;
            if let Some(j) = theirs.iter().find(same).copied() {
                self.pair(*i, j);
            }
        }
    }

    /// A function that goes by another of its names now.
    fn by_alias(&mut self) {
        let (base, new) = (self.base, self.new);
        let mut there: HashMap<&str, usize> = HashMap::new();
        for (j, function) in new.functions.iter().enumerate() {
            if self.backward[j].is_none() {
                there.extend(names(function).map(|name| (name, j)));
            }
        }
        for (i, function) in base.functions.iter().enumerate() {
            if self.forward[i].is_some() {
                continue;
            }
            let found = names(function).find_map(|name| there.get(name)).copied();
            if let Some(j) = found.filter(|j| self.backward[*j].is_none()) {
                self.pair(i, j);
            }
        }
    }

    /// Functions without a name in either image are paired by content, in order of address. What
    /// they call may have no name either, and is left out of it.
    ///
    /// Gives the groups of several that look alike.
    fn nameless(&mut self) -> Vec<(Vec<usize>, Vec<usize>)> {
        let mut there: HashMap<(u64, u64), Vec<usize>> = HashMap::new();
        for (j, function) in self.new.functions.iter().enumerate().rev() {
            if !function.is_named() {
                there
                    .entry((self.b[j].shape, self.b[j].known()))
                    .or_default()
                    .push(j);
            }
        }
        let mut here: HashMap<(u64, u64), Vec<usize>> = HashMap::new();
        for (i, function) in self.base.functions.iter().enumerate() {
            if function.is_named() {
                continue;
            }
            here.entry((self.a[i].shape, self.a[i].known()))
                .or_default()
                .push(i);
        }
        let mut groups = Vec::new();
        for (key, mine) in here {
            let Some(mut theirs) = there.remove(&key) else {
                continue;
            };
            theirs.reverse();
            for (i, j) in mine.iter().zip(&theirs) {
                self.pair(*i, *j);
            }
            if mine.len() > 1 || theirs.len() > 1 {
                groups.push((mine, theirs));
            }
        }
        groups
    }

    /// Among functions that look alike, pairs those that call the same ones, as far as these have
    /// been paired.
    fn untangle(&mut self, groups: &[(Vec<usize>, Vec<usize>)]) {
        for (mine, theirs) in groups {
            let right = |i: &usize| self.forward[*i].is_some_and(|j| self.same_targets(*i, j));
            let (kept, wrong): (Vec<usize>, Vec<usize>) = mine.iter().partition(|i| right(i));
            if wrong.is_empty() {
                continue;
            }
            let taken: Vec<usize> = kept.iter().filter_map(|i| self.forward[*i]).collect();
            let mut free: Vec<usize> = theirs
                .iter()
                .copied()
                .filter(|j| !taken.contains(j))
                .collect();
            for i in &wrong {
                if let Some(j) = self.forward[*i].take() {
                    self.backward[j] = None;
                }
            }
            for i in wrong {
                let at = free
                    .iter()
                    .position(|j| self.same_targets(i, *j))
                    .or((!free.is_empty()).then_some(0));
                if let Some(at) = at {
                    let j = free.remove(at);
                    self.pair(i, j);
                }
            }
        }
    }

    /// Pairs what is left where one content stands in each image exactly once; says whether
    /// anything was found.
    fn by_content(&mut self) -> bool {
        let mut there: HashMap<(u64, usize), Vec<usize>> = HashMap::new();
        for (j, print) in self.b.iter().enumerate() {
            if self.backward[j].is_none() && print.len >= SHORTEST {
                there
                    .entry((print.shape, print.targets.len()))
                    .or_default()
                    .push(j);
            }
        }
        let mut here: HashMap<(u64, usize), Vec<usize>> = HashMap::new();
        for (i, print) in self.a.iter().enumerate() {
            if self.forward[i].is_none() && print.len >= SHORTEST {
                here.entry((print.shape, print.targets.len()))
                    .or_default()
                    .push(i);
            }
        }
        let mut found = Vec::new();
        for (key, mine) in here {
            let Some(theirs) = there.get(&key) else {
                continue;
            };
            for i in &mine {
                let mut fits = theirs.iter().copied().filter(|j| self.same_targets(*i, *j));
                if let (Some(j), None) = (fits.next(), fits.next())
                    && mine
                        .iter()
                        .filter(|other| self.same_targets(**other, j))
                        .count()
                        == 1
                {
                    found.push((*i, j));
                }
            }
        }
        for (i, j) in &found {
            self.renamed[*i] =
                self.base.functions[*i].is_named() || self.new.functions[*j].is_named();
            self.pair(*i, *j);
        }
        !found.is_empty()
    }

    /// Functions without a name that stand between the same two neighbours are taken for the same,
    /// changed.
    fn between(&mut self) {
        let mut i = 0;
        while i < self.forward.len() {
            if self.forward[i].is_some() || self.base.functions[i].is_named() {
                i += 1;
                continue;
            }
            let run = (i..self.forward.len())
                .take_while(|k| self.forward[*k].is_none() && !self.base.functions[*k].is_named())
                .count();
            let start = if i == 0 {
                Some(0)
            } else {
                self.forward[i - 1].map(|j| j + 1)
            };
            if let Some(start) = start {
                let free =
                    |j: &usize| self.backward[*j].is_none() && !self.new.functions[*j].is_named();
                let theirs = (start..self.backward.len()).take_while(free).count();
                if theirs == run {
                    for k in 0..run {
                        self.pair(i + k, start + k);
                    }
                }
            }
            i += run;
        }
    }

    fn difference(&self) -> Difference {
        let mut difference = Difference::default();
        let same: Vec<Option<bool>> = self
            .forward
            .par_iter()
            .enumerate()
            .with_min_len(64)
            .map(|(i, j)| j.map(|j| self.same_content(i, j)))
            .collect();
        for (i, same) in same.into_iter().enumerate() {
            let (Some(new), Some(same)) = (self.forward[i], same) else {
                difference.removed.push(i);
                continue;
            };
            let pair = Pair { base: i, new };
            let place = |image: &Image, f: &Function| {
                (image.shown(f.address()), image.section_of(f).to_string())
            };
            let list = if !same {
                &mut difference.changed
            } else if self.renamed[i] {
                &mut difference.renamed
            } else if place(self.base, &self.base.functions[i])
                == place(self.new, &self.new.functions[new])
            {
                &mut difference.identical
            } else {
                &mut difference.moved
            };
            list.push(pair);
        }
        difference.added = (0..self.backward.len())
            .filter(|j| self.backward[*j].is_none())
            .collect();
        difference
    }
}

fn names(function: &Function) -> impl Iterator<Item = &str> {
    function
        .symbol
        .as_deref()
        .into_iter()
        .chain(function.aliases())
}
