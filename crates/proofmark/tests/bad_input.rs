//! Bad input: a clear error with the next step and the right exit code, nothing measured and
//! nothing lost.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;

use crate::support::{Project, Said, has};

/// A project with `well` and one build that behaves in another way.
fn behaving(how: &str) -> Project {
    let project = Project::new();
    project.compile("behave.c", "well");
    let source = format!("#define BEHAVE \"{how}\"\n#include \"behave.c\"\n");
    project.write("other.c", &source);
    project.compile("other.c", "other");
    project
}

fn compare(project: &Project, more: &[&str]) -> Said {
    let mut arguments = vec![
        "compare",
        "--measure-equal",
        "./well",
        "./other",
        "--blocks",
        "2",
        "--rounds",
        "2",
        "--skip",
        "instructions",
    ];
    arguments.extend(more);
    arguments.extend(["--", "{}"]);
    project.run(&arguments)
}

/// The command failed with this code and said all of these.
fn refused(said: &Said, code: i32, words: &[&str]) {
    assert_eq!(said.code, Some(code), "{said:#?}");
    for word in words {
        assert!(
            said.err.contains(word),
            "“{word}” is missing in: {}",
            said.err
        );
    }
    assert!(!said.err.contains("panicked"), "{}", said.err);
}

#[test]
fn a_build_that_does_not_exist_is_named() {
    let project = Project::new();
    refused(
        &project.run(&["compare", "nope", "nada", "--", "{}"]),
        2,
        &["nope", "proofmark capture"],
    );
    refused(
        &project.run(&["compare", "./nope", "./nada", "--", "{}"]),
        2,
        &["nope"],
    );
}

#[test]
fn a_near_miss_is_proposed() {
    let project = Project::new();
    project.capture("base", 1_000_000);
    refused(
        &project.run(&["compare", "bsae", "base", "--", "{}"]),
        2,
        &["base"],
    );
}

#[test]
fn a_command_must_run_the_image() {
    let project = behaving("well");
    refused(
        &project.run(&["compare", "./well", "./other", "--", "true"]),
        2,
        &["{}"],
    );
    refused(
        &project.run(&["compare", "./well", "./other"]),
        2,
        &["{}", "--"],
    );
    refused(
        &project.run(&["compare", "./well", "--", "{}"]),
        2,
        &["proofmark null"],
    );
}

#[test]
fn a_command_that_is_not_there_is_named() {
    let project = behaving("well");
    refused(
        &project.run(&[
            "compare",
            "./well",
            "./other",
            "--measure-equal",
            "--",
            "no-such-tool",
            "{}",
        ]),
        3,
        &["no-such-tool"],
    );
}

#[test]
fn a_run_that_fails_stops_the_comparison() {
    refused(
        &compare(&behaving("exits"), &[]),
        3,
        &[
            "other",
            "exited with 7",
            "free lunch",
            "--ignore-exit",
            "command:",
        ],
    );
    refused(
        &compare(&behaving("crashes"), &[]),
        3,
        &["other", "signal 11"],
    );
    refused(
        &compare(&behaving("hangs"), &["--timeout", "500ms"]),
        3,
        &["other", "--timeout"],
    );
    refused(
        &compare(&behaving("forks"), &[]),
        3,
        &["other", "left 1 process"],
    );
    refused(
        &compare(&behaving("differs"), &[]),
        3,
        &[
            "other",
            "forty-two",
            "six times nine",
            "--allow-output-difference",
        ],
    );
}

#[test]
fn what_was_allowed_goes_on() {
    assert_eq!(
        compare(
            &behaving("exits"),
            &["--ignore-exit", "--allow-output-difference"]
        )
        .code,
        Some(0)
    );
    assert_eq!(
        compare(&behaving("differs"), &["--allow-output-difference"]).code,
        Some(0)
    );
}

#[test]
fn the_command_of_a_failure_fails_again_when_it_is_pasted_into_a_shell() {
    let project = behaving("exits");
    let said = compare(&project, &[]);
    let command = said
        .err
        .lines()
        .find_map(|line| line.trim().strip_prefix("command: "))
        .unwrap();
    let again = std::process::Command::new("sh")
        .arg("-c")
        .arg(command)
        .output()
        .unwrap();
    assert_eq!(again.status.code(), Some(7), "{command}");
}

#[test]
fn runs_that_are_too_short_are_measured_with_a_word_of_warning() {
    let said = compare(&behaving("briefly"), &["--allow-output-difference"]);
    assert_eq!(said.code, Some(0), "{said:#?}");
    assert!(said.out.contains("more work"), "{}", said.out);
}

#[test]
fn limits_of_the_caller_are_no_end_without_a_word() {
    let project = behaving("briefly");
    let limited = |limit: &str| {
        let binary = env!("CARGO_BIN_EXE_proofmark");
        let command = format!(
            "ulimit {limit} && exec {binary} compare ./well ./other --blocks 2 --rounds 2 \
             --skip instructions --allow-output-difference -- {{}}"
        );
        let mut shell = std::process::Command::new("/bin/sh");
        let shell = shell.args(["-c", &command]);
        shell.current_dir(project.path(".")).output().unwrap()
    };
    let ended = limited("-s 64");
    assert!(ended.status.success(), "{ended:?}");
    let ended = limited("-f 1");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(4), "{said}");
    assert!(said.contains("cannot"), "{said}");
}

#[test]
fn a_file_that_cannot_be_run_is_refused_with_the_reason() {
    let project = behaving("well");
    project.write("text", "not a program\n");
    refused(
        &project.run(&["compare", "./well", "./text", "--", "{}"]),
        3,
        &["text"],
    );
    fs::set_permissions(project.path("other"), fs::Permissions::from_mode(0o644)).unwrap();
    project.write("empty", "");
    refused(
        &project.run(&["compare", "./well", "./empty", "--", "{}"]),
        3,
        &["empty"],
    );
    refused(
        &project.run(&["compare", "./well", ".", "--", "{}"]),
        2,
        &[". is a folder", "compare folders with folders"],
    );
}

#[test]
fn an_executable_that_was_not_captured_says_that_placement_was_not_controlled() {
    let said = compare(&behaving("well"), &[]);
    assert_eq!(said.code, Some(0), "{said:#?}");
    assert!(said.out.contains("proofmark capture"), "{}", said.out);
    let wanted = compare(&behaving("well"), &["--layouts", "matched"]);
    refused(&wanted, 2, &["capture"]);
}

#[test]
fn paths_with_spaces_and_bytes_that_are_no_text_work() {
    let project = behaving("well");
    let odd = project
        .path("")
        .join(std::ffi::OsStr::from_bytes(b"a b\xff"));
    fs::create_dir(&odd).unwrap();
    fs::copy(project.path("well"), odd.join("well")).unwrap();
    fs::copy(project.path("other"), odd.join("other")).unwrap();
    let said: Said = project
        .command(&[
            "compare",
            "./well",
            "./other",
            "--blocks",
            "2",
            "--rounds",
            "2",
            "--skip",
            "instructions",
            "--",
            "{}",
        ])
        .current_dir(&odd)
        .output()
        .unwrap()
        .into();
    assert_eq!(said.code, Some(0), "{said:#?}");
}

#[test]
fn a_store_that_is_damaged_is_named_and_left_alone() {
    let project = behaving("well");
    assert_eq!(compare(&project, &[]).code, Some(0));
    let store = project.path(".proofmark/evidence.db");
    let whole = fs::read(&store).unwrap();
    fs::write(&store, &whole[..whole.len() / 2]).unwrap();
    refused(&project.run(&["report"]), 5, &["damaged"]);
    fs::write(
        &store,
        b"something else altogether, and long enough to have a header of its own: not a database",
    )
    .unwrap();
    refused(&compare(&project, &[]), 5, &["evidence.db"]);
}

#[test]
fn a_build_that_fails_is_told_apart_from_one_that_makes_nothing() {
    let project = Project::new();
    refused(
        &project.run(&[
            "capture",
            "base",
            "--",
            "sh",
            "-c",
            "echo broken >&2; exit 3",
        ]),
        3,
        &["3"],
    );
    refused(
        &project.run(&["capture", "base", "--", "true"]),
        3,
        &["link"],
    );
    refused(
        &project.run(&["capture", "base", "--", "no-such-make"]),
        3,
        &["no-such-make"],
    );
    assert!(!project.done(&["builds"]).out.contains("base"));
}

#[test]
fn options_that_make_no_sense_are_refused_before_anything_runs() {
    let project = behaving("well");
    for wrong in [
        ["--blocks", "1..9"],
        ["--margin", "0"],
        ["--confidence", "1.5"],
        ["--metric", "speed"],
        ["--metric", "stdout[ms]:no group"],
        ["--seed", "x"],
        ["--schedule", "sliced:1ns"],
        ["--env", "novalue"],
        ["--budget", "soon"],
    ] {
        refused(&compare(&project, &wrong), 2, &[wrong[0]]);
    }
    assert!(!project.path(".proofmark").exists());
}

#[test]
fn a_damaged_build_is_named_and_the_others_are_listed() {
    if !has(&["cc"]) {
        return;
    }
    let project = Project::new();
    project.capture("base", 1000);
    project.write(".proofmark/builds/half%20done.json", "{\"format\":1,");
    let said = project.run(&["builds"]);
    assert_eq!(said.code, Some(5), "{said:#?}");
    assert!(said.out.contains("base"), "{}", said.out);
    assert!(
        said.err.contains("proofmark builds remove 'half done'"),
        "{}",
        said.err
    );
    let shown = project.done(&["builds", "show", "base"]);
    assert!(shown.out.contains("executable"), "{}", shown.out);
    project.done(&["builds", "remove", "half done"]);
    project.done(&["builds"]);
}

#[test]
fn of_several_images_the_one_that_the_other_build_has_is_taken() {
    if !has(&["cc"]) {
        return;
    }
    let project = Project::new();
    project.capture("base", 1000);
    let build = "rm -f *.o; mkdir -p bin old; cc -O2 -c work.c && cc -O2 -DBOUND=2000 -c bound.c && cc -o work work.o bound.o && cc -O1 -o old/other work.c bound.c";
    project.done(&["capture", "new", "--", "sh", "-c", build]);
    let summary = project.done(&["diff", "base", "new", "--summary"]);
    assert!(!summary.out.is_empty());
    // Without another build, what is listed can be typed, and so can the name alone.
    let refused = project.run(&["diff", "new", "new", "--summary"]);
    assert_eq!(refused.code, Some(2), "{refused:#?}");
    for name in ["work", "old/other"] {
        assert!(refused.err.contains(name), "{}", refused.err);
    }
    for name in ["work", "old/other", "other"] {
        project.done(&["diff", "new", "new", "--image", name, "--summary"]);
    }
    // The place where it lay is not a name of its own: two of one name are told apart by more of
    // the path.
    let twice = build.replace("old/other", "old/work");
    project.done(&[
        "capture", "new", "--image", "old/work", "--", "sh", "-c", &twice,
    ]);
    project.done(&["diff", "new", "new", "--image", "old/work", "--summary"]);
}
