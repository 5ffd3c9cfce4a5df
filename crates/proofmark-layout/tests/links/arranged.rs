//! Links in which functions stand in another order or at other multiples of bytes: what `nm` says
//! of the image, and that the program is the same.

use std::path::Path;
use std::process::Command;

use proofmark_layout::{
    Arranged, Arrangement, Captured, LayoutError, LayoutSet, LinkerKind, Matching, Recipe,
    arranged, relink,
};
use proofmark_terms::Population;

use crate::support::{Link, Project, output, run, tools};

const MAIN: &str = r#"#include <stdio.h>
static __attribute__((noinline)) int twice(int a) { return a * 2 + 1; }
__attribute__((noinline)) int f0(int a) { return twice(a) + 1; }
__attribute__((noinline)) int f1(int a) { return f0(a) * 3; }
__attribute__((noinline)) int f2(int a) { return f1(a) ^ 5; }
__attribute__((noinline)) int f3(int a) { return f2(a) - 7; }
int g0(int), g1(int), g2(int);
int main(int c, char **v) { (void)v; printf("%d %d\n", f3(c), g2(c)); return g0(c) + g1(c) == 0; }
"#;
const OTHER: &str = r"static __attribute__((noinline)) int twice(int a) { return a * 2 + 3; }
__attribute__((noinline)) int g0(int a) { return twice(a) + 11; }
__attribute__((noinline)) int g1(int a) { return g0(a) * 13; }
__attribute__((noinline)) int g2(int a) { return g1(a) ^ 15; }
";
const LINKERS: [LinkerKind; 3] = [LinkerKind::Lld, LinkerKind::GnuLd, LinkerKind::Gold];

fn project() -> Project {
    let project = Project::new(&[("main.c", MAIN), ("other.c", OTHER)]);
    project.sh("gcc -O2 -ffunction-sections -fno-inline -c main.c other.c");
    // One of the two in an archive, whose copies are changed too.
    project.sh("ar rc libother.a other.o");
    project
}

fn linked(project: &Project, kind: LinkerKind) -> Recipe {
    project.link(&Link {
        driver: "gcc",
        kind,
        arguments: "main.o libother.a",
    })
}

/// Addresses of the program's own functions, in their order.
fn functions(image: &Path) -> Vec<(u64, String)> {
    let listed = String::from_utf8(run(Command::new("nm").arg(image))).unwrap();
    let known = ["twice", "f0", "f1", "f2", "f3", "g0", "g1", "g2", "main"];
    let mut found: Vec<(u64, String)> = listed
        .lines()
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            let address = u64::from_str_radix(words.next()?, 16).ok()?;
            let name = words.nth(1)?.to_owned();
            known.contains(&&*name).then_some((address, name))
        })
        .collect();
    found.sort();
    found
}

/// The arranged link's image, held against what the build prints, and its functions.
fn made(project: &Project, found: &Arranged, scratch: &Path) -> Vec<(u64, String)> {
    let image = scratch.join("image");
    relink(&found.recipe, &scratch.join("link"), &image).unwrap();
    assert_eq!(output(&image), output(&project.path("app")));
    functions(&image)
}

#[test]
fn hot_functions_stand_together_and_layouts_keep_their_order() {
    if !tools(&["gcc", "ar", "nm", "ld.lld-19", "ld.bfd", "ld.gold"]) {
        return;
    }
    let project = project();
    let hot = ["g1", "f2", "twice", "f0", "none"].map(str::to_owned);
    for kind in LINKERS {
        let recipe = linked(&project, kind);
        let scratch = tempfile::tempdir().unwrap();
        let inputs = scratch.path().join("inputs");
        let found = arranged(&recipe, Arrangement::Together(&hot), &inputs).unwrap();
        let by_name = kind == LinkerKind::Lld;
        // Two functions are called `twice`; an order file cannot tell them apart.
        let left: Vec<&str> = found.left.iter().map(|(name, _)| &**name).collect();
        assert_eq!(
            left,
            if by_name {
                vec!["twice", "none"]
            } else {
                vec!["none"]
            }
        );
        assert_eq!(found.functions, if by_name { 3 } else { 5 }, "{kind}");
        let list = found.kept.file.as_deref().unwrap();
        let expected = if by_name {
            "g1\nf2\nf0\n"
        } else {
            "g1\nf2\ntwice\nf0\n"
        };
        assert_eq!(list, expected, "{kind}");

        let all = made(&project, &found, scratch.path());
        let is_hot = |name: &str| hot.iter().any(|one| one == name) && !left.contains(&name);
        let places: Vec<usize> = (0..all.len()).filter(|at| is_hot(&all[*at].1)).collect();
        assert_eq!(places.len(), found.functions, "{kind}: {all:?}");
        let apart = places.windows(2).any(|two| two[1] != two[0] + 1);
        assert!(!apart, "{kind}: {all:?}");
        if by_name {
            let order: Vec<&str> = places.iter().map(|at| &*all[*at].1).collect();
            assert_eq!(order, ["g1", "f2", "f0"], "{all:?}");
        }

        // A layout with gaps keeps that order, and its image is held against the arranged one.
        let shipped = scratch.path().join("image");
        let captured = Captured {
            image: Some(&shipped),
            ..Captured::from(&found.recipe)
        };
        let set = LayoutSet::prepare(
            &[captured],
            Matching::Independent,
            Population::Pad,
            &scratch.path().join("set"),
        )
        .unwrap();
        let drawn = scratch.path().join("drawn");
        let image = set.link(0, 7, &drawn).unwrap();
        set.verify(&[image]).unwrap();
        let names = |all: &[(u64, String)]| -> Vec<String> {
            all.iter().map(|(_, name)| name.clone()).collect()
        };
        assert_eq!(names(&functions(&drawn)), names(&all), "{kind}");
    }
}

#[test]
fn functions_begin_at_multiples_that_were_asked_for() {
    if !tools(&["gcc", "ar", "nm", "ld.lld-19", "ld.bfd", "ld.gold"]) {
        return;
    }
    let project = project();
    for kind in LINKERS {
        let recipe = linked(&project, kind);
        let scratch = tempfile::tempdir().unwrap();
        let inputs = scratch.path().join("inputs");
        let found = arranged(&recipe, Arrangement::Aligned(64), &inputs).unwrap();
        assert!(found.functions >= 9, "{kind}: {}", found.functions);
        let all = made(&project, &found, scratch.path());
        let before = functions(&project.path("app"));
        assert!(before.iter().any(|(at, _)| at % 64 != 0), "{before:?}");
        let off = |(at, name): &&(u64, String)| at % 64 != 0 && name != "main";
        assert_eq!(all.iter().filter(off).count(), 0, "{kind}: {all:?}");
        // Aligned once more it would be the same program.
        let again = arranged(&found.recipe, Arrangement::Aligned(16), &inputs);
        let why = again.unwrap_err().to_string();
        assert!(why.contains("no function would begin elsewhere"), "{why}");
    }
}

#[test]
fn an_order_of_the_builds_own_is_left_alone() {
    if !tools(&["gcc", "ar", "ld.lld-19"]) {
        return;
    }
    let project = project();
    std::fs::write(project.path("own.txt"), "f3\n").unwrap();
    let recipe = project.link(&Link {
        driver: "gcc",
        kind: LinkerKind::Lld,
        arguments: "main.o libother.a -Wl,--symbol-ordering-file=own.txt",
    });
    let scratch = tempfile::tempdir().unwrap();
    let hot = ["f2".to_owned()];
    let refused = arranged(&recipe, Arrangement::Together(&hot), scratch.path());
    assert!(matches!(refused, Err(LayoutError::NotArranged { .. })));
    let none = ["f9".to_owned()];
    let plain = linked(&project, LinkerKind::Lld);
    let refused = arranged(&plain, Arrangement::Together(&none), scratch.path());
    let why = refused.unwrap_err().to_string();
    assert!(why.contains("none of the functions that are hot"), "{why}");
}
