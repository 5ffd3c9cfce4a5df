//! Calls of other files across 4 GiB. A predictor of branches that keeps the lower half of a target
//! has to take the upper half from elsewhere where it differs from the caller's (Intel 64 and
//! IA-32 Architectures Optimization Reference Manual: targets more than 4 GB away).
//!
//! Linux loads a program in the lower two thirds of the address space (`ELF_ET_DYN_BASE` of its
//! `arch/x86/include/asm/elf.h`), or where it was linked, and libraries by the stack: terabytes
//! away. Libraries lie beside each other, so that their calls are near.

use super::{LoopPlace, is_in_loop};
use crate::address::Address;
use crate::facts;
use crate::image::Image;
use crate::kind::Kind;
use crate::loaded::is_library;

/// A call, or a jump in place of one, of a function of another file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FarCall {
    /// Where the instruction stands.
    pub address: Address,
    /// The callee's name, demangled.
    pub callee: String,
    /// Whether it stands in a loop of the function.
    pub in_loop: bool,
}

/// Those of a function.
pub(super) fn of(image: &Image, index: usize, loops: &[LoopPlace]) -> Vec<FarCall> {
    if image.kind() == Kind::Object || is_library(&image.space.data) {
        return Vec::new();
    }
    let calls = facts::calls(image, index).into_iter();
    let far = |site: facts::Site| {
        let link = image.link_at(site.callee?.get())?;
        image.is_outward(link).then(|| FarCall {
            address: site.address,
            callee: crate::demangle(&link.name),
            in_loop: is_in_loop(loops, site.address.get()),
        })
    };
    let mut calls: Vec<FarCall> = calls.filter_map(far).collect();
    calls.sort_by_key(|call| call.address);
    calls
}
