//! What in the machine code of a function may slow it down for where it stands, and what else there
//! is to see of it that costs time. A description of the code: whether it costs anything is
//! measured elsewhere.

mod erratum;
mod far;
mod loops;
mod shared;

pub use erratum::{ErratumPart, JumpAt, Touch, erratum_part};
pub use far::FarCall;
pub use loops::LoopPlace;
pub use shared::{PageUse, SetUse, SharedCode};

use crate::decode::X86;
use crate::facts::{Fact, Facts};
use crate::image::Image;
use crate::{Arch, Crossings};

/// The hazards of one function where its image has it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hazards {
    /// Its loops, by where they begin.
    pub loops: Vec<LoopPlace>,
    /// Its jumps that Intel's erratum is about, by where they stand. None on AArch64.
    pub jumps: Vec<JumpAt>,
    /// Its calls of other files across 4 GiB, by where they stand.
    pub far_calls: Vec<FarCall>,
    /// Width of the widest vector register that it names, in bits; 0 for none.
    pub vector_bits: u64,
    /// Instructions that read its stack.
    pub stack_loads: u64,
    /// Instructions that write its stack.
    pub stack_stores: u64,
    /// Instructions that push registers.
    pub pushes: u64,
    /// Instructions that pop registers.
    pub pops: u64,
}

impl Hazards {
    /// Of a function of an image, by its index. Of its own contiguous code: pieces have hazards of
    /// their own.
    #[must_use]
    pub fn of(image: &Image, index: usize) -> Hazards {
        let Some(function) = image.functions().get(index) else {
            return Hazards::default();
        };
        let loops = loops::of(&Crossings::of(image, index), function.address().get());
        let (code, start) = (image.code(function), function.address().get());
        let jumps = match image.arch() {
            Arch::X86_64 => erratum::read(X86::new(code, start, &image.space), &loops),
            // An instruction of four bytes at an address that four divides crosses no line, and
            // the erratum is Intel's.
            Arch::Aarch64 => Vec::new(),
        };
        let facts = Facts::of(image, index);
        Hazards {
            far_calls: far::of(image, index, &loops),
            loops,
            jumps,
            vector_bits: facts.get(Fact::VectorBits),
            stack_loads: facts.get(Fact::StackLoads),
            stack_stores: facts.get(Fact::StackStores),
            pushes: facts.get(Fact::Pushes),
            pops: facts.get(Fact::Pops),
        }
    }

    /// How many loops begin with an instruction that crosses a line of so many bytes.
    #[must_use]
    pub fn loops_across(&self, line: u64) -> usize {
        let loops = self.loops.iter();
        loops.filter(|one| one.begins_across(line)).count()
    }

    /// How many lines of so many bytes its loops touch beyond the fewest that would hold each.
    #[must_use]
    pub fn lines_beyond(&self, line: u64) -> u64 {
        let loops = self.loops.iter();
        loops
            .map(|one| one.lines(line) - one.fewest_lines(line))
            .sum()
    }
}

/// Whether an address is in one of these loops.
fn is_in_loop(loops: &[LoopPlace], address: u64) -> bool {
    let holds = |one: &LoopPlace| (one.head.get()..one.end.get()).contains(&address);
    loops.iter().any(holds)
}
