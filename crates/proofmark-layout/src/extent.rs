//! Whether a program asks where its data ends, as a collector of garbage does that looks through
//! all of it. Matched layouts enlarge the data of one build to that of the other, so that each would
//! have as much to look through.

use std::collections::HashSet;
use std::path::Path;

use rayon::prelude::*;

use crate::LayoutError;
use crate::labels::asks_for;
use crate::recipe::Recipe;
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

/// The symbol by which a program asks where its data ends, if it does.
///
/// # Errors
/// When an input cannot be read.
pub fn asks_for_end_of_data(recipe: &Recipe) -> Result<Option<String>, LayoutError> {
    let units = Units::read(recipe)?;
    let ends = ENDS.iter().map(|name| name.to_vec());
    let ends: HashSet<Vec<u8>> = ends.filter(|name| units.edges.contains(name)).collect();
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

/// Whether an object is of the C library or of start-up code, which ask for these symbols and look
/// through nothing.
fn is_of_c_library(part: &Part) -> bool {
    let file = part.label.split('(').next().unwrap_or_default();
    let name = Path::new(file).file_name().unwrap_or_default();
    let name = name.to_string_lossy();
    let starts = ["crt", "Scrt", "rcrt", "gcrt", "grcrt", "Mcrt"];
    let start_up = name.ends_with(".o") && starts.iter().any(|one| name.starts_with(one));
    start_up || ["libc.a", "libc_nonshared.a"].contains(&&*name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_c_library_is_known_by_the_names_of_its_files() {
        let part = |label: &str| Part {
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
    }
}
