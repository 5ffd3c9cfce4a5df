//! Changesets by the names that people give them.

use std::path::Path;

use super::command::Hg;
use crate::states::RevisionError;

/// A changeset's name where there is none.
pub(super) const NULL: &str = "0000000000000000000000000000000000000000";

/// The one changeset that a name stands for; errors call it `called`.
pub(super) fn changeset(folder: &Path, asked: &str, called: &str) -> Result<String, RevisionError> {
    let no = |said: String| RevisionError::NoRevision {
        revision: called.to_owned(),
        said,
    };
    let found = nodes(folder, asked).map_err(|error| match error {
        RevisionError::Mercurial { said, .. } => no(said),
        other => other,
    })?;
    match found.as_slice() {
        [] => Err(no(String::new())),
        [one] if one == NULL => Err(no("nothing was committed".to_owned())),
        [one] => Ok(one.clone()),
        several => Err(no(format!("it stands for {} changesets", several.len()))),
    }
}

/// The names of those that a set of Mercurial's language holds, parents before their children.
pub(super) fn nodes(folder: &Path, set: &str) -> Result<Vec<String>, RevisionError> {
    let asked = format!("--rev={set}");
    let log = Hg::new(folder, "find the changeset");
    let text = log
        .args(["log", &asked, "--template", "{node}\\n"])
        .text()?;
    Ok(text.lines().map(str::to_owned).collect())
}
