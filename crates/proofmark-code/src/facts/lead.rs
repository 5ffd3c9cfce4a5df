//! Where an indirect jump leads, as far as that can be known.
//!
//! The instructions before the jump say what kind of place the target was loaded from; the
//! strongest evidence is the table itself, whose entries lead either into the function (then it is
//! a table of labels) or to other functions. What cannot be known stays unknown.

use crate::arch::Arch;
use crate::decode::{Check, Origin};
use crate::image::Image;

/// More entries than this are not read from a table.
const MOST: u64 = 4096;
/// So many entries of a table are looked at to see what sort it is.
const SAMPLE: u64 = 32;

/// What is known of the function's stack where a jump stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    /// The function has used its stack before this place.
    pub(super) used: bool,
    /// Stack was given back just before, as before a return.
    pub(super) released: bool,
}

/// Where an indirect jump leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lead {
    /// Into the function, through a table made for a `switch`.
    JumpTable,
    /// Into the function, through the program's own table or pointer.
    ComputedGoto,
    /// To another function.
    TailCall,
    /// To another function, through this slot of the dynamic linker.
    Linkage(u64),
    /// Nothing says where.
    Unknown,
}

/// Where the jump in function `index` leads whose target came from `origin`.
pub(super) fn lead(image: &Image, index: usize, origin: Origin, frame: Frame) -> Lead {
    match origin {
        Origin::Slot(slot) if image.link_at(slot).is_some() => Lead::Linkage(slot),
        Origin::Slot(slot) => match image.pointer_at(slot).and_then(|p| image.function_at(p)) {
            Some(to) if image.same_function(to, index) => Lead::ComputedGoto,
            _ => Lead::TailCall,
        },
        Origin::Pointers { .. } | Origin::Offsets { .. } => Table::of(image, origin)
            .and_then(|table| known(image, index, &table, origin))
            .filter(|lead| *lead != Lead::Unknown || !is_compiled(origin))
            .unwrap_or_else(|| guessed(origin, frame)),
        Origin::Address(to) => match image.function_at(to) {
            Some(f) if image.same_function(f, index) && !is_start(image, index, to) => {
                Lead::ComputedGoto
            }
            _ => Lead::TailCall,
        },
        Origin::BetweenFunctions => Lead::TailCall,
        Origin::Memory | Origin::Register | Origin::Computed if frame.released => Lead::TailCall,
        Origin::Memory | Origin::Register if !frame.used => Lead::TailCall,
        Origin::Memory | Origin::Register | Origin::Computed => Lead::Unknown,
    }
}

/// Whether the instructions alone say that a compiler wrote the jump for a `switch`.
fn is_compiled(origin: Origin) -> bool {
    matches!(origin, Origin::Offsets { compiled: true, .. })
}

/// Whether a function begins at this address, which says nothing of whether a jump there leaves it.
fn is_start(image: &Image, index: usize, address: u64) -> bool {
    image.functions[index].address == address
}

/// From a table that can be read; `None` when what stands there is no table of code addresses at
/// all (then the register held something else by the time). The function's own start says nothing:
/// a table of opcode handlers holds that of each handler.
fn known(image: &Image, index: usize, table: &Table, origin: Origin) -> Option<Lead> {
    let mut starts = true;
    let mut any = false;
    for target in table.entries(image, SAMPLE) {
        let Some(to) = image.function_at(target) else {
            break;
        };
        any = true;
        let start = image.functions[to].address == target;
        let inside = image.same_function(to, index) && !is_start(image, index, target);
        if inside || image.functions[to].is_stray_piece() {
            return Some(own(image, table, origin));
        }
        starts &= start;
    }
    any.then_some(if starts {
        Lead::TailCall
    } else {
        Lead::Unknown
    })
}

/// From a table of places in this function.
fn own(image: &Image, table: &Table, origin: Origin) -> Lead {
    let checked = !matches!(
        origin,
        Origin::Pointers {
            check: Check::None,
            ..
        }
    );
    let pointers = matches!(origin, Origin::Pointers { .. });
    let writable = image
        .section_at(table.start)
        .is_some_and(|section| section.writable);
    if image.datum_at(table.start).is_some() || is_the_programs(image, table, origin) {
        Lead::ComputedGoto
    } else if pointers && writable && !checked {
        // Position-independent compilers write offsets for a `switch`; pointers there are the
        // program's, also where clang gives its array no name because it is local.
        Lead::ComputedGoto
    } else if image.has_local_symbols || !pointers || checked {
        // A compiler's own table has no name; with local symbols there, the program's would have
        // one.
        Lead::JumpTable
    } else {
        Lead::Unknown
    }
}

/// Whether a table is of a kind that no compiler makes for a `switch`: its offsets count from
/// elsewhere, or, on AArch64, it holds pointers.
fn is_the_programs(image: &Image, table: &Table, origin: Origin) -> bool {
    match (origin, image.space.arch) {
        (
            Origin::Offsets {
                compiled: false, ..
            },
            _,
        ) => true,
        // On x86-64 offsets count from the table itself.
        (Origin::Offsets { .. }, Arch::X86_64) => table.base != Some(table.start),
        (Origin::Offsets { .. }, Arch::Aarch64) => false,
        (
            Origin::Pointers {
                check: Check::None, ..
            },
            Arch::Aarch64,
        ) => true,
        _ => false,
    }
}

/// From a table whose place is not known.
fn guessed(origin: Origin, frame: Frame) -> Lead {
    match (origin, frame) {
        (Origin::Offsets { compiled: true, .. }, _) => Lead::JumpTable,
        (_, Frame { released: true, .. }) => Lead::TailCall,
        (_, Frame { used: false, .. }) => Lead::Unknown,
        (
            Origin::Pointers {
                check: Check::None, ..
            }
            | Origin::Offsets { .. },
            _,
        ) => Lead::ComputedGoto,
        _ => Lead::JumpTable,
    }
}

/// A table of places, and how to read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Table {
    pub(super) start: u64,
    base: Option<u64>,
    width: u8,
    signed: bool,
    shift: u8,
    /// Entries that there can be.
    room: u64,
}

impl Table {
    /// The table of an origin, where its place is known.
    pub(super) fn of(image: &Image, origin: Origin) -> Option<Table> {
        let (mut table, check) = match origin {
            Origin::Pointers { table, check } => (
                Table {
                    start: table?,
                    base: None,
                    width: 8,
                    signed: false,
                    shift: 0,
                    room: MOST,
                },
                check,
            ),
            Origin::Offsets {
                table,
                base,
                width,
                signed,
                shift,
                check,
                compiled: _,
            } => {
                let start = table?;
                (
                    Table {
                        start,
                        base: Some(base.unwrap_or(start)),
                        width,
                        signed,
                        shift,
                        room: MOST,
                    },
                    check,
                )
            }
            _ => return None,
        };
        if let Some(datum) = image.datum_at(table.start) {
            table.room = table.room.min(
                datum.size.saturating_sub(table.start - datum.address)
                    / u64::from(table.width.max(1)),
            );
        }
        if let Check::AtMost(most) = check {
            table.room = table.room.min(most.saturating_add(1));
        }
        Some(table)
    }

    /// Cuts the table where the next one begins.
    pub(super) fn end_before(&mut self, next: u64) {
        if next > self.start {
            self.room = self
                .room
                .min((next - self.start) / u64::from(self.width.max(1)));
        }
    }

    /// The places that its entries stand for, at most `most`. A table of offsets ends where its
    /// section does.
    fn entries<'a>(&'a self, image: &'a Image, most: u64) -> impl Iterator<Item = u64> + 'a {
        let count = self.room.min(most);
        let width = usize::from(self.width.max(1));
        let bytes = match self.base {
            Some(_) => image.bytes_at(self.start, count.saturating_mul(width as u64)),
            None => &[],
        };
        let mut offsets = bytes.chunks_exact(width);
        (0..count).map_while(move |i| match self.base {
            Some(base) => {
                let offset = self.offset(offsets.next()?)?;
                Some(base.wrapping_add_signed(offset << (self.shift & 15)))
            }
            None => image.pointer_at(self.start.wrapping_add(i * 8)),
        })
    }

    /// The number that the bytes of an entry are.
    fn offset(&self, bytes: &[u8]) -> Option<i64> {
        Some(match (bytes, self.signed) {
            ([b], false) => i64::from(*b),
            ([b], true) => i64::from(b.cast_signed()),
            ([a, b], false) => i64::from(u16::from_le_bytes([*a, *b])),
            ([a, b], true) => i64::from(i16::from_le_bytes([*a, *b])),
            ([a, b, c, d], _) => i64::from(i32::from_le_bytes([*a, *b, *c, *d])),
            _ => i64::from_le_bytes(bytes.try_into().ok()?),
        })
    }

    /// The distinct targets up to the first entry that leaves the function and its pieces, or until
    /// no more entries may be read: each one is taken from `left`.
    pub(super) fn targets(&self, image: &Image, index: usize, left: &mut u64) -> Vec<u64> {
        let own = image.functions[index].address..image.functions[index].end();
        let belongs = |t: &u64| {
            own.contains(t)
                || image.function_at(*t).is_some_and(|f| {
                    image.same_function(f, index) || image.functions[f].is_stray_piece()
                })
        };
        let entries = self.entries(image, MOST.min(*left));
        let mut targets: Vec<u64> = entries.take_while(belongs).collect();
        *left -= targets.len() as u64;
        targets.sort_unstable();
        targets.dedup();
        targets
    }
}
