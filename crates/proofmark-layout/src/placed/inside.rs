//! Images in which a function starts where it was shipped, and its code is moved within it: one
//! place for padding has other bytes, and what stands behind it moves along.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::{Placeable, PlacedImage, PlacedSet};
use crate::LayoutError;
use crate::captured::Captured;
use crate::elf::image::Linked;
use crate::inside::{Inner, Measured, Point, replaced};
use crate::units::Units;

/// Trials to reach an address: where a jump becomes longer, what stands behind it moves too.
const TRIALS: u32 = 4;

/// What a link with one object replaced is told by.
struct Variant {
    /// The object.
    object: PathBuf,
    /// Bytes of the function's section.
    code: u64,
}

/// A build ready to be linked with the code of one function moved within it.
pub struct InsideSet {
    set: PlacedSet,
    inner: Inner,
    point: usize,
    start: u64,
    /// By the address of what stands behind the padding. The anchor has none where its object is
    /// the one that was captured.
    variants: BTreeMap<u64, Option<Variant>>,
    left_out: Vec<(u64, String)>,
    scratch: PathBuf,
}

/// An address that was tried.
struct Tried {
    address: u64,
    pads: Vec<u64>,
    measured: Measured,
}

impl Placeable {
    /// A function whose code is to be moved within it, by its name and symbol.
    ///
    /// # Errors
    /// When it cannot be moved by itself, its object has no assembler text, or the text does not
    /// give the object again.
    pub fn inner(&self, chosen: &super::Chosen, build: Captured<'_>) -> Result<Inner, LayoutError> {
        let moved = super::moved(&self.observed, std::slice::from_ref(chosen), None)?;
        let unit = moved.first().map_or(0, |one| one.unit);
        let scratch = crate::link::folder(&self.scratch, "assemble")?;
        let names = (chosen.name.as_str(), chosen.symbol.as_str());
        Inner::new(&self.observed.units, unit, names, build.texts, &scratch)
    }
}

impl InsideSet {
    /// Bytes that the window of the function must have for what is asked.
    #[must_use]
    pub fn window(inner: &Inner, range: u64) -> u64 {
        // The window begins up to a page before the function, and its jumps may become longer.
        (2 * super::PAGE + range + 2 * inner.shipped.code).next_power_of_two()
    }

    /// Makes ready to pad one point, by its index, with 0 to `range` bytes less one, in steps;
    /// `set` has the function in a window of [`InsideSet::window`] bytes.
    ///
    /// # Errors
    /// When the assembler or a link fails, or the linker does not keep a promise.
    pub fn new(
        set: PlacedSet,
        inner: Inner,
        point: usize,
        (range, step): (u64, u64),
        scratch: &Path,
    ) -> Result<InsideSet, LayoutError> {
        let scratch = crate::link::folder(scratch, "inside")?;
        let start = set.starts(set.as_shipped()).first().copied().unwrap_or(0);
        let mut inside = InsideSet {
            set,
            inner,
            point,
            start,
            variants: BTreeMap::new(),
            left_out: Vec::new(),
            scratch,
        };
        let first = (inside.as_shipped() - inside.point().padding).next_multiple_of(step);
        let asked: Vec<u64> = (0..range.div_ceil(step))
            .map(|at| first + at * step)
            .collect();
        inside.make(&asked)?;
        Ok(inside)
    }

    /// The place that is padded.
    #[must_use]
    pub fn point(&self) -> Point {
        self.inner.points()[self.point]
    }

    /// Where what stands behind the padding is as shipped, as linked.
    #[must_use]
    pub fn as_shipped(&self) -> u64 {
        self.start + self.point().offset
    }

    /// Where the function starts.
    #[must_use]
    pub fn start(&self) -> u64 {
        self.start
    }

    /// The addresses that can be had, in ascending order.
    pub fn addresses(&self) -> impl Iterator<Item = u64> {
        self.variants.keys().copied()
    }

    /// Addresses that cannot be had, and why.
    #[must_use]
    pub fn left_out(&self) -> &[(u64, String)] {
        &self.left_out
    }

    /// Assembles the objects of all addresses, equally long in all but the function.
    fn make(&mut self, asked: &[u64]) -> Result<(), LayoutError> {
        let tried: Vec<Result<Tried, (u64, String)>> = asked
            .par_iter()
            .filter(|address| **address != self.as_shipped())
            .map(|address| self.reach(*address))
            .collect::<Result<_, LayoutError>>()?;
        let mut reached = Vec::with_capacity(tried.len());
        for one in tried {
            match one {
                Ok(tried) => reached.push(tried),
                Err(left) => self.left_out.push(left),
            }
        }
        let shipped = self.inner.shipped.unwinding;
        let longest = reached.iter().map(|one| one.measured.unwinding);
        let longest = longest.max().unwrap_or(0).max(shipped);
        let made: Vec<(u64, Variant)> = reached
            .par_iter()
            .map(|one| {
                let pads = Some(one.pads.clone());
                let variant = self.variant(one.address, pads, &one.measured, longest)?;
                Ok((one.address, variant))
            })
            .collect::<Result<_, LayoutError>>()?;
        let anchor = if longest == shipped {
            None
        } else {
            let shipped = &self.inner.shipped;
            Some(self.variant(self.as_shipped(), None, shipped, longest)?)
        };
        let made = made
            .into_iter()
            .map(|(address, variant)| (address, Some(variant)));
        self.variants.extend(made);
        self.variants.insert(self.as_shipped(), anchor);
        // Everything is to be where this image has it.
        let trial = self.scratch.join("anchor");
        let image = self.link(self.as_shipped(), &trial)?;
        self.set.fixed = Some(Linked::read(&image.path, true)?);
        self.verify(std::slice::from_ref(&image))?;
        self.verify_content(&image)?;
        std::fs::remove_file(&trial).map_err(LayoutError::file("remove", &trial))
    }

    /// The padding by which what stands behind it comes to an address.
    fn reach(&self, address: u64) -> Result<Result<Tried, (u64, String)>, LayoutError> {
        let mut pads = self.inner.pads();
        let base = self.as_shipped() - self.point().padding;
        let mut pad = address - base;
        for _ in 0..TRIALS {
            pads[self.point] = pad;
            let object = self
                .inner
                .edited(Some(pads.clone()), 0, true, &self.scratch)?;
            let measured = self.inner.look(&object)?;
            let now = self.start + measured.spots[self.point][1];
            if now == address {
                if let Some(section) = measured.other(&self.inner.shipped) {
                    let why = format!("the section {section} of its object becomes longer there");
                    return Ok(Err((address, why)));
                }
                return Ok(Ok(Tried {
                    address,
                    pads,
                    measured,
                }));
            }
            match (pad + address).checked_sub(now) {
                Some(next) if next != pad => pad = next,
                _ => break,
            }
        }
        let why = "a jump before it becomes longer, which leads past it".to_string();
        Ok(Err((address, why)))
    }

    /// Writes an object with as much unwinding information as all others.
    fn variant(
        &self,
        address: u64,
        pads: Option<Vec<u64>>,
        measured: &Measured,
        longest: u64,
    ) -> Result<Variant, LayoutError> {
        let lacking = longest - measured.unwinding;
        if lacking > 0 && !self.inner.unwinds() {
            return Err(self
                .inner
                .refused("its unwinding information has no end in the text"));
        }
        let object = self.inner.edited(pads, lacking, false, &self.scratch)?;
        let now = self.inner.look(&object)?;
        if now.unwinding != longest || now.code != measured.code {
            return Err(self.inner.refused(
                "its unwinding information cannot be made equally long in all images\n  next: a \
                 smaller --range",
            ));
        }
        let path = self.scratch.join(format!("object-{address:x}"));
        std::fs::write(&path, object).map_err(LayoutError::file("write", &path))?;
        Ok(Variant {
            object: path,
            code: now.code,
        })
    }

    /// Links the image in which what stands behind the padding is at `address`.
    ///
    /// # Errors
    /// When there is no such image, the link fails, or a file cannot be written.
    pub fn link(&self, address: u64, output: &Path) -> Result<PlacedImage, LayoutError> {
        let variant = self.variants.get(&address).ok_or_else(|| {
            self.inner
                .refused(format!("no padding leads to {address:#x}"))
        })?;
        let Some(variant) = variant else {
            let image = self.set.link(self.set.as_shipped(), output)?;
            let spot = address.into();
            return Ok(PlacedImage { spot, ..image });
        };
        let folder = tempfile::Builder::new()
            .prefix("variant")
            .tempdir_in(&self.scratch)
            .map_err(LayoutError::file("create a folder in", &self.scratch))?;
        let prepared = &self.set.prepared;
        let (units, unit) = (&prepared.units, self.inner.unit);
        let object =
            std::fs::read(&variant.object).map_err(LayoutError::file("read", &variant.object))?;
        let objects = HashMap::from([(units.part(unit), object)]);
        let recipe = replaced(&prepared.recipe, units, &objects, folder.path())?;
        let other = Units::read(&recipe)?;
        if !units.same_but_for(&other, unit) {
            return Err(self
                .inner
                .refused("its object has other sections where it is padded"));
        }
        let plan = self.set.plan.with_size(unit, variant.code);
        let other = prepared.with(recipe, other, &folder.path().join("staged"));
        let start = self.set.by(self.set.as_shipped()).unwrap_or_default();
        let placements = self.set.windows.placements(start, self.set.text);
        let steps = plan.steps(0, &placements, other.slack());
        let output = std::path::absolute(output).map_err(LayoutError::file("find", output))?;
        let what = format!(
            "the image with code of {} at {address:#x}",
            self.set.windows.name()
        );
        let links = &self.set.links;
        other.link(&plan, &steps, &*self.set.backend, links, (&output, &what))?;
        Ok(PlacedImage {
            path: output,
            spot: address.into(),
        })
    }

    /// Checks images of this set: functions and data are where the anchor has them.
    ///
    /// # Errors
    /// When anything is elsewhere, or an image cannot be read.
    pub fn verify(&self, images: &[PlacedImage]) -> Result<(), LayoutError> {
        self.set.verify(&self.as_placed(images))
    }

    /// Checks by content that an image is the build, padding apart.
    ///
    /// # Errors
    /// When it is another program, or cannot be read.
    pub fn verify_content(&self, image: &PlacedImage) -> Result<(), LayoutError> {
        self.set.verify_content(image)
    }

    /// The images by where the function starts.
    fn as_placed(&self, images: &[PlacedImage]) -> Vec<PlacedImage> {
        let spot = self.set.as_shipped();
        let placed = images.iter().map(|image| PlacedImage {
            spot,
            ..image.clone()
        });
        placed.collect()
    }
}
