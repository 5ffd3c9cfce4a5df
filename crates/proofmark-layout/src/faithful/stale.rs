//! Tables of addresses that were written down before the link, as a build has them that links
//! twice: the second link takes what `nm` said of the first. They are numbers or text and no
//! relocations, so that in a layout they name places where other code is.

use std::collections::HashSet;

use object::LittleEndian as LE;
use object::elf;
use object::read::elf::{Rela, SectionHeader};
use proofmark_code::Starts;
use rayon::prelude::*;

use crate::LayoutError;
use crate::elf::block::Block;
use crate::elf::image::Linked;
use crate::elf::relocatable::Object;
use crate::sources::each_object;
use crate::units::Units;

/// Refuses an image whose data hold addresses of its own functions as numbers.
///
/// # Errors
/// When one does, or a file cannot be read.
pub(crate) fn refuse(units: &Units, linked: &Linked) -> Result<(), LayoutError> {
    let Some(code) = starts(units, linked) else {
        return Ok(());
    };
    let found: Vec<Option<String>> = (units.sources.par_iter())
        .map(|source| {
            let mut found = None;
            each_object(source, |object, part| {
                if found.is_none() {
                    let table = table(object, &code)?;
                    found = table.map(|section| format!("{section} of {}", part.label));
                }
                Ok(())
            })?;
            Ok(found)
        })
        .collect::<Result<_, LayoutError>>()?;
    match found.into_iter().flatten().next() {
        None => Ok(()),
        Some(table) => Err(LayoutError::Unfaithful {
            image: "a layout".to_owned(),
            likely: "an earlier link, whose addresses the build wrote down".to_owned(),
            found: format!("{table} holds addresses of functions as plain numbers"),
        }),
    }
}

/// Where functions start.
fn starts(units: &Units, linked: &Linked) -> Option<Starts> {
    let code = linked.handles.iter();
    let code = code.filter(|(unit, _)| units.unit(**unit).0.block == Block::Text);
    Starts::new(code.map(|(_, at)| *at))
}

/// The section of an object that holds such a table.
fn table(object: &Object<'_>, code: &Starts) -> Result<Option<String>, object::Error> {
    let loaded = elf::SHF_ALLOC.0;
    for (index, header) in object.sections.enumerate() {
        let flags = header.sh_flags(LE).0;
        let is_data = flags & loaded != 0 && flags & elf::SHF_EXECINSTR.0 == 0;
        if !is_data || header.sh_type(LE) != elf::SHT_PROGBITS {
            continue;
        }
        let name = object.sections.section_name(LE, header)?;
        if name.starts_with(b".eh_frame") {
            continue;
        }
        let filled_in = filled_in(object, index)?;
        // The lower half of an address of eight bytes is one of four.
        let bytes = header.data(LE, object.data)?;
        let (words, _) = bytes.as_chunks::<4>();
        let numbers = (0_u64..).step_by(4).zip(words);
        let numbers = numbers.filter(|(at, _)| !filled_in.contains(at));
        let numbers = numbers.map(|(_, word)| u32::from_le_bytes(*word));
        if code.are_in(numbers) || code.are_in_text(bytes) {
            return Ok(Some(String::from_utf8_lossy(name).into_owned()));
        }
    }
    Ok(None)
}

/// Offsets in a section at which the linker fills something in.
fn filled_in(
    object: &Object<'_>,
    section: object::SectionIndex,
) -> Result<HashSet<u64>, object::Error> {
    let mut found = HashSet::new();
    for header in object.sections.iter() {
        if header.sh_info(LE) as usize != section.0 {
            continue;
        }
        if let Some((relocations, _)) = header.rela(LE, object.data)? {
            found.extend(relocations.iter().map(|one| one.r_offset(LE)));
        }
    }
    Ok(found)
}
