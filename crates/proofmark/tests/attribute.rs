//! `proofmark attribute` on a program of a hundred functions, one of which knows its own address:
//! that one is named, and none is where none matters. The program prints what it costs, so that
//! nothing is timed.

use std::fmt::Write as _;
use std::fs;

use crate::support::{Project, has};
use serde_json::Value;

const METRIC: &str = "stdout[steps,lower]:steps ([0-9]+)";

/// A hundred functions that take some time, of which number 41 says 4 % more in every second class
/// of 16 bytes, and number 7 says 1 % more in every second class of 32.
fn project(matters: bool) -> Project {
    let project = Project::new();
    let mut source = "#include <stdio.h>\nstatic volatile unsigned long sink;\n".to_owned();
    let mut calls = String::new();
    for index in 0..100 {
        let more = match (index, matters) {
            (41, true) => "if ((unsigned long)&f41 & 16) s += 400;",
            (7, true) => "if ((unsigned long)&f7 & 32) s += 100;",
            _ => "",
        };
        writeln!(
            source,
            "__attribute__((noinline)) unsigned long f{index}(unsigned long s) \
             {{ {more} for (int k = 0; k < 300; k++) sink += k ^ {index}; return s + 1; }}"
        )
        .unwrap();
        write!(calls, "s = f{index}(s); ").unwrap();
    }
    writeln!(
        source,
        "int main(void) {{ unsigned long s = 0; for (int r = 0; r < 40; r++) {{ s = 10000; {calls} }} printf(\"steps %lu\\n\", s); return 0; }}"
    )
    .unwrap();
    project.write("spec.c", &source);
    project.done(&["capture", "base", "--", "cc", "-O1", "-o", "spec", "spec.c"]);
    project
}

fn attribute<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let mut words = vec!["attribute", "base", "--metric", METRIC, "--seed", "5"];
    words.extend(["--screening", "2", "--blocks", "14", "--rounds", "1"]);
    words.extend(more);
    words.extend(["--", "{}"]);
    words
}

fn named(found: &Value) -> Vec<&str> {
    let parts = found["conclusion"]["functions"].as_array().unwrap();
    let named = parts.iter().filter(|part| part["named"] == true);
    named.map(|part| part["symbol"].as_str().unwrap()).collect()
}

#[test]
fn the_function_that_matters_is_named_among_a_hundred() {
    if !has(&["cc"]) {
        return;
    }
    let project = project(true);
    let more = [
        "--function",
        "/^f[0-9]+$/",
        "--json",
        "--plot",
        "shares.svg",
    ];
    let said = project.done(&attribute(&more));
    let found: Value = serde_json::from_str(&said.out).unwrap();
    let schema: Value =
        serde_json::from_str(&project.done(&["attribute", "--schema"]).out).unwrap();
    assert!(jsonschema::is_valid(&schema, &found));
    assert_eq!(found["functions"].as_array().unwrap().len(), 100);
    let conclusion = &found["conclusion"];
    let parts = conclusion["functions"].as_array().unwrap();
    assert_eq!(parts[0]["symbol"], "f41", "{conclusion:#}");
    assert!(!named(&found).is_empty());
    for name in named(&found) {
        assert!(["f41", "f7"].contains(&name), "{name}: {conclusion:#}");
    }
    // 400 and 100 in every second class: 16 parts of 17.
    let first = &parts[0]["first"];
    let [low, high] = ["low", "high"].map(|bound| first[bound].as_f64().unwrap());
    assert!(
        low <= 16.0 / 17.0 && high >= 16.0 / 17.0 && low > 0.5,
        "{first}"
    );
    let told = &parts[0]["by_feature"];
    assert_eq!(
        (&told["feature"], &told["explains"]),
        (&"start".into(), &true.into()),
        "{told:#}"
    );
    assert_eq!(told["modulus"], 32, "{told:#}");
    // The first layout of each group has the group's places, and no others, from A.
    let block = found["blocks"].as_array().unwrap().last().unwrap().clone();
    let functions = found["functions"].as_array().unwrap();
    let number = |name: &str| {
        functions
            .iter()
            .position(|one| one["symbol"] == name)
            .unwrap()
    };
    let (f41, f7) = (number("f41"), number("f7"));
    let at = |layout: usize, function: usize| block["starts"][layout][function].as_u64().unwrap();
    let steps = |from_41: usize, from_7: usize| {
        let extra = |start: u64, bit: u64, steps: f64| if start & bit == 0 { 0.0 } else { steps };
        10_100.0 + extra(at(from_41, f41), 16, 400.0) + extra(at(from_7, f7), 32, 100.0)
    };
    let values = block["values"][1][0].as_array().unwrap();
    assert_eq!(values[0].as_f64(), Some(steps(0, 0)));
    assert_eq!(values[1].as_f64(), Some(steps(1, 1)));
    let groups = block["groups"].as_array().unwrap();
    for (group, value) in groups.iter().zip(&values[2..]) {
        let keeps = |function: usize| usize::from(group[0].as_u64() != Some(function as u64));
        assert_eq!(
            value.as_f64(),
            Some(steps(keeps(f41), keeps(f7))),
            "{group}"
        );
    }
    let svg = fs::read_to_string(project.path("shares.svg")).unwrap();
    assert!(svg.starts_with("<svg") && svg.contains("f41") && svg.contains("all other functions"));

    let text = project
        .done(&["attribute", "--show", "latest", "--plot", "shares.png"])
        .out;
    assert!(text.contains("the place of f41 explains"), "{text}");
    assert!(text.contains("sweep base --function f41 -- '{}'"), "{text}");
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
    assert_eq!(&fs::read(project.path("shares.png")).unwrap()[1..4], b"PNG");
    let markdown = project
        .done(&["attribute", "--show", "latest", "--markdown"])
        .out;
    assert!(
        markdown.contains("| f41 |") && markdown.contains("<details>"),
        "{markdown}"
    );
}

#[test]
fn where_no_function_matters_none_is_named_and_hot_ones_are_found_by_samples() {
    if !has(&["cc"]) {
        return;
    }
    let project = project(false);
    let said = project.run(&attribute(&["--most", "6", "--json"]));
    if said.err.contains("cannot be sampled") {
        return;
    }
    let found: Value = serde_json::from_str(&said.out).unwrap();
    assert!(named(&found).is_empty(), "{}", said.out);
    assert_eq!(found["conclusion"]["spread"]["high"], 0.0);
    let functions = found["functions"].as_array().unwrap();
    assert!(
        functions.len() <= 6
            && functions
                .iter()
                .all(|one| one["samples"].as_u64() > Some(0))
    );
    assert!(
        found["sampled"]["total"].as_u64() > Some(100),
        "{}",
        found["sampled"]
    );
    let shown = ["attribute", "--show", "latest", "--plot", "none.svg"];
    let text = project.done(&shown).out;
    assert!(text.contains("do not differ beyond the noise"), "{text}");
    assert!(text.contains("14 blocks of single functions"), "{text}");
    let svg = fs::read_to_string(project.path("none.svg")).unwrap();
    assert!(svg.contains("do not differ beyond the noise"), "{svg}");
}

/// A comparison of the specimen with a build of it that has one more function.
fn compared(project: &Project, blocks: &str) {
    let source = fs::read_to_string(project.path("spec.c")).unwrap();
    let other = source.replace("int main", "int more(int a) { return a * 3; }\nint main");
    project.write("spec.c", &other);
    project.done(&["capture", "new", "--", "cc", "-O1", "-o", "spec", "spec.c"]);
    let asked = ["compare", "base", "new", "--metric", METRIC, "--seed", "3"];
    let design = [
        "--blocks",
        blocks,
        "--rounds",
        "2",
        "--allow-output-difference",
    ];
    let rest = ["--skip", "instructions", "--", "{}"];
    project.done(&[&asked[..], &design, &rest].concat());
}

#[test]
fn recorded_layouts_say_which_functions_are_measured() {
    if !has(&["cc"]) {
        return;
    }
    let project = project(true);
    compared(&project, "24..24");
    let again = |function: &str| -> Value {
        let words = ["attribute", "latest", "--function", function, "--seed", "5"];
        let design = ["--blocks", "14", "--rounds", "1", "--json"];
        serde_json::from_str(&project.done(&[&words[..], &design].concat()).out).unwrap()
    };
    let found = again("/^f(4[0-9]|[0-3])$/");
    let schema: Value =
        serde_json::from_str(&project.done(&["attribute", "--schema"]).out).unwrap();
    assert!(jsonschema::is_valid(&schema, &found));
    let screening = &found["screening"];
    assert_eq!(screening["layouts"], 24);
    assert_eq!(screening["symbols"].as_array().unwrap().len(), 14);
    assert_eq!(screening["places"][0]["symbol"], "f41", "{screening:#}");
    // What stood out was measured, and nothing else.
    assert_eq!(found["functions"].as_array().unwrap().len(), 1);
    assert_eq!(named(&found), ["f41"]);
    let text = project.done(&["attribute", "--show", "latest"]).out;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(line.contains("; nothing else stands out"), "{text}");
    let told = "14 functions started in each: f41 (chance";
    assert!(line.contains(told), "{text}");

    let found = again("/^f1[0-4]$/");
    assert_eq!(found["conclusion"]["stop"], "screened", "{found:#}");
    assert_eq!(
        (&found["blocks"], &found["functions"]),
        (&Value::Array(vec![]), &Value::Array(vec![]))
    );
    assert!(
        found["screening"]["needed"].as_u64() > Some(24),
        "{}",
        found["screening"]
    );
    let text = project.done(&["attribute", "--show", "latest"]).out;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(line.contains("cannot tell whose place carries"), "{text}");
    assert!(line.contains("attribute base -- '{}'"), "{text}");
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
}

#[test]
fn a_comparison_without_layouts_to_go_by_is_refused_with_the_next_step() {
    if !has(&["cc"]) {
        return;
    }
    let project = project(true);
    compared(&project, "2..2");
    let compare = |more: &[&str]| {
        let asked = [
            "compare", "base", "new", "--metric", METRIC, "--blocks", "2..2",
        ];
        let design = ["--rounds", "1", "--allow-output-difference"];
        project.done(&[&asked[..], &design, more, &["--", "{}"]].concat());
    };
    for (more, words, said) in [
        (
            &[][..],
            &["base"][..],
            ["no benchmark for the build base", "after --"],
        ),
        (
            &[],
            &["latest", "--of", "other"],
            ["no build other", "base, new"],
        ),
        (&[], &["ffff"], ["no experiment", "report --list"]),
        (
            &["--layouts", "as-shipped", "--skip", "instructions"],
            &["latest"],
            [
                "did not vary the placement",
                "next: compare captured builds",
            ],
        ),
        (
            &["--skip", "as-shipped,instructions"],
            &["latest", "--function", "f41"],
            ["beside the build as shipped", "without --skip as-shipped"],
        ),
    ] {
        if !more.is_empty() {
            compare(more);
        }
        let told = project.run(&[&["attribute"], words].concat());
        assert_eq!(told.code, Some(2), "{words:?}: {told:#?}");
        for word in said {
            assert!(told.err.contains(word), "{words:?} {word}: {}", told.err);
        }
    }
}

/// The runs after the hundred and twentieth fail, until the file `go` is there: in proofmark's own
/// folder, where it is no input.
const STOPS: &str = "n=$(cat n 2>/dev/null || echo 0); echo $((n + 1)) > n; \
                     test $n -lt 120 -o -e .proofmark/go";

#[test]
fn an_attribution_that_was_stopped_goes_on_where_it_was() {
    if !has(&["cc"]) {
        return;
    }
    let project = project(true);
    let more = [
        "--function",
        "f41",
        "--function",
        "f8",
        "--prepare",
        STOPS,
        "--blocks",
        "16",
        "--rounds",
        "2",
    ];
    let words = |more: &[&'static str]| -> Vec<&'static str> {
        let mut words = vec!["attribute", "base", "--metric", METRIC];
        words.extend(more);
        words.extend(["--", "{}"]);
        words
    };
    let stopped = project.run(&words(&more));
    assert_eq!(stopped.code, Some(3), "{stopped:#?}");
    let half = project.done(&["attribute", "--show", "latest"]);
    assert!(half.out.contains("interrupted after"), "{}", half.out);
    project.write(".proofmark/go", "");
    let whole = project.done(&words(&more));
    assert!(whole.err.contains("going on after block"), "{}", whole.err);
    assert!(
        whole.out.contains("the place of f41 explains"),
        "{}",
        whole.out
    );
    let short = project.run(&words(&["--function", "f41", "--budget", "1ms"]));
    assert_eq!(short.code, Some(2), "{short:#?}");
    assert!(short.err.contains("--budget"), "{}", short.err);
}

#[test]
fn what_cannot_be_attributed_is_refused_with_what_can_be_typed() {
    if !has(&["cc"]) {
        return;
    }
    let project = project(true);
    for (more, words) in [
        (
            ["--function", "wrok"].as_slice(),
            ["no function wrok", "inspect"],
        ),
        (&["--function", "_init"], ["_init", "no section of code"]),
        (&["--plot", "map.gif"], ["map.gif", ".png"]),
        (&["--blocks", "3"], ["--blocks", "8.."]),
    ] {
        let said = project.run(&[&["attribute", "base"], more, &["--", "{}"]].concat());
        assert_eq!(said.code, Some(2), "{more:?}: {said:#?}");
        for word in words {
            assert!(said.err.contains(word), "{more:?} {word}: {}", said.err);
        }
    }
    let said = project.run(&["attribute", "./spec", "--", "{}"]);
    assert_eq!(said.code, Some(2), "{said:#?}");
    assert!(said.err.contains("was not captured"), "{}", said.err);
    let said = project.run(&["attribute", "--show", "ffff"]);
    assert_eq!(said.code, Some(2), "{said:#?}");
}
