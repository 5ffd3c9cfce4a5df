//! `proofmark sweep` on programs that know their own address: what is found is what was planted.

mod elsewhere;
mod within;

use std::fs;

use crate::support::{Project, has};
use serde_json::Value;

/// `work` takes its steps by bits 3 and 4 of its own address; `flat` tells of nothing, `never` is
/// never run, and `inlined` is no function of its own. `flat` has a copy, as compilers make them.
const SPECIMEN: &str = r#"
#include <stdio.h>
static volatile unsigned long sink;
__attribute__((noinline)) void never(void) { sink ^= 77; }
__attribute__((noinline)) unsigned long work(unsigned long steps) {
    unsigned long at = (unsigned long)&work;
    if (at & 16) steps += 20;
    if (at & 8) steps += 10;
    sink = steps;
    return steps;
}
__attribute__((noinline)) int flat(int a) { return a * 3 + 1; }
int flat_copy(int a) __asm__("flat.constprop.0");
int flat_copy(int a) { return a * 3 + 2; }
static inline int inlined(int a) { return a + 1; }
__attribute__((noinline)) static int step(int a) { return a * 5; }
int other(int);
int main(int argc, char **argv) {
    if (argc > 5) never();
    printf("sum %d\n", flat(argc) + inlined(argc) + step(argc) + other(argc));
    printf("steps %lu\n", work(100));
    (void)argv;
    return 0;
}
"#;
const OTHER: &str = "__attribute__((noinline)) static int step(int a) { return a * 7; }\nint other(int a) { return step(a); }\n";
const METRIC: &str = "stdout[steps,lower]:steps ([0-9]+)";

fn project() -> Project {
    let project = Project::new();
    project.write("spec.c", SPECIMEN);
    project.write("other.c", OTHER);
    project.done(&[
        "capture", "base", "--", "cc", "-O1", "-o", "spec", "spec.c", "other.c",
    ]);
    project
}

/// The sweep of a function by the steps that it says it took.
fn sweep<'a>(function: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut words = vec!["sweep", "base", "--function", function, "--metric", METRIC];
    words.extend(["--blocks", "2..2", "--seed", "5"]);
    words.extend(more);
    words.extend(["--", "{}"]);
    words
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

#[test]
fn the_map_shows_exactly_the_classes_that_were_planted() {
    if !has(&["cc"]) {
        return;
    }
    let project = project();
    let said = project.done(&sweep(
        "work",
        &["--step", "4", "--json", "--plot", "map.svg"],
    ));
    let found: Value = serde_json::from_str(&said.out).unwrap();
    let schema: Value = serde_json::from_str(&project.done(&["sweep", "--schema"]).out).unwrap();
    assert!(jsonschema::is_valid(&schema, &found));
    let steps = |address: u64| {
        let extra = if address & 16 == 0 { 0 } else { 20 } + if address & 8 == 0 { 0 } else { 10 };
        100.0 + f64::from(extra)
    };
    let shipped = found["as_shipped"].as_u64().unwrap();
    let addresses = found["addresses"].as_array().unwrap();
    assert_eq!(addresses.len(), 32);
    for address in addresses {
        let at = address["address"].as_u64().unwrap();
        let expected = steps(at) / steps(shipped);
        for bound in ["ratio", "low", "high"] {
            let off = number(&address[bound]) / expected - 1.0;
            assert!(off.abs() < 1e-9, "{at:#x} {bound}: {address}");
        }
    }
    let conclusion = &found["conclusion"];
    let range = &conclusion["range"];
    assert!((number(&range["found"]) - 1.3).abs() < 1e-9, "{range}");
    assert!(
        (number(&range["afresh"]["ratio"]) - 1.3).abs() < 1e-9,
        "{range}"
    );
    assert_eq!(conclusion["low_bits"]["bits"], serde_json::json!([3, 4]));
    assert!(number(&conclusion["low_bits"]["share"]) > 0.999);
    assert!(number(&conclusion["differ_p"]) <= 0.001);
    assert_eq!(found["is_run"], true);
    // Every run is there: of each address in two blocks, and of the extremes.
    let runs = found["blocks"].as_array().unwrap();
    let of_map = runs.iter().filter(|block| block["stage"] == "map");
    let images: usize = of_map
        .map(|block| block["addresses"].as_array().unwrap().len() - 1)
        .sum();
    assert_eq!(images, 64);
    let svg = fs::read_to_string(project.path("map.svg")).unwrap();
    assert!(svg.starts_with("<svg") && svg.contains("work of base"));

    let text = project
        .done(&["sweep", "--show", "latest", "--plot", "map.png"])
        .out;
    assert!(text.contains("bits 3 (of 8), 4 (of 16)"), "{text}");
    assert!(text.contains("30 % [30 %, 30 %]"), "{text}");
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
    assert_eq!(&fs::read(project.path("map.png")).unwrap()[1..4], b"PNG");
    let csv = project.done(&["sweep", "--show", "latest", "--csv"]).out;
    let rounds = csv.lines().filter(|line| line.contains(",anchor,")).count();
    assert!(
        rounds > 20 && csv.lines().count() > 64 * 2 + rounds,
        "{rounds}"
    );
    let list = project.done(&["report", "--list"]).out;
    assert!(
        list.contains("sweep of base") && list.contains("where it starts changes"),
        "{list}"
    );
    assert!(
        list.lines().all(|line| line.chars().count() <= 80),
        "{list}"
    );
    let coloured = project
        .done(&["--color", "always", "sweep", "--show", "latest"])
        .out;
    assert!(
        coloured.contains("\x1b[48;2;") || coloured.contains(";48;2;"),
        "{coloured}"
    );
}

#[test]
fn a_function_whose_address_does_not_matter_is_flat_and_one_that_is_never_run_is_named() {
    if !has(&["cc"]) {
        return;
    }
    let project = project();
    for (function, is_run) in [("flat", true), ("never", false)] {
        let said = project.done(&sweep(function, &["--range", "32", "--step", "4"]));
        assert!(
            said.out
                .contains("no difference between its 8 addresses beyond chance"),
            "{}",
            said.out
        );
        assert_eq!(
            said.out.contains("the benchmark never runs never"),
            !is_run,
            "{}",
            said.out
        );
        assert_eq!(
            said.out.contains("another copy of flat"),
            function == "flat",
            "{}",
            said.out
        );
    }
}

/// The shell makes nothing of how the program ends.
#[test]
fn a_function_in_which_a_trap_goes_unnoticed_is_run_all_the_same() {
    if !has(&["cc"]) {
        return;
    }
    let project = project();
    project.write("run.sh", "\"$1\" >/dev/null 2>&1; echo steps 5\n");
    for (function, is_run) in [("flat", true), ("never", false)] {
        let mut words = sweep(function, &["--range", "16", "--step", "8", "--json"]);
        words.truncate(words.len() - 1);
        words.extend(["sh", "run.sh", "{}"]);
        let found: Value = serde_json::from_str(&project.done(&words).out).unwrap();
        assert_eq!(found["is_run"], is_run, "{function}");
    }
}

#[test]
fn what_cannot_be_swept_is_refused_with_what_can_be_typed() {
    if !has(&["cc"]) {
        return;
    }
    let project = project();
    for (function, more, words) in [
        (
            "wrok",
            [].as_slice(),
            ["no function wrok", "work", "inspect"],
        ),
        (
            "inlined",
            &[],
            ["no function inlined", "inlined", "noinline"],
        ),
        ("wro*", &[], ["matches wro*", "another pattern", "inspect"]),
        (
            "wor*zz",
            &[],
            ["matches wor*zz", "there is work", "another pattern"],
        ),
        (
            "step",
            &[],
            [
                "2 functions are called step",
                "--function 'step at 0x",
                "moves all",
            ],
        ),
        (
            "printf",
            &[],
            ["printf is no function", "shared library", "--image"],
        ),
        (
            "_init",
            &[],
            ["_init cannot be moved", "no section of code", "system"],
        ),
        (
            "work",
            &["--step", "0"],
            ["a step of 0", "leads nowhere", "--step 1"],
        ),
        (
            "work",
            &["--range", "8", "--step", "8"],
            ["one start only", "--range", "--step"],
        ),
        (
            "work",
            &["--range", "9000000"],
            ["does not fit", "1048576", "--range 4096"],
        ),
        (
            "work",
            &["--at", "0x180"],
            ["two addresses", "one start", "--at 0x180,0x190"],
        ),
        ("work", &["--plot", "map.gif"], ["map.gif", ".svg", ".png"]),
        (
            "work",
            &["--plot", "nowhere/map.svg"],
            ["cannot draw", "no folder", "nowhere"],
        ),
        ("/(/", &[], ["regular expression", "(", "/"]),
    ] {
        let said = project.run(&sweep(function, more));
        assert_eq!(said.code, Some(2), "{function} {more:?}: {said:#?}");
        for word in words {
            assert!(
                said.err.contains(word),
                "{function} {more:?} {word}: {}",
                said.err
            );
        }
    }
    let said = project.run(&["sweep", "./spec", "--function", "work", "--", "{}"]);
    assert_eq!(said.code, Some(2), "{said:#?}");
    assert!(said.err.contains("was not captured"), "{}", said.err);
    let said = project.run(&["sweep", "--show", "ffff"]);
    assert_eq!(said.code, Some(2), "{said:#?}");
}

#[test]
fn addresses_that_are_asked_for_are_the_ones_that_are_measured() {
    if !has(&["cc"]) {
        return;
    }
    let project = project();
    let said = project.done(&sweep("step*", &["--at", "0x180,0x190,0x418", "--json"]));
    let found: Value = serde_json::from_str(&said.out).unwrap();
    let low: Vec<u64> = found["addresses"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["address"].as_u64().unwrap() % 4096)
        .collect();
    assert_eq!(low, [0x180, 0x190, 0x418]);
    assert_eq!(
        found["functions"].as_array().unwrap().len(),
        2,
        "both move together"
    );
}

/// The runs after the hundred and twentieth fail, until the file `go` is there: in proofmark's own
/// folder, where it is no input.
const STOPS: &str = "n=$(cat n 2>/dev/null || echo 0); echo $((n + 1)) > n; \
                     test $n -lt 120 -o -e .proofmark/go";

#[test]
fn a_sweep_that_was_stopped_goes_on_where_it_was() {
    if !has(&["cc"]) {
        return;
    }
    let project = project();
    let more = ["--range", "32", "--step", "8", "--prepare", STOPS];
    let stopped = project.run(&sweep("work", &more));
    assert_eq!(stopped.code, Some(3), "{stopped:#?}");
    let half = project.done(&["sweep", "--show", "latest"]);
    assert!(half.out.contains("interrupted after"), "{}", half.out);
    project.write(".proofmark/go", "");
    let whole = project.done(&sweep("work", &more));
    assert!(whole.err.contains("going on after block"), "{}", whole.err);
    assert!(whole.out.contains("30 % [30 %, 30 %]"), "{}", whole.out);
    let again = project.done(&sweep("work", &more));
    assert!(!again.err.contains("going on"), "{}", again.err);
    let short = project.run(&sweep("work", &["--budget", "1ms"]));
    assert_eq!(short.code, Some(2), "{short:#?}");
    assert!(short.err.contains("--budget"), "{}", short.err);
}

#[test]
fn output_that_depends_on_the_address_is_a_finding_and_both_images_are_kept() {
    if !has(&["cc"]) {
        return;
    }
    let project = Project::new();
    project.write(
        "spec.c",
        "#include <stdio.h>\n__attribute__((noinline)) int bit(void) \
         { return (unsigned long)&bit >> 4 & 1; }\n\
         int main(void) { printf(\"%d\\n\", bit()); return 0; }\n",
    );
    project.done(&["capture", "base", "--", "cc", "-O1", "-o", "spec", "spec.c"]);
    let said = project.run(&[
        "sweep",
        "base",
        "--function",
        "bit",
        "--step",
        "8",
        "--blocks",
        "2..2",
        "--",
        "{}",
    ]);
    assert_eq!(said.code, Some(3), "{said:#?}");
    assert!(said.err.contains("depends on where"), "{}", said.err);
    let kept: Vec<&str> = said
        .err
        .lines()
        .filter_map(|line| line.trim().strip_prefix("images: ").or(Some(line.trim())))
        .filter(|line| line.starts_with('/') && line.ends_with("spec"))
        .collect();
    assert_eq!(kept.len(), 2, "{}", said.err);
    for image in kept {
        assert!(fs::metadata(image).unwrap().len() > 1000, "{image}");
    }
}
