//! The links and folders by which a run comes to a file: a build that switches a link, or moves a
//! folder to its place, gives runs another file, and the file's own times say nothing of it.

use std::path::{Path, PathBuf};

use proofmark_capture::outside::Ways;

use super::content::{real, times};

/// Something on the way to a file.
#[derive(Clone, Debug)]
pub(super) struct Step {
    /// Where it lies, links on the way to it resolved.
    pub(super) place: PathBuf,
    /// When it was put there: microseconds since 1970-01-01 UTC.
    pub(super) since_us: i64,
}

/// The links by which a name leads to a file.
pub(super) fn links(name: &Path) -> Vec<Step> {
    let places = Ways::default().links(name).into_iter();
    let step = |place: PathBuf| {
        let about = place.symlink_metadata().ok()?;
        let since_us = times(&about).into_iter().max()?;
        Some(Step { place, since_us })
    };
    places.filter_map(step).collect()
}

/// The folders of a file that were moved to where they are, or got other rights, which looks the
/// same: such a one has changed, and what is in it has not. Where something was made in it since,
/// that is not seen.
pub(super) fn moved_folders(name: &Path) -> Vec<Step> {
    let place = real(name);
    let moved = |folder: &Path| {
        let [changed, written] = times(&folder.metadata().ok()?);
        (changed > written).then(|| Step {
            place: folder.to_owned(),
            since_us: changed,
        })
    };
    place.ancestors().skip(1).filter_map(moved).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn every_link_and_every_moved_folder_on_the_way_is_known() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().canonicalize().unwrap();
        let at = |name: &str| place.join(name);
        fs::create_dir_all(at("v1/inner")).unwrap();
        fs::write(at("v1/inner/table"), "1").unwrap();
        symlink("other", at("now")).unwrap();
        symlink("v1", at("other")).unwrap();
        symlink("table", at("v1/inner/again")).unwrap();
        let names = |steps: Vec<Step>| -> Vec<String> {
            let names = steps.into_iter().map(|step| step.place);
            let names = names.filter_map(|name| Some(name.strip_prefix(&place).ok()?.to_owned()));
            names.map(|name| name.display().to_string()).collect()
        };
        let all = names(links(&at("now/inner/again")));
        assert_eq!(all, ["now", "other", "v1/inner/again"]);
        assert!(names(links(&at("v1/inner/table"))).is_empty());
        assert!(names(moved_folders(&at("v1/inner/table"))).is_empty());
        fs::create_dir(at("far")).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(20));
        fs::rename(at("v1"), at("far/v1")).unwrap();
        assert_eq!(names(moved_folders(&at("far/v1/inner/table"))), ["far/v1"]);
    }
}
