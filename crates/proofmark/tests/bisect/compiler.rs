//! The commits of a compiler, with one program: a compiler is a script that tells gcc a number.

use std::fs;

use crate::support::repository::{DESIGN, Repository, document};
use crate::support::{Said, has};

/// Adds a number to all that it compiles.
const DRIVER: &str = "#!/bin/sh\nexec gcc -DVALUE=@ \"$@\"\n";

const PROGRAM: &str =
    "#include <stdio.h>\nint main(void) { printf(\"took %d000000\\n\", VALUE); return 0; }\n";

/// Beside the compiler's repository.
const FILE: &str = r#"
[toolchain.mine]
source = "repository"
build = '''test -s value && mkdir bin && sed "s/@/$(cat value)/" driver >bin/mycc && chmod +x bin/mycc'''
command = "bin/mycc"

[source.prog]
path = "prog"
build = "{cc} -O1 -c main.c && {cc} -no-pie -o prog main.o"
image = "prog"

[benchmark.number]
command = "{}"
metric = "stdout[steps,lower]:took ([0-9]+)"
"#;

/// A compiler with a commit for each of these values.
fn compiler(values: &[(&str, &str)]) -> Repository {
    let repository = Repository::new();
    repository.write("driver", DRIVER);
    for (tag, value) in values {
        repository.write("value", value);
        repository.commit(tag);
    }
    let project = &repository.project;
    fs::create_dir(project.path("prog")).unwrap();
    project.write("prog/main.c", PROGRAM);
    project.write("proofmark.toml", FILE);
    repository
}

fn searched(repository: &Repository, more: &[&str]) -> Said {
    let fixed = ["bisect", "--toolchain", "mine", "--layouts", "as-shipped"];
    repository
        .project
        .run(&[&fixed[..], &DESIGN, more].concat())
}

#[test]
fn the_commit_of_a_compiler_is_found() {
    if !has(&["gcc", "git"]) {
        return;
    }
    let repository = compiler(&[
        ("one", "100"),
        ("lost", ""),
        ("three", "100 -DTHREE"),
        ("four", "110"),
    ]);
    let asked = ["--good", "one", "--json"];
    let found = document(&searched(&repository, &asked));
    assert_eq!(found["answer"], "found", "{found:#}");
    assert_eq!(found["commits"][0]["id"], repository.name("four"));
    assert_eq!(found["files"], serde_json::json!(["M value"]));
    assert_eq!(found["toolchain"], "mine");
    let size = found["effect"]["ratio"]["estimate"].as_f64().unwrap();
    assert!((size - 1.1).abs() < 1e-6, "{found:#}");
    let shown = repository.project.done(&["bisect", "--show", "latest"]).out;
    assert!(shown.contains("those of toolchain mine"), "{shown}");
    // Asked again it answers at once. Another program is another search.
    let again = document(&searched(&repository, &asked));
    assert_eq!(again["id"], found["id"]);
    repository.project.write("prog/main.c", "not C");
    let said = searched(&repository, &asked);
    assert_eq!(said.code, Some(3), "{said:#?}");
    // One that cannot be made says so.
    let said = searched(&repository, &["--good", "lost"]);
    assert_eq!(said.code, Some(3), "{said:#?}");
    assert!(
        said.err.contains("by the compiler of the older end"),
        "{said:#?}"
    );
    assert!(said.err.contains("its build failed"), "{said:#?}");
}

#[test]
fn what_is_no_search_of_a_compiler_is_refused() {
    if !has(&["git"]) {
        return;
    }
    let repository = compiler(&[("one", "100"), ("two", "110")]);
    let plain = FILE.replace(
        "[source",
        "[toolchain.gcc12]\ncommand = \"gcc-12\"\n[source",
    );
    repository.project.write("proofmark.toml", &plain);
    for (asked, expected) in [
        (
            &["--toolchain", "other", "--good", "one"][..],
            "there is no toolchain `other`",
        ),
        (
            &["--toolchain", "gcc12", "--good", "one"],
            "is not made from sources",
        ),
        (
            &["--toolchain", "mine", "--good", "two", "--bad", "one"],
            "the other way",
        ),
        (&["--toolchain", "mine", "--good", "nothing"], "nothing"),
        (
            &["--toolchain", "mine", "--good", "one", "--cell", "x"],
            "no cell of the project's",
        ),
        (
            &["--toolchain", "mine", "--over", "flags"],
            "cannot be used with",
        ),
        (&["--toolchain", "mine"], "--good"),
        (
            &[
                "--good", "one", "--build", "make", "--cell", "x", "--", "{}",
            ],
            "--over",
        ),
    ] {
        let said = repository.project.run(&[&["bisect"], asked].concat());
        assert_eq!(said.code, Some(2), "{asked:?}: {said:#?}");
        assert!(said.err.contains(expected), "{asked:?}: {said:#?}");
    }
}
