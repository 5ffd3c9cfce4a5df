//! What the kernel lets programs count, and whether it draws addresses.

use super::{Step, one};
use crate::setting::Setting;
use crate::tree::Tree;

/// The level at which users may count and sample their own programs.
const OWN_PROGRAMS: i64 = 2;
/// What the kernel begins with. It lowers it by itself where samples take too long.
const SAMPLES_A_SECOND: i64 = 100_000;
/// What proofmark asks for, in samples a second.
const NEEDED: i64 = 5_002;

pub(super) fn perf_paranoid(tree: &dyn Tree) -> (String, Step) {
    let enough = |level: i64| level <= OWN_PROGRAMS;
    number(tree, Setting::PerfParanoid, enough, OWN_PROGRAMS)
}

pub(super) fn sample_rate(tree: &dyn Tree) -> (String, Step) {
    let enough = |rate: i64| rate >= NEEDED;
    number(tree, Setting::SampleRate, enough, SAMPLES_A_SECOND)
}

fn number(
    tree: &dyn Tree,
    setting: Setting,
    enough: impl Fn(i64) -> bool,
    wanted: i64,
) -> (String, Step) {
    let otherwise = "this kernel has no perf events";
    let (found, step) = one(tree, setting, &wanted.to_string(), otherwise);
    let step = if found.parse().is_ok_and(enough) {
        Step::Good
    } else {
        step
    };
    (found, step)
}

pub(super) fn aslr(tree: &dyn Tree) -> (String, Step) {
    one(tree, Setting::Aslr, "0", "the kernel does not tell")
}
