//! Files of tests that are modules of one program are all named in it: one that is not would never
//! be run, and nobody would see that.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The modules that a program of tests declares.
fn declared(program: &str) -> BTreeSet<String> {
    let file = syn::parse_file(program).unwrap();
    let modules = file.items.into_iter().filter_map(|item| match item {
        syn::Item::Mod(module) => Some(module.ident.to_string()),
        _ => None,
    });
    modules.collect()
}

/// The files and folders beside it that are modules.
fn beside(tests: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(tests)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let modules = entries.filter(|path| {
        path.join("mod.rs").is_file() || path.extension().is_some_and(|kind| kind == "rs")
    });
    let names = modules.map(|path| path.file_stem().unwrap().to_string_lossy().into_owned());
    names.filter(|name| name != "tests").collect()
}

#[test]
fn every_file_of_tests_is_run() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut programs = 0;
    for entry in fs::read_dir(crates).unwrap() {
        let tests = entry.unwrap().path().join("tests");
        let Ok(program) = fs::read_to_string(tests.join("tests.rs")) else {
            continue;
        };
        assert_eq!(declared(&program), beside(&tests), "{}", tests.display());
        programs += 1;
    }
    assert!(programs > 1);
}
