//! What a set of layouts is drawn over: the functions of one build, or those of several builds side
//! by side.

use std::collections::{BTreeMap, HashMap};

use crate::commons::Commons;
use crate::data::{Datum, Frame, Slots};
use crate::draw::{Function, Placement, room};
use crate::elf::block::Block;
use crate::linker::Step;
use crate::pairing::{Identity, keys, merge, pair};
use crate::seen::{Seen, SeenUnit, loose};

/// The blocks of data, in which builds are kept in step.
pub(crate) const DATA: [Block; 6] = [
    Block::Rodata,
    Block::Tdata,
    Block::Tbss,
    Block::RelRo,
    Block::Data,
    Block::Bss,
];

/// Functions of one or several builds in one order, and how data is kept in step.
#[derive(Clone)]
pub(crate) struct Plan {
    /// In the order of the first build as shipped.
    pub(crate) functions: Vec<Function>,
    /// Bytes of code that hold every layout.
    pub(crate) room: u64,
    /// For each build, its unit of each function.
    units: Vec<Vec<Option<SeenUnit>>>,
    /// Units of data that several builds have.
    pub(crate) data: Vec<SharedDatum>,
    /// The blocks of data that are kept in step or drawn; none for a build on its own whose data
    /// stays as it is.
    pub(crate) frames: BTreeMap<Block, Frame>,
    /// Sections with names of their own have leads that are drawn.
    pub(crate) leads: bool,
    /// Common symbols that are drawn.
    pub(crate) commons: Vec<Commons>,
}

/// Where data goes in one layout.
#[derive(Default)]
pub(crate) struct Data {
    pub(crate) blocks: BTreeMap<Block, Slots>,
    /// The seed that draws the leads of sections with names of their own.
    pub(crate) leads: Option<u64>,
    pub(crate) commons: Vec<Slots>,
}

/// A unit of data that several builds have.
#[derive(Clone)]
pub(crate) struct SharedDatum {
    pub(crate) block: Block,
    /// Its unit in each build.
    pub(crate) units: Vec<Option<u32>>,
    /// Whether it stands in the same order in all of them; only then can it be kept in step.
    pub(crate) in_order: bool,
}

/// Units of builds side by side: those that are one and the same share a row.
struct Table<'i> {
    /// For each build, the row of each of its units in the order of addresses.
    rows: Vec<Vec<usize>>,
    /// For each row, its unit in each build.
    units: Vec<Vec<Option<u32>>>,
    /// For each row, what the first build that has it calls it.
    named: Vec<Option<&'i Identity>>,
}

impl<'i> Table<'i> {
    fn new(builds: &[Seen<'_>], identities: &'i [Vec<Identity>]) -> Table<'i> {
        let (rows, count) = pair(identities);
        let mut table = Table {
            rows,
            units: vec![vec![None; builds.len()]; count],
            named: vec![None; count],
        };
        for (build, seen) in builds.iter().enumerate() {
            for ((unit, row), identity) in seen
                .order
                .iter()
                .zip(&table.rows[build])
                .zip(&identities[build])
            {
                table.units[*row][build] = Some(*unit);
                table.named[*row].get_or_insert(identity);
            }
        }
        table
    }

    fn holds(&self, row: usize, block: Block) -> bool {
        self.named[row].is_some_and(|identity| identity.block == block)
    }
}

impl Plan {
    /// A plan for these builds side by side, whose data is kept in step where they are several.
    pub(crate) fn new(builds: &[Seen<'_>]) -> Plan {
        Plan::of(builds, |_| false)
    }

    /// The same, and seeds draw where the data of some blocks goes.
    pub(crate) fn of(builds: &[Seen<'_>], draws: impl Fn(Block) -> bool) -> Plan {
        let identities: Vec<Vec<Identity>> = builds.iter().map(Seen::identities).collect();
        let table = Table::new(builds, &identities);
        let orders: Vec<Vec<usize>> = table
            .rows
            .iter()
            .map(|rows| {
                rows.iter()
                    .copied()
                    .filter(|row| table.holds(*row, Block::Text))
                    .collect()
            })
            .collect();
        let order = merge(&orders);
        let named = order.iter().filter_map(|row| table.named[*row]);
        let names = keys(named.map(Identity::name));
        let functions: Vec<Function> = order
            .iter()
            .zip(names)
            .map(|(row, key)| function(builds, &table.units[*row], key))
            .collect();
        let loose: Vec<bool> = order
            .iter()
            .map(|row| loose(builds, &table.units[*row]))
            .collect();
        let members = |(build, seen): (usize, &Seen<'_>)| {
            order
                .iter()
                .zip(&loose)
                .map(|(row, loose)| {
                    table.units[*row][build].map(|unit| seen.seen_unit(unit, *loose))
                })
                .collect()
        };
        let mut plan = Plan {
            room: room(&functions),
            functions,
            units: builds.iter().enumerate().map(members).collect(),
            data: Vec::new(),
            frames: BTreeMap::new(),
            leads: false,
            commons: Vec::new(),
        };
        for block in DATA {
            // Thread-local data goes by its distance from the end of its segment.
            let draws = !block.is_thread_local() && draws(block);
            if builds.len() > 1 || draws {
                plan.keep_data(builds, &table, block, draws);
            }
        }
        plan
    }

    fn keep_data(&mut self, builds: &[Seen<'_>], table: &Table<'_>, block: Block, draws: bool) {
        let of_block = |row: usize| table.holds(row, block);
        let data: Vec<Vec<Datum>> = builds
            .iter()
            .zip(&table.rows)
            .map(|(seen, rows)| {
                let found = seen
                    .order
                    .iter()
                    .zip(rows)
                    .filter(|(_, row)| of_block(**row));
                found
                    .map(|(unit, row)| Datum {
                        unit: *unit,
                        row: *row,
                        size: seen.size(*unit),
                        alignment: seen.alignment(*unit),
                    })
                    .collect()
            })
            .collect();
        let mut frame = Frame::new(&data);
        let rows = frame.rows();
        if rows.is_empty() && builds.len() == 1 {
            return;
        }
        if draws && !rows.is_empty() {
            let named = rows.iter().filter_map(|row| table.named[*row]);
            let names = keys(named.map(Identity::lasting_name));
            let names: HashMap<usize, String> = rows.into_iter().zip(names).collect();
            frame.draw(|row| names.get(&row).cloned().unwrap_or_default());
        }
        let shared = table
            .units
            .iter()
            .enumerate()
            .filter(|(row, units)| of_block(*row) && units.iter().flatten().count() > 1);
        self.data.extend(shared.map(|(row, units)| SharedDatum {
            block,
            units: units.clone(),
            in_order: !frame.out_of_order.contains(&row),
        }));
        self.frames.insert(block, frame);
    }

    /// Where data goes in the layout of a seed.
    pub(crate) fn data_of(&self, seed: u64) -> Data {
        let slots = |(block, frame): (&Block, &Frame)| {
            let drawn = frame.drawn(block.section_name(), seed);
            (*block, drawn)
        };
        Data {
            blocks: self.frames.iter().map(slots).collect(),
            leads: self.leads.then_some(seed),
            commons: self.commons.iter().map(|of| of.drawn(seed)).collect(),
        }
    }

    /// Start and size of each of a build's functions where all of the plan stand one behind the
    /// other, in bytes.
    pub(crate) fn one_behind_the_other(&self, build: usize) -> Vec<(u64, u64)> {
        let mut next = 0_u64;
        let mut pieces = Vec::new();
        for (function, unit) in self.functions.iter().zip(&self.units[build]) {
            let start = next.next_multiple_of(function.alignment.max(1));
            next = start + function.slot;
            pieces.extend(unit.map(|unit| (start, unit.size)));
        }
        pieces
    }

    /// Most bytes that a build's units of data take up in any layout, and their alignments.
    pub(crate) fn sizes(&self, build: usize) -> HashMap<u32, (u64, u64)> {
        let of_frame = |frame: &Frame| {
            let most = frame.most(build);
            let sized =
                |(unit, alignment): (u32, u64)| Some((unit, (*most.get(&unit)?, alignment)));
            frame
                .alignments(build)
                .filter_map(sized)
                .collect::<Vec<_>>()
        };
        self.frames.values().flat_map(of_frame).collect()
    }

    /// How many builds it is of: more than one are kept in step.
    pub(crate) fn builds(&self) -> usize {
        self.units.len()
    }

    /// Units of a build's code that start anywhere, with the alignment that is left of theirs.
    pub(crate) fn loose(&self, build: usize) -> HashMap<u32, u64> {
        self.units[build]
            .iter()
            .flatten()
            .filter(|member| member.loose)
            .map(|member| (member.unit, member.alignment))
            .collect()
    }

    /// Largest alignment of the code, in bytes, at least a cache line: the block of code starts at
    /// a multiple of it.
    pub(crate) fn code_alignment(&self) -> u64 {
        self.functions
            .iter()
            .map(|function| function.alignment)
            .max()
            .unwrap_or(1)
            .max(64)
    }

    /// The code of a build in this layout: its units, each with a gap of at most `slack` bytes
    /// behind it, and fillers where more is needed. Where the next unit's alignment alone leads to
    /// its start, nothing is added.
    pub(crate) fn steps(&self, build: usize, placements: &[Placement], slack: u64) -> Vec<Step> {
        let members = &self.units[build];
        let mut steps = Vec::with_capacity(placements.len() * 2 + 1);
        let mut placed = placements
            .iter()
            .filter_map(|placement| Some((placement.start, members[placement.function]?)))
            .peekable();
        if let Some((start, _)) = placed.peek() {
            steps.push(Step::Filler(*start));
        }
        while let Some((start, SeenUnit { unit, size, .. })) = placed.next() {
            let end = start + size;
            let (target, reached) = match placed.peek() {
                Some((next, member)) => (*next, end.next_multiple_of(member.alignment)),
                None => (self.room, end),
            };
            let gap = if reached == target { 0 } else { target - end };
            let own = if gap <= slack { gap } else { 0 };
            steps.push(Step::Unit {
                unit,
                size: size + own,
            });
            if gap > own {
                steps.push(Step::Filler(gap - own));
            }
        }
        steps.retain(|step| *step != Step::Filler(0));
        steps
    }

    /// Lets a function of the first build start at any multiple of `alignment`, whatever its
    /// compiler asked for.
    pub(crate) fn free(&mut self, unit: u32, alignment: u64) {
        let members = self.units.first_mut().into_iter().flatten();
        for (function, member) in self.functions.iter_mut().zip(members) {
            if let Some(member) = member.as_mut().filter(|member| member.unit == unit) {
                (member.alignment, member.loose) = (alignment, true);
                function.alignment = alignment;
            }
        }
    }

    /// The same where a function of the first build has another size, in bytes.
    pub(crate) fn with_size(&self, unit: u32, size: u64) -> Plan {
        let mut plan = self.clone();
        let members = plan.units.first_mut().into_iter().flatten().flatten();
        for member in members.filter(|member| member.unit == unit) {
            member.size = size;
        }
        plan
    }

    /// The functions of the first build in their order: index, unit and size in bytes.
    pub(crate) fn members(&self) -> impl Iterator<Item = (usize, u32, u64)> {
        let members = self.units.first().into_iter().flatten().enumerate();
        members.filter_map(|(index, member)| member.map(|one| (index, one.unit, one.size)))
    }

    /// The unit that a placement stands for in a build.
    pub(crate) fn unit(&self, build: usize, placement: &Placement) -> Option<u32> {
        self.units[build][placement.function].map(|member| member.unit)
    }

    /// How many functions several builds have.
    pub(crate) fn shared(&self) -> usize {
        let builds = |function: usize| {
            self.units
                .iter()
                .filter(|members| members[function].is_some())
                .count()
        };
        (0..self.functions.len())
            .filter(|function| builds(*function) > 1)
            .count()
    }
}

fn function(builds: &[Seen<'_>], units: &[Option<u32>], key: String) -> Function {
    let found = || {
        builds
            .iter()
            .zip(units)
            .filter_map(|(seen, unit)| unit.map(|unit| (seen, unit)))
    };
    let loose = loose(builds, units);
    let alignment = found()
        .map(|(seen, unit)| seen.seen_unit(unit, loose).alignment)
        .max()
        .unwrap_or(1);
    let slot = found()
        .map(|(seen, unit)| seen.size(unit))
        .max()
        .unwrap_or(0)
        .next_multiple_of(alignment);
    Function {
        key,
        alignment,
        slot,
    }
}
