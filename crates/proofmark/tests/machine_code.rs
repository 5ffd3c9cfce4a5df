//! `inspect`, `expect` and `diff` on captured builds, and what a layout may not change: the code of
//! any function.

use std::fs;
use std::path::Path;

use crate::support::{Project, has, lua};
use proofmark_capture::{Builds, Capture, CapturedLink};
use proofmark_code::comparison::differences;
use proofmark_code::{Image, Program};
use proofmark_layout::{LayoutSet, Matching};
use proofmark_terms::Population;
use serde_json::Value;

/// `proofmark … --json`, as what it says.
fn json(project: &Project, arguments: &[&str]) -> Value {
    let said = project.done(&[arguments, &["--json"]].concat());
    serde_json::from_str(&said.out).unwrap()
}

/// The names of a list of functions in JSON.
fn names(list: &Value) -> Vec<&str> {
    let list = list.as_array().unwrap();
    list.iter().map(|f| f["name"].as_str().unwrap()).collect()
}

/// Two captured builds of one program, of which one function differs.
fn two_builds() -> Project {
    let project = Project::new();
    let build = "rm -f *.o work && cc -O2 -g -c work.c && cc -O2 -g -c bound.c && cc -o work work.o bound.o";
    project.done(&["capture", "base", "--", "sh", "-c", build]);
    let source = fs::read_to_string(project.path("work.c")).unwrap();
    assert!(source.contains("(x >> 29)"));
    project.write("work.c", &source.replace("(x >> 29)", "(x >> 31)"));
    project.done(&["capture", "new", "--", "sh", "-c", build]);
    // What the build left behind is not what is asked for.
    fs::remove_file(project.path("work")).unwrap();
    project
}

#[test]
fn captured_builds_are_inspected_by_name() {
    let project = two_builds();
    let table = project.done(&["inspect", "base"]);
    assert!(table.out.contains("churn"), "{}", table.out);
    let listing = project.done(&["inspect", "new", "--function", "churn", "--disassemble"]);
    assert!(listing.out.contains("$0x1f,"), "{}", listing.out);
    assert!(listing.out.contains("work.c:10"), "{}", listing.out);
    let one = json(&project, &["inspect", "base", "--function", "churn"]);
    assert_eq!(names(&one["functions"]), ["churn"]);
    assert_eq!(one["functions"][0]["facts"]["loops"], 1);
    let a_file = project.run(&["inspect", "./work.c", "--image", "work"]);
    assert_eq!(a_file.code, Some(2), "{a_file:?}");
    assert!(a_file.err.contains("--image"), "{}", a_file.err);
    let unknown = project.run(&["inspect", "bsae"]);
    assert_eq!(unknown.code, Some(2), "{unknown:?}");
    assert!(unknown.err.contains("base"), "{}", unknown.err);
}

#[test]
fn captured_builds_are_held_to_expectations_by_name() {
    let project = two_builds();
    project.done(&["expect", "base", "--learn", "--function", "churn"]);
    let learnt = fs::read_to_string(project.path("expectations.toml")).unwrap();
    assert!(learnt.contains("# Learnt from base, built by "), "{learnt}");
    project.done(&["expect", "base"]);
    let kept = json(&project, &["expect", "new"]);
    assert!(kept["held"].as_u64().unwrap() > 0, "{kept}");
    project.write(
        "expectations.toml",
        "version = 1\n[[expect]]\nfunction = \"churn\"\nbuild = \"new\"\nholds = \"returns == 7\"\n",
    );
    let broken = project.run(&["expect", "new"]);
    assert_eq!(broken.code, Some(1), "{broken:?}");
    assert!(broken.out.contains("work.c:"), "{}", broken.out);
    // None of them is meant for this build: that is no success either.
    assert_eq!(project.run(&["expect", "base"]).code, Some(1));
}

#[test]
fn captured_builds_are_compared_by_name() {
    let project = two_builds();
    let text = project.done(&["diff", "base", "new"]);
    assert!(text.out.contains("churn"), "{}", text.out);
    let changes = json(&project, &["diff", "base", "new"]);
    assert_eq!(changes["summary"]["changed"], 1, "{changes}");
    assert_eq!(names(&changes["images"][0]["changed"]), ["churn"]);
    let summary = project.done(&["diff", "base", "new", "--summary"]);
    assert!(summary.out.starts_with("1 of "), "{}", summary.out);
    let aligned = project.done(&["diff", "base", "new", "--disassemble"]);
    assert!(aligned.out.contains("$0x1d,") && aligned.out.contains("$0x1f,"));
    let same = project.done(&["diff", "base", "base", "--summary"]);
    assert!(same.out.starts_with("0 of "), "{}", same.out);
}

#[test]
fn a_profile_of_other_programs_is_refused_and_one_of_more_says_so() {
    let project = two_builds();
    let with = |profile: &str| {
        project.write("profile", profile);
        project.run(&["diff", "base", "new", "--summary", "--hot", "profile"])
    };
    let hot = with("60% churn\n40% main\n");
    assert!(hot.out.ends_with(" functions changed, 1 hot\n"), "{hot:?}");
    let part = with("60% churn\n40% elsewhere\n");
    let end = " functions changed, 1 hot; 60.0 % of the profile is in these programs\n";
    assert!(part.out.ends_with(end), "{part:?}");
    let sample = "x 1 1.0: 100 cycles:u:  55d5c1 [unknown] (/bin/x)\n";
    for foreign in ["40% zzz\n60% qqq\n", "# A title\n\nSome prose.\n", sample] {
        let refused = with(foreign);
        assert_eq!(refused.code, Some(2), "{refused:?}");
        assert!(refused.err.contains("names no function of"), "{refused:?}");
    }
    let impossible = with("150% churn\n");
    assert_eq!(impossible.code, Some(2), "{impossible:?}");
    assert!(impossible.err.contains("line 1"), "{impossible:?}");
    let missing = project.run(&["diff", "base", "new", "--hot", "nowhere"]);
    assert_eq!(missing.code, Some(2), "{missing:?}");
}

/// Everything that a layout did to functions besides moving them.
fn changed(base: &Path, new: &Path) -> Vec<String> {
    let (base, new) = (Program::open(base).unwrap(), Program::open(new).unwrap());
    let mut wrong = Vec::new();
    for (base, new, difference) in differences(&base, &new) {
        let (base, new) = (base.unwrap(), new.unwrap());
        let name = |image: &Image, index: usize| image.functions()[index].name();
        wrong.extend(difference.changed.iter().map(|p| name(new, p.new)));
        wrong.extend(difference.renamed.iter().map(|p| name(new, p.new)));
        wrong.extend(difference.removed.iter().map(|i| name(base, *i)));
        wrong.extend(difference.added.iter().map(|i| name(new, *i)));
        assert!(difference.moved.len() > 500, "{}", difference.moved.len());
    }
    wrong
}

/// Each image that a build made and two layouts of it, of each population: none differs in any
/// function.
fn only_moved(capture: &Capture) {
    for link in &capture.links {
        layouts_only_move(link);
    }
}

fn layouts_only_move(link: &CapturedLink) {
    for population in [Population::Pad, Population::Shuffle] {
        let scratch = tempfile::tempdir().unwrap();
        let set = LayoutSet::prepare(
            &[link.for_layouts()],
            Matching::Independent,
            population,
            scratch.path(),
        )
        .unwrap();
        let drawn = [1, 2].map(|seed| {
            let place = scratch.path().join(format!("layout{seed}"));
            set.link(0, seed, &place).unwrap().path
        });
        for (base, new) in [(&link.image, &drawn[0]), (&drawn[0], &drawn[1])] {
            let wrong = changed(base, new);
            assert!(
                wrong.is_empty(),
                "{} {population:?}: {wrong:?}",
                link.output.display()
            );
        }
    }
}

#[test]
fn a_layout_of_lua_changes_no_function() {
    if !has(&["clang-19", "ld.lld-19", "ld.bfd", "ld.gold", "make"]) {
        return;
    }
    let project = lua::project();
    // The objects are compiled once: the links after the first one know them by content.
    for linker in ["lld", "bfd", "gold"] {
        let build = format!("rm -f lua; make --silent -j2 CC=clang-19 LDFLAGS=-fuse-ld={linker}");
        project.done(&["capture", linker, "--", "sh", "-c", &build]);
        let builds = Builds::open(&project.path(".proofmark")).unwrap();
        only_moved(&builds.find(linker).unwrap());
    }
}

/// Of builds that take too long to be made here; bench/results/facts.md says of which it was run.
#[test]
#[ignore = "takes a folder of captured builds: PROOFMARK_LAYOUTS_OF=FOLDER"]
fn a_layout_of_a_captured_build_changes_no_function() {
    let folder = std::env::var_os("PROOFMARK_LAYOUTS_OF").expect("PROOFMARK_LAYOUTS_OF=FOLDER");
    let captures = Builds::open(folder.as_ref())
        .unwrap()
        .list()
        .unwrap()
        .builds;
    assert!(!captures.is_empty(), "no captured build in {folder:?}");
    for capture in &captures {
        only_moved(capture);
    }
}

#[test]
fn the_one_function_of_lua_that_was_patched_is_named_alone() {
    if !has(&["gcc", "make"]) {
        return;
    }
    let project = lua::project();
    let build = ["--", "make", "--silent", "-j2", "CC=gcc"];
    project.done(&[&["capture", "base"], &build[..]].concat());
    lua::patch_an_error(&project);
    project.done(&[&["capture", "new"], &build[..]].concat());
    let changes = json(&project, &["diff", "base", "new"]);
    assert_eq!(names(&changes["images"][0]["changed"]), ["luaL_error"]);
    assert_eq!(changes["summary"]["changed"], 1, "{changes}");
}

/// A function with a part that was split off, `stop.cold`; `slow` makes its own part larger.
fn split(project: &Project, name: &str, slow: bool) {
    let more = if slow { "imul %edi, %edi\n" } else { "" };
    let text = format!(
        ".text\n.globl stop\n.type stop, @function\nstop: {more}test %edi, %edi\njne stop.cold\nret\n.size stop, .-stop\n\
         .section .text.unlikely, \"ax\", @progbits\n.type stop.cold, @function\nstop.cold: mov $1, %eax\nmov $2, %ecx\nret\n\
         .size stop.cold, .-stop.cold\n"
    );
    project.write("stop.s", &text);
    let status = std::process::Command::new("gcc")
        .args(["-c", "stop.s", "-o", name])
        .current_dir(project.path(""))
        .status();
    assert!(status.unwrap().success());
}

#[test]
fn what_was_split_off_is_told_where_it_counts_and_where_it_does_not() {
    if !has(&["gcc"]) || !cfg!(target_arch = "x86_64") {
        return;
    }
    let project = Project::new();
    split(&project, "old.o", false);
    split(&project, "new.o", true);
    project.write(
        "expectations.toml",
        "version = 1\n[let]\nlittle = 5\n[[expect]]\nfunction = \"stop\"\nholds = [\"bytes < little\", \"instructions > 1\", \"vector_bits == 0\"]\n",
    );
    let expected = project.run(&["expect", "./old.o"]);
    assert_eq!(expected.code, Some(1), "{expected:?}");
    // test 2, jne 6, ret 1; mov 5, mov 5, ret 1.
    for told in [
        "bytes is 20, 11 of it in stop.cold",
        "less than 5 (little)",
        "instructions is 6, 3 of it in stop.cold",
        "(vector_bits is 0)",
    ] {
        assert!(expected.out.contains(told), "{told}: {}", expected.out);
    }
    let differs = project.done(&["diff", "./old.o", "./new.o"]).out;
    let differs = differs.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(differs.contains("bytes 9 → 12"), "{differs}");
    let told = "; stop.cold, 11 bytes, is counted apart";
    assert!(differs.contains(told), "{differs}");
}
