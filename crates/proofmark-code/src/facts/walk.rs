//! One pass over a function's instructions: everything that is counted is counted here.

use std::collections::HashMap;

use super::flow::{Branch, Graph};
use super::lead::{Frame, Lead, Table, lead};
use super::{Call, Fact, Facts, Via};
use crate::decode::{Aarch64, Decode, Flow, Op, Origin, Traits, X86};
use crate::image::{Image, LinkKind};
use crate::{Address, Arch};

/// Sets of the level-1 instruction cache that is assumed: 32 KiB, 8 ways, lines of 64 bytes.
pub(super) const SETS: u64 = 64;
const LINE: u64 = 64;
/// Entries of tables that are read for a function of any size: those of sixteen of the largest.
const ENTRIES: u64 = 1 << 16;
/// Entries that are read beyond those for each byte of a function: an entry leads to code, though several may lead to the same.
const PER_BYTE: u64 = 4;

/// A place that a fact counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// Where the instruction stands.
    pub address: Address,
    /// The instruction, in the assembler's usual syntax.
    pub text: String,
    /// Where the callee is, for a call of a known function.
    pub callee: Option<Address>,
}

/// Room that is used again from function to function.
#[derive(Default)]
pub(super) struct Scratch<'a> {
    x86: Option<Box<X86<'a>>>,
    graph: Graph,
    calls: Vec<(u64, Via)>,
    /// Origins seen, where they lead, and their number among the tables.
    leads: HashMap<Origin, (Lead, Option<usize>)>,
    /// Distinct tables, and the number of each.
    tables: Vec<Option<Table>>,
    numbers: HashMap<Table, usize>,
}

/// The fact that counts each trait, by the number of its bit.
const COUNTS: [Option<Fact>; 32] = {
    let mut counts = [None; 32];
    let mut i = 0;
    while i < PAIRS.len() {
        counts[PAIRS[i].0.0.trailing_zeros() as usize] = Some(PAIRS[i].1);
        i += 1;
    }
    counts
};

/// The traits that any fact counts.
const COUNTED: u32 = {
    let mut all = 0;
    let mut i = 0;
    while i < PAIRS.len() {
        all |= PAIRS[i].0.0;
        i += 1;
    }
    all
};

const PAIRS: [(Traits, Fact); 11] = [
    (Traits::ATOMIC, Fact::Atomics),
    (Traits::FENCE, Fact::Fences),
    (Traits::DIVISION, Fact::Divisions),
    (Traits::FLOAT_DIVISION, Fact::FloatDivisions),
    (Traits::PUSH, Fact::Pushes),
    (Traits::POP, Fact::Pops),
    (Traits::STACK_LOAD, Fact::StackLoads),
    (Traits::STACK_STORE, Fact::StackStores),
    (Traits::UNKNOWN, Fact::Undecoded),
    (Traits::DATA, Fact::Undecoded),
    (Traits::NOP, Fact::Padding),
];

/// What is told of each counted place.
trait Observer {
    fn place(&mut self, fact: Fact, op: &Op, decoder: &mut impl Decode);
    fn call(&mut self, op: &Op, target: u64, decoder: &mut impl Decode);
}

/// Nobody watches.
impl Observer for () {
    #[inline]
    fn place(&mut self, _: Fact, _: &Op, _: &mut impl Decode) {}

    #[inline]
    fn call(&mut self, _: &Op, _: u64, _: &mut impl Decode) {}
}

/// Collects places.
struct Collector<'a, F> {
    image: &'a Image,
    wanted: F,
    all_calls: bool,
    sites: Vec<Site>,
    /// The frame-relative traffic, kept until it is known whether the register is a frame pointer.
    frame: Vec<Site>,
    is_frame: bool,
}

impl<F: Fn(Fact) -> bool> Collector<'_, F> {
    fn site(&self, op: &Op, callee: Option<u64>, decoder: &mut impl Decode) -> Site {
        let text = decoder.text(&|at| self.image.name_at(Address::new(at)));
        Site {
            address: Address::new(op.address),
            text,
            callee: callee.map(Address::new),
        }
    }
}

impl<F: Fn(Fact) -> bool> Observer for Collector<'_, F> {
    fn place(&mut self, fact: Fact, op: &Op, decoder: &mut impl Decode) {
        if (self.wanted)(fact) {
            let site = self.site(op, None, decoder);
            self.sites.push(site);
        }
        self.is_frame |= op.traits.has(Traits::SETS_FRAME);
        let load = op.traits.has(Traits::FRAME_LOAD) && (self.wanted)(Fact::StackLoads);
        let store = op.traits.has(Traits::FRAME_STORE) && (self.wanted)(Fact::StackStores);
        if fact == Fact::Instructions && (load || store) {
            let site = self.site(op, None, decoder);
            self.frame.push(site);
        }
    }

    fn call(&mut self, op: &Op, target: u64, decoder: &mut impl Decode) {
        if self.all_calls {
            let site = self.site(op, Some(target), decoder);
            self.sites.push(site);
        }
    }
}

/// The facts of a function.
pub(super) fn facts<'a>(image: &'a Image, index: usize, scratch: &mut Scratch<'a>) -> Facts {
    watched(image, index, scratch, &mut ())
}

/// The places that the wanted facts count; with none wanted, all calls of known functions.
pub(super) fn sites(image: &Image, index: usize, wanted: impl Fn(Fact) -> bool) -> Vec<Site> {
    let all_calls = !Fact::ALL.iter().any(|f| wanted(*f));
    let mut collector = Collector {
        image,
        wanted,
        all_calls,
        sites: Vec::new(),
        frame: Vec::new(),
        is_frame: false,
    };
    watched(image, index, &mut Scratch::default(), &mut collector);
    if collector.is_frame {
        collector.sites.append(&mut collector.frame);
        collector.sites.sort_by_key(|s| s.address);
    }
    collector.sites
}

fn watched<'a>(
    image: &'a Image,
    index: usize,
    scratch: &mut Scratch<'a>,
    observer: &mut impl Observer,
) -> Facts {
    let Some(function) = image.functions.get(index) else {
        return Facts::default();
    };
    match image.arch {
        Arch::X86_64 => {
            let known = scratch.x86.take();
            let mut decoder = known.unwrap_or_else(|| Box::new(X86::new(&[], 0, image)));
            decoder.turn_to(image, function);
            let facts = Walk::new(image, index, scratch, observer).run(&mut *decoder);
            scratch.x86 = Some(decoder);
            facts
        }
        Arch::Aarch64 => {
            let mut decoder = Aarch64::new(image.code(function), function.address, image);
            Walk::new(image, index, scratch, observer).run(&mut decoder)
        }
    }
}

struct Walk<'a, 's, O> {
    image: &'s Image,
    index: usize,
    start: u64,
    end: u64,
    scratch: &'s mut Scratch<'a>,
    observer: &'s mut O,
    facts: Facts,
    /// Frame-relative loads and stores, which count once the register is known to be a frame pointer.
    frame_loads: u64,
    frame_stores: u64,
    has_frame_pointer: bool,
    frame: Frame,
    /// The next instruction that is not padding begins a block.
    begins: bool,
    /// Where the last jump out of the function led.
    elsewhere: Option<usize>,
}

impl<'a, 's, O: Observer> Walk<'a, 's, O> {
    fn new(
        image: &'s Image,
        index: usize,
        scratch: &'s mut Scratch<'a>,
        observer: &'s mut O,
    ) -> Self {
        let function = &image.functions[index];
        scratch.graph.begin(function.size);
        scratch.calls.clear();
        scratch.leads.clear();
        scratch.tables.clear();
        scratch.numbers.clear();
        Walk {
            image,
            index,
            start: function.address,
            end: function.end(),
            scratch,
            observer,
            facts: Facts::default(),
            frame_loads: 0,
            frame_stores: 0,
            has_frame_pointer: false,
            frame: Frame {
                used: false,
                released: false,
            },
            begins: false,
            elsewhere: None,
        }
    }

    fn run(mut self, decoder: &mut impl Decode) -> Facts {
        let mut instructions = 0;
        let mut widest = 0;
        let mut op = Op::default();
        while decoder.next(&mut op) {
            instructions += 1;
            widest = widest.max(op.vector_bits);
            self.facts.extensions |= op.extensions;
            if op.traits.has(Traits::COUNTED) {
                self.traits(&op, decoder);
            }
            self.observer.place(Fact::Instructions, &op, decoder);
            if op.vector_bits > 0 {
                self.observer.place(Fact::VectorBits, &op, decoder);
            }
            if self.begins && !op.is_padding() {
                self.scratch.graph.start(op.address - self.start);
                self.begins = false;
            }
            if op.flow != Flow::Next {
                self.flow(&op, decoder);
                self.frame.released = false;
            }
            if op.traits.has(Traits::RELEASES) {
                self.frame.released = true;
                self.frame.used = true;
            }
        }
        self.facts.set(Fact::Instructions, instructions);
        self.facts.set(Fact::VectorBits, u64::from(widest));
        self.finish()
    }

    fn traits(&mut self, op: &Op, decoder: &mut impl Decode) {
        let mut left = op.traits.0 & COUNTED;
        while left != 0 {
            let bit = left.trailing_zeros();
            left &= left - 1;
            let Some(fact) = COUNTS[bit as usize] else {
                continue;
            };
            let more = if fact == Fact::Padding {
                u64::from(op.len)
            } else {
                1
            };
            self.facts.add(fact, more);
            self.observer.place(fact, op, decoder);
        }
        self.has_frame_pointer |= op.traits.has(Traits::SETS_FRAME);
        self.frame_loads += u64::from(op.traits.has(Traits::FRAME_LOAD));
        self.frame_stores += u64::from(op.traits.has(Traits::FRAME_STORE));
        self.frame.used |= op.traits.has(Traits(
            Traits::PUSH.0 | Traits::STACK_LOAD.0 | Traits::STACK_STORE.0 | Traits::SETS_FRAME.0,
        ));
    }

    fn one(&mut self, fact: Fact, op: &Op, decoder: &mut impl Decode) {
        self.facts.add(fact, 1);
        self.observer.place(fact, op, decoder);
    }

    fn flow(&mut self, op: &Op, decoder: &mut impl Decode) {
        if op.flow != Flow::Stop {
            self.lines(op, decoder);
        }
        let inside = (self.start..self.end).contains(&op.target);
        let at = op.address - self.start;
        let mut branch = Branch {
            at,
            to: inside.then(|| op.target.wrapping_sub(self.start)),
            falls: false,
            table: None,
        };
        match op.flow {
            Flow::Next => return,
            Flow::Conditional => {
                self.one(Fact::ConditionalBranches, op, decoder);
                branch.falls = true;
                self.leaves(op, inside, decoder);
            }
            Flow::Jump => self.leaves(op, inside, decoder),
            Flow::Return => {
                self.one(Fact::Returns, op, decoder);
                branch.to = None;
            }
            Flow::Stop => branch.to = None,
            Flow::IndirectJump => {
                branch.to = None;
                branch.table = self.indirect(op, decoder);
            }
            Flow::Call | Flow::IndirectCall => {
                self.call(op, decoder);
                if !self.image.never_returns(op.target) {
                    return;
                }
                branch.to = None;
            }
        }
        self.scratch.graph.branch(branch);
        self.begins = true;
    }

    fn lines(&mut self, op: &Op, decoder: &mut impl Decode) {
        if op.address >> 5 != op.end() >> 5 {
            self.one(Fact::Branches32, op, decoder);
            if op.address >> 6 != op.end() >> 6 {
                self.one(Fact::Branches64, op, decoder);
            }
        }
    }

    /// A direct jump: a tail call when it leads to another function.
    fn leaves(&mut self, op: &Op, inside: bool, decoder: &mut impl Decode) {
        if inside || op.target == 0 {
            return;
        }
        let to = self.elsewhere(op.target);
        if to.is_some_and(|to| {
            self.image.same_function(to, self.index) || self.image.functions[to].is_stray_piece()
        }) {
            return;
        }
        self.one(Fact::DirectTailCalls, op, decoder);
        self.one(Fact::TailCalls, op, decoder);
        self.scratch.calls.push((op.target, Via::TailCall));
        self.observer.call(op, op.target, decoder);
    }

    /// The function at the target of a jump: more often than not that of the jump before, the cold part of this one.
    fn elsewhere(&mut self, target: u64) -> Option<usize> {
        let functions = &self.image.functions;
        let again = self.elsewhere.is_some_and(|last| {
            let after = functions.get(last + 1).map_or(u64::MAX, |f| f.address);
            let last = &functions[last];
            (last.address..last.end().min(after)).contains(&target)
        });
        if !again {
            self.elsewhere = self.image.function_at(target);
        }
        self.elsewhere
    }

    fn call(&mut self, op: &Op, decoder: &mut impl Decode) {
        let link = if op.target == 0 {
            None
        } else {
            self.image.link_kind_at(op.target)
        };
        let via = if op.flow == Flow::Call {
            self.one(Fact::DirectCalls, op, decoder);
            if link == Some(LinkKind::Stub) {
                self.one(Fact::PltCalls, op, decoder);
                Via::Linkage
            } else {
                Via::Call
            }
        } else {
            self.one(Fact::IndirectCalls, op, decoder);
            if link != Some(LinkKind::Slot) {
                return;
            }
            self.one(Fact::LinkageCalls, op, decoder);
            Via::Linkage
        };
        self.scratch.calls.push((op.target, via));
        self.observer.call(op, op.target, decoder);
    }

    /// Counts an indirect jump, and gives the number of the table that it goes through.
    fn indirect(&mut self, op: &Op, decoder: &mut impl Decode) -> Option<usize> {
        self.one(Fact::IndirectJumps, op, decoder);
        let origin = decoder.origin(self.image);
        let (kind, table) = self.lead(origin);
        match kind {
            Some(fact @ (Fact::IndirectTailCalls | Fact::LinkageJumps)) => {
                self.one(Fact::IndirectTailCalls, op, decoder);
                self.one(Fact::TailCalls, op, decoder);
                if let (Fact::LinkageJumps, Origin::Slot(slot)) = (fact, origin) {
                    self.one(fact, op, decoder);
                    self.scratch.calls.push((slot, Via::TailCall));
                    self.observer.call(op, slot, decoder);
                }
            }
            Some(fact) => self.one(fact, op, decoder),
            None => self.one(Fact::UnknownJumps, op, decoder),
        }
        table
    }

    /// The fact that an indirect jump from this origin is counted as, and its table. Tables are read once.
    fn lead(&mut self, origin: Origin) -> (Option<Fact>, Option<usize>) {
        let indexed = matches!(
            origin,
            Origin::Pointers { table: Some(_), .. } | Origin::Offsets { table: Some(_), .. }
        );
        let known = indexed.then(|| self.scratch.leads.get(&origin)).flatten();
        let (lead, table) = if let Some(known) = known {
            *known
        } else {
            let lead = lead(self.image, self.index, origin, self.frame);
            let into = matches!(lead, Lead::JumpTable | Lead::ComputedGoto);
            let table = into.then(|| self.table(origin));
            if indexed {
                self.scratch.leads.insert(origin, (lead, table));
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

    /// The number of the table of an origin. Jumps that read the same entries share one, whatever else is known of them.
    fn table(&mut self, origin: Origin) -> usize {
        let table = Table::of(self.image, origin);
        let next = self.scratch.tables.len();
        let number = table.map_or(next, |t| *self.scratch.numbers.entry(t).or_insert(next));
        if number == next {
            self.scratch.tables.push(table);
        }
        number
    }

    /// Reads the tables, each no further than to where the next one of the function begins. Together they have no more
    /// entries than [`ENTRIES`] and some for each byte of the function: behind those, a table counts as one that cannot be read.
    fn read_tables(&mut self) {
        let mut starts: Vec<u64> = self
            .scratch
            .tables
            .iter()
            .flatten()
            .map(|t| t.start)
            .collect();
        starts.sort_unstable();
        let mut left = (self.end - self.start).saturating_mul(PER_BYTE) + ENTRIES;
        for table in &mut self.scratch.tables {
            let targets = table.as_mut().map_or_else(Vec::new, |table| {
                let after = starts.partition_point(|s| *s <= table.start);
                if let Some(next) = starts.get(after) {
                    table.end_before(*next);
                }
                table.targets(self.image, self.index, &mut left)
            });
            let inside = targets
                .into_iter()
                .filter(|t| (self.start..self.end).contains(t))
                .map(|t| t - self.start)
                .collect();
            self.scratch.graph.table(inside);
        }
    }

    fn finish(mut self) -> Facts {
        let size = self.end - self.start;
        self.read_tables();
        let (blocks, loops) = self.scratch.graph.count();
        self.facts.set(Fact::Bytes, size);
        self.facts.set(Fact::Blocks, blocks);
        self.facts.set(Fact::Loops, loops);
        if self.has_frame_pointer {
            self.facts.add(Fact::StackLoads, self.frame_loads);
            self.facts.add(Fact::StackStores, self.frame_stores);
        }
        let lines = (self.end.saturating_sub(1) / LINE).saturating_sub(self.start / LINE) + 1;
        self.facts.set(Fact::Lines64, lines);
        self.facts.set(Fact::L1iSets, lines.min(SETS));
        self.facts.set(Fact::PaddingAfter, self.gap());
        self.facts.calls = tally(&mut self.scratch.calls);
        self.facts
    }

    /// Bytes up to the next function or the end of the section.
    fn gap(&self) -> u64 {
        let functions = &self.image.functions;
        let section = functions[self.index].section;
        let limit = self
            .image
            .sections
            .get(section)
            .map_or(self.end, |s| s.address + s.size);
        let next = functions
            .get(self.index + 1)
            .map_or(limit, |f| f.address.min(limit));
        next.saturating_sub(self.end)
    }
}

fn tally(calls: &mut [(u64, Via)]) -> Vec<Call> {
    calls.sort_unstable();
    let same = calls.chunk_by(|a, b| a == b);
    let mut tally = Vec::with_capacity(same.clone().count());
    tally.extend(same.map(|run| Call {
        target: Address::new(run[0].0),
        via: run[0].1,
        sites: run.len() as u64,
    }));
    tally
}
