//! Toolchains and flags in place of commits.

use std::fs;

use serde_json::Value;

use crate::support::repository::{DESIGN, document};
use crate::support::{Project, has};

/// Toolchains and sets of flags in place of commits: one compiler that is told another value.
#[test]
fn every_change_from_toolchain_to_toolchain_is_named() {
    if !has(&["gcc"]) {
        return;
    }
    let project = Project::new();
    fs::create_dir(project.path("prog")).unwrap();
    project.write(
        "prog/main.c",
        "#include <stdio.h>\nint main(void) { printf(\"took %d000000\\n\", VALUE); return 0; }\n",
    );
    let toolchain = |name: &str, flags: &str| {
        format!("[toolchain.{name}]\ncommand = \"gcc\"\nflags = \"{flags}\"\n")
    };
    let toolchains = [
        toolchain("old", "-DVALUE=100"),
        toolchain("mid", "-DVALUE=110"),
        toolchain("lost", "-DVALUE=nothing"),
        toolchain("new", "-DVALUE=100 -DOTHER"),
    ];
    let rest = r#"
[source.prog]
path = "prog"
build = "{cc} -O1 {flags} -c main.c && {cc} -no-pie -o prog main.o"
image = "prog"
[flags.dup]
add = "-UVALUE -DVALUE=120"
only = "mid"
[matrix]
flags = ["", "dup"]
[benchmark.number]
command = "{}"
metric = "stdout[steps,lower]:took ([0-9]+)"
"#;
    project.write("proofmark.toml", &(toolchains.concat() + rest));
    let fixed = [&["bisect", "--layouts", "as-shipped"], &DESIGN[..]].concat();
    let searched = |more: &[&str]| {
        let said = project.run(&[&fixed[..], more, &["--json"]].concat());
        document(&said)
    };
    let found = searched(&["--over", "toolchains", "--plot", "over.svg"]);
    assert_eq!(
        (&found["axis"], &found["answer"]),
        (&"toolchains".into(), &"changes".into())
    );
    let changes = |found: &Value| {
        let changes = found["survey"]["changes"].as_array().unwrap().clone();
        let one = |change: &Value| {
            let states = change["commits"].as_array().unwrap().iter();
            let states: Vec<&str> = states.map(|one| one["id"].as_str().unwrap()).collect();
            let size = change["effect"]["ratio"]["estimate"].as_f64().unwrap();
            (states.join(" "), (size * 1e6).round() / 1e6)
        };
        changes.iter().map(one).collect::<Vec<(String, f64)>>()
    };
    let expected = [("mid", 1.1), ("lost new", 0.909_091)];
    let expected = expected.map(|(name, size)| (name.to_owned(), size));
    assert_eq!(changes(&found), expected, "{found:#}");
    assert_eq!(found["survey"]["unseen"], 0);
    let svg = fs::read_to_string(project.path("over.svg")).unwrap();
    assert!(
        svg.contains("mid +10.0") && svg.contains("4 toolchains from old"),
        "{svg}"
    );
    let shown = project.done(&["bisect", "--show", "latest"]).out;
    assert!(shown.contains("new or the toolchain before it"), "{shown}");
    let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    let missed = "within 1 toolchain that could not be judged";
    assert!(words.contains(missed), "{shown}");
    assert!(shown.contains("\n  toolchain mid "), "{shown}");
    // Flags of one toolchain.
    let found = searched(&["--over", "flags", "--cell", "mid"]);
    assert_eq!(
        changes(&found),
        [("dup".to_owned(), 1.090_909)],
        "{found:#}"
    );
    assert_eq!(found["older"]["id"], "no flags");
    for (asked, code, expected) in [
        (
            &["--good", "mid", "--bad", "old"][..],
            2,
            "the other way round",
        ),
        (
            &["--good", "nothing"],
            2,
            "there is `old`, `mid`, `lost`, `new`",
        ),
        (&["--cell", "dup"], 2, "no two cells with the words `dup`"),
        (&["--bad", "lost"], 3, "`lost` is an end and has no build"),
        (&["--benchmark", "other"], 2, "there is `number`"),
    ] {
        let said = project.run(&[&fixed[..], &["--over", "toolchains"], asked].concat());
        assert_eq!(said.code, Some(code), "{asked:?}: {said:#?}");
        assert!(said.err.contains(expected), "{asked:?}: {said:#?}");
    }
}
