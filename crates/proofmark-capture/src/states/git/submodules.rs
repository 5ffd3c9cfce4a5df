//! The submodules of a commit, and where the clone has them.

use std::fs;
use std::path::{Path, PathBuf};

use super::command::{Git, as_path, records};
use super::settings::setting;
use super::source::Source;
use crate::states::RevisionError;

/// A submodule of a commit.
pub(super) struct Submodule {
    /// Where the clone has it.
    pub(super) source: Source,
    pub(super) commit: String,
    /// The folder that it is written to.
    pub(super) place: PathBuf,
    /// That folder's place in the whole.
    pub(super) inside: PathBuf,
}

/// Every submodule of the commit that `place` holds, without those that the user leaves out.
pub(super) fn of(
    parent: &Source,
    place: &Path,
    inside: &Path,
) -> Result<Vec<Submodule>, RevisionError> {
    let mut found = Vec::new();
    let listed = Git::of_copy(place, "list the submodules")
        .args(["ls-files", "--stage", "-z"])
        .bytes()?;
    for record in records(&listed) {
        // MODE OBJECT STAGE<tab>PATH
        let Some(tab) = record.iter().position(|byte| *byte == b'\t') else {
            continue;
        };
        let (about, path) = record.split_at(tab);
        let about = String::from_utf8_lossy(about).into_owned();
        let Some(("160000", rest)) = about.split_once(' ') else {
            continue;
        };
        let commit = rest.split(' ').next().unwrap_or_default();
        let path = as_path(path.get(1..).unwrap_or_default());
        found.extend(one(parent, place, inside, path, commit)?);
    }
    Ok(found)
}

fn one(
    parent: &Source,
    place: &Path,
    inside: &Path,
    path: &Path,
    commit: &str,
) -> Result<Option<Submodule>, RevisionError> {
    let folder = place.join(path);
    // A sparse checkout leaves it out.
    if !folder.is_dir() {
        return Ok(None);
    }
    let name = name(place, path)?;
    if let Some(name) = &name
        && is_left_out(parent, name)
    {
        return Ok(None);
    }
    let whole = inside.join(path);
    let missing = |command: String| RevisionError::Submodule {
        path: whole.clone(),
        commit: commit.get(..12).unwrap_or(commit).to_owned(),
        command,
    };
    let places = places(parent, path, name.as_deref());
    let mut known: Option<&PathBuf> = None;
    for candidate in &places {
        let Ok(source) = Source::of(candidate) else {
            continue;
        };
        known = known.or(Some(candidate));
        if source.has(commit)? {
            return Ok(Some(Submodule {
                source,
                commit: commit.to_owned(),
                place: folder,
                inside: whole,
            }));
        }
    }
    Err(missing(match known {
        // `fetch` changes nothing of the work tree.
        Some(candidate) => format!("git -C {} fetch --all", candidate.display()),
        None => format!(
            "git submodule update --init --recursive {}",
            whole.display()
        ),
    }))
}

/// Where a submodule's repository may be in the user's clone: its work tree, or the folder that git
/// keeps it in.
fn places(parent: &Source, path: &Path, name: Option<&str>) -> Vec<PathBuf> {
    let work = parent.folder.join(path);
    let mut places = Vec::new();
    // Without a repository of its own git would find the one around it.
    if fs::symlink_metadata(work.join(".git")).is_ok() {
        places.push(work);
    }
    for folder in [&parent.git_dir, &parent.common] {
        let kept = name.map(|name| folder.join("modules").join(name));
        places.extend(kept.filter(|kept| kept.join("HEAD").is_file()));
    }
    places
}

/// What `.gitmodules` of the commit calls the submodule at a path.
fn name(place: &Path, path: &Path) -> Result<Option<String>, RevisionError> {
    if !place.join(".gitmodules").is_file() {
        return Ok(None);
    }
    let asked = Git::of_copy(place, "read .gitmodules").args([
        "config",
        "--file",
        ".gitmodules",
        "--null",
        "--get-regexp",
        r"^submodule\..*\.path$",
    ]);
    let listed = match asked.bytes() {
        Err(RevisionError::Git { said, .. }) if said.is_empty() => Vec::new(),
        other => other?,
    };
    // KEY<line feed>VALUE
    let found = records(&listed).find_map(|record| {
        let text = String::from_utf8_lossy(record).into_owned();
        let (key, value) = text.split_once('\n')?;
        let name = key.strip_prefix("submodule.")?.strip_suffix(".path")?;
        (Path::new(value) == path).then(|| name.to_owned())
    });
    Ok(found)
}

/// The user has said that this clone does without it.
fn is_left_out(parent: &Source, name: &str) -> bool {
    let says = |key: &str, value: &str| {
        setting(&parent.folder, &format!("submodule.{name}.{key}")).as_deref() == Some(value)
    };
    says("update", "none") || says("active", "false")
}
