//! Relocations of an object file carried out on a copy of a section, as a linker would with the
//! made-up addresses.
//!
//! Sources: System V ABI, AMD64 supplement, 4.4.1; ELF for the Arm 64-bit Architecture, 5.7. A
//! relocation of another sort (thread-local storage, for one) leaves its place as the assembler
//! wrote it.

use std::collections::HashMap;

use object::read::{Object, ObjectSection, ObjectSymbol, RelocationTarget};
use object::{
    LittleEndian, Relocation, RelocationFlags, SectionIndex, SymbolIndex, SymbolKind, elf,
};

use super::{File, Placement};
use crate::Arch;
use crate::image::{Image, Kind};

/// A compressed section that claims to be larger than this many bytes is left out.
const LARGEST: u64 = 2 << 30;
/// zlib's best ratio is 1032:1, zstd's larger, but not for what a compiler writes.
const RATIO: u64 = 2000;
/// The length of the shortest entry of a relocation, in bytes.
const ENTRY: usize = 16;
/// Names of symbols are never believed to have more than this many times what the file has.
const SHARED: usize = 4;

/// A section's bytes with its relocations carried out; `None` where its bytes are not in the file.
pub(crate) fn relocated(
    file: &File<'_>,
    placement: &Placement,
    index: SectionIndex,
) -> Option<Vec<u8>> {
    let section = file.section_by_index(index).ok()?;
    let mut bytes = contents(&section)?;
    let base = placement.base(index);
    let x86 = file.elf_header().e_machine.get(LittleEndian) == elf::EM_X86_64;
    for (offset, relocation) in section.relocations() {
        let RelocationFlags::Elf { r_type } = relocation.flags() else {
            continue;
        };
        let Some(places) = Places::of(file, placement, &relocation, base.wrapping_add(offset))
        else {
            continue;
        };
        let Ok(at) = usize::try_from(offset) else {
            continue;
        };
        let _ = carried_out(&mut bytes, at, x86, r_type, &places);
    }
    Some(bytes)
}

fn carried_out(
    bytes: &mut [u8],
    at: usize,
    x86: bool,
    kind: elf::RelocationType,
    places: &Places,
) -> Option<()> {
    if x86 {
        x86_64(bytes, at, kind, places)
    } else {
        aarch64(bytes, at, kind, places)
    }
}

/// Places in an object's code that [`relocated`] leaves as they are, in order of address, each with
/// a number for what it is filled with: what `number` makes of the symbol's name, and the distance
/// from it. There are no more than the file has room for, and each symbol's name is read once. What
/// has no name is left out.
pub(crate) fn left_alone(image: &Image, number: impl Fn(&str) -> u64) -> Vec<(u64, u64)> {
    let Some(file) = super::reopen(image).filter(|_| image.kind == Kind::Object) else {
        return Vec::new();
    };
    let Ok(placement) = Placement::of(&file) else {
        return Vec::new();
    };
    let x86 = image.arch == Arch::X86_64;
    let mut named = Named::of(&file, number);
    let mut room = file.data().len() / ENTRY;
    let mut left = Vec::new();
    for section in file.sections() {
        let base = placement.base(section.index());
        let code = image.section_at(base).is_some_and(|s| s.executable);
        for (offset, relocation) in section.relocations().take_while(|_| code) {
            let Some(less) = room.checked_sub(1) else {
                break;
            };
            room = less;
            let place = base.wrapping_add(offset);
            let symbol = symbol_left(&file, &placement, &relocation, place, x86);
            let number = symbol.and_then(|s| named.number(s, relocation.addend().cast_unsigned()));
            left.extend(number.map(|number| (place, number)));
        }
    }
    left.sort_unstable();
    left
}

/// Numbers for places that have a name, or are at some distance from one that has.
struct Named<'a, F> {
    file: &'a File<'a>,
    number: F,
    /// Of symbols seen before; `None` for those without a name.
    numbers: HashMap<usize, Option<u64>>,
    /// So many bytes of names may still be read: many symbols may have one long name.
    left: usize,
    /// Data of threads that have a name: section, offset in it, and the symbol.
    own: Vec<(usize, u64, usize)>,
}

impl<'a, F: Fn(&str) -> u64> Named<'a, F> {
    fn of(file: &'a File<'a>, number: F) -> Self {
        let mut named = Named {
            file,
            number,
            numbers: HashMap::new(),
            left: file.data().len().saturating_mul(SHARED),
            own: Vec::new(),
        };
        for symbol in file.symbols().filter(|s| s.kind() == SymbolKind::Tls) {
            let index = symbol.index().0;
            if let (Some(section), Some(_)) = (symbol.section_index(), named.of_name(index)) {
                named.own.push((section.0, symbol.address(), index));
            }
        }
        named.own.sort_unstable();
        named
    }

    fn number(&mut self, index: SymbolIndex, addend: u64) -> Option<u64> {
        if let Some(number) = self.of_name(index.0) {
            return Some(number.wrapping_add(addend));
        }
        // An anchor of gcc's, or the section itself.
        let symbol = self.file.symbol_by_index(index).ok()?;
        let section = symbol.section_index()?.0;
        let at = symbol.address().wrapping_add(addend);
        let behind = self.own.partition_point(|o| (o.0, o.1) <= (section, at));
        let (_, start, index) = *self.own[..behind].last().filter(|o| o.0 == section)?;
        Some(self.of_name(index)?.wrapping_add(at - start))
    }

    fn of_name(&mut self, index: usize) -> Option<u64> {
        if let Some(number) = self.numbers.get(&index) {
            return *number;
        }
        let symbol = self.file.symbol_by_index(SymbolIndex(index)).ok()?;
        let name = symbol.name().ok().filter(|_| self.left > 0).unwrap_or("");
        self.left = self.left.saturating_sub(name.len());
        let named = is_name(name) && symbol.kind() != SymbolKind::Section;
        let number = named.then(|| (self.number)(name));
        self.numbers.insert(index, number);
        number
    }
}

/// Whether a name is one, and no label by the compiler or mark by the assembler.
fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.starts_with(".L") && !name.starts_with('$')
}

/// The symbol of a relocation that is not carried out.
fn symbol_left(
    file: &File<'_>,
    placement: &Placement,
    relocation: &Relocation,
    place: u64,
    x86: bool,
) -> Option<SymbolIndex> {
    let RelocationFlags::Elf { r_type } = relocation.flags() else {
        return None;
    };
    let RelocationTarget::Symbol(symbol) = relocation.target() else {
        return None;
    };
    // As the linker would: on no bytes of the file.
    let places = Places::of(file, placement, relocation, place);
    let done = places.and_then(|p| carried_out(&mut [0; 8], 0, x86, r_type, &p));
    let none = [elf::R_X86_64_NONE, elf::R_AARCH64_NONE].contains(&r_type);
    (done.is_none() && !none).then_some(symbol)
}

/// The bytes of a section, decompressed where that stays in bounds.
pub(crate) fn contents<'a>(section: &impl ObjectSection<'a>) -> Option<Vec<u8>> {
    let range = section.compressed_file_range().ok()?;
    let bounded = range.uncompressed_size <= LARGEST
        && range.uncompressed_size / RATIO <= range.compressed_size;
    if range.format != object::CompressionFormat::None && !bounded {
        return None;
    }
    section
        .uncompressed_data()
        .ok()
        .map(std::borrow::Cow::into_owned)
}

/// What the formulas of relocations are made of.
struct Places {
    /// S + A.
    target: u64,
    /// G + A.
    slot: u64,
    /// P.
    place: u64,
}

impl Places {
    fn of(
        file: &File<'_>,
        placement: &Placement,
        relocation: &Relocation,
        place: u64,
    ) -> Option<Places> {
        let RelocationTarget::Symbol(symbol) = relocation.target() else {
            return None;
        };
        #[expect(clippy::cast_sign_loss, reason = "addends are added modulo 2^64")]
        let addend = relocation.addend() as u64;
        let target = placement.symbol(file, symbol)?.wrapping_add(addend);
        Some(Places {
            target,
            slot: placement.slot(symbol).wrapping_add(addend),
            place,
        })
    }
}

fn x86_64(bytes: &mut [u8], at: usize, kind: elf::RelocationType, p: &Places) -> Option<()> {
    match kind {
        elf::R_X86_64_64 => put(bytes, at, &p.target.to_le_bytes()),
        elf::R_X86_64_PC64 => put(bytes, at, &p.target.wrapping_sub(p.place).to_le_bytes()),
        elf::R_X86_64_32 | elf::R_X86_64_32S => put32(bytes, at, p.target),
        elf::R_X86_64_PC32 | elf::R_X86_64_PLT32 => {
            put32(bytes, at, p.target.wrapping_sub(p.place))
        }
        elf::R_X86_64_GOTPCREL | elf::R_X86_64_GOTPCRELX | elf::R_X86_64_REX_GOTPCRELX => {
            put32(bytes, at, p.slot.wrapping_sub(p.place))
        }
        _ => None,
    }
}

fn aarch64(bytes: &mut [u8], at: usize, kind: elf::RelocationType, p: &Places) -> Option<()> {
    let distance = p.target.wrapping_sub(p.place);
    match kind {
        elf::R_AARCH64_ABS64 => put(bytes, at, &p.target.to_le_bytes()),
        elf::R_AARCH64_PREL64 => put(bytes, at, &distance.to_le_bytes()),
        elf::R_AARCH64_ABS32 => put32(bytes, at, p.target),
        elf::R_AARCH64_PREL32 | elf::R_AARCH64_PLT32 => put32(bytes, at, distance),
        elf::R_AARCH64_CALL26 | elf::R_AARCH64_JUMP26 => field(bytes, at, distance >> 2, 26, 0),
        elf::R_AARCH64_CONDBR19 | elf::R_AARCH64_LD_PREL_LO19 => {
            field(bytes, at, distance >> 2, 19, 5)
        }
        elf::R_AARCH64_TSTBR14 => field(bytes, at, distance >> 2, 14, 5),
        elf::R_AARCH64_ADR_PREL_LO21 => adr(bytes, at, distance),
        elf::R_AARCH64_ADR_PREL_PG_HI21 | elf::R_AARCH64_ADR_PREL_PG_HI21_NC => {
            adr(bytes, at, pages(p.target, p.place))
        }
        elf::R_AARCH64_ADR_GOT_PAGE => adr(bytes, at, pages(p.slot, p.place)),
        elf::R_AARCH64_ADD_ABS_LO12_NC | elf::R_AARCH64_LDST8_ABS_LO12_NC => {
            field(bytes, at, p.target & 0xfff, 12, 10)
        }
        elf::R_AARCH64_LDST16_ABS_LO12_NC => field(bytes, at, (p.target & 0xfff) >> 1, 12, 10),
        elf::R_AARCH64_LDST32_ABS_LO12_NC => field(bytes, at, (p.target & 0xfff) >> 2, 12, 10),
        elf::R_AARCH64_LDST64_ABS_LO12_NC => field(bytes, at, (p.target & 0xfff) >> 3, 12, 10),
        elf::R_AARCH64_LDST128_ABS_LO12_NC => field(bytes, at, (p.target & 0xfff) >> 4, 12, 10),
        elf::R_AARCH64_LD64_GOT_LO12_NC => field(bytes, at, (p.slot & 0xfff) >> 3, 12, 10),
        _ => None,
    }
}

/// The distance in pages of 4 KiB.
fn pages(target: u64, place: u64) -> u64 {
    (target >> 12).wrapping_sub(place >> 12)
}

fn put(bytes: &mut [u8], at: usize, value: &[u8]) -> Option<()> {
    bytes
        .get_mut(at..at.checked_add(value.len())?)?
        .copy_from_slice(value);
    Some(())
}

fn put32(bytes: &mut [u8], at: usize, value: u64) -> Option<()> {
    put(bytes, at, &value.to_le_bytes()[..4])
}

/// Replaces a bit field of an instruction.
fn field(bytes: &mut [u8], at: usize, value: u64, width: u32, shift: u32) -> Option<()> {
    let word = bytes
        .get(at..at.checked_add(4)?)?
        .try_into()
        .ok()
        .map(u32::from_le_bytes)?;
    let mask = ((1u32 << width) - 1) << shift;
    let low = u32::try_from(value & 0xffff_ffff).ok()?;
    put(
        bytes,
        at,
        &((word & !mask) | ((low << shift) & mask)).to_le_bytes(),
    )
}

/// The split immediate of `adr` and `adrp`.
fn adr(bytes: &mut [u8], at: usize, value: u64) -> Option<()> {
    field(bytes, at, value & 3, 2, 29)?;
    field(bytes, at, value >> 2, 19, 5)
}
