//! What a project has told cargo about linkers and wrappers, in its environment and its
//! `config.toml` files.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use cargo_platform::{Cfg, Platform};
use toml::Table;

use crate::programs::{is_shim, search};
use crate::variables::Variables;

/// `CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_LINKER`.
pub(crate) fn linker_variable(target: &str) -> String {
    format!(
        "CARGO_TARGET_{}_LINKER",
        target.to_uppercase().replace(['-', '.'], "_")
    )
}

/// The target that `rustc` compiles for when none is named; none without Rust.
fn host(cwd: &Path, variables: &Variables<'_>) -> Option<String> {
    let text = ask_rustc(cwd, variables, &["-vV"])?;
    text.lines()
        .find_map(|line| Some(line.strip_prefix("host: ")?.to_owned()))
}

/// The targets named by a command, the environment and the configuration, beside the host.
pub(crate) fn targets(command: &[OsString], cwd: &Path, variables: &Variables<'_>) -> Vec<String> {
    let Some(host) = host(cwd, variables) else {
        return Vec::new();
    };
    let mut found = vec![host];
    let words: Vec<&str> = command
        .iter()
        .filter_map(|word| word.to_str())
        .flat_map(str::split_whitespace)
        .collect();
    for pair in words.windows(2) {
        if let [option, value] = pair
            && *option == "--target"
        {
            found.push((*value).to_owned());
        }
    }
    found.extend(
        words
            .iter()
            .filter_map(|word| word.strip_prefix("--target=").map(str::to_owned)),
    );
    found.extend(
        variables
            .get("CARGO_BUILD_TARGET")
            .and_then(|target| target.into_string().ok()),
    );
    found.extend(
        first(cwd, &["build", "target"], variables)
            .and_then(|(value, _)| value.as_str().map(str::to_owned)),
    );
    found.retain(|target| !target.is_empty() && !target.contains('/'));
    found.sort();
    found.dedup();
    found
}

/// The linker that cargo, started in `cwd`, would use for a target by its configuration files: the
/// one under the target's name, or else the one under a condition that holds for it.
pub(crate) fn linker(cwd: &Path, target: &str, variables: &Variables<'_>) -> Option<PathBuf> {
    program(cwd, &["target", target, "linker"], variables)
        .or_else(|| conditional_linker(cwd, target, variables))
}

/// A linker under `[target.'cfg(…)']`. Where two conditions hold, cargo itself refuses.
fn conditional_linker(cwd: &Path, target: &str, variables: &Variables<'_>) -> Option<PathBuf> {
    let mut known: Option<Vec<Cfg>> = None;
    for (file, folder) in files(cwd, variables) {
        let Some(targets) = table(&file).and_then(|mut table| table.remove("target")) else {
            continue;
        };
        for (condition, settings) in targets.as_table().into_iter().flatten() {
            let linker = settings
                .get("linker")
                .and_then(|value| resolved(value, &folder));
            let (Some(linker), Ok(platform @ Platform::Cfg(_))) = (linker, condition.parse())
            else {
                continue;
            };
            let known = known.get_or_insert_with(|| conditions(cwd, target, variables));
            if platform.matches(target, known) {
                return Some(linker);
            }
        }
    }
    None
}

/// What `rustc` says of a target: `unix`, `target_os="linux"` and so on.
fn conditions(cwd: &Path, target: &str, variables: &Variables<'_>) -> Vec<Cfg> {
    let said = ask_rustc(cwd, variables, &["--print", "cfg", "--target", target]);
    let said = said.unwrap_or_default();
    said.lines().filter_map(|line| line.parse().ok()).collect()
}

fn ask_rustc(cwd: &Path, variables: &Variables<'_>, question: &[&str]) -> Option<String> {
    let path = variables.get("PATH").unwrap_or_default();
    let rustc = search(
        OsStr::new("rustc"),
        &env::split_paths(&path).collect::<Vec<_>>(),
    )?;
    let asked = Command::new(rustc)
        .args(question)
        .current_dir(cwd)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    String::from_utf8(asked.stdout).ok()
}

/// The linker that `rustc` is told to use: of several the last.
pub(crate) fn linker_option(arguments: &[OsString]) -> Option<OsString> {
    let of_codegen = |value: &OsStr| {
        let linker = value.as_bytes().strip_prefix(b"linker=")?;
        Some(OsStr::from_bytes(linker).to_owned())
    };
    let mut found = None;
    let mut before: Option<&OsString> = None;
    for argument in arguments {
        let separate = before.is_some_and(|before| before == "-C" || before == "--codegen");
        let joined = [&b"-C"[..], b"--codegen="]
            .iter()
            .find_map(|option| argument.as_bytes().strip_prefix(*option));
        let value = if separate {
            Some(argument.as_os_str())
        } else {
            joined.map(OsStr::from_bytes)
        };
        found = value.and_then(of_codegen).or(found);
        before = Some(argument);
    }
    found
}

/// The wrapper that cargo would start `rustc` by.
pub(crate) fn rustc_wrapper(cwd: &Path, variables: &Variables<'_>) -> Option<PathBuf> {
    program(cwd, &["build", "rustc-wrapper"], variables)
}

/// A program: a name is found through `PATH`, a path is relative to the folder that holds `.cargo`.
fn program(cwd: &Path, keys: &[&str], variables: &Variables<'_>) -> Option<PathBuf> {
    let (value, folder) = first(cwd, keys, variables)?;
    resolved(&value, &folder)
}

fn resolved(value: &toml::Value, folder: &Path) -> Option<PathBuf> {
    let program = value.as_str().filter(|text| !text.is_empty())?;
    Some(if program.contains('/') {
        folder.join(program)
    } else {
        PathBuf::from(program)
    })
}

/// The nearest configuration file that sets a key decides.
fn first(cwd: &Path, keys: &[&str], variables: &Variables<'_>) -> Option<(toml::Value, PathBuf)> {
    files(cwd, variables)
        .into_iter()
        .find_map(|(file, folder)| {
            let mut value = toml::Value::Table(table(&file)?);
            for key in keys {
                value = value.get(key)?.clone();
            }
            Some((value, folder))
        })
}

fn table(file: &Path) -> Option<Table> {
    fs::read_to_string(file).ok()?.parse().ok()
}

/// The configuration files that cargo reads, nearest first, each with the folder that its relative
/// paths start from.
fn files(cwd: &Path, variables: &Variables<'_>) -> Vec<(PathBuf, PathBuf)> {
    let above = cwd
        .ancestors()
        .map(|folder| (folder.join(".cargo"), folder.to_owned()));
    let home = variables
        .get("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(variables.get("HOME")?).join(".cargo")));
    let home = home.and_then(|home| Some((home.clone(), home.parent()?.to_owned())));
    let folders = above.chain(home);
    let files = folders.flat_map(|(config, folder)| {
        ["config", "config.toml"].map(|name| (config.join(name), folder.clone()))
    });
    files.filter(|(file, _)| file.is_file()).collect()
}

/// The variables that would have decided before the files. A capture inside a capture does not
/// count: its shims are these.
pub(crate) fn linker_from_environment(target: &str, variables: &Variables<'_>) -> Option<OsString> {
    let linker = variables.get(&linker_variable(target))?;
    (!linker.is_empty() && !is_shim(Path::new(&linker))).then_some(linker)
}

/// The same for the wrapper. An empty one means none, whatever the files say.
pub(crate) fn wrapper_from_environment(variables: &Variables<'_>) -> Option<OsString> {
    ["RUSTC_WRAPPER", "CARGO_BUILD_RUSTC_WRAPPER"]
        .iter()
        .find_map(|name| variables.get(name))
        .filter(|wrapper| !is_shim(Path::new(wrapper)))
}

/// The program's name alone.
pub(crate) fn file_name(program: &OsStr) -> OsString {
    Path::new(program).file_name().unwrap_or(program).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_configuration_decides() {
        let none = Variables::of_this_process();
        let project = tempfile::tempdir().unwrap();
        let inner = project.path().join("inner");
        fs::create_dir_all(inner.join(".cargo")).unwrap();
        fs::create_dir_all(project.path().join(".cargo")).unwrap();
        fs::write(
            project.path().join(".cargo/config.toml"),
            "[target.t-x]\nlinker = 'tools/ld.sh'\n[build]\nrustc-wrapper = 'sccache'\n",
        )
        .unwrap();
        assert_eq!(
            linker(&inner, "t-x", &none),
            Some(project.path().join("tools/ld.sh"))
        );
        assert_eq!(rustc_wrapper(&inner, &none), Some(PathBuf::from("sccache")));
        fs::write(
            inner.join(".cargo/config.toml"),
            "[target.t-x]\nlinker = 'clang-19'\n",
        )
        .unwrap();
        assert_eq!(
            linker(&inner, "t-x", &none),
            Some(PathBuf::from("clang-19"))
        );
        assert_eq!(linker(&inner, "other", &none), None);
    }

    #[test]
    fn the_last_linker_that_rustc_is_told_counts() {
        let words = |text: &str| -> Vec<OsString> { text.split(' ').map(Into::into).collect() };
        for (text, expected) in [
            ("--crate-name x -C linker=a", Some("a")),
            ("-C linker=a -C opt-level=3 -Clinker=/b/c", Some("/b/c")),
            ("--codegen linker=a --codegen=linker=b", Some("b")),
            ("-C linker-flavor=gcc --cfg linker=a", None),
        ] {
            assert_eq!(
                linker_option(&words(text)),
                expected.map(Into::into),
                "{text}"
            );
        }
    }

    #[test]
    fn variables_are_named_as_cargo_names_them() {
        assert_eq!(
            linker_variable("x86_64-unknown-linux-gnu"),
            "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_LINKER"
        );
        assert_eq!(
            linker_variable("thumbv8m.main-none-eabi"),
            "CARGO_TARGET_THUMBV8M_MAIN_NONE_EABI_LINKER"
        );
    }
}
