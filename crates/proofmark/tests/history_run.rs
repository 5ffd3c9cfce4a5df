//! `proofmark history run`: programs that print a number, so that nothing is timed.

use std::fs;

use crate::support::repository::{
    BUILD, BUILD_SUMMED, DESIGN, MAIN, METRIC, PLACED, Repository, SUMMED, document, extra, summing,
};
use crate::support::{Said, has};
use serde_json::Value;

/// What is asked of a repository here.
pub(crate) trait Watched {
    fn history(&self, arguments: &[&str]) -> Said;

    fn history_with(&self, set: &[(&str, &str)], arguments: &[&str]) -> Said;

    /// `history run` with a program that prints a number.
    fn ran(&self, arguments: &[&str]) -> Said;

    fn measured(&self, action: &str, arguments: &[&str]) -> Said;

    /// The same with these variables set.
    fn with(&self, set: &[(&str, &str)], action: &str, arguments: &[&str]) -> Said;
}

impl Watched for Repository {
    fn history(&self, arguments: &[&str]) -> Said {
        self.history_with(&[], arguments)
    }

    fn history_with(&self, set: &[(&str, &str)], arguments: &[&str]) -> Said {
        self.proofmark(set, &[&["history"], arguments].concat())
    }

    fn ran(&self, arguments: &[&str]) -> Said {
        self.measured("run", arguments)
    }

    fn measured(&self, action: &str, arguments: &[&str]) -> Said {
        self.with(&[], action, arguments)
    }

    fn with(&self, set: &[(&str, &str)], action: &str, arguments: &[&str]) -> Said {
        let fixed = ["--build", BUILD, "--repeat", "1", "--json"];
        let run = [action, "--name", "number"];
        let words = [&run, arguments, &fixed, &DESIGN, &METRIC, &["--", "{}"]];
        self.history_with(set, &words.concat())
    }
}

/// The only line of the only series.
fn line(document: &Value) -> &Value {
    let series = document["series"].as_array().unwrap();
    assert_eq!(series.len(), 1, "{document:#}");
    let lines = series[0]["lines"].as_array().unwrap();
    assert_eq!(lines.len(), 1, "{document:#}");
    &lines[0]
}

pub(crate) fn value(of: u32) -> String {
    format!("int value(void) {{ return {of}; }}\n")
}

/// Nine commits: a change of 5 % at `c6`, and one that cannot be built behind it.
fn nine() -> Repository {
    let repository = Repository::new();
    repository.write("main.c", MAIN);
    repository.write("value.c", &value(100));
    for at in 0..9 {
        match at {
            6 => repository.write("value.c", &value(105)),
            7 => repository.write("extra.c", "int extra(\n"),
            _ => repository.write("extra.c", &extra(at)),
        }
        repository.commit(&format!("c{at}"));
    }
    repository
}

fn places(line: &Value) -> Vec<u64> {
    let points = line["points"].as_array().unwrap().iter();
    points
        .map(|point| point["place"].as_u64().unwrap())
        .collect()
}

#[test]
fn a_range_is_sampled_and_refined_until_the_change_is_one_commit() {
    if !has(&["cc", "git"]) {
        return;
    }
    let repository = nine();
    let asked = ["--rev", "c0..c8", "--every", "4"];
    let found = document(&repository.ran(&asked));
    let of = line(&found);
    let changes = of["changes"].as_array().unwrap();
    assert_eq!(changes.len(), 1, "{found:#}");
    assert_eq!(changes[0]["older"], repository.name("c5"), "{found:#}");
    assert_eq!(changes[0]["newer"], repository.name("c6"), "{found:#}");
    assert_eq!(changes[0]["kind"], "changed");
    assert_eq!(changes[0]["commits"], 1);
    let size = changes[0]["over_layouts"]["estimate"].as_f64().unwrap();
    assert!((size - 1.05).abs() < 1e-9, "{size}");
    // The rest was sampled.
    assert_eq!(places(of), [0, 4, 5, 6, 8]);

    // Asked again it answers from what there is, and so does `show`.
    let again = repository.ran(&asked);
    assert!(again.err.contains("measured before"), "{again:#?}");
    assert!(!again.err.contains("pilot"), "{again:#?}");
    assert_eq!(document(&again), found);
    let shown = repository.history(&["show", "number", "--json"]);
    assert_eq!(document(&shown), found);
    // The same with another variable is another line, and that is said.
    let other = repository.with(&[("BOUND", "9")], "run", &["--rev", "c0..c0"]);
    for said in [&other.err, &repository.history(&["show"]).out] {
        let said = said.split_whitespace().collect::<Vec<&str>>().join(" ");
        assert!(said.contains("the variable BOUND is new"), "{said}");
    }
    let lines = document(&other)["series"][0]["lines"].clone();
    assert_eq!(lines[0]["apart"], Value::Null);
    assert_eq!(lines[1]["apart"], "the variable BOUND is new");
    let text = repository.history(&["show"]);
    assert!(
        text.out.lines().all(|line| line.chars().count() <= 80),
        "{}",
        text.out
    );
    let name = &repository.name("c6")[..10];
    for part in [
        "over layouts  ▁▁▁██",
        "+5.00 % [+5.00, +5.00",
        "3 commits in a row without",
        name,
    ] {
        assert!(text.out.contains(part), "{part}: {}", text.out);
    }
    let markdown = repository.history(&["show", "--format", "markdown"]);
    assert!(markdown.out.starts_with("**number: "), "{markdown:#?}");
    let svg = repository.project.path("h.svg");
    let plotted = repository.history(&["show", "--plot", svg.to_str().unwrap()]);
    assert_eq!(plotted.code, Some(0), "{plotted:#?}");
    let svg = fs::read_to_string(svg).unwrap();
    assert!(svg.contains(&format!("{name} +5.0")), "no mark");
}

#[test]
fn an_anchor_overlaps_the_one_before_and_what_cannot_be_measured_is_named() {
    if !has(&["cc", "git"]) {
        return;
    }
    let repository = nine();
    repository.write("README", "a remark\n");
    repository.write("extra.c", &extra(8));
    repository.commit("c9");
    let asked = ["--rev", "c5..c9", "--every", "1", "--anchor-every", "1"];
    let found = document(&repository.ran(&asked));
    let of = line(&found);
    assert_eq!(places(of), [0, 1, 3, 4], "{found:#}");
    let skipped = of["skipped"].as_array().unwrap();
    assert_eq!(skipped.len(), 1);
    assert_eq!(skipped[0]["commit"], repository.name("c7"));
    assert_eq!(skipped[0]["why"], "not-built");
    let points = of["points"].as_array().unwrap();
    let anchors: Vec<&Value> = points.iter().map(|point| &point["anchor"]).collect();
    let name = |tag: &str| Value::from(repository.name(tag));
    // Each is the next one's anchor; that of the third is not the one that cannot be built. A
    // remark changes no byte of the program.
    let expected = [Value::Null, name("c5"), name("c6"), Value::Null];
    assert!(anchors.iter().copied().eq(&expected), "{found:#}");
    assert_eq!(points[3]["same_program_as"], name("c8"), "{found:#}");
    for point in &points[1..] {
        let value = point["over_layouts"].as_f64().unwrap();
        assert!((value - 1.05).abs() < 1e-9, "{value}");
    }
}

/// A CI that checks each commit: a change is reported at the first one that has it.
#[test]
fn an_alarm_is_confirmed_and_reported_once() {
    if !has(&["cc", "git"]) {
        return;
    }
    let repository = Repository::new();
    repository.write("main.c", MAIN);
    for (at, of) in [100, 100, 105, 105].into_iter().enumerate() {
        repository.write("value.c", &value(of));
        repository.write("extra.c", &extra(at));
        repository.commit(&format!("c{at}"));
    }
    let check = |rev: &str| {
        let asked = ["--rev", rev, "--fail-if", "slower:2%"];
        let said = repository.measured("check", &asked);
        let found: Value = serde_json::from_str(&said.out).unwrap_or_default();
        (said, found)
    };
    for rev in ["c0", "c1"] {
        let (said, found) = check(rev);
        assert_eq!(said.code, Some(0), "{said:#?}");
        assert_eq!(line(&found)["watch"]["alarm"], Value::Null, "{found:#}");
    }
    let (said, found) = check("c2");
    assert_eq!(said.code, Some(1), "{said:#?}");
    assert!(said.err.contains("--fail-if slower:2"), "{said:#?}");
    let alarm = &line(&found)["watch"]["alarm"];
    assert_eq!(alarm["kind"], "changed", "{found:#}");
    assert_eq!(alarm["older"], repository.name("c1"));
    assert_eq!(line(&found)["alarms"]["rose"], 1);
    // A job that is started again says the same, and measures nothing.
    let (again, same) = check("c2");
    assert_eq!((again.code, &same), (Some(1), &found), "{again:#?}");
    assert!(!again.err.contains("pilot"), "{again:#?}");
    // The next commit is on the new level.
    let (said, found) = check("c3");
    assert_eq!(said.code, Some(0), "{said:#?}");
    assert_eq!(line(&found)["watch"]["points"], 2, "{found:#}");
    let text = repository.history(&["show"]);
    for part in [
        "on one level with the 1 point before it",
        "1 alarm: 1 higher (worse) and 0",
    ] {
        assert!(text.out.contains(part), "{part}: {}", text.out);
    }
}

/// An alarm that nothing confirms or refutes is no level, and passes no job.
#[test]
fn an_alarm_that_cannot_be_compared_is_not_passed_over() {
    if !has(&["cc", "git"]) {
        return;
    }
    let repository = Repository::new();
    repository.write("main.c", MAIN);
    for (at, of) in [100, 100, 105].into_iter().enumerate() {
        repository.write("value.c", &value(of));
        repository.write("extra.c", &extra(at));
        repository.commit(&format!("c{at}"));
    }
    let gone = repository.project.path("gone");
    // From some day on the second commit cannot be built.
    let build = format!(
        "{BUILD} && ( ! test -e {} || ! grep -q '+ 1' extra.c )",
        gone.display()
    );
    let check = |rev: &str| {
        let measured = [&DESIGN[..], &METRIC, &["--layouts", "as-shipped"]].concat();
        let asked = ["check", "--rev", rev, "--build", &build];
        repository.history(&[&asked[..], &measured, &["--", "{}"]].concat())
    };
    for rev in ["c0", "c1"] {
        assert_eq!(check(rev).code, Some(0));
    }
    fs::write(&gone, "").unwrap();
    fs::remove_dir_all(repository.folder().join(".proofmark/builds")).unwrap();
    let said = check("c2");
    assert_eq!(said.code, Some(3), "{said:#?}");
    assert!(said.err.contains("could not be compared"), "{said:#?}");
    assert!(said.out.contains("off the level before it"), "{said:#?}");
}

/// Benchmarks and all else from the project's file: two series of one build.
#[test]
fn a_projects_file_has_several_benchmarks() {
    if !has(&["cc", "git"]) {
        return;
    }
    let repository = nine();
    let file = format!(
        r#"
[history]
build = "{BUILD}"
rev = "c3..c4"
every = 1
margin = "2%"
blocks = "2"
benchmarks = ["once", "sized"]
[benchmark.once]
command = "{{}}"
metric = "stdout[steps,lower]:took ([0-9]+)"
[benchmark.sized]
command = "{{}} {{N}}"
metric = "stdout[steps,lower]:took ([0-9]+)"
scale = "N"
values = [7]
[benchmark.other]
command = "{{}}"
"#
    );
    repository.project.write("proofmark.toml", &file);
    let fixed = ["run", "--rounds", "2", "--layouts", "as-shipped", "--json"];
    let fixed = [&fixed[..], &["--schedule", "interleaved"]].concat();
    let found = document(&repository.history(&fixed));
    let series = found["series"].as_array().unwrap();
    let names: Vec<&Value> = series.iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["once", "sized N=7"]);
    for one in series {
        assert_eq!(one["margin"], 0.02);
        let points = one["lines"][0]["points"].as_array().unwrap();
        assert_eq!(points.len(), 2, "{found:#}");
    }
    // It lies with the project's file.
    assert!(repository.project.path(".proofmark").is_dir());
    let said = repository.history(&["run", "--name", "other"]);
    assert_eq!(said.code, Some(2), "{said:#?}");
    assert!(said.err.contains("there is once, sized N=7"), "{said:#?}");
    // Without [history] the file's benchmarks are there all the same.
    let bare = &file[file.find("[benchmark.once]").unwrap()..];
    repository.project.write("proofmark.toml", bare);
    let asked = ["run", "--name", "nix", "--build", BUILD, "--rev", "c3..c4"];
    let said = repository.history(&asked);
    assert_eq!(said.code, Some(2), "{said:#?}");
    assert!(
        said.err.contains("there is once, sized N=7, other"),
        "{said:#?}"
    );
    let wrong = file.replace("\"sized\"]", "\"sizes\"]");
    repository.project.write("proofmark.toml", &wrong);
    let said = repository.history(&["run"]);
    assert_eq!(said.code, Some(2), "{said:#?}");
    assert!(said.err.contains("did you mean `sized`?"), "{said:#?}");
}

#[test]
fn a_build_that_comes_out_different_each_time_is_told() {
    if !has(&["cc", "git"]) {
        return;
    }
    let repository = nine();
    let draw = "od -An -N4 -tu4 /dev/urandom";
    let build = format!("echo \"unsigned drawn = $({draw})u;\" >> extra.c && {BUILD}");
    let ran = |more: &[&str]| {
        let asked = ["run", "--rev", "c4..c5", "--build", &build, "--json"];
        let rest = ["--layouts", "as-shipped", "--", "{}"];
        let words = [&asked[..], more, &DESIGN, &METRIC, &rest].concat();
        let found = document(&repository.history(&words));
        let text = repository.history(&["show"]).out;
        let text = text.split_whitespace().collect::<Vec<&str>>().join(" ");
        (found, text)
    };
    let (found, text) = ran(&[]);
    assert_eq!(line(&found)["rebuilt"], "differs", "{found:#}");
    assert!(
        text.contains("--repeat 4 has each block draw one"),
        "{text}"
    );
    // A series of several builds is another one.
    let (found, text) = ran(&["--repeat", "2"]);
    assert_eq!(found["series"][0]["repeat"], 2, "{found:#}");
    assert_eq!(line(&found)["rebuilt"], "differs", "{found:#}");
    assert!(text.contains("2 of each, which differ at"), "{text}");
}

#[test]
fn a_peak_that_is_there_as_shipped_alone_is_placement() {
    if !has(&["cc", "git"]) {
        return;
    }
    let repository = Repository::new();
    repository.write("value.c", "int value(void) { return 1; }\n");
    repository.write("extra.c", &extra(0));
    // More than 16 bytes before `value`, and less than 256.
    let stores = "sink = n; sink = n + 1; ".repeat(4);
    let more = format!("volatile int sink;\nvoid more(int n) {{ {stores} }}\n");
    for (tag, main) in [("before", ""), ("peak", &more), ("after", "")] {
        repository.write("main.c", &format!("{main}{PLACED}"));
        repository.write("README", tag);
        repository.commit(tag);
    }
    let asked = [
        "--rev",
        "before..after",
        "--every",
        "1",
        "--layouts",
        "matched",
    ];
    let found = document(&repository.ran(&asked));
    let changes = line(&found)["changes"].as_array().unwrap();
    let kinds: Vec<(&Value, &Value)> = changes
        .iter()
        .map(|change| (&change["newer"], &change["kind"]))
        .collect();
    let (peak, after) = (
        repository.name("peak").into(),
        repository.name("after").into(),
    );
    let placement = Value::from("placement");
    assert_eq!(
        kinds,
        [(&peak, &placement), (&after, &placement)],
        "{found:#}"
    );
    assert_eq!(changes[0]["over_layouts"]["estimate"], 1.0);
    assert!(changes[0]["as_shipped"]["estimate"] != 1.0);
    let text = repository.history(&["show"]);
    assert!(text.out.contains("placement"), "{}", text.out);
}

/// What only drawn images do is no level of a line.
#[test]
fn what_drawn_images_alone_do_is_no_change() {
    if !has(&["cc", "git", "valgrind"]) {
        return;
    }
    let repository = Repository::new();
    repository.write("main.c", SUMMED);
    repository.write("extra.c", &extra(0));
    for (tag, value, checks) in [
        ("start", 100, false),
        ("checks", 100, true),
        ("slower", 150, false),
    ] {
        repository.write("value.c", &summing(value, checks));
        repository.commit(tag);
    }
    let run = ["run", "--build", BUILD_SUMMED, "--repeat", "1", "--json"];
    let range = ["--rev", "start..slower", "--every", "1", "--seed", "1"];
    let words = [&run[..], &range, &DESIGN, &METRIC, &["--", "{}"]].concat();
    let found = document(&repository.history(&words));
    let of = line(&found);
    let skipped = of["skipped"].as_array().unwrap();
    assert_eq!(skipped.len(), 1, "{found:#}");
    assert_eq!(skipped[0]["commit"], repository.name("checks"), "{found:#}");
    let said = skipped[0]["said"].as_str().unwrap();
    assert!(said.contains("does other work in layouts"), "{said}");
    let changes = of["changes"].as_array().unwrap();
    assert_eq!(changes.len(), 1, "{found:#}");
    assert_eq!(changes[0]["newer"], repository.name("slower"), "{found:#}");
}
