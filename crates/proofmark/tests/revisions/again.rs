//! Builds that come out different each time.

use serde_json::Value;

use super::{clean, inside, repository};
use crate::support::repository::DESIGN;
use crate::support::{Project, Said, has};

#[test]
fn a_rebuild_that_is_another_program_is_told_and_drawn_from_where_asked() {
    if !has(&["git"]) {
        return;
    }
    let project = repository();
    let compare = |build: &str, more: &[&str]| {
        let asked = ["compare", "--rev", "fast..slow", "--build", build, "--json"];
        let rest = [
            "--layouts",
            "as-shipped",
            "--skip",
            "instructions",
            "--",
            "{}",
        ];
        let said = asked_of(&project, &[&asked[..], &DESIGN, more, &rest].concat());
        assert_eq!(said.code, Some(0), "{said:#?}");
        let report: Value = serde_json::from_str(&said.out).unwrap();
        let warnings = report["warnings"].as_array().unwrap().iter();
        let told = warnings.filter(|each| each["code"] == "built-otherwise");
        let told = told.map(|each| each["found"].as_str().unwrap().to_owned());
        let kept = asked_of(&project, &["builds", "--json"]);
        let kept: Value = serde_json::from_str(&kept.out).unwrap();
        let made = kept["builds"].as_array().unwrap().len();
        (told.collect::<Vec<String>>(), made)
    };
    // The base is built twice, and comes out the same.
    let plain = "cc -O1 -c work.c && cc -O1 -c bound.c && cc -o work work.o bound.o";
    assert_eq!(compare(plain, &[]), (Vec::new(), 3));
    let draw = "echo \"unsigned drawn = $(od -An -N4 -tu4 /dev/urandom)u;\" >> bound.c";
    let build = format!("{draw} && {plain}");
    let (told, made) = compare(&build, &[]);
    assert_eq!(made, 6);
    assert!(
        matches!(&told[..], [one] if one.starts_with("fast: built once more")),
        "{told:#?}"
    );
    // One of two of each is the build that was there before, and the base was built twice.
    assert_eq!(compare(&build, &["--repeat", "2"]), (Vec::new(), 7));
    // One is trusted where that is asked for.
    let other = format!("true && {build}");
    assert_eq!(compare(&other, &["--repeat", "1"]), (Vec::new(), 9));
    clean(&project);
    let without = project.run(&["compare", "--repeat", "2", "a", "b", "--", "{}"]);
    assert_eq!(without.code, Some(2), "{without:#?}");
    assert!(without.err.contains("when it is captured"), "{without:#?}");
}

/// The command in the folder of the benchmark.
fn asked_of(project: &Project, words: &[&str]) -> Said {
    let mut command = project.command(words);
    let command = command
        .current_dir(inside(project, "bench"))
        .env("XDG_CACHE_HOME", project.path("cache"));
    command.output().unwrap().into()
}
