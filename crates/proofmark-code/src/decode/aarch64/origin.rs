//! Where the target of an AArch64 instruction's indirect jump came from.

use yaxpeax_arm::armv8::a64::{Instruction, Opcode, Operand, ShiftStyle};

use super::Aarch64;
use super::past::Held;
use super::registers::moved;
use super::table::{SP, flow, immediate, memory};
use crate::decode::{Check, Flow, Origin};

/// `x16` and `x17` are what stubs and long jumps between functions go through (Procedure Call
/// Standard, 6.1.1), and, with branch targets marked, the only ones through which a function's
/// beginning may be jumped to: gcc moves the target of each tail call there.
const BETWEEN_FUNCTIONS: [u16; 2] = [16, 17];
/// A range check stands at most so many instructions before its jump: what stands further off may
/// be another.
const CHECK: usize = 15;
/// The register that Go's compiler loads from its tables (`REGTMP`).
const GO_TABLE: u16 = 27;

impl Aarch64<'_> {
    pub(super) fn origin_here(&self) -> Origin {
        let Operand::Register(_, register) = self.past.last().operands[0] else {
            return Origin::Register;
        };
        let copied = self
            .past
            .setter(register, 0)
            .is_some_and(|(_, i)| moved(i).is_some());
        let origin = self.origin_of(register, 0);
        match origin {
            Origin::Memory
            | Origin::Register
            | Origin::Computed
            | Origin::Pointers { table: None, .. }
                if copied && BETWEEN_FUNCTIONS.contains(&register) =>
            {
                Origin::BetweenFunctions
            }
            _ => origin,
        }
    }

    fn origin_of(&self, register: u16, from: usize) -> Origin {
        let Some((at, i)) = self.past.setter(register, from) else {
            return Origin::Register;
        };
        if moved(i).is_none()
            && let Some(Held::Surely(address)) = self.past.put_by(at)
        {
            return Origin::Address(address);
        }
        if let Some(from) = moved(i) {
            return self.origin_of(from, at + 1);
        }
        match i.opcode {
            Opcode::LDR | Opcode::LDUR | Opcode::LDP => self.origin_in_memory(i, register, at),
            Opcode::ADD | Opcode::SUB => self.offsets(i, at).unwrap_or(Origin::Computed),
            _ => Origin::Register,
        }
    }

    /// Loaded into `register` by an instruction that stands `at` instructions before the one before
    /// the jump.
    fn origin_in_memory(&self, i: &Instruction, register: u16, at: usize) -> Origin {
        if let Operand::PCOffset(by) = i.operands[1] {
            return Origin::Slot(self.address_of(at).wrapping_add_signed(by));
        }
        match memory(i) {
            Some(Operand::RegRegOffset(base, index, _, _, 3)) => self.pointers(base, index, at),
            // The index was scaled before.
            Some(Operand::RegRegOffset(base, index, _, _, 0)) => {
                match (
                    self.pointer_table(base, at + 1),
                    self.pointer_table(index, at + 1),
                ) {
                    (Some(_), _) => self.pointers(base, index, at),
                    (None, Some(_)) => self.pointers(index, base, at),
                    (None, None) => Origin::Memory,
                }
            }
            Some(Operand::RegPreIndex(base, by, false)) if base != SP => {
                let second = i.opcode == Opcode::LDP
                    && !matches!(i.operands[0], Operand::Register(_, to) if to == register);
                let by = i64::from(by) + if second { 8 } else { 0 };
                self.origin_behind(base, by, at)
            }
            _ => Origin::Memory,
        }
    }

    /// Loaded from so many bytes behind what a register holds.
    fn origin_behind(&self, base: u16, by: i64, at: usize) -> Origin {
        let Some((set, setter)) = self.past.setter(base, at + 1) else {
            return Origin::Memory;
        };
        match (setter.opcode, setter.operands) {
            (Opcode::ADRP, [_, Operand::PCOffset(page), ..]) => {
                let page = (self.address_of(set) & !0xfff).wrapping_add_signed(page);
                Origin::Slot(page.wrapping_add_signed(by))
            }
            // The place in the table was added up before.
            (
                Opcode::ADD,
                [
                    _,
                    Operand::Register(_, table) | Operand::RegisterOrSP(_, table),
                    Operand::RegShift(_, 3, _, index),
                    _,
                ],
            ) if by == 0 => self.pointers(table, index, set),
            _ => Origin::Memory,
        }
    }

    /// The address of the instruction that stands `n` instructions before the one before the last.
    fn address_of(&self, n: usize) -> u64 {
        self.address.wrapping_sub((n as u64 + 1) * 4)
    }

    /// From a table of pointers. No compiler makes one for a `switch` but Go's, in a register that
    /// it uses for little else.
    fn pointers(&self, table: u16, index: u16, at: usize) -> Origin {
        let jumps = self.past.last().operands[0];
        let check = if !self.space.has_go || !matches!(jumps, Operand::Register(_, GO_TABLE)) {
            Check::None
        } else if let (Check::AtMost(most), Some(compared)) = self.check()
            && compared == index
        {
            Check::AtMost(most)
        } else {
            Check::Unknown
        };
        Origin::Pointers {
            table: self.pointer_table(table, at + 1),
            check,
        }
    }

    /// The table of pointers that a register holds the address of. What it perhaps holds is
    /// believed where one of the table's first entries leads into this function.
    fn pointer_table(&self, register: u16, from: usize) -> Option<u64> {
        match self.held(register, from)? {
            Held::Surely(address) => Some(address),
            Held::Perhaps(address) => {
                let mut first = (0..4).map(|n| address.wrapping_add(n * 8));
                let leads_here = |at| self.space.pointer_at(at).is_some_and(|to| self.covers(to));
                first.any(leads_here).then_some(address)
            }
        }
    }

    /// `add to, base, entry, sxtw #shift` with the entry loaded from a table.
    fn offsets(&self, add: &Instruction, at: usize) -> Option<Origin> {
        let (Operand::Register(_, base) | Operand::RegisterOrSP(_, base)) = add.operands[1] else {
            return None;
        };
        let Operand::RegShift(style, shift, _, entry) = add.operands[2] else {
            return None;
        };
        if add.opcode != Opcode::ADD {
            return None;
        }
        let (base, entry, loaded) = match self.table_load(entry, at) {
            Some(loaded) => (base, entry, loaded),
            None => (entry, base, self.table_load(base, at)?),
        };
        let (_, load) = self.past.setter(entry, at + 1)?;
        let (width, signed) = match load.opcode {
            Opcode::LDRB => (1, false),
            Opcode::LDRSB => (1, true),
            Opcode::LDRH => (2, false),
            Opcode::LDRSH => (2, true),
            Opcode::LDRSW | Opcode::LDR => (4, true),
            _ => return None,
        };
        let Some(Operand::RegRegOffset(table, ..)) = memory(load) else {
            return None;
        };
        // gcc and clang put the place that the entries count from into a register right there, or
        // count from the table itself.
        let set = self.past.setter(base, at + 1);
        let label = set.filter(|(_, i)| i.opcode == Opcode::ADR);
        let itself = base == table && set.is_none_or(|(set, _)| set > loaded);
        let held = |register, from| self.held(register, from).map(Held::address);
        let table = held(table, loaded + 1);
        let base = match label {
            Some((set, _)) => self.past.put_by(set).map(Held::address),
            None if itself => table,
            None => held(base, at + 1),
        };
        // `sxtb`, `sxth` in the addition make narrow entries signed.
        let extended = matches!(
            style,
            ShiftStyle::SXTB | ShiftStyle::SXTH | ShiftStyle::SXTW
        );
        Some(Origin::Offsets {
            table,
            base,
            width,
            signed: signed || extended,
            shift,
            compiled: label.is_some() || itself,
            check: self.check().0,
        })
    }

    /// Which instruction loaded a register with an index.
    fn table_load(&self, register: u16, at: usize) -> Option<usize> {
        let (n, i) = self.past.setter(register, at + 1)?;
        matches!(memory(i), Some(Operand::RegRegOffset(..))).then_some(n)
    }

    /// The comparison with a conditional jump that stands shortly before, and the register that it
    /// compares: the range check of a `switch`.
    fn check(&self) -> (Check, Option<u16>) {
        let mut below = None;
        for i in self.past.before().take(CHECK) {
            match (i.opcode, below) {
                // hi, ls
                (Opcode::Bcc(8 | 9), _) => below = Some(0),
                // hs, lo
                (Opcode::Bcc(2 | 3), _) => below = Some(1),
                (Opcode::SUBS, Some(less)) => {
                    let check = immediate(&i.operands[2]).map_or(Check::Unknown, |most| {
                        Check::AtMost(most.saturating_sub(less))
                    });
                    let compared = match i.operands[1] {
                        Operand::Register(_, n) | Operand::RegisterOrSP(_, n) => Some(n),
                        _ => None,
                    };
                    return (check, compared);
                }
                (Opcode::CCMP, Some(_)) => return (Check::Unknown, None),
                _ if matches!(
                    flow(i.opcode),
                    Flow::Jump | Flow::IndirectJump | Flow::Return | Flow::Call
                ) =>
                {
                    return (Check::None, None);
                }
                _ => {}
            }
        }
        (Check::None, None)
    }
}
