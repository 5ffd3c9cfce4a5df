//! What on this machine hurts measurements: each finding with why it matters and what to do about
//! it.

mod frequency;
mod memory;
mod neighbours;
mod surroundings;
mod tools;
mod tuned;

use std::path::Path;

use proofmark_terms::{Check, CheckStatus};
use proofmark_tune::{Disk, Surroundings};

/// Looks at everything. Takes less than a second, during which the machine's other work is
/// watched.
#[must_use]
pub fn checks() -> Vec<Check> {
    let root = Path::new("/");
    let watched = neighbours::Watched::over_half_a_second();
    let mut all = vec![
        frequency::governor(root),
        frequency::turbo(root),
        frequency::throttling(root),
        neighbours::hypervisor(root),
        neighbours::cores(),
        neighbours::smt(root),
    ];
    all.extend(watched.findings());
    all.extend([
        neighbours::load(root),
        memory::free(root),
        memory::swap(root),
        memory::huge_pages(root),
        memory::aslr(root),
    ]);
    all.extend(surroundings::findings(&Surroundings::of(
        &Disk::of_this_machine(),
    )));
    all.extend(tuned::findings(crate::idle_core().core()));
    all.extend([
        tools::counters(),
        tools::valgrind(),
        tools::grouping(),
        tools::clock(root),
        tools::timer(),
    ]);
    all
}

/// A folder laid out like the parts of a machine that a check reads.
#[cfg(test)]
fn laid_out(files: &[(&str, &str)]) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = root.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    root
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_finding_is_explained_and_trouble_has_a_remedy() {
        let all = checks();
        assert!(all.len() >= 15, "{}", all.len());
        let mut names: Vec<&str> = all.iter().map(|check| check.name).collect();
        for check in &all {
            assert!(!check.found.is_empty() && check.why.len() > 20, "{check:?}");
            if matches!(check.status, CheckStatus::Hurts | CheckStatus::Missing) {
                assert!(check.remedy.is_some(), "{check:?}");
            }
        }
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all.len(), "a name stands twice");
    }
}
