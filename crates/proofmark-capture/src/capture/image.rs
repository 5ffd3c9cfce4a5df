//! The image that is asked for, found among what the build linked; and why it is not there.

use std::fs;
use std::path::{Path, PathBuf};

use super::files::{absolute, modified_ns};
use super::found::{self, FoundLink};
use super::run::Run;
use crate::captured::{self, LinkKind, Named};
use crate::elf;
use crate::error::BuildError;
use crate::probes::is_probe;

/// Index of the link that made `image`: the path of a file, or, where there is no such file, the
/// end of one link's path.
pub(super) fn find(run: &Run, links: &[FoundLink], image: &Path) -> Result<usize, BuildError> {
    let place = absolute(&run.cwd.join(image));
    let real = place.canonicalize().unwrap_or_else(|_| place.clone());
    let images: Vec<Named<'_>> = links.iter().map(|link| named(run, link)).collect();
    if let Some(at) = captured::at(&images, &[place.clone(), real.clone()]).last() {
        return Ok(*at);
    }
    // Installed outside of the tree, perhaps stripped.
    if let Some((at, _)) = found::maker(run, links, &real) {
        return Ok(at);
    }
    if real.exists() {
        return Err(missing(run, links, image, &place));
    }
    match *captured::ending(&images, image) {
        [] => Err(missing(run, links, image, &place)),
        [one] => Ok(one),
        ref several => Err(BuildError::SeveralImages {
            asked: image.to_owned(),
            candidates: several
                .iter()
                .filter_map(|at| images.get(*at))
                .map(|image| image.label(&run.cwd))
                .collect(),
        }),
    }
}

fn named<'a>(run: &Run, link: &'a FoundLink) -> Named<'a> {
    Named {
        kind: link.kind(run),
        output: &link.output,
        aliases: &link.aliases,
    }
}

fn missing(run: &Run, links: &[FoundLink], image: &Path, place: &Path) -> BuildError {
    let made: Vec<PathBuf> = links
        .iter()
        .map(|link| named(run, link).label(&run.cwd))
        .collect();
    let image = image.to_owned();
    let Ok(about) = fs::metadata(place) else {
        return BuildError::ImageMissing { image, made };
    };
    if !about.is_file() {
        return BuildError::NotAnImage {
            image,
            what: "not a file",
            instead: same_name(&made, place),
        };
    }
    if fs::read(place).is_ok_and(|content| content.starts_with(b"#!")) {
        // libtool puts a script in the place of a program that uses libraries of the same build.
        return BuildError::NotAnImage {
            image,
            what: "a script",
            instead: same_name(&made, place),
        };
    }
    if !elf::is_image(place) {
        return BuildError::NotAnImage {
            image,
            what: "no ELF executable or shared library",
            instead: same_name(&made, place),
        };
    }
    if modified_ns(&about) < run.started_ns {
        return BuildError::ImageOld { image };
    }
    if let Some(of) = edited(links, place) {
        let of = of.strip_prefix(&run.cwd).unwrap_or(&of).to_owned();
        return BuildError::EditedCopy { image, of };
    }
    bypassed(run, vec![place.to_owned()])
}

/// The only image with the code of a file in which something else is other.
fn edited(links: &[FoundLink], place: &Path) -> Option<PathBuf> {
    let code = |image: &Path| elf::about(image, false).and_then(|about| about.code);
    let of = code(place)?;
    let outputs = links.iter().map(|link| &link.output);
    let mut same = outputs.filter(|output| code(output).as_ref() == Some(&of));
    same.next().filter(|_| same.next().is_none()).cloned()
}

fn same_name(made: &[PathBuf], place: &Path) -> Vec<PathBuf> {
    made.iter()
        .filter(|output| {
            output.file_name().is_some_and(|name| {
                Some(name) == place.file_name()
                    || name.to_string_lossy().trim_start_matches("lt-")
                        == place.file_name().unwrap_or_default().to_string_lossy()
            })
        })
        .cloned()
        .collect()
}

/// The only executable of a build, when none was asked for.
pub(super) fn only(kinds: &[LinkKind]) -> Option<usize> {
    let mut executables = kinds
        .iter()
        .enumerate()
        .filter(|(_, kind)| **kind == LinkKind::Executable);
    let (first, _) = executables.next()?;
    executables.next().is_none().then_some(first)
}

/// An image that no recorded link made: because a link could not be recorded, or because it went
/// past the shims.
fn bypassed(run: &Run, images: Vec<PathBuf>) -> BuildError {
    if run.problems.is_empty() {
        BuildError::Bypassed { images }
    } else {
        BuildError::Recording {
            problems: run.problems.clone(),
        }
    }
}

/// Why there are no links at all.
pub(super) fn nothing(run: &Run, number: u32) -> BuildError {
    let unexplained = found::unexplained(run, &[]);
    if !unexplained.is_empty() || !run.problems.is_empty() {
        return bypassed(run, unexplained);
    }
    let mut gone = found::outputs(run);
    gone.retain(|output| !is_probe(output));
    if gone.is_empty() {
        BuildError::NothingLinked { run: number }
    } else {
        BuildError::NothingLeft { gone }
    }
}
