//! The texts and constants of one object that a linker merges with others': what leads to them, and
//! which of them go by names.

use std::collections::HashMap;

use object::LittleEndian as LE;
use object::elf;
use object::read::elf::{Rela, SectionHeader, Sym};

use crate::elf::relocatable::Object;
use crate::recipe::LinkerKind;
use crate::sources::Part;

/// What makes texts one.
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct Text {
    /// It ends with a zero; a constant is as long as others of its section.
    ends: bool,
    /// Bytes of a letter, or of a constant.
    letter: u64,
    /// Alignment of the section in bytes; 0 where the linker does not go by it.
    pub(crate) alignment: u64,
    bytes: Vec<u8>,
}

/// Where a text is: its unit, and the offset in it in bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Home {
    pub(crate) unit: u32,
    pub(crate) offset: u64,
}

/// One place of a text.
pub(crate) struct Place {
    pub(crate) home: Home,
    /// Of a group of sections, a linker may keep another one.
    pub(crate) in_group: bool,
    /// Of its section, in bytes.
    pub(crate) alignment: u64,
}

/// A relocation that leads to a text.
pub(crate) struct Reference {
    /// File offset of the relocation.
    pub(crate) at: usize,
    pub(crate) text: Text,
    pub(crate) place: Place,
    /// It leads to so many bytes behind the beginning of the text, as the machine counts.
    pub(crate) beyond: i64,
    pub(crate) through_table: bool,
}

/// A text that goes by the name of a symbol which other objects may use.
pub(crate) struct Named {
    pub(crate) text: Text,
    pub(crate) place: Place,
    pub(crate) weak: bool,
    pub(crate) hidden: bool,
}

/// The texts and constants of an object that a linker merges.
pub(crate) struct ObjectTexts<'o, 'd> {
    object: &'o Object<'d>,
    /// Unit and header by the index of the section.
    sections: HashMap<usize, (u32, &'d elf::SectionHeader64<LE>)>,
    kind: LinkerKind,
}

impl<'o, 'd> ObjectTexts<'o, 'd> {
    pub(crate) fn of(
        object: &'o Object<'d>,
        part: &Part,
        kind: LinkerKind,
    ) -> Result<Self, object::Error> {
        let mut sections = HashMap::new();
        let units = (part.first..).zip(&part.units);
        for (unit, section) in units.filter(|(_, unit)| unit.merged) {
            let index = section.index as usize;
            let header = object.sections.section(object::SectionIndex(index))?;
            sections.insert(index, (unit, header));
        }
        Ok(ObjectTexts {
            object,
            sections,
            kind,
        })
    }

    /// The relocations that lead to one. `None` where one of them cannot be read.
    pub(crate) fn references(&self) -> Result<Option<Vec<Reference>>, object::Error> {
        let mut found = Vec::new();
        if self.sections.is_empty() {
            return Ok(Some(found));
        }
        let object = self.object;
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
                let Some((unit, section)) = self.section(symbol) else {
                    continue;
                };
                let added = relocation.r_addend(LE);
                // Of a section, linkers take what is added for the place in it.
                let (offset, beyond) = if symbol.st_type() == elf::STT_SECTION {
                    (added.cast_unsigned(), 0)
                } else {
                    (symbol.st_value(LE), added)
                };
                let Some((text, offset, within)) = self.text(section, offset)? else {
                    return Ok(None);
                };
                found.push(Reference {
                    at: first + number * size_of::<elf::Rela64<LE>>(),
                    text,
                    place: place(section, Home { unit, offset }),
                    beyond: beyond.wrapping_add(within),
                    through_table: !is_direct(relocation.r_type(LE, false)),
                });
            }
        }
        Ok(Some(found))
    }

    /// Those that other objects may use by name.
    pub(crate) fn named(&self) -> Result<Vec<Named>, object::Error> {
        let mut found = Vec::new();
        for symbol in self.object.symbols.iter().filter(|one| !one.is_local()) {
            let Some((unit, section)) = self.section(symbol) else {
                continue;
            };
            // What cannot be read is somewhere in a text, and no reference leads there.
            let Some((text, offset, _)) = self.text(section, symbol.st_value(LE))? else {
                continue;
            };
            found.push(Named {
                text,
                place: place(section, Home { unit, offset }),
                weak: symbol.is_weak(),
                hidden: matches!(
                    symbol.st_visibility(),
                    elf::STV_HIDDEN | elf::STV_INTERNAL | elf::STV_PROTECTED
                ),
            });
        }
        Ok(found)
    }

    fn section(&self, symbol: &elf::Sym64<LE>) -> Option<(u32, &'d elf::SectionHeader64<LE>)> {
        let index = symbol.st_shndx(LE).index()?;
        self.sections.get(&usize::from(index)).copied()
    }

    /// The text or the constant at an offset, where it begins, and how far within it the offset is;
    /// none within a text.
    fn text(
        &self,
        section: &elf::SectionHeader64<LE>,
        offset: u64,
    ) -> Result<Option<(Text, u64, i64)>, object::Error> {
        let data = section.data(LE, self.object.data)?;
        let letter = section.sh_entsize(LE).max(1);
        let ends = section.sh_flags(LE).0 & elf::SHF_STRINGS.0 != 0;
        let within = if ends { 0 } else { offset % letter };
        let start = offset - within;
        let bytes = if ends {
            text_at(data, start, letter)
        } else {
            constant_at(data, start, letter)
        };
        // mold goes by no alignment, and lld by that of texts alone.
        let by_alignment = match self.kind {
            LinkerKind::Mold => false,
            LinkerKind::Lld => ends,
            _ => true,
        };
        let alignment = if by_alignment {
            section.sh_addralign(LE).max(1)
        } else {
            0
        };
        Ok(bytes.map(|bytes| {
            let text = Text {
                ends,
                letter,
                alignment,
                bytes,
            };
            (text, start, within.cast_signed())
        }))
    }
}

fn place(section: &elf::SectionHeader64<LE>, home: Home) -> Place {
    Place {
        home,
        in_group: section.sh_flags(LE).0 & elf::SHF_GROUP.0 != 0,
        alignment: section.sh_addralign(LE),
    }
}

/// Whether a relocation is filled in with the place that it leads to, and not with one in a table of
/// addresses, to which what it adds belongs.
fn is_direct(kind: elf::RelocationType) -> bool {
    const X86_64: [elf::RelocationType; 7] = [
        elf::R_X86_64_64,
        elf::R_X86_64_32,
        elf::R_X86_64_32S,
        elf::R_X86_64_PC32,
        elf::R_X86_64_PC64,
        elf::R_X86_64_PLT32,
        elf::R_X86_64_GOTOFF64,
    ];
    const AARCH64: [elf::RelocationType; 21] = [
        elf::R_AARCH64_ABS64,
        elf::R_AARCH64_ABS32,
        elf::R_AARCH64_PREL64,
        elf::R_AARCH64_PREL32,
        elf::R_AARCH64_MOVW_UABS_G0,
        elf::R_AARCH64_MOVW_UABS_G0_NC,
        elf::R_AARCH64_MOVW_UABS_G1,
        elf::R_AARCH64_MOVW_UABS_G1_NC,
        elf::R_AARCH64_MOVW_UABS_G2,
        elf::R_AARCH64_MOVW_UABS_G2_NC,
        elf::R_AARCH64_MOVW_UABS_G3,
        elf::R_AARCH64_LD_PREL_LO19,
        elf::R_AARCH64_ADR_PREL_LO21,
        elf::R_AARCH64_ADR_PREL_PG_HI21,
        elf::R_AARCH64_ADR_PREL_PG_HI21_NC,
        elf::R_AARCH64_ADD_ABS_LO12_NC,
        elf::R_AARCH64_LDST8_ABS_LO12_NC,
        elf::R_AARCH64_LDST16_ABS_LO12_NC,
        elf::R_AARCH64_LDST32_ABS_LO12_NC,
        elf::R_AARCH64_LDST64_ABS_LO12_NC,
        elf::R_AARCH64_LDST128_ABS_LO12_NC,
    ];
    // Numbers of the two machines do not meet.
    X86_64.contains(&kind) || AARCH64.contains(&kind)
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

/// The constant at an offset.
fn constant_at(data: &[u8], offset: u64, size: u64) -> Option<Vec<u8>> {
    let (offset, size) = (usize::try_from(offset).ok()?, usize::try_from(size).ok()?);
    Some(data.get(offset..offset.checked_add(size)?)?.to_vec())
}
