//! What a build had to do with in the folder of files that runs read: a cell in which one of these
//! is another file is not what the build was made for.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use proofmark_capture::outside::{Sought, Ways};
use proofmark_terms::OsText;
use serde::{Deserialize, Serialize};

use crate::sources::MadeTree;

/// Names in the tree, relative to it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::builds) struct OfTree {
    /// Read, asked about, or looked for in vain.
    sought: BTreeSet<OsText>,
    /// Folders whose entries were listed; the tree itself has no name.
    listed: BTreeSet<OsText>,
}

impl OfTree {
    /// What a build sought below `tree`, which is without links.
    pub(in crate::builds) fn of(sought: &Sought, tree: &Path) -> OfTree {
        let mut ways = Ways::default();
        let mut within = |name: &Path| -> Vec<OsText> {
            let ways = ways.of(name);
            let ways = ways.iter();
            let names = ways.filter_map(|way| way.strip_prefix(tree).ok());
            names.map(OsText::from).collect()
        };
        let names = sought.found.iter().chain(&sought.absent);
        OfTree {
            sought: names.flat_map(|name| within(name)).collect(),
            listed: (sought.listed.iter())
                .flat_map(|name| within(name))
                .collect(),
        }
    }

    /// The first name that is another file in a tree than the one that the build saw.
    fn differs<'a>(&self, tree: &'a MadeTree) -> Option<&'a PathBuf> {
        let mut changed = tree.changed.iter();
        let is_sought = |name: &&PathBuf| self.sought.contains(&OsText::from(name.as_path()));
        let is_listed = |name: &&PathBuf| {
            let folder = name.parent().unwrap_or(Path::new(""));
            self.listed.contains(&OsText::from(folder))
        };
        let moved = || tree.moved.iter().find(is_listed);
        changed.find(is_sought).or_else(moved)
    }
}

impl super::Reads {
    /// Why the build is not that of a cell with this tree: it read the source's own files there.
    pub(in crate::builds) fn is_not_for(&self, tree: &MadeTree) -> Option<String> {
        let first = tree.changed.first()?;
        let next = "  next: let the build go by other files than the runs read, or let the tree be \
                    a folder of the source: each cell is then built with its own";
        if let Some(why) = &self.unseen {
            return Some(format!(
                "nobody knows whether the build reads {} of its `tree`, which is another file in \
                 this cell: {why}\n{next}",
                first.display()
            ));
        }
        let name = self.of_tree.differs(tree)?;
        Some(format!(
            "the build reads {} of its `tree`, which is another file in this cell: builds see the \
             files of the source, and this program would be made of those\n{next}",
            name.display()
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builds::reads::Reads;

    #[test]
    fn a_build_that_reads_what_a_tree_has_otherwise_is_not_for_it() {
        let set = |names: &[&str]| names.iter().map(PathBuf::from).collect::<BTreeSet<_>>();
        let told = |unseen: Option<&str>, changed: &[&str], moved: &[&str]| {
            let sought = Sought {
                found: set(&["/w/lib/read", "/w/other"]),
                absent: set(&["/w/lib/none"]),
                listed: vec!["/w/lib/sub".into()],
                ..Sought::default()
            };
            let reads = Reads {
                of_tree: OfTree::of(&sought, Path::new("/w/lib")),
                unseen: unseen.map(str::to_owned),
                ..Reads::default()
            };
            reads.is_not_for(&MadeTree {
                folder: PathBuf::new(),
                lies: PathBuf::new(),
                at: PathBuf::new(),
                inside: None,
                changed: set(changed),
                moved: set(moved),
                displaced: Vec::new(),
            })
        };
        assert_eq!(told(None, &[], &[]), None);
        assert_eq!(told(Some("no ptrace"), &[], &[]), None);
        assert_eq!(told(None, &["sub/a", "other"], &[]), None);
        assert!(told(None, &["read"], &[]).unwrap().contains("reads read"));
        assert!(told(None, &["none"], &["none"]).is_some());
        assert!(told(None, &["sub/new"], &["sub/new"]).is_some());
        assert!(told(None, &["new"], &["new"]).is_none());
        let unseen = told(Some("no ptrace"), &["a"], &[]);
        assert!(unseen.unwrap().contains("no ptrace"));
    }
}
