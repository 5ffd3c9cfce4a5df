//! What can be said of an AArch64 instruction by itself.

use yaxpeax_arm::armv8::a64::{Instruction, Opcode, Operand, SIMDSizeCode};

use crate::decode::{Extensions, Flow, Traits};

pub(super) const SP: u16 = 31;
pub(super) const FRAME: u16 = 29;

pub(super) const FP: Extensions = Extensions(1 << 42);
pub(super) const NEON: Extensions = Extensions(1 << 43);

/// The number of a hint instruction: 0 is `nop`.
pub(super) fn hint(i: &Instruction) -> Option<u16> {
    match (i.opcode, i.operands) {
        (Opcode::HINT, [Operand::ControlReg(crn), Operand::Immediate(op2), ..]) => {
            Some((crn << 3 | u16::try_from(op2).unwrap_or(0)) & 0x7f)
        }
        _ => None,
    }
}

pub(super) fn immediate(operand: &Operand) -> Option<u64> {
    match operand {
        Operand::Immediate(value) => Some(u64::from(*value)),
        Operand::Imm64(value) => Some(*value),
        Operand::Imm16(value) | Operand::ImmShift(value, 0) => Some(u64::from(*value)),
        _ => None,
    }
}

/// The memory operand of a load or store.
pub(super) fn memory(i: &Instruction) -> Option<Operand> {
    let is_memory = |o: &&Operand| {
        matches!(
            o,
            Operand::RegPreIndex(..)
                | Operand::RegPostIndex(..)
                | Operand::RegRegOffset(..)
                | Operand::RegPostIndexReg(..)
        )
    };
    i.operands.iter().find(is_memory).copied()
}

/// Bytes that a load or store touches, 0 where it does not matter.
pub(super) fn width(i: &Instruction) -> u64 {
    use yaxpeax_arm::armv8::a64::SizeCode;
    match (i.opcode, i.operands[0]) {
        (Opcode::LDR | Opcode::LDUR, Operand::SIMDRegister(size, _)) => u64::from(bits(size)) / 8,
        (Opcode::LDR | Opcode::LDUR, Operand::Register(SizeCode::X, _)) => 8,
        (Opcode::LDR | Opcode::LDUR, Operand::Register(SizeCode::W, _)) => 4,
        (Opcode::LDRSW, _) => 4,
        (Opcode::LDRH | Opcode::LDRSH, _) => 2,
        (Opcode::LDRB | Opcode::LDRSB, _) => 1,
        _ => 0,
    }
}

pub(super) fn flow(opcode: Opcode) -> Flow {
    match opcode {
        Opcode::B => Flow::Jump,
        Opcode::Bcc(_)
        | Opcode::BCcc(_)
        | Opcode::CBZ
        | Opcode::CBNZ
        | Opcode::TBZ
        | Opcode::TBNZ => Flow::Conditional,
        Opcode::BL => Flow::Call,
        Opcode::BR | Opcode::BRAA | Opcode::BRAAZ | Opcode::BRAB | Opcode::BRABZ => {
            Flow::IndirectJump
        }
        Opcode::BLR | Opcode::BLRAA | Opcode::BLRAAZ | Opcode::BLRAB | Opcode::BLRABZ => {
            Flow::IndirectCall
        }
        Opcode::RET
        | Opcode::RETAA
        | Opcode::RETAB
        | Opcode::RETAASPPC
        | Opcode::RETABSPPC
        | Opcode::RETAASPPCR
        | Opcode::RETABSPPCR => Flow::Return,
        Opcode::ERET | Opcode::ERETAA | Opcode::ERETAB | Opcode::DRPS => Flow::Return,
        Opcode::UDF | Opcode::BRK | Opcode::HLT => Flow::Stop,
        _ => Flow::Next,
    }
}

pub(super) fn traits(i: &Instruction) -> Traits {
    let mut traits = match i.opcode {
        Opcode::HINT => match hint(i) {
            Some(0) => Traits::NOP,
            Some(32 | 34 | 36 | 38) => Traits::LANDING,
            _ => Traits::default(),
        },
        Opcode::UDF => Traits::FILL,
        Opcode::ADRP => Traits::PAGE,
        Opcode::DMB(_)
        | Opcode::DSB(_)
        | Opcode::ISB
        | Opcode::SB
        | Opcode::SSBB
        | Opcode::PSSBB => Traits::FENCE,
        Opcode::UDIV | Opcode::SDIV => Traits::DIVISION,
        Opcode::FDIV => Traits::FLOAT_DIVISION,
        opcode if is_atomic(opcode) => Traits::ATOMIC,
        _ => Traits::default(),
    };
    match (i.opcode, i.operands) {
        _ if sets_frame(i) => traits = traits.with(Traits::SETS_FRAME),
        (Opcode::ADD, [Operand::RegisterOrSP(_, SP), ..]) => traits = traits.with(Traits::RELEASES),
        _ => {}
    }
    stack(i, traits)
}

/// Whether an instruction makes `x29` the frame pointer.
pub(super) fn sets_frame(i: &Instruction) -> bool {
    matches!(
        (i.opcode, i.operands),
        (
            Opcode::ADD,
            [
                Operand::RegisterOrSP(_, FRAME),
                Operand::RegisterOrSP(_, SP),
                ..,
            ],
        )
    )
}

/// Stack traffic: pushes and pops are what moves the stack pointer as well.
pub(super) fn stack(i: &Instruction, traits: Traits) -> Traits {
    let (base, pushes, pops) = match memory(i) {
        Some(Operand::RegPreIndex(base, by, moves)) => (base, moves && by < 0, false),
        Some(Operand::RegPostIndex(base, by)) => (base, false, by > 0),
        Some(Operand::RegRegOffset(base, ..)) => (base, false, false),
        _ => return traits,
    };
    let store = is_store(i.opcode) || is_exclusive_store(i.opcode);
    // Prefetches touch nothing.
    let load = !store && !matches!(i.opcode, Opcode::PRFM | Opcode::PRFUM);
    match base {
        SP if updates(i.opcode) => traits.with(Traits::STACK_LOAD).with(Traits::STACK_STORE),
        FRAME if updates(i.opcode) => traits.with(Traits::FRAME_LOAD).with(Traits::FRAME_STORE),
        SP if store && pushes => traits.with(Traits::PUSH),
        SP if load && pops => traits.with(Traits::POP).with(Traits::RELEASES),
        SP if store => traits.with(Traits::STACK_STORE),
        SP if load => traits.with(Traits::STACK_LOAD),
        FRAME if store => traits.with(Traits::FRAME_STORE),
        FRAME if load => traits.with(Traits::FRAME_LOAD),
        _ => traits,
    }
}

pub(super) fn is_store(opcode: Opcode) -> bool {
    use Opcode as O;
    is_release_store(opcode)
        || matches!(
            opcode,
            O::STP
                | O::STNP
                | O::STR
                | O::STRB
                | O::STRH
                | O::STRW
                | O::STUR
                | O::STURB
                | O::STURH
                | O::STTR
                | O::STTRB
                | O::STTRH
                | O::ST1
                | O::ST2
                | O::ST3
                | O::ST4
                | O::STG
                | O::ST2G
                | O::STZG
                | O::STZ2G
                | O::STGM
                | O::STZGM
        )
}

pub(super) fn is_atomic(opcode: Opcode) -> bool {
    use Opcode as O;
    is_exclusive_store(opcode)
        || is_release_store(opcode)
        || updates(opcode)
        || matches!(
            opcode,
            O::LDXR
                | O::LDXRB
                | O::LDXRH
                | O::LDXP
                | O::LDAXR
                | O::LDAXRB
                | O::LDAXRH
                | O::LDAXP
                | O::LDAR
                | O::LDARB
                | O::LDARH
                | O::LDLAR
                | O::LDLARB
                | O::LDLARH
                | O::LDAPR
                | O::LDAPRB
                | O::LDAPRH
                | O::LDAPUR
                | O::LDAPURB
                | O::LDAPURH
                | O::LDAPURSB
                | O::LDAPURSH
                | O::LDAPURSW
        )
}

/// Whether an instruction stores, and all that it did before is seen before that.
fn is_release_store(opcode: Opcode) -> bool {
    use Opcode as O;
    matches!(
        opcode,
        O::STLR
            | O::STLRB
            | O::STLRH
            | O::STLLR
            | O::STLLRB
            | O::STLLRH
            | O::STLUR
            | O::STLURB
            | O::STLURH
    )
}

/// Whether an instruction stores if nobody else has, and says so in a register.
fn is_exclusive_store(opcode: Opcode) -> bool {
    use Opcode as O;
    matches!(
        opcode,
        O::STXR | O::STXRB | O::STXRH | O::STXP | O::STLXR | O::STLXRB | O::STLXRH | O::STLXP
    )
}

/// Whether an instruction reads memory and writes it.
fn updates(opcode: Opcode) -> bool {
    use Opcode as O;
    matches!(
        opcode,
        O::SWP(_)
            | O::SWPB(_)
            | O::SWPH(_)
            | O::CAS(_)
            | O::CASB(_)
            | O::CASH(_)
            | O::CASP(_)
            | O::LDADD(_)
            | O::LDADDB(_)
            | O::LDADDH(_)
            | O::LDCLR(_)
            | O::LDCLRB(_)
            | O::LDCLRH(_)
            | O::LDEOR(_)
            | O::LDEORB(_)
            | O::LDEORH(_)
            | O::LDSET(_)
            | O::LDSETB(_)
            | O::LDSETH(_)
            | O::LDSMAX(_)
            | O::LDSMAXB(_)
            | O::LDSMAXH(_)
            | O::LDSMIN(_)
            | O::LDSMINB(_)
            | O::LDSMINH(_)
            | O::LDUMAX(_)
            | O::LDUMAXB(_)
            | O::LDUMAXH(_)
            | O::LDUMIN(_)
            | O::LDUMINB(_)
            | O::LDUMINH(_)
    )
}

pub(super) fn bits(size: SIMDSizeCode) -> u16 {
    match size {
        SIMDSizeCode::B => 8,
        SIMDSizeCode::H => 16,
        SIMDSizeCode::S => 32,
        SIMDSizeCode::D => 64,
        SIMDSizeCode::Q => 128,
    }
}

/// The width of the vector register that an operand names, and the extension that needs.
pub(super) fn vector(operand: &Operand) -> (u16, Extensions) {
    match operand {
        Operand::SIMDRegister(SIMDSizeCode::Q, _) => (128, NEON),
        Operand::SIMDRegister(size, _) => (bits(*size), FP),
        Operand::SIMDRegisterElements(size, ..) | Operand::SIMDRegisterGroup(size, ..) => {
            (bits(*size), NEON)
        }
        Operand::SIMDRegisterElementsLane(..)
        | Operand::SIMDRegisterElementsMultipleLane(..)
        | Operand::SIMDRegisterGroupLane(..) => (128, NEON),
        _ => (0, Extensions::default()),
    }
}
