//! One instruction, as far as both instruction sets agree on what there is to say.

use super::Extensions;

/// How control goes on after an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Flow {
    /// To the next instruction.
    #[default]
    Next,
    /// To `target`.
    Jump,
    /// To `target` or to the next instruction.
    Conditional,
    /// To an address taken from a register or from memory.
    IndirectJump,
    /// To `target`, and back.
    Call,
    /// To an address taken from a register or from memory, and back.
    IndirectCall,
    /// Back to the caller.
    Return,
    /// Nowhere: a trap.
    Stop,
}

/// An instruction.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Op {
    pub(crate) address: u64,
    /// In bytes: 1 to 15, more where it is data.
    pub(crate) len: u8,
    pub(crate) flow: Flow,
    /// Direct branches: where to. Indirect ones through a fixed slot in memory: the slot. Else 0.
    pub(crate) target: u64,
    pub(crate) traits: Traits,
    /// The widest vector register that it names, in bits; 0 for none.
    pub(crate) vector_bits: u16,
    pub(crate) extensions: Extensions,
}

impl Op {
    /// Whether it does nothing but fill.
    pub(crate) fn is_padding(&self) -> bool {
        self.traits.has(Traits::NOP) || self.traits.has(Traits::FILL)
    }

    /// The first address after it.
    pub(crate) fn end(&self) -> u64 {
        self.address.wrapping_add(u64::from(self.len))
    }
}

/// A set of properties of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Traits(pub(crate) u32);

impl Traits {
    /// Reads memory relative to the stack pointer.
    pub(crate) const STACK_LOAD: Traits = Traits(1);
    pub(crate) const STACK_STORE: Traits = Traits(1 << 1);
    /// Reads memory relative to the register that is the frame pointer where a function has one.
    pub(crate) const FRAME_LOAD: Traits = Traits(1 << 2);
    pub(crate) const FRAME_STORE: Traits = Traits(1 << 3);
    /// Puts registers on the stack and moves the stack pointer.
    pub(crate) const PUSH: Traits = Traits(1 << 4);
    /// Takes registers from the stack and moves the stack pointer.
    pub(crate) const POP: Traits = Traits(1 << 5);
    pub(crate) const ATOMIC: Traits = Traits(1 << 6);
    pub(crate) const FENCE: Traits = Traits(1 << 7);
    /// A no-operation, of any length.
    pub(crate) const NOP: Traits = Traits(1 << 8);
    pub(crate) const DIVISION: Traits = Traits(1 << 9);
    pub(crate) const FLOAT_DIVISION: Traits = Traits(1 << 10);
    /// The decoder does not know it.
    pub(crate) const UNKNOWN: Traits = Traits(1 << 11);
    /// Data in the midst of code.
    pub(crate) const DATA: Traits = Traits(1 << 12);
    /// Makes a register the frame pointer.
    pub(crate) const SETS_FRAME: Traits = Traits(1 << 13);
    /// Gives stack back: as an epilogue does before it leaves.
    pub(crate) const RELEASES: Traits = Traits(1 << 14);
    /// Fills gaps between functions and would trap: `int3`, `udf #0`.
    pub(crate) const FILL: Traits = Traits(1 << 15);
    /// `endbr64`, `bti`: a place that indirect branches may lead to.
    pub(crate) const LANDING: Traits = Traits(1 << 16);
    /// `adrp`.
    pub(crate) const PAGE: Traits = Traits(1 << 17);
    /// Those that are often there and that a fact counts, each of them a bit: the lowest.
    pub(crate) const OFTEN: Traits = Traits((1 << 7) - 1);
    /// The others that a fact counts.
    pub(crate) const SELDOM: Traits = Traits((1 << 13) - (1 << 7));
    /// Those that say that the function uses its stack.
    pub(crate) const USES_STACK: Traits = Traits::PUSH
        .with(Traits::STACK_LOAD)
        .with(Traits::STACK_STORE)
        .with(Traits::SETS_FRAME)
        .with(Traits::RELEASES);

    pub(crate) fn has(self, other: Traits) -> bool {
        self.0 & other.0 != 0
    }

    pub(crate) const fn with(self, other: Traits) -> Traits {
        Traits(self.0 | other.0)
    }

    /// These traits or none.
    pub(crate) fn when(self, there: bool) -> Traits {
        Traits(self.0 * u32::from(there))
    }

    pub(crate) fn is_landing_pad(self) -> bool {
        self.has(Traits::LANDING)
    }

    pub(crate) fn is_page(self) -> bool {
        self.has(Traits::PAGE)
    }
}

/// A comparison before an indirect jump that keeps the index inside the table, as a `switch` has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Check {
    /// None is to be seen.
    None,
    /// One is there, against a register.
    Unknown,
    /// The index is at most this.
    AtMost(u64),
}

/// Where the target of an indirect jump came from, as far as the instructions before it show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Origin {
    /// From a slot in memory at a fixed address.
    Slot(u64),
    /// From a table of pointers, indexed. `table` is its address where that is known.
    Pointers { table: Option<u64>, check: Check },
    /// From a table of offsets, indexed: `base + (entry << shift)`.
    Offsets {
        table: Option<u64>,
        base: Option<u64>,
        width: u8,
        signed: bool,
        shift: u8,
        /// The instructions are those that a compiler writes for a `switch`.
        compiled: bool,
        check: Check,
    },
    /// This address, put together by the instructions before.
    Address(u64),
    /// Calculated from what is not known.
    Computed,
    /// From a register that only jumps between functions go through, where it was put for the
    /// purpose.
    BetweenFunctions,
    /// From memory without an index: a pointer in a structure or on the stack.
    Memory,
    /// From a register that nothing nearby sets: an argument, or something that was kept.
    Register,
}
