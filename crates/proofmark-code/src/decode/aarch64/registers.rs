//! What addresses AArch64 registers hold, and the places on the stack where they are put away,
//! instruction by instruction.

use yaxpeax_arm::armv8::a64::{Instruction, Opcode, Operand, ShiftStyle, SizeCode};

use super::past::{Held, Past, is_lost_in_calls, writes};
use super::table::{FRAME, SP, flow, immediate, memory, sets_frame};
use crate::decode::Flow;
use crate::decode::put_away::PutAway;
use crate::space::Space;

/// A place on the stack: the register that it is relative to, and how far.
type StackPlace = (u16, i32);

/// The addresses in the image that the registers were last set to.
pub(super) struct Registers {
    /// By number; 0 for none.
    holds: [u64; 32],
    /// Places on the stack where such an address was put away.
    kept: PutAway<StackPlace>,
    /// Whether the function has made `x29` its frame pointer: elsewhere that is a register like any
    /// other.
    frame: bool,
}

impl Registers {
    /// Nothing is known at the start of a function.
    pub(super) fn new() -> Registers {
        Registers {
            holds: [0; 32],
            kept: PutAway::new(),
            frame: false,
        }
    }

    /// Takes in the last instruction, which makes `made` where that is known already.
    pub(super) fn follow(&mut self, space: &Space, at: u64, past: &mut Past, made: Option<Held>) {
        let i = *past.last();
        self.frame |= sets_frame(&i);
        if matches!(i.opcode, Opcode::STR | Opcode::STUR | Opcode::STP) {
            self.store(space, at, past, &i);
        }
        let loaded = self.loaded(&i);
        let put = made.or_else(|| self.copied(space, at, past, &i));
        if let (Some(put), Some(to)) = (put, first(&i)) {
            past.puts(put);
            self.set(to, put.address());
        }
        for (to, address) in loaded.into_iter().flatten() {
            self.set(to, address);
            if first(&i) == Some(to) {
                past.puts(Held::Perhaps(address));
            }
        }
    }

    /// The address that a move, or an addition to what holds one, puts into its first operand.
    fn copied(&self, space: &Space, at: u64, past: &Past, i: &Instruction) -> Option<Held> {
        if let Some(from) = moved(i) {
            return self.held(space, at, past, from, 0);
        }
        let (
            Opcode::ADD | Opcode::SUB,
            [
                Operand::RegisterOrSP(SizeCode::X, to),
                Operand::RegisterOrSP(_, from),
                by,
                _,
            ],
        ) = (i.opcode, i.operands)
        else {
            return None;
        };
        // What steps through an array is no address of a table.
        if to == SP || from == SP || to == from {
            return None;
        }
        let by = immediate(&by)?;
        let from = self.held(space, at, past, from, 0)?;
        Some(from.with(|from| {
            if i.opcode == Opcode::ADD {
                from.wrapping_add(by)
            } else {
                from.wrapping_sub(by)
            }
        }))
    }

    /// Registers are stored: the places on the stack hold what they hold.
    fn store(&mut self, space: &Space, at: u64, past: &Past, i: &Instruction) {
        for (n, place) in self.stack_places(i).into_iter().enumerate() {
            let Some(place) = place else {
                continue;
            };
            let held = match i.operands[n] {
                Operand::Register(SizeCode::X, from) => self.held(space, at, past, from, 0),
                _ => None,
            };
            self.kept.store(place, held.map(Held::address));
        }
    }

    /// The addresses that were put away where an instruction loads from, and the registers that it
    /// loads them into.
    fn loaded(&self, i: &Instruction) -> [Option<(u16, u64)>; 2] {
        let mut loaded = [None; 2];
        if self.kept.is_empty() || !is_load(i) {
            return loaded;
        }
        for (n, place) in self.stack_places(i).into_iter().enumerate() {
            if let (Some(place), Operand::Register(SizeCode::X, to)) = (place, i.operands[n]) {
                loaded[n] = self.kept.at(&place).map(|address| (to, address));
            }
        }
        loaded
    }

    /// The places on the stack that a load or store of one or two registers touches, if they are
    /// fixed.
    fn stack_places(&self, i: &Instruction) -> [Option<StackPlace>; 2] {
        let Some(Operand::RegPreIndex(base, by, false)) = memory(i) else {
            return [None; 2];
        };
        if base != SP && !(base == FRAME && self.frame) {
            return [None; 2];
        }
        let pair = matches!(i.opcode, Opcode::STP | Opcode::LDP);
        [Some((base, by)), pair.then(|| (base, by.wrapping_add(8)))]
    }

    fn set(&mut self, register: u16, address: u64) {
        // 31 is no register: zero, or the stack pointer.
        if register < 31 {
            self.holds[usize::from(register)] = address;
        }
    }

    /// The address that a register holds where the `from`-th instruction before the last one
    /// stands, which is at `at`: what the instructions remembered put there, as far as control came
    /// straight from them; else what it was set to last. That is not forgotten when something else
    /// is put there: instructions are read in the order of their addresses, and behind a jump or an
    /// epilogue in the midst of a function another path goes on, on which it is still there.
    pub(super) fn held(
        &self,
        space: &Space,
        at: u64,
        past: &Past,
        register: u16,
        from: usize,
    ) -> Option<Held> {
        let last = *self.holds.get(usize::from(register))?;
        if last == 0 {
            return None;
        }
        for (n, i) in past.before().enumerate().skip(from) {
            match flow(i.opcode) {
                Flow::Jump | Flow::IndirectJump | Flow::Return | Flow::Stop => break,
                // Nobody comes from a call that does not return.
                Flow::Call if calls(i, at, n).is_some_and(|to| space.never_returns(to)) => break,
                Flow::Call | Flow::IndirectCall if is_lost_in_calls(register) => return None,
                _ if writes(i, register) => {
                    if let Some(put) = past.put_by(n).filter(|_| first(i) == Some(register)) {
                        return Some(put);
                    }
                    if is_load(i) && self.stack_places(i)[0].is_some() {
                        // A place on the stack of which nothing is known any more: another path has
                        // put something else there.
                        break;
                    }
                    return None;
                }
                _ => {}
            }
        }
        Some(Held::Perhaps(last))
    }
}

/// Where the call leads that stands `n` instructions before the one before the last.
fn calls(i: &Instruction, at: u64, n: usize) -> Option<u64> {
    let Operand::PCOffset(by) = i.operands[0] else {
        return None;
    };
    let back = (n as u64 + 1) * 4;
    Some(at.wrapping_sub(back).wrapping_add_signed(by))
}

/// The register that an instruction's first operand is.
fn first(i: &Instruction) -> Option<u16> {
    match i.operands[0] {
        Operand::Register(_, n) | Operand::RegisterOrSP(_, n) => Some(n),
        _ => None,
    }
}

fn is_load(i: &Instruction) -> bool {
    matches!(i.opcode, Opcode::LDR | Opcode::LDUR | Opcode::LDP)
}

/// The register that an instruction copies: `mov x0, x1` is `orr x0, xzr, x1`.
pub(super) fn moved(i: &Instruction) -> Option<u16> {
    match (i.opcode, i.operands) {
        (
            Opcode::ORR,
            [
                Operand::Register(SizeCode::X, _),
                Operand::Register(_, 31),
                Operand::RegShift(ShiftStyle::LSL, 0, _, from),
                _,
            ],
        ) => Some(from),
        _ => None,
    }
}
