//! Which compiler made a function: what the debug information of its own unit says, else what the
//! whole file names.

use std::collections::BTreeSet;

use super::whole::Whole;

/// A compiler, as it calls itself.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Compiler {
    /// Name and version: `Debian clang version 19.1.7`, `GNU C17 12.2.0`.
    pub(super) name: String,
    pub(super) family: Family,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Family {
    /// LLVM's, by its major version.
    Clang(u32),
    Gcc,
    Other,
}

/// What is known of the compiler of one function.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// It was this one.
    Known(Compiler),
    /// One of these, the only ones that the file names. An executable linked by a C compiler names
    /// that of the C library's start files as well.
    OneOf(Vec<Compiler>),
    /// Nothing names any.
    Unknown,
}

impl Origin {
    pub(super) fn of(whole: &Whole<'_>) -> Origin {
        let at = whole.subject.image.functions()[whole.index].address();
        let sources = whole.subject.sources();
        let of_unit = sources.map_or_else(BTreeSet::new, |sources| sources.producers_at(at));
        let known = Origin::among(of_unit.iter().map(String::as_str));
        if known != Origin::Unknown {
            return known;
        }
        Origin::among(whole.subject.image.producers().iter().map(String::as_str))
    }

    fn among<'a>(producers: impl Iterator<Item = &'a str>) -> Origin {
        let compilers: BTreeSet<Compiler> = producers.filter_map(Compiler::read).collect();
        let mut compilers: Vec<Compiler> = compilers.into_iter().collect();
        let agree = compilers.windows(2).all(|w| w[0].family == w[1].family);
        match compilers.pop() {
            None => Origin::Unknown,
            Some(last) if agree => Origin::Known(last),
            Some(last) => {
                compilers.push(last);
                Origin::OneOf(compilers)
            }
        }
    }
}

impl Compiler {
    /// Reads `Debian clang version 19.1.7 (…)`, `GCC: (Debian 12.2.0-14) 12.2.0`,
    /// `GNU C17 12.2.0 -mtune=generic …`; `None` for what linkers and assemblers leave in the same
    /// place.
    pub(super) fn read(producer: &str) -> Option<Compiler> {
        let no_compiler = ["Linker: ", "mold ", "GNU AS "];
        if no_compiler.iter().any(|tool| producer.starts_with(tool)) {
            return None;
        }
        let gnu = producer.starts_with("GCC: ") || producer.starts_with("GNU ");
        let family = match clang_version(producer) {
            Some(version) => Family::Clang(version),
            None if gnu => Family::Gcc,
            None => Family::Other,
        };
        let name = super::learn::short(producer.split(" -").next().unwrap_or(producer));
        Some(Compiler { name, family })
    }
}

/// The major version in `Debian clang version 19.1.7 (…)`. Apple numbers its clang by itself.
fn clang_version(producer: &str) -> Option<u32> {
    let (vendor, rest) = producer.split_once("clang version ")?;
    if vendor.starts_with("Apple") {
        return None;
    }
    let number = rest.split(|c: char| !c.is_ascii_digit()).next()?;
    number.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn family(producer: &str) -> Option<Family> {
        Compiler::read(producer).map(|c| c.family)
    }

    #[test]
    fn compilers_are_read_from_what_they_write() {
        for (producer, expected) in [
            (
                "Debian clang version 19.1.7 (3+b1)",
                Some(Family::Clang(19)),
            ),
            ("clang version 18.1.6 (https://…)", Some(Family::Clang(18))),
            ("Apple clang version 17.0.0", Some(Family::Other)),
            ("GCC: (Debian 12.2.0-14) 12.2.0", Some(Family::Gcc)),
            ("GNU C17 12.2.0 -mtune=generic -O2", Some(Family::Gcc)),
            ("GNU GIMPLE 12.2.0 -flto", Some(Family::Gcc)),
            ("rustc version 1.95.0 (a b)", Some(Family::Other)),
            ("Linker: LLD 19.1.7", None),
            ("GNU AS 2.40", None),
        ] {
            assert_eq!(family(producer), expected, "{producer}");
        }
        let name = |producer| Compiler::read(producer).unwrap().name;
        assert_eq!(name("GNU C17 12.2.0 -mtune=generic -O2"), "GNU C17 12.2.0");
        assert_eq!(name("GCC: (Debian 12.2.0-14) 12.2.0"), "GCC 12.2.0");
    }

    #[test]
    fn a_compiler_is_known_only_where_all_that_are_named_agree() {
        let among = |list: &[&'static str]| Origin::among(list.iter().copied());
        let clang = "Debian clang version 19.1.7 (3+b1)";
        assert!(matches!(
            among(&[clang, "Linker: LLD 19.1.7"]),
            Origin::Known(_)
        ));
        let both = among(&["GCC: (Debian 12.2.0-14) 12.2.0", clang]);
        assert!(matches!(both, Origin::OneOf(list) if list.len() == 2));
        let versions = among(&["clang version 18.1.6", clang]);
        assert!(matches!(versions, Origin::OneOf(_)));
        assert_eq!(among(&["mold 2.0"]), Origin::Unknown);
    }
}
