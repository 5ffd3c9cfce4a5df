//! A set of layouts: builds prepared once, then one image for each build and seed.

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use proofmark_terms::Population;
use rayon::prelude::*;

use crate::LayoutError;
use crate::captured::Captured;
use crate::commons::Commons;
use crate::content::digests;
use crate::draw::{Placement, draw};
use crate::elf::block::Block;
use crate::elf::image::Linked;
use crate::freedom::{Freedom, Undrawn, UndrawnData};
use crate::link::argv;
use crate::link::sections::has_script;
use crate::linker::{Backend, backend};
use crate::observed::Observed;
use crate::plan::{DATA, Data, Plan};
use crate::prepared::{Prepared, mark};
use crate::recipe::Recipe;
use crate::seen::Seen;
use crate::undrawn::undrawn;

/// How layouts of several builds relate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Matching {
    /// Every function and datum that builds share starts at the same address in each. For builds
    /// that share nearly all of their code.
    Matched,
    /// As `Matched`, and functions that differ between the builds start at any even address,
    /// unless they ask for more than the usual alignment: what a few more bytes in front of a loop
    /// would do is drawn too. Not at odd ones: the C++ ABI keeps a flag in the lowest bit of a
    /// member function's address.
    Jittered,
    /// Each build is drawn on its own; a function of one name gets the same gap. For builds that
    /// share little: slots would hide what a larger build costs in density.
    Independent,
}

impl Matching {
    /// Whether what builds share is kept at equal addresses.
    #[must_use]
    pub fn is_matched(self) -> bool {
        matches!(self, Matching::Matched | Matching::Jittered)
    }
}

/// The image of one build in one layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkedImage {
    /// The file.
    pub path: PathBuf,
    /// Index of the build.
    pub build: usize,
    /// The seed of its layout.
    pub seed: u64,
}

/// Builds prepared for layouts. Sharing it between threads is safe, and images may be linked side
/// by side.
pub struct LayoutSet {
    pub(crate) builds: Vec<Prepared>,
    pub(crate) plans: Vec<Plan>,
    pub(crate) matching: Matching,
    pub(crate) population: Population,
    freedom: Freedom,
    undrawn: Vec<Undrawn>,
    backend: Box<dyn Backend>,
    links: PathBuf,
    /// The latest draws: the builds of a block share one, and checking their images asks for it
    /// again.
    drawn: Mutex<VecDeque<Drawn>>,
}

/// A plan and a seed, and what was drawn for them.
type Drawn = ((usize, u64), Arc<Layout>);

/// What a seed places.
pub(crate) struct Layout {
    /// Functions, in the order of addresses.
    pub(crate) functions: Vec<Placement>,
    pub(crate) data: Data,
}

/// Draws that are remembered.
const MOST_DRAWN: usize = 8;

/// Rounds after which blocks that still start at different addresses are given up.
const MOST_ROUNDS: usize = 8;

impl LayoutSet {
    /// Prepares builds: reads their inputs, links each once as shipped to see what is in its image
    /// and in which order, and stages patched copies. `scratch` is a folder for all of this, which
    /// must outlive the set and which the caller removes. Checks that the inputs give the file that
    /// the build left, and ends by linking and checking one layout, so that what cannot be promised
    /// is said before anything is measured.
    ///
    /// # Errors
    /// When a link fails, builds have different linkers, the linker has no back-end or does not
    /// keep a promise, or a file cannot be read or written.
    pub fn prepare<'r>(
        builds: &[impl Copy + Into<Captured<'r>>],
        matching: Matching,
        population: Population,
        scratch: &Path,
    ) -> Result<LayoutSet, LayoutError> {
        LayoutSet::prepare_within(builds, matching, population, scratch, Freedom::ALL)
    }

    /// The same, with no more freedom than `limit`: what another set has that this one is compared
    /// with.
    ///
    /// # Errors
    /// As [`LayoutSet::prepare`].
    pub fn prepare_within<'r>(
        builds: &[impl Copy + Into<Captured<'r>>],
        matching: Matching,
        population: Population,
        scratch: &Path,
        limit: Freedom,
    ) -> Result<LayoutSet, LayoutError> {
        let builds: Vec<Captured<'r>> = builds.iter().map(|build| (*build).into()).collect();
        LayoutSet::of(&builds, matching, population, scratch, limit)
    }

    /// What its layouts may do with data.
    #[must_use]
    pub fn freedom(&self) -> Freedom {
        self.freedom
    }

    /// What its layouts leave where a linker puts it, because of a build of its own. What the limit
    /// of another set forbids is not among it.
    #[must_use]
    pub fn undrawn(&self) -> &[Undrawn] {
        &self.undrawn
    }

    fn of(
        captured: &[Captured<'_>],
        matching: Matching,
        population: Population,
        scratch: &Path,
        limit: Freedom,
    ) -> Result<LayoutSet, LayoutError> {
        let recipes: Vec<&Recipe> = captured.iter().map(|build| build.recipe).collect();
        let first = *recipes.first().ok_or(LayoutError::NoSuchBuild {
            build: 0,
            builds: 0,
        })?;
        same_linker(&recipes)?;
        let backend = backend(first, &argv::parse(&first.argv))?;
        let matching = if recipes.len() == 1 {
            Matching::Independent
        } else {
            matching
        };
        let observe = |unmerged: bool| {
            let observe = |(index, build): (usize, &Captured<'_>)| {
                let kind = if unmerged { "build" } else { "merged" };
                let folder = scratch.join(format!("{kind}{index}"));
                Observed::new(*build, &*backend, &folder, unmerged)
            };
            let builds = captured.par_iter().enumerate().map(observe);
            builds.collect::<Result<Vec<Observed>, LayoutError>>()
        };
        let mut builds = observe(limit.unmerged)?;
        let undrawn = undrawn(captured, &builds)?;
        let draws = |what: UndrawnData| undrawn.iter().all(|one| one.what != what);
        let unmerged = limit.unmerged && builds.iter().all(|build| build.merged_by.is_none());
        if !unmerged && builds.iter().any(|build| build.unmerged.is_some()) {
            // What is drawn in one build and not in the other makes a difference of its own.
            builds = observe(false)?;
        }
        let freedom = Freedom {
            drawn: limit.drawn && draws(UndrawnData::All),
            constants: limit.constants && draws(UndrawnData::Constants),
            unmerged,
        };
        let plans = plans(captured, &builds, matching, freedom)?;
        let mut prepared = Vec::with_capacity(builds.len());
        for (index, (recipe, observed)) in recipes.iter().zip(builds).enumerate() {
            let place = if matching.is_matched() {
                (0, index)
            } else {
                (index, 0)
            };
            prepared.push(Prepared::new(
                recipe,
                observed,
                &plans[place.0],
                place,
                &*backend,
            )?);
        }
        let links = crate::link::folder(scratch, "links")?;
        let mut set = LayoutSet {
            freedom,
            undrawn,
            builds: prepared,
            plans,
            matching,
            population,
            backend,
            links,
            drawn: Mutex::default(),
        };
        set.try_out()?;
        Ok(set)
    }

    /// A build, its plan, and where the seed places what the plan moves.
    pub(crate) fn layout(
        &self,
        build: usize,
        seed: u64,
    ) -> Result<(&Prepared, &Plan, Arc<Layout>), LayoutError> {
        let prepared = self.builds.get(build).ok_or(LayoutError::NoSuchBuild {
            build,
            builds: self.builds.len(),
        })?;
        let layout = self.drawn(prepared.plan, seed)?;
        Ok((prepared, &self.plans[prepared.plan], layout))
    }

    /// Links one build in the layout of a seed. The same inputs and the same seed give the same
    /// bytes.
    ///
    /// # Errors
    /// When there is no such build, the link fails, or a file cannot be written.
    pub fn link(&self, build: usize, seed: u64, output: &Path) -> Result<LinkedImage, LayoutError> {
        let (prepared, plan, layout) = self.layout(build, seed)?;
        let steps = plan.steps(prepared.member, &layout.functions, prepared.slack());
        let output = std::path::absolute(output).map_err(LayoutError::file("find", output))?;
        let what = format!("build {build} in the layout of seed {seed}");
        let placed = (steps.as_slice(), &layout.data);
        let names = (output.as_path(), what.as_str());
        prepared.link_with_data(plan, placed, &*self.backend, &self.links, names)?;
        Ok(LinkedImage {
            path: output,
            build,
            seed,
        })
    }

    /// The layout of a seed in one plan.
    pub(crate) fn drawn(&self, plan: usize, seed: u64) -> Result<Arc<Layout>, LayoutError> {
        let key = (plan, seed);
        let known = |drawn: &VecDeque<Drawn>| {
            drawn
                .iter()
                .find(|(of, _)| *of == key)
                .map(|(_, layout)| Arc::clone(layout))
        };
        if let Some(layout) = known(&self.drawn.lock().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(layout);
        }
        let plan = &self.plans[plan];
        let functions = draw(&plan.functions, seed, self.population);
        let needed = functions
            .last()
            .map_or(0, |last| last.start + plan.functions[last.function].slot);
        if needed > plan.room {
            return Err(LayoutError::DrawTooLong {
                seed,
                needed,
                room: plan.room,
            });
        }
        let data = plan.data_of(seed);
        let layout = Arc::new(Layout { functions, data });
        let mut drawn = self.drawn.lock().unwrap_or_else(PoisonError::into_inner);
        drawn.truncate(MOST_DRAWN - 1);
        drawn.push_front((key, Arc::clone(&layout)));
        Ok(layout)
    }

    /// Links one layout of each build, adds ballast until all blocks start at equal addresses, and
    /// checks the images.
    fn try_out(&mut self) -> Result<(), LayoutError> {
        for round in 0.. {
            let images: Vec<LinkedImage> = (0..self.builds.len())
                .into_par_iter()
                .map(|build| self.link(build, 0, &self.builds[build].folder.join("trial")))
                .collect::<Result<_, _>>()?;
            let starts: Vec<HashMap<Block, u64>> = images
                .iter()
                .map(|image| Ok(starts(&Linked::read(&image.path, false)?)))
                .collect::<Result<_, LayoutError>>()?;
            let uneven = if self.matching.is_matched() {
                self.balance(&starts)
            } else {
                Vec::new()
            };
            if uneven.is_empty() {
                self.verify(&images)?;
                for image in &images {
                    std::fs::remove_file(&image.path)
                        .map_err(LayoutError::file("remove", &image.path))?;
                }
                return Ok(());
            }
            if round == MOST_ROUNDS {
                let found = format!(
                    "{} still differ after {MOST_ROUNDS} rounds of ballast",
                    uneven.join(", ")
                );
                return Err(LayoutError::PromiseBroken {
                    linker: self.builds[0].recipe.linker.kind,
                    promise: "blocks start at equal addresses",
                    found,
                });
            }
        }
        Ok(())
    }

    /// Adds to each build's ballast what it lacks to the furthest; says which blocks were uneven.
    fn balance(&mut self, starts: &[HashMap<Block, u64>]) -> Vec<&'static str> {
        let mut blocks: Vec<(u64, Block)> = starts[0]
            .iter()
            .map(|(block, start)| (*start, *block))
            .collect();
        blocks.sort_unstable();
        let mut shift = vec![0_u64; starts.len()];
        let mut uneven = Vec::new();
        for (_, block) in blocks {
            let now: Vec<u64> = starts
                .iter()
                .zip(&shift)
                .map(|(starts, shift)| starts.get(&block).copied().unwrap_or(0) + shift)
                .collect();
            let furthest = now.iter().copied().max().unwrap_or(0);
            if starts
                .iter()
                .any(|start| start.get(&block) != starts[0].get(&block))
            {
                uneven.push(block.section_name());
            }
            for ((build, shift), now) in self.builds.iter_mut().zip(&mut shift).zip(now) {
                *build.ballast.entry(block).or_insert(0) += furthest - now;
                *shift += furthest - now;
            }
        }
        uneven
    }
}

/// One plan for builds that are matched, or one for each.
fn plans(
    captured: &[Captured<'_>],
    builds: &[Observed],
    matching: Matching,
    freedom: Freedom,
) -> Result<Vec<Plan>, LayoutError> {
    let seen = builds
        .iter()
        .map(|build| Seen::new(&build.units, &build.live, &build.held.units));
    let Freedom {
        drawn, constants, ..
    } = freedom;
    let draws = |block: Block| drawn && (block.is_written() || constants);
    let mut plans = match matching {
        Matching::Matched => vec![Plan::of(&seen.collect::<Vec<_>>(), draws)],
        Matching::Jittered => {
            let digests = builds
                .iter()
                .map(|build| digests(&build.units))
                .collect::<Result<Vec<_>, LayoutError>>()?;
            let seen = seen
                .zip(&digests)
                .map(|(seen, digests)| seen.loose(digests));
            vec![Plan::of(&seen.collect::<Vec<_>>(), draws)]
        }
        Matching::Independent => seen.map(|seen| Plan::of(&[seen], draws)).collect(),
    };
    if drawn {
        let mut commons = builds.iter().map(|build| build.commons.clone());
        for plan in &mut plans {
            let of_plan: Vec<_> = commons.by_ref().take(plan.builds()).collect();
            plan.commons = Commons::of(&of_plan);
            plan.leads = !captured.iter().any(|build| has_script(build.recipe));
        }
    }
    Ok(plans)
}

fn same_linker(recipes: &[&Recipe]) -> Result<(), LayoutError> {
    let shown = |recipe: &Recipe| format!("{} ({})", recipe.linker.kind, recipe.linker.version);
    match recipes
        .iter()
        .position(|recipe| shown(recipe) != shown(recipes[0]))
    {
        Some(build) => Err(LayoutError::LinkersDiffer {
            build,
            found: shown(recipes[build]),
            expected: shown(recipes[0]),
        }),
        None => Ok(()),
    }
}

/// Where the blocks start, by the marks of the pad object.
fn starts(linked: &Linked) -> HashMap<Block, u64> {
    std::iter::once(Block::Text)
        .chain(DATA)
        .filter_map(|block| Some((block, *linked.marks.get(&mark("pme", block))?)))
        .collect()
}
