//! Changesets by the names that people give them.

use std::fs;
use std::path::Path;

use super::command::Hg;
use crate::states::RevisionError;

/// A changeset's name where there is none.
pub(super) const NULL: &str = "0000000000000000000000000000000000000000";

/// The one changeset that a name stands for; errors call it `called`.
pub(super) fn changeset(folder: &Path, asked: &str, called: &str) -> Result<String, RevisionError> {
    unambiguous(folder, asked)?;
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
        [one] if one == NULL => Err(match parent_in(folder) {
            Some(parent) => RevisionError::Damaged {
                what: format!(
                    "its list of changesets is empty, and its working directory is one of \
                     changeset {parent}"
                ),
                next: "`hg verify` says what is missing; a fresh clone has all of it",
            },
            None => no("nothing was committed".to_owned()),
        }),
        [one] => Ok(one.clone()),
        several => Err(no(format!("it stands for {} changesets", several.len()))),
    }
}

/// The changeset that the working directory is one of, by Mercurial's own note of it; hg itself
/// says nothing of one that its list of changesets lacks.
fn parent_in(folder: &Path) -> Option<String> {
    /// What the second form of the note begins with; the first one begins with the changeset.
    const SECOND: &[u8] = b"dirstate-v2\n";
    /// Bytes of a changeset's name.
    const NODE: usize = 20;
    let mut above = folder.ancestors();
    let note = above.find_map(|above| fs::read(above.join(".hg/dirstate")).ok())?;
    let begin = note.strip_prefix(SECOND).unwrap_or(&note).get(..NODE)?;
    let digits = begin.iter().map(|byte| format!("{byte:02x}"));
    let node: String = digits.collect();
    (node != NULL).then_some(node)
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

/// Refuses what names a bookmark, a tag and a branch, or two of them, of several changesets:
/// Mercurial would take one of them, and say nothing.
fn unambiguous(folder: &Path, name: &str) -> Result<(), RevisionError> {
    let is_full = name.len() == NULL.len() && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_quoted = name.contains(|letter: char| "\"\\".contains(letter) || letter.is_control());
    if is_full || is_quoted || name == "." {
        return Ok(());
    }
    let kinds = ["bookmark", "tag", "branch"];
    let sets = kinds.map(|kind| format!("max(present({kind}(\"literal:{name}\")))"));
    let asked = format!("--rev={}", sets.join(" + "));
    const TOLD: &str = "{node}\\0{join(bookmarks, '\\1')}\\0{join(tags, '\\1')}\\0{branch}\\n";
    let log = Hg::new(folder, "find the changeset");
    let text = match log.args(["log", &asked, "--template", TOLD]).text() {
        Ok(text) => text,
        // A name that this language does not take is no name of theirs.
        Err(RevisionError::Mercurial { .. }) => return Ok(()),
        Err(other) => return Err(other),
    };
    let mut meant = Vec::new();
    for line in text.lines() {
        let mut fields = line.split('\0');
        let node = fields.next().unwrap_or_default();
        let has = |names: &str| names.split('\u{1}').any(|one| one == name);
        let of = kinds.iter().zip(fields).filter(|(_, names)| has(names));
        let of: Vec<&str> = of.map(|(kind, _)| *kind).collect();
        meant.push((format!("the {}", of.join(" and the ")), node.to_owned()));
    }
    if meant.len() < 2 {
        return Ok(());
    }
    let nodes: Vec<&str> = meant.iter().map(|(_, node)| node.as_str()).collect();
    Err(RevisionError::Ambiguous {
        revision: name.to_owned(),
        command: format!("hg log --rev {}", nodes.join("+")),
        meant,
    })
}
