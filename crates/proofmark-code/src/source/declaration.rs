//! How the first entry of a unit is declared: the one declaration of its table of abbreviations
//! that has to be read.

use std::sync::Arc;

use gimli::{
    Abbreviations, DebugAbbrev, DebugAbbrevOffset, Dwarf, EndianReader, EndianSlice, LittleEndian,
    Reader, Section, UnitHeader, constants,
};

use super::Bytewise;
use crate::space::Stretch;

/// More attributes than this no declaration has.
const MOST: usize = 256;

/// One declaration of a table of abbreviations, as a table of its own.
pub(super) struct Declaration {
    bytes: Vec<u8>,
    /// Where in it the attribute is named that says where the line table is.
    lines: Vec<usize>,
}

impl Declaration {
    /// The attribute goes by another name, so that nobody follows it.
    pub(super) fn without_lines(mut self) -> Declaration {
        for place in std::mem::take(&mut self.lines) {
            // Both names take one byte; a number written longer than it need be is left as it is.
            if self.bytes[place] == 0x10 {
                self.bytes[place] = 0x01;
            }
        }
        self
    }

    pub(super) fn read(self) -> Option<Arc<Abbreviations>> {
        let table = DebugAbbrev::from(owned(self.bytes));
        table.abbreviations(DebugAbbrevOffset(0)).ok().map(Arc::new)
    }
}

/// The declaration of a unit's first entry: LLVM writes it first, gcc behind those that more
/// entries have. The bytes that are read on the way to it are taken from `left`; once that is
/// spent, nothing is read any more.
pub(super) fn declaration(
    dwarf: &Dwarf<Bytewise>,
    header: &UnitHeader<Bytewise>,
    left: &mut usize,
) -> Option<Declaration> {
    if *left == 0 {
        return None;
    }
    let mut entry = dwarf.debug_info.reader().clone();
    entry.skip(header.debug_info_offset()?.0).ok()?;
    entry.skip(header.header_size()).ok()?;
    let wanted = entry.read_uleb128().ok().filter(|number| *number != 0)?;
    let tables = dwarf.debug_abbrev.reader().to_slice().ok()?;
    let mut rest = tables.get(header.debug_abbrev_offset().0..)?;
    loop {
        let (number, len, lines) = measure(rest)?;
        let enough = len <= *left;
        *left = left.saturating_sub(len);
        if !enough {
            return None;
        }
        let (bytes, behind) = rest.split_at_checked(len)?;
        if number == wanted {
            // And the end of the table.
            let bytes = [bytes, &[0]].concat();
            return Some(Declaration { bytes, lines });
        }
        rest = behind;
    }
}

/// The number of the declaration that a table begins with, its length, and where in it the
/// attribute is named that says where the line table is; `None` at the table's end.
fn measure(table: &[u8]) -> Option<(u64, usize, Vec<usize>)> {
    let mut rest = EndianSlice::new(table, LittleEndian);
    let mut lines = Vec::new();
    let number = unsigned(&mut rest).filter(|number| *number != 0)?;
    // Its tag, and whether it has children.
    unsigned(&mut rest)?;
    rest.read_u8().ok()?;
    for _ in 0..MOST {
        let name_at = table.len() - rest.len();
        let (name, form) = (unsigned(&mut rest)?, unsigned(&mut rest)?);
        if form == u64::from(constants::DW_FORM_implicit_const.0) {
            rest.read_sleb128().ok()?;
        }
        if name == u64::from(constants::DW_AT_stmt_list.0) {
            lines.push(name_at);
        }
        if (name, form) == (0, 0) {
            return Some((number, table.len() - rest.len(), lines));
        }
    }
    None
}

/// The next number of a table: nearly all take one byte.
fn unsigned(rest: &mut EndianSlice<'_, LittleEndian>) -> Option<u64> {
    if let [byte @ 0..0x80, behind @ ..] = rest.slice() {
        let number = u64::from(*byte);
        *rest = EndianSlice::new(behind, LittleEndian);
        return Some(number);
    }
    rest.read_uleb128().ok()
}

/// Bytes that no file has.
pub(super) fn owned(bytes: Vec<u8>) -> Bytewise {
    EndianReader::new(Stretch::owned(bytes), LittleEndian)
}
