//! The stored files that a captured build needs.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use proofmark_layout::{Lto, Recipe};
use proofmark_terms::Digest;

use crate::captured::{Capture, CapturedLink};
use crate::error::BuildError;
use crate::objects::Objects;

/// Every stored file of a capture, with what it was in the build.
pub(super) fn each_file(
    capture: &Capture,
    mut check: impl FnMut(&Path, &Path) -> Result<(), BuildError>,
) -> Result<(), BuildError> {
    for link in capture.links.iter().chain(capture.repeats.iter().flatten()) {
        for recipe in recipes(link) {
            for input in &recipe.inputs {
                check(&input.given, &input.blob)?;
                for member in &input.members {
                    check(&member.given, &member.blob)?;
                }
            }
            let made = match &recipe.lto {
                Some(Lto::Gcc { objects } | Lto::Clang { objects }) => objects.as_slice(),
                None => &[],
            };
            for object in made {
                check(&link.output, object)?;
            }
        }
        let images = [&link.image]
            .into_iter()
            .chain(link.pristine.iter().map(|pristine| &pristine.image));
        for image in images {
            check(&link.output, image)?;
        }
        for companion in &link.companions {
            if let Some(blob) = &companion.blob {
                check(&companion.path, blob)?;
            }
        }
        if let Some(gone) = &link.gone {
            check(&gone.folder, &gone.files)?;
        }
        for assembly in &link.texts {
            check(&link.output, &assembly.text)?;
        }
    }
    Ok(())
}

/// How a link is linked for layouts, and how the build linked it.
fn recipes(link: &CapturedLink) -> impl Iterator<Item = &Recipe> {
    let own = link.twice.as_ref().and_then(|twice| twice.own.as_ref());
    std::iter::once(&link.recipe).chain(own)
}

/// Every stored file of a link.
pub(super) fn blobs(link: &mut CapturedLink) -> Vec<&mut PathBuf> {
    let mut found = vec![&mut link.image];
    found.extend(link.pristine.as_mut().map(|pristine| &mut pristine.image));
    let own = link.twice.as_mut().and_then(|twice| twice.own.as_mut());
    for recipe in [&mut link.recipe].into_iter().chain(own) {
        for input in &mut recipe.inputs {
            found.push(&mut input.blob);
            found.extend(input.members.iter_mut().map(|member| &mut member.blob));
        }
        match &mut recipe.lto {
            Some(Lto::Gcc { objects } | Lto::Clang { objects }) => {
                found.extend(objects);
            }
            None => {}
        }
    }
    let companions = link.companions.iter_mut();
    found.extend(companions.filter_map(|companion| companion.blob.as_mut()));
    found.extend(link.gone.as_mut().map(|gone| &mut gone.files));
    found.extend(link.texts.iter_mut().map(|assembly| &mut assembly.text));
    found
}

/// Every stored hash that a capture needs.
pub(super) fn hashes(capture: &Capture) -> HashSet<Digest> {
    let mut capture = capture.clone();
    let links = capture
        .links
        .iter_mut()
        .chain(capture.repeats.iter_mut().flatten());
    let stored = links
        .flat_map(blobs)
        .filter_map(|blob| Objects::hash_of(blob));
    // A later build may link the object again without compiling it, in another archive.
    let second = (capture.objects.iter()).filter_map(|object| object.second.clone());
    let patch = capture.revision.and_then(|revision| revision.patch);
    stored.chain(second).chain(patch).collect()
}
