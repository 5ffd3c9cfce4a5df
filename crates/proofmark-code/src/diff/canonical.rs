//! Names of symbols as two builds of one source have them in common.

use crate::names;

/// What the names of handles begin with, by which layouts find sections again.
const HANDLE: &str = "pm.";

/// A symbol's name without what differs between two builds of one source: the number of a local
/// `static`, the hash of a Rust path, the hash of a promoted local. A handle of a layout keeps its
/// number: that is all it says.
pub(super) fn canonical(symbol: &str) -> &str {
    let mut name = symbol;
    let digits = |number: &str| number.bytes().all(|b| b.is_ascii_digit());
    if name.strip_prefix(HANDLE).is_some_and(digits) {
        return name;
    }
    if let Some((stem, names::Split::Llvm | names::Split::LtoPrivate)) = names::split(name) {
        name = stem;
    }
    if names::split(name).is_none()
        && let Some((stem, number)) = name.rsplit_once('.')
        && !stem.is_empty()
        && !number.is_empty()
        && number.bytes().all(|b| b.is_ascii_digit())
    {
        name = stem;
    }
    // `_ZN…17h<16 digits>E`
    match name
        .len()
        .checked_sub(20)
        .and_then(|at| name.split_at_checked(at))
    {
        Some((stem, hash))
            if name.starts_with("_ZN") && hash.starts_with("17h") && hash.ends_with('E') =>
        {
            stem
        }
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_only_what_differs_between_builds() {
        assert_eq!(canonical("buffer.12"), "buffer");
        assert_eq!(canonical("pm.12"), "pm.12");
        assert_eq!(canonical("f.llvm.99"), "f");
        assert_eq!(canonical("f.constprop.0"), "f.constprop.0");
        assert_eq!(
            canonical("_ZN4core3fmt17h0123456789abcdefE"),
            "_ZN4core3fmt"
        );
        assert_eq!(canonical("_ZN3foo3barE"), "_ZN3foo3barE");
        assert_eq!(canonical("main.main"), "main.main");
        assert_eq!(
            canonical("ünïcödé-and-longer-than-twenty"),
            "ünïcödé-and-longer-than-twenty"
        );
    }
}
