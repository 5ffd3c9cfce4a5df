//! The one unit of the debug information that holds an address, found by the first entry of each.
//!
//! To open a unit is to read its abbreviations and the names of its files; doing that for all of them would take longer than all else
//! that is done for one function.

use std::sync::Arc;

use gimli::{
    DebugAbbrev, DebugAbbrevOffset, DebugAranges, DebugInfo, Dwarf, DwarfSections, EndianReader,
    LittleEndian, Reader, Section, Unit, UnitHeader, constants,
};

use super::Bytewise;
use crate::image::Stretch;

/// More attributes than this no unit's first entry has.
const MOST: usize = 256;

/// The debug information of that unit alone; `None` where no unit's first entry says that it holds the address, and where several say so:
/// a linker that dropped a function may leave its unit with a range that begins at 0 and covers live code.
pub(super) fn alone(
    sections: &DwarfSections<Bytewise>,
    dwarf: &Dwarf<Bytewise>,
    address: u64,
) -> Option<Dwarf<Bytewise>> {
    let mut headers = dwarf.units();
    let mut found = None;
    while let Ok(Some(header)) = headers.next() {
        if covers(dwarf, header.clone(), address) == Some(true) && found.replace(header).is_some() {
            return None;
        }
    }
    let header = found?;
    let mut bytes = dwarf.debug_info.reader().clone();
    bytes.skip(header.debug_info_offset()?.0).ok()?;
    bytes.truncate(header.length_including_self()).ok()?;
    let mut alone = sections.borrow(Clone::clone);
    alone.debug_info = DebugInfo::from(bytes);
    // The index counts from where the whole begins.
    alone.debug_aranges = DebugAranges::from(owned(Vec::new()));
    Some(alone)
}

fn covers(dwarf: &Dwarf<Bytewise>, header: UnitHeader<Bytewise>, address: u64) -> Option<bool> {
    let declaration = first_declaration(dwarf, header.debug_abbrev_offset())?;
    let abbreviations = DebugAbbrev::from(owned(declaration))
        .abbreviations(DebugAbbrevOffset(0))
        .ok()?;
    let unit = Unit::new_with_abbreviations(dwarf, header, Arc::new(abbreviations)).ok()?;
    let mut ranges = dwarf.unit_ranges(&unit).ok()?;
    while let Some(range) = ranges.next().ok()? {
        if (range.begin..range.end).contains(&address) {
            return Some(true);
        }
    }
    Some(false)
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
