//! A commit written to an empty folder, with a repository of its own in it.

use std::path::{Path, PathBuf};
use std::{env, fs};

use super::command::Git;
use super::settings::setting;
use super::source::Source;
use super::submodules::{self, Submodule};
use super::{borrow, filters};
use crate::states::{RevisionError, same_time};

/// Settings that decide which bytes a checkout writes. They are data; what names a program is left
/// behind.
const CONTENT: [&str; 6] = [
    "core.attributesFile",
    "core.autocrlf",
    "core.eol",
    "core.sparseCheckout",
    "core.sparseCheckoutCone",
    "core.symlinks",
];

/// What a build may ask for, and no file is written by. A service that runs jobs has another one in
/// each of them.
const ADDRESS: &str = "remote.origin.url";

/// Files of a repository's own folder that decide what a checkout writes, or what comes before a
/// commit.
const FILES: [&str; 3] = ["info/attributes", "info/sparse-checkout", "info/grafts"];

/// Where a clone without all history ends.
const SHALLOW: &str = "shallow";

/// All of the user's that decides what a copy holds beside its commit, as text that is the same
/// where all of it is.
pub(super) fn written_by(from: &Source) -> Result<String, RevisionError> {
    let mut text = replacements(from)?;
    let mut put = |name: &str, content: Option<&[u8]>| {
        let hash = content.map(|content| blake3::hash(content).to_hex());
        text.push_str(&format!("\n{name} {hash:?}"));
    };
    for name in CONTENT {
        put(
            name,
            setting(&from.folder, name).as_deref().map(str::as_bytes),
        );
    }
    for name in FILES {
        put(name, own_file(from, name).as_deref());
    }
    for file in attributes(from) {
        put(&file.display().to_string(), fs::read(&file).ok().as_deref());
    }
    Ok(text)
}

/// Objects that others stand for.
fn replacements(from: &Source) -> Result<String, RevisionError> {
    Git::of_user(&from.folder, "list what is replaced")
        .args(["for-each-ref", "--format=%(refname) %(objectname)"])
        .args(["refs/replace"])
        .text()
}

fn own_file(from: &Source, name: &str) -> Option<Vec<u8>> {
    let there = [&from.git_dir, &from.common].map(|folder| folder.join(name));
    there.iter().find_map(|file| fs::read(file).ok())
}

/// Files of the user and of the machine that give attributes to files (gitattributes, FILES).
fn attributes(from: &Source) -> Vec<PathBuf> {
    let set = Git::of_user(&from.folder, "read the configuration")
        .args(["config", "--type=path", "--get", "core.attributesFile"])
        .path();
    let folder = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
    let home = || folder("HOME").map(|home| Path::new(&home).join(".config"));
    let config = folder("XDG_CONFIG_HOME").map(PathBuf::from).or_else(home);
    let own = set
        .ok()
        .or(config.map(|config| config.join("git/attributes")));
    own.into_iter()
        .chain([PathBuf::from("/etc/gitattributes")])
        .collect()
}

/// Writes one commit to an empty folder, with a repository of its own, and the submodules in
/// it. `inside` is the folder's place in the whole.
pub(super) fn write(
    from: &Source,
    commit: &str,
    made: Option<&Path>,
    place: &Path,
    inside: &Path,
) -> Result<(), RevisionError> {
    prepare(from, made, place)?;
    Git::of_copy(place, format!("write commit {commit}"))
        .args(["-c", "advice.detachedHead=false", "checkout", "--quiet"])
        .args(["--detach", "--force", commit])
        .env("GIT_LFS_SKIP_SMUDGE", "1")
        .bytes()
        .map_err(|error| lacks_files(from, commit, error))?;
    filters::judge(from, commit, place, inside)?;
    same_time(place).map_err(|error| RevisionError::file("write", place, error))?;
    noted(place);
    for submodule in submodules::of(from, place, inside)? {
        let Submodule {
            source,
            commit,
            place,
            inside,
        } = submodule;
        write(&source, &commit, None, &place, &inside)?;
    }
    Ok(())
}

/// Why a commit cannot be written: where git lacks a file that others have promised, it is for want
/// of that.
fn lacks_files(from: &Source, commit: &str, error: RevisionError) -> RevisionError {
    let promised = || {
        Git::of_user(&from.folder, "read the configuration")
            .args(["config", "--get-regexp", r"^remote\..*\.promisor$"])
            .text()
            .is_ok_and(|said| said.contains("true"))
    };
    match error {
        RevisionError::Git { said, .. } if said.contains("unable to read") && promised() => {
            RevisionError::Partial {
                commit: commit.to_owned(),
            }
        }
        other => other,
    }
}

/// Has git take down when files were written: builds ask it whether they are as they were.
pub(super) fn noted(place: &Path) {
    let refresh = Git::of_copy(place, "look at the copy").args(["update-index", "-q", "--refresh"]);
    // It fails where a file is not as the commit has it, as those of git LFS.
    let _ = refresh.bytes();
}

/// A repository that borrows this one's objects, has its refs, and those settings that decide
/// about content.
fn prepare(from: &Source, made: Option<&Path>, place: &Path) -> Result<(), RevisionError> {
    let doing = "make a copy of the repository";
    let objects = from.objects();
    let borrowed: Vec<&Path> = [Some(objects.as_path()), made]
        .into_iter()
        .flatten()
        .collect();
    borrow::make(&from.folder, &borrowed, place, doing)?;
    let own = place.join(".git");
    for name in FILES.into_iter().chain([SHALLOW]) {
        if let Some(content) = own_file(from, name) {
            borrow::put(&own.join(name), &content)?;
        }
    }
    settings(from, place, doing)?;
    refs(from, place, doing)
}

fn settings(from: &Source, place: &Path, doing: &str) -> Result<(), RevisionError> {
    let of_user = CONTENT.into_iter().chain([ADDRESS]);
    let of_user = of_user.map(|name| setting(&from.folder, name).map(|value| (name, value)));
    let quiet = ["core.fsmonitor", "gc.auto", "maintenance.auto"].map(|name| {
        Some((
            name,
            if name == "gc.auto" { "0" } else { "false" }.to_owned(),
        ))
    });
    for (name, value) in of_user.chain(quiet).flatten() {
        Git::of_copy(place, doing)
            .args(["config", name, &value])
            .bytes()?;
    }
    Ok(())
}

fn refs(from: &Source, place: &Path, doing: &str) -> Result<(), RevisionError> {
    let listed = Git::of_user(&from.folder, doing)
        .args(["for-each-ref", "--format=%(refname) %(objectname)"])
        .args(["refs/heads", "refs/tags", "refs/remotes", "refs/notes"])
        .args(["refs/replace"])
        .text()?;
    let mut commands: Vec<u8> = Vec::new();
    for line in listed.lines() {
        commands.extend_from_slice(b"update ");
        commands.extend_from_slice(line.as_bytes());
        commands.push(b'\n');
    }
    Git::of_copy(place, doing)
        .args(["update-ref", "--stdin"])
        .input(commands)
        .bytes()
        .map(drop)
}
