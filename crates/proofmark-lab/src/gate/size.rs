//! How large builds are in memory, held against base.

use std::cmp::Ordering;
use std::fs;
use std::path::{Path, PathBuf};

use object::{Object as _, ObjectSection as _, SectionFlags};
use proofmark_capture::{CapturedLink, CompanionKind};

use super::judged::Judged;
use super::request::Gated;
use crate::builds::Subject;
use crate::error::{LabError, of_file};

/// Judges each build; the first one is base. `most` is by how much one may be larger, as a share.
pub(super) fn judge(cells: &[Gated<'_>], most: f64) -> Result<Vec<Judged>, LabError> {
    let sizes = cells.iter().map(|cell| size(&cell.subject));
    let sizes = sizes.collect::<Result<Vec<u64>, _>>()?;
    let base = sizes.first().copied().unwrap_or_default();
    Ok(sizes.iter().map(|size| judged(base, *size, most)).collect())
}

#[expect(clippy::cast_precision_loss, reason = "no image has 2^53 bytes")]
fn judged(base: u64, size: u64, most: f64) -> Judged {
    let growth = size as f64 / base as f64 - 1.0;
    let passed = size as f64 <= base as f64 * (1.0 + most);
    let against = match size.cmp(&base) {
        Ordering::Equal => "as many as base has".to_owned(),
        Ordering::Less => format!("{:.2} % less than base ({base})", -100.0 * growth),
        Ordering::Greater => format!("{:.2} % more than base ({base})", 100.0 * growth),
    };
    let allowed = match passed {
        true => String::new(),
        false => format!("; up to {} % more are allowed", 100.0 * most),
    };
    Judged {
        passed,
        said: format!("{size} bytes in memory, {against}{allowed}"),
        ..Judged::default()
    }
}

/// Bytes of a build's program and of the libraries of its own, as shipped.
fn size(subject: &Subject) -> Result<u64, LabError> {
    let own = subject
        .links()
        .into_iter()
        .flatten()
        .take(1)
        .flat_map(libraries);
    let files = subject.shipped().into_iter().take(1).chain(own);
    files.map(|file| loaded(&file)).sum()
}

fn libraries(link: &CapturedLink) -> impl Iterator<Item = PathBuf> {
    let is_library = |kind| matches!(kind, CompanionKind::Library | CompanionKind::LinkedLibrary);
    let own = link
        .companions
        .iter()
        .filter(move |one| is_library(one.kind));
    own.filter_map(|one| one.blob.clone())
}

/// Bytes that an image takes in memory: what `size` sums up. What is only for debuggers and linkers
/// is not loaded.
fn loaded(file: &Path) -> Result<u64, LabError> {
    let content = fs::read(file).map_err(of_file("read", file))?;
    let image = object::File::parse(content.as_slice())
        .map_err(|error| LabError::Refused(format!("cannot read {}: {error}", file.display())))?;
    let is_loaded = |flags| match flags {
        SectionFlags::Elf { sh_flags, .. } => sh_flags.0 & object::elf::SHF_ALLOC.0 != 0,
        _ => false,
    };
    let sections = image.sections();
    let loaded = sections.filter(|section| is_loaded(section.flags()));
    Ok(loaded.map(|section| section.size()).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_may_grow_as_far_as_is_allowed() {
        let of = |size| {
            let Judged { passed, said, .. } = judged(20_000, size, 0.01);
            (passed, said)
        };
        let said = |passed, said: &str| (passed, said.to_owned());
        let same = said(true, "20000 bytes in memory, as many as base has");
        let less = said(true, "19900 bytes in memory, 0.50 % less than base (20000)");
        let more = said(true, "20200 bytes in memory, 1.00 % more than base (20000)");
        let much =
            "20400 bytes in memory, 2.00 % more than base (20000); up to 1 % more are allowed";
        assert_eq!(of(20_000), same);
        assert_eq!(of(19_900), less);
        assert_eq!(of(20_200), more);
        assert!(!of(20_201).0);
        assert_eq!(of(20_400), said(false, much));
    }
}
