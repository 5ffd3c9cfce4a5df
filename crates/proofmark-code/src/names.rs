//! Names of functions: demangling, and the suffixes by which compilers mark what they split off or
//! cloned.

use std::fmt::{self, Write};

use serde::Serialize;

/// The longest demangled name that is kept, in bytes: a mangled name can stand for an exponentially
/// long one.
const LONGEST: usize = 16 * 1024;

/// How a compiler made a function from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Split {
    /// `.cold`: the unlikely part of the function, jumped to from it.
    Cold,
    /// `.part.N`: a part outlined so that the rest can be inlined; called.
    Part,
    /// `.constprop.N`: a clone for constant arguments.
    Constprop,
    /// `.isra.N`: a clone with changed parameters.
    Isra,
    /// `.llvm.N`: a local function promoted by ThinLTO.
    Llvm,
    /// `.lto_priv.N`: a local function renamed by gcc's LTO.
    LtoPrivate,
}

impl Split {
    /// Whether control *jumps* there and back: then it is a piece of the same function, else a
    /// function of its own.
    #[must_use]
    pub fn is_piece(self) -> bool {
        self == Split::Cold
    }
}

/// A symbol taken apart: `foo.constprop.0.cold` → (`foo.constprop.0`, cold).
#[must_use]
pub fn split(symbol: &str) -> Option<(&str, Split)> {
    const MARKS: [(&str, Split); 7] = [
        (".cold", Split::Cold),
        (".__part", Split::Cold),
        (".part", Split::Part),
        (".constprop", Split::Constprop),
        (".isra", Split::Isra),
        (".llvm", Split::Llvm),
        (".lto_priv", Split::LtoPrivate),
    ];
    // Most names have no mark at all.
    if !symbol.as_bytes().contains(&b'.') {
        return None;
    }
    let numbered = symbol
        .rsplit_once('.')
        .filter(|(_, n)| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
    for stem in [Some(symbol), numbered.map(|(stem, _)| stem)]
        .into_iter()
        .flatten()
    {
        for (mark, split) in MARKS {
            let bare = stem.len() == symbol.len();
            // Only `.cold` stands without a number.
            if bare && split != Split::Cold {
                continue;
            }
            if let Some(base) = stem.strip_suffix(mark).filter(|base| !base.is_empty()) {
                return Some((base, split));
            }
        }
    }
    None
}

/// The symbol without any mark of a split or clone: what the programmer wrote (mangled).
#[must_use]
pub fn base(symbol: &str) -> &str {
    let mut name = symbol;
    while let Some((stem, _)) = split(name) {
        name = stem;
    }
    name
}

/// Whether a symbol is Rust's, in the old or the new mangling.
#[must_use]
pub(crate) fn is_rust(symbol: &str) -> bool {
    symbol.starts_with("_R")
        || (symbol.starts_with("_ZN") && rustc_demangle::try_demangle(symbol).is_ok())
}

/// Whether a symbol is written otherwise than people would write it; where it is not, [`demangle`]
/// gives it back as it is.
#[must_use]
pub(crate) fn is_mangled(symbol: &[u8]) -> bool {
    ["_Z", "__Z", "_R"]
        .iter()
        .any(|p| symbol.starts_with(p.as_bytes()))
        || (symbol.contains(&b'%') && symbol.windows(3).any(|three| three == b"%2e"))
}

/// The name for people. Never longer than 16 KiB; a symbol that is not mangled comes back as it is.
#[must_use]
pub fn demangle(symbol: &str) -> String {
    let stem = base(symbol);
    let suffix = &symbol[stem.len()..];
    let name = if stem.starts_with("_R") || stem.starts_with("_ZN") {
        rust(stem)
    } else {
        None
    };
    let name = name.or_else(|| {
        if stem.starts_with("_Z") || stem.starts_with("__Z") {
            cpp(stem)
        } else {
            None
        }
    });
    match name {
        Some(name) => name + suffix,
        None => go(symbol),
    }
}

fn rust(symbol: &str) -> Option<String> {
    let name = rustc_demangle::try_demangle(symbol).ok()?;
    let mut text = Bounded(String::new());
    // The form without the hash: the hash differs between two builds of one source.
    write!(text, "{name:#}").ok()?;
    Some(text.0)
}

fn cpp(symbol: &str) -> Option<String> {
    let name = cpp_demangle::Symbol::new(symbol).ok()?;
    let options = cpp_demangle::DemangleOptions::default();
    let mut text = Bounded(String::new());
    name.structured_demangle(&mut text, &options).ok()?;
    Some(text.0)
}

/// Go writes dots of an import path's last element as `%2e`.
fn go(symbol: &str) -> String {
    if symbol.contains("%2e") {
        symbol.replace("%2e", ".")
    } else {
        symbol.to_string()
    }
}

/// Takes text up to the limit and then fails, which ends the demangling.
struct Bounded(String);

impl Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() > LONGEST {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_splits_are_taken_off_one_by_one() {
        assert_eq!(split("foo.cold"), Some(("foo", Split::Cold)));
        assert_eq!(split("foo.cold.1"), Some(("foo", Split::Cold)));
        assert_eq!(
            split("foo.constprop.0.cold"),
            Some(("foo.constprop.0", Split::Cold))
        );
        assert_eq!(split("foo.part.3"), Some(("foo", Split::Part)));
        assert_eq!(split("foo.isra.0"), Some(("foo", Split::Isra)));
        assert_eq!(split("foo.llvm.1234567"), Some(("foo", Split::Llvm)));
        assert_eq!(split("foo.part"), None);
        assert_eq!(split("main.main"), None);
        assert_eq!(split(".cold"), None);
        assert_eq!(base("foo.isra.0.constprop.1.cold"), "foo");
    }

    #[test]
    fn names_of_three_languages_become_readable() {
        assert_eq!(demangle("_ZN3foo3barEi"), "foo::bar(int)");
        assert_eq!(demangle("_ZN3foo3barEi.cold"), "foo::bar(int).cold");
        assert_eq!(
            demangle("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE"),
            "core::fmt::Write::write_fmt"
        );
        assert_eq!(demangle("_RNvC6_123foo3bar"), "123foo::bar");
        assert_eq!(
            demangle("gopkg.in/yaml%2ev3.Marshal"),
            "gopkg.in/yaml.v3.Marshal"
        );
        assert_eq!(demangle("main"), "main");
        assert_eq!(demangle(""), "");
    }
}
