//! Which of several images is meant by what a user types: a path, the end of one, or a name alone.

use std::path::{Component, Path, PathBuf};

use super::link::LinkKind;

/// An image as it can be named.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Named<'a> {
    pub(crate) kind: LinkKind,
    /// Where the build put it, absolute.
    pub(crate) output: &'a Path,
    /// Where else it lies, absolute.
    pub(crate) aliases: &'a [PathBuf],
}

impl<'a> Named<'a> {
    fn places(self) -> impl Iterator<Item = &'a Path> {
        let aliases = self.aliases.iter().map(PathBuf::as_path);
        std::iter::once(self.output).chain(aliases)
    }

    /// What people know it by: the shortest of its places, relative to the build's folder where it
    /// lies in it. It can be typed.
    pub(crate) fn label(self, folder: &Path) -> PathBuf {
        let shown = self
            .places()
            .map(|place| place.strip_prefix(folder).unwrap_or(place));
        let shortest = shown.min_by_key(|place| {
            let absolute = place.is_absolute();
            (
                absolute,
                place.components().count(),
                place.as_os_str().len(),
            )
        });
        shortest.unwrap_or(self.output).to_owned()
    }
}

/// The images at any of these places.
pub(crate) fn at(images: &[Named<'_>], places: &[PathBuf]) -> Vec<usize> {
    those(images, |image| {
        image
            .places()
            .any(|place| places.iter().any(|asked| asked == place))
    })
}

/// The images one of whose places ends with what was typed. Objects for other links are never meant
/// where a program or library is.
pub(crate) fn ending(images: &[Named<'_>], asked: &Path) -> Vec<usize> {
    let asked: PathBuf = asked
        .components()
        .filter(|part| !matches!(part, Component::CurDir))
        .collect();
    let all = those(images, |image| {
        !asked.as_os_str().is_empty() && image.places().any(|place| place.ends_with(&asked))
    });
    let is_image = |at: &usize| {
        images
            .get(*at)
            .is_some_and(|image| image.kind != LinkKind::Relocatable)
    };
    let proper: Vec<usize> = all.iter().copied().filter(is_image).collect();
    if proper.is_empty() { all } else { proper }
}

fn those(images: &[Named<'_>], fits: impl Fn(Named<'_>) -> bool) -> Vec<usize> {
    let all = images.iter().enumerate();
    all.filter(|(_, image)| fits(**image))
        .map(|(at, _)| at)
        .collect()
}
