//! Common symbols: zeroed data that no object holds, and that a linker makes room for (C with
//! `-fcommon`, Fortran's `COMMON`). In layouts an object of our own defines them, behind all
//! others, so that they are kept in step and drawn as other data is.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use crate::LayoutError;
use crate::data::{Datum, Frame, Slots};
use crate::elf::Machine;
use crate::elf::block::Block;
use crate::elf::image::Linked;
use crate::elf::own::OwnSections;
use crate::elf::pad::{Defined, Piece, defining};
use crate::link::sections::has_script;
use crate::recipe::Recipe;
use crate::sources::each_object;
use crate::units::{Live, Units, is_linked};

/// Which of an image's zeroed data common symbols are in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Zeroed {
    /// That of all code models.
    Near,
    /// That of the medium code model.
    Large,
}

impl Zeroed {
    const ALL: [Zeroed; 2] = [Zeroed::Near, Zeroed::Large];

    fn section(self) -> &'static str {
        match self {
            Zeroed::Near => Block::Bss.section_name(),
            Zeroed::Large => OwnSections::LargeZeroed.front(),
        }
    }

    /// The name by which the piece of our own is kept.
    fn root(self) -> &'static str {
        match self {
            Zeroed::Near => "pmb_common",
            Zeroed::Large => "pmb_large_common",
        }
    }

    fn flags(self) -> u64 {
        match self {
            Zeroed::Near => 0,
            Zeroed::Large => OwnSections::LargeZeroed.flags(),
        }
    }
}

/// What an image has of a common symbol.
#[derive(Clone, Debug)]
pub(crate) struct Common {
    name: String,
    zeroed: Zeroed,
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
    let large = large_zeroed(units, &linked.handles)?;
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
    let zeroed = |address: u64| {
        let span = linked.section_at(address)?;
        let mut all = Zeroed::ALL.into_iter();
        all.find(|zeroed| span.name == zeroed.section())
    };
    let mut found = Vec::new();
    for (name, (size, alignment)) in &units.commons {
        let named = linked.named.get(name).filter(|named| !named.is_function);
        let Some(address) = named.map(|named| named.address) else {
            continue;
        };
        let Some(zeroed) = zeroed(address) else {
            continue;
        };
        let defined = match zeroed {
            Zeroed::Near => is_in_section(address),
            Zeroed::Large => large.contains(name),
        };
        let Ok(name) = String::from_utf8(name.clone()) else {
            continue;
        };
        if !defined {
            let alignment = (*alignment).max(1);
            found.push((
                address,
                Common {
                    name,
                    zeroed,
                    size: *size,
                    alignment,
                },
            ));
        }
    }
    found.sort_by_key(|(address, _)| *address);
    Ok(found.into_iter().map(|(_, common)| common).collect())
}

/// Symbols that an object of the image defines in large zeroed data.
fn large_zeroed(units: &Units, live: &Live) -> Result<HashSet<Vec<u8>>, LayoutError> {
    let mut found = HashSet::new();
    for source in &units.sources {
        each_object(source, |object, part| {
            if is_linked(source, part, live) {
                found.extend(object.large_zeroed()?);
            }
            Ok(())
        })?;
    }
    Ok(found)
}

/// Common symbols of the builds of a plan, of one kind.
#[derive(Clone)]
pub(crate) struct Commons {
    zeroed: Zeroed,
    frame: Frame,
    builds: Vec<Vec<Common>>,
}

impl Commons {
    /// Each kind that a build has, in the order of [`Zeroed`].
    pub(crate) fn of(builds: &[Vec<Common>]) -> Vec<Commons> {
        let of_kind = |zeroed: Zeroed| {
            let of_build = |commons: &Vec<Common>| {
                let commons = commons.iter().filter(|common| common.zeroed == zeroed);
                commons.cloned().collect()
            };
            Commons::of_kind(zeroed, builds.iter().map(of_build).collect())
        };
        Zeroed::ALL.into_iter().filter_map(of_kind).collect()
    }

    fn of_kind(zeroed: Zeroed, builds: Vec<Vec<Common>>) -> Option<Commons> {
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
        Some(Commons {
            zeroed,
            frame,
            builds,
        })
    }

    /// Where they go in the layout of a seed.
    pub(crate) fn drawn(&self, seed: u64) -> Slots {
        let name = match self.zeroed {
            Zeroed::Near => "COMMON",
            Zeroed::Large => "LARGE_COMMON",
        };
        self.frame.drawn(name, seed)
    }

    /// The section in which those of a build are.
    fn piece(&self, build: usize, slots: &Slots) -> (Piece, Vec<Defined<'_>>) {
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
        let piece = Piece {
            section: self.zeroed.section().to_owned(),
            block: Block::Bss,
            flags: self.zeroed.flags(),
            size: at,
            alignment: self.frame.alignment.max(64),
            symbols: vec![(self.zeroed.root().to_owned(), 0)],
        };
        (piece, symbols)
    }
}

/// An object that defines common symbols.
pub(crate) struct Definitions {
    pub(crate) object: Vec<u8>,
    /// Names by which it is kept.
    pub(crate) roots: Vec<&'static str>,
}

impl Definitions {
    /// Those of a build in one layout; none where it has none.
    pub(crate) fn of(
        machine: Machine,
        build: usize,
        commons: &[Commons],
        slots: &[Slots],
    ) -> Option<Definitions> {
        let pieces = commons.iter().zip(slots);
        let pieces = pieces.map(|(of, slots)| of.piece(build, slots));
        let pieces: Vec<_> = pieces.collect();
        (!pieces.is_empty()).then(|| Definitions {
            object: defining(machine, &pieces),
            roots: commons.iter().map(|of| of.zeroed.root()).collect(),
        })
    }
}
