//! x86-64 instructions.

use iced_x86::{
    Code, Decoder, DecoderOptions, Formatter, GasFormatter, Instruction, Mnemonic, OpKind, Register,
};

use super::x86_reasons::Reasons;
use super::x86_registers::Registers;
use super::x86_table::Entry;
use super::{Check, Content, Decode, Extensions, Flow, Op, Origin, Reference, Traits, Use};
use crate::image::{Image, Kind};

/// How many instructions are remembered: those of a jump table's address computation stand within a dozen.
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
    formatter: Option<GasFormatter>,
}

/// Whether an instruction's first operand is read and not written.
fn only_reads(mnemonic: Mnemonic) -> bool {
    use Mnemonic::{Bt, Call, Cmp, Div, Idiv, Mul, Push, Test};
    matches!(mnemonic, Call | Cmp | Test | Push | Bt | Mul | Div | Idiv)
}

/// Whether a function that is called may leave something else in a register (System V ABI, AMD64 supplement, 3.2.1).
fn is_lost_in_calls(register: Register) -> bool {
    !matches!(
        register,
        Register::RBX
            | Register::RBP
            | Register::RSP
            | Register::R12
            | Register::R13
            | Register::R14
            | Register::R15
    )
}

impl<'a> X86<'a> {
    /// A decoder over `code`, which starts at `address`.
    pub(crate) fn new(code: &'a [u8], address: u64, image: &Image) -> Self {
        X86 {
            decoder: Decoder::with_ip(64, code, address, DecoderOptions::NONE),
            code,
            start: address,
            left: code.len(),
            past: [Instruction::default(); MEMORY],
            count: 0,
            registers: Registers::new(image.kind != Kind::Shared),
            formatter: None,
        }
    }

    /// Goes on with what stands elsewhere. Making a decoder takes as long as decoding a dozen instructions: one reads a whole section.
    pub(crate) fn turn_to(&mut self, image: &'a Image, address: u64, size: u64) {
        let section = image.section_at(address);
        let code = section.map_or(&[][..], |section| image.section_bytes(section));
        let start = section.map_or(address, |section| section.address);
        if !std::ptr::eq(code, self.code) || start != self.start {
            self.turn_to_code(code, start);
        }
        let at = usize::try_from(address - start).map_or(code.len(), |at| at.min(code.len()));
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        self.left = size.min(code.len() - at);
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

    /// The instructions before the last one, nearest first.
    fn before(&self) -> impl Iterator<Item = &Instruction> {
        let known = self.count.min(MEMORY);
        (2..=known).map(|back| &self.past[(self.count - back) % MEMORY])
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

    /// The table that an indexed memory operand reads: base register or displacement. `from` counts the instructions before the
    /// last one that stand behind it, itself included.
    fn table_of(&self, image: &Image, instruction: &Instruction, from: usize) -> Option<u64> {
        let displacement = instruction.memory_displacement64();
        match instruction.memory_base() {
            Register::None => Some(displacement),
            base => self
                .held(image, base, from)
                .map(|at| at.wrapping_add(displacement)),
        }
    }

    /// The address that a register holds: what the instructions remembered put there, as far as control came straight from them; else
    /// what it was set to last. That is not forgotten when something else is put there: instructions are read in the order
    /// of their addresses, and behind a jump or an epilogue in the midst of a function another path goes on, on which it is still there.
    fn held(&self, image: &Image, register: Register, from: usize) -> Option<u64> {
        let register = register.full_register();
        for (at, instruction) in self.before().enumerate().skip(from) {
            match instruction.mnemonic() {
                Mnemonic::Jmp | Mnemonic::Ret => break,
                // Nobody comes from a call that does not return.
                Mnemonic::Call if image.never_returns(instruction.near_branch_target()) => break,
                Mnemonic::Call if is_lost_in_calls(register) => return None,
                other if only_reads(other) => continue,
                _ => {}
            }
            if instruction.op0_kind() == OpKind::Register
                && instruction.op0_register().full_register() == register
            {
                if self.registers.is_from_stack(instruction) {
                    // A place on the stack of which nothing is known any more: another path has put something else there.
                    break;
                }
                return self.put_there(image, instruction, at + 1);
            }
        }
        self.registers.held(register)
    }

    /// The address that an instruction puts into its first operand, if it is one in the image.
    fn put_there(&self, image: &Image, instruction: &Instruction, from: usize) -> Option<u64> {
        match instruction.code() {
            Code::Lea_r64_m if instruction.memory_base() == Register::RIP => {
                Some(instruction.memory_displacement64())
            }
            Code::Mov_r32_imm32 | Code::Mov_r64_imm64 | Code::Mov_rm64_imm32
                if self.registers.absolute =>
            {
                instruction.try_immediate(1).ok()
            }
            Code::Mov_r64_rm64 | Code::Mov_rm64_r64
                if instruction.op1_kind() == OpKind::Register =>
            {
                self.held(image, instruction.op1_register(), from)
            }
            _ => None,
        }
    }

    /// The comparison with a conditional jump that stands shortly before: the range check of a `switch`.
    fn check(&self) -> Check {
        let mut below = None;
        for instruction in self.before() {
            match (instruction.mnemonic(), below) {
                (Mnemonic::Ja | Mnemonic::Jbe, _) => below = Some(0),
                (Mnemonic::Jae | Mnemonic::Jb, _) => below = Some(1),
                (Mnemonic::Cmp | Mnemonic::Sub, Some(less)) => {
                    let immediate =
                        !matches!(instruction.op1_kind(), OpKind::Register | OpKind::Memory);
                    return if immediate {
                        Check::AtMost(instruction.immediate(1).saturating_sub(less))
                    } else {
                        Check::Unknown
                    };
                }
                (Mnemonic::Jmp | Mnemonic::Ret | Mnemonic::Call, _) => return Check::None,
                _ => {}
            }
        }
        Check::None
    }

    /// The instruction before the last one that sets a register, `None` when a jump or nothing at all stands between.
    fn setter(&self, register: Register, from: usize) -> Option<(usize, &Instruction)> {
        for (i, instruction) in self.before().enumerate().skip(from) {
            match instruction.mnemonic() {
                Mnemonic::Jmp | Mnemonic::Ret => return None,
                Mnemonic::Call if is_lost_in_calls(register) => return None,
                other if only_reads(other) => continue,
                _ => {}
            }
            if instruction.op0_kind() == OpKind::Register
                && instruction.op0_register().full_register() == register
            {
                return Some((i, instruction));
            }
        }
        None
    }

    fn origin_of(&self, image: &Image, register: Register, from: usize) -> Origin {
        let Some((at, setter)) = self.setter(register, from) else {
            return Origin::Register;
        };
        match setter.mnemonic() {
            Mnemonic::Mov if setter.op1_kind() == OpKind::Memory => {
                self.origin_in_memory(image, setter, at + 1)
            }
            Mnemonic::Mov if setter.op1_kind() == OpKind::Register => {
                self.origin_of(image, setter.op1_register().full_register(), at + 1)
            }
            Mnemonic::Add if setter.op1_kind() == OpKind::Register => {
                let other = setter.op1_register().full_register();
                self.offsets(image, register, other, at)
                    .or_else(|| self.offsets(image, other, register, at))
                    .unwrap_or(Origin::Register)
            }
            // A notrack or masked target: `and`, `lea` and the like say nothing.
            _ => Origin::Register,
        }
    }

    /// `entry` was loaded from a table of offsets, `base` is what it is added to.
    fn offsets(&self, image: &Image, entry: Register, base: Register, at: usize) -> Option<Origin> {
        let (loaded, load) = self.setter(entry, at + 1)?;
        let width = match load.code() {
            Code::Movsxd_r64_rm32 | Code::Movsxd_r32_rm32 => 4,
            Code::Mov_r32_rm32 if load.op1_kind() == OpKind::Memory => 4,
            _ => return None,
        };
        if load.op1_kind() != OpKind::Memory || load.memory_index() == Register::None {
            return None;
        }
        let table = self.table_of(image, load, loaded + 1);
        Some(Origin::Offsets {
            table,
            base: self.held(image, base, at + 1),
            width,
            signed: true,
            shift: 0,
            compiled: true,
            check: self.check(),
        })
    }

    fn origin_in_memory(&self, image: &Image, instruction: &Instruction, from: usize) -> Origin {
        if let Some(slot) = Self::fixed(instruction) {
            return Origin::Slot(slot);
        }
        if instruction.memory_index() != Register::None && instruction.memory_index_scale() == 8 {
            return Origin::Pointers {
                table: self.table_of(image, instruction, from),
                check: self.check(),
            };
        }
        Origin::Memory
    }
}

/// What there is to say of an instruction.
struct News {
    entry: Entry,
    /// Why, for all but the registers.
    others: Reasons,
    /// Why the registers are to be told of it.
    registers: Reasons,
}

/// These are called for each instruction: out of line, what they hand on is written to memory and read back in other pieces than it was
/// written in.
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
        // By reference: a copy of what was just written piece by piece would wait for all the pieces.
        let instruction = &self.past[slot];
        let entry = Entry::of(instruction);
        let reasons = entry.reasons().among(Reasons::of_operands(instruction));
        let registers = self.registers.news(instruction, reasons);
        let others = reasons.among(Reasons::OPCODE.with(Reasons::STACK));
        let any = registers.with(others).any() || instruction.has_lock_prefix();
        any.then_some(News {
            entry,
            others,
            registers,
        })
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
        if news.others.among(Reasons::STACK).any() {
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
        if news.registers.any() {
            op.traits = op
                .traits
                .with(self.registers.look(instruction, news.registers));
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

    fn origin(&self, image: &Image) -> Origin {
        let last = self.last();
        match last.op0_kind() {
            OpKind::Memory => self.origin_in_memory(image, last, 0),
            OpKind::Register => self.origin_of(image, last.op0_register().full_register(), 0),
            _ => Origin::Register,
        }
    }

    fn text(&mut self, symbols: &dyn Fn(u64) -> Option<String>) -> String {
        let instruction = *self.last();
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
        let mut text = String::new();
        formatter.format(&instruction, &mut text);
        let about = match instruction.flow_control() {
            iced_x86::FlowControl::Next
            | iced_x86::FlowControl::IndirectBranch
            | iced_x86::FlowControl::IndirectCall => Some(instruction.memory_displacement64())
                .filter(|_| instruction.is_ip_rel_memory_operand()),
            _ => Some(instruction.near_branch_target()).filter(|t| *t != 0),
        };
        match about.and_then(symbols) {
            Some(name) => format!("{text} <{name}>"),
            None => text,
        }
    }

    fn content(&mut self, image: &Image) -> Content {
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
                self.operand(image, &instruction, operand, &mut content.reference);
        }
        content
    }
}

impl X86<'_> {
    fn operand(
        &self,
        image: &Image,
        instruction: &Instruction,
        operand: u32,
        reference: &mut Option<Reference>,
    ) -> u64 {
        match instruction.op_kind(operand) {
            OpKind::Register => 1 << 56 | instruction.op_register(operand) as u64,
            OpKind::NearBranch16 | OpKind::NearBranch32 | OpKind::NearBranch64 => 2 << 56,
            OpKind::Memory => self.memory(image, instruction, reference),
            _ => {
                // Operands of string instructions are none that could differ.
                let value = instruction.try_immediate(operand).unwrap_or(0);
                if self.registers.absolute && value > 0xffff && image.section_at(value).is_some() {
                    *reference = Some(Reference {
                        address: value,
                        how: Use::Address,
                    });
                    return 4 << 56;
                }
                value.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 5 << 56
            }
        }
    }

    fn memory(
        &self,
        image: &Image,
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
            && image.section_at(displacement).is_some();
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
            });
            return 3 << 56 | registers;
        }
        registers ^ displacement.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 6 << 56
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::Program;

    /// Whatever is skipped as plain has nothing to say when it is looked at after all.
    #[test]
    fn what_is_plain_says_nothing() {
        // An image is needed for its kind alone.
        let own = std::env::current_exe().unwrap();
        let program = Program::open(&own).unwrap();
        let mut state = 1_u64;
        let mut next = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            state.to_be_bytes()[0]
        };
        // Common forms, and anything.
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
        let mut code = Vec::new();
        while code.len() < 1 << 20 {
            let form = usize::from(next());
            code.extend_from_slice(FORMS.get(form % 16).copied().unwrap_or(&[]));
            for _ in 0..form / 32 {
                code.push(next());
            }
        }
        let mut x86 = X86::new(&code, 0x1000, &program.images()[0]);
        x86.registers = Registers::new(true);
        let (mut op, mut plain, mut looks) = (Op::default(), 0, 0);
        while let Some(slot) = x86.read_one() {
            if let Some(news) = x86.news(slot) {
                let instruction = *x86.last();
                let mut closer = x86.registers.clone();
                x86.tell(slot, &news, &mut op);
                if op.flow == Flow::Next && news.registers.any() {
                    // The short way says what the long one does.
                    let traits = closer.look_closer(&instruction);
                    assert_eq!(closer, x86.registers, "{instruction:?}");
                    assert!(traits == Traits::default() || op.traits.has(traits));
                    looks += 1;
                }
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
            assert_eq!(looked.look_closer(&instruction), Traits::default());
            assert_eq!(looked, x86.registers, "{instruction:?}");
            // From time to time nothing is known again.
            if plain % 64 == 0 {
                x86.registers.forget();
            }
        }
        assert!(plain > 10_000 && looks > 10_000, "{plain} {looks}");
    }
}
