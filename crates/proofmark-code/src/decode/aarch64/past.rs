//! The last few AArch64 instructions, and which registers they write.

use yaxpeax_arm::armv8::a64::{Instruction, Opcode, Operand};

use super::table::{flow, is_atomic, is_store, memory};
use crate::decode::Flow;

/// How many instructions are remembered. gcc puts as many as it has between the load of a target
/// and the jump.
const MEMORY: usize = 64;

/// An address that a register holds where an instruction reads it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Held {
    /// The instructions remembered put it there.
    Surely(u64),
    /// It was put there before those; the path that control takes may be another.
    Perhaps(u64),
}

impl Held {
    /// Either way.
    pub(super) fn address(self) -> u64 {
        let (Held::Surely(address) | Held::Perhaps(address)) = self;
        address
    }

    /// With another address, as sure as this.
    pub(super) fn with(self, change: impl Fn(u64) -> u64) -> Held {
        match self {
            Held::Surely(address) => Held::Surely(change(address)),
            Held::Perhaps(address) => Held::Perhaps(change(address)),
        }
    }
}

/// The last few instructions of a stretch of code.
pub(super) struct Past {
    instructions: [Instruction; MEMORY],
    /// The address in the image that each of them put into its first operand.
    put: [Option<Held>; MEMORY],
    /// Number of instructions read; the last is `instructions[(count - 1) % MEMORY]`.
    count: usize,
}

impl Past {
    pub(super) fn new() -> Past {
        Past {
            instructions: [Instruction::default(); MEMORY],
            put: [None; MEMORY],
            count: 0,
        }
    }

    /// The next instruction was read.
    pub(super) fn push(&mut self, instruction: Instruction) {
        self.instructions[self.count % MEMORY] = instruction;
        self.put[self.count % MEMORY] = None;
        self.count += 1;
    }

    /// The last instruction puts this address into its first operand.
    pub(super) fn puts(&mut self, address: Held) {
        self.put[self.count.wrapping_sub(1) % MEMORY] = Some(address);
    }

    /// The last instruction.
    pub(super) fn last(&self) -> &Instruction {
        &self.instructions[self.count.wrapping_sub(1) % MEMORY]
    }

    /// The instructions before the last one, nearest first.
    pub(super) fn before(&self) -> impl Iterator<Item = &Instruction> {
        let known = self.count.min(MEMORY);
        (2..=known).map(|back| &self.instructions[(self.count - back) % MEMORY])
    }

    /// The address that the `n`-th instruction before the last one put into its first operand.
    pub(super) fn put_by(&self, n: usize) -> Option<Held> {
        let back = n.checked_add(2).filter(|b| *b <= self.count.min(MEMORY))?;
        self.put[(self.count - back) % MEMORY]
    }

    /// The instruction before the last one that sets a register, `None` when a jump, a call that
    /// may leave something else there, or nothing at all stands between. `from` counts the
    /// instructions before the last one that stand behind it.
    pub(super) fn setter(&self, register: u16, from: usize) -> Option<(usize, &Instruction)> {
        for (n, i) in self.before().enumerate().skip(from) {
            match flow(i.opcode) {
                Flow::Jump | Flow::IndirectJump | Flow::Return => return None,
                Flow::Call | Flow::IndirectCall if is_lost_in_calls(register) => return None,
                _ if writes(i, register) => return Some((n, i)),
                _ => {}
            }
        }
        None
    }
}

/// Whether a function that is called may leave something else in a register (Procedure Call
/// Standard for the Arm 64-bit Architecture, 6.1.1).
pub(super) fn is_lost_in_calls(register: u16) -> bool {
    !(19..=29).contains(&register)
}

/// One bit for each general register that an instruction may put something into: too many rather
/// than too few.
pub(super) fn written(i: &Instruction) -> u32 {
    let results = match i.opcode {
        opcode if is_store(opcode) => 0,
        Opcode::CBZ
        | Opcode::CBNZ
        | Opcode::TBZ
        | Opcode::TBNZ
        | Opcode::BLR
        | Opcode::CCMP
        | Opcode::CCMN => 0,
        Opcode::LDP | Opcode::LDNP | Opcode::LDPSW => 2,
        // The atomic ones name what they add or compare with before what they load.
        opcode if is_atomic(opcode) => 2,
        _ => 1,
    };
    let mut set = 0;
    for operand in &i.operands[..results] {
        set |= match operand {
            Operand::Register(_, n) | Operand::RegisterOrSP(_, n) => bit(*n),
            Operand::RegisterPair(_, n) => bit(*n) | bit(n.wrapping_add(1)),
            _ => 0,
        };
    }
    // The register that a memory operand is relative to may be moved along.
    match memory(i) {
        Some(
            Operand::RegPreIndex(base, _, true)
            | Operand::RegPostIndex(base, _)
            | Operand::RegPostIndexReg(base, _),
        ) => set | bit(base),
        _ => set,
    }
}

/// None for 31, which is no register: zero, or the stack pointer.
fn bit(register: u16) -> u32 {
    if register < 31 { 1 << register } else { 0 }
}

/// Whether an instruction may put something into a general register.
pub(super) fn writes(i: &Instruction, register: u16) -> bool {
    written(i) & bit(register) != 0
}
