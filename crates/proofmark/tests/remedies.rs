//! `proofmark explain --remedies` on a program whose hot functions know where they stand: what it
//! says it costs is how far they are apart, so that nothing is timed.

use std::fmt::Write as _;
use std::fs;

use crate::support::{Project, has};
use serde_json::Value;

const METRIC: &str = "stdout[steps,lower]:steps ([0-9]+)";

/// Functions stand where the source has them.
const ORDER: &str = "-fno-toplevel-reorder";

/// Eight hot functions with cold ones of some kilobytes between them, which are longer in `new`.
/// `cost` tells what the program says that it costs, by `far`: how many bytes the hot ones span.
fn project(cost: &str) -> Project {
    let project = Project::new();
    let mut source = "#include <stdio.h>\nstatic volatile unsigned long sink;\n".to_owned();
    let mut calls = String::new();
    for index in 0..8 {
        writeln!(
            source,
            "__attribute__((noinline)) unsigned long hot{index}(unsigned long s) \
             {{ for (int k = 0; k < 40000; k++) sink += k ^ {index}; return s + 1; }}\n\
             __attribute__((noinline)) void cold{index}(void) \
             {{ __asm__ volatile(\".skip \" LONG \", 0x90\"); }}"
        )
        .unwrap();
        write!(calls, "s = hot{index}(s); ").unwrap();
    }
    writeln!(
        source,
        "typedef unsigned long (*hot)(unsigned long);\n\
         int main(int c, char **v) {{\n\
         (void)v;\n\
         unsigned long s = 0, low = -1ul, high = 0;\n\
         hot all[] = {{hot0, hot1, hot2, hot3, hot4, hot5, hot6, hot7}};\n\
         if (c > 9) {{ cold0(); cold1(); cold2(); cold3(); cold4(); cold5(); cold6(); cold7(); }}\n\
         for (int r = 0; r < 20; r++) {{ {calls} }}\n\
         for (int i = 0; i < 8; i++) {{\n\
         unsigned long at = (unsigned long)all[i];\n\
         if (at < low) low = at;\n if (at > high) high = at;\n }}\n\
         unsigned long far = high - low;\n\
         {cost}\n return s == 0;\n}}"
    )
    .unwrap();
    project.write("spec.c", &source);
    for (name, long) in [("base", "2000"), ("new", "3000")] {
        let long = format!("-DLONG=\"{long}\"");
        project.done(&[
            "capture", name, "--", "cc", "-O1", ORDER, &long, "-o", "spec", "spec.c",
        ]);
    }
    project
}

fn explained(project: &Project) -> Value {
    let mut words = vec!["explain", "base", "new", "--metric", METRIC, "--seed", "5"];
    words.extend(["--blocks", "8", "--rounds", "2", "--skip", "instructions"]);
    words.extend(["--sampled-blocks", "4", "--sampled-runs", "1"]);
    words.extend(["--remedies", "--keep", "hot.txt", "--json", "--", "{}"]);
    let said = project.done(&words);
    let found: Value = serde_json::from_str(&said.out).unwrap();
    let schema: Value = serde_json::from_str(&project.done(&["explain", "--schema"]).out).unwrap();
    assert!(jsonschema::is_valid(&schema, &found));
    found["remedies"].clone()
}

fn tried<'a>(remedies: &'a Value, remedy: &str) -> &'a Value {
    let all = remedies["tried"].as_array().unwrap();
    all.iter().find(|one| one["remedy"] == remedy).unwrap()
}

#[test]
fn hot_functions_that_stand_apart_are_put_together_and_the_peak_does_not_come_back() {
    if !has(&["cc", "valgrind"]) {
        return;
    }
    let project = project("printf(\"steps %lu\\n\", far < 12000 ? 1000 : 1000 + far / 8);");
    let remedies = explained(&project);
    assert_eq!(remedies["of"], "new", "{remedies:#}");
    let together = tried(&remedies, "together");
    assert_eq!(together["outcome"], "compared", "{remedies:#}");
    // Seven cold functions of 3,000 bytes were between them; together they span some 700 bytes.
    let number = |of: &Value| of.as_f64().unwrap();
    let found = &together["found"];
    let shipped = number(&found["as_shipped"]["ratio"]);
    assert!((0.25..0.35).contains(&shipped), "{found:#}");
    assert!(number(&found["over_layouts"]["high"]) < 0.5, "{found:#}");
    // Close together they cost the same in each layout; apart they cost what the gaps make.
    assert!(number(&found["layout_spread"]["ratio"]) < 0.1, "{found:#}");
    let best = &remedies["best"];
    assert_eq!(best["name"], together["build"]["name"], "{best:#}");
    assert!(best["comparison"] != remedies["comparison"]);
    assert!((number(&best["found"]["as_shipped"]["ratio"]) - shipped).abs() < 1e-9);
    let mut hot: Vec<String> = fs::read_to_string(project.path("hot.txt"))
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect();
    hot.retain(|name| name.starts_with("hot"));
    hot.sort();
    let expected: Vec<String> = (0..8).map(|index| format!("hot{index}")).collect();
    assert_eq!(hot, expected);
    // It is a build like any other.
    let name = best["name"].as_str().unwrap();
    assert!(project.done(&["builds"]).out.contains(name));
    let text = project.done(&["explain", "--show", "latest"]).out;
    assert!(!text.contains("Remedies"), "{text}");
}

#[test]
fn where_nothing_helps_that_is_said() {
    if !has(&["cc", "valgrind"]) {
        return;
    }
    let project = project("printf(\"steps %lu\\n\", 1000 + far * 0);");
    let remedies = explained(&project);
    let words = remedies["words"].as_str().unwrap();
    assert!(words.contains("No remedy helps"), "{words}");
    assert!(remedies["best"].is_null(), "{remedies:#}");
    assert!(!project.path("hot.txt").exists());
}

#[test]
fn a_remedy_that_breaks_the_program_is_named_and_the_others_go_on() {
    if !has(&["cc", "valgrind"]) {
        return;
    }
    let project =
        project("printf(\"steps %lu\\n%s\\n\", 1000 + far / 8, far < 4000 ? \"close\" : \"far\");");
    let remedies = explained(&project);
    let together = tried(&remedies, "together");
    assert_eq!(together["outcome"], "broke", "{remedies:#}");
    let why = together["why"].as_str().unwrap();
    assert!(why.contains("close") || why.contains("print"), "{why}");
    assert_eq!(
        tried(&remedies, "aligned")["outcome"],
        "compared",
        "{remedies:#}"
    );
}
