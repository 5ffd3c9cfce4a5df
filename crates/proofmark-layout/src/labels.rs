//! Labels of code of which another object takes the address: `extern char begin[], end[]` in C.
//!
//! A label that is only called or jumped to is a function that assembly gave no type. Of one whose
//! address is a value, a program may take the distance to another one.

use std::collections::HashSet;

use object::LittleEndian as LE;
use object::elf;
use object::read::elf::{Rela, SectionHeader, Sym};
use rayon::prelude::*;

use crate::LayoutError;
use crate::elf::relocatable::Object;
use crate::sources::{Source, each_object};

/// Of these names, those whose address some object asks for.
pub(crate) fn taken(
    sources: &[Source],
    names: &HashSet<Vec<u8>>,
) -> Result<HashSet<Vec<u8>>, LayoutError> {
    if names.is_empty() {
        return Ok(HashSet::new());
    }
    let found: Vec<HashSet<Vec<u8>>> = sources
        .par_iter()
        .map(|source| {
            let mut found = HashSet::new();
            each_object(source, |object, _| asks_for(object, names, &mut found))?;
            Ok(found)
        })
        .collect::<Result<_, LayoutError>>()?;
    Ok(found.into_iter().flatten().collect())
}

/// Adds those of these names whose address an object asks for.
pub(crate) fn asks_for(
    object: &Object<'_>,
    names: &HashSet<Vec<u8>>,
    found: &mut HashSet<Vec<u8>>,
) -> Result<(), object::Error> {
    for header in object.sections.iter() {
        let Some((relocations, _)) = header.rela(LE, object.data)? else {
            continue;
        };
        let of = object::SectionIndex(header.sh_info(LE) as usize);
        let of = object.sections.section(of)?;
        // Debug information speaks of addresses; the program does not read it.
        if of.sh_flags(LE).0 & elf::SHF_ALLOC.0 == 0 {
            continue;
        }
        let bytes = of.data(LE, object.data)?;
        for relocation in relocations {
            let Some(index) = relocation.symbol(LE, false) else {
                continue;
            };
            let symbol = object.symbols.symbol(index)?;
            if !symbol.is_undefined(LE) {
                continue;
            }
            let name = object.symbols.symbol_name(LE, symbol)?;
            if names.contains(name) && !branches(relocation, bytes) {
                found.insert(name.to_vec());
            }
        }
    }
    Ok(())
}

/// Whether what a relocation fills in is where a jump or a call leads.
pub(crate) fn branches(relocation: &elf::Rela64<LE>, bytes: &[u8]) -> bool {
    let kind = relocation.r_type(LE, false);
    let arm = [
        elf::R_AARCH64_CALL26,
        elf::R_AARCH64_JUMP26,
        elf::R_AARCH64_CONDBR19,
        elf::R_AARCH64_TSTBR14,
    ];
    if kind == elf::R_X86_64_PLT32 || arm.contains(&kind) {
        return true;
    }
    // Assemblers that know no PLT write `call` and `jmp` with R_X86_64_PC32, and `call
    // *f@GOTPCREL(%rip)` has no PLT either (Intel SDM, volume 2: E8, E9, 0F 80 to 8F, FF /2, /4).
    let offset = usize::try_from(relocation.r_offset(LE)).unwrap_or(usize::MAX);
    let before = offset.checked_sub(2).and_then(|at| bytes.get(at..offset));
    let relative = [
        elf::R_X86_64_PC32,
        elf::R_X86_64_GOTPCREL,
        elf::R_X86_64_GOTPCRELX,
    ];
    relative.contains(&kind)
        && matches!(
            before,
            Some([_, 0xe8 | 0xe9] | [0x0f, 0x80..=0x8f] | [0xff, 0x15 | 0x25])
        )
}
