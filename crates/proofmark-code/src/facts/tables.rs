//! The tables that a function's indirect jumps go through: each is known by where it was found, and
//! read once.

use std::collections::HashMap;

use super::Fact;
use super::flow::Graph;
use super::lead::{Frame, Lead, Table, lead};
use crate::decode::Origin;
use crate::image::Image;

/// Entries of tables that are read for a function of any size: those of sixteen of the largest.
const ENTRIES: u64 = 1 << 16;
/// Entries that are read beyond those for each byte of a function: an entry leads to code, though
/// several may lead to the same.
const PER_BYTE: u64 = 4;

/// Tables of one function; reused from function to function.
#[derive(Debug, Default)]
pub(super) struct Tables {
    /// Origins seen, where they lead, and their number among the tables.
    leads: HashMap<Origin, (Lead, Option<usize>)>,
    /// Distinct tables, and the number of each.
    tables: Vec<Option<Table>>,
    numbers: HashMap<Table, usize>,
}

impl Tables {
    /// Begins a function.
    pub(super) fn clear(&mut self) {
        self.leads.clear();
        self.tables.clear();
        self.numbers.clear();
    }

    /// The fact that an indirect jump from this origin is counted as, and its table. Tables are
    /// read once.
    pub(super) fn lead(
        &mut self,
        image: &Image,
        index: usize,
        origin: Origin,
        frame: Frame,
    ) -> (Option<Fact>, Option<usize>) {
        let indexed = matches!(
            origin,
            Origin::Pointers { table: Some(_), .. } | Origin::Offsets { table: Some(_), .. }
        );
        let known = indexed.then(|| self.leads.get(&origin)).flatten();
        let (lead, table) = if let Some(known) = known {
            *known
        } else {
            let lead = lead(image, index, origin, frame);
            let into = matches!(lead, Lead::JumpTable | Lead::ComputedGoto);
            let table = into.then(|| self.number(image, origin));
            if indexed {
                self.leads.insert(origin, (lead, table));
            }
            (lead, table)
        };
        let fact = match lead {
            Lead::JumpTable => Some(Fact::JumpTables),
            Lead::ComputedGoto => Some(Fact::ComputedGotos),
            Lead::TailCall => Some(Fact::IndirectTailCalls),
            Lead::Linkage(_) => Some(Fact::LinkageJumps),
            Lead::Unknown => None,
        };
        (fact, table)
    }

    /// The number of the table of an origin. Jumps that read the same entries share one, whatever
    /// else is known of them.
    fn number(&mut self, image: &Image, origin: Origin) -> usize {
        let table = Table::of(image, origin);
        let next = self.tables.len();
        let number = table.map_or(next, |t| *self.numbers.entry(t).or_insert(next));
        if number == next {
            self.tables.push(table);
        }
        number
    }

    /// Reads the tables, each no further than to where the next one of the function begins.
    /// Together they have no more entries than [`ENTRIES`] and some for each byte of the function:
    /// behind those, a table counts as one that cannot be read.
    pub(super) fn read(&mut self, image: &Image, index: usize, graph: &mut Graph) {
        let function = &image.functions[index];
        let own = function.address..function.end();
        let mut starts: Vec<u64> = self.tables.iter().flatten().map(|t| t.start).collect();
        starts.sort_unstable();
        let mut left = function
            .size
            .saturating_mul(PER_BYTE)
            .saturating_add(ENTRIES);
        for table in &mut self.tables {
            let targets = table.as_mut().map_or_else(Vec::new, |table| {
                let after = starts.partition_point(|s| *s <= table.start);
                if let Some(next) = starts.get(after) {
                    table.end_before(*next);
                }
                table.targets(image, index, &mut left)
            });
            let inside = targets.into_iter().filter(|t| own.contains(t));
            graph.table(inside.map(|t| t - own.start).collect());
        }
    }
}
