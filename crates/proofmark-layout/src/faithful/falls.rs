//! Code that runs from the end of one section into the next one, as assembly may: the two stay
//! together.

use object::LittleEndian as LE;
use object::elf;
use object::read::elf::{SectionHeader, Sym};
use proofmark_code::{Arch, section_runs_on};
use rayon::prelude::*;

use crate::LayoutError;
use crate::elf::Machine;
use crate::elf::block::Block;
use crate::elf::image::Linked;
use crate::elf::relocatable::Object;
use crate::sources::each_object;
use crate::units::Units;

/// Units of code that go on into another one, each with that one.
pub(crate) fn joined(units: &Units, linked: &Linked) -> Result<Vec<(u32, u32)>, LayoutError> {
    let goes_on = goes_on(units)?;
    let mut code: Vec<(u64, u32)> = (linked.handles.iter())
        .filter(|(unit, _)| units.unit(**unit).0.block == Block::Text)
        .map(|(unit, at)| (*at, *unit))
        .collect();
    code.sort_unstable();
    let place = |at: u64| linked.section_at(at).map(|span| &span.name);
    let follows = |pair: &[(u64, u32)]| {
        let [(at, unit), (next_at, next)] = pair else {
            return None;
        };
        let next_door = place(*at) == place(*next_at) && goes_on.binary_search(unit).is_ok();
        next_door.then_some((*unit, *next))
    };
    Ok(code.windows(2).filter_map(follows).collect())
}

/// Where a section is entered from elsewhere: its functions, and labels that other objects see.
fn entries(object: &Object<'_>, section: object::SectionIndex) -> Vec<u64> {
    let symbols = object.symbols.enumerate();
    let own = symbols.filter(|(index, symbol)| {
        let of = object.symbols.symbol_section(LE, *symbol, *index);
        of.is_ok_and(|of| of == Some(section))
    });
    let entered = own.filter(|(_, symbol)| {
        symbol.st_type() == elf::STT_FUNC || symbol.st_bind() != elf::STB_LOCAL
    });
    entered.map(|(_, symbol)| symbol.st_value(LE)).collect()
}

/// Units of code whose last instruction goes on to what stands behind it, in the order of numbers.
fn goes_on(units: &Units) -> Result<Vec<u32>, LayoutError> {
    let arch = match units.machine {
        Machine::X86_64 => Arch::X86_64,
        Machine::Aarch64 => Arch::Aarch64,
    };
    let found: Vec<Vec<u32>> = (units.sources.par_iter())
        .map(|source| {
            let mut found = Vec::new();
            each_object(source, |object, part| {
                for (number, unit) in (part.first..).zip(&part.units) {
                    let index = object::SectionIndex(unit.index as usize);
                    let header = object.sections.section(index)?;
                    if unit.block != Block::Text {
                        continue;
                    }
                    let code = header.data(LE, object.data)?;
                    if section_runs_on(arch, code, &entries(object, index)) {
                        found.push(number);
                    }
                }
                Ok(())
            })?;
            Ok(found)
        })
        .collect::<Result<_, LayoutError>>()?;
    let mut found: Vec<u32> = found.into_iter().flatten().collect();
    found.sort_unstable();
    Ok(found)
}
