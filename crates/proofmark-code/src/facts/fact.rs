//! The names of the facts. What each one counts, with an example of disassembly, is in
//! `docs/facts.md`; a test holds the two together.

use serde::{Serialize, Serializer};

macro_rules! facts {
    ($($(#[doc = $doc:literal])+ $name:ident = $text:literal,)+) => {
        /// A number that can be said of a function. `docs/facts.md` defines each.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Fact { $($(#[doc = $doc])+ $name,)+ }

        impl Fact {
            /// All facts, in the order in which they are shown.
            pub const ALL: &'static [Fact] = &[$(Fact::$name,)+];

            /// The name in tables, options and expectations.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Fact::$name => $text,)+ }
            }

            /// What it counts, in one line.
            #[must_use]
            pub fn meaning(self) -> &'static str {
                match self { $(Fact::$name => concat!($($doc),+).trim_ascii(),)+ }
            }
        }
    };
}

facts! {
    /// Length of the code, in bytes.
    Bytes = "bytes",
    /// Instructions, padding included.
    Instructions = "instructions",
    /// Basic blocks: runs of code entered at the top only and left at the bottom only.
    Blocks = "blocks",
    /// Loops: distinct targets of jumps back, as a depth-first walk finds them.
    Loops = "loops",
    /// Indirect jumps: `jmp *…`, `br`. Sites, not targets.
    IndirectJumps = "indirect_jumps",
    /// Indirect jumps through a table that the compiler made for a `switch`.
    JumpTables = "jump_tables",
    /// Indirect jumps through a table or pointer of labels that the program made: `goto *p`.
    ComputedGotos = "computed_gotos",
    /// Indirect jumps through a slot that the dynamic linker fills.
    LinkageJumps = "linkage_jumps",
    /// Indirect jumps of which it cannot be known where they lead.
    UnknownJumps = "unknown_jumps",
    /// Indirect calls: `call *…`, `blr`. Sites.
    IndirectCalls = "indirect_calls",
    /// Indirect calls through a slot that the dynamic linker fills: a call of a known function, in
    /// truth.
    LinkageCalls = "linkage_calls",
    /// Direct calls: `call f`, `bl f`. Sites.
    DirectCalls = "direct_calls",
    /// Direct calls of a stub of the procedure linkage table.
    PltCalls = "plt_calls",
    /// Tail calls, direct and indirect: jumps out of the function, to another.
    TailCalls = "tail_calls",
    /// Tail calls by a direct jump.
    DirectTailCalls = "direct_tail_calls",
    /// Tail calls by an indirect jump, those through linkage slots included.
    IndirectTailCalls = "indirect_tail_calls",
    /// Returns.
    Returns = "returns",
    /// Conditional branches.
    ConditionalBranches = "conditional_branches",
    /// Branches of all kinds that cross a 32-byte line or end on one.
    Branches32 = "branches_32",
    /// Branches of all kinds that cross a 64-byte line or end on one.
    Branches64 = "branches_64",
    /// Width of the widest vector register that an instruction names, in bits.
    VectorBits = "vector_bits",
    /// Instructions that read memory relative to the stack or frame pointer.
    StackLoads = "stack_loads",
    /// Instructions that write memory relative to the stack or frame pointer.
    StackStores = "stack_stores",
    /// Instructions that push registers on the stack.
    Pushes = "pushes",
    /// Instructions that pop registers from the stack.
    Pops = "pops",
    /// Atomic instructions.
    Atomics = "atomics",
    /// Fence instructions.
    Fences = "fences",
    /// Integer divisions.
    Divisions = "divisions",
    /// Floating-point divisions.
    FloatDivisions = "float_divisions",
    /// Bytes of no-operations inside the function.
    Padding = "padding",
    /// Bytes between the end of the function and whatever comes next.
    PaddingAfter = "padding_after",
    /// 64-byte lines that the function occupies, wholly or in part.
    Lines64 = "lines_64",
    /// Sets of a level-1 instruction cache of 64 sets and 64-byte lines that the function occupies.
    L1iSets = "l1i_sets",
    /// Instructions that the decoder does not know, and pieces of data among them.
    Undecoded = "undecoded",
}

impl Fact {
    /// The fact of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Fact> {
        Fact::ALL.iter().copied().find(|f| f.name() == name)
    }
}

impl std::fmt::Display for Fact {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

impl Serialize for Fact {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}
