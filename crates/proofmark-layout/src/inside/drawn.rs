//! Layouts in which the code of functions that changed is moved within them: padding is drawn for
//! each place, anew for each seed.

use std::collections::HashMap;
use std::path::Path;

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::region::Region;
use super::replaced::replaced;
use super::text::Edit;
use super::{Inner, assemble};
use crate::LayoutError;
use crate::captured::Captured;
use crate::faithful;
use crate::recipe::Recipe;
use crate::set::{LayoutSet, Matching};
use crate::units::Units;

/// Padding of a place is less than this, in bytes: what compilers align to on most machines.
const MOST: u64 = 16;
/// What draws of another version are told apart by.
const DRAW_VERSION: &str = "proofmark 2026 padding within functions draw 1";

/// Builds whose changed functions are padded within.
pub struct Within {
    /// By build: the functions that have places for padding.
    inners: Vec<Vec<Inner>>,
}

impl Within {
    /// The functions of a set of jittered layouts that differ between its builds. `scratch` is a
    /// folder for files of the assembler.
    ///
    /// # Errors
    /// [`LayoutError::Inside`] where a function that changed has no assembler text, or shares its
    /// section; otherwise when an assembler fails.
    pub fn of(
        set: &LayoutSet,
        builds: &[Captured<'_>],
        scratch: &Path,
    ) -> Result<Within, LayoutError> {
        let scratch = crate::link::folder(scratch, "assemble")?;
        let inners: Vec<Vec<Inner>> = set
            .builds
            .iter()
            .zip(builds)
            .map(|(prepared, build)| {
                let changed = set.plans[prepared.plan].loose(prepared.member);
                let mut units: Vec<u32> = changed.into_keys().collect();
                units.sort_unstable();
                inners(&prepared.units, &units, *build, &scratch)
            })
            .collect::<Result<_, LayoutError>>()?;
        if inners.iter().all(Vec::is_empty) {
            return Err(LayoutError::Inside {
                function: "what differs between the builds".to_string(),
                why: "no function that changed has a loop or a branch target\n  \
                      next: leave --layouts out"
                    .to_string(),
            });
        }
        Ok(Within { inners })
    }

    /// How many functions are padded, over all builds.
    #[must_use]
    pub fn functions(&self) -> usize {
        self.inners.iter().map(Vec::len).sum()
    }

    /// The set of jittered layouts of the builds with the padding of a seed: links of this seed
    /// alone are meant to be made of it. `scratch` must outlive it, and the caller removes that.
    ///
    /// # Errors
    /// As those of [`LayoutSet::prepare`], and when an assembler fails.
    pub fn set(
        &self,
        base: &LayoutSet,
        seed: u64,
        scratch: &Path,
    ) -> Result<LayoutSet, LayoutError> {
        let recipes: Vec<Recipe> = base
            .builds
            .par_iter()
            .zip(&self.inners)
            .enumerate()
            .map(|(build, (prepared, inners))| {
                let folder = crate::link::folder(scratch, &format!("objects{build}"))?;
                padded(&prepared.recipe, &prepared.units, inners, seed, &folder)
            })
            .collect::<Result<_, LayoutError>>()?;
        let recipes: Vec<&Recipe> = recipes.iter().collect();
        let set = LayoutSet::prepare(&recipes, Matching::Jittered, base.population, scratch)?;
        if faithful::is_sampled(seed) {
            for (own, other) in base.builds.iter().zip(&set.builds) {
                let other = (other.reference.path.as_path(), &other.reference.linked);
                faithful::drawn(&own.recipe, &own.units, &own.reference, other, seed)?;
            }
        }
        Ok(set)
    }
}

/// The functions of these units that have places for padding.
fn inners(
    units: &Units,
    changed: &[u32],
    build: Captured<'_>,
    scratch: &Path,
) -> Result<Vec<Inner>, LayoutError> {
    let inner = |unit: &u32| {
        let (section, part) = units.unit(*unit);
        let symbol = section.symbol.clone().unwrap_or_default();
        if section.functions > 1 {
            return Err(LayoutError::Inside {
                function: symbol,
                why: format!(
                    "it is one of {} functions of {} in one section\n  next: build it with \
                     -ffunction-sections, or leave --layouts out",
                    section.functions, part.label
                ),
            });
        }
        Inner::new(units, *unit, (&symbol, &symbol), build.texts, scratch)
    };
    let mut found: Vec<Inner> = changed
        .par_iter()
        .map(inner)
        .collect::<Result<_, LayoutError>>()?;
    found.retain(|inner| !inner.points().is_empty());
    Ok(found)
}

/// The recipe with the objects of these functions assembled with the padding of a seed.
fn padded(
    recipe: &Recipe,
    units: &Units,
    inners: &[Inner],
    seed: u64,
    folder: &Path,
) -> Result<Recipe, LayoutError> {
    let mut by_part: HashMap<(usize, Option<usize>), Vec<&Inner>> = HashMap::new();
    for inner in inners {
        by_part
            .entry(units.part(inner.unit))
            .or_default()
            .push(inner);
    }
    let objects: HashMap<(usize, Option<usize>), Vec<u8>> = by_part
        .into_par_iter()
        .map(|(part, inners)| Ok((part, object(&inners, seed, folder)?)))
        .collect::<Result<_, LayoutError>>()?;
    replaced(recipe, units, &objects, folder)
}

/// One object with the padding of a seed in these functions of its.
fn object(inners: &[&Inner], seed: u64, folder: &Path) -> Result<Vec<u8>, LayoutError> {
    let edits: Vec<(&Region, Edit)> = inners
        .iter()
        .map(|inner| {
            let edit = Edit {
                pads: Some(pads(inner.region.symbol(), inner.points().len(), seed)),
                ..Edit::default()
            };
            (&inner.region, edit)
        })
        .collect();
    let edits: Vec<(&Region, &Edit)> = edits.iter().map(|(region, edit)| (*region, edit)).collect();
    let Some(first) = inners.first() else {
        return Ok(Vec::new());
    };
    assemble(&first.assembly, &first.text.with(&edits), folder)
}

/// Bytes of padding at each place of a function: the same in builds that share it.
fn pads(symbol: &str, places: usize, seed: u64) -> Vec<u64> {
    let mut hasher = blake3::Hasher::new_derive_key(DRAW_VERSION);
    hasher.update(&seed.to_le_bytes());
    hasher.update(symbol.as_bytes());
    let mut draw = ChaCha8Rng::from_seed(*hasher.finalize().as_bytes());
    (0..places).map(|_| draw.random_range(0..MOST)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_is_drawn_by_name_and_seed() {
        let first = pads("f", 400, 1);
        assert_eq!(first, pads("f", 400, 1));
        assert_ne!(first, pads("f", 400, 2));
        assert_ne!(first, pads("g", 400, 1));
        assert!((0..MOST).all(|bytes| first.contains(&bytes)));
        assert!(first.iter().all(|bytes| *bytes < MOST));
        // One place more changes none of the others.
        assert_eq!(pads("f", 401, 1)[..400], first);
    }
}
