//! AArch64 instructions.

use yaxpeax_arch::{Decoder, U8Reader};
use yaxpeax_arm::armv8::a64::{InstDecoder, Instruction, Opcode, Operand};

use super::aarch64_past::{Held, Past, written};
use super::aarch64_registers::Registers;
use super::aarch64_table::{SP, flow, hint, immediate, memory, traits, vector, width};
use super::{Content, Decode, Extensions, Flow, Op, Origin, Reference, Traits, Use};
use crate::Address;
use crate::image::Image;

const SVE: Extensions = Extensions(1 << 44);
const SME: Extensions = Extensions(1 << 45);

/// Decodes a stretch of AArch64 code.
pub(crate) struct Aarch64<'a> {
    code: &'a [u8],
    start: u64,
    at: usize,
    /// Instructions read, and pieces of data.
    count: u64,
    /// Data inside the code that is not decoded.
    data: &'a [(u64, u64)],
    pub(super) image: &'a Image,
    pub(super) past: Past,
    word: u32,
    /// The address of the last instruction.
    pub(super) address: u64,
    /// The page that `adrp` put into each register, until something else is put there.
    pages: [Option<u64>; 32],
    registers: Registers,
    /// The address that the last instruction made or used out of a page and an offset.
    reference: Option<Reference>,
}

impl<'a> Aarch64<'a> {
    /// A decoder over `code`, which starts at `address`.
    pub(crate) fn new(code: &'a [u8], address: u64, image: &'a Image) -> Self {
        Aarch64 {
            code,
            start: address,
            at: 0,
            count: 0,
            data: &image.data_in_code,
            image,
            past: Past::new(),
            word: 0,
            address,
            pages: [None; 32],
            registers: Registers::new(),
            reference: None,
        }
    }

    /// What a register holds where the `from`-th instruction before the last one stands.
    pub(super) fn held(&self, register: u16, from: usize) -> Option<Held> {
        self.registers
            .held(self.image, self.address, &self.past, register, from)
    }

    /// Whether an address lies in the code that is decoded.
    pub(super) fn covers(&self, address: u64) -> bool {
        address.wrapping_sub(self.start) < self.code.len() as u64
    }

    /// The bytes of data at the present place, up to its end.
    fn data_here(&self) -> Option<usize> {
        let here = self.start + self.at as u64;
        let after = self.data.partition_point(|d| d.0 <= here);
        let (_, end) = self.data[..after].last().filter(|d| here < d.1)?;
        usize::try_from(end - here)
            .ok()
            .map(|len| len.min(self.code.len() - self.at))
    }

    /// Follows addresses through `adrp`, `adr`, `add` and loads.
    fn follow(&mut self, i: &Instruction) {
        self.reference = None;
        let at = self.address;
        let page = |register: u16| self.pages.get(usize::from(register)).copied().flatten();
        let (mut made, mut sure) = (None, true);
        match (i.opcode, i.operands) {
            (Opcode::ADR, [_, Operand::PCOffset(by), ..]) => {
                made = Some(at.wrapping_add_signed(by));
            }
            (
                Opcode::ADD,
                [
                    Operand::RegisterOrSP(_, to),
                    Operand::RegisterOrSP(_, from),
                    ..,
                ],
            ) if to != SP && from != SP => {
                let by = immediate(&i.operands[2]);
                made = by.and_then(|by| page(from).map(|page| page.wrapping_add(by)));
                sure = made.is_none() || self.past.setter(from, 0).is_some();
            }
            (Opcode::LDR | Opcode::LDRSW, [_, Operand::PCOffset(by), ..]) => {
                self.reference = Some(Reference {
                    address: at.wrapping_add_signed(by),
                    how: Use::Data(width(i)),
                });
            }
            _ => {
                if let Some(Operand::RegPreIndex(base, by, false)) = memory(i)
                    && base != SP
                {
                    self.reference = page(base).map(|p| Reference {
                        address: p.wrapping_add_signed(i64::from(by)),
                        how: Use::Data(width(i)),
                    });
                }
            }
        }
        if let Some(address) = made {
            self.reference = Some(Reference {
                address,
                how: Use::Address,
            });
        }
        let made = made.map(if sure { Held::Surely } else { Held::Perhaps });
        self.registers.follow(self.image, at, &mut self.past, made);
        self.forget(i);
        if let (Opcode::ADRP, [Operand::Register(_, to), Operand::PCOffset(by), ..]) =
            (i.opcode, i.operands)
            && let Some(page) = self.pages.get_mut(usize::from(to))
        {
            *page = Some((at & !0xfff).wrapping_add_signed(by));
        }
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
        })
    }

    /// Forgets the pages that were in the registers that an instruction writes.
    fn forget(&mut self, i: &Instruction) {
        let mut left = written(i);
        while left != 0 {
            self.pages[left.trailing_zeros() as usize] = None;
            left &= left - 1;
        }
    }

    /// An instruction that the decoder does not know; SVE's and SME's can be told by their top
    /// bits.
    fn unknown(&mut self) -> Op {
        self.past.push(Instruction::default());
        let mut op = Op {
            address: self.address,
            len: 4,
            traits: Traits::UNKNOWN,
            ..Op::default()
        };
        match self.word >> 25 & 0xf {
            0b0010 => (op.extensions, op.vector_bits) = (SVE, 128),
            0b0000 if self.word >> 31 == 1 => op.extensions = SME,
            _ => {}
        }
        op
    }

    fn lower(&mut self, i: &Instruction) -> Op {
        let mut op = Op {
            address: self.address,
            len: 4,
            flow: flow(i.opcode),
            traits: traits(i),
            ..Op::default()
        };
        if matches!(op.flow, Flow::Jump | Flow::Conditional | Flow::Call) {
            let by = i.operands.iter().find_map(|o| {
                if let Operand::PCOffset(by) = o {
                    Some(*by)
                } else {
                    None
                }
            });
            op.target = by.map_or(0, |by| self.address.wrapping_add_signed(by));
        }
        if matches!(op.flow, Flow::IndirectJump | Flow::IndirectCall)
            && let Origin::Slot(slot) = self.origin_here()
        {
            op.target = slot;
        }
        for operand in &i.operands {
            let (bits, extension) = vector(operand);
            op.vector_bits = op.vector_bits.max(bits);
            op.extensions |= extension;
        }
        op
    }
}

impl Aarch64<'_> {
    fn step(&mut self) -> Option<Op> {
        self.address = self.start + self.at as u64;
        if let Some(len) = self.data_here() {
            // One stretch of data stands as pieces of at most 128 bytes.
            let len = len.min(128);
            self.at += len;
            self.past.push(Instruction::default());
            let len = u8::try_from(len).ok().filter(|l| *l > 0)?;
            return Some(Op {
                address: self.address,
                len,
                traits: Traits::DATA,
                ..Op::default()
            });
        }
        let bytes: [u8; 4] = self
            .code
            .get(self.at..self.at.checked_add(4)?)?
            .try_into()
            .ok()?;
        self.at += 4;
        self.word = u32::from_le_bytes(bytes);
        let mut reader = U8Reader::new(&bytes);
        let Ok(instruction) = InstDecoder::default().decode(&mut reader) else {
            self.reference = None;
            return Some(self.unknown());
        };
        self.past.push(instruction);
        let op = self.lower(&instruction);
        self.follow(&instruction);
        Some(op)
    }
}

impl Decode for Aarch64<'_> {
    fn next(&mut self, op: &mut Op) -> bool {
        match self.step() {
            Some(next) => {
                *op = next;
                self.count += 1;
                true
            }
            None => false,
        }
    }

    fn read(&self) -> (u64, u64) {
        (self.count, self.start + self.at as u64)
    }

    fn origin(&mut self, _image: &Image) -> Origin {
        self.origin_here()
    }

    fn text(&mut self, image: &Image) -> String {
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
                format!("{}{}", &text[..place], image.shown(Address::new(address)))
            }
            _ => text,
        };
        let named = if i.opcode == Opcode::ADRP {
            None
        } else {
            about.or(self.reference.map(|r| r.address))
        };
        match named.and_then(|at| image.name_at(Address::new(at))) {
            Some(name) => format!("{text} <{name}>"),
            None => text,
        }
    }

    fn content(&mut self, _image: &Image) -> Content {
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
}
