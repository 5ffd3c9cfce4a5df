//! Builds of a matrix held against each other: what differs though nobody asked for it, and what
//! does not differ at all.

use std::ffi::OsString;
use std::path::PathBuf;

use proofmark_capture::{CapturedLink, CompanionKind};
use proofmark_terms::{Digest, Feature};

use super::built::{BuiltCell, Made};
use crate::cells::Cell;

/// Something that nobody asked for, in some builds and not in others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uneven {
    /// What.
    pub feature: Feature,
    /// Cells that have it without asking.
    pub with: Vec<String>,
    /// Cells that do not have it.
    pub without: Vec<String>,
}

/// What nobody asked for and only some builds have: it varies along an axis that was not meant to
/// vary it.
#[must_use]
pub fn uneven(cells: &[BuiltCell]) -> Vec<Uneven> {
    const ALL: [Feature; 6] = [
        Feature::Pie,
        Feature::Cet,
        Feature::StackProtector,
        Feature::ZeroedRegisters,
        Feature::Cpu,
        Feature::Sanitizer,
    ];
    let built = || {
        cells
            .iter()
            .filter_map(|of| Some((&of.cell.name, of.made()?)))
    };
    let mut found = Vec::new();
    for feature in ALL {
        let with = built().filter(|(_, made)| {
            made.flags
                .unasked()
                .any(|finding| finding.feature == feature)
        });
        // Where somebody asked for it to be away, it does not vary by itself.
        let without = built().filter(|(_, made)| {
            made.flags
                .present
                .iter()
                .all(|finding| finding.feature != feature)
                && !is_asked_away(feature, &made.flags.asked)
        });
        let with: Vec<String> = with.map(|(name, _)| name.clone()).collect();
        let without: Vec<String> = without.map(|(name, _)| name.clone()).collect();
        if !with.is_empty() && !without.is_empty() {
            found.push(Uneven {
                feature,
                with,
                without,
            });
        }
    }
    found
}

/// Whether options say that a build is not to have this.
fn is_asked_away(feature: Feature, asked: &[String]) -> bool {
    let marks: &[&str] = match feature {
        Feature::Pie => &["-fno-pie", "-fno-PIE", "-no-pie", "-nopie", "-static"],
        Feature::Cet => &[
            "-fcf-protection=none",
            "-fno-cf-protection",
            "-mbranch-protection=none",
        ],
        Feature::StackProtector => &["-fno-stack-protector"],
        Feature::ZeroedRegisters => &["-fzero-call-used-regs=skip"],
        Feature::Cpu => &["-march=", "-mcpu=", "-mno-avx"],
        Feature::Sanitizer => &["-fno-sanitize"],
    };
    let says = |word: &String| marks.iter().any(|mark| word.starts_with(mark));
    asked.iter().any(says)
}

/// Groups of cells whose images are the same bytes, with the same libraries and programs beside
/// them, and whose runs read the same files, though they are different builds by their names.
#[must_use]
pub fn identical(cells: &[BuiltCell]) -> Vec<Vec<&Cell>> {
    // What runs read is kept by its content.
    type Same = (Digest, Vec<(OsString, Digest)>, Option<PathBuf>);
    let mut groups: Vec<(Same, Vec<&Cell>)> = Vec::new();
    for built in cells {
        let image = |made: &Made| {
            let tree = made.tree.as_ref().map(|tree| tree.folder.clone());
            let links = made.links().ok()?;
            let link = links.first()?;
            Some((link.image_hash.clone(), linked_beside(link), tree))
        };
        let Some(image) = built.made().and_then(image) else {
            continue;
        };
        match groups.iter_mut().find(|(hash, _)| *hash == image) {
            None => groups.push((image, vec![&built.cell])),
            Some((_, same)) => {
                if !same
                    .iter()
                    .any(|cell| cell.axes.same_build(&built.cell.axes))
                {
                    same.push(&built.cell);
                }
            }
        }
    }
    let groups = groups.into_iter().map(|(_, cells)| cells);
    groups.filter(|cells| cells.len() > 1).collect()
}

/// What the build linked beside an image: name and content.
fn linked_beside(link: &CapturedLink) -> Vec<(OsString, Digest)> {
    let linked = link.companions.iter().filter(|companion| {
        matches!(
            companion.kind,
            CompanionKind::Library | CompanionKind::LinkedLibrary | CompanionKind::LinkedExecutable
        )
    });
    let named = linked.filter_map(|one| Some((one.path.file_name()?.to_owned(), one.hash.clone())));
    let mut named: Vec<(OsString, Digest)> = named.collect();
    named.sort();
    named
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_somebody_asked_to_be_away_is_known_by_its_option() {
        let away = |feature, words: &str| {
            let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
            is_asked_away(feature, &words)
        };
        assert!(away(Feature::Pie, "-O1 -fno-pie -no-pie"));
        assert!(away(Feature::StackProtector, "-fno-stack-protector"));
        assert!(!away(Feature::Pie, "-O1 -fno-plt"));
        assert!(!away(Feature::Cet, "-fcf-protection=full"));
    }
}
