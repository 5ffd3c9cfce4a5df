//! What matched layouts even out beside places: data that both builds have, in other sizes. All
//! builds get as much of it, so that whatever that does to caches is the same for all.
//!
//! Data that one build alone has moves what lies behind it, as code does: that is placement.

use std::collections::BTreeMap;

use object::LittleEndian as LE;
use object::elf;
use object::read::elf::Sym;

use crate::LayoutError;
use crate::content::with_object;
use crate::elf::block::Block;
use crate::name::normalised;
use crate::pairing::shared;
use crate::recipe::Recipe;
use crate::units::Units;

/// What matched layouts make alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evened {
    /// How many names of data have another size, or how many functions and data another order.
    pub count: usize,
    /// The largest of them; of data with both sizes.
    pub example: String,
}

/// What of two builds' data matched layouts make alike; `None` where all that both have is of one
/// size.
///
/// # Errors
/// When an input cannot be read.
pub fn evened(a: &Recipe, b: &Recipe) -> Result<Option<Evened>, LayoutError> {
    let (a, b) = rayon::join(|| Units::read(a), || Units::read(b));
    let units = [a?, b?];
    let mut count = 0;
    let mut largest: Option<(u64, String)> = None;
    for [own, other] in shared(&units) {
        let (a, b) = (units[0].unit(own).0, units[1].unit(other).0);
        if a.block == Block::Text || b.block == Block::Text || a.size == b.size {
            continue;
        }
        let sizes = [sizes(&units[0], own), sizes(&units[1], other)];
        for (name, own) in &sizes[0] {
            let Some(other) = sizes[1].get(name).filter(|other| *other != own) else {
                continue;
            };
            count += 1;
            let size = *own.max(other);
            if largest.as_ref().is_none_or(|(most, _)| size > *most) {
                largest = Some((size, format!("{name}: {own} to {other} bytes")));
            }
        }
    }
    Ok(largest.map(|(_, example)| Evened { count, example }))
}

/// The names in a unit of data, with the bytes of each; of one name together.
fn sizes(units: &Units, unit: u32) -> BTreeMap<String, u64> {
    let index = units.unit(unit).0.index;
    let named = with_object(units, unit, |object| {
        let mut sizes: BTreeMap<String, u64> = BTreeMap::new();
        for symbol in object.symbols.iter() {
            let is_data = matches!(symbol.st_type(), elf::STT_OBJECT | elf::STT_TLS);
            let here = symbol.st_shndx(LE).index().map(u32::from) == Some(index);
            if is_data && here && symbol.st_size(LE) > 0 {
                let name = object.symbols.symbol_name(LE, symbol)?;
                let name = normalised(&String::from_utf8_lossy(name)).into_owned();
                *sizes.entry(name).or_default() += symbol.st_size(LE);
            }
        }
        Ok(sizes)
    });
    named.unwrap_or_default()
}
