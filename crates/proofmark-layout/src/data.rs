//! Data kept in step: each unit of data that builds share gets a slot of one size at one distance
//! from the start of its block.
//!
//! Data keeps the build's order; it is enlarged, not moved. What only one build has leaves a gap in
//! the others, which the unit before it takes over.

use std::collections::{HashMap, HashSet};

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

/// How the data of one block is kept in step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slots {
    /// For each build: new size and alignment of its units.
    pub(crate) sizes: Vec<HashMap<u32, (u64, u64)>>,
    /// For each build: bytes left free before its first unit.
    pub(crate) lead: Vec<u64>,
    /// Largest alignment, in bytes.
    pub(crate) alignment: u64,
    /// Rows that several builds have, in another order in one of them: they cannot be kept in step.
    pub(crate) out_of_order: HashSet<usize>,
}

/// Lays out one block; `builds` has each build's units in the order of addresses.
pub(crate) fn slots(builds: &[Vec<Datum>]) -> Slots {
    let mut sequence: Vec<(usize, usize)> = Vec::new();
    let mut strays = HashSet::new();
    for (build, data) in builds.iter().enumerate() {
        weave(&mut sequence, build, data, &mut strays);
    }
    let mut slots = Slots {
        sizes: vec![HashMap::new(); builds.len()],
        lead: vec![0; builds.len()],
        alignment: 1,
        out_of_order: strays.iter().map(|(_, row)| *row).collect(),
    };
    let by_row: Vec<HashMap<usize, Datum>> = builds
        .iter()
        .map(|data| data.iter().map(|datum| (datum.row, *datum)).collect())
        .collect();
    let mut open: Vec<Option<(Datum, u64, u64)>> = vec![None; builds.len()];
    let mut end = 0_u64;
    for (owner, row) in sequence {
        let takes_part = |build: usize| {
            if owner == SHARED {
                !strays.contains(&(build, row))
            } else {
                owner == build
            }
        };
        let present: Vec<Option<Datum>> = by_row
            .iter()
            .enumerate()
            .map(|(build, rows)| rows.get(&row).copied().filter(|_| takes_part(build)))
            .collect();
        let alignment = present
            .iter()
            .flatten()
            .map(|datum| datum.alignment)
            .max()
            .unwrap_or(1);
        let size = present
            .iter()
            .flatten()
            .map(|datum| datum.size)
            .max()
            .unwrap_or(0);
        let start = end.next_multiple_of(alignment);
        slots.alignment = slots.alignment.max(alignment);
        for (build, datum) in present.into_iter().enumerate() {
            let Some(datum) = datum else { continue };
            slots.finish(build, open[build].replace((datum, start, alignment)), start);
        }
        end = start + size;
    }
    for (build, last) in open.into_iter().enumerate() {
        slots.finish(build, last, end);
    }
    slots
}

/// Owner of a row that every build that has it has in the same order.
const SHARED: usize = usize::MAX;

impl Slots {
    /// Ends a build's unit where its next one starts.
    fn finish(&mut self, build: usize, unit: Option<(Datum, u64, u64)>, next: u64) {
        match unit {
            Some((datum, start, alignment)) => {
                self.sizes[build].insert(datum.unit, (next - start, alignment));
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

    fn datum(unit: u32, row: usize, size: u64, alignment: u64) -> Datum {
        Datum {
            unit,
            row,
            size,
            alignment,
        }
    }

    /// Where each row of a build starts when its units are laid one behind the other, as a linker
    /// does.
    fn starts(build: usize, data: &[Datum], slots: &Slots) -> HashMap<usize, u64> {
        let mut at = slots.lead[build];
        let mut starts = HashMap::new();
        for datum in data {
            let (size, alignment) = slots.sizes[build][&datum.unit];
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
        let slots = slots(&[base.to_vec(), new.to_vec()]);
        let (old, new) = (starts(0, &base, &slots), starts(1, &new, &slots));
        for row in [0, 1, 2, usize::MAX] {
            assert_eq!(old[&row], new[&row], "row {row}");
        }
        assert_eq!(slots.lead, [100, 0]);
        assert!(slots.out_of_order.is_empty());
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
            let slots = slots(&builds);
            let starts: Vec<_> = builds.iter().enumerate().map(|(build, data)| starts(build, data, &slots)).collect();
            for row in (0..12).filter(|row| !slots.out_of_order.contains(row)).chain([usize::MAX]) {
                let found: HashSet<u64> = starts.iter().filter_map(|starts| starts.get(&row).copied()).collect();
                prop_assert!(found.len() <= 1, "row {row}: {found:?}");
            }
        }
    }
}
