//! Memory: how its pages are handed out, and when they go to disk.

use super::{Step, one};
use crate::setting::Setting;
use crate::tree::Tree;

pub(super) fn huge_pages(tree: &dyn Tree) -> (String, Step) {
    let otherwise = "this kernel has none";
    let (found, step) = one(tree, Setting::HugePages, "madvise", otherwise);
    // Nobody gets them by luck.
    let step = if found == "never" { Step::Good } else { step };
    (found, step)
}

pub(super) fn swappiness(tree: &dyn Tree) -> (String, Step) {
    let (found, step) = one(tree, Setting::Swappiness, "0", "the kernel does not tell");
    let swaps = tree.read("proc/swaps").unwrap_or_default();
    // The first line is a heading.
    if swaps.lines().count() < 2 {
        return (format!("{found}, and nowhere to swap to"), Step::Good);
    }
    (found, step)
}
