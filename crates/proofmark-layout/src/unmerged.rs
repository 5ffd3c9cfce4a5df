//! Texts and constants that a linker would merge, left with the other constants of their objects.
//! They are drawn and kept in step as other data is. Merged, a longer message moves each text behind
//! it by as much, in all layouts.

use std::path::{Path, PathBuf};

use crate::LayoutError;
use crate::captured::Captured;
use crate::elf::image::Linked;
use crate::extent::looks_through_data;
use crate::faithful::held::{Held, held};
use crate::faithful::{self, Reference};
use crate::link::sections::{folds, has_script};
use crate::link::{argv, remove};
use crate::linker::Backend;
use crate::staged::{Staged, Style};
use crate::units::Units;

/// A build linked in its own order.
pub(crate) struct InOrder {
    pub(crate) reference: Reference,
    pub(crate) held: Held,
    pub(crate) staged: Staged,
    /// Where that is staged.
    pub(crate) tree: PathBuf,
}

/// Links the build with nothing merged, and holds the image against the one in which its linker
/// merges what it can. None where a script says what stands where, where code is folded by what it
/// refers to, where a program looks through its data, where it does not link, and where it
/// would be another program.
pub(crate) fn unmerged(
    build: &Captured<'_>,
    units: &Units,
    backend: &dyn Backend,
    folder: &Path,
    own: &Reference,
) -> Result<Option<InOrder>, LayoutError> {
    let recipe = build.recipe;
    let has_to_stay = has_script(recipe) || folds(&argv::parse(&recipe.argv));
    if units.merged.is_empty() || has_to_stay || looks_through_data(build, units)? {
        return Ok(None);
    }
    let style = Style {
        slack: true,
        unmerged: true,
        ..Style::default()
    };
    let tree = folder.join("unmerged");
    let staged = Staged::new(recipe, units, &tree, style)?;
    let path = folder.join("unmerged-reference");
    let what = "the image with nothing merged";
    let link = staged.link(recipe, &[], &path, what, |words| backend.observe(words));
    if link.is_err() {
        remove(&tree)?;
        return Ok(None);
    }
    let linked = Linked::read(&path, false)?;
    let held = held(recipe, units, &linked)?;
    let reference = Reference { path, linked };
    let stays = units.merged.iter().any(|unit| held.units.contains(unit));
    if stays || faithful::differs_unmerged(units, &held, own, &reference)? {
        remove(&tree)?;
        return Ok(None);
    }
    Ok(Some(InOrder {
        reference,
        held,
        staged,
        tree,
    }))
}
