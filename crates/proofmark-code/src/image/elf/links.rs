//! Ways out of an image: slots that the dynamic linker fills, the stubs that jump through them, and pointers that it relocates.

use std::collections::HashMap;

use object::elf;
use object::read::elf::{SectionHeader, Sym};
use object::read::{Object, ObjectSymbol, ObjectSymbolTable, RelocationTarget};
use object::{LittleEndian, RelocationFlags};

use super::copied::Names;
use super::sizes::LONGEST;
use super::{File, Placement};
use crate::decode::{self, Flow};
use crate::image::{Image, Link, LinkKind};
use crate::{Arch, names};

/// Functions that never return, by the name that a program calls them by.
const NEVER: [&str; 26] = [
    "abort",
    "exit",
    "_exit",
    "_Exit",
    "quick_exit",
    "__stack_chk_fail",
    "__assert_fail",
    "__assert_perror_fail",
    "__fortify_fail",
    "__chk_fail",
    "__libc_fatal",
    "longjmp",
    "_longjmp",
    "siglongjmp",
    "__longjmp_chk",
    "__cxa_throw",
    "__cxa_rethrow",
    "__cxa_throw_bad_array_new_length",
    "__cxa_bad_cast",
    "__cxa_pure_virtual",
    "_Unwind_Resume",
    "__clang_call_terminate",
    "pthread_exit",
    "_ZSt9terminatev",
    "_ZSt17__throw_bad_allocv",
    "rust_begin_unwind",
];
/// Rust's ways to panic, and libstdc++'s to throw, by the beginning of their mangled names.
const NEVER_BEGINS: [&str; 5] = [
    "_ZN4core9panicking",
    "_ZN4core6option13expect_failed",
    "_ZN4core6result13unwrap_failed",
    "_ZSt20__throw_",
    "_ZSt19__throw_",
];

/// What a pointer takes where the dynamic linker writes it, in bytes.
const SLOT: usize = 8;

/// Reads the dynamic relocations and the stubs of a linked image.
pub(super) fn read(file: &File<'_>, image: &mut Image) {
    let mut slots: HashMap<u64, Box<str>> = HashMap::new();
    // Many sections may name the same bytes: no more entries are read than the file has room for slots that they fill.
    let most = file.data().len() / SLOT;
    let mut names = Names::of(file);
    let relocations = file.dynamic_relocations().into_iter().flatten();
    for (place, relocation) in relocations.take(most) {
        let RelocationFlags::Elf { r_type } = relocation.flags() else {
            continue;
        };
        #[expect(
            clippy::cast_sign_loss,
            reason = "an addend of a relative relocation is an address"
        )]
        let addend = relocation.addend() as u64;
        match (image.arch, r_type) {
            (Arch::X86_64, elf::R_X86_64_RELATIVE) | (Arch::Aarch64, elf::R_AARCH64_RELATIVE) => {
                image.pointers.push((place, addend));
            }
            (Arch::X86_64, elf::R_X86_64_IRELATIVE) | (Arch::Aarch64, elf::R_AARCH64_IRELATIVE) => {
                if let Some(function) = image.function_at(addend) {
                    slots.insert(place, image.functions[function].symbol().into());
                }
            }
            _ => {
                let RelocationTarget::Symbol(index) = relocation.target() else {
                    continue;
                };
                let symbol = file
                    .dynamic_symbol_table()
                    .and_then(|t| t.symbol_by_index(index).ok());
                let Some(symbol) = symbol else { continue };
                if let Some(name) = symbol
                    .name()
                    .ok()
                    .filter(|n| !n.is_empty() && relocation.addend() == 0)
                    .and_then(|name| names.copy(name.as_bytes()))
                {
                    slots.insert(place, name);
                }
                if symbol.is_definition() {
                    image
                        .pointers
                        .push((place, symbol.address().wrapping_add(addend)));
                }
            }
        }
    }
    relr(file, image);
    // Linkers write them in a few runs, each in order, which this sort merges.
    image.pointers.sort();
    image.pointers.dedup_by_key(|p| p.0);
    let stubs = stubs(image, &slots);
    image.links = stubs;
    image
        .links
        .extend(slots.into_iter().map(|(address, name)| Link {
            address,
            name,
            kind: LinkKind::Slot,
            slot: address,
        }));
    image
        .links
        .sort_by(|a, b| (a.address, &a.name).cmp(&(b.address, &b.name)));
    image.links.dedup_by_key(|l| l.address);
}

/// Compressed relative relocations: the slot itself holds the value. Many sections may name the same bytes: no more of them
/// are read than the file has, nor more slots than it has room for.
fn relr(file: &File<'_>, image: &mut Image) {
    let mut bytes_left = file.data().len() as u64;
    let mut slots_left = file.data().len() / SLOT;
    for header in file.elf_section_table().iter() {
        let Ok(Some(places)) = header.relr(LittleEndian, file.data()) else {
            continue;
        };
        let Some(left) = bytes_left.checked_sub(header.sh_size(LittleEndian)) else {
            return;
        };
        bytes_left = left;
        for place in places {
            let Some(left) = slots_left.checked_sub(1) else {
                return;
            };
            slots_left = left;
            if let Ok(bytes) = image.bytes_at(place, 8).try_into() {
                image.pointers.push((place, u64::from_le_bytes(bytes)));
            }
        }
    }
}

/// The stubs: in each, the jump through a slot gives the name, and the stub begins where the one before ended.
fn stubs(image: &Image, slots: &HashMap<u64, Box<str>>) -> Vec<Link> {
    let mut links = Vec::new();
    // Of real files, all stubs together are not as long as one function may be.
    let sections = image.sections.iter();
    for section in sections.filter(|s| s.stubs && s.size <= LONGEST) {
        let mut landing = None;
        let mut first = None;
        decode::for_each(image, section.address, section.size, |op| {
            if op.traits.is_landing_pad() {
                landing = Some(op.address);
            }
            if op.traits.is_page() {
                first = Some(op.address);
            }
            if op.flow != Flow::IndirectJump {
                return;
            }
            if let Some(name) = slots.get(&op.target) {
                let jump = op.address;
                let body = first.unwrap_or(jump);
                links.push(Link {
                    address: body,
                    name: name.clone(),
                    kind: LinkKind::Stub,
                    slot: op.target,
                });
                if let Some(landing) =
                    landing.filter(|l| body.checked_sub(*l).is_some_and(|by| by <= 8))
                {
                    links.push(Link {
                        address: landing,
                        name: name.clone(),
                        kind: LinkKind::Stub,
                        slot: op.target,
                    });
                }
            }
            (landing, first) = (None, None);
        });
    }
    links
}

/// The undefined functions of an object file and the slots of all its symbols.
pub(super) fn undefined(file: &File<'_>, placement: &Placement, image: &mut Image) {
    let table = file.elf_symbol_table();
    let mut names = Names::of(file);
    for (index, symbol) in table.enumerate() {
        let Ok(name) = table.symbol_name(LittleEndian, symbol) else {
            continue;
        };
        if name.is_empty() {
            continue;
        }
        let section = symbol.st_shndx(LittleEndian);
        if section == elf::SHN_UNDEF || section == elf::SHN_COMMON {
            let Some(name) = names.copy(name) else { break };
            image.links.push(Link {
                address: placement.undefined(index),
                name,
                kind: LinkKind::Undefined,
                slot: 0,
            });
        } else if let Some(address) = placement.symbol(file, index) {
            image.pointers.push((placement.slot(index), address));
        }
        let Some(name) = names.copy(name) else { break };
        image.links.push(Link {
            address: placement.slot(index),
            name,
            kind: LinkKind::Slot,
            slot: placement.slot(index),
        });
    }
    image.links.sort_by_key(|l| l.address);
    image.pointers.sort_unstable();
}

/// The lowest and the highest address of all stubs, and of all slots.
pub(super) fn spans(image: &Image) -> [(u64, u64); 2] {
    let mut spans = [(u64::MAX, 0); 2];
    for link in &image.links {
        let span = &mut spans[usize::from(link.kind == LinkKind::Slot)];
        *span = (span.0.min(link.address), span.1.max(link.address));
    }
    spans
}

/// Addresses, sorted, of all functions and stubs that never return.
pub(super) fn noreturn(image: &Image) -> Vec<u64> {
    let never = |name: &str| {
        NEVER.contains(&names::base(name)) || NEVER_BEGINS.iter().any(|b| name.starts_with(b))
    };
    let functions = image
        .functions
        .iter()
        .filter(|f| f.symbol.iter().chain(&f.aliases).any(|n| never(n)))
        .map(|f| f.address);
    let mut all: Vec<u64> = functions
        .chain(
            image
                .links
                .iter()
                .filter(|l| never(&l.name))
                .map(|l| l.address),
        )
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}
