//! Tables of addresses that were written down before the link, as a build has them that links
//! twice: the second link takes what `nm` said of the first. They are numbers and no relocations, so
//! that in a layout they name places where other code is.

use std::collections::{BTreeSet, HashSet};

use object::LittleEndian as LE;
use object::elf;
use object::read::elf::{Rela, SectionHeader};
use rayon::prelude::*;

use crate::LayoutError;
use crate::elf::image::Linked;
use crate::elf::relocatable::{Block, Object};
use crate::sources::each_object;
use crate::units::Units;

/// Fewer functions than this may be numbers that happen to be their addresses.
const FEWEST: usize = 3;
/// Of the numbers that lie in the code, so many are where a function starts: of multiples of 16,
/// say, hardly any are.
const MOST: f64 = 0.9;

/// Refuses an image whose data hold addresses of its own functions as numbers.
///
/// # Errors
/// When one does, or a file cannot be read.
pub(crate) fn refuse(units: &Units, linked: &Linked) -> Result<(), LayoutError> {
    let Some(code) = Code::of(units, linked) else {
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
struct Code {
    starts: HashSet<u32>,
    lowest: u32,
    highest: u32,
}

impl Code {
    /// None where addresses do not fit four bytes, or there is no code.
    fn of(units: &Units, linked: &Linked) -> Option<Code> {
        let code = linked.handles.iter();
        let code = code.filter(|(unit, _)| units.unit(**unit).0.block == Block::Text);
        let starts = code.map(|(_, at)| u32::try_from(*at).ok());
        let starts: HashSet<u32> = starts.collect::<Option<_>>()?;
        Some(Code {
            lowest: starts.iter().copied().min()?,
            highest: starts.iter().copied().max()?,
            starts,
        })
    }

    /// Whether numbers are a table of functions.
    fn are_starts(&self, numbers: impl Iterator<Item = u32>) -> bool {
        let (mut within, mut at_starts, mut different) = (0_u32, 0_u32, BTreeSet::new());
        for number in numbers.filter(|number| (self.lowest..=self.highest).contains(number)) {
            within += 1;
            if self.starts.contains(&number) {
                at_starts += 1;
                different.insert(number);
            }
        }
        different.len() >= FEWEST && f64::from(at_starts) >= MOST * f64::from(within)
    }
}

/// The section of an object that holds such a table.
fn table(object: &Object<'_>, code: &Code) -> Result<Option<String>, object::Error> {
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
        let (words, _) = header.data(LE, object.data)?.as_chunks::<4>();
        let numbers = (0_u64..).step_by(4).zip(words);
        let numbers = numbers.filter(|(at, _)| !filled_in.contains(at));
        if code.are_starts(numbers.map(|(_, word)| u32::from_le_bytes(*word))) {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn code() -> Code {
        let starts = [0x1139, 0x1150, 0x11a0, 0x1200, 0x1400];
        Code {
            starts: starts.into(),
            lowest: 0x1139,
            highest: 0x1400,
        }
    }

    #[test]
    fn a_table_of_functions_is_known_among_other_numbers() {
        let table = [0, 0x1150, 0, 7, 0x1200, 0x1400, 0x0040_0000];
        assert!(code().are_starts(table.into_iter()));
        assert!(!code().are_starts([0x1150, 0x1150, 0x1150, 0x1200].into_iter()));
    }

    #[test]
    fn numbers_that_happen_to_be_addresses_are_no_table() {
        // All multiples of 16 among the code: five of them are functions.
        assert!(!code().are_starts((0x1140..0x1400).step_by(16)));
        assert!(!code().are_starts(0..0x10000));
    }
}
