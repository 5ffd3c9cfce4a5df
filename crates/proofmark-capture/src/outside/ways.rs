//! The names of one place.

use std::collections::{BTreeSet, HashMap};
use std::path::{Component, Path, PathBuf};

/// The ways to a place by a name. What was looked at once is not looked at again.
#[derive(Default)]
pub struct Ways {
    /// Folders, with links resolved.
    folders: HashMap<PathBuf, Option<PathBuf>>,
    /// Names, each with where it leads and the links on the way.
    followed: HashMap<PathBuf, (PathBuf, Vec<PathBuf>)>,
}

/// Most links that are followed one behind the other, as the kernel has it.
const MOST_LINKS: usize = 40;

impl Ways {
    /// As it is spelt, without the links of its folder, and without any.
    pub fn of(&mut self, name: &Path) -> BTreeSet<PathBuf> {
        let mut ways = BTreeSet::new();
        if !name.components().any(|part| part == Component::ParentDir) {
            ways.insert(name.to_owned());
        }
        if let (Some(folder), Some(last)) = (name.parent(), name.file_name()) {
            let known = self.folders.entry(folder.to_owned());
            let folder = known.or_insert_with(|| folder.canonicalize().ok());
            ways.extend(folder.as_ref().map(|folder| folder.join(last)));
        }
        if name.is_symlink() || name.file_name().is_none() {
            ways.extend(name.canonicalize());
        }
        ways
    }

    /// All links by which one comes from a name to its place, each by its own place; the name
    /// itself where it is one.
    pub fn links(&mut self, name: &Path) -> Vec<PathBuf> {
        self.followed(name, 0).1
    }

    fn followed(&mut self, name: &Path, behind: usize) -> (PathBuf, Vec<PathBuf>) {
        if let Some(known) = self.followed.get(name) {
            return known.clone();
        }
        let Some(above) = name.parent() else {
            return (name.to_owned(), Vec::new());
        };
        let (folder, mut links) = self.followed(above, behind);
        let mut place = match name.components().next_back() {
            Some(Component::Normal(last)) => folder.join(last),
            Some(Component::ParentDir) => folder.parent().unwrap_or(&folder).to_owned(),
            _ => folder.clone(),
        };
        if behind < MOST_LINKS
            && let Ok(target) = place.read_link()
        {
            links.push(place);
            let (end, further) = self.followed(&folder.join(target), behind + 1);
            place = end;
            links.extend(further);
        }
        let known = (place, links);
        self.followed.insert(name.to_owned(), known.clone());
        known
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn every_link_on_a_way_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let at = |name: &str| root.join(name);
        fs::create_dir_all(at("v1/sub")).unwrap();
        symlink("v1", at("cur")).unwrap();
        symlink(at("cur/sub"), at("deep")).unwrap();
        symlink("round", at("round")).unwrap();
        fs::write(at("v1/x"), "").unwrap();
        let links = |name: &str| Ways::default().links(&at(name));
        let all = |names: &[&str]| names.iter().map(|name| at(name)).collect::<Vec<_>>();
        assert_eq!(links("v1/x"), all(&[]));
        assert_eq!(links("cur/x"), all(&["cur"]));
        assert_eq!(links("deep/../x"), all(&["deep", "cur"]));
        assert_eq!(links("cur/none/none"), all(&["cur"]));
        assert_eq!(links("round")[0], at("round"));
    }
}
