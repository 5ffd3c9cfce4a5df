//! What the images of builds are linked from: one set for all builds whose layouts are matched, a
//! set for each build whose layout is its own; and where code is moved within functions, one for
//! each block.

use std::path::{Path, PathBuf};

use proofmark_capture::CapturedLink;
use proofmark_conclude::Draws;
use proofmark_evidence::record::{Drawing, LayoutControl};
use proofmark_layout::{Captured, Elsewhere, Freedom, LayoutSet, LinkedImage, Matching, Undrawn};
use proofmark_terms::{BuildIndex, Population};
use rayon::prelude::*;

use super::cache::Cache;
use super::padded::PaddedSets;
use crate::builds::Subject;
use crate::error::LabError;

/// Everything that images are linked from.
pub(crate) struct Kits {
    sets: Vec<Set>,
    /// For each build, where its recipes are; `None` where it cannot be laid out.
    builds: Vec<Option<Recipes>>,
    matching: Matching,
    within: Option<PaddedSets>,
    /// Data that all layouts leave where the linker puts it, and the builds because of which.
    undrawn: Vec<(BuildIndex, Undrawn)>,
}

/// Builds prepared together.
struct Set {
    layouts: LayoutSet,
    /// What the images depend on beside the seed and the recipe.
    key: String,
}

/// Where a build's recipes are.
struct Recipes {
    set: usize,
    /// Index of the first one within the set.
    first: usize,
    /// How many: one for each capture.
    count: usize,
}

/// One image that is to be made.
pub(crate) struct Place {
    /// Index of the build.
    pub(crate) build: BuildIndex,
    /// Which of its captures.
    pub(crate) repeat: usize,
    /// The seed of its layout.
    pub(crate) seed: u64,
    /// Where it goes.
    pub(crate) path: PathBuf,
}

impl Kits {
    /// Prepares builds. Where each is laid out on its own, one that cannot be is returned as an
    /// error of that build, and the others stay; they may then have linkers of their own, too.
    pub(crate) fn prepare(
        control: &LayoutControl,
        subjects: &[Subject],
        folder: &Path,
    ) -> Result<(Self, Vec<LabError>), LabError> {
        match control {
            LayoutControl::AsShipped { reason } => Err(LabError::Refused(format!(
                "layouts are not varied: {reason}"
            ))),
            LayoutControl::Drawn { how, population } => match how {
                Drawing::Matched => {
                    Self::together(subjects, Matching::Matched, *population, folder)
                }
                Drawing::Jittered => {
                    Self::together(subjects, Matching::Jittered, *population, folder)
                }
                Drawing::Inside => Self::within(subjects, *population, folder),
                Drawing::Independent { .. } => Ok(Self::independent(subjects, *population, folder)),
            },
        }
    }

    /// Jittered, and padded anew within the functions that differ.
    fn within(
        subjects: &[Subject],
        population: Population,
        folder: &Path,
    ) -> Result<(Self, Vec<LabError>), LabError> {
        let (mut kits, broken) = Self::together(
            subjects,
            Matching::Jittered,
            population,
            &folder.join("base"),
        )?;
        if let Some(base) = kits.sets.first_mut() {
            base.key.push_str("-within");
            let able = subjects.iter().zip(&kits.builds);
            let able = able.filter_map(|(subject, recipes)| recipes.as_ref().map(|_| subject));
            let links = able.flat_map(|one| one.links().unwrap_or_default());
            let captured: Vec<Captured<'_>> = links.map(CapturedLink::for_layouts).collect();
            kits.within = Some(PaddedSets::of(&base.layouts, &captured, folder)?);
        }
        Ok((kits, broken))
    }

    /// One set for all builds that can be laid out; of several builds, those that cannot are told.
    fn together(
        subjects: &[Subject],
        matching: Matching,
        population: Population,
        folder: &Path,
    ) -> Result<(Self, Vec<LabError>), LabError> {
        let prepare = |subjects: &[&Subject]| {
            Set::prepare(subjects, matching, population, folder, Freedom::ALL)
        };
        let all: Vec<&Subject> = subjects.iter().collect();
        let mut able = vec![true; all.len()];
        let mut broken = Vec::new();
        let set = match prepare(&all) {
            Ok(set) => set,
            Err(error) if all.len() <= 2 => return Err(error),
            Err(error) => {
                broken = unable(subjects, population, folder);
                for error in &broken {
                    if let LabError::OfBuild { build, .. } = error {
                        able[build.place()] = false;
                    }
                }
                let rest = all.iter().zip(&able).filter(|(_, able)| **able);
                let rest: Vec<&Subject> = rest.map(|(subject, _)| *subject).collect();
                if broken.is_empty() || rest.len() < 2 {
                    return Err(error);
                }
                prepare(&rest)?
            }
        };
        let (mut builds, mut owners) = (Vec::new(), Vec::new());
        for ((build, subject), able) in BuildIndex::each(subjects).zip(able) {
            let recipes = Recipes {
                set: 0,
                first: owners.len(),
                count: links(subject),
            };
            if able {
                owners.extend(std::iter::repeat_n(build, recipes.count));
            }
            builds.push(able.then_some(recipes));
        }
        let undrawn = set.layouts.undrawn().iter();
        let undrawn = undrawn.filter_map(|one| Some((*owners.get(one.build)?, one.clone())));
        let kits = Kits {
            undrawn: undrawn.collect(),
            builds,
            sets: vec![set],
            matching,
            within: None,
        };
        Ok((kits, broken))
    }

    fn independent(
        subjects: &[Subject],
        population: Population,
        folder: &Path,
    ) -> (Self, Vec<LabError>) {
        let prepare = |build: usize, within: Freedom| {
            let alike = if within == Freedom::ALL { "" } else { "-alike" };
            let folder = folder.join(format!("{build}{alike}"));
            let subject = [&subjects[build]];
            Set::prepare(&subject, Matching::Independent, population, &folder, within)
        };
        let all = (0..subjects.len()).into_par_iter();
        let prepared: Vec<Result<Set, LabError>> =
            all.map(|build| prepare(build, Freedom::ALL)).collect();
        // What data is drawn of one build is drawn of all.
        let sets = prepared.iter().flatten();
        let freedom = sets.fold(Freedom::ALL, |all, set| all.and(set.layouts.freedom()));
        let undrawn = BuildIndex::each(&prepared).flat_map(|(build, set)| {
            let of_set = set.as_ref().map_or(&[][..], |set| set.layouts.undrawn());
            of_set.iter().map(move |one| (build, one.clone()))
        });
        let undrawn = undrawn.collect();
        let alike = |(build, set): (usize, Result<Set, LabError>)| match set {
            Ok(set) if set.layouts.freedom() != freedom => prepare(build, freedom),
            set => set,
        };
        let prepared: Vec<Result<Set, LabError>> =
            prepared.into_par_iter().enumerate().map(alike).collect();
        let (mut sets, mut builds, mut broken) = (Vec::new(), Vec::new(), Vec::new());
        for ((build, subject), set) in BuildIndex::each(subjects).zip(prepared) {
            match set {
                Ok(set) => {
                    builds.push(Some(Recipes {
                        set: sets.len(),
                        first: 0,
                        count: links(subject),
                    }));
                    sets.push(set);
                }
                Err(error) => {
                    builds.push(None);
                    broken.push(error.of_build(build));
                }
            }
        }
        let kits = Kits {
            sets,
            builds,
            matching: Matching::Independent,
            within: None,
            undrawn,
        };
        (kits, broken)
    }

    /// Data that all layouts leave where the linker puts it, and the builds because of which.
    pub(crate) fn undrawn(&self) -> &[(BuildIndex, Undrawn)] {
        &self.undrawn
    }

    /// How many captures a build has.
    pub(crate) fn repeats(&self, build: BuildIndex) -> usize {
        self.recipes(build).map_or(0, |recipes| recipes.count)
    }

    /// The seed of a build's layout in a block.
    pub(crate) fn seed(&self, layout_seed: u64, build: BuildIndex) -> u64 {
        match self.matching {
            Matching::Matched | Matching::Jittered => layout_seed,
            Matching::Independent => Draws::independent_seed(layout_seed, build),
        }
    }

    /// Puts an image in its place, from the cache or newly linked; a new one is given back, to be
    /// checked. One that stands alone is checked at once.
    pub(crate) fn make(
        &self,
        place: &Place,
        cache: &Cache,
    ) -> Result<Option<LinkedImage>, LabError> {
        let lacking = || LabError::Fault(format!("build {} has no recipe", place.build));
        let recipes = self.recipes(place.build).ok_or_else(lacking)?;
        let set = self.sets.get(recipes.set).ok_or_else(lacking)?;
        let recipe = recipes.first + place.repeat;
        let key = format!("{}-{recipe}-{:016x}", set.key, place.seed);
        if cache.fetch(&key, &place.path)? {
            return Ok(None);
        }
        let image = match &self.within {
            Some(within) => {
                let padded = within.of_seed(&set.layouts, place.seed)?;
                padded.set.link(recipe, place.seed, &place.path)?
            }
            None => set.layouts.link(recipe, place.seed, &place.path)?,
        };
        if self.matching == Matching::Independent {
            set.layouts.verify(std::slice::from_ref(&image))?;
        }
        cache.keep(&key, &place.path);
        Ok(Some(image))
    }

    /// Checks what newly made images of one seed promise together; gives what could not be kept at
    /// one address.
    pub(crate) fn verify_together(
        &self,
        images: &[LinkedImage],
    ) -> Result<Vec<Elsewhere>, LabError> {
        match (self.matching, self.sets.as_slice()) {
            (Matching::Jittered, [set]) if self.within.is_some() => {
                let (Some(within), Some(first)) = (&self.within, images.first()) else {
                    return Ok(Vec::new());
                };
                let padded = within.of_seed(&set.layouts, first.seed)?;
                Ok(padded.set.verify(images)?.elsewhere)
            }
            (Matching::Matched | Matching::Jittered, [set]) => {
                Ok(set.layouts.verify(images)?.elsewhere)
            }
            _ => Ok(Vec::new()),
        }
    }

    fn recipes(&self, build: BuildIndex) -> Option<&Recipes> {
        build.of(&self.builds)?.as_ref()
    }
}

impl Set {
    fn prepare(
        subjects: &[&Subject],
        matching: Matching,
        population: Population,
        folder: &Path,
        within: Freedom,
    ) -> Result<Self, LabError> {
        let mut all: Vec<Captured<'_>> = Vec::new();
        let mut key = blake3::Hasher::new_derive_key("proofmark 2026 images of a set of builds");
        key.update(format!("{matching:?} {population:?} {}", env!("CARGO_PKG_VERSION")).as_bytes());
        for link in subjects
            .iter()
            .flat_map(|subject| subject.links().unwrap_or_default())
        {
            all.push(link.for_layouts());
            key.update(link.image_hash.as_bytes());
            for input in &link.recipe.inputs {
                key.update(input.hash.as_bytes());
            }
        }
        let layouts = LayoutSet::prepare_within(&all, matching, population, folder, within)?;
        key.update(format!("{:?}", layouts.freedom()).as_bytes());
        Ok(Set {
            layouts,
            key: key.finalize().to_hex().to_string(),
        })
    }
}

/// The builds that cannot be laid out even by themselves, each as an error of its own.
fn unable(subjects: &[Subject], population: Population, folder: &Path) -> Vec<LabError> {
    let alone = |(build, subject): (BuildIndex, &Subject)| {
        let folder = folder.join(format!("alone{build}"));
        let matching = Matching::Independent;
        let set = Set::prepare(&[subject], matching, population, &folder, Freedom::ALL);
        Some(set.err()?.of_build(build))
    };
    BuildIndex::each(subjects).filter_map(alone).collect()
}

/// How many captures a build has.
fn links(subject: &Subject) -> usize {
    subject.links().map_or(0, <[_]>::len)
}
