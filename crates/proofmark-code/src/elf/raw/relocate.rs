//! Relocations of an object file carried out on a copy of a section, as a linker would with the
//! made-up addresses.
//!
//! Sources: System V ABI, AMD64 supplement, 4.4.1; ELF for the Arm 64-bit Architecture, 5.7. A
//! relocation of another sort (thread-local storage, for one) leaves its place as the assembler
//! wrote it.

use object::read::{Object, ObjectSection, RelocationTarget};
use object::{LittleEndian, Relocation, RelocationFlags, SectionIndex, elf};

use super::{File, Placement};

/// A compressed section that claims to be larger than this many bytes is left out.
const LARGEST: u64 = 2 << 30;
/// zlib's best ratio is 1032:1, zstd's larger, but not for what a compiler writes.
const RATIO: u64 = 2000;

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

/// Carries one relocation out; `None` where it is of another sort.
pub(in crate::elf) fn carried_out(
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
pub(in crate::elf) struct Places {
    /// S + A.
    target: u64,
    /// G + A.
    slot: u64,
    /// P.
    place: u64,
}

impl Places {
    pub(in crate::elf) fn of(
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
