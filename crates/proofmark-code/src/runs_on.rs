//! Whether a function goes on to what stands behind it.

use crate::decode::{Flow, for_each};
use crate::image::Image;

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
