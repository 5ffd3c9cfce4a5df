//! The text of x86-64 instructions, in the syntax of the GNU assembler.

use iced_x86::{Formatter, GasFormatter, OpKind};

use super::X86;
use crate::address::Address;
use crate::decode::Names;

impl X86<'_> {
    /// The text of the last instruction.
    pub(super) fn text_here(&mut self, names: &dyn Names) -> String {
        let mut instruction = *self.last();
        let formatter = self.formatter.get_or_insert_with(|| {
            let mut formatter = GasFormatter::new();
            let options = formatter.options_mut();
            options.set_space_after_operand_separator(true);
            options.set_uppercase_hex(false);
            options.set_rip_relative_addresses(true);
            options.set_branch_leading_zeros(false);
            options.set_small_hex_numbers_in_decimal(true);
            formatter
        });
        let about = match instruction.flow_control() {
            iced_x86::FlowControl::Next
            | iced_x86::FlowControl::IndirectBranch
            | iced_x86::FlowControl::IndirectCall => Some(instruction.memory_displacement64())
                .filter(|_| instruction.is_ip_rel_memory_operand()),
            _ => Some(instruction.near_branch_target()).filter(|t| *t != 0),
        };
        if instruction.op0_kind() == OpKind::NearBranch64 {
            let to = names.shown(Address::new(instruction.near_branch64()));
            instruction.set_near_branch64(to.get());
        }
        let mut text = String::new();
        formatter.format(&instruction, &mut text);
        match about.and_then(|at| names.name_at(Address::new(at))) {
            Some(name) => format!("{text} <{name}>"),
            None => text,
        }
    }
}
