//! The text of AArch64 instructions, in the syntax of the architecture's manual.

use yaxpeax_arm::armv8::a64::{Instruction, Opcode, Operand};

use super::Aarch64;
use super::table::hint;
use crate::address::Address;
use crate::decode::Names;

impl Aarch64<'_> {
    /// The text of the last instruction.
    pub(super) fn text_here(&self, names: &dyn Names) -> String {
        let i = *self.past.last();
        if i == Instruction::default() {
            return format!(".word {:#010x}", self.word);
        }
        let text = match hint(&i) {
            Some(32) => "bti".to_string(),
            Some(34) => "bti c".to_string(),
            Some(36) => "bti j".to_string(),
            Some(38) => "bti jc".to_string(),
            _ => i.to_string(),
        };
        let by = i.operands.iter().find_map(|o| {
            if let Operand::PCOffset(by) = o {
                Some(*by)
            } else {
                None
            }
        });
        let about = match (i.opcode, by) {
            (Opcode::ADRP, Some(by)) => Some((self.address & !0xfff).wrapping_add_signed(by)),
            (_, Some(by)) => Some(self.address.wrapping_add_signed(by)),
            _ => None,
        };
        let text = match (about, text.find('$')) {
            (Some(address), Some(place)) => {
                format!("{}{}", &text[..place], names.shown(Address::new(address)))
            }
            _ => text,
        };
        let named = if i.opcode == Opcode::ADRP {
            None
        } else {
            about.or(self.reference.map(|r| r.address))
        };
        match named.and_then(|at| names.name_at(Address::new(at))) {
            Some(name) => format!("{text} <{name}>"),
            None => text,
        }
    }
}
