//! Two builds of which one was changed: what it has alone, and what moves.

use proofmark_layout::{LayoutSet, Matching};
use proofmark_terms::Population;

use super::{LINKERS, MAIN, OTHER, project};
use crate::support::{Link, Project, output, run, tools};

#[test]
fn data_that_only_one_build_has_may_come_first() {
    if !tools(&["gcc", "ld.lld-19", "ld.bfd", "ld.gold"]) {
        return;
    }
    const KINDS: &str = "_Thread_local int tNAME = 5; _Thread_local long zNAME[5]; int dNAME = 6; char bNAME[77]; const short rNAME[9] = {4}; int *const pNAME = &dNAME; \
        int useNAME(void) { return tNAME + (int)zNAME[0] + dNAME + bNAME[1] + rNAME[0] + *pNAME; }\n";
    let [first, second, third] = ["1", "2", "3"].map(|name| KINDS.replace("NAME", name));
    // Sections without content align what follows them all the same.
    let empty = ".data\n.balign 64\n.bss\n.balign 64\n.section .rodata\n.balign 64\n.section .note.GNU-stack,\"\",@progbits\n";
    let main = "#include <stdio.h>\nint use2(void); int use1(void) __attribute__((weak)); int main(void) { printf(\"%d %d\\n\", use2(), use1 ? use1() : 0); return 0; }\n";
    let project = Project::new(&[
        ("first.c", &first),
        ("second.c", &second),
        ("third.c", &third),
        ("empty.s", empty),
        ("main.c", main),
    ]);
    project.sh("gcc -O1 -fPIC -ffunction-sections -fdata-sections -c first.c second.c third.c empty.s main.c; sed s/1/4/g first.c > fourth.c; gcc -O1 -fPIC -ffunction-sections -fdata-sections -c fourth.c");
    for kind in LINKERS {
        for extra in ["", "-static", "-no-pie -Wl,--gc-sections"] {
            let arguments = [
                format!("second.o empty.o third.o main.o {extra}"),
                format!("first.o second.o empty.o fourth.o third.o main.o {extra}"),
            ];
            let mut expected = Vec::new();
            let recipes = arguments.each_ref().map(|arguments| {
                let recipe = project.link(&Link {
                    driver: "gcc",
                    kind,
                    arguments,
                });
                expected.push(output(&project.path("app")));
                recipe
            });
            let scratch = tempfile::tempdir().unwrap();
            let set = LayoutSet::prepare(
                &[&recipes[0], &recipes[1]],
                Matching::Matched,
                Population::Pad,
                scratch.path(),
            )
            .unwrap_or_else(|error| panic!("{kind} {extra}: {error}"));
            let images = [0, 1].map(|build| {
                set.link(build, 11, &scratch.path().join(format!("app{build}")))
                    .unwrap()
            });
            for (image, expected) in images.iter().zip(&expected) {
                assert_eq!(&output(&image.path), expected, "{kind} {extra}");
            }
            let promises = set.verify(&images).unwrap();
            let broken = promises.elsewhere.iter().any(|other| {
                other.what.starts_with("data in") && !other.what.contains(".data.rel.ro")
            });
            assert!(
                !broken && promises.shared_data >= 5,
                "{kind} {extra}: {promises:?}"
            );
        }
    }
}

#[test]
fn jitter_moves_what_changed_in_small_steps_and_nothing_else() {
    if !tools(&["gcc", "ld.lld-19", "ld.bfd", "ld.gold", "nm"]) {
        return;
    }
    let asked = "__attribute__((aligned(64))) int asked(int x) { return x * 2; }\n";
    let other = format!("{OTHER}{asked}");
    let project = project(MAIN, &other);
    let changed = other.replace("* 2", "* 3");
    std::fs::write(project.path("changed.c"), changed).unwrap();
    project.sh("gcc -O2 -ffunction-sections -c main.c changed.c src/other.c");
    for kind in LINKERS {
        let mut expected = Vec::new();
        let recipes = ["main.o other.o", "main.o changed.o"].map(|arguments| {
            let recipe = project.link(&Link {
                driver: "gcc",
                kind,
                arguments,
            });
            expected.push(output(&project.path("app")));
            recipe
        });
        let scratch = tempfile::tempdir().unwrap();
        let set = LayoutSet::prepare(
            &[&recipes[0], &recipes[1]],
            Matching::Jittered,
            Population::Pad,
            scratch.path(),
        )
        .unwrap();
        let mut starts = std::collections::BTreeSet::new();
        for seed in 0..6 {
            let images = [0, 1].map(|build| {
                set.link(build, seed, &scratch.path().join(format!("app{build}")))
                    .unwrap()
            });
            assert!(set.verify(&images).unwrap().shared_functions >= 4);
            for (image, expected) in images.iter().zip(&expected) {
                assert_eq!(&output(&image.path), expected, "{kind} {seed}");
            }
            let asked = address(&images[1].path, "asked");
            assert_eq!(asked % 64, 0, "{kind} {seed}: what is asked for is kept");
            let [base, new] =
                images.map(|image| ["other", "twice"].map(|name| address(&image.path, name)));
            assert_eq!(base, new, "{kind} {seed}");
            assert_eq!(
                base[1] % 16,
                0,
                "{kind} {seed}: what did not change keeps its alignment"
            );
            assert_eq!(base[0] % 2, 0, "{kind} {seed}: addresses are even");
            starts.insert(base[0] % 16);
        }
        assert!(starts.len() >= 3, "{kind}: {starts:?}");
    }
}

/// The address of a function.
fn address(image: &std::path::Path, function: &str) -> u64 {
    let listed = run(std::process::Command::new("nm").arg(image));
    let listed = String::from_utf8(listed).unwrap();
    let line = listed
        .lines()
        .find(|line| line.split_whitespace().nth(2) == Some(function))
        .unwrap();
    u64::from_str_radix(line.split_whitespace().next().unwrap(), 16).unwrap()
}
