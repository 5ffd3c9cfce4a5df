//! Sizes that a symbol table leaves out or overstates.

use crate::decode;
use crate::image::Function;
use crate::space::{Contents, Space};

/// Functions may overlap (assembly has several entries to one body), but all together they are
/// never believed to be longer than this many times the code that there is: a damaged table would
/// keep the reader busy for ever.
const OVERLAP: u64 = 3;

/// The longest function, in bytes: an AArch64 branch reaches 128 MiB either way, so that beyond
/// this not even compilers' output could jump from one end to the other. The longest that is known,
/// an interpreter's or a parser's, has a few MiB. Anything larger is a file that claims what it
/// does not hold (a sparse one costs nothing to make), and to go through it would take gigabytes.
pub(super) const LONGEST: u64 = 1 << 28;

/// A function that is longer than any can be.
pub(in crate::elf) struct TooLong {
    name: String,
    address: u64,
    size: u64,
}

impl TooLong {
    /// Where in the file it is; `base` is where its image begins.
    pub(in crate::elf) fn offset(&self, space: &Space, base: u64) -> u64 {
        match space.section_at(self.address).map(|s| (s, &s.contents)) {
            Some((section, Contents::File(range))) => {
                range.start as u64 + (self.address - section.address)
            }
            // Of an object, whose sections are copies.
            _ => base,
        }
    }

    /// What is wrong with it.
    pub(in crate::elf) fn said(&self) -> String {
        format!(
            "the function {} has {} bytes; more than {LONGEST} are not believed",
            self.name, self.size
        )
    }
}

/// Gives a size to functions that have none, and cuts what cannot be.
///
/// # Errors
/// When a function is longer than [`LONGEST`].
pub(super) fn complete(space: &Space, functions: &mut Vec<Function>) -> Result<(), TooLong> {
    let total: u64 = functions
        .iter()
        .map(|f| f.size)
        .fold(0, u64::saturating_add);
    let cut = total > space.code_bytes().saturating_mul(OVERLAP);
    for i in 0..functions.len() {
        let function = &functions[i];
        let (start, size, section) = (function.address, function.size, function.section as usize);
        if size != 0 && !cut {
            continue;
        }
        let end = space
            .sections
            .get(section)
            .map_or(start, |s| s.address + s.size);
        let room = functions
            .get(i + 1)
            .map_or(end, |next| next.address.min(end))
            .saturating_sub(start);
        functions[i].size = if size != 0 {
            size.min(room)
        } else if room <= LONGEST {
            trimmed(space, start, room)
        } else {
            room
        };
    }
    drop_empty(functions);
    let long = functions.iter().find(|f| f.size > LONGEST);
    long.map_or(Ok(()), |long| {
        Err(TooLong {
            name: long.name(),
            address: long.address,
            size: long.size,
        })
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

/// The length up to the last instruction that is not padding: 0 for a label in front of padding
/// only, which is no function.
fn trimmed(space: &Space, start: u64, room: u64) -> u64 {
    let mut last = 0;
    decode::for_each(space, start, room, |op| {
        if !op.is_padding() {
            last = op.address + u64::from(op.len) - start;
        }
    });
    last
}
