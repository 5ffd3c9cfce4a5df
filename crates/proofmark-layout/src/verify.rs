//! The promises of a layout, checked on the linked images by their symbol tables: nothing is taken
//! for granted because it was asked for.

use std::collections::{BTreeMap, HashMap};

use rayon::prelude::*;

use crate::LayoutError;
use crate::elf::block::Block;
use crate::elf::image::Linked;
use crate::faithful;
use crate::link::sections::has_script;
use crate::pairing::Identity;
use crate::prepared::mark;
use crate::set::{LayoutSet, LinkedImage};

/// What was found true of linked images, and what could not be kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Promises {
    /// Images that were looked at.
    pub images: usize,
    /// Functions (or pieces of code that move as one) found in their place: in order, after the gap
    /// that was drawn. Over all images.
    pub placed: usize,
    /// Functions that matched builds share, each found at one address in all of them. Over all
    /// seeds.
    pub shared_functions: usize,
    /// Data that matched builds share, each found at one address in all of them. Over all seeds.
    pub shared_data: usize,
    /// What matched builds share and what is not at one address.
    pub elsewhere: Vec<Elsewhere>,
}

/// Something that matched builds share and that is not at one address in all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elsewhere {
    /// What it is, and why.
    pub what: String,
    /// How many, over all seeds.
    pub count: usize,
    /// One of them.
    pub example: String,
}

impl LayoutSet {
    /// Checks images of this set. Each holds what the build's own order holds, and so the file that
    /// the build left. Order, gaps and, in matched layouts, equal addresses of the code are
    /// absolute: when one is not found, that is an error. Shared data that a linker cannot keep at
    /// one address is counted and named.
    ///
    /// # Errors
    /// When a promise is broken, or an image cannot be read.
    pub fn verify(&self, images: &[LinkedImage]) -> Result<Promises, LayoutError> {
        let read: Vec<(&LinkedImage, Linked)> = images
            .par_iter()
            .map(|image| Ok((image, Linked::read(&image.path, true)?)))
            .collect::<Result<_, LayoutError>>()?;
        let mut promises = Promises {
            images: images.len(),
            ..Promises::default()
        };
        let mut by_seed: BTreeMap<u64, Vec<&(&LinkedImage, Linked)>> = BTreeMap::new();
        for one in &read {
            self.faithful(one.0, &one.1)?;
            promises.placed += self.placed(one.0, &one.1)?;
            by_seed.entry(one.0.seed).or_default().push(one);
        }
        for group in by_seed
            .values()
            .filter(|group| self.matching.is_matched() && group.len() > 1)
        {
            self.together(group, &mut promises)?;
        }
        Ok(promises)
    }

    /// Whether an image is what the user has: by its handles, and for some seeds by content.
    fn faithful(&self, image: &LinkedImage, linked: &Linked) -> Result<(), LayoutError> {
        let Some(build) = self.builds.get(image.build) else {
            return Ok(());
        };
        let unlike = build.unlike(linked);
        if !unlike.is_empty() {
            return Err(faithful::broken(&build.recipe, image.seed, &unlike));
        }
        if faithful::is_sampled(image.seed) {
            faithful::drawn(
                &build.recipe,
                &build.units,
                &build.reference,
                (&image.path, linked),
                image.seed,
            )?;
        }
        Ok(())
    }

    fn broken(&self, promise: &'static str, found: String) -> LayoutError {
        LayoutError::PromiseBroken {
            linker: self.builds[0].recipe.linker.kind,
            promise,
            found,
        }
    }

    /// Every function of the build where the draw puts it.
    fn placed(&self, image: &LinkedImage, linked: &Linked) -> Result<usize, LayoutError> {
        let build = self
            .builds
            .get(image.build)
            .ok_or(LayoutError::NoSuchBuild {
                build: image.build,
                builds: self.builds.len(),
            })?;
        let (plan, shown) = (&self.plans[build.plan], image.path.display());
        let start = *linked
            .marks
            .get(&mark("pme", Block::Text))
            .ok_or_else(|| self.broken("the code starts at a mark", format!("{shown} has none")))?;
        let mut placed = 0;
        for placement in &self.drawn(build.plan, image.seed)?.functions {
            let Some(unit) = plan.unit(build.member, placement) else {
                continue;
            };
            let found = linked.handles.get(&unit).copied();
            if found != Some(start + placement.start) {
                let name = &plan.functions[placement.function].key;
                let expected = start + placement.start;
                let found =
                    found.map_or_else(|| "nowhere".to_string(), |found| format!("at {found:#x}"));
                let said = format!("{name} of {shown} is {found} and belongs at {expected:#x}");
                if has_script(&build.recipe) {
                    return Err(faithful::placed_by_script(image.seed, &said));
                }
                return Err(self.broken("functions stand in the order and at the gaps drawn", said));
            }
            placed += 1;
        }
        Ok(placed)
    }

    /// Equal addresses in images of one seed.
    fn together(
        &self,
        group: &[&(&LinkedImage, Linked)],
        promises: &mut Promises,
    ) -> Result<(), LayoutError> {
        let plan = &self.plans[0];
        let text = mark("pme", Block::Text);
        let (first, others) = (group[0], &group[1..]);
        let elsewhere =
            |other: &&&(&LinkedImage, Linked)| other.1.marks.get(&text) != first.1.marks.get(&text);
        if let Some(other) = others.iter().find(elsewhere) {
            let found = format!(
                "the code of {} and of {} starts at different ones",
                first.0.path.display(),
                other.0.path.display()
            );
            return Err(self.broken("shared functions start at one address", found));
        }
        promises.shared_functions += plan.shared();
        let mut apart: BTreeMap<(Block, bool), (usize, String)> = BTreeMap::new();
        for datum in &plan.data {
            let place = |(image, linked): &&(&LinkedImage, Linked)| {
                let unit = datum.units[self.builds[image.build].member]?;
                Some((image.build, unit, *linked.handles.get(&unit)?))
            };
            let mut addresses = group.iter().filter_map(place);
            let Some((build, unit, address)) = addresses.next() else {
                continue;
            };
            if addresses.all(|(_, _, other)| other == address) {
                promises.shared_data += 1;
            } else {
                let name = || {
                    Identity::of(&self.builds[build].units, unit)
                        .name()
                        .into_owned()
                };
                apart
                    .entry((datum.block, datum.in_order))
                    .or_insert_with(|| (0, name()))
                    .0 += 1;
            }
        }
        for ((block, in_order), (count, example)) in apart {
            let why = if in_order {
                "the linker places the block by what stands around it"
            } else {
                "in another order in the builds"
            };
            promises.note(
                &format!("data in {}: {why}", block.section_name()),
                count,
                example,
            );
        }
        let linked: Vec<&Linked> = group.iter().map(|(_, linked)| linked).collect();
        by_name(&linked, promises);
        stubs(&linked, promises);
        Ok(())
    }
}

/// Functions and data by the names of the program itself: an account that does not rest on handles.
fn by_name(images: &[&Linked], promises: &mut Promises) {
    let (first, others) = (images[0], &images[1..]);
    let mut apart: HashMap<bool, Vec<(u64, &[u8])>> = HashMap::new();
    for (name, one) in &first.named {
        let differs = others
            .iter()
            .filter_map(|other| other.named.get(name))
            .any(|other| other.address != one.address);
        if differs {
            let of_kind = apart.entry(one.is_function).or_default();
            of_kind.push((one.size, name));
        }
    }
    for (function, names) in apart {
        // The largest is the likeliest to matter.
        let example = names.iter().max().map_or(&[][..], |(_, name)| name);
        let what = if function {
            "functions by name: inside code that differs and moves as one piece, in .init and .fini, or made by the linker"
        } else {
            "data by name: inside an object's data that differs, merged constants, tables of the linker"
        };
        let example = String::from_utf8_lossy(example).into_owned();
        promises.note(what, names.len(), example);
    }
}

/// Stubs of calls to libraries: linkers order them by all the symbols of a link, and so they may be
/// elsewhere though the builds call the same.
fn stubs(images: &[&Linked], promises: &mut Promises) {
    let (first, others) = (images[0], &images[1..]);
    let differs = |name: &Vec<u8>, at: &u64| {
        let mut places = others.iter().filter_map(|other| other.stubs.get(name));
        places.any(|place| place != at)
    };
    let apart = first.stubs.iter().filter(|(name, at)| differs(name, at));
    let mut names: Vec<&[u8]> = apart.map(|(name, _)| name.as_slice()).collect();
    names.sort_unstable();
    if let Some(example) = names.first() {
        let example = format!("{}@plt", String::from_utf8_lossy(example));
        promises.note("stubs of calls to libraries", names.len(), example);
    }
}

impl Promises {
    fn note(&mut self, what: &str, count: usize, example: String) {
        match self.elsewhere.iter_mut().find(|known| known.what == what) {
            Some(known) => known.count += count,
            None => self.elsewhere.push(Elsewhere {
                what: what.to_string(),
                count,
                example,
            }),
        }
    }
}
