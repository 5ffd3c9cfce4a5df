//! Whether a program asks where its data ends, as a collector of garbage does that looks through
//! all of it. Matched layouts enlarge the data of one build to that of the other, so that each would
//! have as much to look through.

use std::collections::HashSet;
use std::path::Path;

use object::LittleEndian as LE;
use object::elf;
use object::read::elf::{Rela, SectionHeader, Sym};
use rayon::prelude::*;

use crate::LayoutError;
use crate::captured::Captured;
use crate::elf::image::Linked;
use crate::elf::relocatable::Object;
use crate::labels::asks_for;
use crate::sources::{Part, each_object};
use crate::units::Units;

/// Symbols that linkers set where data ends or zeroed data begins.
const ENDS: [&[u8]; 7] = [
    b"edata",
    b"_edata",
    b"__edata",
    b"end",
    b"_end",
    b"__bss_start",
    b"__bss_start__",
];

/// By this a program finds the segments that it consists of.
const HEADERS: &str = "dl_iterate_phdr";

/// The module of Rust's standard library that reads the headers, as names of functions have it.
const BACKTRACE: &[u8] = b"12backtrace_rs";

/// Sections of data that one ends with.
const DATA: [&str; 2] = [".data", ".bss"];

/// So much may lie between the end of data and a name for it, in bytes: what it is rounded up to.
const ROUNDED: u64 = 63;

/// The symbol by which a program asks where its data ends, if it does: one that linkers know, or
/// one that a script or an option of the link puts there in the build's own file.
///
/// # Errors
/// When an input or that file cannot be read.
pub fn asks_for_end_of_data(build: &Captured<'_>) -> Result<Option<String>, LayoutError> {
    end_of_data(build, &Units::read(build.recipe)?)
}

/// The symbol by which a program may look through all of its data, if it does: it asks where that
/// ends, or for the headers that tell. Unwinders and Rust's standard library ask for these, and look
/// through code alone.
pub(crate) fn looks_through_data(
    build: &Captured<'_>,
    units: &Units,
) -> Result<Option<String>, LayoutError> {
    if let Some(end) = end_of_data(build, units)? {
        return Ok(Some(end));
    }
    let asks = units.sources.par_iter().map(|source| {
        let mut found = false;
        each_object(source, |object, part| {
            if !is_of_c_library(part) && !is_of_unwinder(part) {
                found |= asks_for_headers(object)?;
            }
            Ok(())
        })?;
        Ok(found)
    });
    let asks: Vec<bool> = asks.collect::<Result<_, LayoutError>>()?;
    Ok(asks.contains(&true).then(|| HEADERS.to_owned()))
}

/// Whether an object asks for the headers. Code of Rust's standard library does not count that looks
/// for the names of functions: link-time optimisation puts it into any object.
fn asks_for_headers(object: &Object<'_>) -> Result<bool, object::Error> {
    for header in object.sections.iter() {
        let Some((relocations, _)) = header.rela(LE, object.data)? else {
            continue;
        };
        let of = object::SectionIndex(header.sh_info(LE) as usize);
        let of = object.sections.section(of)?;
        let name = object.sections.section_name(LE, of)?;
        let is_of_std = name.windows(BACKTRACE.len()).any(|part| part == BACKTRACE);
        // Debug information speaks of functions; the program does not read it.
        if is_of_std || of.sh_flags(LE).0 & elf::SHF_ALLOC.0 == 0 {
            continue;
        }
        for index in relocations.iter().filter_map(|one| one.symbol(LE, false)) {
            let symbol = object.symbols.symbol(index)?;
            if symbol.is_undefined(LE)
                && object.symbols.symbol_name(LE, symbol)? == HEADERS.as_bytes()
            {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// The symbol of a build whose units are known.
fn end_of_data(build: &Captured<'_>, units: &Units) -> Result<Option<String>, LayoutError> {
    let image = build.image.map(|image| Linked::read(image, false));
    let own = image
        .transpose()?
        .map_or_else(Vec::new, |linked| at_ends(&linked));
    let known = ENDS.iter().map(|name| name.to_vec());
    let ends: HashSet<Vec<u8>> = (known.chain(own))
        .filter(|name| units.edges.contains(name))
        .collect();
    if ends.is_empty() {
        return Ok(None);
    }
    let found: Vec<HashSet<Vec<u8>>> = (units.sources.par_iter())
        .map(|source| {
            let mut found = HashSet::new();
            each_object(source, |object, part| {
                if is_of_c_library(part) {
                    return Ok(());
                }
                asks_for(object, &ends, &mut found)
            })?;
            Ok(found)
        })
        .collect::<Result<_, LayoutError>>()?;
    let first = found.into_iter().flatten().min();
    Ok(first.map(|name| String::from_utf8_lossy(&name).into_owned()))
}

/// Names for the ends of data. Where a set begins or ends that a linker collects is kept by itself.
fn at_ends(linked: &Linked) -> Vec<Vec<u8>> {
    let data = || (linked.spans.iter()).filter(|span| DATA.contains(&span.name.as_str()));
    let ends = |address: u64| {
        let mut ends = data().map(|span| span.address + span.size);
        ends.any(|end| (end..=end + ROUNDED).contains(&address))
    };
    let of_set = |name: &[u8]| name.starts_with(b"__start_") || name.starts_with(b"__stop_");
    let labels = linked.untyped.iter();
    labels
        .filter(|(name, address)| ends(**address) && !of_set(name))
        .map(|(name, _)| name.clone())
        .collect()
}

/// Whether an object is of the C library or of start-up code, which ask for these symbols and look
/// through nothing.
pub(crate) fn is_of_c_library(part: &Part) -> bool {
    let file = part.label.split('(').next().unwrap_or_default();
    let name = Path::new(file).file_name().unwrap_or_default();
    let name = name.to_string_lossy();
    let starts = ["crt", "Scrt", "rcrt", "gcrt", "grcrt", "Mcrt"];
    let start_up = name.ends_with(".o") && starts.iter().any(|one| name.starts_with(one));
    start_up || ["libc.a", "libc_nonshared.a"].contains(&&*name)
}

/// Whether an object is of a library that unwinds the stack, for which it looks through code alone.
fn is_of_unwinder(part: &Part) -> bool {
    let file = part.label.split('(').next().unwrap_or_default();
    let name = Path::new(file).file_name().unwrap_or_default();
    let name = name.to_string_lossy();
    name == "libgcc_eh.a" || (name.starts_with("libstd-") && name.ends_with(".rlib"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_c_library_and_unwinders_are_known_by_the_names_of_their_files() {
        let part = |label: &str| Part {
            own_sections: std::collections::BTreeMap::new(),
            entry: None,
            label: label.to_owned(),
            first: 0,
            units: Vec::new(),
            bitcode: false,
        };
        for label in [
            "/usr/lib/libc.a(sbrk.o)",
            "/usr/lib/Scrt1.o",
            "/lib/crtbeginS.o",
        ] {
            assert!(is_of_c_library(&part(label)), "{label}");
        }
        for label in ["main.o", "crtools.a(m.o)", "/usr/lib/libgc.a(os_dep.o)"] {
            assert!(!is_of_c_library(&part(label)), "{label}");
        }
        for label in ["/usr/lib/libgcc_eh.a(u.o)", "/lib/libstd-0123.rlib(s.o)"] {
            assert!(is_of_unwinder(&part(label)), "{label}");
        }
        for label in ["libstd.a(m.o)", "libgc.a(gcc_eh.o)"] {
            assert!(!is_of_unwinder(&part(label)), "{label}");
        }
    }
}
