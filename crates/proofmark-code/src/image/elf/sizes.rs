//! Sizes that a symbol table leaves out or overstates.

use crate::decode;
use crate::image::Image;

/// Functions may overlap (assembly has several entries to one body), but all together they are never believed to be longer
/// than this many times the code that there is: a damaged table would keep the reader busy for ever.
const OVERLAP: u64 = 3;

/// Gives a size to functions that have none, and cuts what cannot be.
pub(super) fn complete(image: &mut Image) {
    let starts: Vec<(u64, usize)> = image
        .functions
        .iter()
        .map(|f| (f.address, f.section))
        .collect();
    let total: u64 = image
        .functions
        .iter()
        .map(|f| f.size)
        .fold(0, u64::saturating_add);
    let cut = total > image.code_bytes().saturating_mul(OVERLAP);
    for i in 0..starts.len() {
        let size = image.functions[i].size;
        if size != 0 && !cut {
            continue;
        }
        let (start, section) = starts[i];
        let end = image
            .sections
            .get(section)
            .map_or(start, |s| s.address + s.size);
        let room = starts
            .get(i + 1)
            .map_or(end, |next| next.0.min(end))
            .saturating_sub(start);
        image.functions[i].size = if size == 0 {
            trimmed(image, start, room)
        } else {
            size.min(room)
        };
    }
    image.functions.retain(|f| f.size > 0);
}

/// The length up to the last instruction that is not padding: 0 for a label in front of padding only, which is no function.
fn trimmed(image: &Image, start: u64, room: u64) -> u64 {
    let mut last = 0;
    decode::for_each(image, start, room, |op| {
        if !op.is_padding() {
            last = op.address + u64::from(op.len) - start;
        }
    });
    last
}
