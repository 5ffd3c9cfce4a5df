//! In what two trees differ.

use std::collections::BTreeSet;
use std::path::PathBuf;

use proofmark_evidence::record::{TreeChange, TreeChangeKind};

use super::list::{Entry, Listing};

/// In what a tree differs from the base's, by name.
pub(super) fn changes(base: &Listing, new: &Listing) -> Vec<TreeChange> {
    let names: BTreeSet<&PathBuf> = base.0.keys().chain(new.0.keys()).collect();
    let change = |path: &PathBuf| {
        let both = (base.0.get(path), new.0.get(path));
        let how = match both {
            (Some(one), Some(other)) if one == other => return None,
            (Some(_), Some(_)) => TreeChangeKind::Changed,
            (Some(_), None) => TreeChangeKind::Removed,
            (None, _) => TreeChangeKind::Added,
        };
        Some(TreeChange {
            path: path.clone().into(),
            how,
            code: [both.0, both.1].into_iter().flatten().any(is_code),
        })
    };
    names.into_iter().filter_map(change).collect()
}

fn is_code(entry: &Entry) -> bool {
    matches!(entry, Entry::File { code: true, .. })
}
