//! What became of each function from one image to another.

use serde::Serialize;

use crate::image::Image;

/// A function in both images, by index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Pair {
    /// Its index in the base.
    pub base: usize,
    /// Its index in the new image.
    pub new: usize,
}

/// What became of each function. Pieces that the compiler split off stand for themselves.
#[derive(Debug, Clone, Default)]
pub struct Difference {
    /// Only in the new image, in order.
    pub added: Vec<usize>,
    /// Only in the base.
    pub removed: Vec<usize>,
    /// In both, with another content.
    pub changed: Vec<Pair>,
    /// The same content at another address.
    pub moved: Vec<Pair>,
    /// The same content at the same address.
    pub identical: Vec<Pair>,
    /// The same content under another name.
    pub renamed: Vec<Pair>,
}

impl Difference {
    /// Whether no function's content differs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.added.is_empty()
            && self.removed.is_empty()
            && self.changed.is_empty()
            && self.renamed.is_empty()
    }

    /// Functions of the new image that the base has with another content, each once however many of
    /// its pieces changed or are new.
    #[must_use]
    pub fn touched(&self, new: &Image) -> Vec<usize> {
        let changed = self.changed.iter().map(|p| p.new);
        let mut touched: Vec<usize> = changed
            .chain(self.added.iter().copied())
            .map(|i| new.whole(i))
            .filter(|i| self.added.binary_search(i).is_err())
            .collect();
        touched.sort_unstable();
        touched.dedup();
        touched
    }
}
