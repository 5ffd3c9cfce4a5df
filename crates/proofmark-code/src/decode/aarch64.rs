//! AArch64 instructions.

use yaxpeax_arch::{Decoder, U8Reader};
use yaxpeax_arm::armv8::a64::{InstDecoder, Instruction, Opcode, Operand, ShiftStyle};

use super::aarch64_table::{SP, flow, hint, immediate, is_store, memory, traits, vector, width};
use super::{Check, Content, Decode, Extensions, Flow, Op, Origin, Reference, Traits, Use};
use crate::image::Image;

/// How many instructions are remembered.
const MEMORY: usize = 16;
const SVE: Extensions = Extensions(1 << 44);
const SME: Extensions = Extensions(1 << 45);

/// Decodes a stretch of AArch64 code.
pub(crate) struct Aarch64<'a> {
    code: &'a [u8],
    start: u64,
    at: usize,
    /// Data inside the code that is not decoded.
    data: &'a [(u64, u64)],
    past: [Instruction; MEMORY],
    count: usize,
    word: u32,
    /// The address of the last instruction.
    address: u64,
    /// The page that `adrp` put into each register, until something else is put there.
    pages: [Option<u64>; 32],
    /// The address in the image that each register was last set to.
    holds: [Option<u64>; 32],
    /// What the last addition added to: the base of a jump table is often overwritten by the sum.
    summand: Option<u64>,
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
            data: &image.data_in_code,
            past: [Instruction::default(); MEMORY],
            count: 0,
            word: 0,
            address,
            pages: [None; 32],
            holds: [None; 32],
            summand: None,
            reference: None,
        }
    }

    fn last(&self) -> &Instruction {
        &self.past[self.count.wrapping_sub(1) % MEMORY]
    }

    fn before(&self) -> impl Iterator<Item = &Instruction> {
        let known = self.count.min(MEMORY);
        (2..=known).map(|back| &self.past[(self.count - back) % MEMORY])
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

    fn put(&mut self, instruction: Instruction) {
        self.past[self.count % MEMORY] = instruction;
        self.count += 1;
    }

    /// Follows addresses through `adrp`, `adr`, `add` and loads.
    fn follow(&mut self, i: &Instruction) {
        self.reference = None;
        let at = self.address;
        match (i.opcode, i.operands) {
            (Opcode::ADRP, [Operand::Register(_, to), Operand::PCOffset(by), ..]) => {
                self.forget(to);
                self.pages[to as usize & 31] = Some((at & !0xfff).wrapping_add_signed(by));
            }
            (Opcode::ADR, [Operand::Register(_, to), Operand::PCOffset(by), ..]) => {
                self.forget(to);
                let address = at.wrapping_add_signed(by);
                self.holds[to as usize & 31] = Some(address);
                self.reference = Some(Reference {
                    address,
                    how: Use::Address,
                });
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
                let address = by.and_then(|by| {
                    self.pages[from as usize & 31].map(|page| page.wrapping_add(by))
                });
                self.forget(to);
                self.holds[to as usize & 31] = address;
                self.reference = address.map(|address| Reference {
                    address,
                    how: Use::Address,
                });
            }
            (Opcode::LDR | Opcode::LDRSW, [_, Operand::PCOffset(by), ..]) => {
                self.reference = Some(Reference {
                    address: at.wrapping_add_signed(by),
                    how: Use::Data(width(i)),
                });
                self.written(i);
            }
            _ => {
                if let (Opcode::ADD, Operand::Register(_, base)) = (i.opcode, i.operands[1]) {
                    self.summand = self.holds[base as usize & 31];
                }
                if let Some(Operand::RegPreIndex(base, by, false)) = memory(i) {
                    let page = if base == SP {
                        None
                    } else {
                        self.pages[base as usize & 31]
                    };
                    self.reference = page.map(|p| Reference {
                        address: p.wrapping_add_signed(i64::from(by)),
                        how: Use::Data(width(i)),
                    });
                }
                self.written(i);
            }
        }
    }

    fn forget(&mut self, register: u16) {
        self.pages[register as usize & 31] = None;
        self.holds[register as usize & 31] = None;
    }

    /// Forgets what the registers held that an instruction writes.
    fn written(&mut self, i: &Instruction) {
        if is_store(i.opcode) {
            return;
        }
        let pair = matches!(
            i.opcode,
            Opcode::LDP | Opcode::LDNP | Opcode::LDPSW | Opcode::LDXP | Opcode::LDAXP
        );
        for operand in &i.operands[..if pair { 2 } else { 1 }] {
            if let Operand::Register(_, register) | Operand::RegisterOrSP(_, register) = operand {
                self.forget(*register);
            }
        }
    }

    /// An instruction that the decoder does not know; SVE's and SME's can be told by their top bits.
    fn unknown(&mut self) -> Op {
        self.put(Instruction::default());
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

    fn setter(&self, register: u16, from: usize) -> Option<(usize, &Instruction)> {
        for (n, i) in self.before().enumerate().skip(from) {
            if matches!(
                flow(i.opcode),
                Flow::Jump | Flow::IndirectJump | Flow::Return
            ) {
                return None;
            }
            if is_store(i.opcode) {
                continue;
            }
            if let Operand::Register(_, to) | Operand::RegisterOrSP(_, to) = i.operands[0]
                && to == register
            {
                return Some((n, i));
            }
        }
        None
    }

    fn check(&self) -> Check {
        let mut below = None;
        for i in self.before() {
            match (i.opcode, below) {
                // hi, ls
                (Opcode::Bcc(8 | 9), _) => below = Some(0),
                // hs, lo
                (Opcode::Bcc(2 | 3), _) => below = Some(1),
                (Opcode::SUBS, Some(less)) => {
                    return immediate(&i.operands[2]).map_or(Check::Unknown, |most| {
                        Check::AtMost(most.saturating_sub(less))
                    });
                }
                (Opcode::CCMP, Some(_)) => return Check::Unknown,
                (Opcode::B | Opcode::BR | Opcode::RET | Opcode::BL, _) => return Check::None,
                _ => {}
            }
        }
        Check::None
    }

    fn origin_here(&self) -> Origin {
        match self.last().operands[0] {
            Operand::Register(_, register) => self.origin_of(register),
            _ => Origin::Register,
        }
    }

    fn origin_of(&self, register: u16) -> Origin {
        let Some((at, i)) = self.setter(register, 0) else {
            return Origin::Register;
        };
        match i.opcode {
            Opcode::LDR | Opcode::LDUR | Opcode::LDP => self.origin_in_memory(i, at),
            Opcode::ADD => self.offsets(i, at).unwrap_or(Origin::Register),
            _ => Origin::Register,
        }
    }

    fn origin_in_memory(&self, i: &Instruction, at: usize) -> Origin {
        match memory(i) {
            Some(Operand::RegRegOffset(base, _, _, _, 3)) => Origin::Pointers {
                table: self.holds[base as usize & 31],
                check: self.check(),
            },
            Some(Operand::RegPreIndex(base, by, false)) if base != SP => {
                match self.setter(base, at + 1) {
                    Some((_, page)) if page.opcode == Opcode::ADRP => {
                        let page = self.pages[base as usize & 31].or(self.page_of(page, at + 1));
                        page.map_or(Origin::Memory, |p| {
                            Origin::Slot(p.wrapping_add_signed(i64::from(by)))
                        })
                    }
                    _ => Origin::Memory,
                }
            }
            _ => Origin::Memory,
        }
    }

    /// The page of an `adrp` that stands some instructions back, even when its register was overwritten since.
    fn page_of(&self, page: &Instruction, from: usize) -> Option<u64> {
        let Operand::PCOffset(by) = page.operands[1] else {
            return None;
        };
        let back = self
            .before()
            .enumerate()
            .skip(from)
            .find(|(_, i)| *i == page)?
            .0 as u64
            + 1;
        Some((self.address.wrapping_sub(back * 4) & !0xfff).wrapping_add_signed(by))
    }

    /// `add to, base, entry, sxtw #shift` with the entry loaded from a table.
    fn offsets(&self, add: &Instruction, at: usize) -> Option<Origin> {
        let (base, entry, shift) = match add.operands {
            [
                _,
                Operand::Register(_, base) | Operand::RegisterOrSP(_, base),
                Operand::RegShift(_, shift, _, entry),
                _,
            ] => (base, entry, shift),
            [
                _,
                Operand::Register(_, base),
                Operand::Register(_, entry),
                _,
            ] => (base, entry, 0),
            _ => return None,
        };
        let (base, entry) = if self.is_table_load(entry, at) {
            (base, entry)
        } else {
            (entry, base)
        };
        let (_, load) = self.setter(entry, at + 1)?;
        let (width, signed) = match load.opcode {
            Opcode::LDRB => (1, false),
            Opcode::LDRSB => (1, true),
            Opcode::LDRH => (2, false),
            Opcode::LDRSH => (2, true),
            Opcode::LDRSW => (4, true),
            Opcode::LDR => (4, true),
            _ => return None,
        };
        let Some(Operand::RegRegOffset(table, ..)) = memory(load) else {
            return None;
        };
        // `sxtb`, `sxth` in the addition make narrow entries signed.
        let extended = matches!(
            add.operands[2],
            Operand::RegShift(ShiftStyle::SXTB | ShiftStyle::SXTH | ShiftStyle::SXTW, ..)
        );
        let table = self.holds[table as usize & 31];
        let base = self.holds[base as usize & 31].or(self.summand);
        Some(Origin::Offsets {
            table,
            base,
            width,
            signed: signed || extended,
            shift,
            check: self.check(),
        })
    }

    fn is_table_load(&self, register: u16, at: usize) -> bool {
        let setter = self.setter(register, at + 1).map(|(_, i)| i);
        setter.is_some_and(|i| matches!(memory(i), Some(Operand::RegRegOffset(..))))
    }
}

impl Aarch64<'_> {
    fn step(&mut self) -> Option<Op> {
        self.address = self.start + self.at as u64;
        if let Some(len) = self.data_here() {
            // One stretch of data stands as pieces of at most 128 bytes.
            let len = len.min(128);
            self.at += len;
            self.put(Instruction::default());
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
        self.put(instruction);
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
                true
            }
            None => false,
        }
    }
    fn origin(&self, _image: &Image) -> Origin {
        self.origin_here()
    }

    fn text(&mut self, symbols: &dyn Fn(u64) -> Option<String>) -> String {
        let i = *self.last();
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
            (Some(address), Some(place)) => format!("{}{address:#x}", &text[..place]),
            _ => text,
        };
        let named = if i.opcode == Opcode::ADRP {
            None
        } else {
            about.or(self.reference.map(|r| r.address))
        };
        match named.and_then(symbols) {
            Some(name) => format!("{text} <{name}>"),
            None => text,
        }
    }

    fn content(&mut self, _image: &Image) -> Content {
        /// The mark of a full address being put into a register, by `adr` or by the end of an `adrp` pair.
        const ADDRESS: u64 = 1 << 32;
        let i = *self.last();
        let word = self.word;
        let mut content = Content {
            reference: self.reference,
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
