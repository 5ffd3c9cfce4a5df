//! Files that runs read and that hold addresses of the build's own functions, as a build writes
//! them that asks `nm`. In a layout these addresses lead elsewhere.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use proofmark_code::{Program, Starts};
use proofmark_evidence::record::{Inputs, LayoutControl};
use proofmark_terms::OsText;

use crate::builds::Subject;
use crate::error::LabError;

/// Larger files are not looked into, in bytes.
const LARGEST: u64 = 8 << 20;
/// Of all files together so much is looked into, in bytes.
const MOST: u64 = 64 << 20;

/// Of the files that runs read, those with such a table. Programs and libraries, and what is larger
/// than [`LARGEST`], are left out. Of an image without symbols nobody knows where its functions
/// start.
pub(super) fn address_tables(read: &BTreeSet<PathBuf>, subjects: &[Subject]) -> Vec<OsText> {
    let images: BTreeSet<PathBuf> = subjects.iter().flat_map(Subject::shipped).collect();
    let starts: Vec<Starts> = images.iter().filter_map(|image| starts(image)).collect();
    let mut left = MOST;
    let mut found = Vec::new();
    for path in read.iter().filter(|_| !starts.is_empty()) {
        let about = path.metadata().ok();
        let about = about.filter(|about| about.is_file() && about.len() <= LARGEST.min(left));
        let Some(about) = about.filter(|_| !images.contains(path)) else {
            continue;
        };
        left -= about.len();
        let Ok(bytes) = std::fs::read(path) else {
            continue;
        };
        let is_program = bytes.starts_with(b"\x7fELF") || bytes.starts_with(b"!<arch>\n");
        if !is_program && starts.iter().any(|starts| starts.are_in_bytes(&bytes)) {
            found.push(path.clone().into());
        }
    }
    found
}

/// Where the functions of an image start, if it says so.
fn starts(image: &Path) -> Option<Starts> {
    let program = Program::open(image).ok()?;
    let functions = program
        .images()
        .iter()
        .flat_map(proofmark_code::Image::functions);
    Starts::new(functions.map(|function| function.address().get()))
}

/// Refuses drawn layouts of programs whose runs read such a file.
pub(crate) fn refuse_address_tables(
    layouts: &LayoutControl,
    inputs: &Inputs,
) -> Result<(), LabError> {
    match inputs.address_tables.first() {
        Some(path) if layouts.is_drawn() => Err(LabError::Refused(format!(
            "runs read {}, which holds addresses of the build's functions as plain numbers: in a \
             layout they lead elsewhere\n  next: compare the files as they are (--layouts \
             as-shipped)",
            path.display()
        ))),
        _ => Ok(()),
    }
}
