//! A project's file: what it means, and how it says what is wrong with it.

mod benchmarks;
mod cells;
mod ledger;
mod parts;
mod toolchains;

use std::path::Path;

use proofmark_project::{Project, ProjectError};

const FILE: &str = "/p/proofmark.toml";

/// The definitions that the documentation begins with.
const LUA: &str = r#"
[source.lua]
path = "lua"
build = "make CC={cc} MYCFLAGS='{flags}' linux"
image = "src/lua"
[toolchain.clang18]
provider = "pypi:ziglang==0.13.0.post1"
[toolchain.clang19]
command = "clang-19"
version = "19.1"
[flags.taildup]
add = "-mllvm -tail-dup-pred-size=5000"
only = "clang19"
[matrix]
toolchains = ["gcc12", "clang18", "clang19"]
flags = ["", "taildup"]
baselines = ["clang18", "gcc12", "clang19"]
"#;

fn read(text: &str) -> Result<Project, ProjectError> {
    Project::of_text(text, Path::new(FILE))
}

fn names(project: &Project) -> Vec<&str> {
    project
        .cells
        .all
        .iter()
        .map(|cell| cell.name.as_str())
        .collect()
}

/// What is said about a file that is wrong, without its name.
fn said(text: &str) -> String {
    let error = read(text).expect_err("the file is wrong").to_string();
    error
        .strip_prefix(FILE)
        .expect("it begins with the file")
        .to_owned()
}

#[test]
fn a_claim_may_be_of_twice_as_fast_and_more() {
    let claim = |gain: &str| format!("{LUA}\n[claim]\nnew = \"clang19\"\nat_least = {gain}");
    for (gain, expected) in [
        ("\"5%\"", 0.05),
        ("0.05", 0.05),
        ("\"99.9%\"", 0.999),
        ("\"100%\"", 1.0),
        ("\"150 %\"", 1.5),
    ] {
        let project = read(&claim(gain)).unwrap();
        assert!(
            (project.claims["claim"].at_least - expected).abs() < 1e-12,
            "{gain}"
        );
    }
    for (gain, told) in [
        ("1.5", "write \"150%\""),
        ("5", "write \"5%\""),
        ("\"-5%\"", "no sign"),
        ("\"inf%\"", "no more than"),
        ("\"nan%\"", "`nan%`"),
    ] {
        let refused = said(&claim(gain));
        assert!(refused.contains(told), "{gain}: {refused}");
    }
}

/// What is written in the place of something in [`LUA`], and the beginning of what is said of it.
const MISTAKES: &[(&str, &str, &str)] = &[
    (
        "version =",
        "verson =",
        ":10:1: unknown key `verson`; did you mean `version`?",
    ),
    (
        "[toolchain.clang19]",
        "[toolchains.clang19]",
        ":8:2: unknown key `toolchains`; did you mean `toolchain`?",
    ),
    (
        "\"clang18\", \"gcc12\", \"clang19\"]\n",
        "\"clang17\"]\n",
        ":17:14: the baseline `clang17` is not in the matrix; did you mean",
    ),
    (
        "[\"\", \"taildup\"]",
        "[\"\", \"tailup\"]",
        ":16:14: there is no flag set `tailup`; did you mean `taildup`?",
    ),
    (
        "only = \"clang19\"",
        "only = \"clan19\"",
        ":13:1: there is no toolchain `clan19`; did you mean `clang19`?",
    ),
    // It means a compiler by itself, and none of this matrix.
    (
        "only = \"clang19\"",
        "only = \"clang-19\"",
        ":13:1: there is no toolchain `clang-19`; did you mean `clang19`?",
    ),
    (
        "only = \"clang19\"",
        "only = 19",
        ":13:8: invalid type: integer `19`, expected a name or a list of names",
    ),
    ("add = \"-mllvm", "add = \"'-mllvm", ":12:7: a quote in"),
    (
        "[flags.taildup]",
        "[flags.lua]",
        ":11:8: `lua` names a source and a flag set",
    ),
    (
        "[\"\", \"taildup\"]",
        "[\"\", \"\"]",
        ":14:2: the cell `gcc12` is in the matrix twice",
    ),
    ("path = \"lua\"", "path = \"lua", ":3:"),
    (
        "path = \"lua\"",
        "path = \"lua\"\nenv = { \"A=B\" = \"1\" }",
        ":4:1: `A=B` is no name of a variable",
    ),
    (
        "[flags.taildup]",
        "[flags.\"*\"]",
        ":11:8: `*` is no name for a flag set",
    ),
    (
        "[flags.taildup]",
        "[flags.--all]",
        ":11:8: `--all` is no name for a flag set",
    ),
    (
        "[flags.taildup]",
        "[flags.\"a/b\"]",
        ":11:8: `a/b` is no name for a flag set; `/` makes a path of a name in `compare`",
    ),
    (
        "[flags.taildup]",
        "[flags.\"march=native\"]",
        ":11:8: `march=native` is no name for a flag set; `=` ends a label in `compare`",
    ),
    // Compared as they are written: these would leave out nothing, and everything.
    (
        "only = \"clang19\"",
        "except = \"gcc-12\"",
        ":13:1: there is no toolchain `gcc-12`; did you mean `gcc12`?",
    ),
    (
        "only = \"clang19\"",
        "only = \"clang-19\"",
        ":13:1: there is no toolchain `clang-19`; did you mean `clang19`?",
    ),
    (
        "toolchains = [\"gcc12\", \"clang18\", \"clang19\"]\nflags",
        "toolchains = [\"gcc12\", \"clang18\"]\nflags",
        ":16:14: flag set `taildup` is for no toolchain of the matrix",
    ),
];

#[test]
fn what_is_wrong_is_named_with_its_place_and_the_nearest_name() {
    let with = |from: &str, to: &str| said(&LUA.replace(from, to));
    for (from, to, expected) in MISTAKES {
        let said = with(from, to);
        assert!(said.starts_with(expected), "{to}: {said}");
    }
}
