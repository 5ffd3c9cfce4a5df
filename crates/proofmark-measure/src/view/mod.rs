//! A view of the file system of a program's own: other files lie at some of its paths, and
//! everything else is where it always is.
//!
//! Each arm of a comparison runs under its own name, at its own place and with its own libraries,
//! though all of them claim the same paths: an absolute RPATH, `dlopen` by path, `$ORIGIN`,
//! `/proc/self/exe` and `argv[0]` are then what the build's maker has. A view is a private mount
//! namespace in which files are bound over others. As root that is all; anybody else needs a user
//! namespace around it, in which they are who they are outside.

mod kept;
mod make;

use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::MeasureError;
use kept::Kept;

/// A file, and the path at which it is seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The file, absolute. It keeps its inode: what is written to it is written there.
    pub file: PathBuf,
    /// The path at which it is seen, absolute. Something has to be there already: a file for a
    /// file, a folder for a folder.
    pub at: PathBuf,
}

/// A view that programs can be started in; see [`crate::Launch::view`]. It exists for as long as it
/// is held.
#[derive(Debug)]
pub struct View {
    /// The user namespace that the mounts belong to, where there is one.
    user: Option<OwnedFd>,
    mounts: OwnedFd,
    bindings: Vec<Binding>,
    folder: Option<Binding>,
    /// What was bound, to be looked for again.
    kept: Kept,
}

impl PartialEq for View {
    /// A view is equal to itself only.
    fn eq(&self, other: &Self) -> bool {
        self.mounts.as_raw_fd() == other.mounts.as_raw_fd()
    }
}

impl View {
    /// A view in which these files are bound over what lies at their paths. Each is looked at once
    /// it is bound: at the path lies that very file.
    ///
    /// # Errors
    /// When this user or this system may not have views (see [`View::usable`]), and when a file
    /// cannot be bound: which one, and why.
    pub fn of(bindings: &[Binding]) -> Result<View, MeasureError> {
        View::made(bindings, None)
    }

    /// The same, and a whole folder is seen in the place of another one. What is bound at paths in
    /// that folder is seen there all the same; there has to be something at those paths in the
    /// folder that is put there, too.
    ///
    /// # Errors
    /// As [`View::of`].
    pub fn in_folder(bindings: &[Binding], folder: &Binding) -> Result<View, MeasureError> {
        View::made(bindings, Some(folder))
    }

    fn made(bindings: &[Binding], folder: Option<&Binding>) -> Result<View, MeasureError> {
        let view = |owner| make::view(bindings, folder, owner);
        match view(make::Owner::Self_) {
            Err(make::Failed {
                step: make::Step::Unshare,
                source,
            }) if source.raw_os_error() == Some(libc::EPERM) => view(make::Owner::UserNamespace),
            other => other,
        }
        .map_err(|failed| failed.into_error(bindings, folder))
    }

    /// Whether views can be had, tried by having one: containers and security modules may forbid
    /// them. Otherwise why not, in a few words.
    ///
    /// # Errors
    /// The reason.
    pub fn usable() -> Result<(), String> {
        static TRIED: OnceLock<Result<(), String>> = OnceLock::new();
        TRIED.get_or_init(try_one).clone()
    }

    /// Enters the view: what is started from here on sees it. For a process with one thread that
    /// shares its folder with no other, such as a child between `fork` and `exec`; only system
    /// calls are made. The current folder is lost.
    ///
    /// # Errors
    /// The kernel's reason.
    pub fn enter(&self) -> io::Result<()> {
        let enter = |fd: RawFd, kind| {
            // SAFETY: a system call with a descriptor of ours.
            if unsafe { libc::setns(fd, kind) } < 0 {
                Err(io::Error::last_os_error())
            } else {
                Ok(())
            }
        };
        let [mounts, user] = self.descriptors();
        if user >= 0 {
            enter(user, libc::CLONE_NEWUSER)?;
        }
        enter(mounts, libc::CLONE_NEWNS)
    }

    /// The file that is seen at a path: the one that is bound there, or the path itself.
    #[must_use]
    pub fn file<'a>(&'a self, at: &'a Path) -> &'a Path {
        let bound = self.bindings.iter().rev().find(|binding| binding.at == at);
        bound.map_or(at, |binding| &binding.file)
    }

    /// A path at which the bound file is no longer seen, if there is one. A view that lost a file
    /// does not find it again, so that one look after a run tells of all the time before.
    #[must_use]
    pub fn lost(&self) -> Option<&Path> {
        let mut all = self.bindings.iter().chain(&self.folder);
        all.nth(self.kept.lost()?)
            .map(|binding| binding.at.as_path())
    }

    /// The same view, but with another file at one path.
    ///
    /// # Errors
    /// As [`View::of`].
    pub fn with(&self, binding: Binding) -> Result<View, MeasureError> {
        let mut bindings = self.bindings.clone();
        bindings.retain(|known| known.at != binding.at);
        bindings.push(binding);
        View::made(&bindings, self.folder.as_ref())
    }

    /// The namespaces: of mounts, and of users or −1.
    pub(crate) fn descriptors(&self) -> [RawFd; 2] {
        let user = self.user.as_ref().map_or(-1, AsRawFd::as_raw_fd);
        [self.mounts.as_raw_fd(), user]
    }
}

/// Binds one file over another and looks whether it is there.
fn try_one() -> Result<(), String> {
    let why = |error: io::Error| format!("cannot make a file to try it: {error}");
    let folder = tempfile::tempdir().map_err(why)?;
    let file = |name: &str| -> io::Result<PathBuf> {
        let path = folder.path().canonicalize()?.join(name);
        std::fs::write(&path, name)?;
        Ok(path)
    };
    let binding = Binding {
        file: file("a").map_err(why)?,
        at: file("b").map_err(why)?,
    };
    View::of(&[binding])
        .map(|_| ())
        .map_err(|error| match error {
            MeasureError::NoView { doing, source } => format!("{doing}: {source}"),
            other => other.to_string(),
        })
}

/// What to say of a binding.
fn shown(binding: &Binding) -> String {
    let show = |path: &Path| path.display().to_string();
    format!("{} at {}", show(&binding.file), show(&binding.at))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;
    use crate::trace::{TraceLimits, trace};
    use crate::{CgroupUse, Instrument, InstrumentOptions, Interrupt, Launch};

    /// A folder with files of these names and contents; those that begin with `#!` can be executed.
    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in files {
            let path = folder.path().join(name);
            fs::write(&path, content).unwrap();
            if content.starts_with("#!") {
                fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
            }
        }
        folder
    }

    fn bound(folder: &Path, pairs: &[(&str, &str)]) -> Vec<Binding> {
        let path = |name: &str| folder.canonicalize().unwrap().join(name);
        let binding = |(file, at): &(&str, &str)| Binding {
            file: path(file),
            at: path(at),
        };
        pairs.iter().map(binding).collect()
    }

    /// Views of both kinds of owner, as far as this user may have them.
    fn views(bindings: &[Binding]) -> Vec<Arc<View>> {
        [make::Owner::Self_, make::Owner::UserNamespace]
            .into_iter()
            .filter_map(|owner| make::view(bindings, None, owner).ok())
            .map(Arc::new)
            .collect()
    }

    /// Where the folder that is covered holds what covers it, as a project holds its `.proofmark`.
    #[test]
    fn a_folder_is_seen_in_the_place_of_another_with_what_is_bound_in_it() {
        if View::usable().is_err() {
            println!("skipped: needs private mount namespaces");
            return;
        }
        let folder = folder(&[("prog", "#!/bin/sh\npwd; cat data"), ("data", "outside")]);
        let top = folder.path().canonicalize().unwrap();
        fs::create_dir(top.join("copy")).unwrap();
        fs::write(top.join("copy/prog"), "").unwrap();
        fs::write(top.join("copy/data"), "inside").unwrap();
        fs::copy(top.join("prog"), top.join("own")).unwrap();
        let bindings = bound(folder.path(), &[("own", "prog")]);
        let at = |file: &str, at: &Path| Binding {
            file: top.join(file),
            at: at.to_owned(),
        };
        let mut tried = 0;
        for owner in [make::Owner::Self_, make::Owner::UserNamespace] {
            let Ok(view) = make::view(&bindings, Some(&at("copy", &top)), owner) else {
                continue;
            };
            tried += 1;
            let mut launch = Launch::new(top.join("prog"), Duration::from_secs(60));
            launch.cwd.clone_from(&top);
            launch.view = Some(Arc::new(view));
            launch.env = vec![("PATH".into(), std::env::var_os("PATH").unwrap_or_default())];
            let traced = trace(&launch, &TraceLimits::default(), &Interrupt::new()).unwrap();
            let said = String::from_utf8(traced.stdout.kept).unwrap();
            assert_eq!(said, format!("{}\ninside", top.display()));
        }
        assert!(tried > 0);
        let missing = View::in_folder(&bindings, &at("own", &top));
        assert!(missing.is_err(), "a file in the place of a folder");
    }

    #[test]
    fn each_program_runs_at_one_place_and_sees_its_own_files() {
        if let Err(why) = View::usable() {
            assert!(
                std::env::var_os("PROOFMARK_TESTS_REQUIRE_TOOLS").is_none_or(|value| value != "1"),
                "this test needs private mount namespaces: {why}"
            );
            println!("skipped: needs private mount namespaces");
            return;
        }
        let script = "#!/bin/sh\necho last $0; cat data; id -u";
        let folder = folder(&[
            ("prog", script),
            ("data", "last"),
            ("a.prog", &script.replace("last", "base")),
            ("a.data", "1"),
            ("b.prog", &script.replace("last", "new")),
            ("b.data", "2"),
        ]);
        let at = folder.path().canonicalize().unwrap().join("prog");
        let user = rustix::process::geteuid().as_raw();
        for cgroup in [CgroupUse::WhereAvailable, CgroupUse::Never] {
            let instrument = Instrument::new(InstrumentOptions {
                cgroup,
                ..InstrumentOptions::default()
            })
            .unwrap();
            let mut tried = 0;
            for (arm, said, data) in [("a", "base", "1"), ("b", "new", "2")] {
                let pairs = [
                    (format!("{arm}.prog"), "prog"),
                    (format!("{arm}.data"), "data"),
                ];
                let pairs: Vec<(&str, &str)> = pairs
                    .iter()
                    .map(|(file, at)| (file.as_str(), *at))
                    .collect();
                for view in views(&bound(folder.path(), &pairs)) {
                    tried += 1;
                    let mut launch = Launch::new(&at, Duration::from_secs(60));
                    launch.cwd = folder.path().to_owned();
                    launch.env = vec![("PATH".into(), "/usr/bin:/bin".into())];
                    launch.view = Some(view);
                    let outcome = instrument.run(&launch).unwrap();
                    let expected = format!("{said} {}\n{data}{user}\n", at.display());
                    assert_eq!(outcome.stdout.text(), expected, "{}", outcome.stderr.text());
                    match trace(&launch, &TraceLimits::default(), &Interrupt::new()) {
                        Ok(traced) => assert_eq!(traced.stdout.text(), expected),
                        Err(error) => println!("not traced: {error}"),
                    }
                }
            }
            assert!(tried >= 2);
        }
        // Nothing of it is seen outside.
        assert_eq!(fs::read(folder.path().join("data")).unwrap(), b"last");
    }

    /// As the interpreter of a virtual environment is one, and the name of a compiler.
    #[test]
    fn a_program_may_be_reached_by_an_absolute_link() {
        if View::usable().is_err() {
            println!("skipped: needs private mount namespaces");
            return;
        }
        let folder = folder(&[
            ("prog", "#!/bin/sh\necho another"),
            ("own", "#!/bin/sh\necho own"),
        ]);
        let top = folder.path().canonicalize().unwrap();
        fs::create_dir(top.join("bin")).unwrap();
        let link = top.join("bin/link");
        std::os::unix::fs::symlink(top.join("prog"), &link).unwrap();
        let bindings = bound(folder.path(), &[("own", "bin/link")]);
        for owner in [make::Owner::Self_, make::Owner::UserNamespace] {
            let view = match make::view(&bindings, None, owner) {
                Ok(view) => Arc::new(view),
                Err(failed) if matches!(failed.step, make::Step::Unseen(_)) => {
                    unreachable!("the file is seen: {}", failed.source)
                }
                Err(_) => continue,
            };
            let mut launch = Launch::new(&link, Duration::from_secs(60));
            launch.cwd.clone_from(&top);
            launch.view = Some(Arc::clone(&view));
            let instrument = Instrument::new(InstrumentOptions::default()).unwrap();
            let outcome = instrument.run(&launch).unwrap();
            assert_eq!(outcome.stdout.text(), "own\n");
            assert_eq!(view.lost(), None);
            // What the link leads to is written anew: a run would start that.
            fs::copy(top.join("prog"), top.join("again")).unwrap();
            fs::rename(top.join("again"), top.join("prog")).unwrap();
            assert_eq!(view.lost(), Some(link.as_path()));
        }
    }

    #[test]
    fn a_path_that_is_written_anew_or_removed_or_moved_is_told_and_no_other_program_is_run_unseen()
    {
        if View::usable().is_err() {
            println!("skipped: needs private mount namespaces");
            return;
        }
        type Disturb = fn(&Path);
        let disturb: [(&str, Disturb); 4] = [
            ("written anew", |place| {
                fs::rename(place.join("another"), place.join("build/prog")).unwrap();
            }),
            ("removed", |place| {
                fs::remove_file(place.join("build/prog")).unwrap();
            }),
            ("its folder moved", |place| {
                fs::rename(place.join("build"), place.join("old")).unwrap();
            }),
            ("its folder moved, and made again", |place| {
                fs::rename(place.join("build"), place.join("old")).unwrap();
                fs::create_dir(place.join("build")).unwrap();
                fs::rename(place.join("another"), place.join("build/prog")).unwrap();
            }),
        ];
        for (what, disturb) in disturb {
            for owner in [make::Owner::Self_, make::Owner::UserNamespace] {
                let folder =
                    folder(&[("another", "#!/bin/sh\necho 3"), ("a", "#!/bin/sh\necho 1")]);
                let place = folder.path().canonicalize().unwrap();
                fs::create_dir(place.join("build")).unwrap();
                fs::write(place.join("build/prog"), "").unwrap();
                let Ok(view) = make::view(&bound(&place, &[("a", "build/prog")]), None, owner)
                else {
                    continue;
                };
                let instrument = Instrument::new(InstrumentOptions::default()).unwrap();
                let mut launch = Launch::new(place.join("build/prog"), Duration::from_secs(60));
                launch.cwd = place.clone();
                launch.view = Some(Arc::new(view));
                let run = || instrument.run(&launch);
                assert_eq!(run().unwrap().stdout.text(), "1\n", "{what}");
                // What is written into the file that lies there is another file's matter.
                fs::write(place.join("build/prog"), "nothing").unwrap();
                assert_eq!(run().unwrap().stdout.text(), "1\n", "{what}");
                disturb(&place);
                let turns = crate::Turns::Interleaved { order: vec![0] };
                let errors = [
                    run().unwrap_err().to_string(),
                    instrument
                        .round(std::slice::from_ref(&launch), &turns)
                        .unwrap_err()
                        .to_string(),
                    trace(&launch, &TraceLimits::default(), &Interrupt::new())
                        .unwrap_err()
                        .to_string(),
                ];
                for error in errors {
                    assert!(error.contains("build/prog was replaced"), "{what}: {error}");
                }
            }
        }
    }

    #[test]
    fn what_cannot_be_bound_is_named() {
        if View::usable().is_err() {
            return;
        }
        let folder = folder(&[("file", "")]);
        let error = View::of(&bound(folder.path(), &[("file", "missing")])).unwrap_err();
        assert!(error.to_string().contains("missing"), "{error}");
    }
}
