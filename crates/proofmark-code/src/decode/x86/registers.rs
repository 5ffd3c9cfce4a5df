//! What addresses x86-64 registers hold, and the places on the stack where they are put away,
//! instruction by instruction.

use iced_x86::{Code, Instruction, Mnemonic, OpKind, Register};

use super::reasons::Reasons;
use crate::decode::Traits;
use crate::decode::put_away::PutAway;

/// A place on the stack: the register that it is relative to, and how far.
type StackPlace = (Register, u64);

/// The addresses in the image that the registers were last set to.
#[cfg_attr(test, derive(Debug, Clone, PartialEq))]
pub(super) struct Registers {
    /// By number; 0 for none.
    holds: [u64; 16],
    /// Places on the stack where such an address was put away.
    kept: PutAway<StackPlace>,
    /// Whether the function has made `rbp` its frame pointer: elsewhere that is a register like any
    /// other.
    frame: bool,
    /// Whether the image runs at the address that it was linked for, so that plain numbers can be
    /// addresses.
    pub(super) absolute: bool,
    /// For what reasons there is more to say of an instruction: all where what they hold is
    /// followed, else they are told of nothing but the stack, on which traits depend.
    pub(super) reasons: Reasons,
}

impl Registers {
    /// Those of an image that runs where it was linked (`absolute`), or anywhere.
    pub(super) fn new(absolute: bool) -> Registers {
        Registers {
            holds: [0; 16],
            kept: PutAway::new(),
            frame: false,
            absolute,
            reasons: Reasons::ALWAYS,
        }
    }

    /// Nothing is known at the start of a function, nor followed.
    pub(super) fn forget(&mut self) {
        self.holds = [0; 16];
        self.kept.clear();
        self.frame = false;
        self.reasons = Reasons::ALWAYS;
    }

    /// Whether what they hold is followed.
    pub(super) fn follows(&self) -> bool {
        self.reasons == Reasons::ALL
    }

    /// From here on, what they hold is followed.
    pub(super) fn follow(&mut self) {
        self.reasons = Reasons::ALL;
    }

    /// Learns from an instruction's operands, and gives the traits that depend on them.
    pub(super) fn look(&mut self, instruction: &Instruction) -> Traits {
        let mut traits = Traits::default();
        match instruction.mnemonic() {
            Mnemonic::Add | Mnemonic::Sub => {
                if instruction.op0_register() == Register::RSP
                    && instruction.op1_kind() != OpKind::Register
                {
                    #[expect(
                        clippy::cast_possible_wrap,
                        reason = "an immediate operand is read as signed"
                    )]
                    let by = instruction.try_immediate(1).unwrap_or(0) as i64;
                    let released = if instruction.mnemonic() == Mnemonic::Add {
                        by
                    } else {
                        by.wrapping_neg()
                    };
                    if released > 0 {
                        traits = Traits::RELEASES;
                    }
                }
            }
            Mnemonic::Xchg => {
                if instruction.op0_kind() == OpKind::Memory
                    || instruction.op1_kind() == OpKind::Memory
                {
                    traits = Traits::ATOMIC;
                }
            }
            _ => self.moved(instruction, &mut traits),
        }
        traits
    }

    fn moved(&mut self, instruction: &Instruction, traits: &mut Traits) {
        let to = instruction.op0_register();
        match instruction.code() {
            Code::Lea_r64_m => {
                if instruction.memory_base() == Register::RIP {
                    self.set(to, instruction.memory_displacement64());
                } else if to == Register::RBP && instruction.memory_base() == Register::RSP {
                    *traits = traits.with(Traits::SETS_FRAME);
                    self.frame = true;
                } else if to == Register::RSP && instruction.memory_base() != Register::None {
                    *traits = traits.with(Traits::RELEASES);
                }
            }
            Code::Mov_r32_imm32 | Code::Mov_r64_imm64 | Code::Mov_rm64_imm32 if self.absolute => {
                self.set(to, instruction.try_immediate(1).unwrap_or(0));
            }
            Code::Mov_r64_rm64 if instruction.op1_kind() == OpKind::Memory => {
                if let Some(address) = self.kept_at(instruction) {
                    self.set(to, address);
                }
            }
            Code::Mov_rm64_r64 if instruction.op0_kind() == OpKind::Memory => {
                self.keep(instruction);
            }
            Code::Mov_r64_rm64 | Code::Mov_rm64_r64 => {
                let from = instruction.op1_register();
                if to == Register::RBP && from == Register::RSP {
                    *traits = traits.with(Traits::SETS_FRAME);
                    self.frame = true;
                } else if to == Register::RSP && from == Register::RBP {
                    *traits = traits.with(Traits::RELEASES);
                } else if let Some(address) = self.held(from) {
                    self.set(to, address);
                }
            }
            _ => {}
        }
    }

    /// A register is stored: the place on the stack holds what it holds.
    fn keep(&mut self, instruction: &Instruction) {
        let Some(place) = self.stack_place(instruction) else {
            return;
        };
        let address = self.held(instruction.op1_register());
        self.kept.store(place, address);
    }

    /// The address that was put away where an instruction loads from.
    fn kept_at(&self, instruction: &Instruction) -> Option<u64> {
        if self.kept.is_empty() {
            return None;
        }
        let place = self.stack_place(instruction)?;
        self.kept.at(&place)
    }

    /// Where on the stack a memory operand lies, if that is fixed.
    fn stack_place(&self, instruction: &Instruction) -> Option<StackPlace> {
        let base = instruction.memory_base();
        let on_stack = base == Register::RSP || (base == Register::RBP && self.frame);
        (on_stack && instruction.memory_index() == Register::None)
            .then(|| (base, instruction.memory_displacement64()))
    }

    /// Whether an instruction loads a register from a fixed place on the stack: what is known to be
    /// there, the register was set to.
    pub(super) fn is_from_stack(&self, instruction: &Instruction) -> bool {
        instruction.code() == Code::Mov_r64_rm64
            && instruction.op1_kind() == OpKind::Memory
            && self.stack_place(instruction).is_some()
    }

    /// Where registers are followed, one holds an address from here on.
    fn set(&mut self, register: Register, address: u64) {
        let register = register.full_register();
        if self.follows() && register.is_gpr64() {
            self.holds[register.number()] = address;
        }
    }

    pub(super) fn held(&self, register: Register) -> Option<u64> {
        let register = register.full_register();
        let address = if register.is_gpr64() {
            self.holds[register.number()]
        } else {
            0
        };
        (address != 0).then_some(address)
    }
}
