//! Sizes that a symbol table leaves out or overstates.

use crate::decode;
use crate::image::{Contents, Function, Image};

/// Functions may overlap (assembly has several entries to one body), but all together they are
/// never believed to be longer than this many times the code that there is: a damaged table would
/// keep the reader busy for ever.
const OVERLAP: u64 = 3;

/// The longest function, in bytes: an AArch64 branch reaches 128 MiB either way, so that beyond
/// this not even compilers' output could jump from one end to the other. The longest that is known,
/// an interpreter's or a parser's, has a few MiB. Anything larger is a file that claims what it
/// does not hold (a sparse one costs nothing to make), and to go through it would take gigabytes.
pub(super) const LONGEST: u64 = 1 << 28;

/// Gives a size to functions that have none, and cuts what cannot be.
///
/// # Errors
/// The offset in the file, and what is wrong there, when a function is longer than [`LONGEST`].
pub(super) fn complete(image: &mut Image) -> Result<(), (u64, String)> {
    let total: u64 = image
        .functions
        .iter()
        .map(|f| f.size)
        .fold(0, u64::saturating_add);
    let cut = total > image.code_bytes().saturating_mul(OVERLAP);
    for i in 0..image.functions.len() {
        let function = &image.functions[i];
        let (start, size, section) = (function.address, function.size, function.section as usize);
        if size != 0 && !cut {
            continue;
        }
        let end = image
            .sections
            .get(section)
            .map_or(start, |s| s.address + s.size);
        let room = image
            .functions
            .get(i + 1)
            .map_or(end, |next| next.address.min(end))
            .saturating_sub(start);
        image.functions[i].size = if size != 0 {
            size.min(room)
        } else if room <= LONGEST {
            trimmed(image, start, room)
        } else {
            room
        };
    }
    drop_empty(&mut image.functions);
    let long = image.functions.iter().find(|f| f.size > LONGEST);
    long.map_or(Ok(()), |long| {
        let what = format!(
            "the function {} has {} bytes; more than {LONGEST} are not believed",
            long.name(),
            long.size
        );
        Err((offset(image, long.address), what))
    })
}

/// Takes out functions without any code. What names others by their number does so still.
fn drop_empty(functions: &mut Vec<Function>) {
    if functions.iter().all(|f| f.size > 0) {
        return;
    }
    let mut kept = 0;
    let numbers = functions.iter().map(|f| {
        let number = kept;
        kept += usize::from(f.size > 0);
        (f.size > 0).then_some(number)
    });
    let numbers: Vec<Option<usize>> = numbers.collect();
    functions.retain(|f| f.size > 0);
    for function in functions {
        let parent = function.parent();
        function.set_parent(parent.and_then(|old| *numbers.get(old)?));
    }
}

/// Where in the file an address is.
fn offset(image: &Image, address: u64) -> u64 {
    match image.section_at(address).map(|s| (s, &s.contents)) {
        Some((section, Contents::File(range))) => range.start as u64 + (address - section.address),
        // Of an object, whose sections are copies.
        _ => image.extent.start as u64,
    }
}

/// The length up to the last instruction that is not padding: 0 for a label in front of padding
/// only, which is no function.
fn trimmed(image: &Image, start: u64, room: u64) -> u64 {
    let mut last = 0;
    decode::for_each(image, start, room, |op| {
        if !op.is_padding() {
            last = op.address + u64::from(op.len) - start;
        }
    });
    last
}
