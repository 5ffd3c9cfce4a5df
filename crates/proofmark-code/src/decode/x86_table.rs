//! What can be said of an x86-64 instruction from its opcode alone, worked out once: asking the decoder's tables for each
//! instruction anew would cost more than decoding it.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

use iced_x86::{
    Code, CpuidFeature, FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpAccess,
    OpKind,
};

use super::{Extensions, Flow, Traits, extension};

/// Facts of an opcode: eight bytes, so that those of all opcodes in use fit into the nearest cache.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Entry {
    pub(super) traits: Traits,
    pub(super) flow: Flow,
    pub(super) hint: Hint,
    /// Its set of extensions, by number; 0 for none.
    pub(super) set: u16,
}

/// What is known of all opcodes.
#[derive(Debug)]
pub(super) struct Table {
    /// By `Code as usize`.
    entries: Vec<Entry>,
    /// Distinct sets of extensions, the first one empty.
    sets: Vec<Extensions>,
}

impl Table {
    #[inline]
    pub(super) fn of(&self, code: Code) -> Entry {
        self.entries[code as usize]
    }

    #[inline]
    pub(super) fn extensions(&self, entry: Entry) -> Extensions {
        self.sets[usize::from(entry.set)]
    }
}

/// What else has to be looked at, operands included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Hint {
    #[default]
    Nothing,
    /// May set a register to an address in the image, or the frame pointer.
    Moves,
    /// Adds to or subtracts from a register: perhaps the stack pointer.
    Adds,
    /// `xchg` with memory is atomic without a prefix.
    Exchange,
    /// The stack pointer from the frame pointer.
    Leave,
}

/// The table, made when it is first asked for.
pub(super) fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        let features = features();
        let mut table = Table {
            entries: Vec::with_capacity(Code::values().len()),
            sets: vec![Extensions::default()],
        };
        for code in Code::values() {
            let mut needs = Extensions::default();
            for feature in code.cpuid_features() {
                needs |= features.get(*feature as usize).copied().unwrap_or_default();
            }
            let known = table.sets.iter().position(|s| *s == needs);
            let set = known.unwrap_or_else(|| {
                table.sets.push(needs);
                table.sets.len() - 1
            });
            let set = u16::try_from(set).unwrap_or(0);
            table.entries.push(entry(code, set));
        }
        table
    })
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

fn entry(code: Code, set: u16) -> Entry {
    let flow = match code.flow_control() {
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
    };
    let mut entry = Entry {
        traits: traits(code),
        flow,
        hint: hint(code),
        set,
    };
    if code == Code::INVALID {
        entry.traits = Traits::UNKNOWN;
        entry.flow = Flow::Next;
    }
    if code.mnemonic() == Mnemonic::Hlt {
        entry.flow = Flow::Stop;
    }
    entry
}

fn hint(code: Code) -> Hint {
    match code {
        Code::Lea_r64_m | Code::Mov_r32_imm32 | Code::Mov_r64_imm64 => return Hint::Moves,
        Code::Mov_rm64_imm32 | Code::Mov_r64_rm64 | Code::Mov_rm64_r64 => return Hint::Moves,
        _ => {}
    }
    match code.mnemonic() {
        Mnemonic::Add | Mnemonic::Sub => Hint::Adds,
        Mnemonic::Xchg => Hint::Exchange,
        Mnemonic::Leave => Hint::Leave,
        _ => Hint::Nothing,
    }
}

fn traits(code: Code) -> Traits {
    match code.mnemonic() {
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

const READS: u8 = 1;
const WRITES: u8 = 2;
const KNOWN: u8 = 4;

/// Whether an instruction with a memory operand reads that memory, and whether it writes it.
pub(super) fn memory_access(instruction: &Instruction) -> (bool, bool) {
    static ACCESS: OnceLock<Vec<AtomicU8>> = OnceLock::new();
    let table = ACCESS.get_or_init(|| Code::values().map(|_| AtomicU8::new(0)).collect());
    let Some(cell) = table.get(instruction.code() as usize) else {
        return (false, false);
    };
    let mut known = cell.load(Ordering::Relaxed);
    if known == 0 {
        known = KNOWN | ask(instruction);
        cell.store(known, Ordering::Relaxed);
    }
    (known & READS != 0, known & WRITES != 0)
}

fn ask(instruction: &Instruction) -> u8 {
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
