//! What starts a function can take: any byte, unless its machine, its language or its own code says
//! otherwise.

use std::fmt;

use super::choose::Moved;
use crate::LayoutError;
use crate::elf::Machine;
use crate::elf::image::bytes_at;
use crate::observed::Observed;

/// What starts the moved functions can take together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reach {
    /// They start at multiples of this, a power of two, in bytes.
    pub step: u64,
    /// Why not anywhere; none where any byte will do.
    pub why: Option<Why>,
}

/// Why a function cannot start at an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// It is not in the window.
    OutOfRange,
    /// Instructions of AArch64 are at multiples of four bytes.
    Instructions,
    /// The lowest bit of the address of a C++ member function says whether it is virtual.
    MemberFunction {
        /// The function.
        function: String,
    },
    /// It reads bytes of its own section, which are aligned with it.
    OwnData {
        /// The function.
        function: String,
        /// The alignment of its section, in bytes.
        alignment: u64,
    },
}

impl fmt::Display for Why {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Why::OutOfRange => out.write_str("it is outside the range"),
            Why::Instructions => {
                out.write_str("instructions of AArch64 start at multiples of 4 bytes")
            }
            Why::MemberFunction { function } => write!(
                out,
                "{function} may be a C++ member function by its name, and the lowest bit of such \
                 an address says whether it is virtual"
            ),
            Why::OwnData {
                function,
                alignment,
            } => write!(
                out,
                "{function} reads data in its own section, which is aligned to {alignment} bytes \
                 with it"
            ),
        }
    }
}

/// What starts these functions can take together: the largest step of any.
pub(super) fn of(observed: &Observed, moved: &[Moved]) -> Result<Reach, LayoutError> {
    let mut reach = match observed.units.machine {
        Machine::X86_64 => Reach { step: 1, why: None },
        Machine::Aarch64 => Reach {
            step: 4,
            why: Some(Why::Instructions),
        },
    };
    for one in moved {
        let section = observed.units.unit(one.unit).0;
        let symbol = section.symbol.as_deref();
        // Compilers align member functions to two bytes at least, for that bit.
        let may_be = section.alignment > 1 && symbol.is_some_and(may_be_member);
        if reach.step < 2 && may_be {
            reach = Reach {
                step: 2,
                why: Some(Why::MemberFunction {
                    function: one.name.clone(),
                }),
            };
        }
        let alignment = section.alignment;
        if reach.step < alignment && reads_itself(observed, one)? {
            reach = Reach {
                step: alignment,
                why: Some(Why::OwnData {
                    function: one.name.clone(),
                    alignment,
                }),
            };
        }
    }
    Ok(reach)
}

/// Whether a symbol may be that of a C++ member function: a name within another, which a namespace
/// may be as well, or of a class within a function (`_ZZ`). Rust's older names look alike and end in
/// a hash.
fn may_be_member(symbol: &str) -> bool {
    let rust = symbol
        .rfind("17h")
        .is_some_and(|at| symbol.len() - at == "17h0123456789abcdefE".len());
    symbol.starts_with("_ZZ") || (symbol.starts_with("_ZN") && !rust)
}

/// Whether code reads bytes of its own section: constants between instructions, which may have to
/// be aligned. AArch64 reads those at any address.
fn reads_itself(observed: &Observed, one: &Moved) -> Result<bool, LayoutError> {
    if observed.units.machine != Machine::X86_64 {
        return Ok(false);
    }
    let home = observed.live.get(&one.unit).copied().unwrap_or_default();
    let size = observed.units.unit(one.unit).0.size;
    // The object will not do: what relocations fill in is not there yet.
    let code = bytes_at(observed.image(), home, size)?;
    Ok(proofmark_code::reads_own_bytes(&code, home))
}

#[cfg(test)]
mod tests {
    use super::may_be_member;

    #[test]
    fn names_within_names_of_c_plus_plus_may_be_members() {
        for (symbol, may) in [
            ("main", false),
            ("_Z3fibi", false),
            ("_ZN5Stack3popEv", true),
            ("_ZNK5Stack4sizeEv", true),
            ("_ZZ4mainEN5Stack3popEv", true),
            ("_ZZ4mainENKUliE_clEi", true),
            ("_ZN4core3ptr17h0123456789abcdefE", false),
            ("_RNvCs1_5bench3fib", false),
        ] {
            assert_eq!(may_be_member(symbol), may, "{symbol}");
        }
    }
}
