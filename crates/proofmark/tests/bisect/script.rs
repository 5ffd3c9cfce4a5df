//! A script judges, once for each commit, also where the command is killed or given twice.

use std::fs;

use super::Bisected as _;
use crate::support::repository::{Repository, document};
use crate::support::{Said, has};

/// A script as the judge, in a history with a merge.
#[test]
fn a_script_judges_by_its_exit_code() {
    if !has(&["git"]) {
        return;
    }
    let repository = Repository::new();
    repository.states(&["one", "two"]);
    repository.git(&["checkout", "--quiet", "-b", "side"]);
    repository.write("other", "");
    repository.commit("side-one");
    repository.write("new", "");
    repository.commit("side-two");
    repository.git(&["checkout", "--quiet", "main"]);
    repository.states(&["three", "four"]);
    repository.git(&["merge", "--quiet", "--no-ff", "--message", "merge", "side"]);
    repository.git(&["tag", "merged"]);
    repository.states(&["five", "six"]);
    let run = |script: &str, more: &[&str]| {
        let log = repository.project.path("log");
        let log = log.to_str().unwrap().to_owned();
        let fixed = ["--good", "one", "--bad", "six", "--json", "--log", &log];
        let said = repository.bisect(&[&fixed[..], &["--run", script], more].concat());
        (document(&said), log)
    };
    let (found, log) = run("! test -e new", &[]);
    assert_eq!(
        found["commits"][0]["id"],
        repository.name("side-two"),
        "{found:#}"
    );
    assert_eq!(found["files"], serde_json::json!(["A new"]));
    let name = repository.name("side-two");
    assert!(
        repository
            .replayed(&log)
            .contains(&format!("{name} is the first bad commit"))
    );
    // By first parents it is the merge, and git says so too.
    let (found, log) = run("! test -e new", &["--first-parent"]);
    assert_eq!(
        found["commits"][0]["id"],
        repository.name("merged"),
        "{found:#}"
    );
    let name = repository.name("merged");
    assert!(
        repository
            .replayed(&log)
            .contains(&format!("{name} is the first bad commit"))
    );
    // By first parents nothing leads to a commit that a merge brought in.
    let asked = [
        "--good",
        "side-one",
        "--bad",
        "six",
        "--first-parent",
        "--run",
        "true",
    ];
    let said = repository.bisect(&asked);
    assert_eq!(said.code, Some(2), "{said:#?}");
    let two = repository.name("two");
    assert!(
        said.err
            .contains(&format!("lead from `six` to {}", &two[..12])),
        "{said:#?}"
    );
    // What cannot be judged leaves a range.
    let script = "case $(cat state) in three|four) exit 125;; five|six) exit 3;; esac";
    let (found, _) = run(script, &["--first-parent"]);
    assert_eq!(found["answer"], "among", "{found:#}");
    let names = found["commits"].as_array().unwrap().iter();
    let names: Vec<&str> = names.map(|one| one["subject"].as_str().unwrap()).collect();
    assert_eq!(names, ["three", "four", "merge", "five"]);
    // The store that it made is no change of the repository's.
    assert_eq!(repository.git(&["status", "--porcelain"]), "");
}

#[test]
fn what_was_judged_is_not_judged_again() {
    if !has(&["git"]) {
        return;
    }
    let repository = Repository::new();
    let states = ["s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7"];
    repository.states(&states);
    // Fails in a way that ends a bisection until the file `mended` is there.
    let script = "s=$(cat state); echo $s >> \"$COUNT\"; test -e \"$COUNT.mended\" || [ $s != s4 ] || exit 127; case $s in s5|s6|s7) exit 1;; esac";
    let asked = ["--good", "s0", "--bad", "s7", "--json", "--run", script];
    let said = repository.bisect(&asked);
    assert_eq!(said.code, Some(3), "{said:#?}");
    assert!(said.err.contains("exit code 127"), "{said:#?}");
    let count = repository.project.path("count");
    let judged = || {
        fs::read_to_string(&count)
            .unwrap()
            .lines()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let before = judged();
    fs::write(repository.project.path("count.mended"), "").unwrap();
    let found = document(&repository.bisect(&asked));
    assert_eq!(found["commits"][0]["subject"], "s5");
    let after = judged();
    let again: Vec<&String> = after[before.len()..]
        .iter()
        .filter(|one| before.contains(one))
        .collect();
    assert_eq!(again, ["s4"], "{after:?}");
    document(&repository.bisect(&asked));
    assert_eq!(judged(), after);
}

#[test]
fn another_script_of_the_same_name_judges_anew() {
    if !has(&["git"]) {
        return;
    }
    let repository = Repository::new();
    repository.states(&["0", "1", "2", "3"]);
    let judge = repository.project.path("judge.sh");
    let run = format!("sh '{}'", judge.display());
    let asked = ["--good", "0", "--bad", "3", "--json", "--run", &run];
    for first_bad in ["2", "1"] {
        fs::write(&judge, format!("test $(cat state) -lt {first_bad}\n")).unwrap();
        let found = document(&repository.bisect(&asked));
        assert_eq!(found["commits"][0]["subject"], first_bad, "{found:#}");
    }
}

/// Killed in the middle of each of its steps in turn, it ends with the same answer, and judges no
/// commit again but the one that it was at.
#[test]
fn killed_at_every_step_it_ends_with_the_same_answer() {
    if !has(&["git"]) {
        return;
    }
    let repository = Repository::new();
    let states: Vec<String> = (0..20).map(|number| format!("k{number:02}")).collect();
    let words: Vec<&str> = states.iter().map(String::as_str).collect();
    repository.states(&words);
    // Kills the bisection the first time that it judges a commit.
    let script = "s=$(cat state); echo $s >> \"$COUNT\"; [ $(grep -c $s \"$COUNT\") -gt 1 ] || kill -9 $PPID; test ${s#k} -lt 13";
    let asked = ["--good", "k00", "--bad", "k19", "--json", "--run", script];
    let mut killed = 0;
    let found = loop {
        let said = repository.bisect(&asked);
        if said.code == Some(0) {
            break document(&said);
        }
        assert_eq!(said.code, None, "{said:#?}");
        killed += 1;
        assert!(killed < 20);
    };
    assert_eq!(found["commits"][0]["subject"], "k13", "{found:#}");
    let judged = fs::read_to_string(repository.project.path("count")).unwrap();
    let of = |state: &&String| judged.lines().filter(|line| line == state).count();
    // The ends are one step: the older one is judged again with the newer.
    assert_eq!(of(&&states[0]), 3);
    let twice = states[1..]
        .iter()
        .filter(|state| of(state) > 0)
        .map(|state| of(&state));
    assert!(
        twice.clone().count() >= 5 && { twice }.all(|times| times == 2),
        "{judged}"
    );
}

#[test]
fn two_at_once_are_refused() {
    if !has(&["git"]) {
        return;
    }
    let repository = Repository::new();
    repository.states(&["one", "two", "three"]);
    let go = repository.project.path("go");
    let script = format!(
        "touch {0}.begun; while ! test -e {0}; do sleep 0.05; done; grep -q one state",
        go.display()
    );
    let mut first = repository
        .project
        .command(&["bisect", "--good", "one", "--run", &script]);
    let first = first
        .current_dir(repository.folder())
        .env("XDG_CACHE_HOME", repository.project.path("cache"))
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let begun = repository.project.path("go.begun");
    while !begun.exists() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let second = repository.bisect(&["--good", "one", "--run", "true"]);
    fs::write(&go, "").unwrap();
    let first = Said::from(first.wait_with_output().unwrap());
    assert_eq!(first.code, Some(0), "{first:#?}");
    assert_eq!(second.code, Some(4), "{second:#?}");
    assert!(second.err.contains("process"), "{second:#?}");
}
