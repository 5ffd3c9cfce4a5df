//! Executables that nobody captured, and the files that they share.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::{build, own_answers, views, with_library};
use crate::support::Project;

#[test]
fn executables_that_share_a_newer_library_are_not_compared() {
    let project = Project::new();
    with_library(&project);
    build(&project, "1");
    fs::copy(project.path("prog"), project.path("prog.old")).unwrap();
    let compare = || {
        project.run(&[
            "compare",
            "./prog.old",
            "./prog",
            "--blocks",
            "3",
            "--skip",
            "instructions",
            "--",
            "{}",
        ])
    };
    // Nothing has been made since: both are meant to load what is there.
    assert_eq!(compare().code, Some(0));
    build(&project, "2");
    let said = compare();
    assert_eq!(said.code, Some(3), "{said:#?}");
    assert!(
        said.err.contains("prog.old loads") && said.err.contains("libanswer.so"),
        "{said:#?}"
    );
}

/// A driver is no part of a library that it is given, whichever was made first.
#[test]
fn a_program_that_is_given_libraries_may_be_newer_than_they_are() {
    let project = Project::new();
    let cc = |source: &str, arguments: &[&str]| {
        project.write("made.c", source);
        let mut command = std::process::Command::new("cc");
        command
            .args(arguments)
            .arg("made.c")
            .current_dir(project.path(""));
        assert!(command.status().unwrap().success(), "{arguments:?}");
    };
    for (name, steps) in [("old", 100), ("new", 200)] {
        fs::create_dir(project.path(name)).unwrap();
        let library = format!("{name}/libwork.so");
        let source = format!("int steps(void) {{ return {steps}; }}\n");
        let shared = ["-shared", "-fPIC", "-Wl,-soname,libwork.so", "-o", &library];
        cc(&source, &shared);
    }
    let main = "#include <stdio.h>\nint steps(void);\n\
                int main(void) { printf(\"steps %d\\n\", steps()); return 0; }\n";
    cc(
        main,
        &["-Wl,--no-as-needed", "-o", "prog", "old/libwork.so"],
    );
    let said = project.done(&[
        "compare",
        "old/libwork.so",
        "new/libwork.so",
        "--blocks",
        "3",
        "--rounds",
        "1",
        "--env",
        "LD_PRELOAD={}",
        "--env",
        "LD_LIBRARY_PATH=old",
        "--metric",
        "stdout[steps,lower]:steps ([0-9]+)",
        "--skip",
        "instructions",
        "--",
        "./prog",
    ]);
    assert!(said.out.contains("2.0"), "{}", said.out);
}

/// Nor is a client that a script starts beside the program.
#[test]
fn a_program_that_the_command_names_may_be_newer_than_the_builds() {
    let project = Project::new();
    for (name, steps) in [("old", 100), ("new", 200), ("driver", 0)] {
        let print = if steps > 0 {
            format!("printf(\"steps {steps}\\n\");")
        } else {
            String::new()
        };
        let source = format!("#include <stdio.h>\nint main(void) {{ {print} return 0; }}\n");
        project.write("made.c", &source);
        project.compile("made.c", name);
    }
    let said = project.done(&[
        "compare",
        "./old",
        "./new",
        "--blocks",
        "3",
        "--rounds",
        "1",
        "--metric",
        "stdout[steps,lower]:steps ([0-9]+)",
        "--skip",
        "instructions",
        "--",
        "sh",
        "-c",
        "{} && ./driver",
    ]);
    assert!(said.out.contains("2.0"), "{}", said.out);
}

/// Each block has copies of its own, for which such a cache has nothing yet.
#[test]
fn a_cache_that_goes_by_the_number_of_the_program_s_file_is_warm() {
    if !views() {
        return;
    }
    let project = Project::new();
    fs::create_dir(project.path("cache")).unwrap();
    for (name, warm, cold) in [("old", 1000, 3000), ("new", 1500, 3500)] {
        let script = format!(
            "#!/bin/sh\nkept=cache/$(stat -c %i \"$0\")\n\
             if [ -e $kept ]; then echo v: {warm}; else >$kept; echo v: {cold}; fi\n"
        );
        project.write(name, &script);
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(project.path(name), mode).unwrap();
    }
    let metric = ["--metric", "stdout[x,lower]:v: ([0-9]+)", "--blocks", "3"];
    let more = ["--rounds", "2", "--json", "--", "{}"];
    let compared = |first: &[&str]| {
        let first = [&["compare", "./old", "./new"], first].concat();
        let said = project.run(&[&first[..], &metric, &more].concat());
        assert_eq!(said.code, Some(0), "{said:#?}");
        let found: serde_json::Value = serde_json::from_str(&said.out).unwrap();
        let ratio = &found["conclusion"]["comparisons"][0]["ratio"]["estimate"];
        (ratio.as_f64().unwrap(), found["warnings"].to_string())
    };
    let (cold, warnings) = compared(&["--prepare", "rm -f cache/*"]);
    assert!((cold - 3500.0 / 3000.0).abs() < 1e-9, "{cold}");
    assert!(
        !warnings.contains("\"state\""),
        "it is put back: {warnings}"
    );
    let (warm, warnings) = compared(&[]);
    assert!((warm - 1.5).abs() < 1e-9, "{warm}");
    assert!(warnings.contains("\"state\""), "{warnings}");
    // Where lines break depends on how long the folder's name is.
    let text = project.run(&["report"]).out;
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("first round is not"), "{text}");
}

/// What a program is called decides what it does, and executables run under their own names and in
/// their own folders.
#[test]
fn executables_keep_their_names_and_folders() {
    if !views() {
        return;
    }
    let project = Project::new();
    project.write(
        "name.c",
        "#include <stdio.h>
#include <string.h>
int main(int c, char **v) { char d[4096]; strcpy(d, v[0]); strcpy(strrchr(d, '/'), \"/data\");
    FILE *f = fopen(d, \"r\"); char s[9] = \"none\"; if (f) fscanf(f, \"%8s\", s); printf(\"%s %s\\n\", strrchr(v[0], '/') + 1, s); }
",
    );
    project.compile("name.c", "one");
    for (folder, name, data) in [("old", "quick", "a"), ("newer", "slow", "b")] {
        fs::create_dir(project.path(folder)).unwrap();
        fs::copy(project.path("one"), project.path(folder).join("one")).unwrap();
        std::os::unix::fs::symlink("one", project.path(folder).join(name)).unwrap();
        project.write(&format!("{folder}/data"), data);
    }
    let said = project.run(&[
        "compare",
        "old/quick",
        "newer/slow",
        "--measure-equal",
        "--blocks",
        "3",
        "--skip",
        "instructions",
        "--",
        "{}",
    ]);
    own_answers(&said, "quick a", "slow b");
}

#[test]
fn what_could_not_be_run_is_never_timed() {
    let project = Project::new();
    for (name, code) in [("gone", "127"), ("denied", "126")] {
        project.write("exits.c", &format!("int main(void) {{ return {code}; }}\n"));
        project.compile("exits.c", name);
        let path = format!("./{name}");
        let said = project.run(&[
            "compare",
            &path,
            &path,
            "--measure-equal",
            "--ignore-exit",
            "--blocks",
            "3",
            "--",
            "{}",
        ]);
        assert_eq!(said.code, Some(3), "{said:#?}");
        assert!(said.err.contains("could not be run"), "{said:#?}");
    }
}
