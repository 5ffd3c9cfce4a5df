//! A set of layouts: builds prepared once, then one image for each build and seed.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use crate::draw::{Placement, draw};
use crate::elf::image::Linked;
use crate::elf::pad::Piece;
use crate::elf::relocatable::Block;
use crate::link::argv;
use crate::linker::{Backend, backend, collects};
use crate::plan::{DATA, Plan, Seen};
use crate::recipe::Recipe;
use crate::staged::{Staged, Style};
use crate::units::{Live, Units};
use crate::{LayoutError, Population};

/// How layouts of several builds relate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Matching {
    /// Every function and datum that builds share starts at the same address in each. For builds that share nearly all of their code.
    Matched,
    /// Each build is drawn on its own; a function of one name gets the same gap. For builds that share little: slots would hide what a larger build costs in density.
    Independent,
}

/// The image of one build in one layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// The file.
    pub path: PathBuf,
    /// Index of the build.
    pub build: usize,
    /// The seed of its layout.
    pub seed: u64,
}

/// Builds prepared for layouts. Sharing it between threads is safe, and images may be linked side by side.
pub struct LayoutSet {
    pub(crate) builds: Vec<Prepared>,
    pub(crate) plans: Vec<Plan>,
    pub(crate) matching: Matching,
    pub(crate) population: Population,
    backend: Box<dyn Backend>,
    links: PathBuf,
}

/// A build ready for its layouts.
pub(crate) struct Prepared {
    pub(crate) recipe: Recipe,
    pub(crate) units: Units,
    /// Which plan it takes part in, and as which of that plan's builds.
    pub(crate) plan: usize,
    pub(crate) member: usize,
    folder: PathBuf,
    sizes: HashMap<u32, (u64, u64)>,
    ballast: HashMap<Block, u64>,
    collected: bool,
    /// Its data is kept in step with other builds'.
    matched: bool,
    stage: Stage,
}

/// Staged copies of a build.
enum Stage {
    /// One, which no layout changes.
    Shared(Staged),
    /// As many as were ever needed at a time, and how many those are: each layout writes into the copies it takes.
    Pool(Mutex<(Vec<Staged>, usize)>),
}

/// Rounds after which blocks that still start at different addresses are given up.
const MOST_ROUNDS: usize = 8;

impl LayoutSet {
    /// Prepares builds: reads their inputs, links each once as shipped to see what is in its image and in which order, and stages patched copies. `scratch` is a folder for all of
    /// this, which must outlive the set and which the caller removes. Ends by linking and checking one layout, so that what cannot be promised is said before anything is measured.
    ///
    /// # Errors
    /// When a link fails, builds have different linkers, the linker has no back-end or does not keep a promise, or a file cannot be read or written.
    pub fn prepare(
        recipes: &[&Recipe],
        matching: Matching,
        population: Population,
        scratch: &Path,
    ) -> Result<LayoutSet, LayoutError> {
        let first = *recipes.first().ok_or(LayoutError::NoSuchBuild {
            build: 0,
            builds: 0,
        })?;
        same_linker(recipes)?;
        let backend = backend(first, &argv::parse(&first.argv))?;
        let matching = if recipes.len() == 1 {
            Matching::Independent
        } else {
            matching
        };
        let builds: Vec<(Units, Live, Staged, PathBuf)> = recipes
            .par_iter()
            .enumerate()
            .map(|(index, recipe)| {
                observe(
                    recipe,
                    matching,
                    &*backend,
                    &scratch.join(format!("build{index}")),
                )
            })
            .collect::<Result<_, _>>()?;
        let plans: Vec<Plan> = {
            let seen: Vec<Seen<'_>> = builds
                .iter()
                .map(|(units, live, ..)| Seen::new(units, live))
                .collect();
            match matching {
                Matching::Matched => vec![Plan::new(&seen)],
                Matching::Independent => seen.into_iter().map(|seen| Plan::new(&[seen])).collect(),
            }
        };
        let mut prepared = Vec::with_capacity(builds.len());
        for (index, (recipe, (units, _, staged, folder))) in recipes.iter().zip(builds).enumerate()
        {
            let (plan, member) = if matching == Matching::Matched {
                (0, index)
            } else {
                (index, 0)
            };
            prepared.push(Prepared::new(
                recipe,
                units,
                &plans[plan],
                (plan, member),
                (folder, staged),
                &*backend,
            )?);
        }
        let links = crate::link::folder(scratch, "links")?;
        let mut set = LayoutSet {
            builds: prepared,
            plans,
            matching,
            population,
            backend,
            links,
        };
        set.try_out()?;
        Ok(set)
    }

    /// Links one build in the layout of a seed. The same inputs and the same seed give the same bytes.
    ///
    /// # Errors
    /// When there is no such build, the link fails, or a file cannot be written.
    pub fn link(&self, build: usize, seed: u64, output: &Path) -> Result<Image, LayoutError> {
        let prepared = self.builds.get(build).ok_or(LayoutError::NoSuchBuild {
            build,
            builds: self.builds.len(),
        })?;
        let plan = &self.plans[prepared.plan];
        let placements = self.placements(prepared.plan, seed)?;
        let steps = plan.steps(prepared.member, &prepared.units, &placements);
        let output = std::path::absolute(output).map_err(LayoutError::file("find", output))?;
        let folder = tempfile::Builder::new()
            .prefix("link")
            .tempdir_in(&self.links)
            .map_err(LayoutError::file("create a folder in", &self.links))?;
        let ballast = prepared.pieces(plan, self.matching, &*self.backend);
        let carried = self.backend.carry_out(
            prepared.units.machine,
            &ballast,
            &steps,
            prepared.collected,
            folder.path(),
        )?;
        let what = format!("build {build} in the layout of seed {seed}");
        let run = |staged: &Staged| {
            staged.link(&prepared.recipe, &carried.pads, &output, &what, |words| {
                self.backend.adapt(words);
                words.extend(carried.arguments);
            })
        };
        match &prepared.stage {
            Stage::Shared(staged) => run(staged)?,
            Stage::Pool(pool) => {
                let mut staged = prepared.take(pool)?;
                let places = (1..)
                    .zip(&steps)
                    .filter_map(|(place, step)| step.unit().map(|unit| (unit, place)))
                    .collect();
                let linked = staged.sort(&places).and_then(|()| run(&staged));
                pool.lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .0
                    .push(staged);
                linked?;
            }
        }
        Ok(Image {
            path: output,
            build,
            seed,
        })
    }

    /// The layout of a seed in one plan.
    pub(crate) fn placements(&self, plan: usize, seed: u64) -> Result<Vec<Placement>, LayoutError> {
        let plan = &self.plans[plan];
        let placements = draw(&plan.functions, seed, self.population);
        let needed = placements
            .last()
            .map_or(0, |last| last.start + plan.functions[last.function].slot);
        if needed > plan.room {
            return Err(LayoutError::DrawTooLong {
                seed,
                needed,
                room: plan.room,
            });
        }
        Ok(placements)
    }

    /// Links one layout of each build, adds ballast until all blocks start at equal addresses, and checks the images.
    fn try_out(&mut self) -> Result<(), LayoutError> {
        for round in 0.. {
            let images: Vec<Image> = (0..self.builds.len())
                .into_par_iter()
                .map(|build| self.link(build, 0, &self.builds[build].folder.join("trial")))
                .collect::<Result<_, _>>()?;
            let starts: Vec<HashMap<Block, u64>> = images
                .iter()
                .map(|image| Ok(starts(&Linked::read(&image.path, false)?)))
                .collect::<Result<_, LayoutError>>()?;
            let uneven = if self.matching == Matching::Matched {
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

/// Reads a build's inputs and links it once in its own order, with handles: what is in the image, and where.
fn observe(
    recipe: &Recipe,
    matching: Matching,
    backend: &dyn Backend,
    folder: &Path,
) -> Result<(Units, Live, Staged, PathBuf), LayoutError> {
    let units = Units::read(recipe)?;
    let style = Style {
        data: matching == Matching::Matched,
        ..Style::default()
    };
    let staged = Staged::new(recipe, &units, &folder.join("observed"), style)?;
    let image = folder.join("observed/image");
    staged.link(recipe, &[], &image, "the image in its own order", |words| {
        backend.observe(words);
    })?;
    let live = Linked::read(&image, false)?.handles;
    std::fs::remove_file(&image).map_err(LayoutError::file("remove", &image))?;
    Ok((units, live, staged, folder.to_path_buf()))
}

/// Where the blocks start, by the marks of the pad object.
fn starts(linked: &Linked) -> HashMap<Block, u64> {
    std::iter::once(Block::Text)
        .chain(DATA)
        .filter_map(|block| Some((block, *linked.marks.get(&mark("pme", block))?)))
        .collect()
}

/// The name of a block's mark: `pmb` where its ballast begins, `pme` where it ends.
pub(crate) fn mark(end: &str, block: Block) -> String {
    format!(
        "{end}_{}",
        block
            .section_name()
            .trim_start_matches('.')
            .replace('.', "_")
    )
}

impl Prepared {
    fn new(
        recipe: &Recipe,
        units: Units,
        plan: &Plan,
        place: (usize, usize),
        observed: (PathBuf, Staged),
        backend: &dyn Backend,
    ) -> Result<Prepared, LayoutError> {
        let (folder, staged) = observed;
        let sizes = plan.sizes(place.1);
        let matched = !plan.slots.is_empty();
        let collected = collects(&argv::parse(&recipe.argv));
        let stage = if !backend.sorts_by_name() && !matched {
            Stage::Shared(staged)
        } else {
            drop(staged);
            let observed = folder.join("observed");
            std::fs::remove_dir_all(&observed).map_err(LayoutError::file("remove", &observed))?;
            let style = Style {
                sorted: backend.sorts_by_name(),
                data: !plan.slots.is_empty(),
                sizes: Some(&sizes),
            };
            let staged = Staged::new(recipe, &units, &folder.join("copy0"), style)?;
            if backend.sorts_by_name() {
                Stage::Pool(Mutex::new((vec![staged], 1)))
            } else {
                Stage::Shared(staged)
            }
        };
        Ok(Prepared {
            recipe: recipe.clone(),
            units,
            plan: place.0,
            member: place.1,
            folder,
            sizes,
            ballast: HashMap::new(),
            collected,
            matched,
            stage,
        })
    }

    /// Takes a copy out of the pool; makes one where all are in use.
    fn take(&self, pool: &Mutex<(Vec<Staged>, usize)>) -> Result<Staged, LayoutError> {
        let number = {
            let mut pool = pool.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(staged) = pool.0.pop() {
                return Ok(staged);
            }
            pool.1 += 1;
            pool.1
        };
        let style = Style {
            sorted: true,
            data: self.matched,
            sizes: Some(&self.sizes),
        };
        Staged::new(
            &self.recipe,
            &self.units,
            &self.folder.join(format!("copy{number}")),
            style,
        )
    }

    /// The pieces that start the blocks: ballast up to a mark, then the room of what only other builds have in front.
    fn pieces(&self, plan: &Plan, matching: Matching, backend: &dyn Backend) -> Vec<Piece> {
        let mut pieces = vec![self.piece(Block::Text, plan.code_alignment(), 0, true)];
        for block in DATA.into_iter().filter(|_| matching == Matching::Matched) {
            let Some(slots) = plan.slots.get(&block) else {
                continue;
            };
            let (lead, alignment) = (slots.lead[self.member], slots.alignment.max(64));
            match block {
                Block::Rodata | Block::Data | Block::Bss => {
                    pieces.push(self.piece(block, alignment, lead, true));
                }
                Block::RelRo if backend.balances_relro() => {
                    pieces.push(self.piece(block, alignment, lead, true));
                }
                // Thread-local data goes by its distance from the end of its segment, which slots keep equal.
                _ if lead > 0 => pieces.push(self.piece(block, slots.alignment, lead, false)),
                _ => {}
            }
        }
        pieces
    }

    fn piece(&self, block: Block, alignment: u64, lead: u64, balanced: bool) -> Piece {
        // At least one alignment's worth, so that the piece and its marks are there.
        let ballast = if balanced {
            alignment + self.ballast.get(&block).copied().unwrap_or(0)
        } else {
            0
        };
        let mut symbols = vec![(mark("pmb", block), 0)];
        if balanced {
            symbols.push((mark("pme", block), ballast));
        }
        Piece {
            section: block.section_name().to_string(),
            block,
            size: ballast + lead,
            alignment,
            symbols,
        }
    }
}
