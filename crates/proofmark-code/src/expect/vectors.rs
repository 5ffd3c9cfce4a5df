//! Why a function has narrower vectors than expected, or lacks instructions of a vector extension.

use super::whole::Whole;
use crate::arch::Arch;
use crate::decode::Extensions;
use crate::facts::{Fact, Facts};

/// How to hear of a compiler why it did without vectors.
const REASONS: &str = "-Rpass-missed=loop-vectorize (clang) or -fopt-info-vec-missed (gcc) says why a loop was not vectorised";

/// What a compiler must be told before it uses something.
enum Asked {
    /// Nothing: all machines have it.
    Nothing,
    /// These options.
    Options(String),
    /// There is no such thing, or it cannot be counted: the text says so.
    Never(&'static str),
}

/// Narrower vectors than the wanted bits.
pub(super) fn of_width(whole: &Whole<'_>, wanted: u64) -> Option<String> {
    let asked = match whole.subject.image.arch() {
        Arch::X86_64 => x86_width(wanted),
        Arch::Aarch64 => aarch64_width(wanted),
    };
    let what = format!("vectors of {wanted} bits");
    explained(whole, &what, asked, |facts| {
        facts.get(Fact::VectorBits) >= wanted
    })
}

/// No instruction of the extension of this name.
pub(super) fn of_extension(whole: &Whole<'_>, name: &str) -> Option<String> {
    let wanted = Extensions::named(name)?;
    let name = wanted.names().next()?;
    let asked = match whole.subject.image.arch() {
        Arch::X86_64 => x86_extension(name),
        Arch::Aarch64 => aarch64_extension(name),
    };
    explained(whole, name, asked, |facts| {
        facts.extensions().contains(wanted)
    })
}

/// The cause by what else the file has: a function that uses it or none.
fn explained(
    whole: &Whole<'_>,
    what: &str,
    asked: Asked,
    uses: impl Fn(&Facts) -> bool,
) -> Option<String> {
    let image = whole.subject.image;
    let options = match asked {
        Asked::Never(why) => return Some(why.to_string()),
        Asked::Nothing => None,
        Asked::Options(options) => Some(options),
    };
    let other = Facts::all(image).iter().position(uses);
    Some(
        match (other.map(|i| image.functions()[i].name()), options) {
            (Some(other), Some(options)) => format!(
                "other functions of this file use {what}, {other} for one: this one may have been compiled without {options}, or the compiler \
             found no use for them; {REASONS}"
            ),
            (Some(other), None) => format!(
                "other functions of this file use {what}, {other} for one, and every machine has them: {REASONS}"
            ),
            (None, Some(options)) => format!(
                "no function of this file uses {what}: was it built for a machine that has them ({options})?"
            ),
            (None, None) => format!(
                "no function of this file uses {what}, though every machine has them: was it optimised? {REASONS}"
            ),
        },
    )
}

fn x86_width(bits: u64) -> Asked {
    match bits {
        0..=128 => Asked::Nothing,
        129..=256 => Asked::Options("-mavx2 or -march=x86-64-v3".to_string()),
        257..=512 => Asked::Options(
            "-mavx512f or -march=x86-64-v4, with -mprefer-vector-width=512".to_string(),
        ),
        _ => Asked::Never("no vector register of x86-64 has more than 512 bits"),
    }
}

fn aarch64_width(bits: u64) -> Asked {
    if bits <= 128 {
        return Asked::Nothing;
    }
    Asked::Never(
        "on AArch64 no vector counts as more than 128 bits, for how long one of SVE is only the machine knows: needs(\"sve\") asks for those",
    )
}

fn x86_extension(name: &str) -> Asked {
    Asked::Options(match name {
        "mmx" | "sse" | "sse2" => return Asked::Nothing,
        "fp" | "neon" | "sve" | "sme" => {
            return Asked::Never("the extension is one of AArch64, and this is code for x86-64");
        }
        "pclmulqdq" => "-mpclmul".to_string(),
        "amx" => "-mamx-tile".to_string(),
        // `avx-vnni-int8` is -mavxvnniint8.
        name => format!("-m{}", name.replace('-', "")),
    })
}

fn aarch64_extension(name: &str) -> Asked {
    Asked::Options(match name {
        "fp" | "neon" => return Asked::Nothing,
        "sve" => "-march=armv8.2-a+sve".to_string(),
        "sme" => "-march=armv9.2-a+sme".to_string(),
        _ => return Asked::Never("the extension is one of x86-64, and this is code for AArch64"),
    })
}
