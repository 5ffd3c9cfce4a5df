//! A build as layouts see it: its units in their order, and which of them may start anywhere.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::elf::Machine;
use crate::elf::block::Block;
use crate::pairing::Identity;
use crate::units::{Live, Units};

/// A function's unit in one build.
#[derive(Clone, Copy)]
pub(crate) struct SeenUnit {
    pub(crate) unit: u32,
    pub(crate) size: u64,
    pub(crate) alignment: u64,
    /// The alignment is not the one that it came with.
    pub(crate) loose: bool,
}

/// A build as a plan sees it.
pub(crate) struct Seen<'b> {
    pub(crate) units: &'b Units,
    /// Numbers of its units in the image, in the order of addresses; of folded ones, the first.
    pub(crate) order: Vec<u32>,
    /// What each function says, where those that differ between builds may start anywhere.
    digests: Option<&'b HashMap<u32, blake3::Hash>>,
    /// The alignment that a function has without anybody asking for it, in bytes.
    usual: u64,
}

/// What gcc and clang align functions to on x86-64 where they are not asked to be small, in bytes.
const FOR_SPEED: u64 = 16;

/// The least alignment of a function that may start anywhere, in bytes. x86-64 would run code at
/// any address, but the lowest bit of a member function's address says that it is virtual (Itanium
/// C++ ABI, 2.3).
fn loosest(machine: Machine) -> u64 {
    match machine {
        Machine::X86_64 => 2,
        Machine::Aarch64 => 4,
    }
}

impl<'b> Seen<'b> {
    /// A build whose image as shipped has these units; what is held takes no part.
    pub(crate) fn new(units: &'b Units, live: &Live, held: &HashSet<u32>) -> Seen<'b> {
        let mut order: Vec<(u64, u32)> = live
            .iter()
            .filter(|(unit, _)| !held.contains(unit))
            .map(|(unit, address)| (*address, *unit))
            .collect();
        order.sort_unstable();
        // Functions that the linker folded into one share an address; none that stay apart do,
        // because no unit is empty.
        let blocks = |unit: u32| units.unit(unit).0.block;
        order.dedup_by(|next, first| {
            next.0 == first.0 && blocks(next.1) == Block::Text && blocks(first.1) == Block::Text
        });
        Seen {
            units,
            order: order.into_iter().map(|(_, unit)| unit).collect(),
            digests: None,
            usual: 0,
        }
    }

    /// The same, and functions that differ from another build's may start anywhere, unless somebody
    /// asked for their alignment.
    pub(crate) fn loose(self, digests: &'b HashMap<u32, blake3::Hash>) -> Seen<'b> {
        Seen {
            digests: Some(digests),
            usual: self.usual(),
            ..self
        }
    }

    /// The alignment that most functions have: the compiler's choice, or that of an option. At
    /// least what compilers choose for speed.
    fn usual(&self) -> u64 {
        let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
        let functions = self.order.iter().map(|unit| self.units.unit(*unit).0);
        for function in functions.filter(|section| section.block == Block::Text) {
            *counts.entry(function.alignment).or_default() += 1;
        }
        let most = counts.into_iter().max_by_key(|(_, count)| *count);
        most.map_or(FOR_SPEED, |(alignment, _)| alignment.max(FOR_SPEED))
    }

    pub(crate) fn identities(&self) -> Vec<Identity> {
        self.order
            .iter()
            .map(|unit| Identity::of(self.units, *unit))
            .collect()
    }

    pub(crate) fn seen_unit(&self, unit: u32, loose: bool) -> SeenUnit {
        SeenUnit {
            unit,
            size: self.size(unit),
            alignment: if loose {
                loosest(self.units.machine)
            } else {
                self.alignment(unit)
            },
            loose,
        }
    }

    pub(crate) fn size(&self, unit: u32) -> u64 {
        self.units.unit(unit).0.size
    }

    pub(crate) fn alignment(&self, unit: u32) -> u64 {
        self.units.unit(unit).0.alignment
    }
}

/// Whether a function may start anywhere: its units do not say the same in all builds, or not all
/// builds have one. One of which a build asks for an alignment keeps it, for a program may rest on
/// that.
pub(crate) fn loose(builds: &[Seen<'_>], units: &[Option<u32>]) -> bool {
    let mut digests = builds.iter().zip(units).map(|(seen, unit)| {
        let digests = seen.digests?;
        Some(unit.and_then(|unit| digests.get(&unit)))
    });
    let first = digests.next().flatten();
    let asked = |(seen, unit): (&Seen<'_>, &Option<u32>)| {
        unit.is_some_and(|unit| seen.alignment(unit) > seen.usual)
    };
    first.is_some()
        && !digests.all(|digest| digest == first)
        && !builds.iter().zip(units).any(asked)
}
