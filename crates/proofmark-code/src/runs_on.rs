//! Whether a function, or a section of code, goes on to what stands behind it.

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
    matches!(last, Some(Flow::Next | Flow::Conditional))
}

/// The same of a section of an object, by its bytes. What is no more than padding goes nowhere.
#[must_use]
pub fn section_runs_on(arch: Arch, code: &[u8]) -> bool {
    let nothing = Space::of(arch, Kind::Object, Arc::default(), Vec::new());
    match arch {
        Arch::X86_64 => last_goes_on(X86::new(code, 0, &nothing)),
        Arch::Aarch64 => last_goes_on(Aarch64::new(code, 0, &nothing)),
    }
}

fn last_goes_on(mut decoder: impl Decode) -> bool {
    let (mut op, mut goes_on) = (Op::default(), false);
    while decoder.next(&mut op) {
        if !op.is_padding() {
            goes_on = matches!(op.flow, Flow::Next | Flow::Conditional);
        }
    }
    goes_on
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_ends_with_what_goes_elsewhere_or_runs_on() {
        let runs_on = |code: &[u8]| section_runs_on(Arch::X86_64, code);
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
        assert!(section_runs_on(Arch::Aarch64, &arm[..4]));
        assert!(!section_runs_on(Arch::Aarch64, &arm));
    }
}
