//! Code moved within its function, and two starts against each other.

use serde_json::Value;

use super::number;
use crate::support::{Project, has};

/// `looped` takes its steps by bits 3 and 4 of where its loop is; `pair` by bit 4 of where it and
/// `other` start, taken together. `head` tells how far the loop is from the start.
const SPECIMEN: &str = r#"
#include <stdio.h>
static volatile unsigned long sink;
__attribute__((noinline)) unsigned long looped(unsigned long steps) {
    unsigned long n = sink, at = (unsigned long)&&here;
here:
    sink = n;
    if (++n < 3) goto here;
    if (at & 16) steps += 20;
    if (at & 8) steps += 10;
    return steps + EXTRA;
}
__attribute__((noinline)) unsigned long head(void) {
    unsigned long n = sink, at = (unsigned long)&&here;
here:
    sink = n;
    if (++n < 3 + EXTRA) goto here;
    return at - (unsigned long)&head;
}
__attribute__((noinline)) int other(int a) { return a * 3 + 1; }
__attribute__((noinline)) unsigned long pair(unsigned long steps) {
    return steps + ((unsigned long)&pair & 16) * 2 + ((unsigned long)&other & 16);
}
__attribute__((noinline)) unsigned long both(unsigned long steps) {
    return steps + (((unsigned long)&both ^ (unsigned long)&other) & 16);
}
int by_hand(int);
int main(int argc, char **argv) {
    printf("sum %d\n", other(argc) + by_hand(argc));
    printf("looped %lu\n", looped(100));
    printf("pair %lu\n", pair(100));
    printf("both %lu\n", both(100));
    printf("head %lu\n", head());
    (void)argv;
    return 0;
}
"#;
const BY_HAND: &str = "\t.section .text.by_hand,\"ax\"\n\t.globl by_hand\n\t.type by_hand,@function\n\
by_hand:\n\tmov %edi, %eax\n.L1:\n\tdec %eax\n\tjg .L1\n\tret\n\t.size by_hand, .-by_hand\n";

/// The specimen, and another build of it that does a little more.
fn project() -> Project {
    let project = Project::new();
    project.write("spec.c", SPECIMEN);
    project.write("hand.s", BY_HAND);
    for (name, extra) in [("base", "-DEXTRA=0"), ("new", "-DEXTRA=1")] {
        project.done(&[
            "capture",
            name,
            "--",
            "gcc",
            "-O1",
            "-falign-functions=16",
            "-falign-loops=16",
            extra,
            "-o",
            "spec",
            "spec.c",
            "hand.s",
        ]);
    }
    project
}

/// The sweep of a function by the number that stands behind a word.
fn sweep(project: &Project, function: &str, word: &str, more: &[&str]) -> Value {
    // A long name, so that the heads of maps are wide.
    let metric = format!("stdout[steps_as_printed,lower]:{word} ([0-9]+)");
    let mut words = vec!["sweep", "base", "--function", function, "--metric", &metric];
    words.extend([
        "--blocks",
        "2..2",
        "--seed",
        "5",
        "--json",
        "--allow-output-difference",
    ]);
    words.extend(more);
    words.extend(["--", "{}"]);
    serde_json::from_str(&project.done(&words).out).unwrap()
}

#[test]
fn code_is_moved_within_its_function_which_stays_where_it_was_shipped() {
    if !has(&["gcc"]) {
        return;
    }
    let project = project();
    let found = sweep(
        &project,
        "looped",
        "looped",
        &["--inside", "--range", "64", "--step", "8"],
    );
    let steps = |at: u64| {
        let extra = if at & 16 == 0 { 0 } else { 20 } + if at & 8 == 0 { 0 } else { 10 };
        100.0 + f64::from(extra)
    };
    let shipped = found["as_shipped"].as_u64().unwrap();
    let addresses = found["addresses"].as_array().unwrap();
    assert!((8..=9).contains(&addresses.len()), "{}", addresses.len());
    for address in addresses {
        let at = address["address"].as_u64().unwrap();
        let off = number(&address["ratio"]) / (steps(at) / steps(shipped)) - 1.0;
        assert!(off.abs() < 1e-9, "{at:#x}: {address}");
    }
    // A block has few addresses: some of the permutations within blocks change nothing.
    assert!(number(&found["conclusion"]["differ_p"]) <= 0.01);
    let inside = &found["inside"];
    assert_eq!(
        (&inside["is_head"], &inside["number"]),
        (&true.into(), &1.into())
    );
    // Padding goes from none to the widest, whatever there was as shipped.
    let at = |index: usize| addresses[index]["address"].as_u64().unwrap();
    let spread = at(addresses.len() - 1) - at(0);
    assert!((56..64).contains(&spread), "{spread}");
    let text = project.done(&["sweep", "--show", "latest"]).out;
    assert!(text.contains("looped: where its loop at +0x"), "{text}");
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
    // All else is where it was: what reads the starts of functions says the same.
    let flat = sweep(&project, "looped", "pair", &["--inside", "--step", "32"]);
    let ratios = flat["addresses"].as_array().unwrap().iter();
    assert!(
        ratios
            .map(|one| number(&one["ratio"]))
            .all(|ratio| ratio == 1.0)
    );
}

#[test]
fn two_starts_are_told_apart_by_what_each_does_alone_and_both_together() {
    if !has(&["gcc"]) {
        return;
    }
    let project = project();
    let shares = |function: &str, word: &str| {
        let found = sweep(
            &project,
            function,
            word,
            &["--against", "other", "--range", "64"],
        );
        let addresses = found["addresses"].as_array().unwrap();
        assert_eq!(addresses.len(), 16);
        assert_eq!(found["against"]["functions"][0]["name"], "other");
        let shipped = found["against"]["as_shipped"].as_u64().unwrap();
        assert!(addresses.iter().any(|one| {
            one["other"].as_u64() == Some(shipped) && one["address"] == found["as_shipped"]
        }));
        let parts = &found["conclusion"]["two_way"];
        ["first", "second", "both"].map(|part| number(&parts[part]["share"]))
    };
    let [first, second, both] = shares("pair", "pair");
    // On the scale of ln the two do not quite add up.
    assert!(
        first > 0.75 && second > 0.1 && both < 0.02,
        "{first} {second} {both}"
    );
    let [first, second, both] = shares("both", "both");
    assert!(
        first < 0.01 && second < 0.01 && both > 0.99,
        "{first} {second} {both}"
    );
    let text = project.done(&["sweep", "--show", "latest"]).out;
    assert!(
        text.contains("both against other: where they start changes"),
        "{text}"
    );
    assert!(text.contains("columns: the lowest twelve bits"), "{text}");
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
    let csv = project.done(&["sweep", "--show", "latest", "--csv"]).out;
    assert!(
        csv.lines().next().unwrap().contains("address,other,"),
        "{csv}"
    );
}

#[test]
fn what_cannot_be_moved_within_is_refused_with_the_next_step() {
    if !has(&["gcc"]) {
        return;
    }
    let project = project();
    for (more, words) in [
        (
            ["--function", "other", "--inside"].as_slice(),
            [
                "no loop and no branch target",
                "leave --inside out",
                "other",
            ],
        ),
        (
            &["--function", "looped", "--inside=99"],
            ["for padding", "1 at +0x", "--inside alone"],
        ),
        (
            &["--function", "by_hand", "--inside"],
            ["was not kept", "assembly by hand", "-fno-integrated-as"],
        ),
        (
            &["--function", "looped", "--function", "head", "--inside"],
            ["within one function", "2 are meant", "--function"],
        ),
        (
            &["--function", "pair", "--against", "pair"],
            [
                "pair cannot be moved",
                "moves with the others",
                "another one",
            ],
        ),
        (
            &["--function", "pair", "--against", "nothing"],
            ["no function nothing", "inspect", "lists"],
        ),
        (
            &["--function", "pair", "--against", "other", "--step", "1"],
            ["each against each", "16384", "4096"],
        ),
        (
            &["--function", "pair", "--against", "other", "--inside"],
            ["cannot be used with", "--against", "--inside"],
        ),
    ] {
        let mut words_of = vec!["sweep", "base"];
        words_of.extend(more);
        words_of.extend(["--", "{}"]);
        let said = project.run(&words_of);
        assert_eq!(said.code, Some(2), "{more:?}: {said:#?}");
        for word in words {
            assert!(said.err.contains(word), "{more:?} {word}: {}", said.err);
        }
    }
}

#[test]
fn layouts_inside_draw_where_code_is_within_functions_that_changed() {
    if !has(&["gcc"]) {
        return;
    }
    let project = project();
    let drawn = || -> Vec<f64> {
        let said = project.done(&[
            "compare",
            "base",
            "new",
            "--layouts",
            "inside",
            "--blocks",
            "4..4",
            "--rounds",
            "1",
            "--seed",
            "7",
            "--metric",
            "stdout[bytes,lower]:head ([0-9]+)",
            "--allow-output-difference",
            "--skip",
            "as-shipped,instructions",
            "--json",
            "--",
            "{}",
        ]);
        let found: Value = serde_json::from_str(&said.out).unwrap();
        assert_eq!(found["layouts"]["kind"], "inside");
        let id = found["id"].as_str().unwrap().to_owned();
        let csv = project.done(&["report", &id, "--format", "csv"]).out;
        let rows: Vec<Vec<&str>> = csv.lines().map(|row| row.split(',').collect()).collect();
        let at = |name: &str| rows[0].iter().position(|head| *head == name).unwrap();
        let (value, build) = (at("value"), at("build"));
        let of_new = rows[1..].iter().filter(|row| row[build] == "new");
        let mut values: Vec<f64> = of_new.map(|row| row[value].parse().unwrap()).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        values
    };
    let inside = drawn();
    assert!(inside.len() >= 3, "{inside:?}");
    let same = project.run(&[
        "compare",
        "base",
        "base",
        "--measure-equal",
        "--layouts",
        "inside",
        "--blocks",
        "8..8",
        "--",
        "{}",
    ]);
    assert_eq!(same.code, Some(2), "{same:#?}");
}
