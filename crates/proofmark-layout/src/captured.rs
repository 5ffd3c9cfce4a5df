//! A build that layouts are made of.

use std::path::Path;

use crate::assembly::Assembly;
use crate::recipe::Recipe;

/// A build that layouts are made of.
#[derive(Clone, Copy, Debug)]
pub struct Captured<'r> {
    /// How it was linked.
    pub recipe: &'r Recipe,
    /// The file that the build left, which every layout is held against. Without one, layouts are
    /// held against the recipe's own link only.
    pub image: Option<&'r Path>,
    /// What a step behind the link did to that file, where it is known: there are no layouts then.
    pub edited: Option<&'r str>,
    /// The build's own link, where `recipe` links objects that were compiled a second time: the
    /// file that was left is its, and what `recipe` links is held against it.
    pub own: Option<&'r Recipe>,
    /// The texts that its objects were assembled from, as far as they were kept.
    pub texts: &'r [Assembly],
}

impl<'r> From<&'r Recipe> for Captured<'r> {
    fn from(recipe: &'r Recipe) -> Captured<'r> {
        Captured {
            recipe,
            image: None,
            edited: None,
            own: None,
            texts: &[],
        }
    }
}
