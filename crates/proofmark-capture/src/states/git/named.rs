//! Commits by the names that people give them. A name that stands for several is refused: git would
//! take one of them, and say so where nobody looks.

use super::command::Git;
use super::damaged;
use crate::states::RevisionError;

/// Where git looks for a name, in its order.
const PLACES: [[&str; 2]; 5] = [
    ["refs/", ""],
    ["refs/tags/", ""],
    ["refs/heads/", ""],
    ["refs/remotes/", ""],
    ["refs/remotes/", "/HEAD"],
];

/// The fewest digits that git takes for the beginning of a commit's name.
const FEWEST: usize = 4;

/// The full names of commits have so many digits, by SHA-1 and by SHA-256.
const FULL: [usize; 2] = [40, 64];

/// The commit that a revision stands for; `git` starts git in its repository.
///
/// # Errors
/// When there is none, or the name in it stands for several.
pub(super) fn commit(git: &dyn Fn() -> Git, revision: &str) -> Result<String, RevisionError> {
    unambiguous(git, revision)?;
    resolved(git, revision).map_err(|error| match error {
        RevisionError::Git { .. } if is_shallow(git) => RevisionError::NotInShallow {
            revision: revision.to_owned(),
        },
        RevisionError::Git { said, .. } => {
            damaged::without_head(git).unwrap_or_else(|| RevisionError::NoRevision {
                revision: revision.to_owned(),
                said,
            })
        }
        other => other,
    })
}

/// Whether the clone lacks what lies before some commits.
fn is_shallow(git: &dyn Fn() -> Git) -> bool {
    let asked = git().args(["rev-parse", "--is-shallow-repository"]).text();
    asked.is_ok_and(|said| said.trim() == "true")
}

/// The commit that git takes a revision for.
fn resolved(git: &dyn Fn() -> Git, revision: &str) -> Result<String, RevisionError> {
    let asked = format!("{revision}^{{commit}}");
    let found = git()
        .args(["rev-parse", "--verify", "--quiet", "--end-of-options"])
        .args([asked]);
    // Warnings of git's may stand before it.
    let said = found.text()?;
    Ok(said
        .lines()
        .next_back()
        .unwrap_or_default()
        .trim()
        .to_owned())
}

/// Refuses a revision whose name stands for several commits.
pub(super) fn unambiguous(git: &dyn Fn() -> Git, revision: &str) -> Result<(), RevisionError> {
    let name = name(revision);
    let is_hex = name.bytes().all(|byte| byte.is_ascii_hexdigit());
    if name.is_empty() || (is_hex && FULL.contains(&name.len())) {
        return Ok(());
    }
    let mut meant = references(git, name)?;
    // What lies in the repository's folder under that name, such as HEAD, goes before all of them.
    if !meant.is_empty()
        && let Ok(own) = resolved(git, name)
        && meant.iter().all(|(_, commit)| *commit != own)
    {
        meant.push((name.to_owned(), own));
    }
    if is_hex && name.len() >= FEWEST {
        let begun = begun(git, name)?.into_iter();
        meant.extend(begun.map(|commit| (commit.clone(), commit)));
    }
    match meant.split_first() {
        Some(((_, first), others)) if others.iter().any(|(_, commit)| commit != first) => {
            let commits: Vec<&str> = meant.iter().map(|(_, commit)| commit.as_str()).collect();
            Err(RevisionError::Ambiguous {
                revision: name.to_owned(),
                command: format!("git log --no-walk {}", commits.join(" ")),
                meant,
            })
        }
        _ => Ok(()),
    }
}

/// The name that a revision begins with: what stands behind it leads from there to another commit.
fn name(revision: &str) -> &str {
    let ends = [revision.find(['~', '^', ':']), revision.find("@{")];
    let end = ends.into_iter().flatten().min();
    end.map_or(revision, |end| &revision[..end])
}

/// The references of this name with their commits.
fn references(git: &dyn Fn() -> Git, name: &str) -> Result<Vec<(String, String)>, RevisionError> {
    // No reference has these, and a pattern would be made of them.
    if name.contains(['*', '?', '[', '\\']) {
        return Ok(Vec::new());
    }
    let places = PLACES.map(|[before, behind]| format!("{before}{name}{behind}"));
    let listed = git().args(["for-each-ref", "--format=%(refname)"]);
    let listed = match listed.args(&places).text() {
        Ok(listed) => listed,
        Err(RevisionError::Git { .. }) => return Ok(Vec::new()),
        Err(other) => return Err(other),
    };
    let own = |line: &&str| places.iter().any(|place| place == line);
    let mut found = Vec::new();
    for reference in listed.lines().filter(own) {
        // One that leads to no commit is none.
        if let Ok(commit) = resolved(git, reference) {
            found.push((reference.to_owned(), commit));
        }
    }
    Ok(found)
}

/// The commits whose names begin like this.
fn begun(git: &dyn Fn() -> Git, digits: &str) -> Result<Vec<String>, RevisionError> {
    let asked = format!("--disambiguate={digits}");
    let objects = match git().args(["rev-parse", &asked]).text() {
        Ok(objects) => objects,
        Err(RevisionError::Git { .. }) => return Ok(Vec::new()),
        Err(other) => return Err(other),
    };
    if objects.is_empty() {
        return Ok(Vec::new());
    }
    let kinds = git()
        .args(["cat-file", "--batch-check=%(objectname) %(objecttype)"])
        .input(objects.into_bytes())
        .text()?;
    let commits = kinds
        .lines()
        .filter_map(|line| line.strip_suffix(" commit"));
    Ok(commits.map(str::to_owned).collect())
}
