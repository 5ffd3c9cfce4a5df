//! What a placed layout promises, looked up in the linked images: nothing is taken for granted
//! because it was asked for.

use std::path::Path;

use rayon::prelude::*;

use super::{PlacedImage, PlacedSet};
use crate::LayoutError;
use crate::elf::image::Linked;
use crate::faithful;
use crate::pairing::Identity;

impl PlacedSet {
    /// Checks images of this set: the moved functions start where they were told to, and all else,
    /// by its handles, by its names and by the sections of the image, is where the anchor has it.
    ///
    /// # Errors
    /// When anything is not, or an image cannot be read.
    pub fn verify(&self, images: &[PlacedImage]) -> Result<(), LayoutError> {
        images
            .par_iter()
            .try_for_each(|image| self.stands(image, &Linked::read(&image.path, true)?))
    }

    /// Checks by content that an image is the build, with functions at other addresses.
    ///
    /// # Errors
    /// When it is another program, or cannot be read.
    pub fn verify_content(&self, image: &PlacedImage) -> Result<(), LayoutError> {
        let linked = Linked::read(&image.path, false)?;
        let (units, reference) = (&self.prepared.units, &self.prepared.reference);
        faithful::drawn(
            &self.prepared.recipe,
            units,
            reference,
            (&image.path, &linked),
            image.spot.address,
        )
    }

    fn stands(&self, image: &PlacedImage, linked: &Linked) -> Result<(), LayoutError> {
        let unlike = self.prepared.unlike(linked);
        if !unlike.is_empty() {
            return Err(faithful::broken(
                &self.prepared.recipe,
                image.spot.address,
                &unlike,
            ));
        }
        let by = self.by(image.spot).unwrap_or_default();
        for placement in self.windows.placements(by, self.text) {
            let Some(unit) = self.plan.unit(0, &placement) else {
                continue;
            };
            let (found, expected) = (linked.handles.get(&unit), self.text + placement.start);
            if found != Some(&expected) {
                let found = found.map_or("nowhere".to_string(), |found| format!("at {found:#x}"));
                let name = &self.plan.functions[placement.function].key;
                return Err(self.strays(&image.path, name, &found, expected));
            }
        }
        let Some(fixed) = &self.fixed else {
            return Ok(());
        };
        self.data_stays(image, fixed, linked)?;
        self.names_stay(image, fixed, linked)?;
        let spans = |linked: &Linked| -> Vec<(String, u64, u64)> {
            let spans = linked.spans.iter();
            spans
                .map(|span| (span.name.clone(), span.address, span.size))
                .collect()
        };
        if spans(fixed) != spans(linked) {
            let found = format!("the sections of {} are elsewhere", image.path.display());
            return Err(self.broken(STAYS, found));
        }
        Ok(())
    }

    /// Everything that has a handle and is not moved.
    fn data_stays(
        &self,
        image: &PlacedImage,
        fixed: &Linked,
        linked: &Linked,
    ) -> Result<(), LayoutError> {
        for (unit, expected) in &fixed.handles {
            let found = linked.handles.get(unit);
            if found != Some(expected) && !self.windows.moves(*unit) {
                let name = Identity::of(&self.prepared.units, *unit);
                let found = found.map_or("nowhere".to_string(), |found| format!("at {found:#x}"));
                return Err(self.strays(&image.path, &name.name(), &found, *expected));
            }
        }
        Ok(())
    }

    /// Everything that has a name of the program's own: an account that does not rest on handles.
    fn names_stay(
        &self,
        image: &PlacedImage,
        fixed: &Linked,
        linked: &Linked,
    ) -> Result<(), LayoutError> {
        let moved: Vec<(u64, u64, u64)> = fixed
            .handles
            .iter()
            .filter(|(unit, _)| self.windows.moves(**unit))
            .filter_map(|(unit, start)| {
                let size = self.prepared.units.unit(*unit).0.size;
                Some((*start, start + size, *linked.handles.get(unit)?))
            })
            .collect();
        for (name, one) in &fixed.named {
            let home = &one.address;
            let within = moved
                .iter()
                .find(|(start, end, _)| (*start..*end).contains(home));
            let expected = within.map_or(*home, |(start, _, now)| now + (home - start));
            let found = linked.named.get(name).map(|found| found.address);
            if found != Some(expected) {
                let found = found.map_or("nowhere".to_string(), |found| format!("at {found:#x}"));
                let name = String::from_utf8_lossy(name);
                return Err(self.strays(&image.path, &name, &found, expected));
            }
        }
        Ok(())
    }

    fn strays(&self, image: &Path, name: &str, found: &str, expected: u64) -> LayoutError {
        let image = image.display();
        self.broken(
            STAYS,
            format!("{name} of {image} is {found} and belongs at {expected:#x}"),
        )
    }
}

/// What is promised.
const STAYS: &str = "all but the moved functions stays at one address";
