//! What can be said of an x86-64 instruction from its opcode alone, worked out when an opcode is
//! first seen: asking the decoder's tables for each instruction anew would cost more than decoding
//! it, and asking for all opcodes at the start more than reading one function.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use iced_x86::{
    Code, CpuidFeature, FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpAccess,
    OpKind, Register,
};

use super::reasons::Reasons;
use crate::decode::{Extensions, Flow, Traits, extension};

/// Room for all opcodes.
const OPCODES: usize = 5120;
/// What is known of each opcode, 0 where it was not seen yet.
static ENTRIES: [AtomicU64; OPCODES] = [const { AtomicU64::new(0) }; OPCODES];
/// The extensions that each opcode needs, for those whose entry says that there are any.
static EXTENSIONS: [AtomicU64; OPCODES] = [const { AtomicU64::new(0) }; OPCODES];

/// What is known of an opcode: its traits in the lower half, then its flow, what it does with a
/// memory operand, and the reasons to look further.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry(u64);

impl Entry {
    const FLOW: u32 = 32;
    const ACCESS: u32 = 36;
    const REASONS: u32 = 48;
    /// It was seen.
    const SEEN: u64 = 1 << 40;
    /// It was seen with a memory operand: the access is known.
    const SEEN_WITH_MEMORY: u64 = 1 << 41;
    /// It needs vector extensions.
    const VECTOR: u64 = 1 << 42;

    /// The entry of an instruction's opcode.
    #[inline]
    pub(super) fn of(instruction: &Instruction) -> Entry {
        // What is stored before an entry is seen with it.
        let entry = ENTRIES[instruction.code() as usize].load(Ordering::Acquire);
        if entry == 0 {
            return Entry::first_of(instruction.code());
        }
        Entry(entry)
    }

    #[cold]
    fn first_of(code: Code) -> Entry {
        let needs = extensions(code);
        let flow = flow(code);
        let traits = traits(code);
        let mut reasons = Reasons::of_opcode(code);
        if flow != Flow::Next || traits != Traits::default() || !needs.is_empty() {
            reasons = reasons.with(Reasons::OPCODE);
        }
        let vector = if needs.is_empty() { 0 } else { Entry::VECTOR };
        EXTENSIONS[code as usize].store(needs.0, Ordering::Release);
        Entry::add(
            code,
            Entry::SEEN
                | vector
                | u64::from(traits.0)
                | (flow as u64) << Entry::FLOW
                | u64::from(reasons.0) << Entry::REASONS,
        )
    }

    /// Adds to what is known of an opcode.
    fn add(code: Code, more: u64) -> Entry {
        Entry(ENTRIES[code as usize].fetch_or(more, Ordering::AcqRel) | more)
    }

    #[expect(clippy::cast_possible_truncation, reason = "the lower half")]
    #[inline]
    pub(super) fn traits(self) -> Traits {
        Traits(self.0 as u32)
    }

    #[inline]
    pub(super) fn flow(self) -> Flow {
        match self.0 >> Entry::FLOW & 7 {
            0 => Flow::Next,
            1 => Flow::Jump,
            2 => Flow::Conditional,
            3 => Flow::IndirectJump,
            4 => Flow::Call,
            5 => Flow::IndirectCall,
            6 => Flow::Return,
            _ => Flow::Stop,
        }
    }

    /// Why there may be more to say of an instruction with this opcode.
    #[inline]
    pub(super) fn reasons(self) -> Reasons {
        Reasons((self.0 >> Entry::REASONS & 0xff) as u8)
    }

    /// The vector extensions that an instruction with this entry needs, where it needs any.
    #[inline]
    pub(super) fn extensions(self, instruction: &Instruction) -> Option<Extensions> {
        (self.0 & Entry::VECTOR != 0)
            .then(|| Extensions(EXTENSIONS[instruction.code() as usize].load(Ordering::Acquire)))
    }

    /// The stack traffic of an instruction with this entry: loads and stores relative to the stack
    /// pointer, or to the register that may be the frame pointer.
    pub(super) fn stack_traffic(self, instruction: &Instruction) -> Traits {
        let (load, store) = match instruction.memory_base() {
            Register::RSP => (Traits::STACK_LOAD, Traits::STACK_STORE),
            Register::RBP => (Traits::FRAME_LOAD, Traits::FRAME_STORE),
            _ => return Traits::default(),
        };
        let mut entry = self;
        if entry.0 & Entry::SEEN_WITH_MEMORY == 0 {
            let access = access(instruction) << Entry::ACCESS;
            entry = Entry::add(instruction.code(), access | Entry::SEEN_WITH_MEMORY);
        }
        let access = entry.0 >> Entry::ACCESS;
        load.when(access & READS != 0)
            .with(store.when(access & WRITES != 0))
    }
}

fn extensions(code: Code) -> Extensions {
    static FEATURES: OnceLock<Vec<Extensions>> = OnceLock::new();
    let features = FEATURES.get_or_init(features);
    let mut needs = Extensions::default();
    for feature in code.cpuid_features() {
        needs |= features.get(*feature as usize).copied().unwrap_or_default();
    }
    needs
}

/// The extension that each CPUID feature stands for.
fn features() -> Vec<Extensions> {
    let by_name = Extensions::by_plain_name();
    let name = |feature: CpuidFeature| match feature {
        CpuidFeature::AMX_BF16
        | CpuidFeature::AMX_TILE
        | CpuidFeature::AMX_INT8
        | CpuidFeature::AMX_FP16
        | CpuidFeature::AMX_COMPLEX => "amx".to_string(),
        other => extension::plain(&format!("{other:?}")),
    };
    CpuidFeature::values()
        .map(|f| by_name.get(&name(f)).copied().unwrap_or_default())
        .collect()
}

fn flow(code: Code) -> Flow {
    match code.mnemonic() {
        Mnemonic::INVALID => return Flow::Next,
        Mnemonic::Hlt => return Flow::Stop,
        _ => {}
    }
    match code.flow_control() {
        FlowControl::Next | FlowControl::XbeginXabortXend => Flow::Next,
        FlowControl::UnconditionalBranch => Flow::Jump,
        FlowControl::IndirectBranch => Flow::IndirectJump,
        FlowControl::ConditionalBranch => Flow::Conditional,
        FlowControl::Return => Flow::Return,
        // `syscall` comes back like any other instruction.
        FlowControl::Call if matches!(code.mnemonic(), Mnemonic::Call) => Flow::Call,
        FlowControl::Call => Flow::Next,
        FlowControl::IndirectCall => Flow::IndirectCall,
        FlowControl::Interrupt if code.mnemonic() == Mnemonic::Int3 => Flow::Stop,
        FlowControl::Interrupt => Flow::Next,
        FlowControl::Exception
            if matches!(
                code.mnemonic(),
                Mnemonic::Ud0 | Mnemonic::Ud1 | Mnemonic::Ud2
            ) =>
        {
            Flow::Stop
        }
        FlowControl::Exception => Flow::Next,
    }
}

fn traits(code: Code) -> Traits {
    match code.mnemonic() {
        Mnemonic::INVALID => Traits::UNKNOWN,
        Mnemonic::Nop => Traits::NOP,
        Mnemonic::Int3 => Traits::FILL,
        Mnemonic::Endbr64 => Traits::LANDING,
        Mnemonic::Mfence | Mnemonic::Lfence | Mnemonic::Sfence => Traits::FENCE,
        Mnemonic::Div | Mnemonic::Idiv => Traits::DIVISION,
        Mnemonic::Fdiv
        | Mnemonic::Fdivp
        | Mnemonic::Fdivr
        | Mnemonic::Fdivrp
        | Mnemonic::Fidiv
        | Mnemonic::Fidivr => Traits::FLOAT_DIVISION,
        Mnemonic::Divss | Mnemonic::Divsd | Mnemonic::Divps | Mnemonic::Divpd => {
            Traits::FLOAT_DIVISION
        }
        Mnemonic::Vdivss | Mnemonic::Vdivsd | Mnemonic::Vdivps | Mnemonic::Vdivpd => {
            Traits::FLOAT_DIVISION
        }
        Mnemonic::Vdivsh | Mnemonic::Vdivph => Traits::FLOAT_DIVISION,
        Mnemonic::Push | Mnemonic::Pushf | Mnemonic::Pushfq => Traits::PUSH,
        Mnemonic::Pop | Mnemonic::Popf | Mnemonic::Popfq => Traits::POP.with(Traits::RELEASES),
        Mnemonic::Leave => Traits::POP.with(Traits::RELEASES),
        _ => Traits::default(),
    }
}

const READS: u64 = 1;
const WRITES: u64 = 2;

/// Whether an instruction with a memory operand reads that memory, and whether it writes it.
fn access(instruction: &Instruction) -> u64 {
    let mut factory = InstructionInfoFactory::new();
    let info = factory.info(instruction);
    let mut access = 0;
    for operand in 0..instruction.op_count() {
        if instruction.op_kind(operand) == OpKind::Memory {
            access |= match info.op_access(operand) {
                OpAccess::Read | OpAccess::CondRead => READS,
                OpAccess::Write | OpAccess::CondWrite => WRITES,
                OpAccess::ReadWrite | OpAccess::ReadCondWrite => READS | WRITES,
                OpAccess::None | OpAccess::NoMemAccess => 0,
            };
        }
    }
    access
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_gives_back_what_was_put_in() {
        let mut instruction = Instruction::default();
        for code in Code::values() {
            instruction.set_code(code);
            for _ in 0..2 {
                let entry = Entry::of(&instruction);
                assert_eq!(entry.flow(), flow(code), "{code:?}");
                assert_eq!(entry.traits(), traits(code), "{code:?}");
                let needs = entry.extensions(&instruction).unwrap_or_default();
                assert_eq!(needs, extensions(code), "{code:?}");
                // So the decoder asks for none where control goes elsewhere.
                assert!(flow(code) == Flow::Next || needs.is_empty(), "{code:?}");
                let tells =
                    flow(code) != Flow::Next || traits(code).0 != 0 || !extensions(code).is_empty();
                let opcode = if tells {
                    Reasons::OPCODE
                } else {
                    Reasons::default()
                };
                let all = Reasons::of_opcode(code).with(opcode);
                assert_eq!(entry.reasons(), all, "{code:?}");
            }
        }
    }
}
