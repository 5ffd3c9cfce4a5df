//! Places within functions by the number of their instruction, padding left out. Where code is
//! padded within a function, its distance in bytes from the start no longer tells which place is
//! meant.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::OnceLock;

use super::canonical::canonical;
use super::content::instructions;
use crate::image::Image;

/// An image whose functions are numbered through when that is first asked for.
pub(super) struct Numbered<'i> {
    image: &'i Image,
    /// By function: where its instructions start and end.
    numbered: Vec<OnceLock<Vec<[u64; 2]>>>,
}

/// A place within a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Instructions before it, padding left out. Padding is where what comes behind it is.
    pub(super) number: usize,
    /// Bytes behind the start of its instruction: not 0 in the midst of one.
    pub(super) bytes: u64,
}

impl Deref for Numbered<'_> {
    type Target = Image;

    fn deref(&self) -> &Image {
        self.image
    }
}

impl<'i> Numbered<'i> {
    pub(super) fn new(image: &'i Image) -> Numbered<'i> {
        Numbered {
            image,
            numbered: image.functions.iter().map(|_| OnceLock::new()).collect(),
        }
    }

    /// Where the instructions of a function start and end, in order.
    pub(super) fn instructions(&self, index: usize) -> &[[u64; 2]] {
        let all = self.numbered.get(index);
        all.map_or(&[], |one| {
            one.get_or_init(|| instructions(self.image, index))
        })
    }

    /// The place of an address in a function.
    pub(super) fn place(&self, index: usize, at: u64) -> Place {
        // Starts are what nearly all addresses of functions are.
        if self
            .image
            .functions
            .get(index)
            .is_some_and(|one| one.address == at)
        {
            return Place {
                number: 0,
                bytes: 0,
            };
        }
        let all = self.instructions(index);
        let number = all.partition_point(|[start, _]| *start < at);
        match number.checked_sub(1).map(|before| all[before]) {
            Some([start, end]) if at < end => Place {
                number: number - 1,
                bytes: at - start,
            },
            _ => Place { number, bytes: 0 },
        }
    }
}

/// The functions that stand in both images by one name, with their instructions at other distances
/// from their starts.
pub(super) fn padded(base: &Numbered<'_>, new: &Numbered<'_>) -> Vec<[usize; 2]> {
    let names = |image: &Image| -> HashMap<String, usize> {
        let named = image.functions.iter().enumerate();
        named
            .filter_map(|(index, one)| Some((canonical(one.symbol.as_deref()?).to_string(), index)))
            .collect()
    };
    let there = names(new);
    let mut found: Vec<[usize; 2]> = names(base)
        .into_iter()
        .filter_map(|(name, index)| Some([index, *there.get(&name)?]))
        .filter(|[mine, theirs]| {
            let distances = |side: &Numbered<'_>, index: usize| -> Vec<u64> {
                let start = side.functions[index].address;
                let all = side.instructions(index).iter();
                all.map(|[at, _]| at - start).collect()
            };
            distances(base, *mine) != distances(new, *theirs)
        })
        .collect();
    found.sort_unstable();
    found
}
