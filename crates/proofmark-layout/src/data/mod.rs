//! Data kept in step: each unit of data that builds share gets a slot of one size at one distance
//! from the start of its block.
//!
//! Data keeps the build's order; it is enlarged, not moved. What only one build has leaves a gap in
//! the others, which the unit before it takes over. What a seed draws of it is in [`drawn`].

mod drawn;

use std::collections::{HashMap, HashSet};

use drawn::Gaps;
pub(crate) use drawn::{PAGE, lead};

/// A unit of data of one build.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Datum {
    /// The unit's number in its build.
    pub(crate) unit: u32,
    /// The row that it shares with other builds.
    pub(crate) row: usize,
    /// Bytes.
    pub(crate) size: u64,
    /// Bytes; at least 1.
    pub(crate) alignment: u64,
}

/// Where the data of one block goes in one layout.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slots {
    /// For each build: bytes that each of its units takes up, with the gap behind it.
    pub(crate) sizes: Vec<HashMap<u32, u64>>,
    /// For each build: bytes left free before its first unit.
    pub(crate) lead: Vec<u64>,
}

/// The data of one block of all builds side by side.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frame {
    /// In the order of addresses.
    rows: Vec<Row>,
    builds: usize,
    /// Largest alignment, in bytes.
    pub(crate) alignment: u64,
    /// Rows that several builds have, in another order in one of them: they cannot be kept in step.
    pub(crate) out_of_order: HashSet<usize>,
    /// Seeds draw where it goes.
    draws: bool,
}

/// A datum that the builds which take part in it keep at one place.
#[derive(Clone, Debug)]
struct Row {
    row: usize,
    /// Its name, by which gaps are drawn: unique within a block.
    key: String,
    /// The unit of each build that takes part.
    units: Vec<Option<u32>>,
    /// Bytes: those of the largest.
    size: u64,
    /// Bytes: the largest.
    alignment: u64,
}

/// Owner of a row that every build that has it has in the same order.
const SHARED: usize = usize::MAX;

impl Frame {
    /// `builds` has each build's units in the order of addresses.
    pub(crate) fn new(builds: &[Vec<Datum>]) -> Frame {
        let mut sequence: Vec<(usize, usize)> = Vec::new();
        let mut strays = HashSet::new();
        for (build, data) in builds.iter().enumerate() {
            weave(&mut sequence, build, data, &mut strays);
        }
        let by_row: Vec<HashMap<usize, Datum>> = builds
            .iter()
            .map(|data| data.iter().map(|datum| (datum.row, *datum)).collect())
            .collect();
        let takes_part = |build: usize, owner: usize, row: usize| {
            if owner == SHARED {
                !strays.contains(&(build, row))
            } else {
                owner == build
            }
        };
        let row = |(owner, row): (usize, usize)| {
            let present: Vec<Option<Datum>> = by_row
                .iter()
                .enumerate()
                .map(|(build, rows)| {
                    let datum = rows.get(&row).copied();
                    datum.filter(|_| takes_part(build, owner, row))
                })
                .collect();
            let largest = |of: fn(&Datum) -> u64| present.iter().flatten().map(of).max();
            Row {
                row,
                key: String::new(),
                units: present.iter().map(|one| one.map(|one| one.unit)).collect(),
                size: largest(|datum| datum.size).unwrap_or(0),
                alignment: largest(|datum| datum.alignment).unwrap_or(1),
            }
        };
        let rows: Vec<Row> = sequence.into_iter().map(row).collect();
        Frame {
            alignment: rows.iter().map(|row| row.alignment).max().unwrap_or(1),
            rows,
            builds: builds.len(),
            out_of_order: strays.iter().map(|(_, row)| *row).collect(),
            draws: false,
        }
    }

    /// The rows in the order of addresses.
    pub(crate) fn rows(&self) -> Vec<usize> {
        let mut seen = HashSet::new();
        let rows = self.rows.iter().map(|row| row.row);
        rows.filter(|row| seen.insert(*row)).collect()
    }

    /// Lets seeds draw where data goes, by the name of each row.
    pub(crate) fn draw(&mut self, name: impl Fn(usize) -> String) {
        self.draws = true;
        for row in &mut self.rows {
            row.key = name(row.row);
        }
    }

    /// One datum behind the other, as close as alignment lets them stand.
    pub(crate) fn packed(&self) -> Slots {
        self.lay(&Gaps::none(self.rows.len()))
    }

    /// With these gaps.
    fn lay(&self, gaps: &Gaps) -> Slots {
        let mut slots = Slots {
            sizes: vec![HashMap::new(); self.builds],
            lead: vec![0; self.builds],
        };
        let mut open: Vec<Option<(u32, u64)>> = vec![None; self.builds];
        let mut end = gaps.lead;
        for (row, gap) in self.rows.iter().zip(&gaps.before) {
            let start = end.next_multiple_of(row.alignment) + gap;
            for (build, unit) in row.units.iter().enumerate() {
                let Some(unit) = unit else { continue };
                slots.finish(build, open[build].replace((*unit, start)), start);
            }
            end = start + row.size;
        }
        for (build, last) in open.into_iter().enumerate() {
            slots.finish(build, last, end.max(gaps.room));
        }
        slots
    }

    /// For each unit of a build, the alignment of its row, in bytes.
    pub(crate) fn alignments(&self, build: usize) -> impl Iterator<Item = (u32, u64)> {
        let unit = move |row: &Row| row.units[build].map(|unit| (unit, row.alignment));
        self.rows.iter().filter_map(unit)
    }
}

impl Slots {
    /// Ends a build's unit where its next one starts.
    fn finish(&mut self, build: usize, unit: Option<(u32, u64)>, next: u64) {
        match unit {
            Some((unit, start)) => {
                self.sizes[build].insert(unit, next - start);
            }
            None => self.lead[build] = next,
        }
    }
}

/// Adds a build's rows to the sequence: rows in an order that fits stay shared, the others become
/// its own.
fn weave(
    sequence: &mut Vec<(usize, usize)>,
    build: usize,
    data: &[Datum],
    strays: &mut HashSet<(usize, usize)>,
) {
    let place: HashMap<usize, usize> = sequence
        .iter()
        .enumerate()
        .filter(|(_, (owner, _))| *owner == SHARED)
        .map(|(at, (_, row))| (*row, at))
        .collect();
    let shared: Vec<usize> = data
        .iter()
        .filter_map(|datum| place.get(&datum.row).copied())
        .collect();
    let fitting: HashSet<usize> = longest_increasing(&shared).into_iter().collect();
    let mut behind: HashMap<Option<usize>, Vec<(usize, usize)>> = HashMap::new();
    let mut anchor = None;
    for datum in data {
        match place.get(&datum.row) {
            Some(at) if fitting.contains(at) => anchor = Some(*at),
            Some(_) => {
                strays.insert((build, datum.row));
                behind.entry(anchor).or_default().push((build, datum.row));
            }
            None => behind.entry(anchor).or_default().push((SHARED, datum.row)),
        }
    }
    let mut next = behind.remove(&None).unwrap_or_default();
    for (at, entry) in sequence.iter().enumerate() {
        next.push(*entry);
        next.extend(behind.remove(&Some(at)).unwrap_or_default());
    }
    *sequence = next;
}

/// A longest strictly increasing subsequence (patience sorting).
pub(crate) fn longest_increasing(values: &[usize]) -> Vec<usize> {
    let mut tails: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = vec![None; values.len()];
    for (at, value) in values.iter().enumerate() {
        let pile = tails.partition_point(|tail| values[*tail] < *value);
        before[at] = pile.checked_sub(1).map(|pile| tails[pile]);
        if pile == tails.len() {
            tails.push(at);
        } else {
            tails[pile] = at;
        }
    }
    let mut chain = Vec::with_capacity(tails.len());
    let mut at = tails.last().copied();
    while let Some(index) = at {
        chain.push(values[index]);
        at = before[index];
    }
    chain.reverse();
    chain
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    pub(super) fn datum(unit: u32, row: usize, size: u64, alignment: u64) -> Datum {
        Datum {
            unit,
            row,
            size,
            alignment,
        }
    }

    /// Where each row of a build starts when its units are laid one behind the other, as a linker
    /// does.
    pub(super) fn starts(
        build: usize,
        data: &[Datum],
        frame: &Frame,
        slots: &Slots,
    ) -> HashMap<usize, u64> {
        let mut at = slots.lead[build];
        let mut starts = HashMap::new();
        let alignments: HashMap<u32, u64> = frame.alignments(build).collect();
        for datum in data {
            let (size, alignment) = (slots.sizes[build][&datum.unit], alignments[&datum.unit]);
            assert!(size >= datum.size, "a unit is never shortened");
            assert_eq!(alignment % datum.alignment, 0);
            at = at.next_multiple_of(alignment);
            starts.insert(datum.row, at);
            at += size;
        }
        starts.insert(usize::MAX, at);
        starts
    }

    #[test]
    fn a_datum_more_and_a_larger_one_move_nothing_else() {
        let base = [datum(0, 0, 4, 4), datum(1, 1, 8, 8), datum(2, 2, 3, 1)];
        let new = [
            datum(0, 3, 100, 32),
            datum(1, 0, 4, 4),
            datum(2, 1, 24, 8),
            datum(3, 4, 1, 1),
            datum(4, 2, 3, 1),
        ];
        let frame = Frame::new(&[base.to_vec(), new.to_vec()]);
        let slots = frame.packed();
        let (old, new) = (
            starts(0, &base, &frame, &slots),
            starts(1, &new, &frame, &slots),
        );
        for row in [0, 1, 2, usize::MAX] {
            assert_eq!(old[&row], new[&row], "row {row}");
        }
        assert_eq!(slots.lead, [100, 0]);
        assert!(frame.out_of_order.is_empty());
    }

    #[test]
    fn the_longest_run_in_order_is_found() {
        assert_eq!(longest_increasing(&[3, 1, 2, 5, 4]), [1, 2, 4]);
        assert_eq!(longest_increasing(&[]), [0; 0]);
    }

    proptest! {
        #[test]
        fn whatever_the_builds_hold_what_is_in_order_is_in_step(
            builds in prop::collection::vec(prop::collection::vec((0_usize..12, 1_u64..70, 0_u32..7), 0..12), 1..4)
        ) {
            let builds: Vec<Vec<Datum>> = builds.iter().map(|rows| {
                let mut seen = HashSet::new();
                let rows = rows.iter().filter(|(row, ..)| seen.insert(*row));
                rows.zip(0..).map(|((row, size, power), unit)| datum(unit, *row, *size, 1 << power)).collect()
            }).collect();
            let frame = Frame::new(&builds);
            let slots = frame.packed();
            let starts: Vec<_> = builds.iter().enumerate().map(|(build, data)| starts(build, data, &frame, &slots)).collect();
            for row in (0..12).filter(|row| !frame.out_of_order.contains(row)).chain([usize::MAX]) {
                let found: HashSet<u64> = starts.iter().filter_map(|starts| starts.get(&row).copied()).collect();
                prop_assert!(found.len() <= 1, "row {row}: {found:?}");
            }
        }
    }
}
