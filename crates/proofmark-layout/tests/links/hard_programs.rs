//! The hard programs in matched layouts: they run as before, and what OLD and NEW share is at one
//! address, by the account of `nm`, which knows nothing of handles.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use proofmark_layout::{LayoutSet, LinkerKind, Matching, relink};
use proofmark_terms::Population;

use crate::programs::{ASM, C_SIDE, MAIN_OLD, main_new};
use crate::support::{Link, Project, output, run, tools};

/// OLD and NEW compiled: `main.o c.o a.o` in `obj`, and archives of `c.o` and `a.o`.
fn projects(compile: &str) -> [Project; 2] {
    [MAIN_OLD.to_string(), main_new()].map(|main| {
        let project = Project::new(&[("main.cc", &main), ("c.c", C_SIDE), ("a.s", ASM)]);
        project.sh(&format!("mkdir obj; {compile}; ar rcs libside.a obj/c.o obj/a.o; ar rcsT libthin.a obj/c.o obj/a.o"));
        project
    })
}

const GCC: &str = "g++ -O2 -ffunction-sections -fdata-sections -c main.cc -o obj/main.o; gcc -O2 -ffunction-sections -c c.c -o obj/c.o; as a.s -o obj/a.o";
const CLANG: &str = "clang++-19 -O2 -ffunction-sections -fdata-sections -c main.cc -o obj/main.o; clang-19 -O2 -ffunction-sections -c c.c -o obj/c.o; as a.s -o obj/a.o";

/// Addresses of the symbols of these kinds, by name, where the name occurs once.
fn nm(image: &Path, kinds: &str) -> BTreeMap<String, u64> {
    let listed = String::from_utf8(run(Command::new("nm").arg(image))).unwrap();
    let mut found: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for line in listed.lines() {
        let [address, kind, name] = line.split(' ').collect::<Vec<_>>()[..] else {
            continue;
        };
        let own = name.starts_with("pm.")
            || name.starts_with("pmb_")
            || name.starts_with("pme_")
            || name.starts_with("pmf.");
        if let Ok(address) = u64::from_str_radix(address, 16)
            && kinds.contains(kind)
            && !own
        {
            found.entry(name.to_string()).or_default().push(address);
        }
    }
    found
        .into_iter()
        .filter_map(|(name, at)| (at.len() == 1).then(|| (name, at[0])))
        .collect()
}

/// Names that both images have at different addresses, and how many they share.
fn apart(images: [&Path; 2], kinds: &str) -> (Vec<String>, usize) {
    let [old, new] = images.map(|image| nm(image, kinds));
    let shared: Vec<_> = old
        .iter()
        .filter_map(|(name, at)| Some((name, at, new.get(name)?)))
        .collect();
    let apart = shared
        .iter()
        .filter(|(_, old, new)| old != new)
        .map(|(name, ..)| (*name).clone())
        .collect();
    (apart, shared.len())
}

/// What no layout holds: not functions of the program, but fragments and stubs of the linker's.
fn of_the_linker(name: &str) -> bool {
    ["_init", "_fini", "strcmp", "picked", "_.stapsdt.base"].contains(&name)
        || name.ends_with("@plt")
}

fn matched(projects: &[Project; 2], link: &Link<'_>, population: Population) {
    let what = format!(
        "{} {} {} {population:?}",
        link.driver, link.kind, link.arguments
    );
    let recipes = projects.each_ref().map(|project| project.link(link));
    let expected = projects
        .each_ref()
        .map(|project| output(&project.path("app")));
    let scratch = tempfile::tempdir().unwrap();
    let set = LayoutSet::prepare(
        &[0, 1].map(|build| projects[build].captured(&recipes[build])),
        Matching::Matched,
        population,
        scratch.path(),
    )
    .unwrap_or_else(|error| panic!("{what}: {error}"));
    let seed = 99;
    let images = [0, 1].map(|build| {
        set.link(build, seed, &scratch.path().join(format!("app{build}")))
            .unwrap_or_else(|error| panic!("{what}: {error}"))
    });
    let promises = set
        .verify(&images)
        .unwrap_or_else(|error| panic!("{what}: {error}"));
    for (image, expected) in images.iter().zip(&expected) {
        assert_eq!(&output(&image.path), expected, "{what}");
    }
    let paths = images.each_ref().map(|image| image.path.as_path());
    let (moved, shared) = apart(paths, "TtWw");
    assert!(shared >= 18, "{what}: {shared} functions shared");
    assert!(
        moved.iter().all(|name| of_the_linker(name)),
        "{what}: {moved:?}"
    );
    for name in ["constants", "numbers", "room"] {
        let [old, new] = paths.map(|path| nm(path, "DdBbRr").get(name).copied());
        let collected = link.arguments.contains("--gc-sections") && name == "constants";
        assert!(
            old == new && (old.is_some() || collected),
            "{what}: {name} at {old:x?} and {new:x?}: {promises:?}"
        );
    }
    for kept in [".data:", ".rodata:", ".bss:", ".tdata:", ".tbss:"] {
        assert!(
            !promises
                .elsewhere
                .iter()
                .any(|other| other.what.starts_with(&format!("data in {kept}"))),
            "{what}: {promises:?}"
        );
    }
}

/// Every linker with each of these: arguments of the driver, and a population.
fn all(compile: &str, driver: &str, links: &[(&str, Population)]) {
    if !tools(&[
        "g++",
        "clang-19",
        "clang++-19",
        "ld.lld-19",
        "ld.bfd",
        "ld.gold",
        "ar",
        "as",
        "nm",
    ]) {
        return;
    }
    let projects = projects(compile);
    for kind in [LinkerKind::Lld, LinkerKind::GnuLd, LinkerKind::Gold] {
        for (arguments, population) in links {
            matched(
                &projects,
                &Link {
                    driver,
                    kind,
                    arguments,
                },
                *population,
            );
        }
    }
}

#[test]
fn matched_layouts_of_gcc_builds() {
    all(
        GCC,
        "g++",
        &[
            ("obj/main.o obj/c.o obj/a.o", Population::Pad),
            ("obj/main.o -L. -lside -static -lm", Population::Pad),
        ],
    );
}

#[test]
fn matched_layouts_of_clang_builds() {
    let collected = "obj/main.o obj/c.o obj/a.o -no-pie -Wl,-z,now -Wl,--gc-sections -s";
    all(
        CLANG,
        "clang++-19",
        &[
            (collected, Population::Shuffle),
            ("obj/main.o libthin.a", Population::Pad),
        ],
    );
}

#[test]
fn archives_static_links_and_thin_archives_link_again_to_the_byte() {
    if !tools(&["g++", "ld.lld-19", "ld.bfd", "ld.gold", "ar", "as"]) {
        return;
    }
    let [project, _] = projects(GCC);
    for kind in [LinkerKind::Lld, LinkerKind::GnuLd, LinkerKind::Gold] {
        for arguments in [
            "obj/main.o -L. -lside -static -lm",
            "obj/main.o libthin.a -s",
            "obj/main.o obj/c.o obj/a.o -shared-libgcc -Wl,--gc-sections",
        ] {
            let recipe = project.link(&Link {
                driver: "g++",
                kind,
                arguments,
            });
            let scratch = tempfile::tempdir().unwrap();
            let again = scratch.path().join("again");
            relink(&recipe, scratch.path(), &again).unwrap();
            assert!(
                std::fs::read(project.path("app")).unwrap() == std::fs::read(again).unwrap(),
                "{kind} {arguments}"
            );
        }
    }
}
