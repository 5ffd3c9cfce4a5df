//! Labels that assembly sets in several sections of one object, and whose addresses it takes from
//! another one: a program may walk from one to the other, as it may between labels of two objects.

use std::collections::{BTreeSet, HashMap};

use object::LittleEndian as LE;
use object::elf;
use object::read::elf::{Rela, SectionHeader, Sym};
use rayon::prelude::*;

use crate::LayoutError;
use crate::elf::block::Block;
use crate::elf::relocatable::Object;
use crate::labels::branches;
use crate::sources::{Part, each_object};
use crate::units::Units;

/// For each object with such labels the units that they are in, in the order of numbers.
pub(super) fn labelled(units: &Units) -> Result<Vec<Vec<u32>>, LayoutError> {
    let found: Vec<Vec<Vec<u32>>> = (units.sources.par_iter())
        .map(|source| {
            let mut found = Vec::new();
            each_object(source, |object, part| {
                let of = of_object(object, part)?;
                found.extend((of.len() > 1).then_some(of));
                Ok(())
            })?;
            Ok(found)
        })
        .collect::<Result<_, LayoutError>>()?;
    Ok(found.into_iter().flatten().collect())
}

fn of_object(object: &Object<'_>, part: &Part) -> Result<Vec<u32>, object::Error> {
    let labels = labels(object, part)?;
    let mut found = BTreeSet::new();
    if labels.len() < 2 {
        return Ok(Vec::new());
    }
    for header in object.sections.iter() {
        let Some((relocations, _)) = header.rela(LE, object.data)? else {
            continue;
        };
        let from = header.sh_info(LE) as usize;
        let of = object.sections.section(object::SectionIndex(from))?;
        let unwinding = object
            .sections
            .section_name(LE, of)?
            .starts_with(b".eh_frame");
        if unwinding || of.sh_flags(LE).0 & elf::SHF_ALLOC.0 == 0 {
            continue;
        }
        let bytes = of.data(LE, object.data)?;
        let in_code = of.sh_flags(LE).0 & elf::SHF_EXECINSTR.0 != 0;
        for relocation in relocations.iter().filter(|one| !branches(one, bytes)) {
            let Some(target) = target(object, relocation, in_code)? else {
                continue;
            };
            if target.0 != from {
                found.extend(labels.get(&target));
            }
        }
    }
    Ok(found.into_iter().collect())
}

/// Where labels of code are, by section and offset, and the unit that each is in.
fn labels(object: &Object<'_>, part: &Part) -> Result<HashMap<(usize, u64), u32>, object::Error> {
    let units: HashMap<usize, u32> = (part.first..)
        .zip(&part.units)
        .filter(|(_, unit)| unit.block == Block::Text)
        .map(|(number, unit)| (unit.index as usize, number))
        .collect();
    let mut found = HashMap::new();
    for symbol in object.symbols.iter() {
        let section = symbol.st_shndx(LE).index().map(usize::from);
        let unit = section.and_then(|section| units.get(&section));
        if symbol.st_type() != elf::STT_NOTYPE || symbol.st_size(LE) != 0 {
            continue;
        }
        let name = object.symbols.symbol_name(LE, symbol)?;
        let of_the_assembler = name.is_empty() || name.starts_with(b".L") || name.starts_with(b"$");
        if let (Some(section), Some(unit), false) = (section, unit, of_the_assembler) {
            found.insert((section, symbol.st_value(LE)), *unit);
        }
    }
    Ok(found)
}

/// The place in this object that a relocation, of code or not, leads to: by section and offset.
fn target(
    object: &Object<'_>,
    relocation: &elf::Rela64<LE>,
    in_code: bool,
) -> Result<Option<(usize, u64)>, object::Error> {
    let Some(index) = relocation.symbol(LE, false) else {
        return Ok(None);
    };
    let symbol = object.symbols.symbol(index)?;
    let Some(section) = symbol.st_shndx(LE).index().map(usize::from) else {
        return Ok(None);
    };
    // On x86-64 the addend of an operand counts from the end of the four bytes that it fills in.
    let kind = relocation.r_type(LE, false);
    let operand = [
        elf::R_X86_64_PC32,
        elf::R_X86_64_GOTPCREL,
        elf::R_X86_64_GOTPCRELX,
        elf::R_X86_64_REX_GOTPCRELX,
    ];
    let behind = if in_code && operand.contains(&kind) {
        4
    } else {
        0
    };
    let offset = relocation.r_addend(LE).wrapping_add(behind);
    Ok(Some((
        section,
        symbol.st_value(LE).wrapping_add_signed(offset),
    )))
}
