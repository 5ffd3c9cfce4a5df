//! The main job on real programs: captured twice, compared, and the result held against its
//! published schema.
//!
//! Every program checks its own result and fails when it is wrong, so that an image in a layout
//! that breaks it stops the comparison.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::{Project, has, lua};
use proofmark_evidence::Store;
use proofmark_evidence::record::{ArmRef, Block};
use proofmark_terms::Digest;
use serde_json::Value;

/// The blocks of each comparison: two are the fewest that an interval can be had of, a third one is
/// there to be sure.
const BLOCKS: usize = 3;

/// Captures a build, and sees that its link can be repeated to the same bytes.
fn capture(project: &Project, name: &str, build: &str) {
    let said = project.done(&["capture", name, "--json", "--", "sh", "-ec", build]);
    // What the build prints comes first.
    let document = &said.out[said.out.find('{').unwrap()..];
    let capture: Value = serde_json::from_str(document).unwrap();
    let images = capture["images"].as_array().unwrap();
    assert_eq!(images.len(), 1, "{images:?}");
    assert_eq!(
        images[0]["relink"]["result"], "identical",
        "{name}: {}",
        images[0]["relink"]
    );
}

/// Compares `base` with `new`, of which only cold code and data differ, and checks all that must
/// hold whatever was measured.
fn compare(project: &Project, benchmark: &[&str]) {
    let mut arguments = vec![
        "compare", "base", "new", "--json", "--blocks", "3", "--rounds", "2",
    ];
    arguments.extend(["--skip", "instructions", "--measure-equal", "--"]);
    arguments.extend(benchmark);
    let said = project.done(&arguments);
    let report: Value = serde_json::from_str(&said.out).unwrap();
    valid(&report);
    assert_eq!(report["state"], "finished");
    assert_eq!(
        report["layouts"]["kind"], "matched",
        "{}",
        report["layouts"]
    );
    assert_eq!(report["blocks"], BLOCKS);
    for build in report["builds"].as_array().unwrap() {
        assert!(build["movable"].as_f64().unwrap() > 0.3, "{build}");
    }
    let comparisons = report["conclusion"]["comparisons"].as_array().unwrap();
    assert_eq!(comparisons.len(), 1);
    interval(&comparisons[0]["ratio"]);
    interval(&comparisons[0]["as_shipped"]["ratio"]);
    assert!(comparisons[0]["verdict"].is_string());
    drawn_afresh(project);
}

/// By the schema that the documentation publishes.
fn valid(report: &Value) {
    let published =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema/experiment.schema.json");
    let schema = serde_json::from_slice(&fs::read(published).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let flaws: Vec<String> = validator
        .iter_errors(report)
        .map(|flaw| flaw.to_string())
        .collect();
    assert_eq!(flaws, [] as [String; 0]);
}

/// A ratio of times, with its interval around it.
fn interval(ratio: &Value) {
    let [low, estimate, high] =
        ["low", "estimate", "high"].map(|name| ratio[name].as_f64().unwrap());
    assert!(
        0.0 < low && low <= estimate && estimate <= high && high.is_finite(),
        "{ratio}"
    );
}

/// Each block ran images of its own, except for those that the builds made.
fn drawn_afresh(project: &Project) {
    let store = Store::open(&project.path(".proofmark")).unwrap();
    let blocks = store.load("latest").unwrap().blocks;
    assert_eq!(blocks.len(), BLOCKS);
    let images = |which: fn(&ArmRef) -> bool| -> BTreeSet<Digest> {
        let of = |block: &Block| -> Vec<Digest> {
            let arms = block.arms.iter().zip(&block.images);
            arms.filter(|(arm, _)| which(arm))
                .map(|(_, image)| image.clone())
                .collect()
        };
        blocks.iter().flat_map(of).collect()
    };
    assert_eq!(
        images(|arm| matches!(arm, ArmRef::Drawn { .. })).len(),
        2 * BLOCKS
    );
    assert_eq!(
        images(|arm| matches!(arm, ArmRef::AsShipped { .. })).len(),
        2
    );
}

/// Lua with a make file, and a patch of a function that the benchmark does not call.
fn lua(compiler: &str, linker: &str) {
    let project = lua::project();
    project.write(
        "fib.lua",
        "local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end\n\
         assert(fib(20) == 6765)\n\
         assert(not pcall(error, 'caught'))\n\
         print(string.format('%d %.2f', fib(18), math.sqrt(2)))\n",
    );
    let build = format!("make --silent -B -j2 CC={compiler} LDFLAGS={linker}");
    capture(&project, "base", &build);
    lua::patch_an_error(&project);
    capture(&project, "new", &build);
    compare(&project, &["{}", "fib.lua"]);
}

#[test]
fn lua_with_gcc() {
    if has(&["gcc", "make"]) {
        lua("gcc", "");
    }
}

#[test]
fn lua_with_clang_and_lld() {
    if has(&["clang-19", "ld.lld-19", "make"]) {
        lua("clang-19", "-fuse-ld=lld");
    }
}

/// A program in C++ with exceptions, templates and static constructors.
fn objects(compiler: &str, flags: &str, link: &str) {
    let project = Project::new();
    let build = |word: u32| {
        format!(
            "rm -f *.o objects\n\
             {compiler} -std=c++17 -O1 {flags} -c objects.cpp\n\
             {compiler} -std=c++17 -O1 {flags} -DWORD={word} -c complain.cpp\n\
             {compiler} -O1 {flags} {link} -o objects objects.o complain.o"
        )
    };
    capture(&project, "base", &build(1));
    capture(&project, "new", &build(2));
    compare(&project, &["{}"]);
}

#[test]
fn cpp_with_gcc() {
    if has(&["g++"]) {
        objects("g++", "", "");
    }
}

#[test]
fn cpp_with_clang_and_lld() {
    if has(&["clang++-19", "ld.lld-19"]) {
        objects("clang++-19", "", "-fuse-ld=lld");
    }
}

#[test]
fn link_time_optimisation_with_gcc() {
    if has(&["g++"]) {
        objects("g++", "-flto", "-flto=2");
    }
}

#[test]
fn link_time_optimisation_with_clang() {
    if has(&["clang++-19", "ld.lld-19"]) {
        objects("clang++-19", "-flto=full", "-fuse-ld=lld");
    }
}

#[test]
fn rust_with_cargo() {
    let project = Project::new();
    project.write(
        "Cargo.toml",
        "[package]\nname = \"vectors\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n\
         [[bin]]\nname = \"vectors\"\npath = \"vectors.rs\"\n\n[workspace]\n",
    );
    let complain = |more: &str| {
        format!(
            "//! What happens when the result is wrong.\n\n#[cold]\n#[inline(never)]\n\
             pub fn complain(total: u64) -> std::process::ExitCode {{\n    eprintln!(\"wrong: {{total}}\");\n{more}    \
             std::process::ExitCode::FAILURE\n}}\n"
        )
    };
    let build = "cargo clean --quiet; cargo build --release --offline --quiet";
    project.write("complain.rs", &complain(""));
    capture(&project, "base", build);
    project.write(
        "complain.rs",
        &complain("    eprintln!(\"this is what the patch adds\");\n"),
    );
    capture(&project, "new", build);
    compare(&project, &["{}"]);
}

#[test]
fn the_programs_of_the_case_of_stacks_print_what_they_must() {
    if !has(&["gcc", "make", "python3"]) {
        return;
    }
    let case = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/stacks");
    let out = Project::new();
    let made = Command::new("make")
        .args(["-s", "CC=gcc", "test", "-C"])
        .arg(case)
        .arg(format!("OUT={}", out.path("out").display()))
        .output()
        .unwrap();
    assert!(made.status.success(), "{made:?}");
}

#[test]
fn the_ideas_of_the_case_of_marshal_are_what_they_say() {
    if !has(&["gcc", "git", "make", "python3"]) {
        return;
    }
    let case = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/marshal");
    let made = Command::new("python3")
        .arg(case.join("tests/run.py"))
        .arg("gcc")
        .output()
        .unwrap();
    assert!(made.status.success(), "{made:?}");
}

#[test]
fn the_history_of_the_case_of_placement_is_what_it_says() {
    if !has(&["gcc", "git", "objdump", "python3"]) {
        return;
    }
    let case = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/placement");
    let made = Command::new("python3")
        .arg(case.join("tests/run.py"))
        .args(["--quick", "gcc"])
        .output()
        .unwrap();
    assert!(made.status.success(), "{made:?}");
}
