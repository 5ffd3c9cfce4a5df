//! What base's runs keep and another build's runs read: answers that a program remembers in its
//! folder are then base's own.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use proofmark_measure::trace::Traced;

/// The files that a run made or changed and that hold something now.
pub(super) fn kept(run: &Traced) -> BTreeSet<PathBuf> {
    let changed = run
        .written
        .keys()
        .filter(|path| run.before.is_changed(path));
    let filled = changed.filter(|path| fs::metadata(path).is_ok_and(|about| about.len() > 0));
    filled.cloned().collect()
}

/// One of these files that a run read as it found it.
pub(super) fn read_of<'a>(run: &'a Traced, kept: &BTreeSet<PathBuf>) -> Option<&'a Path> {
    let found = run.read.iter().filter(|(_, read)| read.found && !read.own);
    let mut found = found.map(|(path, _)| path.as_path());
    found.find(|path| kept.contains(*path))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proofmark_measure::trace::{TraceLimits, trace};
    use proofmark_measure::{Interrupt, Launch};

    use super::*;

    #[test]
    fn an_answer_that_base_kept_is_told_from_one_that_is_made_anew() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().canonicalize().unwrap();
        let run_of = |script: &str| {
            let mut launch = Launch::new("/bin/sh", Duration::from_secs(60));
            launch.args = vec!["-c".into(), script.into()];
            launch.env = vec![("PATH".into(), "/usr/bin:/bin".into())];
            launch.cwd = place.clone();
            trace(&launch, &TraceLimits::default(), &Interrupt::new()).unwrap()
        };
        let remembers = "[ -f answer ] || echo 1 > answer; cat answer; echo one > log; : > lock";
        let kept = kept(&run_of(remembers));
        let both = ["answer", "log"].map(|name| place.join(name));
        assert_eq!(kept, BTreeSet::from(both.clone()));
        assert_eq!(read_of(&run_of(remembers), &kept), Some(both[0].as_path()));
        for made_anew in [
            "echo 2 > answer; cat answer; cat lock",
            "rm answer; echo 2 > answer",
        ] {
            assert_eq!(read_of(&run_of(made_anew), &kept), None, "{made_anew}");
        }
    }
}
