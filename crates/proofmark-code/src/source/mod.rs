//! Source lines of machine code, from DWARF: in the file itself, or in its separate debug file.

mod declaration;
mod unit;

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashSet};
use std::ops::Range;
use std::sync::Arc;

use gimli::{AttributeValue, EndianReader, LittleEndian, Reader};
use object::{CompressionFormat, Object, ObjectSection};
use serde::Serialize;

use crate::address::Address;
use crate::elf;
use crate::image::Image;
use crate::space::{Bytes, Stretch};

type Bytewise = EndianReader<LittleEndian, Stretch>;

/// A line of source.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct SourceLine {
    /// The file, as the compiler was given it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
}

impl std::fmt::Display for SourceLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// What the source of a program has of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mention {
    /// Nothing.
    None,
    /// A declaration: the function itself is another file's.
    Declared,
    /// The function.
    Defined,
}

/// The debug information of an image.
pub struct Sources {
    /// The unit of the address that was asked for first: most often all that is ever asked for.
    first: OnceCell<Option<First>>,
    /// All units, opened for what the first one does not hold alone.
    all: OnceCell<Option<addr2line::Context<Bytewise>>>,
    sections: gimli::DwarfSections<Bytewise>,
    dwarf: Arc<gimli::Dwarf<Bytewise>>,
}

/// One unit, opened.
struct First {
    context: addr2line::Context<Bytewise>,
    /// The addresses that no other unit claims: for those, this one speaks.
    ranges: Vec<Range<u64>>,
}

impl std::fmt::Debug for Sources {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sources").finish_non_exhaustive()
    }
}

impl Sources {
    /// Opens an image's debug information; `None` where there is none, here or in a separate file.
    #[must_use]
    pub fn open(image: &Image) -> Option<Sources> {
        let own = elf::reopen(image)?;
        let placement = elf::Placement::of(&own).ok();
        if own.section_by_name(".debug_info").is_some() {
            let placement = placement.filter(|_| image.space.kind == crate::kind::Kind::Object);
            return Sources::load(
                &image.space.data,
                image.extent.start,
                &own,
                placement.as_ref(),
            );
        }
        let separate = elf::separate_debug(image)?;
        Sources::load(&separate, 0, &elf::File::parse(&**separate).ok()?, None)
    }

    /// `base` is where the file begins in `data`.
    fn load(
        data: &Arc<Bytes>,
        base: usize,
        file: &elf::File<'_>,
        placement: Option<&elf::Placement>,
    ) -> Option<Sources> {
        let section = |id: gimli::SectionId| -> Result<Bytewise, gimli::Error> {
            let found = file.section_by_name(id.name());
            let stretch = found.and_then(|s| match (placement, s.compressed_file_range().ok()?) {
                (Some(placement), _) => {
                    elf::relocated(file, placement, s.index()).map(Stretch::owned)
                }
                (None, range) if range.format == CompressionFormat::None => {
                    let start = base.checked_add(usize::try_from(range.offset).ok()?)?;
                    let end = start.checked_add(usize::try_from(range.uncompressed_size).ok()?)?;
                    Stretch::of(data, start..end)
                }
                (None, _) => elf::contents(&s).map(Stretch::owned),
            });
            let stretch = stretch.unwrap_or_else(|| Stretch::owned(Vec::new()));
            Ok(EndianReader::new(stretch, LittleEndian))
        };
        let sections = gimli::DwarfSections::load(section).ok()?;
        let dwarf = Arc::new(sections.borrow(Clone::clone));
        Some(Sources {
            first: OnceCell::new(),
            all: OnceCell::new(),
            sections,
            dwarf,
        })
    }

    fn all(&self) -> Option<&addr2line::Context<Bytewise>> {
        let open = || {
            let fits = unit::is_in_proportion(&self.dwarf);
            let dwarf = fits.then(|| Arc::clone(&self.dwarf))?;
            addr2line::Context::from_arc_dwarf(dwarf).ok()
        };
        self.all.get_or_init(open).as_ref()
    }

    /// The unit that was opened first, where it alone holds the address.
    fn first(&self, address: u64) -> Option<&addr2line::Context<Bytewise>> {
        let open = || {
            let unit = unit::alone(&self.sections, &self.dwarf, address)?;
            let context = addr2line::Context::from_dwarf(unit.dwarf).ok()?;
            Some(First {
                context,
                ranges: unit.ranges,
            })
        };
        let first = self.first.get_or_init(open).as_ref()?;
        let after = first.ranges.partition_point(|r| r.start <= address);
        let range = first.ranges[..after].last()?;
        range.contains(&address).then_some(&first.context)
    }

    /// The line that an instruction was made from: the innermost one, where it was inlined.
    #[must_use]
    pub fn line(&self, address: Address) -> Option<SourceLine> {
        let at = address.get();
        let first = self.first(at).and_then(|c| locate(c, at));
        first.or_else(|| locate(self.all()?, at))
    }

    /// The functions that were inlined at an address, innermost first, without the function itself.
    #[must_use]
    pub fn inlined_at(&self, address: Address) -> Vec<String> {
        let mut names = Vec::new();
        let Some(context) = self.all() else {
            return names;
        };
        let Ok(mut frames) = context.find_frames(address.get()).skip_all_loads() else {
            return names;
        };
        while let Ok(Some(frame)) = frames.next() {
            names.push(
                frame
                    .function
                    .and_then(|f| f.raw_name().ok().map(|n| crate::demangle(&n)))
                    .unwrap_or_default(),
            );
        }
        names.pop();
        names
    }

    /// What the compilers of the units that hold an address say of themselves. There are several
    /// units where a linker that dropped a function left its own with a range that begins at 0 and
    /// covers live code.
    pub(crate) fn producers_at(&self, address: Address) -> BTreeSet<String> {
        let mut producers = BTreeSet::new();
        self.each_entry(true, |unit, entry| {
            let Ok(mut ranges) = self.dwarf.unit_ranges(unit) else {
                return;
            };
            let mut ranges = std::iter::from_fn(|| ranges.next().ok().flatten());
            if ranges.any(|range| (range.begin..range.end).contains(&address.get())) {
                producers.extend(self.text(unit, entry, gimli::DW_AT_producer));
            }
        });
        producers
    }

    /// What the program's source has of a function of this name, be it inlined everywhere or not.
    #[must_use]
    pub fn mention(&self, pattern: &crate::Pattern) -> Mention {
        let mut declared = HashSet::new();
        let mut known = Mention::None;
        self.each_entry(false, |unit, entry| {
            let relevant = known != Mention::Defined && entry.tag() == gimli::DW_TAG_subprogram;
            if !relevant || !self.is_named(unit, entry, pattern) {
                return;
            }
            if entry.attr_value(gimli::DW_AT_declaration).is_none() {
                known = Mention::Defined;
            } else {
                known = Mention::Declared;
                declared.extend(entry.offset().to_debug_info_offset(&unit.header));
            }
        });
        if known == Mention::Declared && self.is_completed(&declared) {
            return Mention::Defined;
        }
        known
    }

    fn is_named(
        &self,
        unit: &gimli::Unit<Bytewise>,
        entry: &gimli::DebuggingInformationEntry<Bytewise>,
        pattern: &crate::Pattern,
    ) -> bool {
        let names = [gimli::DW_AT_linkage_name, gimli::DW_AT_name];
        let mut names = names.iter().filter_map(|at| self.text(unit, entry, *at));
        names.any(|name| pattern.matches_symbol(&name))
    }

    /// Whether one of these declarations has a definition elsewhere, as a method's stands outside
    /// of its class: such a definition has no name of its own, only a reference
    /// (`DW_AT_specification`; DWARF 5, 2.13.2).
    fn is_completed(&self, declared: &HashSet<gimli::DebugInfoOffset<usize>>) -> bool {
        let mut found = false;
        self.each_entry(false, |unit, entry| {
            if found || entry.tag() != gimli::DW_TAG_subprogram {
                return;
            }
            let completes = match entry.attr_value(gimli::DW_AT_specification) {
                Some(AttributeValue::UnitRef(at)) => at.to_debug_info_offset(&unit.header),
                Some(AttributeValue::DebugInfoRef(at)) => Some(at),
                _ => None,
            };
            found = completes.is_some_and(|at| declared.contains(&at))
                && entry.attr_value(gimli::DW_AT_declaration).is_none();
        });
        found
    }

    fn text(
        &self,
        unit: &gimli::Unit<Bytewise>,
        entry: &gimli::DebuggingInformationEntry<Bytewise>,
        at: gimli::DwAt,
    ) -> Option<String> {
        let value: AttributeValue<Bytewise> = entry.attr_value(at)?;
        let text = self.dwarf.attr_string(unit, value).ok()?;
        text.to_string_lossy()
            .ok()
            .map(std::borrow::Cow::into_owned)
    }

    /// Hands out each entry of each unit that can be read, or only the first of each.
    fn each_entry(
        &self,
        first: bool,
        mut f: impl FnMut(&gimli::Unit<Bytewise>, &gimli::DebuggingInformationEntry<Bytewise>),
    ) {
        let mut headers = self.dwarf.units();
        while let Ok(Some(header)) = headers.next() {
            let Ok(unit) = self.dwarf.unit(header) else {
                continue;
            };
            let mut entries = unit.entries();
            while let Ok(Some(entry)) = entries.next_dfs() {
                f(&unit, entry);
                if first {
                    break;
                }
            }
        }
    }
}

fn locate(context: &addr2line::Context<Bytewise>, address: u64) -> Option<SourceLine> {
    let found = context.find_location(address).ok()??;
    Some(SourceLine {
        file: found.file?.to_string(),
        line: found.line?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Program;

    /// The test's own executable has many units, Rust's and C's.
    #[test]
    fn one_unit_says_of_an_address_what_all_say_together() {
        let path = std::env::current_exe().unwrap();
        let program = Program::open(&path).unwrap();
        let image = &program.images()[0];
        let whole = Sources::open(image).expect("tests are built with debug information");
        let all = whole.all().unwrap();
        // Libraries of others are built without lines.
        let functions = image.functions().iter();
        let functions: Vec<_> = functions
            .filter(|function| function.name().contains("proofmark_code"))
            .collect();
        let mut from_one = 0;
        for function in functions.iter().step_by(functions.len() / 8) {
            let at = function.address();
            let expected = locate(all, at.get());
            let fresh = Sources::open(image).unwrap();
            assert_eq!(fresh.line(at), expected, "{}", function.name());
            from_one += usize::from(expected.is_some() && fresh.all.get().is_none());
        }
        assert!(from_one > 2, "{from_one} found without the others");
    }
}
