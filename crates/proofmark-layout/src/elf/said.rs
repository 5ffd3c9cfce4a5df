//! What a section says, wherever it lies: its bytes with the places of relocations blanked, and
//! what each relocation leads to by name.

use std::collections::HashMap;

use object::LittleEndian as LE;
use object::elf;
use object::read::elf::{Rela, SectionHeader, Sym};

use super::block::Block;
use super::relocatable::{Object, Section};
use crate::name::{constant_name, normalised};

/// Bytes that any relocation of code on the known machines changes at most.
const RELOCATED: usize = 8;

/// Adds to each datum that has bytes in the file what it says.
pub(crate) fn describe_data(
    object: &Object<'_>,
    units: &mut [Section],
) -> Result<(), object::Error> {
    let relocations = Relocations::of(object)?;
    for unit in units {
        if unit.block != Block::Text && !unit.block.is_zeroed() {
            unit.content = Some(relocations.digest(object, unit)?);
        }
    }
    Ok(())
}

/// The relocations of an object, by the section that they change.
pub(crate) struct Relocations<'d>(HashMap<u32, &'d [elf::Rela64<LE>]>);

impl<'d> Relocations<'d> {
    pub(crate) fn of(object: &Object<'d>) -> Result<Relocations<'d>, object::Error> {
        let mut relocations = HashMap::new();
        for header in object.sections.iter() {
            if let Some((rela, _)) = header.rela(LE, object.data)? {
                relocations.insert(header.sh_info(LE), rela);
            }
        }
        Ok(Relocations(relocations))
    }

    /// A digest of what a section of the object says.
    pub(crate) fn digest(
        &self,
        object: &Object<'_>,
        unit: &Section,
    ) -> Result<blake3::Hash, object::Error> {
        let index = object::SectionIndex(unit.index as usize);
        let header = object.sections.section(index)?;
        let mut bytes = header.data(LE, object.data)?.to_vec();
        let mut hasher = blake3::Hasher::new();
        for relocation in self.0.get(&unit.index).copied().unwrap_or_default() {
            let offset = relocation.r_offset(LE);
            if let Ok(at) = usize::try_from(offset) {
                let end = at
                    .saturating_add(width(relocation.r_type(LE, false)))
                    .min(bytes.len());
                bytes.get_mut(at..end).unwrap_or_default().fill(0);
            }
            hasher.update(&offset.to_le_bytes());
            hasher.update(&relocation.r_type(LE, false).0.to_le_bytes());
            target(object, relocation, &mut hasher)?;
        }
        hasher.update(&bytes);
        Ok(hasher.finalize())
    }
}

/// Bytes that a relocation changes. On AArch64 it changes bits of one instruction; on x86-64 all
/// but the 64-bit ones are four bytes.
fn width(kind: elf::RelocationType) -> usize {
    if kind == elf::R_X86_64_64 || kind == elf::R_AARCH64_ABS64 {
        RELOCATED
    } else {
        4
    }
}

/// What a relocation leads to. Behind the symbol of a section stands an offset into an object's
/// data, which changes when anything before it does: it says nothing of this function.
fn target(
    object: &Object<'_>,
    relocation: &elf::Rela64<LE>,
    hasher: &mut blake3::Hasher,
) -> Result<(), object::Error> {
    let Some(index) = relocation.symbol(LE, false) else {
        return Ok(());
    };
    let symbol = object.symbols.symbol(index)?;
    if symbol.st_type() == elf::STT_SECTION {
        let section = symbol.st_shndx(LE).index().map_or(0, usize::from);
        let header = object.sections.section(object::SectionIndex(section))?;
        let name = object.sections.section_name(LE, header)?;
        let name = String::from_utf8_lossy(name);
        let lasting = constant_name(&name);
        hasher.update(normalised(lasting).as_bytes());
        // A constant in a section of its own is known by what it says: its name is a number.
        if lasting != name && header.sh_type(LE) == elf::SHT_PROGBITS {
            hasher.update(header.data(LE, object.data)?);
            hasher.update(&relocation.r_addend(LE).to_le_bytes());
        }
    } else {
        let name = object.symbols.symbol_name(LE, symbol)?;
        // Labels of assemblers are numbered anew in each compilation.
        if !name.starts_with(b".L") {
            hasher.update(&normalise(name));
        }
        hasher.update(&relocation.r_addend(LE).to_le_bytes());
    }
    Ok(())
}

fn normalise(name: &[u8]) -> Vec<u8> {
    normalised(&String::from_utf8_lossy(name))
        .into_owned()
        .into_bytes()
}
