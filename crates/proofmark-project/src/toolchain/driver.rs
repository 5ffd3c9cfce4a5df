//! A compiler driver and how it is started.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use proofmark_capture::find_program;
use proofmark_terms::Digest;

/// Variables that change what compilers do or where they look; a build of a matrix has none of the
/// user's.
pub(crate) const CLEARED: [&str; 12] = [
    "CCC_OVERRIDE_OPTIONS",
    "COMPILER_PATH",
    "CPATH",
    "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH",
    "LIBRARY_PATH",
    "GCC_EXEC_PREFIX",
    "GCC_COMPARE_DEBUG",
    "COLLECT_GCC",
    "COLLECT_GCC_OPTIONS",
    "DEPENDENCIES_OUTPUT",
    "SUNPRO_DEPENDENCIES",
];

/// How a [`Driver`] that was made is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Made {
    /// All that went into it, in hexadecimal.
    pub(super) identity: Digest,
    /// The sources, for people: `/src/tcc at v1.2, with a.patch`.
    pub(super) from: String,
}

/// A compiler driver with what has to stand around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Driver {
    /// The program, absolute.
    pub(super) program: PathBuf,
    /// The program of C++, absolute.
    pub(super) cxx: Option<PathBuf>,
    /// Words in front of all others.
    pub(super) first: Vec<OsString>,
    /// Further words in front, for C++.
    pub(super) first_cxx: Vec<OsString>,
    /// Variables that it needs.
    pub(super) env: Vec<(OsString, OsString)>,
    /// It comes from this package.
    pub(super) package: Option<String>,
    /// It was made from sources.
    pub(super) made: Option<Made>,
}

impl Driver {
    /// A driver of the machine.
    pub(super) fn plain(program: PathBuf, cxx: Option<PathBuf>) -> Driver {
        Driver {
            program,
            cxx,
            first: Vec::new(),
            first_cxx: Vec::new(),
            env: Vec::new(),
            package: None,
            made: None,
        }
    }

    /// Whether it is clang, by its name.
    pub(super) fn is_clang(&self) -> bool {
        let name = self.program.file_name();
        name.is_some_and(|name| name.to_string_lossy().contains("clang"))
    }

    /// The C compiler, ready for its arguments.
    pub(super) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(&self.first)
            .envs(self.env.iter().cloned())
            .env("LC_ALL", "C")
            .stdin(Stdio::null());
        for variable in CLEARED {
            command.env_remove(variable);
        }
        command
    }

    /// The first line that it answers with; empty where it fails or says nothing.
    pub(super) fn ask(&self, arguments: &[&str]) -> String {
        let asked = self.command().args(arguments).output();
        let text = match asked {
            Ok(output) if output.status.success() => output.stdout,
            _ => Vec::new(),
        };
        first_line(&text)
    }

    /// A hash of what it tells its compiler and its linker to do, by itself and by these options:
    /// also what a script, a configuration file or a file of options behind it adds.
    pub(super) fn told(&self, flags: &[String]) -> String {
        let mut hasher = blake3::Hasher::new();
        for stage in [&["-S", "-x", "c", "/dev/null"][..], &["/dev/null"]] {
            let asked = self
                .command()
                .current_dir("/")
                .args(flags)
                .args(["-###", "-o", "/dev/null"])
                .args(stage)
                .output();
            let said = asked.map(|output| output.stderr).unwrap_or_default();
            let lines = said.split(|byte| *byte == b'\n');
            for line in lines.filter(|line| line.starts_with(b" ")) {
                let text = String::from_utf8_lossy(line);
                let words = text.split_whitespace();
                for word in words.filter(|word| !is_of_one_call(word)) {
                    hasher.update(word.as_bytes()).update(b" ");
                }
            }
        }
        hasher.finalize().to_hex().to_string()
    }

    /// One of its programs, as it finds it with these options, of which `-B` is one that leads
    /// elsewhere.
    pub(super) fn program_of(&self, name: &str, flags: &[String]) -> Option<PathBuf> {
        let asked = format!("-print-prog-name={name}");
        let words: Vec<&str> = flags.iter().map(String::as_str).chain([&*asked]).collect();
        let answer = self.ask(&words);
        let found = find_program(answer.as_ref())?;
        Path::new(&found).canonicalize().ok()
    }

    /// The version in numbers. gcc says all of it only when asked for the full one, which clang
    /// does not know.
    pub(super) fn version(&self) -> String {
        let version = self.ask(&["-dumpversion"]);
        if version.contains('.') {
            return version;
        }
        let full = self.ask(&["-dumpfullversion"]);
        if full.is_empty() { version } else { full }
    }
}

/// Whether a word names a file that gcc calls otherwise each time: what the link's plug-in writes,
/// and what holds the words of a link where its own stood in a file.
fn is_of_one_call(word: &str) -> bool {
    word.contains("-fresolution=") || word.trim_start_matches('"').starts_with('@')
}

pub(super) fn first_line(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let line = text.lines().map(str::trim).find(|line| !line.is_empty());
    line.unwrap_or_default().to_owned()
}

/// A command as the shell would find it, symbolic links and all.
pub(super) fn on_path(command: &str) -> Option<PathBuf> {
    let found = find_program(OsStr::new(command))?;
    let found = std::path::absolute(found).ok()?;
    found.is_file().then_some(found)
}

/// `clang-19` → `clang++-19`, `gcc` → `g++`, beside it.
pub(super) fn cxx_of(cc: &Path, said: Option<&str>) -> Option<PathBuf> {
    if let Some(said) = said {
        return on_path(said);
    }
    let name = cc.file_name()?.to_str()?;
    let cxx = if name.contains("clang") {
        name.replacen("clang", "clang++", 1)
    } else if name.contains("gcc") {
        name.replacen("gcc", "g++", 1)
    } else {
        name.replacen("cc", "c++", 1)
    };
    let place = cc.with_file_name(cxx);
    place.is_file().then_some(place)
}
