//! Where functions start in the layouts of a seed, without a link.

use crate::LayoutError;
use crate::elf::block::Block;
use crate::placed::Chosen;
use crate::set::LayoutSet;

impl LayoutSet {
    /// Where these functions of a build start in the layout of a seed, in bytes behind the start of
    /// all code, which is the same for each seed of a build. None of what layouts do not move. The
    /// functions go by their addresses in the build's own order, see
    /// [`Placeable::image`](crate::Placeable::image).
    ///
    /// # Errors
    /// When there is no such build.
    pub fn starts(
        &self,
        build: usize,
        seed: u64,
        functions: &[Chosen],
    ) -> Result<Vec<Option<u64>>, LayoutError> {
        let (prepared, plan, layout) = self.layout(build, seed)?;
        let handles = &prepared.reference.linked.handles;
        // The section that holds an address, and how far into it that is.
        let home = |address: u64| {
            let code = handles.iter().filter(|(unit, _)| {
                let (section, _) = prepared.units.unit(**unit);
                section.block == Block::Text
            });
            let before = code.filter_map(|(unit, at)| {
                let within = address.checked_sub(*at)?;
                (within < prepared.units.unit(*unit).0.size).then_some((*unit, within))
            });
            before.min_by_key(|(unit, within)| (*within, *unit))
        };
        let start = |function: &Chosen| {
            let (unit, within) = home(function.address)?;
            let of = |placement: &&crate::draw::Placement| {
                plan.unit(prepared.member, placement) == Some(unit)
            };
            let placement = layout.functions.iter().find(of)?;
            Some(placement.start + within)
        };
        Ok(functions.iter().map(start).collect())
    }
}
