//! A build that nobody built: a captured one whose link has its functions in another order, or at
//! other multiples of bytes. It is kept like any other captured build, as long as it is used.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use proofmark_layout::{Arranged, Arrangement, Kept, Lto, Recipe, arranged, movability, relink};
use rustix::fs::FlockOperation;

use crate::captured::{Capture, CapturedLink, RelinkCheck, id};
use crate::elf::text_bytes;
use crate::error::BuildError;
use crate::objects::Mode;
use crate::plain::plain_place;
use crate::store::{Builds, Keep, check_name};

/// A captured build whose functions stand in another way than in the one that it was made from.
#[derive(Clone, Debug)]
pub struct ArrangedBuild {
    /// The build.
    pub capture: Capture,
    /// How many functions that is about.
    pub functions: usize,
    /// Functions that could not be moved, by their symbols, and why.
    pub left: Vec<(String, &'static str)>,
    /// What makes the same of the build's own sources.
    pub kept: Kept,
    /// Bytes of code with what fills the space between functions (`.text`): of the build that it
    /// was made from, and its own.
    pub text_bytes: [u64; 2],
}

/// Links a captured link with its functions in another way, and keeps that as a build of its own.
/// It is called by the name of `from`, `word` and the beginning of its id, so that it takes no
/// other build's name.
///
/// # Errors
/// When the functions cannot be put so, the link fails, a step behind the link changed the image,
/// or a file cannot be stored.
pub fn arrange(
    builds: &Builds,
    (from, link): (&Capture, &CapturedLink),
    arrangement: Arrangement<'_>,
    word: &str,
) -> Result<ArrangedBuild, BuildError> {
    if let Some(found) = &link.edited {
        return Err(BuildError::Layout(
            proofmark_layout::LayoutError::NotArranged {
                why: format!("the image is not as its linker left it: {found}"),
            },
        ));
    }
    let _lock = builds.lock(FlockOperation::LockShared)?;
    let sessions = builds.sessions();
    std::fs::create_dir_all(&sessions).map_err(BuildError::file("create", &sessions))?;
    let sessions = plain_place(&sessions).map_err(BuildError::file("open", &sessions))?;
    let scratch = tempfile::tempdir_in(&sessions)
        .map_err(BuildError::file("create a folder in", &sessions))?;
    let inputs = scratch.path().join("inputs");
    let Arranged {
        recipe,
        functions,
        left,
        kept,
    } = arranged(&link.recipe, arrangement, &inputs)?;
    let recipe = stored(builds, recipe, &inputs)?;
    let image = scratch.path().join("image");
    relink(&recipe, &scratch.path().join("link"), &image)?;
    let image_hash = builds
        .objects()
        .keep(&image, Mode::Program, &[])
        .map_err(BuildError::file("store", &image))?;
    let arranged = CapturedLink {
        movability: movability(&recipe).map_err(|error| error.to_string()),
        image: builds.objects().path(&image_hash),
        image_hash,
        recipe,
        relink: RelinkCheck::Identical,
        // What was compiled a second time is what this build is of.
        sections_added: false,
        twice: None,
        pristine: None,
        texts: Vec::new(),
        ..link.clone()
    };
    let text_bytes = [&link.image, &arranged.image].map(|image| text_bytes(image).unwrap_or(0));
    let links = vec![arranged];
    let id = id(&links, &[]);
    let short: String = id.as_str().chars().take(8).collect();
    let name = format!("{}-{word}-{short}", beginning(&from.name));
    check_name(&name)?;
    let capture = Capture {
        name,
        id,
        created_ms: now_ms(),
        proofmark: env!("CARGO_PKG_VERSION").to_owned(),
        links,
        repeats: Vec::new(),
        chosen: Some(0),
        ..from.clone()
    };
    builds.publish(&capture, Keep::WhileUsed)?;
    Ok(ArrangedBuild {
        capture,
        functions,
        left,
        kept,
        text_bytes,
    })
}

/// The recipe with its changed inputs among the stored files.
fn stored(builds: &Builds, mut recipe: Recipe, folder: &Path) -> Result<Recipe, BuildError> {
    let keep = |blob: &Path| {
        let kept = builds.objects().keep(blob, Mode::Data, &[]);
        kept.map_err(BuildError::file("store", blob))
    };
    for input in recipe.inputs.iter_mut() {
        if input.blob.starts_with(folder) {
            input.hash = keep(&input.blob)?;
            input.blob = builds.objects().path(&input.hash);
        }
    }
    if let Some(Lto::Gcc { objects } | Lto::Clang { objects }) = &mut recipe.lto {
        for object in objects
            .iter_mut()
            .filter(|object| object.starts_with(folder))
        {
            *object = builds.objects().path(&keep(object)?);
        }
    }
    Ok(recipe)
}

/// As much of a name as leaves room for what is put behind it.
fn beginning(name: &str) -> String {
    name.chars().take(12).collect()
}

fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| {
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    })
}
