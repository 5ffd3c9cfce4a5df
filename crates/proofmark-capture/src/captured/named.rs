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

/// The images one of whose places ends with what was typed; where there is none, those that cargo
/// called so, with a hash of what they are made of behind the name: it is another one in the next
/// revision. Objects for other links are never meant where a program or library is.
pub(crate) fn ending(images: &[Named<'_>], asked: &Path) -> Vec<usize> {
    let asked: PathBuf = asked
        .components()
        .filter(|part| !matches!(part, Component::CurDir))
        .collect();
    if asked.as_os_str().is_empty() {
        return Vec::new();
    }
    let mut all = those(images, |image| {
        image.places().any(|place| place.ends_with(&asked))
    });
    if all.is_empty() {
        all = those(images, |image| {
            let mut named = image.places().filter_map(without_hash);
            named.any(|place| place.ends_with(&asked))
        });
    }
    let is_image = |at: &usize| {
        images
            .get(*at)
            .is_some_and(|image| image.kind != LinkKind::Relocatable)
    };
    let proper: Vec<usize> = all.iter().copied().filter(is_image).collect();
    if proper.is_empty() { all } else { proper }
}

/// The place of `deps/NAME-0123456789abcdef`, as if it had no hash.
fn without_hash(place: &Path) -> Option<PathBuf> {
    let (name, hash) = place.file_name()?.to_str()?.rsplit_once('-')?;
    let is_hash = hash.len() == 16
        && hash
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    is_hash.then(|| place.with_file_name(name))
}

fn those(images: &[Named<'_>], fits: impl Fn(Named<'_>) -> bool) -> Vec<usize> {
    let all = images.iter().enumerate();
    all.filter(|(_, image)| fits(**image))
        .map(|(at, _)| at)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_cargos_is_found_without_its_hash() {
        const PLACES: [&str; 8] = [
            "/w/target/release/deps/work-0123456789abcdef",
            "/w/target/release/deps/other-00000000000000ff",
            "/w/target/release/deps/other-work",
            "/w/target/release/deps/many-0123456789abcdef",
            "/w/target/release/deps/many-fedcba9876543210",
            "/w/target/release/deps/short-0123456789abcde",
            "/w/target/release/deps/exact-0123456789abcdef",
            "/w/target/release/exact",
        ];
        let image = |place: &'static &'static str| Named {
            kind: LinkKind::Executable,
            output: Path::new(place),
            aliases: &[],
        };
        let images: Vec<Named<'_>> = PLACES.iter().map(image).collect();
        for (asked, expected) in [
            ("deps/work", &[0][..]),
            ("work", &[0]),
            ("other", &[1]),
            ("work-0123456789abcdef", &[0]),
            ("many", &[3, 4]),
            ("short", &[]),
            // A file of that very name comes first.
            ("exact", &[7]),
            ("deps/exact", &[6]),
            ("", &[]),
        ] {
            assert_eq!(ending(&images, Path::new(asked)), expected, "{asked}");
        }
    }
}
