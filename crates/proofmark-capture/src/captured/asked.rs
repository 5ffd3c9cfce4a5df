//! Which image of a captured build is meant.

use std::path::{Path, PathBuf};

use super::build::Capture;
use super::link::{CapturedLink, LinkKind};
use super::named::{Named, at, ending};
use crate::error::BuildError;
use crate::objects::hash_file;

impl Capture {
    /// The link asked for: by the place of its image, by a file with the same content, by the end
    /// of its path or its name alone; or the chosen one.
    ///
    /// # Errors
    /// When there is no such link, or there are several.
    pub fn image(&self, asked: Option<&Path>) -> Result<&CapturedLink, BuildError> {
        self.links
            .get(self.index(asked)?)
            .ok_or_else(|| self.no_image(asked))
    }

    /// The link asked for in every build of a repeated capture, the first one first. Each goes by
    /// the name that was asked for: a program may do something else under each of its names.
    ///
    /// # Errors
    /// As [`Capture::image`].
    pub fn images(&self, asked: Option<&Path>) -> Result<Vec<CapturedLink>, BuildError> {
        let index = self.index(asked)?;
        let builds = std::iter::once(&self.links).chain(&self.repeats);
        let mut found: Vec<CapturedLink> =
            (builds.filter_map(|links| links.get(index).cloned())).collect();
        if let Some(place) = asked.and_then(|asked| found.first()?.place_of(asked, &self.cwd)) {
            found.iter_mut().for_each(|link| link.go_by(place.clone()));
        }
        Ok(found)
    }

    /// What people know a link by: the shortest path of its image, relative to the build's folder
    /// where it lies in it.
    #[must_use]
    pub fn label(&self, link: &CapturedLink) -> PathBuf {
        link.named().label(&self.cwd)
    }

    /// The image that is taken where none is asked for, as it can be typed. None where there are
    /// several.
    #[must_use]
    pub fn default_image(&self) -> Option<PathBuf> {
        Some(self.label(self.links.get(self.chosen?)?))
    }

    fn index(&self, asked: Option<&Path>) -> Result<usize, BuildError> {
        let Some(asked) = asked else {
            return self.chosen.ok_or_else(|| self.no_image(None));
        };
        let images: Vec<Named<'_>> = self.links.iter().map(CapturedLink::named).collect();
        let in_build = self.cwd.join(asked);
        let here = std::path::absolute(asked).unwrap_or_else(|_| in_build.clone());
        let resolved = [&in_build, &here].map(|path| path.canonicalize().ok());
        let places: Vec<PathBuf> = resolved
            .into_iter()
            .flatten()
            .chain([in_build.clone(), here])
            .collect();
        let by_content = || {
            let hash = hash_file(&in_build).ok();
            let same = |link: &CapturedLink| Some(&link.image_hash) == hash.as_ref();
            self.links.iter().position(same).into_iter().collect()
        };
        let mut found = at(&images, &places);
        if found.is_empty() {
            found = by_content();
        }
        if found.is_empty() {
            found = ending(&images, asked);
        }
        match *found {
            [] => Err(self.no_image(Some(asked))),
            [one] => Ok(one),
            _ => Err(BuildError::SeveralImages {
                asked: asked.to_owned(),
                candidates: found
                    .iter()
                    .filter_map(|at| self.links.get(*at))
                    .map(|link| self.label(link))
                    .collect(),
            }),
        }
    }

    fn no_image(&self, asked: Option<&Path>) -> BuildError {
        let candidates = self
            .links
            .iter()
            .filter(|link| link.kind != LinkKind::Relocatable)
            .map(|link| self.label(link))
            .collect();
        match asked {
            Some(asked) => BuildError::NoSuchImage {
                name: self.name.clone(),
                asked: asked.to_owned(),
                candidates,
            },
            None => BuildError::WhichImage {
                name: self.name.clone(),
                candidates,
            },
        }
    }
}

impl CapturedLink {
    /// The place of the image that was asked for by its own name: what the build left there, or a
    /// link to it.
    fn place_of(&self, asked: &Path, folder: &Path) -> Option<PathBuf> {
        let here = std::path::absolute(asked).ok();
        let mut typed = std::iter::once(folder.join(asked)).chain(here);
        let known = |place: &PathBuf| *place == self.output || self.aliases.contains(place);
        let leads_here = |place: &PathBuf| {
            let same_name = place.file_name() == self.output.file_name();
            !same_name && place.canonicalize().is_ok_and(|real| known(&real))
        };
        let at = typed.find(|place| known(place) || leads_here(place));
        let ends = |place: &&PathBuf| place.ends_with(asked);
        at.or_else(|| {
            let mut places = std::iter::once(&self.output).chain(&self.aliases);
            places.find(ends).cloned()
        })
    }

    /// Makes one of its names the one by which it runs.
    pub(crate) fn go_by(&mut self, place: PathBuf) {
        if place != self.output {
            self.aliases.retain(|alias| *alias != place);
            self.aliases
                .push(std::mem::replace(&mut self.output, place));
        }
    }

    fn named(&self) -> Named<'_> {
        Named {
            kind: self.kind,
            output: &self.output,
            aliases: &self.aliases,
        }
    }
}
