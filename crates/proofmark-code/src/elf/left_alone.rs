//! Places in an object's code that its linker fills with something else than addresses: the offset
//! of a thread's own datum, for one.

use std::collections::HashMap;

use object::read::{Object, ObjectSection, ObjectSymbol, RelocationTarget};
use object::{Relocation, RelocationFlags, SymbolIndex, SymbolKind, elf};

use super::raw::relocate::{Places, carried_out};
use super::raw::{File, Placement};
use super::reopen;
use crate::arch::Arch;
use crate::image::Image;
use crate::kind::Kind;

/// The length of the shortest entry of a relocation, in bytes.
const ENTRY: usize = 16;
/// Names of symbols are never believed to have more than this many times what the file has.
const SHARED: usize = 4;

/// The number of what an object's linker fills places in so many bytes of code with, other than
/// with addresses. `number` makes numbers of symbols' names, and is to be the same each time.
pub(crate) fn filled_at(
    image: &Image,
    address: u64,
    len: u64,
    number: impl Fn(&str) -> u64,
) -> Option<u64> {
    if image.kind() != Kind::Object {
        return None;
    }
    let places = image.left_alone.get_or_init(|| left_alone(image, number));
    let first = places.partition_point(|(place, _)| *place < address);
    let inside = places[first..]
        .iter()
        .take_while(|(place, _)| place - address < len);
    inside
        .map(|(_, number)| *number)
        .reduce(|a, b| a.rotate_left(1) ^ b)
}

/// Places in an object's code that [`relocated`] leaves as they are, in order of address, each with
/// a number for what it is filled with: what `number` makes of the symbol's name, and the distance
/// from it. There are no more than the file has room for, and each symbol's name is read once. What
/// has no name is left out.
fn left_alone(image: &Image, number: impl Fn(&str) -> u64) -> Vec<(u64, u64)> {
    let Some(file) = reopen(image).filter(|_| image.space.kind == Kind::Object) else {
        return Vec::new();
    };
    let Ok(placement) = Placement::of(&file) else {
        return Vec::new();
    };
    let x86 = image.space.arch == Arch::X86_64;
    let mut named = Named::of(&file, number);
    let mut room = file.data().len() / ENTRY;
    let mut left = Vec::new();
    for section in file.sections() {
        let base = placement.base(section.index());
        let code = image.section_at(base).is_some_and(|s| s.executable);
        for (offset, relocation) in section.relocations().take_while(|_| code) {
            let Some(less) = room.checked_sub(1) else {
                break;
            };
            room = less;
            let place = base.wrapping_add(offset);
            let symbol = symbol_left(&file, &placement, &relocation, place, x86);
            let number = symbol.and_then(|s| named.number(s, relocation.addend().cast_unsigned()));
            left.extend(number.map(|number| (place, number)));
        }
    }
    left.sort_unstable();
    left
}

/// Numbers for places that have a name, or are at some distance from one that has.
struct Named<'a, F> {
    file: &'a File<'a>,
    number: F,
    /// Of symbols seen before; `None` for those without a name.
    numbers: HashMap<usize, Option<u64>>,
    /// So many bytes of names may still be read: many symbols may have one long name.
    left: usize,
    /// Data of threads that have a name: section, offset in it, and the symbol.
    own: Vec<(usize, u64, usize)>,
}

impl<'a, F: Fn(&str) -> u64> Named<'a, F> {
    fn of(file: &'a File<'a>, number: F) -> Self {
        let mut named = Named {
            file,
            number,
            numbers: HashMap::new(),
            left: file.data().len().saturating_mul(SHARED),
            own: Vec::new(),
        };
        for symbol in file.symbols().filter(|s| s.kind() == SymbolKind::Tls) {
            let index = symbol.index().0;
            if let (Some(section), Some(_)) = (symbol.section_index(), named.of_name(index)) {
                named.own.push((section.0, symbol.address(), index));
            }
        }
        named.own.sort_unstable();
        named
    }

    fn number(&mut self, index: SymbolIndex, addend: u64) -> Option<u64> {
        if let Some(number) = self.of_name(index.0) {
            return Some(number.wrapping_add(addend));
        }
        // An anchor of gcc's, or the section itself.
        let symbol = self.file.symbol_by_index(index).ok()?;
        let section = symbol.section_index()?.0;
        let at = symbol.address().wrapping_add(addend);
        let behind = self.own.partition_point(|o| (o.0, o.1) <= (section, at));
        let (_, start, index) = *self.own[..behind].last().filter(|o| o.0 == section)?;
        Some(self.of_name(index)?.wrapping_add(at - start))
    }

    fn of_name(&mut self, index: usize) -> Option<u64> {
        if let Some(number) = self.numbers.get(&index) {
            return *number;
        }
        let symbol = self.file.symbol_by_index(SymbolIndex(index)).ok()?;
        let name = symbol.name().ok().filter(|_| self.left > 0).unwrap_or("");
        self.left = self.left.saturating_sub(name.len());
        let named = is_name(name) && symbol.kind() != SymbolKind::Section;
        let number = named.then(|| (self.number)(name));
        self.numbers.insert(index, number);
        number
    }
}

/// Whether a name is one, and no label by the compiler or mark by the assembler.
fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.starts_with(".L") && !name.starts_with('$')
}

/// The symbol of a relocation that is not carried out.
fn symbol_left(
    file: &File<'_>,
    placement: &Placement,
    relocation: &Relocation,
    place: u64,
    x86: bool,
) -> Option<SymbolIndex> {
    let RelocationFlags::Elf { r_type } = relocation.flags() else {
        return None;
    };
    let RelocationTarget::Symbol(symbol) = relocation.target() else {
        return None;
    };
    // As the linker would: on no bytes of the file.
    let places = Places::of(file, placement, relocation, place);
    let done = places.and_then(|p| carried_out(&mut [0; 8], 0, x86, r_type, &p));
    let none = [elf::R_X86_64_NONE, elf::R_AARCH64_NONE].contains(&r_type);
    (done.is_none() && !none).then_some(symbol)
}
