//! One build observed as shipped: what is in its image in its own order, and what has to stay.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::LayoutError;
use crate::build_id;
use crate::captured::Captured;
use crate::commons::{self, Common};
use crate::elf::image::Linked;
use crate::faithful::held::{Held, held};
use crate::faithful::{self, Reference};
use crate::freedom::Hindrance;
use crate::link::argv::{self, Word};
use crate::link::remove;
use crate::link::sections::folds;
use crate::linker::Backend;
use crate::shared_texts::SharedTexts;
use crate::staged::{Staged, Style};
use crate::units::{Live, Units};
use crate::unmerged::{InOrder, Texts, unmerged};

/// A build as it was seen in its own order.
pub(crate) struct Observed {
    pub(crate) units: Units,
    /// What is in its image, and where.
    pub(crate) live: Live,
    /// What stays as it is.
    pub(crate) held: Held,
    /// Common symbols that its image holds.
    pub(crate) commons: Vec<Common>,
    pub(crate) reference: Reference,
    /// Its texts and constants are not merged; those that several objects hold.
    pub(crate) unmerged: Option<Arc<SharedTexts>>,
    /// Why they are, where nobody asked for it.
    pub(crate) merged_by: Option<Hindrance>,
    pub(crate) staged: Staged,
    /// Where that is staged.
    pub(crate) tree: PathBuf,
    pub(crate) folder: PathBuf,
    pub(crate) slack: bool,
    pub(crate) id: Option<Word>,
}

impl Observed {
    /// Reads a build's inputs and links it once in its own order, with handles, and otherwise as
    /// the build did: that is what its layouts have to hold. `may_unmerge` says whether texts and
    /// constants may be left unmerged.
    pub(crate) fn new(
        build: Captured<'_>,
        backend: &dyn Backend,
        folder: &Path,
        may_unmerge: bool,
    ) -> Result<Observed, LayoutError> {
        let recipe = build.recipe;
        if let Some(found) = build.edited {
            return Err(faithful::edited(found));
        }
        let units = Units::read(recipe)?;
        let slack = !folds(&argv::parse(&recipe.argv));
        let style = Style {
            slack,
            ..Style::default()
        };
        let tree = folder.join("observed");
        let staged = Staged::new(recipe, &units, &tree, style)?;
        let image = folder.join("reference");
        staged.link(recipe, &[], &image, "the image in its own order", |words| {
            backend.observe(words);
        })?;
        let own = build
            .own
            .map(|own| Ok::<_, LayoutError>((own, faithful::linked_again(own, folder)?)))
            .transpose()?;
        let (link, linked) = own
            .as_ref()
            .map_or((recipe, &image), |(own, at)| (*own, at));
        if let Some(shipped) = build.image {
            faithful::shipped(link, linked, shipped, folder)?;
        }
        if let Some((own, linked)) = &own {
            faithful::compiled_twice(own, &units, linked, &image)?;
        }
        let linked = Linked::read(&image, false)?;
        faithful::stale::refuse(&units, &linked)?;
        let id = build.image.map(build_id::kept).transpose()?.flatten();
        let reference = Reference {
            path: image,
            linked,
        };
        let own = InOrder {
            held: held(recipe, &units, &reference.linked)?,
            reference,
            staged,
            tree,
            unmerged: None,
        };
        let texts = if may_unmerge {
            unmerged(&build, &units, backend, folder, &own.reference)?
        } else {
            Texts::None
        };
        let (merged_by, in_order) = match texts {
            Texts::None => (None, own),
            Texts::Merged(why) => (Some(why), own),
            Texts::Unmerged(apart) => {
                remove(&own.tree)?;
                (None, *apart)
            }
        };
        let InOrder {
            reference,
            held,
            staged,
            tree,
            unmerged,
        } = in_order;
        Ok(Observed {
            commons: commons::held(recipe, &units, &reference.path)?,
            live: reference.linked.handles.clone(),
            units,
            held,
            reference,
            unmerged: unmerged.map(Arc::new),
            merged_by,
            staged,
            tree,
            folder: folder.to_path_buf(),
            slack,
            id,
        })
    }
}

impl Observed {
    /// The image in its own order.
    pub(crate) fn image(&self) -> &Path {
        &self.reference.path
    }
}
