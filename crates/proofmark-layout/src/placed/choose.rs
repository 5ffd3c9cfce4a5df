//! From functions that were chosen to the sections that are moved.

use std::path::Path;

use super::{Chosen, in_file};
use crate::LayoutError;
use crate::elf::block::Block;
use crate::observed::Observed;

/// A function that is moved, with the section that it is in.
#[derive(Clone, Debug)]
pub(crate) struct Moved {
    pub(crate) unit: u32,
    /// What people call it.
    pub(crate) name: String,
    /// Bytes from the start of its section to its own.
    pub(crate) entry: u64,
    /// Where it starts as shipped.
    pub(crate) shipped: u64,
    /// Those of one group move together: 0, or 1 for what is swept against them.
    pub(crate) group: usize,
}

/// The sections of the chosen functions, each once and in the order in which they were chosen.
pub(crate) fn moved(
    observed: &Observed,
    chosen: &[Chosen],
    shipped: Option<&Path>,
) -> Result<Vec<Moved>, LayoutError> {
    let mut moved: Vec<Moved> = Vec::with_capacity(chosen.len());
    for one in chosen {
        let (unit, home) = section(observed, one)?;
        if moved.iter().any(|known| known.unit == unit) {
            continue;
        }
        // Objects that were compiled a second time may have put it elsewhere.
        let own = shipped.map_or(Ok(None), |file| in_file(file, one, observed.image()))?;
        moved.push(Moved {
            unit,
            name: one.name.clone(),
            entry: one.address - home,
            shipped: own.unwrap_or(one.address).max(one.address - home),
            group: 0,
        });
    }
    if moved.is_empty() {
        return Err(LayoutError::CannotPlace {
            function: "no function".to_string(),
            why: "name one to be moved".to_string(),
        });
    }
    Ok(moved)
}

/// The section that a function is all of, and its address.
fn section(observed: &Observed, one: &Chosen) -> Result<(u32, u64), LayoutError> {
    let refused = |why: String| LayoutError::CannotPlace {
        function: one.name.clone(),
        why,
    };
    let holds = |(unit, start): &(&u32, &u64)| {
        let section = observed.units.unit(**unit).0;
        let within = one.address.checked_sub(**start);
        section.block == Block::Text && within.is_some_and(|offset| offset < section.size)
    };
    let mut holders = observed.live.iter().filter(holds);
    let Some((unit, home)) = holders.next() else {
        return Err(refused(
            "it is in no section of code that a linker moves: start-up code of the system, or code \
             that the linker made itself".to_string(),
        ));
    };
    if holders.next().is_some() {
        return Err(refused(
            "the linker folded it with another function of equal content (--icf), which would move \
             with it; link without folding".to_string(),
        ));
    }
    if observed.held.units.contains(unit) {
        return Err(refused(
            "a linker script of the build says where it goes".to_string(),
        ));
    }
    let (section, part) = observed.units.unit(*unit);
    if section.functions > 1 {
        return Err(refused(format!(
            "it is one of {} functions of {} in one section ({}), which moves as a whole: built \
             without -ffunction-sections, or assembly; build it with function sections, or give it \
             a section of its own",
            section.functions, part.label, section.name
        )));
    }
    Ok((*unit, *home))
}
