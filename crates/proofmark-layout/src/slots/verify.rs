//! What slots promise, looked up in the linked images.

use rayon::prelude::*;

use super::{SlotSet, SlottedImage};
use crate::LayoutError;
use crate::elf::block::Block;
use crate::elf::image::Linked;
use crate::faithful;
use crate::pairing::Identity;
use crate::prepared::mark;

impl SlotSet {
    /// Checks images of this set: the code starts at one address, every function is where its own
    /// seed puts it, and all data and all sections are at one address in all images.
    ///
    /// # Errors
    /// When anything is not, or an image cannot be read.
    pub fn verify(&self, images: &[SlottedImage]) -> Result<(), LayoutError> {
        images
            .par_iter()
            .try_for_each(|image| self.stands(image, &Linked::read(&image.path, true)?))
    }

    /// Checks by content that an image is the build, with functions at other addresses.
    ///
    /// # Errors
    /// When it is another program, or cannot be read.
    pub fn verify_content(&self, image: &SlottedImage) -> Result<(), LayoutError> {
        let linked = Linked::read(&image.path, false)?;
        let (units, reference) = (&self.prepared.units, &self.prepared.reference);
        let seed = image.mix.seed;
        faithful::drawn(
            &self.prepared.recipe,
            units,
            reference,
            (&image.path, &linked),
            seed,
        )
    }

    fn stands(&self, image: &SlottedImage, linked: &Linked) -> Result<(), LayoutError> {
        let unlike = self.prepared.unlike(linked);
        if !unlike.is_empty() {
            let seed = image.mix.seed;
            return Err(faithful::broken(&self.prepared.recipe, seed, &unlike));
        }
        let shown = image.path.display();
        let start = linked.marks.get(&mark("pme", Block::Text)).copied();
        if start != Some(self.text) {
            let found = start.map_or("nowhere".to_string(), |found| format!("at {found:#x}"));
            let said = format!(
                "the code of {shown} starts {found} and belongs at {:#x}",
                self.text
            );
            return Err(self.broken("the code starts at one address", said));
        }
        let at = |found: Option<&u64>| {
            found.map_or("nowhere".to_string(), |found| format!("at {found:#x}"))
        };
        for placement in self.placements(&image.mix) {
            let Some(unit) = self.plan.unit(0, &placement) else {
                continue;
            };
            let (found, expected) = (linked.handles.get(&unit), self.text + placement.start);
            if found != Some(&expected) {
                let name = &self.plan.functions[placement.function].key;
                let said = format!(
                    "{name} of {shown} is {} and belongs at {expected:#x}",
                    at(found)
                );
                return Err(self.broken("functions stand where they were drawn", said));
            }
        }
        let Some(fixed) = &self.fixed else {
            return Ok(());
        };
        let data = |unit: u32| self.prepared.units.unit(unit).0.block != Block::Text;
        for (unit, expected) in fixed.handles.iter().filter(|(unit, _)| data(**unit)) {
            let found = linked.handles.get(unit);
            if found != Some(expected) {
                let name = Identity::of(&self.prepared.units, *unit);
                let (name, found) = (name.name(), at(found));
                let said = format!("{name} of {shown} is {found} and belongs at {expected:#x}");
                return Err(self.broken(STAYS, said));
            }
        }
        for (name, one) in fixed.named.iter().filter(|(_, one)| !one.is_function) {
            let (expected, found) = (&one.address, linked.named.get(name));
            let found = found.map(|found| &found.address);
            if found != Some(expected) {
                let (name, found) = (String::from_utf8_lossy(name), at(found));
                let said = format!("{name} of {shown} is {found} and belongs at {expected:#x}");
                return Err(self.broken(STAYS, said));
            }
        }
        let spans = |linked: &Linked| -> Vec<(String, u64, u64)> {
            let spans = linked.spans.iter();
            spans
                .map(|span| (span.name.clone(), span.address, span.size))
                .collect()
        };
        if spans(fixed) != spans(linked) {
            return Err(self.broken(STAYS, format!("the sections of {shown} are elsewhere")));
        }
        Ok(())
    }
}

/// What is promised.
const STAYS: &str = "all but the code stays at one address";
