//! Whether a program runs a function at all: whether it comes to a trap with which the function
//! begins in a copy of its image.

use std::fs;
use std::path::{Path, PathBuf};

use object::{Object as _, ObjectSection as _};
use proofmark_conclude::RoundAt;
use proofmark_measure::Interrupt;

use super::images::Images;
use crate::LabError;
use crate::alone::{AloneBench, Put};

/// `int3`, again and again.
const X86: [u8; 4] = [0xcc; 4];
/// `brk #0`.
const AARCH64: [u8; 4] = [0x00, 0x00, 0x20, 0xd4];

/// Whether the benchmark runs any of the functions; none where that cannot be told.
///
/// # Errors
///
/// When an image cannot be made, or a run cannot be started.
pub(super) fn is_run(
    bench: &mut AloneBench,
    images: &mut Images,
    folder: &Path,
    stop: &Interrupt,
) -> Result<Option<bool>, LabError> {
    let shipped = images.set().as_shipped();
    let anchor = images.at(&[shipped])?.remove(0);
    let starts = images.set().reached();
    let trapped = trapped(&anchor, &starts, folder)?;
    let put = |name: &str, image: &Path| Put {
        name: name.to_owned(),
        image: image.to_owned(),
    };
    bench.place(
        RoundAt::FIRST,
        &[put("as shipped", &anchor), put("trapped", &trapped)],
    )?;
    bench.comes_to_a_trap(stop)
}

/// A copy of an image with a trap at these addresses.
pub(super) fn trapped(image: &Path, starts: &[u64], folder: &Path) -> Result<PathBuf, LabError> {
    let of_file = |action, path: &Path| {
        let path = path.to_owned();
        move |source| LabError::File {
            action,
            path,
            source,
        }
    };
    let mut data = fs::read(image).map_err(of_file("read", image))?;
    let places = places(&data, starts)
        .map_err(|error| LabError::Fault(format!("cannot read a linked image: {error}")))?;
    for (at, trap) in places {
        if let Some(bytes) = data.get_mut(at..at + trap.len()) {
            bytes.copy_from_slice(trap);
        }
    }
    fs::create_dir_all(folder).map_err(of_file("make", folder))?;
    let path = folder.join("trapped");
    fs::write(&path, data).map_err(of_file("write", &path))?;
    Ok(path)
}

/// Where in the file the functions begin, and what stops them. As many bytes as the shortest
/// function has: one on x86-64, where an instruction may be as short.
fn places(data: &[u8], starts: &[u64]) -> Result<Vec<(usize, &'static [u8])>, object::Error> {
    let file = object::File::parse(data)?;
    let trap: &'static [u8] = match file.architecture() {
        object::Architecture::Aarch64 => &AARCH64,
        _ => &X86[..1],
    };
    let mut places = Vec::new();
    for section in file.sections() {
        let Some((offset, size)) = section.file_range() else {
            continue;
        };
        for start in starts {
            let within = start.checked_sub(section.address());
            if let Some(within) = within.filter(|within| *within < size && section.address() > 0)
                && let Ok(at) = usize::try_from(offset + within)
            {
                places.push((at, trap));
            }
        }
    }
    Ok(places)
}
