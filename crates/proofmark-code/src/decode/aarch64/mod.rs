//! AArch64 instructions.

mod content;
mod origin;
mod past;
mod registers;
mod table;
mod text;

use yaxpeax_arch::{Decoder, U8Reader};
use yaxpeax_arm::armv8::a64::{InstDecoder, Instruction, Opcode, Operand};

use super::{Content, Decode, Extensions, Flow, Names, Op, Origin, Reference, Traits, Use};
use crate::space::Space;
use past::{Held, Past, written};
use registers::Registers;
use table::{SP, flow, immediate, memory, traits, vector, width};

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
    space: &'a Space,
    past: Past,
    word: u32,
    /// The address of the last instruction.
    address: u64,
    /// The page that `adrp` put into each register, until something else is put there.
    pages: [Option<u64>; 32],
    registers: Registers,
    /// The address that the last instruction made or used out of a page and an offset.
    reference: Option<Reference>,
}

impl<'a> Aarch64<'a> {
    /// A decoder over `code`, which starts at `address`.
    pub(crate) fn new(code: &'a [u8], address: u64, space: &'a Space) -> Self {
        Aarch64 {
            code,
            start: address,
            at: 0,
            count: 0,
            data: &space.data_in_code,
            space,
            past: Past::new(),
            word: 0,
            address,
            pages: [None; 32],
            registers: Registers::new(),
            reference: None,
        }
    }

    /// What a register holds where the `from`-th instruction before the last one stands.
    fn held(&self, register: u16, from: usize) -> Option<Held> {
        self.registers
            .held(self.space, self.address, &self.past, register, from)
    }

    /// Whether an address lies in the code that is decoded.
    fn covers(&self, address: u64) -> bool {
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
                    certain: true,
                });
            }
            _ => {
                if let Some(Operand::RegPreIndex(base, by, false)) = memory(i)
                    && base != SP
                {
                    self.reference = page(base).map(|p| Reference {
                        address: p.wrapping_add_signed(i64::from(by)),
                        how: Use::Data(width(i)),
                        certain: true,
                    });
                }
            }
        }
        if let Some(address) = made {
            self.reference = Some(Reference {
                address,
                how: Use::Address,
                certain: true,
            });
        }
        let made = made.map(if sure { Held::Surely } else { Held::Perhaps });
        self.registers.follow(self.space, at, &mut self.past, made);
        self.forget(i);
        if let (Opcode::ADRP, [Operand::Register(_, to), Operand::PCOffset(by), ..]) =
            (i.opcode, i.operands)
            && let Some(page) = self.pages.get_mut(usize::from(to))
        {
            *page = Some((at & !0xfff).wrapping_add_signed(by));
        }
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

    fn origin(&mut self, _space: &Space) -> Origin {
        self.origin_here()
    }

    fn text(&mut self, names: &dyn Names) -> String {
        self.text_here(names)
    }

    fn content(&mut self, _space: &Space) -> Content {
        self.content_here()
    }
}
