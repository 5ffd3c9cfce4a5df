//! The one unit of the debug information that holds an address, found by the first entry of each.
//!
//! To open a unit is to read its abbreviations and the names of its files; doing that for all of them would take longer than all else
//! that is done for one function.

use std::ops::Range;
use std::sync::Arc;

use gimli::{
    DebugAbbrev, DebugAbbrevOffset, DebugAranges, DebugInfo, Dwarf, DwarfSections, EndianReader,
    LittleEndian, Reader, Section, Unit, UnitHeader, constants,
};

use super::Bytewise;
use crate::image::Stretch;

/// More attributes than this no unit's first entry has.
const MOST: usize = 256;

/// The debug information of one unit.
pub(super) struct Alone {
    pub(super) dwarf: Dwarf<Bytewise>,
    /// The addresses that it holds and no other unit claims, sorted.
    pub(super) ranges: Vec<Range<u64>>,
}

/// The debug information of that unit alone; `None` where no unit's first entry says that it holds the address, and where several say so:
/// a linker that dropped a function may leave its unit with a range that begins at 0 and covers live code.
pub(super) fn alone(
    sections: &DwarfSections<Bytewise>,
    dwarf: &Dwarf<Bytewise>,
    address: u64,
) -> Option<Alone> {
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
    let mut bytes = dwarf.debug_info.reader().clone();
    bytes.skip(header.debug_info_offset()?.0).ok()?;
    bytes.truncate(header.length_including_self()).ok()?;
    let mut alone = sections.borrow(Clone::clone);
    alone.debug_info = DebugInfo::from(bytes);
    // The index counts from where the whole begins.
    alone.debug_aranges = DebugAranges::from(owned(Vec::new()));
    Some(Alone {
        dwarf: alone,
        ranges: without(merged(own), others),
    })
}

/// Whether the units hold no more ranges of addresses than the debug information has room for: many may name one long list,
/// and whoever opens all of them keeps it for each.
pub(super) fn is_in_proportion(dwarf: &Dwarf<Bytewise>) -> bool {
    each(dwarf, |_, _| {}).is_some()
}

/// Hands out each unit with the ranges of its first entry, none where that cannot be read; `None` when there are more than there
/// is room for.
fn each(
    dwarf: &Dwarf<Bytewise>,
    mut f: impl FnMut(&UnitHeader<Bytewise>, &mut Vec<Range<u64>>),
) -> Option<()> {
    let room = [
        dwarf.debug_info.reader(),
        dwarf.ranges.debug_ranges().reader(),
        dwarf.ranges.debug_rnglists().reader(),
    ];
    let mut left: usize = room.map(Reader::len).iter().sum();
    let mut ranges = Vec::new();
    let mut headers = dwarf.units();
    while let Ok(Some(header)) = headers.next() {
        ranges.clear();
        let read = read(dwarf, header.clone(), &mut ranges, &mut left);
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

/// Reads the ranges of a unit, each taken from `left`.
fn read(
    dwarf: &Dwarf<Bytewise>,
    header: UnitHeader<Bytewise>,
    into: &mut Vec<Range<u64>>,
    left: &mut usize,
) -> Option<()> {
    let declaration = first_declaration(dwarf, header.debug_abbrev_offset())?;
    let abbreviations = DebugAbbrev::from(owned(declaration))
        .abbreviations(DebugAbbrevOffset(0))
        .ok()?;
    let unit = Unit::new_with_abbreviations(dwarf, header, Arc::new(abbreviations)).ok()?;
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

/// The first declaration of a table of abbreviations, which is that of the unit's first entry wherever a compiler wrote it. The
/// attribute that says where the line table is goes by another name in it, so that nobody follows it.
fn first_declaration(dwarf: &Dwarf<Bytewise>, at: DebugAbbrevOffset<usize>) -> Option<Vec<u8>> {
    let mut table = dwarf.debug_abbrev.reader().clone();
    table.skip(at.0).ok()?;
    let mut rest = table.clone();
    let read = |rest: &Bytewise| table.len() - rest.len();
    let mut line_tables = Vec::new();
    // Its number, its tag, and whether it has children.
    rest.read_uleb128().ok()?;
    rest.read_uleb128().ok()?;
    rest.read_u8().ok()?;
    for _ in 0..MOST {
        let name_at = read(&rest);
        let (name, form) = (rest.read_uleb128().ok()?, rest.read_uleb128().ok()?);
        if form == u64::from(constants::DW_FORM_implicit_const.0) {
            rest.read_sleb128().ok()?;
        }
        if name == u64::from(constants::DW_AT_stmt_list.0) {
            line_tables.push(name_at);
        }
        if (name, form) == (0, 0) {
            let mut length = table.clone();
            length.truncate(read(&rest)).ok()?;
            let mut bytes = length.to_slice().ok()?.into_owned();
            for place in line_tables {
                // Both names take one byte; a number written longer than it need be is left as it is.
                if bytes[place] == 0x10 {
                    bytes[place] = 0x01;
                }
            }
            // The end of the table.
            bytes.push(0);
            return Some(bytes);
        }
    }
    None
}

fn owned(bytes: Vec<u8>) -> Bytewise {
    EndianReader::new(Stretch::owned(bytes), LittleEndian)
}
