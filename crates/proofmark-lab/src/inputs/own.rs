//! What proofmark itself keeps in its folder. A store that `--store` names may lie in a folder that
//! holds inputs too; a folder called `.proofmark` holds nothing else.

use std::path::{Component, Path};

/// What the folder is called where nobody names another.
const OWN_FOLDER: &str = ".proofmark";

/// Names of files and folders in a store.
const NAMES: [&str; 16] = [
    ".gitignore",
    "asked",
    "builds",
    "cache",
    "capturing",
    "evidence.db",
    "evidence.db-shm",
    "evidence.db-wal",
    "images",
    "labels",
    "matrix",
    "objects",
    "replays",
    "shims",
    "toolchains",
    "work",
];

/// What other names of its begin with.
const BEGINNINGS: [&str; 2] = ["followed-", "revisions"];

/// Whether a path is that of the store in this folder, or of what that keeps.
pub(super) fn is_own(path: &Path, store: &Path) -> bool {
    let Ok(below) = path.strip_prefix(store) else {
        return false;
    };
    if store.file_name().is_some_and(|name| name == OWN_FOLDER) {
        return true;
    }
    match below.components().next() {
        Some(Component::Normal(first)) => {
            let name = first.to_string_lossy();
            NAMES.contains(&&*name)
                || BEGINNINGS.iter().any(|begins| name.starts_with(begins))
                || name.ends_with(".lock")
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_beside_the_store_in_its_folder_is_not_its_own() {
        let own = |path: &str| is_own(Path::new(path), Path::new("/p/store"));
        for path in [
            "/p/store",
            "/p/store/work/run/0",
            "/p/store/evidence.db-wal",
            "/p/store/in-use.lock",
            "/p/store/revisions-made/x",
        ] {
            assert!(own(path), "{path}");
        }
        for path in ["/p/store/input.txt", "/p/store/workload", "/p/input"] {
            assert!(!own(path), "{path}");
        }
        let usual = Path::new("/p/.proofmark");
        assert!(is_own(Path::new("/p/.proofmark/any"), usual));
    }
}
