//! Texts that several objects hold and a linker would merge into one. Where nothing is merged, all
//! of them refer to one copy: a program may compare the addresses.

use std::collections::HashMap;

use object::LittleEndian as LE;
use object::elf;
use object::read::elf::{Rela, SectionHeader, Sym};

use crate::LayoutError;
use crate::elf::image::Linked;
use crate::elf::patch::Redirect;
use crate::elf::relocatable::Object;
use crate::sorted::handle;
use crate::sources::{Part, each_object};
use crate::units::Units;

/// What makes texts one: bytes of a letter, alignment of the section, the text itself.
#[derive(PartialEq, Eq, Hash)]
struct Text {
    letter: u64,
    alignment: u64,
    bytes: Vec<u8>,
}

/// Where a text is: its unit, and the offset in it in bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Home {
    unit: u32,
    offset: u64,
}

/// The places of one text.
struct Copies {
    first: Home,
    /// The first that is there in any case: of a group of sections, a linker may keep another one.
    home: Option<Home>,
    several: bool,
}

/// The copy that all references to a text lead to, for those that are in several places.
#[derive(Default)]
pub(crate) struct SharedTexts {
    homes: HashMap<Text, Home>,
}

/// A relocation that leads to a text.
struct Reference {
    /// File offset of the relocation.
    at: usize,
    text: Text,
    place: Home,
    /// It leads to so many bytes behind the beginning of the text, as the machine counts.
    beyond: i64,
    /// The text is in a group of sections.
    in_group: bool,
}

impl SharedTexts {
    /// Finds the texts of the objects that an image holds. `None` where a relocation leads to a text
    /// in a way that cannot be read.
    pub(crate) fn of(units: &Units, own: &Linked) -> Result<Option<SharedTexts>, LayoutError> {
        let mut found: HashMap<Text, Copies> = HashMap::new();
        let mut unread = false;
        for source in &units.sources {
            each_object(source, |object, part| {
                let mut numbers = (part.first..).zip(&part.units);
                if part.bitcode || !numbers.any(|(unit, _)| own.handles.contains_key(&unit)) {
                    return Ok(());
                }
                let Some(references) = references(object, part)? else {
                    unread = true;
                    return Ok(());
                };
                for reference in references {
                    let place = reference.place;
                    let copies = found.entry(reference.text).or_insert(Copies {
                        first: place,
                        home: None,
                        several: false,
                    });
                    copies.several |= copies.first != place;
                    if !reference.in_group {
                        copies.home.get_or_insert(place);
                    }
                }
                Ok(())
            })?;
        }
        let shared = found.into_iter().filter(|(_, copies)| copies.several);
        let homes = shared.filter_map(|(text, copies)| Some((text, copies.home?)));
        Ok((!unread).then(|| SharedTexts {
            homes: homes.collect(),
        }))
    }

    /// What in an object has to lead elsewhere.
    pub(crate) fn redirects(
        &self,
        object: &Object<'_>,
        part: &Part,
    ) -> Result<Vec<Redirect>, object::Error> {
        let found = references(object, part)?.unwrap_or_default().into_iter();
        let elsewhere = found.filter_map(|reference| {
            let home = *self.homes.get(&reference.text)?;
            (home != reference.place).then(|| Redirect {
                at: reference.at,
                name: handle(home.unit),
                addend: home.offset.cast_signed() + reference.beyond,
            })
        });
        Ok(elsewhere.collect())
    }
}

/// The relocations of an object that lead to texts which a linker merges. `None` where one of them
/// cannot be read.
fn references(object: &Object<'_>, part: &Part) -> Result<Option<Vec<Reference>>, object::Error> {
    let mut texts = HashMap::new();
    for (unit, section) in (part.first..)
        .zip(&part.units)
        .filter(|(_, one)| one.merged)
    {
        let header = object
            .sections
            .section(object::SectionIndex(section.index as usize))?;
        if header.sh_flags(LE).0 & elf::SHF_STRINGS.0 != 0 {
            texts.insert(section.index as usize, (unit, header));
        }
    }
    let mut found = Vec::new();
    if texts.is_empty() {
        return Ok(Some(found));
    }
    for header in object.sections.iter() {
        let Some((relocations, _)) = header.rela(LE, object.data)? else {
            continue;
        };
        let of = object::SectionIndex(header.sh_info(LE) as usize);
        if object.sections.section(of)?.sh_flags(LE).0 & elf::SHF_ALLOC.0 == 0 {
            continue;
        }
        let first = usize::try_from(header.sh_offset(LE)).unwrap_or(usize::MAX);
        for (number, relocation) in relocations.iter().enumerate() {
            let Some(index) = relocation.symbol(LE, false) else {
                continue;
            };
            let symbol = object.symbols.symbol(index)?;
            let section = symbol.st_shndx(LE).index().map(usize::from);
            let Some((unit, header)) = section.and_then(|index| texts.get(&index)) else {
                continue;
            };
            let addend = relocation.r_addend(LE);
            // Of a section, linkers take what is added for the place in it.
            let (offset, beyond) = if symbol.st_type() == elf::STT_SECTION {
                (addend.cast_unsigned(), 0)
            } else {
                (symbol.st_value(LE), addend)
            };
            let letter = header.sh_entsize(LE).max(1);
            let Some(bytes) = text_at(header.data(LE, object.data)?, offset, letter) else {
                return Ok(None);
            };
            let text = Text {
                letter,
                alignment: header.sh_addralign(LE).max(1),
                bytes,
            };
            found.push(Reference {
                at: first + number * size_of::<elf::Rela64<LE>>(),
                text,
                place: Home {
                    unit: *unit,
                    offset,
                },
                beyond,
                in_group: header.sh_flags(LE).0 & elf::SHF_GROUP.0 != 0,
            });
        }
    }
    Ok(Some(found))
}

/// The text at an offset, with the zero that ends it; none where no text begins there.
fn text_at(data: &[u8], offset: u64, letter: u64) -> Option<Vec<u8>> {
    let (offset, letter) = (usize::try_from(offset).ok()?, usize::try_from(letter).ok()?);
    let is_zero = |one: &[u8]| one.iter().all(|byte| *byte == 0);
    let before = data.get(offset.saturating_sub(letter)..offset)?;
    if !is_zero(before) {
        return None;
    }
    let letters = data.get(offset..)?.chunks_exact(letter);
    let length = letters.take_while(|one| !is_zero(one)).count() + 1;
    Some(data.get(offset..offset + length * letter)?.to_vec())
}
