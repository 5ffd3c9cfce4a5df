//! What matched layouts even out beside places: data of which builds ask for another size or
//! another alignment, or that one build alone has. All builds get as much of it and as aligned, so
//! that whatever that does to caches is the same for all.

use crate::LayoutError;
use crate::elf::relocatable::Block;
use crate::pairing::{Identity, Shared};
use crate::recipe::Recipe;
use crate::units::Units;

/// Data that matched layouts make alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evened {
    /// How many sections of data.
    pub count: usize,
    /// The largest of them, with what differs.
    pub example: String,
}

/// What of two builds' data matched layouts make alike; `None` where both have the same.
///
/// # Errors
/// When an input cannot be read.
pub fn evened(a: &Recipe, b: &Recipe) -> Result<Option<Evened>, LayoutError> {
    let (a, b) = rayon::join(|| Units::read(a), || Units::read(b));
    let units = [a?, b?];
    let mut count = 0;
    let mut largest: Option<(u64, String)> = None;
    let mut note = |size: u64, said: String| {
        count += 1;
        if largest.as_ref().is_none_or(|(most, _)| size > *most) {
            largest = Some((size, said));
        }
    };
    let shared = Shared::of(&units);
    for [own, other] in shared.pairs {
        let (a, b) = (units[0].unit(own).0, units[1].unit(other).0);
        if a.block == Block::Text || b.block == Block::Text {
            continue;
        }
        let name = Identity::of(&units[1], other).name().into_owned();
        let size = a.size.max(b.size);
        if a.size != b.size {
            note(size, format!("{name}: {} to {} bytes", a.size, b.size));
        } else if a.alignment != b.alignment {
            let (from, to) = (a.alignment, b.alignment);
            note(
                size,
                format!("{name}: aligned to {from}, then to {to} bytes"),
            );
        }
    }
    for (units, alone) in units.iter().zip(&shared.alone) {
        for &unit in alone {
            let section = units.unit(unit).0;
            if section.block != Block::Text && section.size > 0 {
                let name = Identity::of(units, unit).name().into_owned();
                let size = section.size;
                note(size, format!("{name}: {size} bytes in one build alone"));
            }
        }
    }
    Ok(largest.map(|(_, example)| Evened { count, example }))
}
