//! Common symbols: zeroed data that no object holds, and that a linker makes room for (C with
//! `-fcommon`, Fortran's `COMMON`). In layouts an object of our own defines them, behind all
//! others, so that they are kept in step and drawn as other data is.

use std::collections::HashMap;
use std::path::Path;

use crate::LayoutError;
use crate::data::{Datum, Frame, Slots};
use crate::elf::Machine;
use crate::elf::block::Block;
use crate::elf::image::Linked;
use crate::elf::pad::{Defined, zeroed};
use crate::link::sections::has_script;
use crate::recipe::Recipe;
use crate::units::Units;

/// What an image has of a common symbol.
#[derive(Clone, Debug)]
pub(crate) struct Common {
    name: String,
    /// Bytes.
    size: u64,
    /// Bytes.
    alignment: u64,
}

/// The common symbols of a build that its image holds as such, in the order of addresses: no object
/// defines them. None where a script of the build's own may place them.
pub(crate) fn held(
    recipe: &Recipe,
    units: &Units,
    image: &Path,
) -> Result<Vec<Common>, LayoutError> {
    if units.commons.is_empty() || has_script(recipe) {
        return Ok(Vec::new());
    }
    let linked = Linked::read(image, true)?;
    let mut sections: Vec<(u64, u64)> = linked
        .handles
        .iter()
        .map(|(unit, at)| (*at, units.unit(*unit).0))
        .filter(|(_, section)| section.block == Block::Bss)
        .map(|(at, section)| (at, at + section.size))
        .collect();
    sections.sort_unstable();
    let is_in_section = |address: u64| {
        let behind = sections.partition_point(|(start, _)| *start <= address);
        behind > 0 && address < sections[behind - 1].1
    };
    let is_zeroed = |address: u64| {
        let span = linked.section_at(address);
        span.is_some_and(|span| span.name == Block::Bss.section_name())
    };
    let mut found = Vec::new();
    for (name, (size, alignment)) in &units.commons {
        let named = linked.named.get(name).filter(|named| !named.is_function);
        let Some(address) = named.map(|named| named.address) else {
            continue;
        };
        let Ok(name) = String::from_utf8(name.clone()) else {
            continue;
        };
        if is_zeroed(address) && !is_in_section(address) {
            let alignment = (*alignment).max(1);
            found.push((
                address,
                Common {
                    name,
                    size: *size,
                    alignment,
                },
            ));
        }
    }
    found.sort_by_key(|(address, _)| *address);
    Ok(found.into_iter().map(|(_, common)| common).collect())
}

/// The common symbols of the builds of a plan.
#[derive(Clone)]
pub(crate) struct Commons {
    frame: Frame,
    builds: Vec<Vec<Common>>,
}

impl Commons {
    /// None where no build has any.
    pub(crate) fn of(builds: Vec<Vec<Common>>) -> Option<Commons> {
        let mut rows: HashMap<&str, usize> = HashMap::new();
        for common in builds.iter().flatten() {
            let next = rows.len();
            rows.entry(&common.name).or_insert(next);
        }
        let names: HashMap<usize, String> = rows
            .iter()
            .map(|(name, row)| (*row, (*name).to_owned()))
            .collect();
        let datum = |(unit, common): (u32, &Common)| Datum {
            unit,
            row: rows[common.name.as_str()],
            size: common.size,
            alignment: common.alignment,
        };
        let data: Vec<Vec<Datum>> = builds
            .iter()
            .map(|commons| (0..).zip(commons).map(datum).collect())
            .collect();
        if rows.is_empty() {
            return None;
        }
        let mut frame = Frame::new(&data);
        frame.draw(|row| names.get(&row).cloned().unwrap_or_default());
        Some(Commons { frame, builds })
    }

    /// Where they go in the layout of a seed.
    pub(crate) fn drawn(&self, seed: u64) -> Slots {
        self.frame.drawn("COMMON", seed)
    }

    /// The object that defines those of a build.
    pub(crate) fn object(&self, machine: Machine, build: usize, slots: &Slots) -> Vec<u8> {
        let mut at = slots.lead[build];
        let alignments: HashMap<u32, u64> = self.frame.alignments(build).collect();
        let mut symbols = Vec::new();
        for (unit, common) in (0..).zip(&self.builds[build]) {
            at = at.next_multiple_of(alignments.get(&unit).copied().unwrap_or(1));
            symbols.push(Defined {
                name: &common.name,
                offset: at,
                size: common.size,
            });
            at += slots.sizes[build]
                .get(&unit)
                .copied()
                .unwrap_or(common.size);
        }
        zeroed(machine, at, self.frame.alignment.max(64), &symbols)
    }
}
