//! Commits fetched from a repository that the user names, into one of proofmark's own.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use super::command::Git;
use super::copy;
use crate::states::RevisionError;

/// Ways to a repository. What others lead to is not known, and some of them run programs.
const PROTOCOLS: &str = "file:https:ssh";

/// Whether git would go there by one of those ways: a folder of this machine, `https://`, `ssh://`
/// or `user@host:path`.
#[must_use]
pub fn is_reachable(from: &str) -> bool {
    if from.starts_with('-') || from.contains("::") || from.is_empty() {
        return false;
    }
    if let Some((protocol, _)) = from.split_once("://") {
        return matches!(protocol, "https" | "ssh");
    }
    true
}

/// Makes a repository in an empty folder that has the branches and tags of another one, and writes
/// the last of the commits to its work tree. No hook, monitor or filter runs, no submodule is
/// fetched; the settings of the user's git hold as far as they say how a host is reached.
///
/// # Errors
/// When git cannot get there, or the other repository lacks one of the commits.
pub fn fetched(from: &str, commits: &[&str], place: &Path) -> Result<(), RevisionError> {
    let own = |doing: &str| Git::of_copy(place, doing.to_owned());
    let doing = "make a repository to fetch into";
    let long = commits.iter().any(|commit| commit.len() == 64);
    let format = if long { "sha256" } else { "sha1" };
    own(doing)
        .args(["init", "--quiet", "--template="])
        .args([&format!("--object-format={format}")])
        .bytes()?;
    for setting in ["gc.auto", "maintenance.auto", "core.fsmonitor"] {
        let value = if setting == "gc.auto" { "0" } else { "false" };
        own(doing).args(["config", setting, value]).bytes()?;
    }
    let fetch = |what: &[&str]| {
        Git::of_user(place, format!("fetch from {from}"))
            .env("GIT_ALLOW_PROTOCOL", PROTOCOLS)
            .env("GIT_LFS_SKIP_SMUDGE", "1")
            .args(["-c", "transfer.credentialsInUrl=die"])
            .args(["fetch", "--quiet", "--no-tags", "--no-recurse-submodules"])
            .args(["--no-auto-maintenance", "--no-write-fetch-head", "--"])
            .args([from])
            .args(what)
            .bytes()
    };
    fetch(&[
        "+refs/heads/*:refs/remotes/origin/*",
        "+refs/tags/*:refs/tags/*",
    ])?;
    for commit in commits {
        let there = || {
            let name = format!("{commit}^{{commit}}");
            own("look for a commit")
                .args(["cat-file", "-e", &name])
                .succeeds()
        };
        if there()? {
            continue;
        }
        // No branch leads to it any more; some hosts hand it out all the same.
        let kept = format!("+{commit}:refs/proofmark/{commit}");
        if fetch(&[&kept]).is_err() || !there()? {
            return Err(RevisionError::NotThere {
                revision: (*commit).to_owned(),
                repository: from.to_owned(),
            });
        }
    }
    let Some(last) = commits.last() else {
        return Ok(());
    };
    own(&format!("write commit {last}"))
        .args(["-c", "advice.detachedHead=false", "checkout", "--quiet"])
        .args(["--detach", "--force", last])
        .env("GIT_LFS_SKIP_SMUDGE", "1")
        .bytes()?;
    copy::noted(place);
    Ok(())
}

/// The address of a repository as git takes it from any folder: that of a folder in full.
///
/// # Errors
/// When the folder is not there.
pub fn in_full(from: &str) -> std::io::Result<String> {
    if from.contains("://") || (from.contains(':') && !Path::new(from).exists()) {
        return Ok(from.to_owned());
    }
    let folder = fs::canonicalize(OsStr::new(from))?;
    Ok(folder.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::process::Command;

    use super::{fetched, is_reachable};
    use crate::states::RevisionError;

    fn git(folder: &Path, words: &[&str]) -> String {
        let git = Command::new("git")
            .arg("-C")
            .arg(folder)
            .args(["-c", "user.name=n", "-c", "user.email=e"])
            .args(words)
            .output()
            .unwrap();
        assert!(git.status.success(), "{words:?}");
        String::from_utf8(git.stdout).unwrap().trim().to_owned()
    }

    #[test]
    fn commits_come_with_their_tags_and_nothing_of_the_repository_runs() {
        if Command::new("git").arg("--version").output().is_err() {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("there")).unwrap();
        git(&at("there"), &["init", "-q"]);
        let commit = |text: &str| {
            fs::write(at("there/file"), text).unwrap();
            git(&at("there"), &["add", "."]);
            git(&at("there"), &["commit", "-qm", text]);
            git(&at("there"), &["rev-parse", "HEAD"])
        };
        let (one, two) = (commit("1"), commit("2"));
        git(&at("there"), &["tag", "v1", &one]);
        // No branch leads to it any more.
        git(&at("there"), &["reset", "-q", "--hard", &one]);
        let from = at("there").display().to_string();
        fs::create_dir(at("here")).unwrap();
        fetched(&from, &[&one, &two], &at("here")).unwrap();
        assert_eq!(fs::read(at("here/file")).unwrap(), b"2");
        assert_eq!(git(&at("here"), &["describe", "--tags", &one]), "v1");
        let strange = "ab".repeat(20);
        fs::create_dir(at("other")).unwrap();
        let error = fetched(&from, &[&one, &strange], &at("other")).unwrap_err();
        let named = |revision: &String| *revision == strange;
        assert!(
            matches!(&error, RevisionError::NotThere { revision, .. } if named(revision)),
            "{error}"
        );
    }

    #[test]
    fn ways_that_run_programs_or_that_nobody_secures_are_refused() {
        for good in [
            "https://example.org/x.git",
            "ssh://git@example.org/x",
            "git@example.org:x/y.git",
            "../x",
            "/srv/x",
            "x",
        ] {
            assert!(is_reachable(good), "{good}");
        }
        for bad in [
            "",
            "--upload-pack=touch x",
            "ext::sh -c touch% x",
            "http://example.org/x",
            "git://example.org/x",
            "file:///srv/x",
            "helper::x",
        ] {
            assert!(!is_reachable(bad), "{bad}");
        }
    }
}
