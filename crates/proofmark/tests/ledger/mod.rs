//! A ledger of ideas whose truth is known: the programs print fixed numbers.

#![expect(
    clippy::panic,
    reason = "a test that meets the unexpected should stop there and then"
)]

mod costs;
mod forged;
mod toy;
mod trees;

use crate::support::{Project, has};
use serde_json::Value;
use toy::{FILE, RAW, SHORT, TOY, figure, near, project, ran};

#[test]
fn a_ledger_from_ideas_to_a_confirmed_claim() {
    if !has(&["gcc"]) {
        return;
    }
    let project = project();
    let document = ran(&project, &["ledger", "run"]);
    let run = &document["entries"][0];
    for (of, idea, truth) in [
        ("null", "", 1.0),
        ("alone", "raw", 0.9),
        ("alone", "flag", 0.95),
        ("alone", "noise", 1.0),
        ("alone", "pays.c1", 1.0),
        // Held against raw, not against base.
        ("alone", "top", 0.97),
        ("whole", "", 0.72),
        ("added", "raw", 0.9),
        ("added", "flag", 1.0),
        ("added", "pays.c1", 0.8),
        ("left-out", "raw", 0.72 / 0.95),
        ("left-out", "flag", 1.0),
        ("left-out", "pays.c1", 0.8),
        ("interaction", "raw", 0.8 / 0.95),
        ("interaction", "flag", 1.0 / 0.95),
        ("interaction", "pays.c1", 0.8),
    ] {
        near(figure(run, [of, idea]), truth, &format!("{of} {idea}"));
    }
    // Gains are findings; what is none is none.
    let ideas = run["ideas"].as_array().unwrap();
    let found = ideas.iter().filter(|idea| idea["test"]["found"] == true);
    let found: Vec<&str> = found.map(|idea| idea["name"].as_str().unwrap()).collect();
    assert_eq!(found, ["raw", "flag", "top"], "{ideas:#?}");
    // By itself the compiler makes one program of both: they are one question.
    let twin = ideas.iter().find(|idea| idea["name"] == "pays.c1").unwrap();
    assert_eq!(twin["test"]["same_as"], "noise", "{twin:#}");
    assert_eq!(twin["test"]["number"], Value::Null, "{twin:#}");
    assert_eq!(document["budget"]["asked"], 4);
    assert_eq!(document["budget"]["findings"], 3);

    again(&project, &document);
    decided(&project);
    screened(&project);
    confirmed(&project);
    shown(&project);
    verified(&project);
}

/// The same command asks nothing again; with `--fresh` only what was not found is asked.
fn again(project: &Project, before: &Value) {
    let same = ran(project, &["ledger", "run"]);
    assert_eq!(&same, before);
    let fresh = ran(project, &["ledger", "run", "noise", "flag", "--fresh"]);
    assert_eq!(fresh["entries"].as_array().unwrap().len(), 2);
    assert_eq!(fresh["budget"]["asked"], 5, "{:#}", fresh["budget"]);
    assert_eq!(fresh["budget"]["findings"], 3);
    let left = |document: &Value| document["budget"]["left"].as_f64().unwrap();
    assert!(left(&fresh) < left(before));
}

fn decided(project: &Project) {
    let decide = [
        "ledger",
        "decide",
        "flag",
        "drop",
        "--because",
        "gone on the stack",
    ];
    project.done(&decide);
    let wrong = project.run(&["ledger", "decide", "flagg", "keep", "--because", "x"]);
    assert_eq!(wrong.code, Some(2), "{wrong:#?}");
    assert!(wrong.err.contains("did you mean `flag`?"), "{wrong:#?}");
    // A reason of two lines is one in a table.
    let lines = "no gain\nand no loss";
    project.done(&["ledger", "decide", "noise", "again", "--because", lines]);
    let show = ["ledger", "show", "--format", "markdown"];
    for shown in [project.done(&show[..2]).out, project.done(&show).out] {
        assert!(shown.contains("no gain; and no"), "{shown}");
        assert!(!shown.contains("\\n"), "{shown}");
    }
    // What was dropped and is in a stack is measured, and that is said.
    project.write("raw.patch", "none");
    let stopped = project.run(&["ledger", "run"]);
    project.write("raw.patch", RAW);
    for told in [
        "flag is measured all the same: it was dropped on 20",
        ", because gone on the stack, and stack ",
        " still holds it",
    ] {
        assert!(stopped.err.contains(told), "{told}: {stopped:#?}");
    }
}

/// A claim that holds, and one that does not; neither uses an old block.
fn confirmed(project: &Project) {
    let confirm = |name: &str, at_least: &str| {
        let mut all = vec!["confirm", name, "--at-least", at_least, "--blocks", "3..4"];
        all.extend(&SHORT[2..]);
        all.push("--json");
        let said = project.run(&all);
        (said.code, serde_json::from_str::<Value>(&said.out).unwrap())
    };
    let (code, holds) = confirm("raw", "8%");
    assert_eq!(code, Some(0));
    let entries = holds["entries"].as_array().unwrap();
    let [claimed, found] = &entries[entries.len() - 2..] else {
        panic!("{holds:#}");
    };
    assert_eq!([&claimed["kind"], &found["kind"]], ["claimed", "confirmed"]);
    assert_eq!(found["holds"], "yes");
    near(
        found["ratio"]["estimate"].as_f64().unwrap(),
        0.9,
        "confirmed",
    );
    assert_eq!(claimed["first"]["among"], 5);
    let (code, fails) = confirm("raw", "12%");
    assert_eq!(code, Some(1));
    let last = fails["entries"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(last["holds"], "no");
    assert_ne!(last["matrix"], found["matrix"]);

    // All of a stack, against base.
    let (_, whole) = confirm("all", "25%");
    let entries = whole["entries"].as_array().unwrap();
    let [claimed, found] = &entries[entries.len() - 2..] else {
        panic!("{whole:#}");
    };
    assert_eq!(claimed["idea"], "all");
    near(
        claimed["first"]["ratio"]["estimate"].as_f64().unwrap(),
        0.72,
        "the stack's first figure",
    );
    assert_eq!(found["holds"], "yes");
    let ratio = found["ratio"]["estimate"].as_f64().unwrap();
    near(ratio, 0.72, "the stack, confirmed");
}

fn shown(project: &Project) {
    let text = project.done(&["ledger", "show"]).out;
    for told in [
        "stack all: −28.0",
        "raw ",
        "drop",
        "because gone on the stack",
        "error budget: 5",
    ] {
        assert!(text.contains(told), "{told}: {text}");
    }
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
    let full = project.done(&["ledger", "show", "--full"]).out;
    assert!(
        full.contains("group micro") && full.contains("large"),
        "{full}"
    );
    let diary = project
        .done(&["ledger", "show", "--format", "markdown"])
        .out;
    for told in [
        "| idea | alone |",
        "## Diary",
        "flag **drop**: gone on the stack",
        "confirmed",
    ] {
        assert!(diary.contains(told), "{told}: {diary}");
    }
    let rows = project.done(&["ledger", "show", "--format", "csv"]).out;
    assert!(
        rows.lines()
            .any(|row| row.contains(",interaction,all,flag,suite,")),
        "{rows}"
    );
}

/// The idea that is a gain alone stays; those that are none leave at the first look.
fn screened(project: &Project) {
    let screen = [
        "ledger", "screen", "raw", "flag", "noise", "--blocks", "3..6",
    ];
    let all: Vec<&str> = screen
        .iter()
        .chain(&SHORT[2..])
        .copied()
        .chain(["--json"])
        .collect();
    let document: Value = serde_json::from_str(&project.done(&all).out).unwrap();
    let race = document["entries"]
        .as_array()
        .unwrap()
        .last()
        .unwrap()
        .clone();
    assert_eq!(race["kind"], "screened");
    let runners = race["runners"].as_array().unwrap();
    let stays = runners.iter().filter(|runner| runner["stays"] == true);
    assert_eq!(
        stays.map(|one| &one["idea"]).collect::<Vec<_>>(),
        ["raw"],
        "{race:#}"
    );
    assert!(
        runners.iter().all(|runner| runner["blocks"] == 3),
        "{race:#}"
    );
    // A race asks nothing of the budget.
    assert_eq!(document["budget"]["asked"], 5);
}

/// All of it comes out again from the samples.
fn verified(project: &Project) {
    let verified = project.done(&["verify", "--json"]).out;
    let verified: Value = serde_json::from_str(&verified).unwrap();
    let chains = verified["chains"].as_array().unwrap();
    let ledger = chains
        .iter()
        .find(|chain| chain["sort"] == "ledger")
        .unwrap();
    assert_eq!(ledger["finding"], "as-claimed", "{ledger:#}");
    forged::forged(project);
}

#[test]
fn a_patch_that_does_not_apply_is_told_before_anything_is_built() {
    if !has(&["gcc"]) {
        return;
    }
    let project = project();
    let text = FILE
        .replace("on = \"raw\"", "")
        .replace(r#""pays.c1"]"#, r#""top"]"#);
    project.write("proofmark.toml", &text);
    let said = project.run(&["ledger", "run", "top"]);
    assert_eq!(said.code, Some(2), "{said:#?}");
    for told in ["`top`, which is base with top", "top.patch", "toy.c"] {
        assert!(said.err.contains(told), "{told}: {said:#?}");
    }
    assert!(!project.path(".proofmark/evidence.db").exists());
}

/// A patch that goes back to what it was: the figures of the change between are not shown as its.
#[test]
fn going_back_to_an_earlier_change_shows_no_figures_of_another() {
    if !has(&["gcc"]) {
        return;
    }
    let project = project();
    let run = ["ledger", "run", "raw"];
    let write = |factor: &str| project.write("raw.patch", &RAW.replace("0.9;", factor));
    let of_another = || {
        let shown = project.done(&["ledger", "show", "--format", "markdown"]);
        shown.out.contains("| keep, of another change |")
    };
    for (factor, truth, decided) in [("0.9;", 0.9, false), ("0.8;", 0.8, true)] {
        write(factor);
        let document = ran(&project, &run);
        let entries = document["entries"].as_array().unwrap();
        let last = entries.iter().rfind(|entry| entry["kind"] == "measured");
        near(figure(last.unwrap(), ["alone", "raw"]), truth, factor);
        if !decided {
            project.done(&["ledger", "decide", "raw", "keep", "--because", "it pays"]);
        }
        assert_eq!(of_another(), decided, "{factor}");
    }
    write("0.9;");
    let back = project.run(&[&run[..], &SHORT].concat());
    assert_eq!((back.code, back.out.as_str()), (Some(2), ""), "{back:#?}");
    assert!(
        back.err.contains("`raw` was another change"),
        "{}",
        back.err
    );
    let fresh = ran(&project, &["ledger", "run", "raw", "--fresh"]);
    let last = fresh["entries"].as_array().unwrap().last().unwrap();
    near(figure(last, ["alone", "raw"]), 0.9, "again");
    assert!(!of_another());
    // And from the file that others get, beside the project.
    let id = fresh["id"].as_str().unwrap();
    project.done(&["bundle", id, "-o", "raw.pmb"]);
    let shown = project.done(&["ledger", "show", "--store", "raw.pmb"]);
    assert!(shown.out.contains("raw"), "{}", shown.out);
}

#[test]
fn an_idea_that_fails_a_gate_is_never_timed_and_asks_nothing() {
    if !has(&["gcc"]) {
        return;
    }
    let project = Project::new();
    std::fs::create_dir(project.path("toy")).unwrap();
    // Half of the time, and no answer for the empty work.
    let wrong = TOY.replace(
        "#ifdef FLAG",
        "#ifdef WRONG\n    time *= 0.5;\n    if (time == 0.0) return 1;\n#endif\n#ifdef FLAG",
    );
    project.write("toy/toy.c", &wrong);
    let file = FILE.split("[idea.raw]").next().unwrap();
    let more = "[idea.wrong]\ndefines = \"WRONG\"\n\n[gate.empty]\ncommand = \"{} 0\"\n";
    project.write("proofmark.toml", &format!("{file}{more}"));
    let arguments: Vec<&str> = ["ledger", "run"]
        .into_iter()
        .chain(SHORT)
        .chain(["--json"])
        .collect();
    let said = project.run(&arguments);
    assert_eq!(said.code, Some(1), "{said:#?}");
    assert!(
        said.err
            .contains("gate `empty` fails: ended with exit code 1"),
        "{}",
        said.err
    );
    let document: Value = serde_json::from_str(&said.out).unwrap();
    let run = &document["entries"][0];
    let builds = run["builds"].as_array().unwrap();
    let gates: Vec<&Value> = builds
        .iter()
        .map(|build| &build["gates"][0]["passed"])
        .collect();
    assert_eq!(gates, [true, true, false]);
    let mut figures = run["figures"].as_array().unwrap().iter();
    assert!(figures.all(|figure| figure["idea"] != "wrong"), "{run:#}");
    let shown = project.done(&["ledger", "show"]);
    assert!(shown.out.contains("failed"), "{}", shown.out);
    // Nor is it confirmed, or the winner of a race.
    let confirm = ["confirm", "wrong", "--at-least", "5%", "--blocks", "3..4"];
    let confirm = project.run(&[&confirm[..], &SHORT[2..]].concat());
    let screen = project.run(&[&["ledger", "screen", "wrong"], &SHORT[2..]].concat());
    for (said, told) in [
        (confirm, "`wrong` is not confirmed"),
        (screen, "gates leave fewer than two ideas to race"),
    ] {
        assert_eq!(said.code, Some(1), "{said:#?}");
        assert!(said.err.contains(told), "{said:#?}");
    }
    // The same again asks nothing.
    let again = project.run(&arguments);
    assert!(
        again.err.contains("nothing was measured and nothing asked"),
        "{}",
        again.err
    );
}
