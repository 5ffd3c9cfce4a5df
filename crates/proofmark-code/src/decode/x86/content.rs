//! What x86-64 instructions do, with everything left out that only says where things are.

use iced_x86::{Instruction, Mnemonic, OpKind, Register};

use super::X86;
use super::table::Entry;
use crate::decode::{Content, Reference, Traits, Use};
use crate::space::Space;

impl X86<'_> {
    /// The content of the last instruction.
    pub(super) fn content_here(&self, space: &Space) -> Content {
        let instruction = *self.last();
        let mut content = Content::default();
        let traits = Entry::of(&instruction).traits();
        if traits.has(Traits::NOP) || traits.has(Traits::FILL) {
            content.silent = true;
            return content;
        }
        // Short and near forms of a jump differ in nothing but distance.
        let code = instruction.code().as_near_branch() as u64;
        content.shape[0] = code
            | u64::from(instruction.has_lock_prefix()) << 32
            | u64::from(instruction.has_rep_prefix()) << 33
            | u64::from(instruction.has_repne_prefix()) << 34
            | u64::from(instruction.zeroing_masking()) << 35
            | (instruction.op_mask() as u64) << 40
            | (instruction.rounding_control() as u64) << 48;
        for operand in 0..instruction.op_count().min(5) {
            content.shape[1 + operand as usize] =
                self.operand(space, &instruction, operand, &mut content.reference);
        }
        content
    }

    fn operand(
        &self,
        space: &Space,
        instruction: &Instruction,
        operand: u32,
        reference: &mut Option<Reference>,
    ) -> u64 {
        match instruction.op_kind(operand) {
            OpKind::Register => 1 << 56 | instruction.op_register(operand) as u64,
            OpKind::NearBranch16 | OpKind::NearBranch32 | OpKind::NearBranch64 => 2 << 56,
            OpKind::Memory => self.memory(space, instruction, reference),
            _ => {
                // Operands of string instructions are none that could differ.
                let value = instruction.try_immediate(operand).unwrap_or(0);
                if self.registers.absolute && value > 0xffff && space.section_at(value).is_some() {
                    *reference = Some(Reference {
                        address: value,
                        how: Use::Address,
                        certain: false,
                    });
                    return 4 << 56;
                }
                value.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 5 << 56
            }
        }
    }

    fn memory(
        &self,
        space: &Space,
        instruction: &Instruction,
        reference: &mut Option<Reference>,
    ) -> u64 {
        let registers = (instruction.memory_base() as u64) << 8
            | (instruction.memory_index() as u64) << 24
            | u64::from(instruction.memory_index_scale()) << 40
            | (instruction.memory_segment() as u64) << 44;
        let displacement = instruction.memory_displacement64();
        let relative = instruction.is_ip_rel_memory_operand();
        let absolute = self.registers.absolute
            && displacement > 0xffff
            && space.section_at(displacement).is_some();
        if relative || absolute {
            let how = if instruction.mnemonic() == Mnemonic::Lea {
                Use::Address
            } else if relative || instruction.memory_base() == instruction.memory_index() {
                // Relative to the instruction, or relative to nothing: no register takes part.
                Use::Data(instruction.memory_size().size() as u64)
            } else {
                Use::Table
            };
            *reference = Some(Reference {
                address: displacement,
                how,
                // `lea` calculates, and behind a register stands a distance as often as an address.
                certain: relative
                    || (how != Use::Address && instruction.memory_base() == Register::None),
            });
            return 3 << 56 | registers;
        }
        registers ^ displacement.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 6 << 56
    }
}
