//! Commands that proofmark offers, taken from what it really prints and given to a shell as they
//! stand.

use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::support::{Project, Said, has};

/// The commands of proofmark in a text, each on a line of its own text: one that goes over two
/// lines cannot be pasted.
fn offered(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines() {
        for part in line.split("`proofmark ").skip(1) {
            assert!(part.contains('`'), "broken over two lines: {line}");
            found.extend(
                part.split('`')
                    .next()
                    .map(|rest| format!("proofmark {rest}")),
            );
        }
    }
    found
}

/// Gives every command that was offered to a shell and expects it to do something. `least` are
/// offered at least; words in capitals stand for what only the reader knows.
fn pasted(project: &Project, said: &Said, least: &[&str]) {
    let text = format!("{}\n{}", said.out, said.err);
    let offered = offered(&text);
    for one in least {
        assert!(offered.iter().any(|line| line == one), "{one}: {text}");
    }
    // A function and not another PATH, which is part of what builds of a matrix are known by.
    let program = env!("CARGO_BIN_EXE_proofmark");
    let named = format!("proofmark() {{ '{program}' \"$@\"; }}");
    for line in &offered {
        let is_blank =
            |word: &str| word.len() > 1 && word.chars().all(|c| c.is_uppercase() || c == '…');
        if line.split_whitespace().any(is_blank) || known_to_work(line) {
            continue;
        }
        let output = Command::new("sh")
            .args(["-c", &format!("{named}\n{line}")])
            .current_dir(project.path(""))
            .env("NO_COLOR", "1")
            .env_remove("PROOFMARK_DIR")
            .output();
        let said = Said::from(output.unwrap());
        assert_eq!(said.code, Some(0), "{line}: {said:#?}");
    }
}

/// Whether a command says the same in every project, and was tried already: `doctor` measures the
/// machine for seconds.
fn known_to_work(line: &str) -> bool {
    static TRIED: AtomicBool = AtomicBool::new(false);
    line == "proofmark doctor" && TRIED.swap(true, Ordering::Relaxed)
}

#[test]
fn hints_about_builds_can_be_pasted() {
    if !has(&["cc"]) {
        return;
    }
    let project = Project::new();
    let nothing = project.run(&["builds"]);
    pasted(&project, &nothing, &["proofmark capture NAME -- BUILD…"]);
    let nothing = project.run(&["report"]);
    pasted(&project, &nothing, &[]);
    project.capture("it's mine", 1000);
    let unknown = project.run(&["builds", "show", "it's mime"]);
    assert_eq!(unknown.code, Some(2), "{unknown:#?}");
    assert!(
        unknown.err.contains("there is \"it's mine\""),
        "{}",
        unknown.err
    );
    project.write(".proofmark/builds/half%20done.json", "{\"format\":1,");
    let damaged = project.run(&["builds", "show", "half done"]);
    assert_eq!(damaged.code, Some(5), "{damaged:#?}");
    let remove = "proofmark builds remove 'half done'";
    pasted(&project, &damaged, &[remove]);
    project.done(&["builds"]);
}

/// Most of its code is two functions in one section, which cannot be moved one by one. With
/// `-DFAST` it does next to nothing and nobody can see it; with `-DWRONG` it cannot be built.
const HELD: &str = r#"
asm(".text\n.type one, @function\none: ret\n.size one, .-one\n.type two, @function\ntwo: .fill 60000, 1, 0x90\nret\n.size two, .-two\n");
#ifdef WRONG
#error cannot be built
#endif
#ifdef FAST
#define TIMES 1000
#else
#define TIMES 60000000
#endif
int main(void) { for (volatile long i = 0; i < TIMES; i++) {} return 0; }
"#;

const FILE: &str = r#"
[source.held]
path = "held"
build = "{cc} -O1 {flags} -o held held.c"
image = "held"

[flags."it's"]
add = "-DFAST"

[flags.wrong]
add = "-DWRONG"

[toolchain.gcc]
command = "gcc"

[matrix]
flags = ["", "it's", "wrong"]

[benchmark.quiet]
command = "{}"

[benchmark.other]
command = "{} 1"

[claim]
new = "gcc it's"
"#;

fn matrix() -> Project {
    let project = Project::new();
    std::fs::create_dir(project.path("held")).unwrap();
    project.write("held/held.c", HELD);
    project.write("proofmark.toml", FILE);
    project
}

#[test]
fn hints_about_cells_can_be_pasted() {
    if !has(&["gcc"]) {
        return;
    }
    let project = matrix();
    let unbuilt = project.run(&["builds", "show", "it's gcc"]);
    assert_eq!(unbuilt.code, Some(2), "{unbuilt:#?}");
    let build = "proofmark matrix build --cell \"gcc it's\"";
    pasted(&project, &unbuilt, &[build]);
    // Nothing else was built.
    let listed = project.done(&["builds"]).out;
    assert_eq!(listed.lines().count(), 2, "{listed}");
    let shown = project.done(&["builds", "show", "gcc it's"]).out;
    assert!(shown.contains("executable"), "{shown}");

    let asked = [
        "matrix",
        "run",
        "--cell",
        "gcc *",
        "--benchmark",
        "quiet",
        "--blocks",
        "2",
        "--rounds",
        "2",
    ];
    let said = project.run(&asked);
    assert_eq!(said.code, Some(3), "{said:#?}");
    let text = said.out.replace("\n  ", " ");
    for told in [
        "did gcc it's do the work?",
        "can be moved, so that layouts vary little",
    ] {
        assert!(text.contains(told), "{told}: {text}");
    }
    assert!(
        said.err
            .contains("claim claim is not judged: it is about other too"),
        "{said:#?}"
    );
    pasted(&project, &said, &[]);
    assert!(said.out.contains("`proofmark builds show "), "{}", said.out);

    let plan = project.done(&["matrix", "plan"]);
    pasted(&project, &plan, &["proofmark matrix log 'gcc wrong'"]);
    let built = project.run(&["matrix", "build"]);
    pasted(&project, &built, &["proofmark matrix log 'gcc wrong'"]);
}

#[test]
fn hints_of_a_report_can_be_pasted() {
    let project = Project::new();
    for (name, took) in [("old", "73.1"), ("new", "87.9")] {
        project.write(name, &format!("#!/bin/sh\necho took {took}\n"));
        let status = Command::new("chmod")
            .arg("+x")
            .arg(project.path(name))
            .status();
        assert!(status.unwrap().success());
    }
    let said = project.done(&[
        "compare",
        "./old",
        "./new",
        "--metric=stdout[ms,lower]:took ([0-9.]+)",
        "--blocks",
        "2",
        "--rounds",
        "2",
        "--skip",
        "instructions",
        "--",
        "{}",
    ]);
    assert!(said.out.contains("prints this again"), "{}", said.out);
    pasted(&project, &said, &[]);
    let again = project.done(&["report"]);
    pasted(&project, &again, &[]);
}
