//! One build made ready for its layouts: observed as shipped, its copies staged, its ballast known.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::LayoutError;
use crate::elf::image::Linked;
use crate::elf::pad::Piece;
use crate::elf::patch::SLACK;
use crate::elf::relocatable::Block;
use crate::link::argv;
use crate::linker::{Backend, collects, folds};
use crate::plan::{DATA, Plan};
use crate::recipe::Recipe;
use crate::staged::{Staged, Style};
use crate::units::{Live, Units};

/// A build as it was seen in its own order.
pub(crate) struct Observed {
    pub(crate) units: Units,
    /// What is in its image, and where.
    pub(crate) live: Live,
    staged: Staged,
    folder: PathBuf,
    slack: bool,
}

impl Observed {
    /// Reads a build's inputs and links it once in its own order, with handles. `matched` says that its data will be kept in step with other builds'.
    pub(crate) fn new(
        recipe: &Recipe,
        matched: bool,
        backend: &dyn Backend,
        folder: &Path,
    ) -> Result<Observed, LayoutError> {
        let units = Units::read(recipe)?;
        let slack = !folds(&argv::parse(&recipe.argv));
        let style = Style {
            data: matched,
            slack,
            ..Style::default()
        };
        let staged = Staged::new(recipe, &units, &folder.join("observed"), style)?;
        let image = folder.join("observed/image");
        staged.link(recipe, &[], &image, "the image in its own order", |words| {
            backend.observe(words);
        })?;
        let live = Linked::read(&image, false)?.handles;
        std::fs::remove_file(&image).map_err(LayoutError::file("remove", &image))?;
        Ok(Observed {
            units,
            live,
            staged,
            folder: folder.to_path_buf(),
            slack,
        })
    }
}

/// A build ready for its layouts.
pub(crate) struct Prepared {
    pub(crate) recipe: Recipe,
    pub(crate) units: Units,
    /// Which plan it takes part in.
    pub(crate) plan: usize,
    /// As which of that plan's builds.
    pub(crate) member: usize,
    pub(crate) folder: PathBuf,
    /// Bytes added to the start of each block, beyond the least.
    pub(crate) ballast: HashMap<Block, u64>,
    /// The link throws away what nothing refers to.
    pub(crate) collected: bool,
    sizes: HashMap<u32, (u64, u64)>,
    loose: HashMap<u32, u64>,
    /// Its data is kept in step with other builds'.
    matched: bool,
    slack: bool,
    copies: Mutex<Copies>,
}

/// Staged copies: each layout writes into the one that it takes.
struct Copies {
    free: Vec<Staged>,
    made: usize,
}

impl Prepared {
    /// `place` is the plan that the build takes part in, and as which of its builds.
    pub(crate) fn new(
        recipe: &Recipe,
        observed: Observed,
        plan: &Plan,
        place: (usize, usize),
        backend: &dyn Backend,
    ) -> Result<Prepared, LayoutError> {
        let matched = !plan.slots.is_empty();
        let prepared = Prepared {
            recipe: recipe.clone(),
            units: observed.units,
            plan: place.0,
            member: place.1,
            folder: observed.folder,
            ballast: HashMap::new(),
            collected: collects(&argv::parse(&recipe.argv)),
            sizes: plan.sizes(place.1),
            loose: plan.loose(place.1),
            matched,
            slack: observed.slack,
            copies: Mutex::new(Copies {
                free: Vec::new(),
                made: 0,
            }),
        };
        if matched || backend.sorts_by_name() {
            drop(observed.staged);
            let folder = prepared.folder.join("observed");
            std::fs::remove_dir_all(&folder).map_err(LayoutError::file("remove", &folder))?;
        } else {
            prepared.give(observed.staged);
        }
        Ok(prepared)
    }

    /// Takes a copy that no other layout is using; makes one where all are in use.
    pub(crate) fn take(&self, backend: &dyn Backend) -> Result<Staged, LayoutError> {
        let number = {
            let mut copies = self.copies.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(staged) = copies.free.pop() {
                return Ok(staged);
            }
            copies.made += 1;
            copies.made
        };
        let style = Style {
            sorted: backend.sorts_by_name(),
            slack: self.slack,
            data: self.matched,
            sizes: Some(&self.sizes),
            loose: Some(&self.loose),
        };
        Staged::new(
            &self.recipe,
            &self.units,
            &self.folder.join(format!("copy{number}")),
            style,
        )
    }

    /// Gives a copy back.
    pub(crate) fn give(&self, staged: Staged) {
        self.copies
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .free
            .push(staged);
    }

    /// Bytes that a gap may take of the section before it; longer ones are fillers.
    pub(crate) fn slack(&self) -> u64 {
        if self.slack { SLACK } else { 0 }
    }

    /// The pieces that start the blocks: ballast up to a mark, then the room of what only other builds have in front.
    pub(crate) fn pieces(&self, plan: &Plan, backend: &dyn Backend) -> Vec<Piece> {
        let mut pieces = vec![self.piece(Block::Text, plan.code_alignment(), 0, true)];
        for block in DATA {
            let Some(slots) = plan.slots.get(&block) else {
                continue;
            };
            let (lead, alignment) = (slots.lead[self.member], slots.alignment.max(64));
            let balanced = match block {
                Block::Rodata | Block::Data | Block::Bss => true,
                Block::RelRo => backend.balances_relro(),
                // Thread-local data goes by its distance from the end of its segment, which slots keep equal.
                _ => false,
            };
            if balanced {
                pieces.push(self.piece(block, alignment, lead, true));
            } else if lead > 0 {
                pieces.push(self.piece(block, slots.alignment, lead, false));
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
