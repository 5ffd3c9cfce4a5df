//! Functions and data compared by their bytes, with all that the linker fills in left out.
//!
//! Read without its relocations, code does not always say what a number in it means: the distance
//! of a thread's datum from the thread's pointer, and the end of a region behind which another
//! function stands. Both differ in a layout, and rightly. That the places lead to the same things
//! is then told by the handles: the same sections are in both images, between the same symbols.

use std::path::Path;

use object::LittleEndian as LE;
use object::elf;
use object::read::elf::{FileHeader, Rela, SectionHeader};
use proofmark_code::diff::{How, Unlike};

use super::Reference;
use crate::LayoutError;
use crate::content::with_object;
use crate::elf::image::Linked;
use crate::units::Units;

/// Two images of one build, and what was put where in them.
pub(super) struct Relocated<'b> {
    units: &'b Units,
    images: [(Vec<u8>, &'b Linked); 2],
    /// Units by address in the reference, but for thread-local data.
    placed: Vec<(u64, u32)>,
}

impl<'b> Relocated<'b> {
    pub(super) fn new(
        units: &'b Units,
        reference: &'b Reference,
        drawn: (&Path, &'b Linked),
    ) -> Result<Relocated<'b>, LayoutError> {
        let read = |path: &Path| std::fs::read(path).map_err(LayoutError::file("read", path));
        let mut placed: Vec<(u64, u32)> = reference
            .linked
            .handles
            .iter()
            .filter(|(unit, _)| !units.unit(**unit).0.block.is_thread_local())
            .map(|(unit, at)| (*at, *unit))
            .collect();
        placed.sort_unstable();
        Ok(Relocated {
            units,
            images: [
                (read(&reference.path)?, &reference.linked),
                (read(drawn.0)?, drawn.1),
            ],
            placed,
        })
    }

    /// Whether a function or a datum differs in nothing but what the linker filled in.
    pub(super) fn explain(&self, unlike: &Unlike) -> bool {
        let (How::Content, [Some(at), _]) = (unlike.how, unlike.at) else {
            return false;
        };
        let after = self.placed.partition_point(|(start, _)| *start <= at.get());
        let Some((_, unit)) = after.checked_sub(1).map(|before| self.placed[before]) else {
            return false;
        };
        self.same_but_for_places(unit).unwrap_or(false)
    }

    fn same_but_for_places(&self, unit: u32) -> Option<bool> {
        let size = self.units.unit(unit).0.size;
        let bytes = self.images.each_ref().map(|(data, linked)| {
            let at = *linked.handles.get(&unit)?;
            read_at(data, at, size)
        });
        let [Some(mut own), Some(mut other)] = bytes else {
            return Some(false);
        };
        let places = self.places(unit)?;
        for (offset, width) in places.iter().copied() {
            let from = usize::try_from(offset).ok()?;
            let end = usize::try_from(offset + width).ok()?;
            for bytes in [&mut own, &mut other] {
                let end = end.min(bytes.len());
                bytes.get_mut(from.min(end)..end)?.fill(0);
            }
        }
        Some(own == other)
    }

    /// Where the linker fills something in, and how many bytes.
    fn places(&self, unit: u32) -> Option<Vec<(u64, u64)>> {
        let index = self.units.unit(unit).0.index;
        with_object(self.units, unit, |object| {
            let mut found = Vec::new();
            for header in object.sections.iter() {
                let Some((relocations, _)) = header.rela(LE, object.data)? else {
                    continue;
                };
                if header.sh_info(LE) != index {
                    continue;
                }
                for relocation in relocations {
                    let kind = relocation.r_type(LE, false);
                    let wide = kind == elf::R_X86_64_64 || kind == elf::R_AARCH64_ABS64;
                    found.push((relocation.r_offset(LE), if wide { 8 } else { 4 }));
                }
            }
            Ok(found)
        })
    }
}

/// Bytes at an address of an image.
fn read_at(data: &[u8], address: u64, size: u64) -> Option<Vec<u8>> {
    let header = elf::FileHeader64::<LE>::parse(data).ok()?;
    let sections = header.sections(LE, data).ok()?;
    sections
        .iter()
        .filter(|section| section.sh_flags(LE).0 & elf::SHF_ALLOC.0 != 0)
        .find_map(|section| {
            let bytes = section.data(LE, data).ok()?;
            let from = usize::try_from(address.checked_sub(section.sh_addr(LE))?).ok()?;
            let end = from.checked_add(usize::try_from(size).ok()?)?;
            bytes.get(from..end).map(<[u8]>::to_vec)
        })
}
