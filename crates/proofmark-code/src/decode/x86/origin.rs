//! Where the target of an indirect jump came from, by the x86-64 instructions before it.

use iced_x86::{Code, Instruction, Mnemonic, OpKind, Register};

use super::{MEMORY, X86};
use crate::decode::{Check, Decode, Op, Origin};
use crate::space::Space;

/// Whether an instruction's first operand is read and not written.
fn only_reads(mnemonic: Mnemonic) -> bool {
    use Mnemonic::{Bt, Call, Cmp, Div, Idiv, Mul, Push, Test};
    matches!(mnemonic, Call | Cmp | Test | Push | Bt | Mul | Div | Idiv)
}

/// Whether a function that is called may leave something else in a register (System V ABI, AMD64
/// supplement, 3.2.1).
fn is_lost_in_calls(register: Register) -> bool {
    !matches!(
        register,
        Register::RBX
            | Register::RBP
            | Register::RSP
            | Register::R12
            | Register::R13
            | Register::R14
            | Register::R15
    )
}

impl X86<'_> {
    /// Where the target of the last instruction came from.
    pub(super) fn origin_here(&mut self, space: &Space) -> Origin {
        self.asked.set(false);
        let origin = self.origin_known(space);
        if self.registers.follows() || !self.asked.get() {
            return origin;
        }
        self.follow(space);
        self.origin_known(space)
    }

    /// The instructions before the last one, nearest first.
    fn before(&self) -> impl Iterator<Item = &Instruction> {
        let known = self.count.min(MEMORY);
        (2..=known).map(|back| &self.past[(self.count - back) % MEMORY])
    }

    /// The table that an indexed memory operand reads: base register or displacement. `from` counts
    /// the instructions before the last one that stand behind it, itself included.
    fn table_of(&self, space: &Space, instruction: &Instruction, from: usize) -> Option<u64> {
        let displacement = instruction.memory_displacement64();
        match instruction.memory_base() {
            Register::None => Some(displacement),
            base => self
                .held(space, base, from)
                .map(|at| at.wrapping_add(displacement)),
        }
    }

    /// The address that a register holds: what the instructions remembered put there, as far as
    /// control came straight from them; else what it was set to last. That is not forgotten when
    /// something else is put there: instructions are read in the order of their addresses, and
    /// behind a jump or an epilogue in the midst of a function another path goes on, on which it is
    /// still there.
    fn held(&self, space: &Space, register: Register, from: usize) -> Option<u64> {
        let register = register.full_register();
        for (at, instruction) in self.before().enumerate().skip(from) {
            match instruction.mnemonic() {
                Mnemonic::Jmp | Mnemonic::Ret => break,
                // Nobody comes from a call that does not return.
                Mnemonic::Call if space.never_returns(instruction.near_branch_target()) => break,
                Mnemonic::Call if is_lost_in_calls(register) => return None,
                other if only_reads(other) => continue,
                _ => {}
            }
            if instruction.op0_kind() == OpKind::Register
                && instruction.op0_register().full_register() == register
            {
                if self.registers.is_from_stack(instruction) {
                    // A place on the stack of which nothing is known any more: another path has put
                    // something else there.
                    break;
                }
                return self.put_there(space, instruction, at + 1);
            }
        }
        self.asked.set(true);
        self.registers.held(register)
    }

    /// Follows what registers hold, from the beginning of the stretch to here, and from now on:
    /// only few functions have a jump of which that has to be known, and all of them would pay for
    /// it.
    #[cold]
    fn follow(&mut self, space: &Space) {
        let (code, address) = self.whole;
        let mut again = X86::new(code, address, space);
        again.registers.follow();
        let here = self.last().ip();
        let mut op = Op::default();
        while again.next_of_note(&mut op) && op.address < here {}
        self.registers = again.registers;
    }

    /// Where the target of the last instruction came from, as far as is known.
    fn origin_known(&self, space: &Space) -> Origin {
        let last = self.last();
        match last.op0_kind() {
            OpKind::Memory => self.origin_in_memory(space, last, 0),
            OpKind::Register => self.origin_of(space, last.op0_register().full_register(), 0),
            _ => Origin::Register,
        }
    }

    /// The address that an instruction puts into its first operand, if it is one in the space.
    fn put_there(&self, space: &Space, instruction: &Instruction, from: usize) -> Option<u64> {
        match instruction.code() {
            Code::Lea_r64_m if instruction.memory_base() == Register::RIP => {
                Some(instruction.memory_displacement64())
            }
            Code::Mov_r32_imm32 | Code::Mov_r64_imm64 | Code::Mov_rm64_imm32
                if self.registers.absolute =>
            {
                instruction.try_immediate(1).ok()
            }
            Code::Mov_r64_rm64 | Code::Mov_rm64_r64
                if instruction.op1_kind() == OpKind::Register =>
            {
                self.held(space, instruction.op1_register(), from)
            }
            // The large code model adds a distance to an address.
            Code::Add_r64_rm64 | Code::Add_rm64_r64
                if instruction.op1_kind() == OpKind::Register =>
            {
                self.sum(space, instruction, from)
            }
            _ => None,
        }
    }

    /// The address that an addition of two registers makes: one is an address, and the other a
    /// number of 64 bits that was put there right before.
    fn sum(&self, space: &Space, add: &Instruction, from: usize) -> Option<u64> {
        let [into, other] = [add.op0_register(), add.op1_register()].map(Register::full_register);
        let number = |register: Register| -> Option<u64> {
            let (_, setter) = self.setter(register, from)?;
            let number = setter.try_immediate(1).ok()?;
            (setter.code() == Code::Mov_r64_imm64).then_some(number)
        };
        let (number, address) = match (number(into), number(other)) {
            (Some(number), None) => (number, other),
            (None, Some(number)) => (number, into),
            _ => return None,
        };
        let address = self.held(space, address, from)?;
        Some(address.wrapping_add(number))
    }

    /// The comparison with a conditional jump that stands shortly before: the range check of a
    /// `switch`.
    fn check(&self) -> Check {
        let mut below = None;
        for instruction in self.before() {
            match (instruction.mnemonic(), below) {
                (Mnemonic::Ja | Mnemonic::Jbe, _) => below = Some(0),
                (Mnemonic::Jae | Mnemonic::Jb, _) => below = Some(1),
                (Mnemonic::Cmp | Mnemonic::Sub, Some(less)) => {
                    let immediate =
                        !matches!(instruction.op1_kind(), OpKind::Register | OpKind::Memory);
                    return if immediate {
                        Check::AtMost(instruction.immediate(1).saturating_sub(less))
                    } else {
                        Check::Unknown
                    };
                }
                (Mnemonic::Jmp | Mnemonic::Ret | Mnemonic::Call, _) => return Check::None,
                _ => {}
            }
        }
        Check::None
    }

    /// The instruction before the last one that sets a register, `None` when a jump or nothing at
    /// all stands between.
    fn setter(&self, register: Register, from: usize) -> Option<(usize, &Instruction)> {
        for (i, instruction) in self.before().enumerate().skip(from) {
            match instruction.mnemonic() {
                Mnemonic::Jmp | Mnemonic::Ret => return None,
                Mnemonic::Call if is_lost_in_calls(register) => return None,
                other if only_reads(other) => continue,
                _ => {}
            }
            if instruction.op0_kind() == OpKind::Register
                && instruction.op0_register().full_register() == register
            {
                return Some((i, instruction));
            }
        }
        None
    }

    fn origin_of(&self, space: &Space, register: Register, from: usize) -> Origin {
        let Some((at, setter)) = self.setter(register, from) else {
            return Origin::Register;
        };
        match setter.mnemonic() {
            Mnemonic::Mov if setter.op1_kind() == OpKind::Memory => {
                self.origin_in_memory(space, setter, at + 1)
            }
            Mnemonic::Mov if setter.op1_kind() == OpKind::Register => {
                self.origin_of(space, setter.op1_register().full_register(), at + 1)
            }
            Mnemonic::Add if setter.op1_kind() == OpKind::Register => {
                let other = setter.op1_register().full_register();
                self.offsets(space, register, other, at)
                    .or_else(|| self.offsets(space, other, register, at))
                    .unwrap_or(Origin::Register)
            }
            // The target's distance from its table, of 64 bits: the large code model.
            Mnemonic::Add
                if setter.op1_kind() == OpKind::Memory
                    && setter.memory_index() != Register::None
                    && setter.memory_index_scale() == 8 =>
            {
                let table = self.table_of(space, setter, at + 1);
                let base = self.held(space, register, at + 1);
                Origin::Offsets {
                    table,
                    base,
                    width: 8,
                    signed: true,
                    shift: 0,
                    compiled: table.is_some() && table == base,
                    check: self.check(),
                }
            }
            // A notrack or masked target: `and`, `lea` and the like say nothing.
            _ => Origin::Register,
        }
    }

    /// `entry` was loaded from a table of offsets, `base` is what it is added to.
    fn offsets(&self, space: &Space, entry: Register, base: Register, at: usize) -> Option<Origin> {
        let (loaded, load) = self.setter(entry, at + 1)?;
        let width = match load.code() {
            Code::Movsxd_r64_rm32 | Code::Movsxd_r32_rm32 => 4,
            Code::Mov_r32_rm32 if load.op1_kind() == OpKind::Memory => 4,
            _ => return None,
        };
        if load.op1_kind() != OpKind::Memory || load.memory_index() == Register::None {
            return None;
        }
        let table = self.table_of(space, load, loaded + 1);
        Some(Origin::Offsets {
            table,
            base: self.held(space, base, at + 1),
            width,
            signed: true,
            shift: 0,
            compiled: true,
            check: self.check(),
        })
    }

    fn origin_in_memory(&self, space: &Space, instruction: &Instruction, from: usize) -> Origin {
        if let Some(slot) = Self::fixed(instruction) {
            return Origin::Slot(slot);
        }
        if instruction.memory_index() != Register::None && instruction.memory_index_scale() == 8 {
            return Origin::Pointers {
                table: self.table_of(space, instruction, from),
                check: self.check(),
            };
        }
        Origin::Memory
    }
}
