//! Functions that never return, by name.

use crate::image::{Function, Link, Name};
use crate::names;

/// Functions that never return, by the name that a program calls them by.
const NEVER: [&str; 26] = [
    "abort",
    "exit",
    "_exit",
    "_Exit",
    "quick_exit",
    "__stack_chk_fail",
    "__assert_fail",
    "__assert_perror_fail",
    "__fortify_fail",
    "__chk_fail",
    "__libc_fatal",
    "longjmp",
    "_longjmp",
    "siglongjmp",
    "__longjmp_chk",
    "__cxa_throw",
    "__cxa_rethrow",
    "__cxa_throw_bad_array_new_length",
    "__cxa_bad_cast",
    "__cxa_pure_virtual",
    "_Unwind_Resume",
    "__clang_call_terminate",
    "pthread_exit",
    "_ZSt9terminatev",
    "_ZSt17__throw_bad_allocv",
    "rust_begin_unwind",
];
/// Rust's ways to panic, and libstdc++'s to throw, by the beginning of their mangled names.
const NEVER_BEGINS: [&str; 5] = [
    "_ZN4core9panicking",
    "_ZN4core6option13expect_failed",
    "_ZN4core6result13unwrap_failed",
    "_ZSt20__throw_",
    "_ZSt19__throw_",
];

/// One bit for the first two bytes of each name of a function that never returns, and for others
/// that look alike: most names need not be looked at further.
const BEGINNINGS: u128 = {
    let mut beginnings = 0;
    let mut i = 0;
    while i < NEVER.len() + NEVER_BEGINS.len() {
        let name = if i < NEVER.len() {
            NEVER[i]
        } else {
            NEVER_BEGINS[i - NEVER.len()]
        };
        beginnings |= beginning(name.as_bytes());
        i += 1;
    }
    beginnings
};

/// The bit of [`BEGINNINGS`] for a name.
const fn beginning(name: &[u8]) -> u128 {
    match name {
        [first, second, ..] => 1 << ((*first as u32 * 5 + *second as u32) % 128),
        _ => 0,
    }
}

/// Whether a function of this name never returns.
pub(super) fn never(name: &Name) -> bool {
    if BEGINNINGS & beginning(name.bytes()) == 0 {
        return false;
    }
    let name: &str = name;
    NEVER.contains(&names::base(name)) || NEVER_BEGINS.iter().any(|b| name.starts_with(b))
}

/// Addresses of all functions, stubs and slots that never return.
pub(super) fn addresses(functions: &[Function], links: &[Link]) -> Vec<u64> {
    let functions = functions.iter();
    let functions = functions.filter(|f| f.symbol.iter().chain(&f.aliases).any(never));
    let links = links.iter().filter(|l| l.never_returns);
    functions
        .map(|f| f.address)
        .chain(links.map(|l| l.address))
        .collect()
}
