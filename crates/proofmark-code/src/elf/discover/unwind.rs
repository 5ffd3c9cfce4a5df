//! Functions without a symbol, from the unwind table: what is left when a file was stripped.

use gimli::{
    BaseAddresses, CallFrameInstruction, CfaRule, CieOrFde, CommonInformationEntry, EhFrame,
    FrameDescriptionEntry, LittleEndian, UnwindContext, UnwindSection,
};
use object::Object;
use object::ObjectSection;

use super::sizes::LONGEST;
use crate::arch::Arch;
use crate::decode::{Finder, Flow};
use crate::elf::raw::File;
use crate::image::{Function, Functions, NEAREST, Origin};
use crate::names::Split;
use crate::space::{Nearby, Space};

/// Room for so many entries is made beforehand.
const ROOM: usize = 1 << 16;
/// What entries have in common takes at most this many times the whole table, read once for each:
/// it is about as long as an entry.
const COMMON: usize = 16;

/// Adds a function for each entry of `.eh_frame` that no symbol covers; where a section of code has
/// neither symbols nor entries, the section itself.
pub(super) fn add(file: &File<'_>, space: &Space, known: Vec<Function>) -> Vec<Function> {
    let mut found = extents(file, space.arch);
    found.sort_unstable();
    found.dedup_by_key(|e| e.start);
    // Both are in order, and so is what becomes of them.
    let mut known = known.into_iter().peekable();
    let mut all = Vec::with_capacity(found.len() + known.len());
    // Where the last few known functions end, as far as anything is looked for that covers an
    // address.
    let mut ends = [0; NEAREST];
    let mut before = 0;
    let mut sections = Nearby::of(&space.sections);
    for Extent { start, len, piece } in found {
        while let Some(function) = known.next_if(|f| f.address < start) {
            ends[before % NEAREST] = function.end();
            before += 1;
            all.push(function);
        }
        if let Some(known) = known.peek_mut().filter(|f| f.address == start) {
            if known.size == 0 {
                known.size = len;
            }
            continue;
        }
        let Some(section) = sections.index_at(start) else {
            continue;
        };
        let place = &space.sections[section];
        if !place.executable || place.stubs || ends.iter().any(|end| start < *end) {
            continue;
        }
        let size = len.min(place.size - (start - place.address));
        let mut function = nameless(start, size, section, Origin::Unwind);
        function.split = piece.then_some(Split::Cold);
        all.push(function);
    }
    all.extend(known);
    let mut known = vec![false; space.sections.len()];
    for function in &all {
        known[function.section as usize] = true;
    }
    let some = all.len();
    for (section, place) in space.sections.iter().enumerate() {
        let code = place.executable && !place.stubs;
        if code && !known[section] {
            all.push(nameless(
                place.address,
                place.size,
                section,
                Origin::Section,
            ));
        }
    }
    if all.len() > some {
        all.sort_by_key(|f| f.address);
    }
    tie(space, all)
}

/// A piece jumps back into the middle of the function that it belongs to. Looked for no further
/// than to where the next function begins: entries of a damaged table may all reach to the end.
fn tie(space: &Space, functions: Vec<Function>) -> Vec<Function> {
    let functions = Functions::new(functions);
    let mut ties = Vec::new();
    let mut finder = Finder::new(space);
    for (i, piece) in functions.iter().enumerate() {
        if !piece.is_stray_piece() {
            continue;
        }
        let start = piece.address;
        let next = functions.get(i + 1).map_or(u64::MAX, |f| f.address);
        let size = piece.size.min(next - start);
        if size > LONGEST {
            continue;
        }
        let parent = finder.find(start, size, |op| {
            if !matches!(op.flow, Flow::Jump | Flow::Conditional) {
                return None;
            }
            let to = functions.at(op.target)?;
            let whole = &functions[to];
            (whole.split.is_none() && whole.address != op.target).then_some(to)
        });
        ties.push((i, parent));
    }
    let mut functions = functions.into_all();
    for (i, parent) in ties {
        functions[i].set_parent(parent);
    }
    functions
}

fn nameless(address: u64, size: u64, section: usize, origin: Origin) -> Function {
    let section = u32::try_from(section).unwrap_or(u32::MAX);
    Function {
        symbol: None,
        aliases: Box::default(),
        address,
        size,
        section,
        origin,
        group: None,
        parent: None,
        split: None,
    }
}

/// An entry of the unwind table.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Extent {
    start: u64,
    len: u64,
    /// It begins with a frame in place: no function does, only the split-off piece of one.
    piece: bool,
}

/// Each entry that can be read; the rest of a damaged table is left. What many entries have in
/// common is read for each of them, and in a damaged table may be as long as the table: all
/// together it is never more than some times that.
fn extents(file: &File<'_>, arch: Arch) -> Vec<Extent> {
    let Some(section) = file.section_by_name(".eh_frame") else {
        return Vec::new();
    };
    let Ok(data) = section.data() else {
        return Vec::new();
    };
    // An entry is about as long as what is kept of it.
    let mut extents = Vec::with_capacity((data.len() / size_of::<Extent>()).min(ROOM));
    let mut bases = BaseAddresses::default().set_eh_frame(section.address());
    if let Some(text) = file.section_by_name(".text") {
        bases = bases.set_text(text.address());
    }
    let table = EhFrame::new(data, LittleEndian);
    let mut entries = table.entries(&bases);
    let mut left = data.len().saturating_mul(COMMON);
    // Nearly all entries of a file have the same in common.
    let mut common = None;
    let mut frames = Frames {
        table: &table,
        bases: &bases,
        context: UnwindContext::new(),
        arch,
        common: None,
    };
    while let Ok(Some(entry)) = entries.next() {
        let CieOrFde::Fde(partial) = entry else {
            continue;
        };
        let fde = partial.parse(|table, bases, at| {
            if let Some((_, common)) = common.as_ref().filter(|(known, _)| *known == at) {
                return Ok(CommonInformationEntry::clone(common));
            }
            let read = table.cie_from_offset(bases, at)?;
            frames.common = None;
            Ok(common.insert((at, read)).1.clone())
        });
        if let Ok(fde) = fde {
            let Some(rest) = left.checked_sub(fde.cie().entry_len()) else {
                break;
            };
            left = rest;
            let piece = frames.begins_inside(&fde);
            extents.push(Extent {
                start: fde.initial_address(),
                len: fde.len(),
                piece,
            });
        }
    }
    extents
}

type Slice<'a> = gimli::EndianSlice<'a, LittleEndian>;

/// What entries say of the stack.
struct Frames<'a> {
    table: &'a EhFrame<Slice<'a>>,
    bases: &'a BaseAddresses,
    context: UnwindContext<usize>,
    arch: Arch,
    /// Whether the stack is that of a function just called by what the entries have in common, once
    /// that is known.
    common: Option<bool>,
}

impl<'a> Frames<'a> {
    /// DWARF's number of the stack pointer (7 is `rsp`, 31 is `sp`), and how far above it the
    /// frame's address is in a function just called.
    fn called(&self) -> (u16, u64) {
        match self.arch {
            Arch::X86_64 => (7, 8),
            Arch::Aarch64 => (31, 0),
        }
    }

    /// Whether the stack at the entry's first instruction is not that of a function just called.
    fn begins_inside(&mut self, fde: &FrameDescriptionEntry<Slice<'a>>) -> bool {
        let (_, distance) = self.called();
        let mut said = None;
        let mut instructions = fde.instructions(self.table, self.bases);
        // To work out the rows of a table takes ten times as long, and most entries say no more
        // than this before the first one.
        loop {
            match instructions.next() {
                Ok(Some(CallFrameInstruction::DefCfaOffset { offset })) => {
                    said = Some(offset);
                }
                Ok(Some(CallFrameInstruction::Offset { .. } | CallFrameInstruction::Nop)) => {}
                Ok(None | Some(CallFrameInstruction::AdvanceLoc { .. })) => break,
                _ => return self.is_called(fde) == Some(false),
            }
        }
        match (self.common, said) {
            (Some(true), Some(by)) => by != distance,
            (Some(called), None) => !called,
            _ => {
                let called = self.is_called(fde);
                if said.is_none() {
                    self.common = called;
                }
                called == Some(false)
            }
        }
    }

    /// Whether the first row of the entry's table is that of a function just called, where that can
    /// be read.
    fn is_called(&mut self, fde: &FrameDescriptionEntry<Slice<'a>>) -> Option<bool> {
        let (pointer, distance) = self.called();
        let mut rows = fde.rows(self.table, self.bases, &mut self.context).ok()?;
        match rows.next_row().ok()??.cfa() {
            CfaRule::RegisterAndOffset { register, offset } => {
                Some(register.0 == pointer && u64::try_from(*offset) == Ok(distance))
            }
            CfaRule::Expression(_) => None,
        }
    }
}
