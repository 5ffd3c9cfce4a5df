//! Texts and constants that a linker would merge, left with the other constants of their objects.
//! They are drawn and kept in step as other data is. Merged, a longer message moves each text behind
//! it by as much, in all layouts.

use std::path::{Path, PathBuf};

use crate::LayoutError;
use crate::captured::Captured;
use crate::elf::image::Linked;
use crate::faithful::held::{Held, held};
use crate::faithful::{self, Reference};
use crate::freedom::{Hindrance, keeps_merged};
use crate::link::remove;
use crate::linker::Backend;
use crate::shared_texts::SharedTexts;
use crate::staged::{Staged, Style};
use crate::units::Units;

/// A build linked in its own order.
pub(crate) struct InOrder {
    pub(crate) reference: Reference,
    pub(crate) held: Held,
    pub(crate) staged: Staged,
    /// Where that is staged.
    pub(crate) tree: PathBuf,
    /// The texts of several objects, where nothing is merged.
    pub(crate) unmerged: Option<SharedTexts>,
}

/// What becomes of a build's texts and constants.
pub(crate) enum Texts {
    /// There are none that a linker merges.
    None,
    /// They are merged, because of this.
    Merged(Hindrance),
    /// They are not.
    Unmerged(Box<InOrder>),
}

/// Links the build with nothing merged, and holds the image against the one in which its linker
/// merges what it can.
pub(crate) fn unmerged(
    build: &Captured<'_>,
    units: &Units,
    backend: &dyn Backend,
    folder: &Path,
    own: &Reference,
) -> Result<Texts, LayoutError> {
    if units.merged.is_empty() {
        return Ok(Texts::None);
    }
    if let Some(why) = keeps_merged(build, units)? {
        return Ok(Texts::Merged(why));
    }
    let recipe = build.recipe;
    let tree = folder.join("unmerged");
    let path = folder.join("unmerged-reference");
    let linked = |shared: &SharedTexts| {
        let style = Style {
            slack: true,
            unmerged: Some(shared),
            ..Style::default()
        };
        let staged = Staged::new(recipe, units, &tree, style)?;
        let what = "the image with nothing merged";
        let link = staged.link(recipe, &[], &path, what, |words| backend.observe(words));
        if link.is_err() {
            remove(&tree)?;
            return Ok::<_, LayoutError>(None);
        }
        Ok(Some((staged, Linked::read(&path, false)?)))
    };
    let live = if SharedTexts::are_alone(units) {
        let Some((_, apart)) = linked(&SharedTexts::none(recipe))? else {
            return Ok(Texts::Merged(Hindrance::NoLink));
        };
        remove(&tree)?;
        apart.handles
    } else {
        own.linked.handles.clone()
    };
    let shared = match SharedTexts::of(recipe, units, &live)? {
        Ok(shared) => shared,
        Err(why) => return Ok(Texts::Merged(why)),
    };
    let Some((staged, linked)) = linked(&shared)? else {
        return Ok(Texts::Merged(Hindrance::NoLink));
    };
    let held = held(recipe, units, &linked)?;
    let reference = Reference { path, linked };
    let stays = units.merged.iter().any(|unit| held.units.contains(unit));
    if stays
        || !shared.are_in(units, &reference.linked)
        || faithful::differs_unmerged(units, &held, own, &reference)?
    {
        remove(&tree)?;
        return Ok(Texts::Merged(Hindrance::OtherProgram));
    }
    Ok(Texts::Unmerged(Box::new(InOrder {
        reference,
        held,
        staged,
        tree,
        unmerged: Some(shared),
    })))
}
