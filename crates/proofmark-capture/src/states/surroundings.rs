//! The environment that a revision is built in: what of it counts, and what of it leads back to the
//! work tree.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::error::RevisionError;
use super::git;

/// Variables of terminals and sessions, which decide about no build. Every other one counts: `make`
/// reads any of them, by `ROUNDS ?= 10`.
const OF_SESSIONS: [&str; 48] = [
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLORTERM",
    "COLUMNS",
    "DBUS_",
    "DESKTOP_",
    "DIRENV_",
    "DISPLAY",
    "FORCE_COLOR",
    "GPG_",
    "HISTCONTROL",
    "HISTFILE",
    "HISTFILESIZE",
    "HISTIGNORE",
    "HISTSIZE",
    "HISTTIMEFORMAT",
    "INVOCATION_ID",
    "JOURNAL_STREAM",
    "KITTY_",
    "LESS",
    "LESSCLOSE",
    "LESSOPEN",
    "LESS_",
    "LINES",
    "LS_COLORS",
    "MAIL",
    "NO_COLOR",
    "OLDPWD",
    "PAGER",
    "PROOFMARK_",
    "PS1",
    "PWD",
    "SHLVL",
    "SSH_",
    "STY",
    "SUDO_",
    "TERM",
    "TERMCAP",
    "TERMINAL",
    "TERMINFO",
    "TERM_",
    "TMPDIR",
    "TMUX",
    "TMUX_",
    "VSCODE_",
    "VTE_",
    "WINDOWID",
    "XDG_SESSION_",
];

/// Variables of the services that run jobs. They are others in each job, and lead to the work tree:
/// a build does not get them.
const OF_JOBS: [&str; 30] = [
    "AGENT_",
    "APPVEYOR_",
    "BITBUCKET_",
    "BUILDKITE",
    "BUILDKITE_",
    "BUILD_ID",
    "BUILD_NUMBER",
    "BUILD_SOURCEBRANCH",
    "BUILD_SOURCEBRANCHNAME",
    "BUILD_SOURCEVERSION",
    "BUILD_SOURCEVERSIONMESSAGE",
    "BUILD_TAG",
    "BUILD_URL",
    "CIRCLE_",
    "CIRRUS_",
    "CI_",
    "DRONE_",
    "EXECUTOR_NUMBER",
    "GITHUB_",
    "GITLAB_",
    "GIT_BRANCH",
    "GIT_COMMIT",
    "GIT_LOCAL_BRANCH",
    "GIT_PREVIOUS_COMMIT",
    "GIT_PREVIOUS_SUCCESSFUL_COMMIT",
    "JENKINS_",
    "RUNNER_",
    "SEMAPHORE_",
    "TEAMCITY_",
    "TRAVIS_",
];

/// Words in the name of a variable that lets a build fetch something. Such a one of a service is
/// passed on, and decides about nothing else.
const SECRETS: [&[u8]; 5] = [b"CREDENTIAL", b"PASSWD", b"PASSWORD", b"SECRET", b"TOKEN"];

/// Lists of folders in which one of the work tree's is common and seldom meant: they are said, not
/// refused.
const SAID: [&str; 2] = ["PATH", "VIRTUAL_ENV"];

/// What decides about a build beside its sources.
#[derive(Debug)]
pub struct Surroundings {
    variables: Vec<(OsString, OsString)>,
    withheld: Vec<OsString>,
}

impl Surroundings {
    /// The environment of this process.
    #[must_use]
    pub fn of_this_process() -> Surroundings {
        let mut variables: Vec<(OsString, OsString)> = Vec::new();
        let mut withheld = Vec::new();
        for (name, value) in env::vars_os() {
            match role(&name) {
                Role::Counts => variables.push((name, value)),
                Role::PassedOn => {}
                Role::Withheld => withheld.push(name),
            }
        }
        variables.sort();
        withheld.sort();
        Surroundings {
            variables,
            withheld,
        }
    }

    /// The variables that a build does not get.
    #[must_use]
    pub fn withheld(&self) -> &[OsString] {
        &self.withheld
    }

    /// Refuses a command or a variable that names the work tree. Returns what is only worth a word.
    ///
    /// # Errors
    /// When the revision would be built from the work tree's own files.
    pub fn lead_away_from(&self, top: &Path, command: &str) -> Result<Vec<String>, RevisionError> {
        let refused = |what: String| RevisionError::NamesWorkTree {
            what,
            work_tree: top.to_owned(),
        };
        if names(command.as_ref(), top) {
            return Err(refused("the build command".to_owned()));
        }
        let mut notes = Vec::new();
        for (name, _) in self.variables.iter().filter(|(_, value)| names(value, top)) {
            if !SAID.iter().any(|said| name == said) {
                return Err(refused(format!("the variable {}", name.display())));
            }
            notes.push(format!(
                "{} names a folder of the work tree; what the build takes from there is not the revision's",
                name.display()
            ));
        }
        Ok(notes)
    }

    /// The variables that count, by name.
    pub fn variables(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        let all = self.variables.iter();
        all.map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }
}

/// What a variable is to a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// It decides about it.
    Counts,
    /// It decides about nothing in it.
    PassedOn,
    /// The build does not get it.
    Withheld,
}

fn role(name: &OsStr) -> Role {
    let name = name.as_bytes();
    let is = |known: &&str| {
        let known = known.as_bytes();
        name == known || (known.ends_with(b"_") && name.starts_with(known))
    };
    let holds = |word: &&[u8]| name.windows(word.len()).any(|part| part == *word);
    if git::VARIABLES.iter().any(|known| name == known.as_bytes()) {
        Role::Withheld
    } else if OF_JOBS.iter().any(is) {
        if SECRETS.iter().any(holds) {
            Role::PassedOn
        } else {
            Role::Withheld
        }
    } else if name == b"_" || OF_SESSIONS.iter().any(is) {
        Role::PassedOn
    } else {
        Role::Counts
    }
}

/// Whether a text names a folder or something in it.
pub(crate) fn names(text: &OsStr, folder: &Path) -> bool {
    let (text, folder) = (text.as_bytes(), folder.as_os_str().as_bytes());
    if folder.len() < 2 {
        return false;
    }
    let ends = |at: usize| {
        text.get(at)
            .is_none_or(|byte| !byte.is_ascii_alphanumeric() && !b"._-+".contains(byte))
    };
    text.windows(folder.len())
        .enumerate()
        .any(|(at, part)| part == folder && ends(at + folder.len()))
}

/// Programs that builds start, as `PATH` has them now: which files they are, and of which size and
/// age. A compiler that was updated, or that another one took the place of, is another one.
#[must_use]
pub fn tools() -> String {
    let path = env::var_os("PATH").unwrap_or_default();
    let mut hasher = blake3::Hasher::new();
    for folder in env::split_paths(&path) {
        let Ok(entries) = fs::read_dir(&folder) else {
            continue;
        };
        let mut programs: Vec<PathBuf> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|file| file.file_name().is_some_and(is_tool))
            .collect();
        programs.sort();
        for program in programs {
            let Ok(real) = program.canonicalize() else {
                continue;
            };
            let Ok(about) = fs::metadata(&real) else {
                continue;
            };
            hasher.update(program.as_os_str().as_bytes()).update(b"\0");
            hasher.update(real.as_os_str().as_bytes()).update(b"\0");
            for number in [about.len().cast_signed(), about.mtime(), about.mtime_nsec()] {
                hasher.update(&number.to_le_bytes());
            }
        }
    }
    hasher.finalize().to_hex().to_string()
}

/// Compilers, linkers and what commonly starts them, with a version or a target's name before or
/// behind.
fn is_tool(name: &OsStr) -> bool {
    const TOOLS: [&str; 36] = [
        "ar", "as", "bazel", "c++", "cargo", "cc", "ccache", "clang", "clang++", "cmake", "cpp",
        "flang", "g++", "gcc", "gfortran", "gmake", "go", "ld", "ld.bfd", "ld.gold", "ld.lld",
        "ld.mold", "lld", "make", "meson", "mold", "nasm", "ninja", "objcopy", "python3", "ranlib",
        "rustc", "sccache", "strip", "yasm", "zig",
    ];
    let Some(name) = name.to_str() else {
        return false;
    };
    let bare = name
        .trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.')
        .trim_end_matches('-');
    let bare = if bare.is_empty() { name } else { bare };
    TOOLS.iter().any(|tool| {
        bare == *tool
            || bare
                .strip_suffix(tool)
                .is_some_and(|target| target.ends_with('-') && target.matches('-').count() >= 2)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variable_counts_but_those_of_sessions_and_jobs() {
        for name in [
            "CFLAGS",
            "ROUNDS",
            "PATH",
            "CARGO_HOME",
            "LANG",
            "CIRCUS",
            "HISTOGRAM_BINS",
            "TERMS",
            "LESSON",
        ] {
            assert_eq!(role(OsStr::new(name)), Role::Counts, "{name}");
        }
        for name in [
            "_",
            "PWD",
            "TERM",
            "TERM_PROGRAM",
            "HISTFILE",
            "SSH_TTY",
            "XDG_SESSION_ID",
            "CI_JOB_TOKEN",
            "GITHUB_TOKEN",
        ] {
            assert_eq!(role(OsStr::new(name)), Role::PassedOn, "{name}");
        }
        for name in [
            "GIT_DIR",
            "GIT_COMMIT",
            "CIRCLE_SHA1",
            "TRAVIS_COMMIT",
            "BUILD_NUMBER",
            "GITHUB_WORKSPACE",
        ] {
            assert_eq!(role(OsStr::new(name)), Role::Withheld, "{name}");
        }
    }

    #[test]
    fn a_folder_is_named_by_its_whole_name() {
        let top = Path::new("/home/u/repo");
        for text in [
            "/home/u/repo",
            "-I/home/u/repo/include",
            "a:/home/u/repo:b",
            "make -C '/home/u/repo'",
        ] {
            assert!(names(OsStr::new(text), top), "{text}");
        }
        for text in ["/home/u/repository", "/home/u/repo-2/x", "/home/u", "repo"] {
            assert!(!names(OsStr::new(text), top), "{text}");
        }
        assert!(!names(OsStr::new("/a/b"), Path::new("/")));
    }

    #[test]
    fn tools_are_known_with_versions_and_targets() {
        for name in [
            "gcc",
            "gcc-12",
            "x86_64-linux-gnu-gcc-12",
            "clang++-19",
            "ld.lld-19",
            "python3.11",
        ] {
            assert_eq!(
                is_tool(OsStr::new(name)),
                !name.starts_with("python3."),
                "{name}"
            );
        }
        assert!(!is_tool(OsStr::new("gcc-ar")) && !is_tool(OsStr::new("catgcc")));
    }
}
