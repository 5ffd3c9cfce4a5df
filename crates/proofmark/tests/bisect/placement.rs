//! Ends that differ as shipped by where the linker put things, and what that says of commits.

use super::Bisected;
use crate::support::has;
use crate::support::repository::{PLACED, Repository, document};

#[test]
fn placement_is_no_commits_fault() {
    if !has(&["cc", "git"]) {
        return;
    }
    let repository = Repository::new();
    repository.write("main.c", PLACED);
    repository.write("value.c", "int value(void) { return 1; }\n");
    repository.write("extra.c", "int extra(int n) { return n; }\n");
    repository.commit("start");
    repository.write("README", "a remark\n");
    repository.commit("remark");
    // More than 16 bytes before `value`, and less than 256.
    let stores = "sink = n; sink = n + 1; ".repeat(4);
    let more = format!("volatile int sink;\nvoid more(int n) {{ {stores} }}\n");
    repository.write("main.c", &format!("{more}{PLACED}"));
    repository.commit("moved");
    let asked = ["--good", "start", "--bad", "moved", "--layouts", "matched"];
    let found = document(&repository.measured(&asked));
    assert_eq!(found["answer"], "placement", "{found:#}");
    let said = found["said"].as_str().unwrap();
    assert!(
        said.starts_with("placement; no commit is to blame: as shipped "),
        "{said}"
    );
    assert_eq!(found["ends"]["ratio"]["estimate"], 1.0);
    let found = document(&repository.measured(&[&asked[..], &["--as-shipped"]].concat()));
    assert_eq!(found["answer"], "found", "{found:#}");
    assert_eq!(found["commits"][0]["id"], repository.name("moved"));
    // What is new there never runs.
    let new = &found["code"]["changed"][0];
    assert_eq!(
        (&new["name"], &new["runs"]),
        (&"more".into(), &false.into())
    );
}

/// The only change that matters puts words together. Matched layouts leave room between them where
/// the older end has a table, and would take it back.
#[test]
fn a_commit_that_moves_data_is_found_with_each_build_on_its_own() {
    if !has(&["cc", "git", "valgrind"]) {
        return;
    }
    let repository = Repository::new();
    let table = "char table[8192] = {1};";
    for (tag, data) in [
        ("start", format!("long a = 1; {table} long b = 2, c = 3;")),
        (
            "together",
            format!("long a = 1; long b = 2, c = 3; {table}"),
        ),
    ] {
        let text = format!(
            "#include <stdio.h>\n{data}\nint main(void) {{ long pages = (&b - &a) / 512; \
             printf(\"took %ld\\n\", 500 + table[0] + 100 * pages + c); }}\n"
        );
        repository.write("main.c", &text);
        repository.commit(tag);
        repository.write("README", tag);
        repository.commit(&format!("behind-{tag}"));
    }
    let build = "cc -O1 -fno-toplevel-reorder -fdata-sections -o prog main.c";
    let said = repository.built_by(build, &["--good", "start", "--bad", "behind-together"]);
    assert!(
        said.err.contains("each build laid out on its own"),
        "{said:#?}"
    );
    let found = document(&said);
    assert_eq!(found["answer"], "found", "{found:#}");
    assert_eq!(
        found["commits"][0]["id"],
        repository.name("together"),
        "{found:#}"
    );
    let effect = found["effect"]["ratio"]["estimate"].as_f64().unwrap();
    assert!((effect - 504.0 / 704.0).abs() < 1e-9, "{effect}");
    // Who asks for matched layouts gets them, and no commit is blamed.
    let matched = [
        "--good",
        "start",
        "--bad",
        "together",
        "--layouts",
        "matched",
    ];
    let said = repository.built_by(build, &matched);
    assert_eq!(said.code, Some(2), "{said:#?}");
    assert!(said.err.contains("--layouts independent"), "{said:#?}");
}
