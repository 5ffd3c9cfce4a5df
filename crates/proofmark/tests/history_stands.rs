//! Points of a history that are not of what there is now.

use std::fs;

use crate::history_run::{Watched as _, value};
use crate::support::has;
use crate::support::repository::{BUILD, DESIGN, FROM, MAIN, METRIC, Repository, extra};

#[test]
fn points_of_another_input_are_refused_by_name() {
    if !has(&["cc", "git"]) {
        return;
    }
    let repository = Repository::new();
    repository.write("main.c", FROM);
    repository.write("extra.c", &extra(0));
    for at in 0..2 {
        repository.write("value.c", &value(at));
        repository.commit(&format!("c{at}"));
    }
    let data = repository.project.path("data");
    let run = |action: &str, more: &[&str]| {
        let fixed = ["--build", BUILD, "--repeat", "1"];
        let command = ["--", "{}", data.to_str().unwrap()];
        let words = [&[action], more, &fixed, &DESIGN, &METRIC, &command];
        repository.history(&words.concat())
    };
    for (action, rev) in [("run", "c0..c1"), ("check", "c1")] {
        let asked = &["--rev", rev];
        fs::write(&data, "1").unwrap();
        let first = run(action, asked);
        assert_eq!(first.code, Some(0), "{first:#?}");
        fs::write(&data, "2").unwrap();
        let other = run(action, asked);
        assert!(other.err.contains("measured otherwise"), "{other:#?}");
    }
}

/// The number of a commit along first parents is another commit's after that.
#[test]
fn a_rewritten_history_is_refused_by_name() {
    if !has(&["cc", "git"]) {
        return;
    }
    let repository = Repository::new();
    repository.write("main.c", MAIN);
    repository.write("extra.c", &extra(0));
    for at in 0..2 {
        repository.write("value.c", &value(100 + at));
        repository.commit(&format!("c{at}"));
    }
    assert_eq!(repository.ran(&["--rev", "c0..c1"]).code, Some(0));
    repository.write("value.c", &value(150));
    repository.git(&["commit", "--all", "--amend", "--message", "amended"]);
    for (action, rev) in [("run", "c0..HEAD"), ("check", "HEAD"), ("add", "HEAD")] {
        let said = repository.measured(action, &["--rev", rev]);
        assert!(said.code != Some(0) && said.out.is_empty(), "{said:#?}");
        assert!(said.err.contains("(amended)"), "{said:#?}");
        assert!(said.err.contains("another line of commits"), "{said:#?}");
    }
    let new = repository.ran(&["--rev", "c0..HEAD", "--fresh"]);
    assert_eq!(new.code, Some(0), "{new:#?}");
}
