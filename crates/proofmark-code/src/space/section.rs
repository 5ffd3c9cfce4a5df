//! A section that is loaded when the program runs.

use std::ops::Range;

/// Where a section's bytes are.
#[derive(Debug, Clone)]
pub(crate) enum Contents {
    /// In the file, at these offsets.
    File(Range<usize>),
    /// Here: an object file's section with its relocations carried out.
    Owned(Vec<u8>),
    /// Nowhere: all zeros when loaded.
    Zeros,
}

/// A section that is loaded when the program runs.
#[derive(Debug, Clone)]
pub(crate) struct Section {
    pub(crate) name: String,
    pub(crate) address: u64,
    pub(crate) size: u64,
    pub(crate) contents: Contents,
    pub(crate) executable: bool,
    pub(crate) writable: bool,
    /// Whether it holds nothing but stubs to other images (`.plt` and its kin).
    pub(crate) stubs: bool,
}

impl Section {
    fn covers(&self, address: u64) -> bool {
        address >= self.address && address - self.address < self.size
    }
}

/// The index of the section at an address, of sections in order.
pub(crate) fn index_at(sections: &[Section], address: u64) -> Option<usize> {
    let after = sections.partition_point(|s| s.address <= address);
    // In a damaged file overlapping sections may stand before the one that is meant.
    (0..after)
        .rev()
        .take(4)
        .find(|i| sections[*i].covers(address))
}

/// Asked for the section at one address after the other, which is nearly always the one of the
/// address before.
pub(crate) struct Nearby<'a> {
    sections: &'a [Section],
    last: usize,
}

impl<'a> Nearby<'a> {
    pub(crate) fn of(sections: &'a [Section]) -> Nearby<'a> {
        Nearby { sections, last: 0 }
    }

    /// What [`index_at`] gives.
    pub(crate) fn index_at(&mut self, address: u64) -> Option<usize> {
        let behind = self.sections.get(self.last + 1);
        let again = self
            .sections
            .get(self.last)
            .is_some_and(|s| s.covers(address))
            && behind.is_none_or(|s| s.address > address);
        if !again {
            self.last = index_at(self.sections, address)?;
        }
        Some(self.last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_section_of_the_address_before_is_asked_first_and_gives_the_same() {
        let section = |(address, size): &(u64, u64)| Section {
            name: String::new(),
            address: *address,
            size: *size,
            contents: Contents::Zeros,
            executable: true,
            writable: false,
            stubs: false,
        };
        // The second and third stand in the first, the last reaches to the end of all.
        let extents = [
            (10, 100),
            (20, 30),
            (40, 20),
            (200, 0),
            (200, 50),
            (u64::MAX - 4, 100),
        ];
        let sections: Vec<Section> = extents.iter().map(section).collect();
        let ends = extents
            .iter()
            .flat_map(|(at, size)| [*at, at.saturating_add(*size)]);
        let near: Vec<u64> = ends
            .flat_map(|at| at.saturating_sub(1)..=at.saturating_add(1))
            .collect();
        let mut nearby = Nearby::of(&sections);
        for before in &near {
            for address in &near {
                nearby.index_at(*before);
                assert_eq!(
                    nearby.index_at(*address),
                    index_at(&sections, *address),
                    "{address} after {before}"
                );
            }
        }
        assert_eq!(Nearby::of(&[]).index_at(0), None);
    }
}
