//! One pass over a function's instructions: everything that is counted is counted here.

use super::flow::{Branch, Graph};
use super::lead::Frame;
use super::observer::Observer;
use super::often::{OFTEN, Often, SELDOM};
use super::tables::Tables;
use super::tally::tally;
use super::{Call, Fact, Facts, Via};
use crate::arch::Arch;
use crate::decode::{Aarch64, Decode, Flow, Op, Origin, Traits, X86};
use crate::image::{Image, LinkKind};

/// Sets of the level-1 instruction cache that is assumed: 32 KiB, 8 ways, lines of 64 bytes.
pub(super) const SETS: u64 = 64;
const LINE: u64 = 64;

/// Room that is used again from function to function.
#[derive(Default)]
pub(super) struct Scratch<'a> {
    x86: Option<Box<X86<'a>>>,
    graph: Graph,
    calls: Vec<(u64, Via)>,
    tally: Vec<Call>,
    tables: Tables,
}

/// The facts of a function.
pub(super) fn facts<'a>(image: &'a Image, index: usize, scratch: &mut Scratch<'a>) -> Facts {
    watched(image, index, scratch, &mut ())
}

/// The facts of a function, each counted place of which `observer` is told.
pub(super) fn watched<'a>(
    image: &'a Image,
    index: usize,
    scratch: &mut Scratch<'a>,
    observer: &mut impl Observer,
) -> Facts {
    let Some(function) = image.functions.get(index) else {
        return Facts::default();
    };
    match image.space.arch {
        Arch::X86_64 => {
            let known = scratch.x86.take();
            let mut decoder = known.unwrap_or_else(|| Box::new(X86::new(&[], 0, &image.space)));
            decoder.turn_to(&image.space, function.address, function.size);
            let facts = Walk::new(image, index, scratch, observer).run(&mut *decoder);
            scratch.x86 = Some(decoder);
            facts
        }
        Arch::Aarch64 => {
            let mut decoder = Aarch64::new(image.code(function), function.address, &image.space);
            Walk::new(image, index, scratch, observer).run(&mut decoder)
        }
    }
}

struct Walk<'a, 's, O> {
    image: &'s Image,
    index: usize,
    start: u64,
    end: u64,
    size: u64,
    scratch: &'s mut Scratch<'a>,
    observer: &'s mut O,
    facts: Facts,
    often: Often,
    /// How many branches cross or end on lines of 32 bytes and, in the upper half, of 64.
    lines: u64,
    /// The traits of all instructions so far.
    seen: Traits,
    /// Those since control last went elsewhere.
    since: Traits,
    /// Where the last jump out of the function led; at first, where those of a piece lead.
    elsewhere: Option<usize>,
}

impl<'a, 's, O: Observer> Walk<'a, 's, O> {
    // In place: a walk that is handed on is copied before what was written to it in pieces has
    // arrived.
    #[inline]
    fn new(
        image: &'s Image,
        index: usize,
        scratch: &'s mut Scratch<'a>,
        observer: &'s mut O,
    ) -> Self {
        let function = &image.functions[index];
        scratch.graph.begin(function.size);
        scratch.calls.clear();
        scratch.tables.clear();
        Walk {
            image,
            index,
            start: function.address,
            end: function.end(),
            size: function.size,
            scratch,
            observer,
            facts: Facts::default(),
            often: Often::default(),
            lines: 0,
            seen: Traits::default(),
            since: Traits::default(),
            elsewhere: function.parent().filter(|_| function.is_piece()),
        }
    }

    #[inline]
    fn run(&mut self, decoder: &mut impl Decode) -> Facts {
        let mut widest = 0;
        let mut op = Op::default();
        loop {
            let more = if O::WATCHES {
                decoder.next(&mut op)
            } else {
                decoder.next_of_note(&mut op)
            };
            if !more {
                break;
            }
            if op.vector_bits > 0 || !op.extensions.is_empty() {
                widest = widest.max(op.vector_bits);
                self.facts.extensions |= op.extensions;
            }
            if O::WATCHES {
                self.watch(&op, decoder);
            }
            if op.traits != Traits::default() {
                self.often.add(op.traits);
                self.seen = self.seen.with(op.traits);
                if op.traits.has(Traits::SELDOM) {
                    self.seldom(&op, decoder);
                }
                if op.is_padding() && self.fill_gap(&op) {
                    continue;
                }
            }
            if op.flow != Flow::Next {
                self.flow(&op, decoder);
                self.since = Traits::default();
            }
            self.since = self.since.with(op.traits);
        }
        let (instructions, end) = decoder.read();
        if instructions > 0 {
            self.scratch.graph.withdraw(end.wrapping_sub(self.start));
        }
        self.facts.set(Fact::Instructions, instructions);
        self.facts.set(Fact::VectorBits, u64::from(widest));
        self.finish()
    }

    /// Whether padding only fills the gap behind a block. What fills it may be a trap that
    /// something else jumps to.
    fn fill_gap(&mut self, op: &Op) -> bool {
        let at = op.address - self.start;
        let fills = self.scratch.graph.fill_gap(at, op.len);
        if fills && op.flow == Flow::Stop {
            self.scratch.graph.trap(Branch::new(at, false));
        }
        fills
    }

    fn seldom(&mut self, op: &Op, decoder: &mut impl Decode) {
        if op.traits.has(Traits::NOP) {
            // Most of them.
            self.facts.add(Fact::Padding, u32::from(op.len));
            self.observer.place(Fact::Padding, op, decoder);
            return;
        }
        for (trait_, fact) in SELDOM {
            if op.traits.has(trait_) {
                self.one(fact, op, decoder);
            }
        }
    }

    fn watch(&mut self, op: &Op, decoder: &mut impl Decode) {
        for (trait_, fact) in OFTEN {
            if op.traits.has(trait_) {
                self.observer.place(fact, op, decoder);
            }
        }
        self.observer.place(Fact::Instructions, op, decoder);
        if op.vector_bits > 0 {
            self.observer.place(Fact::VectorBits, op, decoder);
        }
    }

    /// What is known of the stack where the present instruction stands.
    fn frame(&self) -> Frame {
        Frame {
            used: self.seen.has(Traits::USES_STACK),
            released: self.since.has(Traits::RELEASES),
        }
    }

    fn one(&mut self, fact: Fact, op: &Op, decoder: &mut impl Decode) {
        self.facts.add(fact, 1);
        self.observer.place(fact, op, decoder);
    }

    /// Counts one where that is true: without a branch, for nothing foretells it.
    fn one_if(&mut self, true_here: bool, fact: Fact, op: &Op, decoder: &mut impl Decode) {
        self.facts.add(fact, u32::from(true_here));
        if O::WATCHES && true_here {
            self.observer.place(fact, op, decoder);
        }
    }

    fn flow(&mut self, op: &Op, decoder: &mut impl Decode) {
        if op.flow != Flow::Stop {
            self.lines(op, decoder);
        }
        let to = op.target.wrapping_sub(self.start);
        let falls = op.flow == Flow::Conditional;
        let branch = Branch::new(op.address - self.start, falls);
        let branch = match op.flow {
            Flow::Next => return,
            Flow::Conditional | Flow::Jump => {
                self.one_if(falls, Fact::ConditionalBranches, op, decoder);
                if to < self.size {
                    branch.to(to)
                } else {
                    self.leaves(op, decoder);
                    branch
                }
            }
            Flow::Return => {
                self.one(Fact::Returns, op, decoder);
                branch
            }
            Flow::Stop => branch,
            Flow::IndirectJump => match self.indirect(op, decoder) {
                Some(table) => branch.through(table),
                None => branch,
            },
            Flow::Call | Flow::IndirectCall => {
                self.call(op, decoder);
                if !self.image.never_returns(op.target) {
                    return;
                }
                branch
            }
        };
        self.scratch.graph.branch(branch, op.len);
    }

    fn lines(&mut self, op: &Op, decoder: &mut impl Decode) {
        let differ = op.address ^ op.end();
        let (half, whole) = (differ >= 32, differ >= 64);
        self.lines += u64::from(half) | u64::from(whole) << 32;
        if O::WATCHES && half {
            self.observer.place(Fact::Branches32, op, decoder);
        }
        if O::WATCHES && whole {
            self.observer.place(Fact::Branches64, op, decoder);
        }
    }

    /// A direct jump: a tail call when it leads to another function.
    fn leaves(&mut self, op: &Op, decoder: &mut impl Decode) {
        if op.target == 0 {
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

    /// The function at the target of a jump: more often than not that of the jump before, the cold
    /// part of this one.
    fn elsewhere(&mut self, target: u64) -> Option<usize> {
        let functions = &self.image.functions;
        let again = self.elsewhere.is_some_and(|last| {
            let after = functions.get(last + 1).map_or(u64::MAX, |f| f.address);
            let Some(last) = functions.get(last) else {
                return false;
            };
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
            let stub = link == Some(LinkKind::Stub);
            self.one_if(stub, Fact::PltCalls, op, decoder);
            if stub { Via::Linkage } else { Via::Call }
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
        let origin = decoder.origin(&self.image.space);
        let frame = self.frame();
        let (kind, table) = self
            .scratch
            .tables
            .lead(self.image, self.index, origin, frame);
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

    fn finish(&mut self) -> Facts {
        self.scratch
            .tables
            .read(self.image, self.index, &mut self.scratch.graph);
        let (blocks, loops) = self.scratch.graph.count();
        self.facts.set(Fact::Bytes, self.size);
        self.facts.set(Fact::Blocks, blocks);
        self.facts.set(Fact::Loops, loops);
        self.facts
            .set(Fact::Branches32, self.lines & u64::from(u32::MAX));
        self.facts.set(Fact::Branches64, self.lines >> 32);
        self.often.empty();
        for (trait_, fact) in OFTEN {
            self.facts.add(fact, self.often.of(trait_));
        }
        if self.seen.has(Traits::SETS_FRAME) {
            // The register is a frame pointer.
            let frame = [Traits::FRAME_LOAD, Traits::FRAME_STORE].map(|t| self.often.of(t));
            self.facts.add(Fact::StackLoads, frame[0]);
            self.facts.add(Fact::StackStores, frame[1]);
        }
        let lines = (self.end.saturating_sub(1) / LINE).saturating_sub(self.start / LINE) + 1;
        self.facts.set(Fact::Lines64, lines);
        self.facts.set(Fact::L1iSets, lines.min(SETS));
        self.facts.set(Fact::PaddingAfter, self.gap());
        self.facts.calls = tally(&mut self.scratch.calls, &mut self.scratch.tally);
        std::mem::take(&mut self.facts)
    }

    /// Bytes up to the next function or the end of the section.
    fn gap(&self) -> u64 {
        let functions = &self.image.functions;
        let section = functions[self.index].section as usize;
        let limit = self
            .image
            .space
            .sections
            .get(section)
            .map_or(self.end, |s| s.address + s.size);
        let next = functions
            .get(self.index + 1)
            .map_or(limit, |f| f.address.min(limit));
        next.saturating_sub(self.end)
    }
}
