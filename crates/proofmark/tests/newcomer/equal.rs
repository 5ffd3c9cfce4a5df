//! Builds of the same bytes, which are measured only where something else may differ.

use std::fs;

use crate::support::{Project, has};

/// Compiles one source with more arguments.
fn compiled(project: &Project, arguments: &[&str]) {
    let status = std::process::Command::new("cc")
        .args(arguments)
        .current_dir(project.path(""))
        .status();
    assert!(status.unwrap().success(), "{arguments:?}");
}

/// Two builds of one name: by another name a program may do something else.
const OLD: &str = "old=./old/one";

const NEW: &str = "new=./new/one";

#[test]
fn builds_of_the_same_bytes_are_not_measured() {
    let project = Project::new();
    project.write(
        "one.c",
        "#include <stdio.h>\nint main(void) { puts(\"1\"); return 0; }",
    );
    let folders = ["old", "new"].map(|name| fs::create_dir(project.path(name)));
    assert!(folders.iter().all(Result::is_ok));
    compiled(&project, &["-O1", "-o", "old/one", "one.c"]);
    fs::copy(project.path("old/one"), project.path("new/one")).unwrap();
    let said = project.done(&["compare", OLD, NEW, "--", "{}"]);
    assert!(
        said.out.contains("new and old are the same bytes"),
        "{}",
        said.out
    );
    let json = project.done(&["compare", OLD, NEW, "--json", "--", "{}"]);
    let json: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(json["equal"][0]["how"], "same-bytes");
    // For a gate, only what lies at one place can do nothing else.
    let there = "new=./old/one";
    let gate = |gate: &str| project.run(&["compare", OLD, there, "--require", gate, "--", "{}"]);
    assert_eq!(gate("no-slower:1%").code, Some(0));
    assert_eq!(gate("faster:1%").code, Some(1));
    let few = ["--blocks", "2", "--rounds", "2", "--", "{}"];
    for asked in [&["--measure-equal"][..], &["--require", "no-slower:1%"]] {
        let measured = project.run(&[&["compare", OLD, NEW], asked, &few].concat());
        assert!(measured.out.contains("new/old"), "{measured:#?}");
    }
}

/// The same program, for which each build wrote something to read elsewhere: no gate passes on the
/// bytes of the program alone.
#[test]
fn what_captures_wrote_elsewhere_is_looked_at_before_a_gate_passes() {
    if !has(&["cc"]) {
        return;
    }
    let project = Project::new();
    project.write(
        "m.c",
        "#include <stdio.h>\nint main(void) { int n = 0; FILE *f = fopen(\"share/conf\", \"r\");\n\
         if (f) fscanf(f, \"%d\", &n); printf(\"steps %d\\n\", n); return 0; }\n",
    );
    for (name, steps) in [("base", 100), ("new", 200)] {
        let build = format!("mkdir -p bin share && cc -o bin/m m.c && echo {steps} > share/conf");
        project.done(&[
            "capture", name, "--image", "bin/m", "--", "sh", "-c", &build,
        ]);
    }
    let compare = |new: &str| {
        let metric = ["--metric", "stdout[steps,lower]:steps ([0-9]+)"];
        let gate = [
            "--require",
            "no-slower:1%",
            "--blocks",
            "3",
            "--rounds",
            "1",
        ];
        project.run(&[&["compare", "base", new], &metric[..], &gate, &["--", "{}"]].concat())
    };
    let said = compare("new");
    assert_eq!(said.code, Some(3), "{said:#?}");
    assert!(
        said.err.contains("share/conf, which the runs read"),
        "{}",
        said.err
    );
    let said = compare("base");
    assert_eq!(said.code, Some(0), "{said:#?}");
    assert!(said.out.contains("Nothing was measured"), "{}", said.out);
}

#[test]
fn builds_that_differ_in_debug_information_alone_are_not_measured() {
    let project = Project::new();
    project.write(
        "one.c",
        "#include <stdio.h>\nint main(void) { puts(\"1\"); return 0; }",
    );
    let folders = ["old", "new"].map(|name| fs::create_dir(project.path(name)));
    assert!(folders.iter().all(Result::is_ok));
    compiled(
        &project,
        &["-O1", "-o", "old/one", "one.c", "-Wl,--build-id=0x1234"],
    );
    compiled(
        &project,
        &[
            "-O1",
            "-g",
            "-o",
            "new/one",
            "one.c",
            "-Wl,--build-id=0x5678",
        ],
    );
    let said = project.done(&["compare", OLD, NEW, "--", "{}"]);
    assert!(said.out.contains("debug information"), "{}", said.out);
    // Another constant is another program.
    project.write(
        "one.c",
        "#include <stdio.h>\nint main(void) { puts(\"2\"); return 0; }",
    );
    compiled(
        &project,
        &[
            "-O1",
            "-g",
            "-o",
            "new/one",
            "one.c",
            "-Wl,--build-id=0x5678",
        ],
    );
    let said = project.run(&["compare", OLD, NEW, "--", "{}"]);
    assert_eq!(said.code, Some(3), "{said:#?}");
}

/// Nobody has measured anything, and a gate would pass: so it must be certain.
#[test]
fn the_same_bytes_by_another_name_or_beside_another_file_are_measured() {
    let project = Project::new();
    project.write(
        "one.c",
        "#include <stdio.h>\nint main(void) { puts(\"1\"); return 0; }",
    );
    let folders = ["old", "new"].map(|name| fs::create_dir(project.path(name)));
    assert!(folders.iter().all(Result::is_ok));
    compiled(&project, &["-O1", "-o", "old/one", "one.c"]);
    fs::copy(project.path("old/one"), project.path("new/one")).unwrap();
    fs::copy(project.path("old/one"), project.path("old/other")).unwrap();
    let measured = |new: &str| {
        let short = ["--blocks", "2", "--rounds", "2", "--skip", "instructions"];
        let said = project.done(&[&["compare", OLD, new], &short[..], &["--", "{}"]].concat());
        said.err.contains("do by their names") && said.out.contains("new/old")
    };
    assert!(measured("new=./old/other"));
    fs::remove_file(project.path("old/other")).unwrap();
    project.write("old/settings", "fast\n");
    assert!(measured(NEW));
    project.write("new/settings", "slow\n");
    assert!(measured(NEW));
    project.write("new/settings", "fast\n");
    assert!(!measured(NEW));
}

#[test]
fn the_same_program_may_load_something_else() {
    let project = Project::new();
    project.write(
        "one.c",
        "#include <dlfcn.h>\n#include <stdio.h>\nint main(void) { puts(dlopen(\"./none.so\", 1) ? \"1\" : \"0\"); return 0; }",
    );
    compiled(&project, &["-o", "old", "one.c", "-ldl"]);
    fs::copy(project.path("old"), project.path("new")).unwrap();
    let asked = [
        "--blocks",
        "2",
        "--rounds",
        "2",
        "--skip",
        "instructions",
        "--",
        "{}",
    ];
    let said = project.done(&[&["compare", "./old", "./new"], &asked[..]].concat());
    assert!(said.err.contains("only what they load"), "{}", said.err);
    assert!(said.out.contains("new/old"), "{}", said.out);
}
