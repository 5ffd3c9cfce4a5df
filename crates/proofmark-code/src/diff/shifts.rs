//! How far what has no name moved from one image to another, by what surely refers to it: that
//! tells addresses from numbers that happen to lie within an image.

use std::collections::{BTreeMap, HashMap};

use crate::image::Image;
use crate::space::Section;

/// Places of a base that are known to have moved, in bytes. What stands between two that moved
/// equally far did so too, as far as can be told: without a name there is nothing else to go by.
#[derive(Default)]
pub(super) struct Shifts {
    /// By the start of a section of the base and an address in it.
    known: BTreeMap<(u64, u64), Vec<u64>>,
}

impl Shifts {
    /// From pairs of addresses that stand for each other, as the ends of sections do.
    pub(super) fn new(
        base: &Image,
        new: &Image,
        pairs: impl Iterator<Item = (u64, u64)>,
    ) -> Shifts {
        let mut shifts = Shifts::default();
        let there = new.space.sections.iter();
        let there: HashMap<&str, &Section> = there.map(|one| (one.name.as_str(), one)).collect();
        for mine in &base.space.sections {
            if let Some(theirs) = there.get(mine.name.as_str()) {
                let ends = [mine, *theirs].map(|one| one.address.wrapping_add(one.size));
                shifts.learn(mine, mine.address, theirs.address);
                shifts.learn(mine, ends[0], ends[1]);
            }
        }
        for (x, y) in pairs {
            if let Some(mine) = both_in(base, x, new, y) {
                shifts.learn(mine, x, y);
            }
        }
        shifts
    }

    fn learn(&mut self, section: &Section, x: u64, y: u64) {
        let known = self.known.entry((section.address, x)).or_default();
        let shift = y.wrapping_sub(x);
        if !known.contains(&shift) {
            known.push(shift);
        }
    }

    /// Whether two addresses are as far apart as what is next to the first one.
    pub(super) fn lead(&self, base: &Image, x: u64, new: &Image, y: u64) -> bool {
        let Some(section) = both_in(base, x, new, y).map(|section| section.address) else {
            return false;
        };
        let below = self.known.range((section, 0)..=(section, x)).next_back();
        let above = self.known.range((section, x)..=(section, u64::MAX)).next();
        let shift = y.wrapping_sub(x);
        below
            .into_iter()
            .chain(above)
            .any(|(_, known)| known.contains(&shift))
    }
}

/// The section of an address, if the other address is in one of its name.
fn both_in<'b>(base: &'b Image, x: u64, new: &Image, y: u64) -> Option<&'b Section> {
    let (mine, theirs) = (base.section_at(x)?, new.section_at(y)?);
    (mine.name == theirs.name).then_some(mine)
}
