//! The one unit of the debug information that holds an address, found in the index or by the first
//! entry of each.
//!
//! To open a unit is to read its abbreviations and the names of its files; doing that for all of
//! them would take longer than all else that is done for one function.

use std::ops::Range;

use gimli::{DebugAranges, DebugInfo, Dwarf, DwarfSections, Reader, Section, Unit, UnitHeader};

use super::Bytewise;
use super::declaration::{Declaration, declaration, owned};

/// More zeros in a row no index has: the reader of entries may call itself for each one that is all
/// zeros.
const ZEROS: usize = 1 << 12;
/// The declarations of all units are read as if they were at most this many times what there is: in
/// a damaged file, all may name one long table.
const SHARED: usize = 4;

/// The debug information of one unit.
pub(super) struct Alone {
    pub(super) dwarf: Dwarf<Bytewise>,
    /// The addresses that it holds and no other unit claims that was asked, sorted.
    pub(super) ranges: Vec<Range<u64>>,
}

/// The debug information of that unit alone; `None` where no unit's first entry says that it holds
/// the address, and where several of those that were asked say so: a linker that dropped a function
/// may leave its unit with a range that begins at 0 and covers live code.
pub(super) fn alone(
    sections: &DwarfSections<Bytewise>,
    dwarf: &Dwarf<Bytewise>,
    address: u64,
) -> Option<Alone> {
    let Claimed {
        header,
        own,
        others,
    } = indexed(dwarf, address).or_else(|| first_entries(dwarf, address))?;
    let declaration = declaration(dwarf, &header, &mut room(dwarf))?;
    let mut bytes = dwarf.debug_info.reader().clone();
    bytes.skip(header.debug_info_offset()?.0).ok()?;
    bytes.truncate(header.length_including_self()).ok()?;
    let mut alone = sections.borrow(Clone::clone);
    alone.debug_info = DebugInfo::from(bytes);
    // The index counts from where the whole begins.
    alone.debug_aranges = DebugAranges::from(owned(Vec::new()));
    // Of its entries nobody needs more than the first, which says where the line table is.
    let (at, declared) = (header.debug_abbrev_offset(), declaration.read()?);
    alone.abbreviations_cache.set::<Bytewise>(at, declared);
    Some(Alone {
        dwarf: alone,
        ranges: without(merged(own), others),
    })
}

/// A unit, the addresses that it holds, and those that others do.
struct Claimed {
    header: UnitHeader<Bytewise>,
    own: Vec<Range<u64>>,
    others: Vec<Range<u64>>,
}

/// The one unit that the index of addresses (`.debug_aranges`; DWARF 5, 6.1.2) gives for one, and
/// whose first entry says the same. gcc writes an index, clang does not unless asked: what units
/// outside of it claim is not asked, nor whether they claim the address.
fn indexed(dwarf: &Dwarf<Bytewise>, address: u64) -> Option<Claimed> {
    let bytes = dwarf.debug_aranges.reader().to_slice().ok()?;
    if bytes.split(|b| *b != 0).any(|zeros| zeros.len() > ZEROS) {
        return None;
    }
    let mut found = None;
    let mut others = Vec::new();
    let mut sets = dwarf.debug_aranges.headers();
    while let Some(set) = sets.next().ok()? {
        let at = set.debug_info_offset();
        let mut entries = set.entries();
        let mut holds = false;
        while let Some(entry) = entries.next().ok()? {
            let range = entry.address()..entry.address().checked_add(entry.length())?;
            holds |= range.contains(&address);
            others.push((at, range));
        }
        if holds && found.replace(at).is_some_and(|before| before != at) {
            return None;
        }
    }
    let found = found?;
    let others = others.into_iter().filter(|(at, _)| *at != found);
    let others = others.map(|(_, range)| range).collect();
    let header = dwarf.debug_info.header_from_offset(found).ok()?;
    let declaration = declaration(dwarf, &header, &mut room(dwarf))?;
    let (mut own, mut left) = (Vec::new(), bounds(dwarf));
    read(dwarf, header.clone(), declaration, &mut own, &mut left)?;
    own.iter().any(|r| r.contains(&address)).then_some(Claimed {
        header,
        own,
        others,
    })
}

/// The one unit whose first entry says that it holds an address.
fn first_entries(dwarf: &Dwarf<Bytewise>, address: u64) -> Option<Claimed> {
    let mut found: Option<(UnitHeader<Bytewise>, Vec<Range<u64>>)> = None;
    let mut others = Vec::new();
    let mut several = false;
    each(dwarf, |header, ranges| {
        if !ranges.iter().any(|r| r.contains(&address)) {
            others.append(ranges);
        } else if found.is_some() {
            several = true;
        } else {
            found = Some((header.clone(), std::mem::take(ranges)));
        }
    })?;
    let (header, own) = found.filter(|_| !several)?;
    Some(Claimed {
        header,
        own,
        others,
    })
}

/// Whether the units hold no more ranges of addresses than the debug information has room for: many
/// may name one long list, and whoever opens all of them keeps it for each.
pub(super) fn is_in_proportion(dwarf: &Dwarf<Bytewise>) -> bool {
    each(dwarf, |_, _| {}).is_some()
}

/// Hands out each unit with the ranges of its first entry, none where that cannot be read; `None`
/// when there are more than there is room for.
fn each(
    dwarf: &Dwarf<Bytewise>,
    mut f: impl FnMut(&UnitHeader<Bytewise>, &mut Vec<Range<u64>>),
) -> Option<()> {
    let mut left = bounds(dwarf);
    let mut declarations_left = room(dwarf);
    let mut ranges = Vec::new();
    let mut headers = dwarf.units();
    while let Ok(Some(header)) = headers.next() {
        ranges.clear();
        let declaration = declaration(dwarf, &header, &mut declarations_left);
        let read = declaration.and_then(|d| read(dwarf, header.clone(), d, &mut ranges, &mut left));
        if left == 0 {
            return None;
        }
        if read.is_none() {
            ranges.clear();
        }
        f(&header, &mut ranges);
    }
    Some(())
}

/// So many ranges there can be at most.
fn bounds(dwarf: &Dwarf<Bytewise>) -> usize {
    let sections = [
        dwarf.debug_info.reader(),
        dwarf.ranges.debug_ranges().reader(),
        dwarf.ranges.debug_rnglists().reader(),
    ];
    sections.map(Reader::len).iter().sum()
}

/// So many bytes of declarations are read on the way to those of the first entries. Units share
/// tables where the compiler made several at once, and their first entries' declaration is then the
/// table's first.
fn room(dwarf: &Dwarf<Bytewise>) -> usize {
    dwarf.debug_abbrev.reader().len().saturating_mul(SHARED)
}

/// Reads the ranges of a unit by its first entry, each taken from `left`.
fn read(
    dwarf: &Dwarf<Bytewise>,
    header: UnitHeader<Bytewise>,
    declaration: Declaration,
    into: &mut Vec<Range<u64>>,
    left: &mut usize,
) -> Option<()> {
    let abbreviations = declaration.without_lines().read()?;
    let unit = Unit::new_with_abbreviations(dwarf, header, abbreviations).ok()?;
    let mut ranges = dwarf.unit_ranges(&unit).ok()?;
    while let Some(range) = ranges.next().ok()? {
        *left = left.checked_sub(1)?;
        into.push(range.begin..range.end);
    }
    Some(())
}

/// In order, those that touch joined.
fn merged(mut ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
    ranges.sort_unstable_by_key(|r| (r.start, r.end));
    ranges.dedup_by(|next, last| {
        let joined = next.start <= last.end;
        if joined {
            last.end = last.end.max(next.end);
        }
        joined
    });
    ranges
}

/// What is left of sorted ranges when others are taken out.
fn without(own: Vec<Range<u64>>, mut others: Vec<Range<u64>>) -> Vec<Range<u64>> {
    let from = own.first().map_or(0, |r| r.start);
    let to = own.last().map_or(0, |r| r.end);
    others.retain(|r| r.start < to && r.end > from);
    let others = merged(others);
    let mut rest = Vec::new();
    for mut range in own {
        let first = others.partition_point(|o| o.end <= range.start);
        for other in others[first..].iter().take_while(|o| o.start < range.end) {
            rest.push(range.start..other.start);
            range.start = other.end;
        }
        rest.push(range);
    }
    rest.retain(|r| !r.is_empty());
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three units that share a table, in which the declaration of their first entries is the
    /// second, as gcc may put it; each holds sixteen bytes. And an index: where a unit begins, and
    /// an address that it holds sixteen bytes at.
    fn three_units(index: &[(u32, u64)]) -> DwarfSections<Bytewise> {
        let base_type = [1, 0x24, 0, 0, 0];
        let compile_unit = [2, 0x11, 0, 0x11, 0x01, 0x12, 0x06, 0, 0];
        let abbreviations = [&base_type[..], &compile_unit, &[0]].concat();
        let unit = |address: u64| {
            let mut unit = vec![20, 0, 0, 0, 4, 0, 0, 0, 0, 0, 8, 2];
            unit.extend(address.to_le_bytes());
            unit.extend(16u32.to_le_bytes());
            unit
        };
        let units = [unit(0x1000), unit(0x1010), unit(0x1020)].concat();
        let set = |(unit, address): &(u32, u64)| {
            let mut set = vec![44, 0, 0, 0, 2, 0];
            set.extend(unit.to_le_bytes());
            set.extend([8, 0, 0, 0, 0, 0]);
            set.extend([*address, 16, 0, 0].map(u64::to_le_bytes).concat());
            set
        };
        let index: Vec<u8> = index.iter().flat_map(set).collect();
        let section = |id| -> Result<Bytewise, gimli::Error> {
            Ok(owned(match id {
                gimli::SectionId::DebugAranges => index.clone(),
                gimli::SectionId::DebugAbbrev => abbreviations.clone(),
                gimli::SectionId::DebugInfo => units.clone(),
                _ => Vec::new(),
            }))
        };
        DwarfSections::load(section).unwrap()
    }

    #[test]
    fn the_index_is_believed_where_the_unit_says_the_same() {
        let claimed = |index: &[(u32, u64)], address| {
            let sections = three_units(index);
            let dwarf = sections.borrow(Clone::clone);
            let by_index = indexed(&dwarf, address).map(|claimed| claimed.own);
            let found = alone(&sections, &dwarf, address).map(|alone| alone.ranges);
            (by_index, found)
        };
        let all = [(0, 0x1000), (24, 0x1010), (48, 0x1020)];
        let only = |range: Range<u64>| Some(Vec::from([range]));
        let second = only(0x1010..0x1020);
        assert_eq!(claimed(&all, 0x1014), (second.clone(), second.clone()));
        // What another unit claims as well is left to whoever asks both.
        let overlapping = [(0, 0x1018), (24, 0x1010)];
        let rest = only(0x1010..0x1018);
        assert_eq!(claimed(&overlapping, 0x1014), (second.clone(), rest));
        // Two claim it; the unit denies it; there is no such unit; nobody claims it: all first
        // entries are asked.
        let twice = [(48, 0x1010), (24, 0x1010)];
        let denied = [(0, 0x1010)];
        let nowhere = [(23, 0x1010)];
        for index in [&twice[..], &denied, &nowhere, &all[..1], &[]] {
            assert_eq!(claimed(index, 0x1014), (None, second.clone()), "{index:?}");
        }
        assert_eq!(claimed(&all, 0x1030), (None, None));
    }

    #[test]
    fn a_unit_is_found_wherever_its_declaration_stands() {
        let sections = three_units(&[]);
        let dwarf = sections.borrow(Clone::clone);
        let found = alone(&sections, &dwarf, 0x1014).unwrap();
        assert_eq!(found.ranges.first(), Some(&(0x1010..0x1020)));
        assert!(alone(&sections, &dwarf, 0x1030).is_none());
    }

    #[test]
    fn declarations_are_read_only_so_often() {
        let sections = three_units(&[]);
        let dwarf = sections.borrow(Clone::clone);
        let header = dwarf.units().next().unwrap().unwrap();
        let mut left = 20;
        assert!(declaration(&dwarf, &header, &mut left).is_some());
        assert!(declaration(&dwarf, &header, &mut left).is_none());
    }
}
