//! Names by which linkers order what is laid out.

/// What a section of code is called where the linker sorts by name; digits follow.
pub(crate) const SORTED: &str = ".text.sorted.";
/// Digits behind it.
pub(crate) const DIGITS: usize = 7;

/// The name of a unit's handle.
pub(crate) fn handle(number: u32) -> String {
    format!("pm.{number:0DIGITS$}")
}
