//! One build made ready for its layouts: its copies staged, its ballast known.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::LayoutError;
use crate::behind::{Behind, Lead, leads};
use crate::commons::Definitions;
use crate::elf::block::Block;
use crate::elf::image::Linked;
use crate::elf::own::OwnSections;
use crate::elf::pad::{Manner, Piece};
use crate::elf::patch::SLACK;
use crate::faithful::held::Held;
use crate::faithful::{Reference, places};
use crate::link::argv::{self, Word};
use crate::link::remove;
use crate::linker::{Backend, OrderedDatum, Step, manner};
use crate::observed::Observed;
use crate::plan::{DATA, Data, Plan};
use crate::recipe::{LinkerKind, Recipe};
use crate::shared_texts::SharedTexts;
use crate::staged::{Staged, Style};
use crate::strip::Seat;
use crate::units::{Live, Units};

/// A build ready for its layouts.
pub(crate) struct Prepared {
    pub(crate) recipe: Recipe,
    pub(crate) units: Units,
    /// Kinds of its sections with names of their own, with the largest alignment of each in bytes.
    own_sections: BTreeMap<OwnSections, u64>,
    /// Which plan it takes part in.
    pub(crate) plan: usize,
    /// As which of that plan's builds.
    pub(crate) member: usize,
    pub(crate) folder: PathBuf,
    /// Its image in its own order.
    pub(crate) reference: Reference,
    held: Held,
    /// Units that share the place of another one, and that one.
    twins: Vec<(u32, u32)>,
    /// Bytes added to the start of each block, beyond the least.
    pub(crate) ballast: HashMap<Block, u64>,
    /// What its link does with the sections that it is given.
    pub(crate) manner: Manner,
    sizes: HashMap<u32, (u64, u64)>,
    loose: HashMap<u32, u64>,
    /// Its data in its own order, where its link asks for one.
    data: Vec<OrderedDatum>,
    /// Its data is kept in step with other builds'.
    matched: bool,
    /// Its texts and constants are not merged; those that several objects hold.
    unmerged: Option<Arc<SharedTexts>>,
    slack: bool,
    /// Gives a link the build id of the file that the build left.
    id: Option<Word>,
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
        let matched = plan.builds() > 1;
        let sizes = plan.sizes(place.1);
        let twins = twins(&observed.units, &observed.live);
        let words = argv::parse(&recipe.argv);
        let data = OrderedDatum::all(&observed.units, &observed.live);
        let data = backend.ordered(recipe, &words, data);
        let prepared = Prepared {
            twins,
            reference: observed.reference,
            held: observed.held,
            recipe: recipe.clone(),
            own_sections: observed.units.own_sections(&observed.live),
            units: observed.units,
            plan: place.0,
            member: place.1,
            folder: observed.folder,
            ballast: HashMap::new(),
            manner: manner(&words),
            data,
            sizes,
            loose: plan.loose(place.1),
            matched,
            unmerged: observed.unmerged,
            slack: observed.slack,
            id: observed.id,
            copies: Mutex::new(Copies {
                free: Vec::new(),
                made: 0,
            }),
        };
        let plain = prepared.sizes.is_empty() && prepared.held.units.is_empty();
        if matched || backend.sorts_by_name() || !plain {
            drop(observed.staged);
            remove(&observed.tree)?;
        } else {
            prepared.give(observed.staged);
        }
        Ok(prepared)
    }

    /// The same with other inputs, of the same sections in the same order, staged in `folder`.
    pub(crate) fn with(&self, recipe: Recipe, units: Units, folder: &Path) -> Prepared {
        Prepared {
            recipe,
            units,
            own_sections: self.own_sections.clone(),
            plan: self.plan,
            member: self.member,
            folder: folder.to_path_buf(),
            reference: self.reference.clone(),
            held: self.held.clone(),
            twins: self.twins.clone(),
            ballast: self.ballast.clone(),
            manner: self.manner,
            data: self.data.clone(),
            sizes: self.sizes.clone(),
            loose: self.loose.clone(),
            matched: self.matched,
            unmerged: self.unmerged.clone(),
            slack: self.slack,
            id: self.id.clone(),
            copies: Mutex::new(Copies {
                free: Vec::new(),
                made: 0,
            }),
        }
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
            across_alignments: self.recipe.linker.kind == LinkerKind::Lld,
            unmerged: self.unmerged.as_deref(),
            held: Some(&self.held.units),
            prevails: false,
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

    /// What in a linked image is not as the build's own order has it, by the handles of both.
    pub(crate) fn unlike(&self, linked: &Linked) -> Vec<String> {
        let build = places::Build {
            units: &self.units,
            held: &self.held.units,
            joined: &self.held.joined,
            loose: &self.loose,
        };
        places::unlike(&build, &self.reference.linked, linked)
    }

    /// Gives units that were folded into one the place of that one, whichever of them the linker
    /// keeps.
    pub(crate) fn seat_twins(&self, seats: &mut [Option<Seat>]) {
        for (twin, first) in &self.twins {
            let (size, place) = (self.units.unit(*twin).0.size, seats[*first as usize]);
            seats[*twin as usize] = place.map(|seat| Seat { size, ..seat });
        }
    }

    /// Gives each unit of data its size. It keeps the build's order, so that its place is of no
    /// matter.
    fn seat_data(&self, seats: &mut [Option<Seat>], data: &Data) {
        for slots in data.blocks.values() {
            for (unit, size) in &slots.sizes[self.member] {
                let seat = Seat {
                    place: 0,
                    size: *size,
                };
                seats[*unit as usize] = Some(seat);
            }
        }
    }

    /// Links the steps of a layout whose data stays as the build has it: `links` is a folder for what
    /// they need, `what` names the link in an error.
    pub(crate) fn link(
        &self,
        plan: &Plan,
        steps: &[Step],
        backend: &dyn Backend,
        links: &Path,
        (output, what): (&Path, &str),
    ) -> Result<(), LayoutError> {
        let code = (steps, &Data::default());
        self.link_with_data(plan, code, backend, links, (output, what))
    }

    /// The same with its data where the layout puts it.
    pub(crate) fn link_with_data(
        &self,
        plan: &Plan,
        (steps, data): (&[Step], &Data),
        backend: &dyn Backend,
        links: &Path,
        (output, what): (&Path, &str),
    ) -> Result<(), LayoutError> {
        let folder = tempfile::Builder::new()
            .prefix("link")
            .tempdir_in(links)
            .map_err(LayoutError::file("create a folder in", links))?;
        let ballast = self.pieces(plan, data, backend);
        let carried = backend.carry_out(
            self.units.machine,
            &ballast,
            steps,
            &self.data,
            self.manner,
            folder.path(),
        )?;
        let behind = self.behind(plan, data).write(self.manner, folder.path())?;
        let mut staged = self.take(backend)?;
        // A copy that could not be written is not used again.
        let mut seats = seats(steps, self.units.count());
        self.seat_twins(&mut seats);
        self.seat_data(&mut seats, data);
        staged.seat(&seats)?;
        let linked = staged.link(&self.recipe, &carried.pads, output, what, |words| {
            backend.adapt(words);
            words.extend(carried.arguments);
            words.extend(behind);
            words.extend(self.id.clone());
        });
        self.give(staged);
        linked
    }

    /// Bytes that a gap may take of the section before it; longer ones are fillers.
    pub(crate) fn slack(&self) -> u64 {
        if self.slack { SLACK } else { 0 }
    }

    /// The pieces that start the blocks: ballast up to a mark, then what is free in front of their
    /// first unit.
    pub(crate) fn pieces(&self, plan: &Plan, data: &Data, backend: &dyn Backend) -> Vec<Piece> {
        let mut pieces = vec![self.piece(Block::Text, plan.code_alignment(), 0, true)];
        for block in DATA {
            let (Some(frame), Some(slots)) = (plan.frames.get(&block), data.blocks.get(&block))
            else {
                continue;
            };
            let (lead, alignment) = (slots.lead[self.member], frame.alignment.max(64));
            let balanced = match block {
                _ if !self.matched => false,
                Block::Rodata | Block::Data | Block::Bss => true,
                Block::RelRo => backend.balances_relro(),
                // Thread-local data goes by its distance from the end of its segment, which slots
                // keep equal.
                _ => false,
            };
            let piece = if balanced {
                self.piece(block, alignment, lead, true)
            } else if lead > 0 {
                self.piece(block, frame.alignment, lead, false)
            } else {
                continue;
            };
            pieces.push(Piece {
                section: backend.front(block).to_owned(),
                ..piece
            });
        }
        let leads = data
            .leads
            .map_or_else(Vec::new, |seed| leads(&self.own_sections, seed));
        pieces.extend(leads.iter().filter_map(Lead::front));
        pieces
    }

    /// What stands behind all others.
    fn behind(&self, plan: &Plan, data: &Data) -> Behind {
        let machine = self.units.machine;
        Behind {
            machine,
            commons: Definitions::of(machine, self.member, &plan.commons, &data.commons),
            leads: data
                .leads
                .map_or_else(Vec::new, |seed| leads(&self.own_sections, seed)),
        }
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
            flags: 0,
            size: ballast + lead,
            alignment,
            symbols,
        }
    }
}

/// Where each unit goes, by its number. Places count from 1: the ballast has 0.
fn seats(steps: &[Step], units: usize) -> Vec<Option<Seat>> {
    let mut seats = vec![None; units];
    for (place, step) in (1..).zip(steps) {
        if let Step::Unit { unit, size } = step {
            seats[*unit as usize] = Some(Seat { place, size: *size });
        }
    }
    seats
}

/// Functions that the linker folded into one, each with the first of them.
fn twins(units: &Units, live: &Live) -> Vec<(u32, u32)> {
    let mut code: Vec<(u64, u32)> = live
        .iter()
        .filter(|(unit, _)| units.unit(**unit).0.block == Block::Text)
        .map(|(unit, address)| (*address, *unit))
        .collect();
    code.sort_unstable();
    code.chunk_by(|a, b| a.0 == b.0)
        .flat_map(|folded| folded[1..].iter().map(|twin| (twin.1, folded[0].1)))
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
