//! Whether a function, or a section of code, goes on to what stands behind it.

use std::collections::HashSet;
use std::sync::Arc;

use crate::arch::Arch;
use crate::decode::{Aarch64, Decode, Flow, Op, X86, for_each};
use crate::image::Image;
use crate::kind::Kind;
use crate::space::Space;

/// Whether the last instruction of a function, padding left out, goes on to what stands behind it.
/// A call is taken not to come back there, and what a system call does is not known: it goes on.
///
/// `index` is that of the function in the image; where there is none, it does not go on.
#[must_use]
pub fn runs_on(image: &Image, index: usize) -> bool {
    let Some(function) = image.functions.get(index) else {
        return false;
    };
    let mut last = None;
    for_each(&image.space, function.address, function.size(), |op| {
        if !op.is_padding() {
            last = Some(op.flow);
        }
    });
    last.is_some_and(goes_on)
}

/// The same of a section of an object, by its bytes and the offsets at which it may be entered
/// beside its beginning. What is no more than padding goes nowhere; what stands behind the last
/// instruction that is reached is data. Where jumps lead that go by a register is not known: then
/// all of it is taken for code.
#[must_use]
pub fn section_runs_on(arch: Arch, code: &[u8], entries: &[u64]) -> bool {
    let nothing = Space::of(arch, Kind::Object, Arc::default(), Vec::new());
    let from = |start: u64, take: &mut dyn FnMut(&Op) -> bool| {
        let code = usize::try_from(start).ok().and_then(|at| code.get(at..));
        let code = code.unwrap_or_default();
        match arch {
            Arch::X86_64 => each(X86::new(code, start, &nothing), take),
            Arch::Aarch64 => each(Aarch64::new(code, start, &nothing), take),
        }
    };
    let (mut last_goes_on, mut by_register) = (false, false);
    from(0, &mut |op| {
        by_register |= op.flow == Flow::IndirectJump;
        if !op.is_padding() {
            last_goes_on = goes_on(op.flow);
        }
        true
    });
    if !last_goes_on || by_register {
        return last_goes_on;
    }
    let end = code.len() as u64;
    let mut open: Vec<u64> = entries.iter().copied().chain([0]).collect();
    let mut seen: HashSet<u64> = HashSet::new();
    while let Some(start) = open.pop() {
        let mut at_end = false;
        from(start, &mut |op| {
            if !seen.insert(op.address) {
                at_end = false;
                return false;
            }
            if matches!(op.flow, Flow::Jump | Flow::Conditional) && op.target < end {
                open.push(op.target);
            }
            if !op.is_padding() {
                at_end = goes_on(op.flow);
            }
            !matches!(op.flow, Flow::Jump | Flow::Return | Flow::Stop)
        });
        if at_end {
            return true;
        }
    }
    false
}

fn goes_on(flow: Flow) -> bool {
    matches!(flow, Flow::Next | Flow::Conditional)
}

/// Hands over each instruction until there are no more, or `take` has seen enough.
fn each(mut decoder: impl Decode, take: &mut dyn FnMut(&Op) -> bool) {
    let mut op = Op::default();
    while decoder.next(&mut op) && take(&op) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_ends_with_what_goes_elsewhere_or_runs_on() {
        let runs_on = |code: &[u8]| section_runs_on(Arch::X86_64, code, &[]);
        // mov $1,%eax; nop
        assert!(runs_on(&[0xb8, 1, 0, 0, 0, 0x90]));
        // je .+2
        assert!(runs_on(&[0x74, 0]));
        // mov $1,%eax; ret; nop
        assert!(!runs_on(&[0xb8, 1, 0, 0, 0, 0xc3, 0x90]));
        // call, which does not come back; jmp; ud2
        assert!(!runs_on(&[0xe8, 0, 0, 0, 0]));
        assert!(!runs_on(&[0xe9, 0, 0, 0, 0]));
        assert!(!runs_on(&[0x0f, 0x0b]));
        assert!(!runs_on(&[]));
        // mov w0, #1; ret
        let arm = [0x20, 0x00, 0x80, 0x52, 0xc0, 0x03, 0x5f, 0xd6];
        assert!(section_runs_on(Arch::Aarch64, &arm[..4], &[]));
        assert!(!section_runs_on(Arch::Aarch64, &arm, &[]));
    }

    #[test]
    fn data_behind_the_last_instruction_that_is_reached_goes_nowhere() {
        let runs_on = |code: &[u8], entries: &[u64]| section_runs_on(Arch::X86_64, code, entries);
        // ret; .quad 1 (which reads as add %eax,(%rcx) and so on)
        let constant = [0xc3, 1, 0, 0, 0, 0, 0, 0, 0];
        assert!(!runs_on(&constant, &[]));
        // The same where something enters behind the return.
        assert!(runs_on(&constant, &[1]));
        // jmp to what stands behind the return: mov $1,%eax
        assert!(runs_on(&[0xeb, 1, 0xc3, 0xb8, 1, 0, 0, 0], &[]));
        // jmp *%rax: who knows where to.
        assert!(runs_on(&[0xff, 0xe0, 1, 0, 0, 0, 0, 0, 0, 0], &[]));
        // A loop that is met again on its way: jmp .-0
        assert!(!runs_on(&[0xeb, 0xfe, 1, 0, 0, 0], &[]));
    }
}
