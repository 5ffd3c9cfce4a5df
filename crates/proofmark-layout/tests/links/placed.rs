//! A layout placed on purpose: one function, or several, through a window, and nothing else moves.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use crate::support::{Link, Project, output, run, symbols, tools};
use proofmark_layout::{
    Captured, Chosen, LayoutError, LinkerKind, Placeable, PlacedImage, PlacedSet, Recipe, Why,
};

/// `where` tells its own address, and so does a datum.
const MAIN: &str = r#"
#include <stdio.h>
int table[40] = {1, 2, 3}; static int counter; const char *const names[2] = {"one", "two"};
int before(int a) { return a + 3; }
__attribute__((noinline)) unsigned long where(void) { extern char __executable_start; return (unsigned long)where - (unsigned long)&__executable_start; }
int after(int a) { return a * 5; }
int main(void) { counter += before(3); printf("%lx %d %d %s\n", where() & 0xfff, after(table[1]), counter, names[1]); return 0; }
"#;
const OTHER: &str = "int before(int); __attribute__((aligned(64))) int wide(int a) { return a; }\n\
    int last(int a) { return wide(a) + before(a) * 2; }\n";
const LINKERS: [LinkerKind; 3] = [LinkerKind::Lld, LinkerKind::GnuLd, LinkerKind::Gold];

fn project() -> Project {
    let project = Project::new(&[("main.c", MAIN), ("other.c", OTHER)]);
    project.sh("gcc -O1 -fno-inline -ffunction-sections -fno-toplevel-reorder -c main.c other.c");
    project
}

fn observed(recipe: &Recipe, shipped: &Path, scratch: &Path) -> Placeable {
    let captured = Captured {
        image: Some(shipped),
        ..Captured::from(recipe)
    };
    Placeable::observe(captured, scratch).unwrap()
}

fn chosen(build: &Placeable, names: &[&str]) -> Vec<Chosen> {
    let symbols = symbols(build.image());
    let one = |name: &&str| Chosen {
        name: (*name).to_string(),
        symbol: (*name).to_string(),
        address: symbols[*name],
    };
    names.iter().map(one).collect()
}

/// Images at these addresses, each checked by the set and by what it prints; their symbols.
fn images(
    set: &PlacedSet,
    addresses: impl Iterator<Item = u64>,
    scratch: &Path,
) -> Vec<(u64, BTreeMap<String, u64>)> {
    let mut found = Vec::new();
    for address in addresses {
        let image = set
            .link(address, &scratch.join(format!("at-{address:x}")))
            .unwrap();
        set.verify(std::slice::from_ref(&image)).unwrap();
        found.push((address, symbols(&image.path)));
    }
    found
}

#[test]
fn one_function_goes_through_every_byte_and_all_else_stays() {
    if !tools(&["gcc", "ld.lld-19", "ld.bfd", "ld.gold", "nm"]) {
        return;
    }
    let project = project();
    for kind in LINKERS {
        for extra in ["", "-no-pie"] {
            let recipe = project.link(&Link {
                driver: "gcc",
                kind,
                arguments: &format!("main.o other.o {extra}"),
            });
            let shipped = project.path("app");
            let scratch = tempfile::tempdir().unwrap();
            let build = observed(&recipe, &shipped, scratch.path());
            let picked = chosen(&build, &["where"]);
            let set = build.place(&picked, 128).unwrap();
            let own = symbols(&shipped);
            assert_eq!(
                set.as_shipped().address % 4096,
                own["where"] % 4096,
                "{kind} {extra}"
            );
            let first = set.first().address;
            assert_eq!(first % 128, 0);
            assert!((first..first + 128).contains(&set.as_shipped().address));
            assert_eq!(set.can_start((first + 128).into()), Err(Why::OutOfRange));
            let odd = [0, 1, 2, 63, 64, 127].map(|by| first + by);
            let mut images = images(&set, odd.into_iter(), scratch.path());
            for (address, symbols) in &mut images {
                let program = scratch.path().join(format!("at-{address:x}"));
                let said = output(&program);
                let expected = format!("{:x} ", *address & 0xfff);
                assert!(
                    said.starts_with(&expected),
                    "{kind} {extra}: {said} {expected}"
                );
                assert_eq!(symbols.remove("where"), Some(*address), "{kind} {extra}");
                for name in ["before", "after", "wide", "last", "main"] {
                    assert_eq!(
                        symbols[name] % 4096,
                        own[name] % 4096,
                        "{kind} {extra} {name}"
                    );
                }
            }
            for pair in images.windows(2) {
                assert_eq!(pair[0].1, pair[1].1, "{kind} {extra}: all but it stays");
            }
            // An image with it elsewhere is found out.
            let image = set.link(first, &scratch.path().join("other")).unwrap();
            let wrong = PlacedImage {
                spot: (first + 1).into(),
                ..image
            };
            assert!(set.verify(&[wrong]).is_err(), "{kind} {extra}");
        }
    }
}

#[test]
fn several_functions_keep_their_distance() {
    if !tools(&["gcc", "ld.lld-19", "nm"]) {
        return;
    }
    let project = project();
    let recipe = project.link(&Link {
        driver: "gcc",
        kind: LinkerKind::Lld,
        arguments: "main.o other.o",
    });
    let scratch = tempfile::tempdir().unwrap();
    let build = observed(&recipe, &project.path("app"), scratch.path());
    let picked = chosen(&build, &["after", "before"]);
    let own = symbols(build.image());
    let set = build.place(&picked, 64).unwrap();
    let apart = (own["before"] - own["after"] % 4096) % 4096;
    for (address, symbols) in images(
        &set,
        [0, 9, 63].map(|by| set.first().address + by).into_iter(),
        scratch.path(),
    ) {
        assert_eq!(symbols["after"], address);
        assert_eq!((symbols["before"] - address % 4096) % 4096, apart);
        assert_eq!(
            set.starts(address.into()),
            [symbols["after"], symbols["before"]]
        );
        assert_eq!(symbols["where"] % 4096, own["where"] % 4096);
    }
}

#[test]
fn what_cannot_be_moved_by_itself_is_refused_by_name() {
    if !tools(&["gcc", "g++", "ld.lld-19", "ld.bfd", "nm"]) {
        return;
    }
    let project = project();
    project.sh("gcc -O1 -fno-inline -c main.c -o whole.o");
    let recipe = project.link(&Link {
        driver: "gcc",
        kind: LinkerKind::Lld,
        arguments: "whole.o other.o",
    });
    let refusal = |name: &str, recipe: &Recipe| {
        let scratch = tempfile::tempdir().unwrap();
        let build = observed(recipe, &project.path("app"), scratch.path());
        let picked = chosen(&build, &[name]);
        match build.place(&picked, 128) {
            Err(LayoutError::CannotPlace { why, .. }) => why,
            Err(other) => panic!("{other}"),
            Ok(_) => panic!("{name} was moved"),
        }
    };
    let whole = refusal("where", &recipe);
    assert!(
        whole.contains("-ffunction-sections") && whole.contains("4 functions"),
        "{whole}"
    );
    let start_up = refusal("_init", &recipe);
    assert!(start_up.contains("no section of code"), "{start_up}");
}

#[test]
fn starts_that_a_function_cannot_take_are_left_out_with_the_reason() {
    if !tools(&["gcc", "g++", "ld.lld-19", "nm"]) {
        return;
    }
    let project = Project::new(&[
        (
            "member.cc",
            "struct S { int x; int get(); }; __attribute__((noinline)) int S::get() { return x; }\n\
             namespace n { __attribute__((noinline)) void free() { asm volatile(\"\"); } }\n\
             int main() { S s{0}; int (S::*how)() = &S::get; n::free(); return (s.*how)(); }\n",
        ),
        (
            "data.s",
            ".section .text.own,\"ax\",@progbits\n.p2align 5\n.globl own\n.type \
             own,@function\nown:\n\
             movaps here(%rip), %xmm0\nxorl %eax, %eax\nret\n.p2align 4\nhere: .quad 1, 2\n.size own, .-own\n\
             .section .note.GNU-stack,\"\",@progbits\n",
        ),
        (
            "main.c",
            "int own(void); int main(void) { return own(); }\n",
        ),
    ]);
    project.sh(
        "g++ -O1 -ffunction-sections -c member.cc; gcc -O1 -ffunction-sections -c data.s main.c",
    );
    let set = |arguments: &str, driver: &str, name: &str, scratch: &Path| {
        let recipe = project.link(&Link {
            driver,
            kind: LinkerKind::Lld,
            arguments,
        });
        let build = observed(&recipe, &project.path("app"), scratch);
        let picked = chosen(&build, &[name]);
        build.place(&picked, 128).unwrap()
    };
    let scratch = tempfile::tempdir().unwrap();
    let member = set("member.o", "g++", "_ZN1S3getEv", scratch.path());
    assert_eq!(member.reach().step, 2);
    let why = member
        .can_start((member.first().address + 1).into())
        .unwrap_err();
    assert!(why.to_string().contains("virtual"), "{why}");
    assert_eq!(
        member.can_start((member.first().address + 2).into()),
        Ok(())
    );
    assert!(
        member
            .link(member.first().address + 1, &scratch.path().join("odd"))
            .is_err()
    );
    let image = member
        .link(member.first().address + 2, &scratch.path().join("even"))
        .unwrap();
    run(&mut Command::new(image.path));

    // Aligned to one byte by the compiler, it is none, and may be shipped at any byte.
    let scratch = tempfile::tempdir().unwrap();
    let free = set("member.o", "g++", "_ZN1n4freeEv", scratch.path());
    assert_eq!((free.reach().step, &free.reach().why), (1, &None));

    let scratch = tempfile::tempdir().unwrap();
    let data = set("data.o main.o", "gcc", "own", scratch.path());
    assert_eq!(data.reach().step, 32);
    let why = data
        .can_start((data.first().address + 16).into())
        .unwrap_err();
    assert!(why.to_string().contains("its own section"), "{why}");
    let image = data
        .link(data.first().address + 96, &scratch.path().join("moved"))
        .unwrap();
    run(&mut Command::new(image.path));
}
