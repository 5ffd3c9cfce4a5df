//! What AArch64 instructions do, with everything left out that only says where things are.

use yaxpeax_arm::armv8::a64::{Opcode, Operand};

use super::Aarch64;
use super::past::Held;
use super::table::{SP, hint, memory, width};
use crate::decode::{Content, Reference, Use};

impl Aarch64<'_> {
    /// The content of the last instruction.
    pub(super) fn content_here(&self) -> Content {
        /// The mark of a full address being put into a register, by `adr` or by the end of an
        /// `adrp` pair.
        const ADDRESS: u64 = 1 << 32;
        let i = *self.past.last();
        let word = self.word;
        let mut content = Content {
            reference: self.reference.or_else(|| self.wide_constant()),
            ..Content::default()
        };
        content.shape[0] = match i.opcode {
            Opcode::HINT if hint(&i) == Some(0) => {
                content.silent = true;
                0
            }
            // A linker may turn `adrp` and `add` into `nop` and `adr`.
            Opcode::ADRP => {
                content.silent = true;
                0
            }
            Opcode::ADR => ADDRESS | u64::from(word & 31),
            Opcode::ADD if self.reference.is_some() => ADDRESS | u64::from(word & 31),
            Opcode::B | Opcode::BL => u64::from(word & 0xfc00_0000),
            Opcode::Bcc(_) | Opcode::BCcc(_) | Opcode::CBZ | Opcode::CBNZ => {
                u64::from(word & !(0x7_ffff << 5))
            }
            Opcode::TBZ | Opcode::TBNZ => u64::from(word & !(0x3fff << 5)),
            _ => match (self.reference, i.operands[1]) {
                (Some(_), Operand::PCOffset(_)) => u64::from(word & !(0x7_ffff << 5)),
                (Some(_), _) => u64::from(word & !(0xfff << 10)),
                (None, _) => u64::from(word),
            },
        };
        content
    }

    /// The constant that a load of a whole vector register reads through another register: its
    /// address takes an instruction of its own, for the load's offset counts sixteens.
    fn wide_constant(&self) -> Option<Reference> {
        const WIDE: u64 = 16;
        let i = self.past.last();
        if i.opcode != Opcode::LDR || width(i) != WIDE {
            return None;
        }
        let Some(Operand::RegPreIndex(base, by, false)) = memory(i) else {
            return None;
        };
        let Some(Held::Surely(address)) = self.held(base, 0).filter(|_| base != SP) else {
            return None;
        };
        Some(Reference {
            address: address.wrapping_add_signed(i64::from(by)),
            how: Use::Data(WIDE),
            certain: true,
        })
    }
}
