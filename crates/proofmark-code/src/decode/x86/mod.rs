//! x86-64 instructions.

mod content;
mod fuse;
mod origin;
mod reasons;
mod registers;
mod table;
mod text;

use std::cell::Cell;

use iced_x86::{Decoder, DecoderOptions, GasFormatter, Instruction, OpKind, Register};

use super::{Content, Decode, Extensions, Flow, Names, Op, Origin, Traits};
use crate::kind::Kind;
use crate::space::Space;
use reasons::Reasons;
use registers::Registers;
use table::Entry;

/// How many instructions are remembered: those of a jump table's address computation stand within a
/// dozen.
const MEMORY: usize = 16;

/// Decodes a stretch of x86-64 code.
pub(crate) struct X86<'a> {
    /// Over `code`.
    decoder: Decoder<'a>,
    code: &'a [u8],
    /// The address of the first byte of `code`.
    start: u64,
    /// Bytes of the stretch that are not decoded yet.
    left: usize,
    past: [Instruction; MEMORY],
    /// Number of instructions decoded; the last is `past[(count - 1) % MEMORY]`.
    count: usize,
    registers: Registers,
    /// Whether it was asked what a register was set to.
    asked: Cell<bool>,
    /// The stretch from its beginning, and where that is.
    whole: (&'a [u8], u64),
    formatter: Option<GasFormatter>,
}

impl<'a> X86<'a> {
    /// A decoder over `code`, which starts at `address`.
    pub(crate) fn new(code: &'a [u8], address: u64, space: &Space) -> Self {
        X86 {
            decoder: Decoder::with_ip(64, code, address, DecoderOptions::NONE),
            code,
            start: address,
            left: code.len(),
            past: [Instruction::default(); MEMORY],
            count: 0,
            registers: Registers::new(space.kind != Kind::Shared),
            asked: Cell::new(false),
            whole: (code, address),
            formatter: None,
        }
    }

    /// Goes on with what stands elsewhere. Making a decoder takes as long as decoding a dozen
    /// instructions: one reads a whole section.
    pub(crate) fn turn_to(&mut self, space: &'a Space, address: u64, size: u64) {
        let section = space.section_at(address);
        let code = section.map_or(&[][..], |section| space.section_bytes(section));
        let start = section.map_or(address, |section| section.address);
        if !std::ptr::eq(code, self.code) || start != self.start {
            self.turn_to_code(code, start);
        }
        let at = usize::try_from(address - start).map_or(code.len(), |at| at.min(code.len()));
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        self.left = size.min(code.len() - at);
        self.whole = (&code[at..at + self.left], address);
        self.count = 0;
        self.registers.forget();
        self.decoder.set_ip(address);
        if self.decoder.set_position(at).is_err() {
            self.left = 0;
        }
    }

    fn turn_to_code(&mut self, code: &'a [u8], start: u64) {
        self.decoder = Decoder::with_ip(64, code, start, DecoderOptions::NONE);
        self.code = code;
        self.start = start;
        self.left = code.len();
    }

    /// The last instruction reached beyond the end: decodes what is left before it.
    #[cold]
    fn cut(&mut self, slot: usize) {
        let address = self.past[slot].ip();
        let at = usize::try_from(address - self.start)
            .map_or(self.code.len(), |at| at.min(self.code.len()));
        let end = self.code.len().min(at + self.left);
        self.turn_to_code(&self.code[at..end], address);
        self.decoder.decode_out(&mut self.past[slot]);
    }

    fn last(&self) -> &Instruction {
        &self.past[self.count.wrapping_sub(1) % MEMORY]
    }

    fn widest(instruction: &Instruction) -> u16 {
        let width = |register: Register| {
            if register.is_zmm() {
                512
            } else if register.is_ymm() {
                256
            } else if register.is_xmm() {
                128
            } else if register.is_mm() {
                64
            } else {
                0
            }
        };
        let operands =
            (0..instruction.op_count()).filter(|i| instruction.op_kind(*i) == OpKind::Register);
        let widest = operands
            .map(|i| width(instruction.op_register(i)))
            .max()
            .unwrap_or(0);
        // A gather's index is a vector register inside its memory operand.
        widest.max(width(instruction.memory_index()))
    }

    /// The address of a memory operand that does not depend on a register.
    fn fixed(instruction: &Instruction) -> Option<u64> {
        if instruction.memory_index() != Register::None {
            return None;
        }
        match instruction.memory_base() {
            Register::RIP | Register::EIP => Some(instruction.memory_displacement64()),
            Register::None if instruction.memory_segment() == Register::DS => {
                Some(instruction.memory_displacement64())
            }
            _ => None,
        }
    }
}

/// What there is to say of an instruction.
struct News {
    entry: Entry,
    reasons: Reasons,
}

/// These are called for each instruction: out of line, what they hand on is written to memory and
/// read back in other pieces than it was written in.
#[expect(clippy::inline_always, reason = "out of line they take longer")]
impl X86<'_> {
    /// Reads the next instruction, and gives its place among those remembered.
    #[inline(always)]
    fn read_one(&mut self) -> Option<usize> {
        if self.left == 0 {
            return None;
        }
        let slot = self.count % MEMORY;
        self.decoder.decode_out(&mut self.past[slot]);
        if self.past[slot].len() > self.left {
            self.cut(slot);
        }
        self.count += 1;
        self.left -= self.past[slot].len();
        Some(slot)
    }

    /// What there is to say of it, if anything.
    #[inline(always)]
    fn news(&self, slot: usize) -> Option<News> {
        // By reference: a copy of what was just written piece by piece would wait for all the
        // pieces.
        let instruction = &self.past[slot];
        let entry = Entry::of(instruction);
        let reasons = entry
            .reasons()
            .among(Reasons::of_operands(instruction))
            .among(self.registers.reasons);
        let any = reasons.any() || instruction.has_lock_prefix();
        any.then_some(News { entry, reasons })
    }

    /// Puts it into `op`.
    #[inline(always)]
    fn tell(&mut self, slot: usize, news: &News, op: &mut Op) {
        let instruction = &self.past[slot];
        place(instruction, op);
        let entry = news.entry;
        op.flow = entry.flow();
        op.traits = entry
            .traits()
            .with(Traits::ATOMIC.when(instruction.has_lock_prefix()));
        if news.reasons.among(Reasons::STACK).any() {
            op.traits = op.traits.with(entry.stack_traffic(instruction));
        }
        if op.flow != Flow::Next {
            // It leaves all registers as they are.
            op.vector_bits = 0;
            op.extensions = Extensions::default();
            op.target = match instruction.op0_kind() {
                OpKind::NearBranch64 => instruction.near_branch64(),
                OpKind::Memory => Self::fixed(instruction).unwrap_or(0),
                _ => 0,
            };
            return;
        }
        op.target = 0;
        if news.reasons.among(Reasons::REGISTERS).any() {
            op.traits = op.traits.with(self.registers.look(instruction));
        }
        (op.vector_bits, op.extensions) = match entry.extensions(instruction) {
            Some(extensions) => (Self::widest(instruction), extensions),
            None => (0, Extensions::default()),
        };
    }
}

/// Where an instruction stands, and how long it is.
#[inline]
fn place(instruction: &Instruction, op: &mut Op) {
    op.address = instruction.ip();
    #[expect(
        clippy::cast_possible_truncation,
        reason = "an instruction is at most 15 bytes long"
    )]
    let len = instruction.len() as u8;
    op.len = len;
}

impl Decode for X86<'_> {
    fn next(&mut self, op: &mut Op) -> bool {
        let Some(slot) = self.read_one() else {
            return false;
        };
        if let Some(news) = self.news(slot) {
            self.tell(slot, &news, op);
        } else {
            *op = Op::default();
            place(&self.past[slot], op);
        }
        true
    }

    #[expect(clippy::inline_always, reason = "it takes longer out of line")]
    #[inline(always)]
    fn next_of_note(&mut self, op: &mut Op) -> bool {
        while let Some(slot) = self.read_one() {
            if let Some(news) = self.news(slot) {
                self.tell(slot, &news, op);
                return true;
            }
        }
        false
    }

    fn read(&self) -> (u64, u64) {
        (self.count as u64, self.last().next_ip())
    }

    fn origin(&mut self, space: &Space) -> Origin {
        self.origin_here(space)
    }

    fn fused(&self) -> Option<u64> {
        self.fused_here()
    }

    fn text(&mut self, names: &dyn Names) -> String {
        self.text_here(names)
    }

    fn content(&mut self, space: &Space) -> Content {
        self.content_here(space)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::arch::Arch;

    /// Common forms of instructions, and anything.
    fn any_code(len: usize) -> Vec<u8> {
        const FORMS: [&[u8]; 8] = [
            &[0x48, 0x8d],
            &[0x48, 0x8b],
            &[0x48, 0x89],
            &[0x4c, 0x89],
            &[0x48, 0x83],
            &[0x8b],
            &[0xb8],
            &[0x0f],
        ];
        let mut state = 1_u64;
        let mut next = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            state.to_be_bytes()[0]
        };
        let mut code = Vec::new();
        while code.len() < len {
            let form = usize::from(next());
            code.extend_from_slice(FORMS.get(form % 16).copied().unwrap_or(&[]));
            for _ in 0..form / 32 {
                code.push(next());
            }
        }
        code
    }

    /// Of a file in which nothing is known but that it can be loaded anywhere.
    fn some_space() -> Space {
        Space::of(Arch::X86_64, Kind::Shared, Arc::default(), Vec::new())
    }

    /// Whatever is skipped as plain has nothing to say when it is looked at after all.
    #[test]
    fn what_is_plain_says_nothing() {
        let code = any_code(1 << 20);
        let space = some_space();
        let mut x86 = X86::new(&code, 0x1000, &space);
        x86.registers = Registers::new(true);
        let (mut op, mut plain, mut looks) = (Op::default(), 0, 0);
        while let Some(slot) = x86.read_one() {
            if let Some(news) = x86.news(slot) {
                x86.tell(slot, &news, &mut op);
                looks += usize::from(news.reasons.among(Reasons::REGISTERS).any());
                continue;
            }
            plain += 1;
            let instruction = *x86.last();
            let entry = Entry::of(&instruction);
            assert_eq!(entry.flow(), Flow::Next, "{instruction:?}");
            let traits = entry
                .traits()
                .with(entry.stack_traffic(&instruction))
                .with(Traits::ATOMIC.when(instruction.has_lock_prefix()));
            assert_eq!(traits, Traits::default(), "{instruction:?}");
            assert_eq!(entry.extensions(&instruction), None, "{instruction:?}");
            let mut looked = x86.registers.clone();
            assert_eq!(looked.look(&instruction), Traits::default());
            assert_eq!(looked, x86.registers, "{instruction:?}");
            // From time to time nothing is known again, and what they hold is followed or not.
            if plain % 64 == 0 {
                x86.registers.forget();
                if plain % 128 == 0 {
                    x86.registers.follow();
                }
            }
        }
        assert!(plain > 10_000 && looks > 10_000, "{plain} {looks}");
    }

    /// What registers hold is the same whether it was followed from the beginning or from where it
    /// was asked for.
    #[test]
    fn registers_are_followed_as_if_from_the_beginning() {
        let space = &some_space();
        let (mut op, mut same, mut known) = (Op::default(), Op::default(), 0);
        for function in any_code(1 << 18).chunks(1000) {
            // lea rbx, [rip + 1 MiB]; mov [rsp + 16], rbx
            let mut code = b"\x48\x8d\x1d\x00\x00\x10\x00\x48\x89\x5c\x24\x10".to_vec();
            for some in function.chunks(100) {
                code.extend_from_slice(some);
                // mov rcx, [rsp + 16]; jmp [rbx + rax * 8]; jmp [rcx + rax * 8]
                code.extend_from_slice(b"\x48\x8b\x4c\x24\x10\xff\x24\xc3\xff\x24\xc1");
            }
            let mut begun = X86::new(&code, 0x1000, space);
            begun.registers.follow();
            let mut asked = X86::new(&code, 0x1000, space);
            while begun.next(&mut op) {
                assert!(asked.next(&mut same));
                if op.flow == Flow::IndirectJump {
                    let origin = begun.origin(space);
                    assert_eq!(asked.origin(space), origin, "{:#x}", op.address);
                    known += usize::from(matches!(origin, Origin::Pointers { table: Some(_), .. }));
                }
            }
            assert!(asked.registers.follows());
        }
        assert!(known > 1000, "{known}");
    }
}
