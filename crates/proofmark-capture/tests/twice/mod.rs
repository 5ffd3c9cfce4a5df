//! Each object is compiled a second time, with function sections, and the build is left with
//! exactly what it makes by itself.

mod clang;
mod left;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::{Project, c_program, has};
use proofmark_capture::{Capture, CapturedLink, Compile, RelinkCheck, capture};
use proofmark_layout::{InputKind, Recipe};

/// Where functions have sections of their own.
fn function_sections(object: &Path) -> usize {
    let output = Command::new("objdump")
        .arg("-h")
        .arg(object)
        .output()
        .unwrap();
    // Parts of code that the compiler sets apart by itself.
    let parts = [".text.startup", ".text.unlikely", ".text.hot", ".text.exit"];
    let text = String::from_utf8(output.stdout).unwrap();
    text.split_whitespace()
        .filter(|word| word.starts_with(".text.") && !parts.contains(word))
        .count()
}

/// Function sections in all that a recipe links, but for the system's.
fn sections_of(recipe: &Recipe) -> usize {
    let own = recipe.inputs.iter().filter(|input| {
        let name = input.given.to_string_lossy();
        !name.starts_with("/usr") && !name.starts_with("/lib")
    });
    own.map(|input| match input.kind {
        InputKind::Object | InputKind::Archive => function_sections(&input.blob),
        _ => input
            .members
            .iter()
            .map(|member| function_sections(&member.blob))
            .sum(),
    })
    .sum()
}

fn link(capture: &Capture) -> &CapturedLink {
    capture.image(None).unwrap()
}

/// The build runs without a capture and with one in the same place; the files that it makes are the
/// same to the byte.
fn unchanged(script: &str, files: &[&str]) -> (Project, Capture) {
    let project = Project::new();
    c_program(&project);
    project.run(&["sh", "-ec", script]);
    let read = || -> Vec<Vec<u8>> {
        let all = files.iter();
        all.map(|file| fs::read(project.root.join(file)).unwrap())
            .collect()
    };
    let before = read();
    for file in files {
        fs::remove_file(project.root.join(file)).unwrap();
    }
    let capture = project.capture(&["sh", "-ec", script]);
    for ((file, before), after) in files.iter().zip(before).zip(read()) {
        assert!(before == after, "{script}: {file} is another file");
    }
    let link = link(&capture);
    assert_eq!(
        fs::read(&link.image).unwrap(),
        fs::read(&link.output).unwrap(),
        "as shipped"
    );
    assert_eq!(link.relink, RelinkCheck::Identical);
    assert!(!link.sections_added);
    assert_eq!(capture.warnings, [] as [String; 0]);
    (project, capture)
}

/// Layouts are made of second objects, all of them.
fn whole(capture: &Capture) {
    let link = link(capture);
    assert!(link.twice.is_some(), "{capture:?}");
    let twice = link.twice.as_ref().unwrap();
    assert!(
        twice.refused.is_none() && twice.lacking.is_empty(),
        "{capture:?}"
    );
    assert!(twice.own.is_some(), "{capture:?}");
    let own = twice.own.as_ref().unwrap();
    assert_eq!(sections_of(own), 0, "{:?} {capture:?}", own.inputs);
    let sections = sections_of(&link.recipe);
    assert!(
        sections >= 3,
        "{sections} {:?} {capture:?}",
        link.recipe.inputs
    );
}

const COMPILERS: [&str; 2] = ["gcc", "clang-19"];

#[test]
fn a_build_makes_what_it_makes_by_itself() {
    for cc in COMPILERS.into_iter().filter(|cc| has(cc)) {
        for options in [
            "-O2",
            "-O2 -g -MD -MF main.d -MT x",
            "-O1 -pipe -fstack-usage",
        ] {
            let script = format!(
                "{cc} {options} -c main.c; {cc} -O2 -c twice.c; {cc} main.o twice.o -lm -o prog"
            );
            let (_project, capture) = unchanged(&script, &["main.o", "twice.o", "prog"]);
            whole(&capture);
        }
    }
}

/// The object has no place that outlives the build.
#[test]
fn objects_that_only_an_archive_keeps() {
    if !has("ar") {
        return;
    }
    for cc in COMPILERS.into_iter().filter(|cc| has(cc)) {
        for (make, more) in [
            ("ar rcD libx.a twice.o; rm twice.o", ""),
            ("ar rcDT libx.a twice.o", "twice.o"),
            (
                "{cc} -nostdlib -r -o x.o twice.o; ar rcD libx.a x.o; rm x.o twice.o",
                "",
            ),
        ] {
            let make = make.replace("{cc}", cc);
            let script = format!("{cc} -O2 -c twice.c; {make}; {cc} -O2 main.c libx.a -lm -o prog");
            let files: Vec<&str> = ["libx.a", "prog", more]
                .into_iter()
                .filter(|file| !file.is_empty())
                .collect();
            let (_project, capture) = unchanged(&script, &files);
            whole(&capture);
        }
    }
}

/// As on a busy machine, where clang is held between its object and its note.
#[test]
fn objects_that_are_there_long_before_clang_s_note() {
    if !has("gcc") || !has("ar") || !has("clang-19") {
        return;
    }
    let project = Project::new();
    c_program(&project);
    project.file(
        "held.c",
        "#define _GNU_SOURCE\n#include <fcntl.h>\n#include <stdio.h>\n#include <unistd.h>\nint \
         rename(const char *a, const char *b) \
         { int done = renameat(AT_FDCWD, a, AT_FDCWD, b); usleep(100000); return done; }\n",
    );
    project.run(&["sh", "-ec", "gcc -O1 -shared -fPIC held.c -o held.so"]);
    let script = "LD_PRELOAD=$PWD/held.so clang-19 -O2 -c twice.c; ar rcDT libx.a twice.o; clang-19 -O2 main.c libx.a -lm -o prog";
    whole(&project.capture(&["sh", "-ec", script]));
}

#[test]
fn link_time_optimisation_by_gcc() {
    if !has("gcc") {
        return;
    }
    let script = "gcc -O2 -flto -frandom-seed=1 -c main.c; gcc -O2 -flto -frandom-seed=2 -c twice.c; gcc -O2 -flto main.o twice.o -lm -o prog";
    let (_project, capture) = unchanged(script, &["main.o", "twice.o", "prog"]);
    let twice = link(&capture).twice.clone().unwrap();
    assert!(
        twice.own.is_some() && twice.lacking.is_empty(),
        "{capture:?}"
    );
}

/// A build that is up to date links objects that an earlier capture compiled twice.
#[test]
fn objects_of_an_earlier_capture_keep_their_second_ones() {
    if !has("gcc") {
        return;
    }
    let project = Project::new();
    c_program(&project);
    let script = "[ -f main.o ] || gcc -O2 -c main.c twice.c; gcc main.o twice.o -lm -o prog";
    whole(&project.capture(&["sh", "-ec", script]));
    let again = capture(
        &project.builds(),
        &project.request("again", &["sh", "-ec", script]),
    );
    whole(&again.unwrap());
}

/// On request function sections are the build's own, as they are where nothing is compiled twice.
#[test]
fn compiled_once_the_build_has_function_sections() {
    if !has("gcc") {
        return;
    }
    let project = Project::new();
    c_program(&project);
    let script = "gcc -O2 -c main.c twice.c; gcc main.o twice.o -lm -o prog";
    let mut request = project.request("base", &["sh", "-ec", script]);
    request.compile = Compile::Once;
    let captured = capture(&project.builds(), &request).unwrap();
    let link = link(&captured);
    assert!(link.sections_added && link.twice.is_none());
    assert!(function_sections(&project.root.join("main.o")) >= 2);
}
