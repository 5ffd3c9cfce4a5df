//! Whether an image is the one that the user has, with its code and data at other addresses and
//! nothing else.
//!
//! Four links stand in a row, and a fifth where objects were compiled a second time ([`twice`]).
//! The **shipped** file is what the build left. The **reference** is linked from the stored inputs
//! in the build's own order, with handles and otherwise unchanged. In the **unmerged** image, texts
//! and constants are not merged (`unmerged`); it takes the reference's place. A **drawn** image is a
//! layout.
//!
//! The reference has to hold what the shipped file holds: byte for byte in everything that is
//! loaded ([`bytes`]), or, where the linker orders its own tables in another way, function by
//! function and datum by datum ([`content`]). The unmerged image has to hold what the reference
//! holds, and a drawn image what that holds: by the handles of both ([`places`]), which is cheap
//! and done for each image, and by content for some.

mod bytes;
mod content;
mod falls;
pub(crate) mod held;
mod loader;
pub(crate) mod places;
mod relocated;
pub(crate) mod stale;
mod twice;
mod within;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use held::Held;
use proofmark_code::diff::{How, Unlike, UnlikeKind};

use crate::LayoutError;
use crate::elf::image::Linked;
use crate::link::argv;
use crate::link::sections::{folds, has_script};
use crate::recipe::{LinkerKind, Lto, Recipe};
use crate::units::Units;

pub use twice::check_compiled_twice;
pub(crate) use twice::compiled_twice;

/// Of so many seeds one is compared by content too.
const SAMPLE: u64 = 16;

/// A build's image in its own order, with handles.
#[derive(Clone)]
pub(crate) struct Reference {
    /// The file.
    pub(crate) path: PathBuf,
    /// What is read of it.
    pub(crate) linked: Linked,
}

/// Whether a seed's images are compared by content. The trial before the first block has seed 0.
pub(crate) fn is_sampled(seed: u64) -> bool {
    seed.is_multiple_of(SAMPLE)
}

/// What was done to a file behind its link, given what the linker itself left; none where nothing
/// of it matters to the program: symbols and debug information may be gone.
///
/// # Errors
/// When a file cannot be read.
pub fn changed_after_link(left: &Path, linked: &Path) -> Result<Option<String>, LayoutError> {
    let (left, linked) = (bytes::Loaded::read(left)?, bytes::Loaded::read(linked)?);
    let behind = left.changed_behind(&linked);
    Ok(behind.or_else(|| left.differs(&linked)))
}

/// The refusal of a file that was changed behind its link.
pub(crate) fn edited(found: &str) -> LayoutError {
    LayoutError::Unfaithful {
        image: RELINKED.to_string(),
        likely: AFTER_THE_LINK.to_string(),
        found: found.to_string(),
    }
}

/// Checks that the reference is the shipped file.
///
/// # Errors
/// When a file cannot be read, or what is loaded differs in content.
pub(crate) fn shipped(
    recipe: &Recipe,
    reference: &Path,
    shipped: &Path,
    scratch: &Path,
) -> Result<(), LayoutError> {
    let own = bytes::Loaded::read(shipped)?;
    let again = bytes::Loaded::read(reference)?;
    if let Some(found) = own.changed_behind(&again) {
        return Err(edited(&found));
    }
    let Some(differs) = own.differs(&again) else {
        return Ok(());
    };
    let optimised = matches!(recipe.lto, Some(Lto::Clang { .. }));
    let mut found = Vec::new();
    if own.has_symbols {
        found = words(&content::unlike(shipped, reference)?);
        if found.is_empty() {
            // Any other link gives every byte of its data again, also those that have no name.
            let nameless = own.data_differs(&again).filter(|_| !optimised);
            match nameless {
                Some(differs) => found.push(differs),
                None => return Ok(()),
            }
        }
    }
    let mut comes_from = likely_of_shipped(recipe, &found);
    if optimised {
        // Repeating the optimisation gives the shipped file again, this time with its symbols.
        let repeated = linked_again(recipe, scratch)?;
        let differs = own.differs(&bytes::Loaded::read(&repeated)?);
        if differs.is_some() {
            comes_from = AFTER_THE_LINK;
        } else if !own.has_symbols {
            found = words(&content::unlike(&repeated, reference)?);
            if found.is_empty() {
                return Ok(());
            }
            comes_from = likely_of_shipped(recipe, &found);
        }
    }
    if found.is_empty() {
        found.push(differs);
        comes_from = likely_of_shipped(recipe, &found);
    }
    Err(LayoutError::Unfaithful {
        image: RELINKED.to_string(),
        likely: comes_from.to_string(),
        found: listed(&found),
    })
}

/// The image that is held against the shipped file, as errors call it.
const RELINKED: &str = "the image that the stored inputs are linked to";
/// Where a difference comes from that no link makes.
const AFTER_THE_LINK: &str =
    "the file was changed after the link (objcopy, patchelf, a step of its own)";

/// A build's own link once more, with its symbols. Gives the place of the image.
pub(crate) fn linked_again(recipe: &Recipe, scratch: &Path) -> Result<PathBuf, LayoutError> {
    let mut recipe = recipe.clone();
    let mut words = argv::parse(&recipe.argv);
    crate::linker::keep_symbols(&mut words);
    recipe.argv = argv::render(&words);
    let folder = crate::link::folder(scratch, "repeated")?;
    let output = folder.join("image");
    crate::link::relink(&recipe, &folder, &output)?;
    Ok(output)
}

/// Whether an image in which nothing is merged is another program than the one in which its linker
/// merges texts and constants.
pub(crate) fn differs_unmerged(
    units: &Units,
    held: &Held,
    own: &Reference,
    unmerged: &Reference,
) -> Result<bool, LayoutError> {
    let build = places::Build {
        units,
        held: &held.units,
        joined: &held.joined,
        loose: &HashMap::new(),
    };
    let mut linked = unmerged.linked.clone();
    linked
        .handles
        .retain(|unit, _| !units.merged.contains(unit));
    let moved = places::unlike(&build, &own.linked, &linked);
    if !moved.is_empty() {
        return Ok(true);
    }
    let mut found = content::unlike(&own.path, &unmerged.path)?;
    let relocated = relocated::Relocated::new(units, own, (&unmerged.path, &unmerged.linked))?;
    // What is referred to may have had another object's name, where it was merged with that.
    found.retain(|one| !relocated.explain(one));
    Ok(!found.is_empty())
}

/// Checks by content that a drawn image is the reference.
pub(crate) fn drawn(
    recipe: &Recipe,
    units: &Units,
    reference: &Reference,
    drawn: (&Path, &Linked),
    seed: u64,
) -> Result<(), LayoutError> {
    let mut found = content::unlike(&reference.path, drawn.0)?;
    found.retain(|one| !is_an_end(units, one));
    if found.is_empty() {
        return Ok(());
    }
    let relocated = relocated::Relocated::new(units, reference, drawn)?;
    // What data leads to is compared: that is how a table of labels is found.
    found.retain(|one| one.kind != UnlikeKind::Function || !relocated.explain(one));
    if found.is_empty() {
        return Ok(());
    }
    Err(broken(recipe, seed, &words(&found)))
}

/// Whether a function is none, but a label with which a section ends: what stands behind it in a
/// layout is not its own, and where nothing does there is no function. That the label is there is
/// told by the handles.
fn is_an_end(units: &Units, unlike: &Unlike) -> bool {
    unlike.kind == UnlikeKind::Function
        && matches!(unlike.how, How::Added | How::Missing)
        && units.ends.contains(unlike.name.as_bytes())
}

fn words(found: &[Unlike]) -> Vec<String> {
    found.iter().map(Unlike::to_string).collect()
}

/// The error of a drawn image that is not the reference.
pub(crate) fn broken(recipe: &Recipe, seed: u64, found: &[String]) -> LayoutError {
    // What is collected is gone: it has no other content.
    let gone = found.iter().any(|one| !one.ends_with("another content"));
    let likely = likely(recipe).filter(|why| gone || *why != COLLECTED);
    LayoutError::Unfaithful {
        image: format!("the layout of seed {seed}"),
        likely: likely.unwrap_or(BY_PLACE).to_string(),
        found: listed(found),
    }
}

/// The error of code that a script puts elsewhere than a layout asks for.
pub(crate) fn placed_by_script(seed: u64, found: &str) -> LayoutError {
    LayoutError::Unfaithful {
        image: format!("the layout of seed {seed}"),
        found: found.to_string(),
        likely: BY_SCRIPT.to_string(),
    }
}

/// How many differences an error names.
const NAMED: usize = 3;

fn listed(found: &[String]) -> String {
    let mut text = found[..found.len().min(NAMED)].join("; ");
    if found.len() > NAMED {
        text.push_str(&format!("; and {} more", found.len() - NAMED));
    }
    text
}

const BY_SCRIPT: &str = "the linker script places files and sections by rules of its own";

/// Where a difference comes from that no option of the link explains, between two links of the
/// same.
const BY_PLACE: &str = "code or data that counts on distances or on addresses, as tables of labels \
                        in assembly do";

/// What a difference from the build's own file most likely comes from.
fn likely_of_shipped(recipe: &Recipe, found: &[String]) -> &'static str {
    let only_data = found
        .iter()
        .all(|one| one.starts_with("the datum") || one.starts_with("the section"));
    match likely(recipe) {
        // gcc's link-time optimisation is replayed to the byte.
        None | Some(COLLECTED | OPTIMISED | BY_ORDER) if only_data => AFTER_THE_LINK,
        None => "the file was changed after the link, or it was linked from other inputs",
        Some(why) => why,
    }
}

const COLLECTED: &str = "sections that nothing refers to are collected (--gc-sections)";
const OPTIMISED: &str = "link-time optimisation";
const BY_ORDER: &str = "the link sorts its sections (--sort-section)";

/// What in a link most likely makes another program of the same inputs.
fn likely(recipe: &Recipe) -> Option<&'static str> {
    let words = argv::parse(&recipe.argv);
    let collects = recipe.linker.kind == LinkerKind::Lld
        && argv::switch(&words, "gc-sections").unwrap_or(false);
    if has_script(recipe) {
        Some(BY_SCRIPT)
    } else if folds(&words) {
        Some("identical code is folded (--icf), and sections of other sizes fold otherwise")
    } else if matches!(recipe.lto, Some(Lto::Clang { .. })) {
        Some(
            "link-time optimisation: its objects are linked behind all others, and of a function \
             that several objects hold another copy was taken, or of an archive other members",
        )
    } else if words
        .iter()
        .any(|word| word.name() == Some(b"sort-section"))
    {
        Some(BY_ORDER)
    } else if recipe.lto.is_some() {
        Some(OPTIMISED)
    } else {
        collects.then_some(COLLECTED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::Linker;

    fn recipe(argv: &[&str]) -> Recipe {
        Recipe {
            linker: Linker {
                path: "/bin/ld".into(),
                kind: LinkerKind::Lld,
                version: "LLD 19".to_owned(),
            },
            argv: argv.iter().map(Into::into).collect(),
            cwd: "/".into(),
            env: Vec::new(),
            inputs: Vec::new(),
            output: "a.out".into(),
            lto: None,
        }
    }

    #[test]
    fn only_the_build_s_own_file_may_have_been_changed_after_the_link() {
        let (data, code) = (
            "the datum d has another content",
            "the function f is missing",
        );
        let plain = recipe(&[]);
        let shipped = |found: &str| likely_of_shipped(&plain, &[found.to_owned()]);
        assert_eq!(shipped(data), AFTER_THE_LINK);
        assert!(shipped(code).contains("other inputs"));
        for found in [data, code] {
            let error = broken(&plain, 3, &[found.to_owned()]).to_string();
            assert!(
                error.contains(BY_PLACE) && !error.contains("after the link"),
                "{error}"
            );
        }
        let sorts = recipe(&["--sort-section=alignment"]);
        assert!(
            broken(&sorts, 3, &[data.to_owned()])
                .to_string()
                .contains("--sort-section")
        );
        let collects = recipe(&["--gc-sections"]);
        assert_eq!(likely(&collects), Some(COLLECTED));
        let drawn = |found: &str| broken(&collects, 3, &[found.to_owned()]).to_string();
        assert!(drawn(data).contains(BY_PLACE) && drawn(code).contains(COLLECTED));
        assert_eq!(
            likely_of_shipped(&collects, &[data.to_owned()]),
            AFTER_THE_LINK
        );
        assert_eq!(likely_of_shipped(&collects, &[code.to_owned()]), COLLECTED);
    }
}
