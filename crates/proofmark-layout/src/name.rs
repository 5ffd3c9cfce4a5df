//! Names of functions, data and objects as they compare across builds: what a compiler numbers or
//! hashes anew each time is taken out.

use std::borrow::Cow;

/// Suffixes behind which compilers put a number of their own: `foo.constprop.3` of one build is
/// `foo.constprop.0` of another.
const NUMBERED: &[&str] = &[
    ".llvm.",
    ".lto_priv.",
    ".constprop.",
    ".isra.",
    ".part.",
    ".cold.",
    ".localalias.",
];

/// The name without Rust's hashes and without the numbers that compilers give to clones. A hash is
/// `17h` and 16 hexadecimal digits before the closing `E`. In names that begin with `_R` it is that
/// of a crate, which changes with its version: `s…_` behind a `C` (RFC 2603, disambiguators).
pub(crate) fn normalised(name: &str) -> Cow<'_, str> {
    let mut result = Cow::Borrowed(name);
    for suffix in NUMBERED {
        while let Some(range) = number_behind(&result, suffix) {
            result.to_mut().replace_range(range, "");
        }
    }
    while let Some(range) = crate_hash(&result) {
        result.to_mut().replace_range(range, "");
    }
    if let Some(at) = rust_hash(&result) {
        result.to_mut().replace_range(at..at + 19, "");
    }
    result
}

/// The bytes of the `.N` that follows the suffix's word, without the word itself.
fn number_behind(name: &str, suffix: &str) -> Option<std::ops::Range<usize>> {
    let digits_from = name.find(suffix)? + suffix.len();
    let digits = name[digits_from..]
        .bytes()
        .take_while(u8::is_ascii_digit)
        .count();
    (digits > 0).then_some(digits_from - 1..digits_from + digits)
}

fn crate_hash(name: &str) -> Option<std::ops::Range<usize>> {
    /// Digits in base 62 of the largest hash, of 64 bits.
    const MOST: usize = 11;
    if !name.starts_with("_R") {
        return None;
    }
    let ends = |(at, _): (usize, &str)| {
        let digits = &name.as_bytes()[at + 2..];
        let count = digits
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric());
        let count = count.count();
        let closed = digits.get(count) == Some(&b'_');
        let named = digits.get(count + 1).is_some_and(u8::is_ascii_digit);
        (closed && named && count <= MOST).then_some(at + 1..at + 2 + count + 1)
    };
    name.match_indices("Cs").find_map(ends)
}

fn rust_hash(name: &str) -> Option<usize> {
    let at = name.rfind("17h")?;
    let rest = name.as_bytes().get(at + 3..at + 20)?;
    (rest[..16].iter().all(u8::is_ascii_hexdigit) && rest[16] == b'E').then_some(at)
}

/// The name of a datum without the numbers and hashes that compilers give all of a file anew: a
/// local static of gcc (`t.1`), also after link-time optimisation (`t.1.lto_priv.0`), its constants
/// (`C.3.1`), and rustc's (`anon.0123456789abcdef.7.llvm.1234567`).
pub(crate) fn static_name(symbol: &str) -> &str {
    let mut name = symbol;
    while let Some((before, last)) = name.rsplit_once('.') {
        let is_number = last.bytes().all(|byte| byte.is_ascii_digit());
        if before.is_empty() || !(is_number || ["llvm", "lto_priv"].contains(&last)) {
            break;
        }
        name = before;
    }
    let is_hash = |rest: &str| rest.bytes().all(|digit| digit.is_ascii_hexdigit());
    match name.split_once('.') {
        Some((anonymous @ "anon", hash)) if is_hash(hash) => anonymous,
        _ => name,
    }
}

/// A section's name without rustc's name of the constant in it, which is a hash and a number:
/// `.rodata..Lanon.0123456789abcdef.7`.
pub(crate) fn constant_name(section: &str) -> &str {
    section.split_once("..L").map_or(section, |(kind, _)| kind)
}

/// What stays of an object's name: the file's, without the hashes of cargo and rustc
/// (`prog-0123456789abcdef.prog.fedcba9876543210-cgu.0.rcgu.o`).
pub(crate) fn object_name(label: &str) -> Cow<'_, str> {
    const DIGITS: usize = 16;
    let name = label.rsplit_once('/').map_or(label, |(_, name)| name);
    let hash =
        |part: &str| part.len() == DIGITS && part.bytes().all(|digit| digit.is_ascii_hexdigit());
    let parts = || name.split(['-', '.']);
    if !parts().any(hash) {
        return Cow::Borrowed(name);
    }
    let kept: Vec<&str> = parts().filter(|part| !hash(part)).collect();
    Cow::Owned(kept.join("."))
}

#[cfg(test)]
mod tests {
    use super::{normalised, object_name, static_name};

    #[test]
    fn what_compilers_number_of_data_is_taken_out() {
        for (given, expected) in [
            ("table", "table"),
            ("t.1", "t"),
            ("t.1.lto_priv.0", "t"),
            ("C.3.1", "C"),
            (
                "anon.0123456789abcdef0123456789abcdef.7.llvm.1234567",
                "anon",
            ),
            ("anon.table.7", "anon.table"),
            ("llvm.7", "llvm"),
            (".7", ".7"),
        ] {
            assert_eq!(static_name(given), expected);
        }
    }

    #[test]
    fn the_hashes_of_cargo_and_rustc_are_taken_out() {
        for (given, expected) in [
            ("src/table.o", "table.o"),
            (
                "/w/deps/prog-0123456789abcdef.prog.fedcba9876543210-cgu.0.rcgu.o",
                "prog.prog.cgu.0.rcgu.o",
            ),
            ("a-0123456789abcdeg.o", "a-0123456789abcdeg.o"),
        ] {
            assert_eq!(object_name(given), expected);
        }
    }

    #[test]
    fn what_compilers_number_is_taken_out() {
        for (given, expected) in [
            ("main", "main"),
            (
                "_ZN4core3ptr4dropI1XE17h0123456789abcdefE",
                "_ZN4core3ptr4dropI1XEE",
            ),
            (
                "_ZN4core3ptr17h0123456789abcdefE.llvm.1234567890",
                "_ZN4core3ptrE.llvm",
            ),
            ("f.constprop.0.isra.12", "f.constprop.isra"),
            ("f.part.3.cold", "f.part.cold"),
            ("f.lto_priv.7", "f.lto_priv"),
            ("f.cold.12", "f.cold"),
            ("f.llvm.", "f.llvm."),
            ("_RNvCs9kMDXi6BlRR_4prog3hot", "_RNvC4prog3hot"),
            (
                "_RINvCsaBfAchvAE7C_4prog3hotNtCs1_4core3XE",
                "_RINvC4prog3hotNtC4core3XE",
            ),
            ("_RNvC4prog2Cs", "_RNvC4prog2Cs"),
            ("Cs1_4f", "Cs1_4f"),
            ("x17h0123E", "x17h0123E"),
            ("a17h0123456789abcdeE17hE", "a17h0123456789abcdeE17hE"),
            ("é17h", "é17h"),
        ] {
            assert_eq!(normalised(given), expected);
        }
    }
}
