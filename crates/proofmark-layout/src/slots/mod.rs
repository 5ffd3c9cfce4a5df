//! Layouts in which each function's place is drawn by itself: a slot for each, so that some can be
//! kept while all others are drawn again.
//!
//! In `pad` and `shuffle` a function starts where the one before it ends, so that its place depends
//! on all gaps before it, and keeping it alone is impossible. Here the build's own order is cut
//! into slots that start at one address in all layouts. A function starts anywhere in its slot, at
//! multiples of its alignment. The slots of the functions in question are a page longer than these:
//! their starts are drawn anew modulo 4096. All others are drawn modulo 64, as near gaps are. That
//! makes the code as dense as in `pad`, but for those pages.

mod draw;
mod verify;

use std::path::{Path, PathBuf};

use crate::LayoutError;
use crate::draw::Placement;
use crate::elf::block::Block;
use crate::elf::image::Linked;
use crate::linker::Backend;
use crate::placed::{Chosen, Moved, Placeable, moved};
use crate::plan::Plan;
use crate::prepared::{Prepared, mark};
use crate::seen::Seen;
use draw::{Slots, draw};

/// A layout in slots: the places of some functions from one seed, and all others from another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mix {
    /// Everything that is not kept comes from this seed.
    pub seed: u64,
    /// Functions whose places come from the other seed, as indices into [`SlotSet::functions`].
    pub kept: Vec<usize>,
    /// That seed.
    pub kept_seed: u64,
}

impl Mix {
    /// The layout of one seed.
    #[must_use]
    pub fn of(seed: u64) -> Mix {
        Mix {
            seed,
            kept: Vec::new(),
            kept_seed: seed,
        }
    }
}

/// A function that cannot be moved by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unmoved {
    /// Its index among those that were asked for.
    pub function: usize,
    /// Why.
    pub why: String,
}

/// A build ready to be linked in slots.
pub struct SlotSet {
    prepared: Prepared,
    plan: Plan,
    backend: Box<dyn Backend>,
    links: PathBuf,
    slots: Slots,
    /// The functions in question.
    wide: Vec<Moved>,
    /// For each of them, its index among those that were asked for.
    asked: Vec<usize>,
    unmoved: Vec<Unmoved>,
    /// Where the code starts, in all images.
    text: u64,
    /// Where everything else is, in all images.
    fixed: Option<Linked>,
}

/// An image in slots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlottedImage {
    /// The file.
    pub path: PathBuf,
    /// Its layout.
    pub mix: Mix,
}

impl SlotSet {
    /// Gives each function a slot, and those that were chosen one that is a page longer. Chosen
    /// ones that cannot be moved by themselves are left out, see [`SlotSet::unmoved`].
    ///
    /// # Errors
    /// When the linker does not keep a promise, or a link fails.
    pub fn new(build: Placeable, chosen: &[Chosen]) -> Result<SlotSet, LayoutError> {
        let (mut wide, mut asked, mut unmoved) = (Vec::<Moved>::new(), Vec::new(), Vec::new());
        for (function, one) in chosen.iter().enumerate() {
            match moved(&build.observed, std::slice::from_ref(one), None) {
                Ok(found) => {
                    for one in found {
                        if wide.iter().all(|known| known.unit != one.unit) {
                            wide.push(one);
                            asked.push(function);
                        }
                    }
                }
                Err(LayoutError::CannotPlace { why, .. }) => {
                    unmoved.push(Unmoved { function, why });
                }
                Err(error) => return Err(error),
            }
        }
        let Placeable {
            observed,
            backend,
            recipe,
            scratch,
            ..
        } = build;
        let seen = Seen::new(&observed.units, &observed.live, &observed.held.units);
        let mut plan = Plan::new(&[seen]);
        let is_wide = |unit: u32| wide.iter().any(|one| one.unit == unit);
        let wide_ones: Vec<bool> = {
            let mut each = vec![false; plan.functions.len()];
            for (function, unit, _) in plan.members() {
                each[function] = is_wide(unit);
            }
            each
        };
        let slots = Slots::of(&plan.functions, &wide_ones);
        plan.room = slots.room();
        let prepared = Prepared::new(&recipe, observed, &plan, (0, 0), &*backend)?;
        let mut set = SlotSet {
            prepared,
            plan,
            backend,
            links: crate::link::folder(&scratch, "links")?,
            slots,
            wide,
            asked,
            unmoved,
            text: 0,
            fixed: None,
        };
        set.try_out(&scratch.join("trial"))?;
        Ok(set)
    }

    /// The functions in question that can be moved by themselves, as indices into those that were
    /// asked for.
    #[must_use]
    pub fn functions(&self) -> &[usize] {
        &self.asked
    }

    /// Those that cannot, and why.
    #[must_use]
    pub fn unmoved(&self) -> &[Unmoved] {
        &self.unmoved
    }

    /// Where the functions in question start in a layout, as linked.
    #[must_use]
    pub fn starts(&self, mix: &Mix) -> Vec<u64> {
        let placements = self.placements(mix);
        let start = |one: &Moved| {
            let of = |placement: &&Placement| self.plan.unit(0, placement) == Some(one.unit);
            let found = placements.iter().find(of);
            found.map_or(0, |placement| self.text + placement.start + one.entry)
        };
        self.wide.iter().map(start).collect()
    }

    /// Links a layout. The same inputs and the same layout give the same bytes.
    ///
    /// # Errors
    /// When the link fails, or a file cannot be written.
    pub fn link(&self, mix: &Mix, output: &Path) -> Result<SlottedImage, LayoutError> {
        let placements = self.placements(mix);
        let steps = self.plan.steps(0, &placements, self.prepared.slack());
        let output = std::path::absolute(output).map_err(LayoutError::file("find", output))?;
        let what = format!("the layout of seed {}", mix.seed);
        let links = &self.links;
        self.prepared
            .link(&self.plan, &steps, &*self.backend, links, (&output, &what))?;
        Ok(SlottedImage {
            path: output,
            mix: mix.clone(),
        })
    }

    /// Everything in its place.
    fn placements(&self, mix: &Mix) -> Vec<Placement> {
        let kept = |unit: u32| {
            let place = self.wide.iter().position(|one| one.unit == unit);
            place.is_some_and(|place| mix.kept.contains(&place))
        };
        let mut seeds = vec![mix.seed; self.plan.functions.len()];
        for (function, unit, _) in self.plan.members() {
            if kept(unit) {
                seeds[function] = mix.kept_seed;
            }
        }
        draw(&self.plan.functions, &self.slots, &seeds)
    }

    /// Links two layouts: where the code and everything else is in the one, it is in the other.
    fn try_out(&mut self, trial: &Path) -> Result<(), LayoutError> {
        let image = self.link(&Mix::of(0), trial)?;
        let linked = Linked::read(&image.path, true)?;
        let start = linked.marks.get(&mark("pme", Block::Text)).copied();
        self.text = start.ok_or_else(|| self.broken("the code starts at a mark", "none"))?;
        self.fixed = Some(linked);
        self.verify(std::slice::from_ref(&image))?;
        self.verify_content(&image)?;
        let other = self.link(&Mix::of(1), trial)?;
        self.verify(std::slice::from_ref(&other))?;
        std::fs::remove_file(trial).map_err(LayoutError::file("remove", trial))
    }

    fn broken(&self, promise: &'static str, found: impl Into<String>) -> LayoutError {
        LayoutError::PromiseBroken {
            linker: self.prepared.recipe.linker.kind,
            promise,
            found: found.into(),
        }
    }
}
