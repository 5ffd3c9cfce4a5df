//! Vector extensions: which of them an instruction needs.

use std::collections::HashMap;

/// Every vector extension that is told apart, from the oldest to the newest; x86-64's first, then
/// AArch64's.
pub const EXTENSIONS: [&str; 46] = [
    "mmx",
    "sse",
    "sse2",
    "sse3",
    "ssse3",
    "sse4.1",
    "sse4.2",
    "sse4a",
    "aes",
    "pclmulqdq",
    "sha",
    "avx",
    "f16c",
    "fma",
    "fma4",
    "xop",
    "avx2",
    "gfni",
    "vaes",
    "vpclmulqdq",
    "avx-vnni",
    "avx-ifma",
    "avx-ne-convert",
    "avx-vnni-int8",
    "avx-vnni-int16",
    "avx512f",
    "avx512cd",
    "avx512er",
    "avx512pf",
    "avx512dq",
    "avx512bw",
    "avx512vl",
    "avx512ifma",
    "avx512vbmi",
    "avx512vbmi2",
    "avx512vnni",
    "avx512bitalg",
    "avx512vpopcntdq",
    "avx512bf16",
    "avx512fp16",
    "avx512vp2intersect",
    "amx",
    "fp",
    "neon",
    "sve",
    "sme",
];

/// A name without what its writings differ in: `SSE4_1` and `sse4.1` → `sse41`.
pub(super) fn plain(name: &str) -> String {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    letters.map(|c| c.to_ascii_lowercase()).collect()
}

/// A set of vector extensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Extensions(pub(crate) u64);

impl Extensions {
    /// The set with this one extension, or `None` for a name that is not in [`EXTENSIONS`] (letter
    /// case and `_` for `-` or `.` are forgiven).
    #[must_use]
    pub fn named(name: &str) -> Option<Extensions> {
        let wanted = plain(name);
        EXTENSIONS
            .iter()
            .position(|e| plain(e) == wanted)
            .map(|i| Extensions(1 << i))
    }

    /// Each extension by its [`plain`] name: for those who ask for hundreds.
    pub(super) fn by_plain_name() -> HashMap<String, Extensions> {
        let named = EXTENSIONS.iter().enumerate();
        named
            .map(|(i, name)| (plain(name), Extensions(1 << i)))
            .collect()
    }

    /// The names in the set, oldest first.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        EXTENSIONS
            .iter()
            .enumerate()
            .filter(move |(i, _)| self.0 & (1 << i) != 0)
            .map(|(_, name)| *name)
    }

    /// Whether all of `other` is in the set.
    #[must_use]
    pub fn contains(self, other: Extensions) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether it is empty.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl std::ops::BitOrAssign for Extensions {
    fn bitor_assign(&mut self, other: Extensions) {
        self.0 |= other.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_as_people_write_them() {
        assert_eq!(Extensions::named("SSE4_1"), Extensions::named("sse4.1"));
        assert!(Extensions::named("AVX2").is_some_and(|e| e.names().eq(["avx2"])));
        assert_eq!(Extensions::named("avx1024"), None);
        assert!(EXTENSIONS.len() <= 64);
    }
}
