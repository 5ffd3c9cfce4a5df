//! Why there is more to say of an x86-64 instruction than that it is one. Of every other
//! instruction there is not, and one look says so.

use iced_x86::{Code, Instruction, Mnemonic, Register};

/// A set of reasons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Reasons(pub(super) u8);

impl Reasons {
    /// Its opcode has traits, a flow of its own, or vectors.
    pub(super) const OPCODE: Reasons = Reasons(1);
    /// Its memory operand may be on the stack.
    pub(super) const STACK: Reasons = Reasons(1 << 1);
    /// It may put an address into a register, store one on the stack, or load one from there.
    pub(super) const ADDRESS: Reasons = Reasons(1 << 2);
    /// It changes the stack pointer, or the register that may be the frame pointer.
    pub(super) const STACK_REGISTER: Reasons = Reasons(1 << 3);
    /// It exchanges a register with another, or with memory.
    pub(super) const EXCHANGE: Reasons = Reasons(1 << 4);
    /// Those for which the registers are to be told of it.
    pub(super) const REGISTERS: Reasons = Reasons::ADDRESS
        .with(Reasons::STACK_REGISTER)
        .with(Reasons::EXCHANGE);
    /// All.
    pub(super) const ALL: Reasons = Reasons::REGISTERS
        .with(Reasons::OPCODE)
        .with(Reasons::STACK);
    /// Those that matter where nobody follows what registers hold.
    pub(super) const ALWAYS: Reasons = Reasons(Reasons::ALL.0 & !Reasons::ADDRESS.0);

    pub(super) const fn with(self, other: Reasons) -> Reasons {
        Reasons(self.0 | other.0)
    }

    pub(super) const fn among(self, other: Reasons) -> Reasons {
        Reasons(self.0 & other.0)
    }

    pub(super) const fn any(self) -> bool {
        self.0 != 0
    }

    /// Those that an instruction with this opcode can have by its operands.
    pub(super) fn of_opcode(code: Code) -> Reasons {
        let own = match (code, code.mnemonic()) {
            (Code::Mov_r32_imm32 | Code::Mov_r64_imm64 | Code::Mov_rm64_imm32, _) => {
                Reasons::ADDRESS
            }
            (Code::Lea_r64_m | Code::Mov_r64_rm64 | Code::Mov_rm64_r64, _) => {
                Reasons::ADDRESS.with(Reasons::STACK_REGISTER)
            }
            (_, Mnemonic::Add | Mnemonic::Sub) => Reasons::STACK_REGISTER,
            (_, Mnemonic::Xchg) => Reasons::EXCHANGE,
            _ => Reasons::default(),
        };
        own.with(Reasons::STACK)
    }

    /// Those that an instruction with these operands can have, whatever its opcode is.
    #[inline]
    pub(super) fn of_operands(instruction: &Instruction) -> Reasons {
        BASE[instruction.memory_base() as usize].with(FIRST[instruction.op0_register() as usize])
    }
}

/// By the base register of the memory operand.
const BASE: [Reasons; 256] = {
    let any = Reasons::OPCODE.with(Reasons::EXCHANGE);
    let fixed = any.with(Reasons::ADDRESS);
    let stack = fixed.with(Reasons::STACK);
    let mut base = [any; 256];
    base[Register::None as usize] = fixed;
    base[Register::RIP as usize] = fixed;
    base[Register::RSP as usize] = stack;
    base[Register::RBP as usize] = stack;
    base
};

/// By the first operand, where that is a register.
const FIRST: [Reasons; 256] = {
    let mut first = [Reasons(0); 256];
    first[Register::RSP as usize] = Reasons::STACK_REGISTER;
    first[Register::RBP as usize] = Reasons::STACK_REGISTER;
    first
};
