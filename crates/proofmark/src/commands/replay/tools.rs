//! Which compilers and linkers of the first builds are on this machine.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use proofmark_capture::version_of;
use proofmark_evidence::record::{CellToolchain, Experiment};
use proofmark_hint::hint;
use proofmark_project::{ToolchainDefinition, Toolchains};
use proofmark_report::replay::ToolAgainView;

use super::cells::{compiler, toolchains};

/// Names of what is looked for, without a version behind them.
const NAMES: &[&str] = &[
    "as", "c++", "cc", "clang", "clang++", "g++", "gcc", "ld", "ld.bfd", "ld.gold", "ld.lld",
    "lld", "mold", "rustc",
];

/// What gcc starts.
const PARTS: &[&str] = &["cc1", "cc1plus", "lto1", "as", "ld"];

/// What the tools in a path say of their versions.
pub(super) fn said(path: &str) -> BTreeSet<String> {
    let mut programs: BTreeSet<PathBuf> = BTreeSet::new();
    for folder in path.split(':').map(Path::new) {
        for entry in folder.read_dir().into_iter().flatten().flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if NAMES.contains(&plain(&name)) {
                programs.extend(entry.path().canonicalize());
            }
        }
    }
    let drivers = programs.iter().filter(|program| {
        let name = program.file_name().unwrap_or_default().to_string_lossy();
        name.contains("gcc")
    });
    let parts: Vec<PathBuf> = drivers.flat_map(|driver| parts_of(driver)).collect();
    programs.extend(parts);
    programs.iter().map(|program| version_of(program)).collect()
}

/// What the tools say that proofmark has installed here for the compilers of cells.
pub(super) fn of_packages(experiment: &Experiment) -> BTreeSet<String> {
    // What is found is written down, and a plan leaves nothing.
    let Ok(folder) = tempfile::tempdir() else {
        return BTreeSet::new();
    };
    let known = Toolchains::open(folder.path());
    let mut packages: Vec<&CellToolchain> = toolchains(experiment)
        .filter(|toolchain| toolchain.provider.is_some())
        .collect();
    packages.dedup();
    let found = packages.into_iter();
    let found = found.filter_map(|one| known.find(&one.name, &compiler(one)).ok());
    let tools = found.flat_map(|toolchain| toolchain.tools);
    tools.map(|tool| tool.version).collect()
}

/// Says of each tool whether there is one that says the same.
pub(super) fn look(tools: &mut [ToolAgainView], said: &BTreeSet<String>) {
    for tool in tools {
        tool.here = said.contains(&tool.version);
        if tool.here {
            continue;
        }
        let family = family(&tool.version);
        let mut others = said.iter().filter(|one| self::family(one) == family);
        tool.instead = others.next_back().filter(|_| !family.is_empty()).cloned();
        tool.get = get(&tool.version);
    }
}

/// A name without the version at its end: `gcc-12` and `clang-19.1`.
fn plain(name: &str) -> &str {
    match name.rsplit_once('-') {
        Some((name, version)) if version.starts_with(|digit: char| digit.is_ascii_digit()) => name,
        _ => name
            .rsplit_once("linux-gnu-")
            .map_or(name, |(_, name)| name),
    }
}

fn parts_of(driver: &Path) -> Vec<PathBuf> {
    let ask = |part: &&str| {
        let output = Command::new(driver)
            .arg(format!("-print-prog-name={part}"))
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .output();
        let said = String::from_utf8_lossy(&output.ok()?.stdout)
            .trim()
            .to_owned();
        Path::new(&said).canonicalize().ok()
    };
    PARTS.iter().filter_map(ask).collect()
}

/// The first word that tells tools apart: `gcc`, `clang`, `GNU ld`, `LLD`.
fn family(version: &str) -> String {
    if let Some(at) = version.find("clang version") {
        return version.get(at..at + 5).unwrap_or_default().to_owned();
    }
    let words: Vec<&str> = version.split_whitespace().collect();
    match words.as_slice() {
        ["GNU", what, ..] => format!("GNU {what}"),
        [_, "LLD", ..] | ["LLD", ..] => "LLD".to_owned(),
        // A compiler calls itself by the name of its file, with its machine and its version.
        [first, ..] => plain(plain(first)).to_owned(),
        [] => String::new(),
    }
}

/// How a compiler of that version is had.
fn get(version: &str) -> Option<String> {
    let family = family(version);
    let family = family.rsplit('/').next().unwrap_or(&family);
    let family = match plain(family) {
        "gcc" | "cc" | "g++" | "c++" => "gcc",
        "clang" => "clang",
        _ => return None,
    };
    // The last number with points in it is the version; what distributions add stands before it.
    let digits = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.');
    let number = match family {
        "clang" => version
            .split("clang version ")
            .nth(1)?
            .split_whitespace()
            .next()?,
        _ => version.split_whitespace().rfind(digits)?,
    };
    let major = number.split('.').next()?;
    let name = format!("{family}{major}");
    ToolchainDefinition::implied(&name)?;
    Some(format!(
        "{} says whether this machine has {family} {major}, and how to get it; a folder in whose \
         `bin` it goes by the name that the build uses is let in by --show",
        hint("toolchains", &[&name])
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_compiler_is_offered_by_its_major_version() {
        let said = get("gcc (Debian 12.2.0-14+deb12u1) 12.2.0").unwrap();
        assert!(said.contains("`proofmark toolchains gcc12`"), "{said}");
        let said = get("Debian clang version 19.1.7 (3)").unwrap();
        assert!(said.contains("`proofmark toolchains clang19`"), "{said}");
        assert_eq!(get("GNU ld (GNU Binutils for Debian) 2.40"), None);
        assert_eq!(plain("x86_64-linux-gnu-gcc-12"), "x86_64-linux-gnu-gcc");
        assert_eq!(plain("gcc-12"), "gcc");
        assert_eq!(plain("ld.gold"), "ld.gold");
    }

    #[test]
    fn another_version_is_not_taken_for_the_same() {
        let tool = |version: &str| ToolAgainView {
            role: "driver".to_owned(),
            version: version.to_owned(),
            here: false,
            instead: None,
            get: None,
        };
        let gcc = Path::new("/usr/bin/gcc").canonicalize();
        let here = gcc.map_or_else(|_| String::new(), |gcc| version_of(&gcc));
        if here.is_empty() {
            println!("skipped: needs gcc");
            return;
        }
        let mut tools = [tool(&here), tool("gcc (Nobody 1.2) 1.2.3"), tool("tcc 7")];
        look(&mut tools, &said("/usr/bin:/bin"));
        let [same, other, none] = &tools;
        assert!(same.here && same.instead.is_none());
        assert!(
            !other.here
                && other
                    .instead
                    .as_ref()
                    .is_some_and(|one| one.contains("gcc"))
        );
        assert!(!none.here && none.instead.is_none(), "{none:?}");
    }
}
