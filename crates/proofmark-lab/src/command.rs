//! The benchmark's command with an image in the place of `{}`.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use proofmark_evidence::record::{Benchmark, Stdin};
use proofmark_measure::{Accounting, Launch, PADDING, environment};
use proofmark_terms::{Metric, image_marks};

use crate::error::LabError;

/// Whether a command names the image at all.
#[must_use]
pub fn names_image(argv: &[impl AsRef<OsStr>]) -> bool {
    argv.iter().any(|word| has_mark(word.as_ref()))
}

/// Whether a benchmark's command or its variables name the image.
pub(crate) fn image_is_named(benchmark: &Benchmark) -> bool {
    let variables: Vec<&OsStr> = benchmark
        .env
        .iter()
        .map(|(_, value)| value.as_ref())
        .collect();
    let words: Vec<&OsStr> = benchmark.argv.iter().map(AsRef::as_ref).collect();
    names_image(&words) || names_image(&variables)
}

/// How one image is launched. `padding` is the length of the padding variable, in bytes.
pub(crate) fn launch(
    benchmark: &Benchmark,
    image: &Path,
    padding: usize,
    core: Option<u32>,
) -> Result<Launch, LabError> {
    let mut words = benchmark
        .argv
        .iter()
        .map(|word| with_image(word.as_ref(), image));
    let first = words
        .next()
        .ok_or_else(|| LabError::Refused("no command: write it after --".to_owned()))?;
    let set = variables(benchmark, image);
    let cwd = PathBuf::from(benchmark.cwd.as_ref());
    Ok(Launch {
        program: program(&first, &cwd, &path_of(benchmark))?,
        argv0: first,
        args: words.collect(),
        image: Some(image.to_owned()),
        env: environment(&set, padding),
        cwd,
        stdin: match &benchmark.stdin {
            Stdin::Null => None,
            Stdin::File(path) => Some(PathBuf::from(path.as_ref())),
        },
        timeout: Duration::from_millis(benchmark.timeout_ms),
        core,
        aslr: true,
        view: None,
        tax: None,
        accounting: Accounting::Watched,
        peak: benchmark.metric == Metric::PeakMemory,
        heap: None,
    })
}

/// The variables that a benchmark sets.
pub(crate) fn variables(benchmark: &Benchmark, image: &Path) -> Vec<(OsString, OsString)> {
    benchmark
        .env
        .iter()
        .map(|(name, value)| (name.as_ref().to_owned(), with_image(value.as_ref(), image)))
        .collect()
}

/// The variables of the commands around runs, which prepare them and filter what they print: those
/// of a run, but for the length of its environment and for what names its image, which such a
/// command is not about.
pub(crate) fn around(benchmark: &Benchmark) -> Vec<(OsString, OsString)> {
    let set: Vec<(OsString, OsString)> = benchmark
        .env
        .iter()
        .filter(|(_, value)| !has_mark(value.as_ref()))
        .map(|(name, value)| (name.as_ref().to_owned(), value.as_ref().to_owned()))
        .collect();
    let mut all = environment(&set, 0);
    all.retain(|(name, _)| name != PADDING);
    all
}

/// The same of one launch, which may have other variables than the benchmark's own.
pub(crate) fn around_launch(benchmark: &Benchmark, launch: &Launch) -> Vec<(OsString, OsString)> {
    let of_image = |name: &OsStr| {
        let mut set = benchmark.env.iter();
        set.any(|(known, value)| known.as_ref() == name && has_mark(value.as_ref()))
    };
    let mut all = launch.env.clone();
    all.retain(|(name, _)| name != PADDING && !of_image(name));
    all
}

/// The command as it could be typed into a shell.
pub(crate) fn shown(benchmark: &Benchmark, image: &Path) -> String {
    let env = benchmark.env.iter().map(|(name, value)| {
        let mut both = name.as_ref().to_owned();
        both.push("=");
        both.push(with_image(value.as_ref(), image));
        quoted(&both)
    });
    let words = benchmark
        .argv
        .iter()
        .map(|word| quoted(&with_image(word.as_ref(), image)));
    env.chain(words).collect::<Vec<String>>().join(" ")
}

/// Replaces every mark in a word.
fn with_image(word: &OsStr, image: &Path) -> OsString {
    let word = proofmark_terms::with_image(word.as_bytes(), image.as_os_str().as_bytes());
    OsString::from_vec(word.into_owned())
}

fn has_mark(word: &OsStr) -> bool {
    image_marks(word.as_bytes()) > 0
}

/// The program that PATH has for a benchmark's first word today; `None` where that is a path, or
/// the image, or nothing.
pub(crate) fn found_in_path(benchmark: &Benchmark) -> Option<PathBuf> {
    let word = benchmark.argv.first()?.as_ref();
    let bytes = word.as_bytes();
    if bytes.contains(&b'/') || has_mark(word) {
        return None;
    }
    let cwd = Path::new(benchmark.cwd.as_ref());
    program(word, cwd, &path_of(benchmark)).ok()
}

/// The folders in which a run looks for programs: those that it is given, or else the user's.
fn path_of(benchmark: &Benchmark) -> OsString {
    let mut set = benchmark.env.iter().rev();
    let own = set.find(|(name, _)| name.as_ref() == "PATH");
    let own = own.map(|(_, value)| value.as_ref().to_owned());
    own.or_else(|| std::env::var_os("PATH")).unwrap_or_default()
}

/// The file that a command's first word names, found in PATH as a shell would.
fn program(word: &OsStr, cwd: &Path, path: &OsStr) -> Result<PathBuf, LabError> {
    if word.as_bytes().contains(&b'/') {
        return Ok(cwd.join(word));
    }
    let runs = |file: &PathBuf| {
        let about = file.metadata();
        about.is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
    };
    let mut files = std::env::split_paths(path).map(|folder| cwd.join(folder).join(word));
    files.find(runs).ok_or_else(|| {
        LabError::NoProgram(format!(
            "`{}` is neither a path nor in PATH\n  next: write the image as {{}}, or the program with its folder",
            word.to_string_lossy()
        ))
    })
}

/// A word for a shell.
fn quoted(word: &OsStr) -> String {
    let text = word.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./=:,+@%".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.into_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_is_replaced_wherever_it_stands() {
        let image = Path::new("/tmp/a b");
        assert_eq!(with_image(OsStr::new("{}"), image), "/tmp/a b");
        assert_eq!(
            with_image(OsStr::new("x={},{}"), image),
            "x=/tmp/a b,/tmp/a b"
        );
        assert_eq!(with_image(OsStr::new("{ }"), image), "{ }");
        assert!(names_image(&["env", "A={}"]) && !names_image(&["true"]));
    }

    #[test]
    fn a_program_is_looked_for_where_its_runs_would_look() {
        let folder = tempfile::tempdir().unwrap();
        for (place, mode) in [("none", 0o644), ("one", 0o755), ("two", 0o755)] {
            let file = folder.path().join(place).join("tool");
            std::fs::create_dir(folder.path().join(place)).unwrap();
            std::fs::write(&file, "#!/bin/sh\n").unwrap();
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        }
        let found = |path: &str| {
            let benchmark = Benchmark {
                argv: ["tool"].map(Into::into).into(),
                env: vec![("PATH".into(), path.into())],
                cwd: folder.path().to_owned().into(),
                ..Benchmark::default()
            };
            let found = found_in_path(&benchmark)?;
            let launched = launch(&benchmark, Path::new("/image"), 0, None).unwrap();
            assert_eq!(launched.program, found);
            Some(found.strip_prefix(folder.path()).unwrap().to_owned())
        };
        assert_eq!(found("none:one:two"), Some("one/tool".into()));
        assert_eq!(found("two:one"), Some("two/tool".into()));
        assert_eq!(found("none"), None);
    }

    /// So that outputs are compared without its path, whatever their length.
    #[test]
    fn a_launch_says_where_its_image_lies() {
        let benchmark = Benchmark {
            argv: ["/bin/echo", "{}"].map(Into::into).into(),
            ..Benchmark::default()
        };
        let image = Path::new("/r/1001/app");
        let launched = launch(&benchmark, image, 0, None).unwrap();
        assert_eq!(launched.image.as_deref(), Some(image));
        assert_eq!(launched.args, [image.as_os_str()]);
    }

    #[test]
    fn commands_around_a_run_see_the_benchmarks_variables_and_none_of_the_callers() {
        let env = [("SIZE", "300"), ("IMAGE", "at {}")];
        let benchmark = Benchmark {
            env: env.map(|(name, value)| (name.into(), value.into())).into(),
            ..Benchmark::default()
        };
        let around = around(&benchmark);
        let value = |name: &str| {
            let found = around.iter().find(|(known, _)| known == name);
            found.map(|(_, value)| value.to_str().unwrap())
        };
        assert_eq!(value("SIZE"), Some("300"));
        assert_eq!((value("IMAGE"), value(PADDING)), (None, None));
        // Cargo gives it to tests, and runs do not get it.
        assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
        assert_eq!(value("CARGO_MANIFEST_DIR"), None);
    }

    #[test]
    fn a_shown_command_survives_a_shell() {
        let word = OsStr::new("it's $HOME");
        let out = std::process::Command::new("sh")
            .arg("-c")
            .arg(format!("printf %s {}", quoted(word)))
            .output()
            .unwrap();
        assert_eq!(out.stdout, word.as_bytes());
    }
}
