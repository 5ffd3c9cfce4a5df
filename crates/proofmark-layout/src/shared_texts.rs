//! Texts and constants that several objects hold and a linker would merge into one. Where nothing is
//! merged, all of them refer to one copy: a program may compare the addresses.

use std::collections::HashMap;

use object::LittleEndian as LE;
use object::elf;
use object::read::elf::{Rela, SectionHeader, Sym};

use crate::LayoutError;
use crate::elf::image::Linked;
use crate::elf::patch::Redirect;
use crate::elf::relocatable::Object;
use crate::freedom::Hindrance;
use crate::link::argv;
use crate::link::sections::{makes_library, merges};
use crate::recipe::{LinkerKind, Recipe};
use crate::sorted::handle;
use crate::sources::{Part, each_object};
use crate::units::{Live, Units};

/// What makes texts one.
#[derive(PartialEq, Eq, Hash)]
struct Text {
    /// It ends with a zero; a constant is as long as others of its section.
    ends: bool,
    /// Bytes of a letter, or of a constant.
    letter: u64,
    /// Alignment of the section in bytes; 0 where the linker does not go by it.
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
#[derive(Default)]
struct Copies {
    places: Vec<Place>,
    /// Those that go by the name of a symbol which other objects may use.
    named: Vec<Home>,
    /// A name may be another object's in the end.
    preempted: bool,
    /// Those that a table of addresses leads to.
    through_table: Vec<Home>,
}

/// One place of a text.
struct Place {
    home: Home,
    /// Of a group of sections, a linker may keep another one.
    in_group: bool,
    /// Of its section, in bytes.
    alignment: u64,
}

impl Copies {
    fn add(&mut self, place: Place) {
        // Those of one object come one after the other.
        let mut known = self.places.iter().rev();
        if !known.any(|known| known.home == place.home) {
            self.places.push(place);
        }
    }

    /// The copy that all are led to, aligned as any of them asks for; none of one that is in one
    /// place, or in groups alone.
    fn home(&self) -> Result<Option<Home>, Hindrance> {
        let [_, _, ..] = self.places.as_slice() else {
            return Ok(None);
        };
        if self.places.iter().all(|place| place.in_group) && self.named.is_empty() {
            return Ok(None);
        }
        let alignment = self.places.iter().map(|place| place.alignment).max();
        let fits = |place: &&Place| !place.in_group && Some(place.alignment) == alignment;
        let mut fitting = self.places.iter().filter(fits).map(|place| place.home);
        let home = match self.named.as_slice() {
            [] => fitting.next(),
            [one] if !self.preempted => fitting.find(|home| home == one),
            _ => None,
        };
        let home = home.ok_or(Hindrance::Named)?;
        if self.through_table.iter().any(|one| *one != home) {
            return Err(Hindrance::Named);
        }
        Ok(Some(home))
    }
}

/// The copy that all references to a text lead to, for those that are in several places.
#[derive(Default)]
pub(crate) struct SharedTexts {
    homes: HashMap<Text, Home>,
    kind: Option<LinkerKind>,
}

/// A relocation that leads to a text.
struct Reference {
    /// File offset of the relocation.
    at: usize,
    text: Text,
    place: Home,
    /// It leads to so many bytes behind the beginning of the text, as the machine counts.
    beyond: i64,
    in_group: bool,
    alignment: u64,
    through_table: bool,
}

impl SharedTexts {
    /// Finds the texts of the objects of which an image holds something, or what keeps them from
    /// being led to one copy each.
    pub(crate) fn of(
        recipe: &Recipe,
        units: &Units,
        live: &Live,
    ) -> Result<Result<SharedTexts, Hindrance>, LayoutError> {
        let words = argv::parse(&recipe.argv);
        let kind = recipe.linker.kind;
        let mut shared = SharedTexts {
            homes: HashMap::new(),
            kind: Some(kind),
        };
        if !merges(kind, &words) {
            return Ok(Ok(shared));
        }
        let is_library = makes_library(&words);
        let mut found: HashMap<Text, Copies> = HashMap::new();
        let mut unread = false;
        for source in &units.sources {
            each_object(source, |object, part| {
                let mut numbers = (part.first..).zip(&part.units);
                if part.bitcode || !numbers.any(|(unit, _)| live.contains_key(&unit)) {
                    return Ok(());
                }
                let texts = Texts::of(object, part, Some(kind))?;
                let Some(references) = texts.references()? else {
                    unread = true;
                    return Ok(());
                };
                for reference in references {
                    let copies = found.entry(reference.text).or_default();
                    copies.add(Place {
                        home: reference.place,
                        in_group: reference.in_group,
                        alignment: reference.alignment,
                    });
                    if reference.through_table {
                        copies.through_table.push(reference.place);
                    }
                }
                for named in texts.named()? {
                    let copies = found.entry(named.text).or_default();
                    copies.add(Place {
                        home: named.place,
                        in_group: named.in_group,
                        alignment: named.alignment,
                    });
                    if !copies.named.contains(&named.place) {
                        copies.named.push(named.place);
                    }
                    copies.preempted |= named.weak || is_library && !named.hidden;
                }
                Ok(())
            })?;
        }
        if unread {
            return Ok(Err(Hindrance::Unread));
        }
        for (text, copies) in found {
            match copies.home() {
                Ok(home) => shared.homes.extend(home.map(|home| (text, home))),
                Err(why) => return Ok(Err(why)),
            }
        }
        Ok(Ok(shared))
    }

    /// What in an object has to lead elsewhere.
    pub(crate) fn redirects(
        &self,
        object: &Object<'_>,
        part: &Part,
    ) -> Result<Vec<Redirect>, object::Error> {
        if self.homes.is_empty() {
            return Ok(Vec::new());
        }
        let texts = Texts::of(object, part, self.kind)?;
        let found = texts.references()?.unwrap_or_default().into_iter();
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

    /// Whether some object holds nothing but texts: whether an image has that is not known where
    /// they are merged.
    pub(crate) fn are_alone(units: &Units) -> bool {
        let mut parts = units.sources.iter().flat_map(|source| &source.parts);
        parts.any(|part| !part.units.is_empty() && part.units.iter().all(|unit| unit.merged))
    }

    /// Whether an image has something of each object with a copy: what leads there is then not led
    /// to nothing. A copy that nothing leads to any more may be collected.
    pub(crate) fn are_in(&self, units: &Units, image: &Linked) -> bool {
        let mut homes = self.homes.values();
        homes.all(|home| {
            let part = units.home(home.unit).1;
            let mut numbers = (part.first..).zip(&part.units);
            numbers.any(|(unit, _)| image.handles.contains_key(&unit))
        })
    }
}

/// A text that goes by the name of a symbol which other objects may use.
struct Named {
    text: Text,
    place: Home,
    in_group: bool,
    alignment: u64,
    weak: bool,
    hidden: bool,
}

/// The texts and constants of an object that a linker merges.
struct Texts<'o, 'd> {
    object: &'o Object<'d>,
    /// Unit and header by the index of the section.
    sections: HashMap<usize, (u32, &'d elf::SectionHeader64<LE>)>,
    kind: Option<LinkerKind>,
}

impl<'o, 'd> Texts<'o, 'd> {
    fn of(
        object: &'o Object<'d>,
        part: &Part,
        kind: Option<LinkerKind>,
    ) -> Result<Self, object::Error> {
        let mut sections = HashMap::new();
        let units = (part.first..).zip(&part.units);
        for (unit, section) in units.filter(|(_, unit)| unit.merged) {
            let index = section.index as usize;
            let header = object.sections.section(object::SectionIndex(index))?;
            sections.insert(index, (unit, header));
        }
        Ok(Texts {
            object,
            sections,
            kind,
        })
    }

    /// The relocations that lead to one. `None` where one of them cannot be read.
    fn references(&self) -> Result<Option<Vec<Reference>>, object::Error> {
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
                    place: Home { unit, offset },
                    beyond: beyond + within,
                    in_group: is_in_group(section),
                    alignment: section.sh_addralign(LE),
                    through_table: !is_direct(relocation.r_type(LE, false)),
                });
            }
        }
        Ok(Some(found))
    }

    /// Those that other objects may use by name.
    fn named(&self) -> Result<Vec<Named>, object::Error> {
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
                place: Home { unit, offset },
                in_group: is_in_group(section),
                alignment: section.sh_addralign(LE),
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
            Some(LinkerKind::Mold) => false,
            Some(LinkerKind::Lld) => ends,
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

fn is_in_group(section: &elf::SectionHeader64<LE>) -> bool {
    section.sh_flags(LE).0 & elf::SHF_GROUP.0 != 0
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
