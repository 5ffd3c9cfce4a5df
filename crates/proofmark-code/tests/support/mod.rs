//! Tools that tests compile and check with, and a folder for what they make.

pub(crate) mod made;

use std::path::{Path, PathBuf};
use std::process::Command;

/// Whether a tool is here. A missing one skips the test, or fails it where the environment says
/// that all tools must be there.
pub(crate) fn has(tool: &str) -> bool {
    let found = Command::new(tool)
        .arg("--version")
        .output()
        .is_ok_and(|o| o.status.success());
    if !found {
        skipped(tool);
    }
    found
}

/// The versions of clang that are here. 16 and 19 must be, and one of those that Debian 12 has not.
pub(crate) fn clangs() -> Vec<&'static str> {
    let there = |name: &str| {
        let version = Command::new(name).arg("--version").output();
        version.is_ok_and(|o| o.status.success())
    };
    let mut clangs: Vec<&str> = ["clang-16", "clang-19"]
        .into_iter()
        .filter(|c| has(c))
        .collect();
    let others = ["clang-17", "clang-18", "clang-20"];
    let others = others.into_iter().filter(|c| there(c));
    let debian = clangs.len();
    clangs.extend(others);
    if clangs.len() == debian {
        skipped("clang-17, clang-18 or clang-20");
    }
    clangs
}

/// Whether a file is here; treated like a tool.
pub(crate) fn has_file(path: &str) -> bool {
    let found = Path::new(path).exists();
    if !found {
        skipped(path);
    }
    found
}

/// Says that a test cannot be carried out here; fails where all that it needs must be there.
pub(crate) fn skipped(needs: &str) {
    assert!(
        std::env::var_os("PROOFMARK_TESTS_REQUIRE_TOOLS").is_none(),
        "needs {needs}"
    );
    println!("skipped: needs {needs}");
}

/// Whether Go is here. Its tool has no `--version`.
pub(crate) fn has_go() -> bool {
    let found = Command::new("go").arg("version").output();
    let found = found.is_ok_and(|o| o.status.success());
    if !found {
        skipped("go");
    }
    found
}

/// Builds a program in Go for a machine.
pub(crate) fn go(source: &str, machine: &str, folder: &Path) -> PathBuf {
    let out = folder.join(machine);
    let status = Command::new("go")
        .args(["build", "-o"])
        .arg(&out)
        .arg(source)
        .current_dir(programs())
        .env("GOARCH", machine)
        .env("GOOS", "linux")
        .env("GOFLAGS", "-mod=mod -buildvcs=false")
        .env("CGO_ENABLED", "0")
        .status()
        .unwrap();
    assert!(status.success());
    out
}

/// The folder with the test programs.
pub(crate) fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs")
}

/// Runs a command that must succeed, and gives its output.
pub(crate) fn run(program: &str, args: &[&str]) -> String {
    let output = Command::new(program)
        .args(args)
        .env("LC_ALL", "C")
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{program} {args:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Compiles test programs into `out` in `folder`.
pub(crate) fn compile(
    compiler: &str,
    options: &[&str],
    sources: &[&str],
    folder: &Path,
    out: &str,
) -> PathBuf {
    let path = folder.join(out);
    let sources: Vec<String> = sources
        .iter()
        .map(|s| programs().join(s).display().to_string())
        .collect();
    let mut args: Vec<&str> = options.to_vec();
    args.extend(sources.iter().map(String::as_str));
    let place = path.display().to_string();
    args.extend(["-o", &place]);
    run(compiler, &args);
    path
}
