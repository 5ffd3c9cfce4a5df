//! `proofmark bisect`: programs that print a number, so that nothing is timed, and scripts.

mod compiler;
mod over;
mod placement;
mod refused;
mod script;

use std::fs;

use crate::support::repository::{BUILD, DESIGN, FROM, MAIN, METRIC, Repository, document, extra};
use crate::support::{Said, has};
use serde_json::Value;

/// What is asked of a repository here.
trait Bisected {
    /// A file `state` with these words, commit by commit, each tagged with its word.
    fn states(&self, words: &[&str]);

    fn bisect(&self, arguments: &[&str]) -> Said;

    /// The same with a program that prints a number.
    fn measured(&self, arguments: &[&str]) -> Said;

    fn built_by(&self, build: &str, arguments: &[&str]) -> Said;

    /// What git makes of a log.
    fn replayed(&self, log: &str) -> String;
}

impl Bisected for Repository {
    fn states(&self, words: &[&str]) {
        for word in words {
            self.write("state", word);
            self.commit(word);
        }
    }

    fn bisect(&self, arguments: &[&str]) -> Said {
        let count = self.project.path("count");
        let set = [("COUNT", count.to_str().unwrap())];
        self.proofmark(&set, &[&["bisect"], arguments].concat())
    }

    fn measured(&self, arguments: &[&str]) -> Said {
        self.built_by(BUILD, arguments)
    }

    fn built_by(&self, build: &str, arguments: &[&str]) -> Said {
        let fixed = ["--build", build, "--json"];
        self.bisect(&[arguments, &fixed, &DESIGN, &METRIC, &["--", "{}"]].concat())
    }

    fn replayed(&self, log: &str) -> String {
        let said = self.git(&["bisect", "replay", log]);
        self.git(&["bisect", "reset"]);
        said
    }
}

/// What came of each commit that was tried, by its tag.
fn tried(document: &Value, repository: &Repository, tags: &[&str]) -> Vec<(String, String)> {
    let steps = document["steps"].as_array().unwrap();
    let pair = |step: &Value| {
        let name = step["commit"].as_str()?;
        let tag = tags.iter().find(|tag| repository.name(tag) == name)?;
        Some(((*tag).to_owned(), step["kind"].as_str()?.to_owned()))
    };
    steps.iter().filter_map(pair).collect()
}

#[test]
fn the_commit_is_found_and_known_when_asked_again() {
    if !has(&["cc", "git"]) {
        return;
    }
    let repository = Repository::new();
    repository.write("main.c", MAIN);
    repository.write("value.c", "int value(void) { return 100; }\n");
    repository.write("extra.c", &extra(0));
    repository.commit("start");
    repository.write("extra.c", &extra(4));
    repository.commit("other");
    repository.write("extra.c", "int extra(\n");
    repository.commit("broken");
    repository.write("extra.c", &extra(0));
    repository.write("README", "a remark\n");
    repository.commit("mended");
    repository.write("value.c", "int value(void) { return 103; }\n");
    repository.commit("slower");
    repository.write("extra.c", &extra(5));
    repository.commit("end");

    let log = repository.project.path("log");
    let log = log.to_str().unwrap();
    let found = document(&repository.measured(&["--good", "start", "--bad", "end", "--log", log]));
    assert_eq!(found["answer"], "found", "{found:#}");
    assert_eq!(
        found["commits"][0]["id"],
        repository.name("slower"),
        "{found:#}"
    );
    assert_eq!(found["files"], serde_json::json!(["M value.c"]));
    assert_eq!(found["code"]["changed"][0]["name"], "value");
    assert_eq!(found["code"]["changed"][0]["runs"], true);
    assert_eq!(found["effect"]["against"], repository.name("mended"));
    let effect = found["effect"]["ratio"]["estimate"].as_f64().unwrap();
    assert!((effect - 1.03).abs() < 1e-9, "{effect}");
    // The broken one is named, and a commit that changes no byte is not measured.
    let tags = ["other", "broken", "mended", "slower"];
    let expected = [
        ("broken", "skipped"),
        ("mended", "same-program"),
        ("slower", "measured"),
    ];
    let expected = expected.map(|(tag, kind)| (tag.to_owned(), kind.to_owned()));
    assert_eq!(tried(&found, &repository, &tags), expected);
    // git comes to the same end by the log.
    let replayed = repository.replayed(log);
    let name = repository.name("slower");
    assert!(
        replayed.contains(&format!("{name} is the first bad commit")),
        "{replayed}"
    );

    let again = repository.measured(&["--good", "start", "--bad", "end"]);
    assert!(again.err.contains("asked before"), "{again:#?}");
    assert!(!again.err.contains("pilot"), "{again:#?}");
    assert_eq!(document(&again), found);
    let shown = repository.bisect(&["--show", "latest"]);
    let begin = format!("{} made it higher (worse): ", &name[..12]);
    assert!(shown.out.starts_with(&begin), "{shown:#?}");
    assert!(
        shown.out.lines().all(|line| line.chars().count() <= 80),
        "{}",
        shown.out
    );
    let markdown = repository.bisect(&["--show", "latest", "--format", "markdown"]);
    assert!(
        markdown.out.starts_with(&format!("**{begin}")),
        "{markdown:#?}"
    );
}

#[test]
fn an_answer_is_of_the_files_that_runs_and_builds_read() {
    if !has(&["cc", "git"]) {
        return;
    }
    let repository = Repository::new();
    repository.write("main.c", FROM);
    repository.write("extra.c", &extra(0));
    for tag in ["c0", "c1", "c2"] {
        let of = format!("int value(void) {{ return {}; }}\n", &tag[1..]);
        repository.write("value.c", &of);
        repository.commit(tag);
    }
    let (read, built) = (
        repository.project.path("read"),
        repository.project.path("built"),
    );
    let build = format!("cc -O1 -DFROM=$(cat '{}') *.c -o prog", built.display());
    let ends = ["--good", "c0", "--bad", "c2"];
    let found = |words: &[&str]| {
        let fixed = ["--build", &build, "--repeat", "1", "--json"];
        let said =
            repository.bisect(&[&ends, &fixed[..], &DESIGN, &METRIC, &["--"], words].concat());
        (document(&said)["commits"][0]["id"].clone(), said)
    };
    for words in [&["{}", read.to_str().unwrap()][..], &["{}"]] {
        for (from, anew) in [(1, false), (2, true)] {
            fs::write(&read, from.to_string()).unwrap();
            fs::write(&built, from.to_string()).unwrap();
            let (id, said) = found(words);
            assert_eq!(id, repository.name(&format!("c{from}")), "{said:#?}");
            assert_eq!(said.err.contains("begins anew, for"), anew, "{said:#?}");
        }
    }
}

/// Both edges of a peak whose ends are alike.
#[test]
fn every_change_of_a_range_is_found() {
    if !has(&["cc", "git"]) {
        return;
    }
    let repository = Repository::new();
    repository.write("main.c", MAIN);
    for (value, more, tag) in [(100, 0, "start"), (110, 0, "up"), (100, 1, "down")] {
        let value = format!("int value(void) {{ return {value}; }}\n");
        repository.write("value.c", &value);
        repository.write("extra.c", &extra(more));
        repository.commit(tag);
    }
    let asked = [
        "--good",
        "start",
        "--bad",
        "down",
        "--all",
        "--layouts",
        "as-shipped",
    ];
    let found = document(&repository.measured(&asked));
    assert_eq!(found["answer"], "changes", "{found:#}");
    let survey = &found["survey"];
    let changes = survey["changes"].as_array().unwrap().iter();
    let changes: Vec<(&str, f64)> = changes
        .map(|change| {
            let effect = change["effect"]["ratio"]["estimate"].as_f64().unwrap();
            let name = change["commits"][0]["subject"].as_str().unwrap();
            (name, (effect * 1e6).round() / 1e6)
        })
        .collect();
    assert_eq!(changes, [("up", 1.1), ("down", 0.909_091)]);
    let files = &survey["changes"][0]["files"];
    assert_eq!(*files, serde_json::json!(["M value.c"]));
    assert_eq!(
        (&survey["unseen"], &survey["gradual"]),
        (&0.into(), &serde_json::json!([]))
    );
    let shown = repository.bisect(&["--show", "latest"]).out;
    assert!(shown.starts_with("2 changes: "), "{shown}");
    assert!(
        shown.lines().all(|line| line.chars().count() <= 80),
        "{shown}"
    );
    let svg = repository.project.path("bisection.svg");
    let plotted = repository.bisect(&["--show", "latest", "--plot", svg.to_str().unwrap()]);
    assert_eq!(plotted.code, Some(0), "{plotted:#?}");
    let svg = fs::read_to_string(svg).unwrap();
    for (tag, size) in [("up", "+10.0"), ("down", "−9.0")] {
        let name = &repository.name(tag)[..12];
        assert!(
            svg.contains(&format!("{name} {size}")),
            "no mark at {tag}: {svg}"
        );
    }
    assert_eq!(svg.matches("<circle").count(), 3, "{svg}");
    // Of the ends alone the peak is not seen, and that is said.
    let found = document(&repository.measured(&[&asked[..], &["--peaks", "1"]].concat()));
    assert_eq!(
        found["survey"]["changes"],
        serde_json::json!([]),
        "{found:#}"
    );
    assert_eq!(found["survey"]["unseen"], 1);
    let shown = repository.bisect(&["--show", "latest"]).out;
    assert!(
        shown.contains("at most a peak of 1 commit in a row"),
        "{shown}"
    );
    let none = repository.bisect(&["--good", "start", "--run", "true", "--plot", "x.svg"]);
    assert_eq!(none.code, Some(2), "{none:#?}");
    // A log is of a search for one.
    let log = repository.bisect(&["--show", "latest", "--log", "log"]);
    assert_eq!(log.code, Some(2), "{log:#?}");
}

/// The older end comes out the same, and what is blamed does not.
#[test]
fn a_build_that_comes_out_different_from_a_commit_on_is_told() {
    if !has(&["cc", "git"]) {
        return;
    }
    let repository = Repository::new();
    repository.write("main.c", MAIN);
    for (tag, value) in [("start", 100), ("slower", 103)] {
        repository.write("extra.c", &extra(value));
        repository.write(
            "value.c",
            &format!("int value(void) {{ return {value}; }}\n"),
        );
        if tag == "slower" {
            repository.write("draws", "");
        }
        repository.commit(tag);
    }
    let draw = "od -An -N4 -tu4 /dev/urandom";
    let build = format!(
        "if [ -e draws ]; then echo \"unsigned drawn = $({draw})u;\" >> extra.c; fi && {BUILD}"
    );
    let found = repository.built_by(&build, &["--good", "start", "--layouts", "as-shipped"]);
    assert_eq!(document(&found)["rebuilt"], "differs", "{found:#?}");
    let text = repository.bisect(&["--show", "latest"]).out;
    let text = text.split_whitespace().collect::<Vec<&str>>().join(" ");
    let blamed = format!(
        "two of {} came out different",
        &repository.name("slower")[..12]
    );
    assert!(text.contains(&blamed), "{blamed}: {text}");
}

#[test]
fn a_build_that_comes_out_different_each_time_is_told() {
    if !has(&["cc", "git"]) {
        return;
    }
    let repository = Repository::new();
    repository.write("main.c", MAIN);
    repository.write("extra.c", &extra(0));
    for (tag, value) in [("start", 100), ("slower", 103)] {
        repository.write(
            "value.c",
            &format!("int value(void) {{ return {value}; }}\n"),
        );
        repository.commit(tag);
    }
    let draw = "od -An -N4 -tu4 /dev/urandom";
    let build = format!("echo \"unsigned drawn = $({draw})u;\" >> extra.c && {BUILD}");
    let asked = ["--good", "start", "--layouts", "as-shipped"];
    let once = repository.built_by(&build, &asked);
    assert!(once.err.contains("came out different"), "{}", once.err);
    let once = document(&once);
    assert_eq!(
        (&once["repeat"], &once["rebuilt"]),
        (&1.into(), &"differs".into())
    );
    let text = repository.bisect(&["--show", "latest"]).out;
    let text = text.split_whitespace().collect::<Vec<&str>>().join(" ");
    assert!(text.contains("--repeat 4 has each block draw"), "{text}");
    assert!(text.contains("1.0300] as shipped; against"), "{text}");
    assert!(text.contains("placement was not varied"), "{text}");
    assert!(
        text.contains("as long as a rebuild alone changes nothing"),
        "{text}"
    );

    let often = repository.built_by(&build, &[&asked[..], &["--repeat", "2"]].concat());
    assert!(!often.err.contains("came out different"), "{}", often.err);
    let often = document(&often);
    assert_eq!(
        (&often["repeat"], &often["rebuilt"]),
        (&2.into(), &"differs".into())
    );
    assert_eq!(
        often["commits"][0]["id"],
        repository.name("slower"),
        "{often:#}"
    );
    // One of two of each commit is the build that was there before.
    let mut builds = repository.project.command(&["builds", "--json"]);
    let builds: Said = builds
        .current_dir(repository.folder())
        .output()
        .unwrap()
        .into();
    let builds = document(&builds);
    assert_eq!(builds["builds"].as_array().unwrap().len(), 4, "{builds:#}");
    let text = repository.bisect(&["--show", "latest"]).out;
    assert!(
        text.contains("2 of each, which differ at the older end"),
        "{text}"
    );
    assert!(!text.contains("a rebuild alone"), "{text}");
}
