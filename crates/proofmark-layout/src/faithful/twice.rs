//! Whether objects that were compiled a second time, with function sections, make the program that the build's own objects make.
//!
//! Of a function that calls its neighbour a short jump may become a long one, and what stands between functions is other padding. Beyond that nothing may differ: a linker that folds or
//! collects sections, or that puts them in an order, finds more of them in the second objects than in the first, and may make another program of them.

use std::path::Path;

use crate::LayoutError;
use crate::recipe::Recipe;
use crate::staged::{Staged, Style};
use crate::units::Units;

use super::{content, likely, linked_again, listed, words};

/// Links objects that were compiled twice and the build's own, and compares the two.
///
/// # Errors
/// [`LayoutError::Unfaithful`] where they make another program; otherwise when a link fails or a file cannot be read.
pub fn check_compiled_twice(own: &Recipe, second: &Recipe) -> Result<(), LayoutError> {
    let temporary = std::env::temp_dir();
    let folder = tempfile::Builder::new()
        .prefix("proofmark-twice")
        .tempdir()
        .map_err(LayoutError::file("create a folder in", &temporary))?;
    let image = folder.path().join("second");
    let units = Units::read(second)?;
    let staged = Staged::new(
        second,
        &units,
        &folder.path().join("staged"),
        Style::default(),
    )?;
    let what = "the image of the objects that were compiled a second time";
    staged.link(second, &[], &image, what, crate::linker::keep_symbols)?;
    compiled_twice(own, &linked_again(own, folder.path())?, &image)
}

/// Checks that the image of objects that were compiled twice is the program of the build's own link, which was linked again with its symbols.
pub(crate) fn compiled_twice(
    own: &Recipe,
    linked_again: &Path,
    image: &Path,
) -> Result<(), LayoutError> {
    let found = words(&content::unlike(linked_again, image)?);
    if found.is_empty() {
        return Ok(());
    }
    Err(LayoutError::Unfaithful {
        image: "the image of the objects that were compiled a second time, with function sections,"
            .to_string(),
        likely: likely(own, &found).to_string(),
        found: listed(&found),
    })
}
