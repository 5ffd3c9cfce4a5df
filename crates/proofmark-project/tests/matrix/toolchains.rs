//! Toolchains that are not what is written, and builds by another one.

use std::fs;
use std::path::PathBuf;

use proofmark_project::{ShellWords, ToolchainDefinition, ToolchainError, Toolchains};

use super::{Bench, MAKEFILE, definitions, from_archive, project, why};
use crate::support::{Project, has};

#[test]
fn a_build_by_another_compiler_is_not_taken() {
    if !has("gcc") || !has("clang-19") {
        return;
    }
    let mut definitions = definitions(&["clang-19"], &[]);
    definitions.sources["program"].build = Some("make CC=gcc program".to_owned());
    let built = Bench::new(project(), definitions).build();
    assert!(
        why(&built[0]).contains("not by toolchain `clang-19`: does its build use {cc}?"),
        "{}",
        why(&built[0])
    );
    // The only object by another one is in an archive.
    let makefile =
        from_archive(MAKEFILE).replace("-o $@ $<", "-o $@ $<\ntable.o: table.c\n\tgcc -c $<");
    let project = project();
    project.file("src/Makefile", &makefile);
    let built = Bench::new(project, self::definitions(&["clang-19"], &[])).build();
    let why = why(&built[0]);
    assert!(why.contains("1 of 2 objects were compiled by"), "{why}");
}

#[test]
fn a_toolchain_that_is_not_what_is_written_is_an_error() {
    if !has("gcc") {
        return;
    }
    let project = Project::new();
    let toolchains = Toolchains::open(&project.root.join(".proofmark"));
    let definition = |command: &str, version: Option<&str>, flags: &str| ToolchainDefinition {
        command: Some(command.to_owned()),
        version: version.map(str::to_owned),
        flags: ShellWords(flags.split_whitespace().map(str::to_owned).collect()),
        ..ToolchainDefinition::default()
    };
    let found = toolchains
        .find("gcc", &definition("gcc", None, ""))
        .unwrap();
    assert!(
        !found.version.is_empty() && found.linker.contains("ld"),
        "{found:?}"
    );
    let again = toolchains
        .find("gcc", &definition("gcc", Some(&found.version), ""))
        .unwrap();
    assert_eq!(again.hash, found.hash);

    let error = toolchains
        .find("gcc", &definition("gcc", Some("3.4"), ""))
        .unwrap_err();
    assert!(
        matches!(&error, ToolchainError::Version { wanted, found: is, .. } if wanted == "3.4" && *is == found.version)
    );
    let error = toolchains
        .find("x", &definition("no-such-compiler", None, ""))
        .unwrap_err();
    assert!(matches!(error, ToolchainError::Missing { .. }), "{error}");
    let error = toolchains
        .find("x", &definition("gcc", None, "-Wl,--no-such-option"))
        .unwrap_err();
    assert!(
        matches!(error, ToolchainError::Broken { doing: "link", .. }),
        "{error}"
    );
    let bad = ToolchainDefinition {
        provider: Some("npm:gcc".to_owned()),
        ..ToolchainDefinition::default()
    };
    assert!(matches!(
        toolchains.find("x", &bad),
        Err(ToolchainError::Provider { .. })
    ));
}

#[test]
fn another_library_behind_the_same_version_is_another_toolchain() {
    if !has("gcc") {
        return;
    }
    let project = Project::new();
    let toolchains = Toolchains::open(&project.root.join(".proofmark"));
    let script = |word: &str| -> PathBuf {
        let place = project.root.join("my-gcc");
        fs::write(&place, format!("#!/bin/sh\n# {word}\nexec gcc \"$@\"\n")).unwrap();
        fs::set_permissions(&place, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        place
    };
    let definition = ToolchainDefinition {
        command: Some(script("one").to_string_lossy().into_owned()),
        ..ToolchainDefinition::default()
    };
    let one = toolchains.find("mine", &definition).unwrap();
    script("other");
    let other = toolchains.find("mine", &definition).unwrap();
    assert_eq!(one.version, other.version);
    assert_ne!(one.hash, other.hash);
    // What gcc calls otherwise each time, where words stand in a file, makes no other toolchain.
    let options = project.root.join("options");
    fs::write(&options, "-DX=1\n").unwrap();
    let by_file = format!("by file\nexec gcc @{} \"$@\"", options.display());
    script(&by_file);
    let first = toolchains.find("mine", &definition).unwrap();
    let second = toolchains.find("mine", &definition).unwrap();
    assert_eq!(first.hash, second.hash);
}
