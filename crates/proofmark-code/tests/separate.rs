//! Debug information and symbols kept in a separate file: found beside the image, and only if they
//! belong to it.

use std::path::{Path, PathBuf};

use crate::support::{compile, has, run};
use proofmark_code::{Facts, Pattern, Program, Sources, survey};

/// `facts.c` as a shared library with debug information, its symbols then moved to a file of their
/// own in `apart`.
fn stripped(folder: &Path, apart: &str, options: &[&str]) -> (PathBuf, PathBuf) {
    let options = [&["-g", "-O2", "-shared", "-fPIC", "-nostdlib"], options].concat();
    let full = compile("gcc", &options, &["facts.c"], folder, "full.so");
    let stripped = folder.join("stripped.so");
    let debug = folder.join(apart).join("stripped.so.debug");
    std::fs::create_dir_all(debug.parent().unwrap()).unwrap();
    let [full_at, stripped_at, debug_at] =
        [&full, &stripped, &debug].map(|path| path.display().to_string());
    run("objcopy", &["--only-keep-debug", &full_at, &debug_at]);
    let link = format!("--add-gnu-debuglink={debug_at}");
    run("objcopy", &["--strip-all", &link, &full_at, &stripped_at]);
    (full, stripped)
}

/// Names, sizes and facts of all functions, and the source line of the first `choose`.
fn known(path: &Path) -> (Vec<(String, u64, Facts)>, Option<u32>) {
    let program = Program::open(path).unwrap();
    let image = &program.images()[0];
    let functions = image.functions().iter().zip(Facts::all(image));
    let functions = functions
        .map(|(f, facts)| (f.name(), f.size(), facts))
        .collect();
    let choose = survey(&program, &[Pattern::parse("choose").unwrap()]);
    let sources = Sources::open(image);
    let line = sources.and_then(|s| s.line(choose.first()?.function().address()));
    (functions, line.map(|l| l.line))
}

#[test]
fn what_was_stripped_is_found_in_the_separate_file() {
    if !has("gcc") || !has("objcopy") {
        return;
    }
    for apart in ["", ".debug"] {
        for id in ["-Wl,--build-id", "-Wl,--build-id=none"] {
            let folder = tempfile::tempdir().unwrap();
            let (full, stripped) = stripped(folder.path(), apart, &[id]);
            let (functions, line) = known(&full);
            assert!(functions.len() >= 10 && line.is_some());
            assert!((functions, line) == known(&stripped), "{apart} {id}");
        }
    }
}

#[test]
fn the_separate_file_of_another_build_is_not_believed() {
    if !has("gcc") || !has("objcopy") {
        return;
    }
    for id in ["-Wl,--build-id", "-Wl,--build-id=none"] {
        let folder = tempfile::tempdir().unwrap();
        let (_, image) = stripped(folder.path(), "", &[id]);
        let other = tempfile::tempdir().unwrap();
        stripped(other.path(), "", &[id, "-O1"]);
        let name = "stripped.so.debug";
        std::fs::copy(other.path().join(name), folder.path().join(name)).unwrap();
        assert_eq!(known(&image).1, None, "{id}");
        std::fs::write(folder.path().join(name), "no debug file at all").unwrap();
        assert_eq!(known(&image).1, None, "{id}");
    }
}
