//! Link-time optimisation with gcc and clang: layouts are made of the objects that it produced, and
//! never repeat it.

use std::fs;
use std::path::Path;

use proofmark_layout::{LayoutSet, LinkerKind, Lto, Matching, Recipe, relink};
use proofmark_terms::Population;

use crate::programs::{ASM, C_SIDE, MAIN_OLD, main_new};
use crate::support::{Link, Project, output, tools};

fn projects(compile: &str) -> [Project; 2] {
    [MAIN_OLD.to_string(), main_new()].map(|main| {
        let project = Project::new(&[("main.cc", &main), ("c.c", C_SIDE), ("a.s", ASM)]);
        project.sh(&format!("mkdir obj; as a.s -o obj/a.o; {compile}"));
        project
    })
}

fn objects(recipe: &Recipe) -> usize {
    match &recipe.lto {
        Some(Lto::Gcc { objects } | Lto::Clang { objects }) => objects.len(),
        None => 0,
    }
}

fn matched(projects: &[Project; 2], link: &Link<'_>) {
    let what = format!("{} {} {}", link.driver, link.kind, link.arguments);
    let recipes = projects.each_ref().map(|project| project.link(link));
    assert!(
        objects(&recipes[0]) > 0,
        "{what}: link-time optimisation took place"
    );
    let expected = projects
        .each_ref()
        .map(|project| output(&project.path("app")));
    let scratch = tempfile::tempdir().unwrap();
    let set = LayoutSet::prepare(
        &[0, 1].map(|build| projects[build].captured(&recipes[build])),
        Matching::Matched,
        Population::Shuffle,
        scratch.path(),
    )
    .unwrap_or_else(|error| panic!("{what}: {error}"));
    let images = [0, 1].map(|build| {
        set.link(build, 5, &scratch.path().join(format!("app{build}")))
            .unwrap_or_else(|error| panic!("{what}: {error}"))
    });
    for (image, expected) in images.iter().zip(&expected) {
        assert_eq!(&output(&image.path), expected, "{what}");
    }
    let promises = set
        .verify(&images)
        .unwrap_or_else(|error| panic!("{what}: {error}"));
    assert!(promises.shared_functions >= 8, "{what}: {promises:?}");
}

fn same_again(project: &Project, link: &Link<'_>) {
    let recipe = project.link(link);
    let scratch = tempfile::tempdir().unwrap();
    let again = scratch.path().join("again");
    relink(&recipe, scratch.path(), &again).unwrap();
    assert!(
        fs::read(project.path("app")).unwrap() == fs::read(&again).unwrap(),
        "{} {} {}",
        link.driver,
        link.kind,
        link.arguments
    );
}

/// gcc's partitions have sections for each function only when its `lto1` is told so; the capture
/// does that, here the driver does.
const GCC: &str = "-O2 -flto=auto -ffunction-sections -fdata-sections obj/main.o obj/c.o obj/a.o";

#[test]
fn gcc_links_are_replayed_to_the_byte_and_laid_out() {
    if !tools(&["g++", "ld.bfd", "ld.gold", "as"]) {
        return;
    }
    let projects =
        projects("g++ -O2 -flto -c main.cc -o obj/main.o; gcc -O2 -flto -c c.c -o obj/c.o");
    for kind in [LinkerKind::GnuLd, LinkerKind::Gold] {
        let link = Link {
            driver: "g++",
            kind,
            arguments: GCC,
        };
        same_again(&projects[0], &link);
        matched(&projects, &link);
    }
}

#[test]
fn clang_links_are_laid_out_from_the_objects_they_made() {
    if !tools(&["clang-19", "clang++-19", "ld.lld-19", "as", "ar"]) {
        return;
    }
    for mode in ["full", "thin"] {
        let projects = projects(&format!(
            "clang++-19 -O2 -flto={mode} -c main.cc -o obj/main.o; clang-19 -O2 -flto={mode} -c c.c -o obj/c.o; llvm-ar-19 rcs libside.a obj/c.o obj/a.o || ar rcs libside.a obj/c.o obj/a.o"
        ));
        let plain = format!("-O2 -flto={mode} obj/main.o obj/c.o obj/a.o");
        let link = Link {
            driver: "clang++-19",
            kind: LinkerKind::Lld,
            arguments: &plain,
        };
        same_again(&projects[0], &link);
        matched(&projects, &link);
        let archived = format!("-O2 -flto={mode} obj/main.o -L. -lside");
        matched(
            &projects,
            &Link {
                arguments: &archived,
                ..link
            },
        );
    }
}

#[test]
fn a_missing_object_of_link_time_optimisation_is_named() {
    if !tools(&["g++", "ld.bfd", "as"]) {
        return;
    }
    let [project, _] =
        projects("g++ -O2 -flto -c main.cc -o obj/main.o; gcc -O2 -flto -c c.c -o obj/c.o");
    let mut recipe = project.link(&Link {
        driver: "g++",
        kind: LinkerKind::GnuLd,
        arguments: GCC,
    });
    recipe.lto = Some(Lto::Gcc {
        objects: vec!["/nowhere/gone.o".into()],
    });
    let scratch = tempfile::tempdir().unwrap();
    let error = relink(&recipe, scratch.path(), Path::new("/nowhere/out"))
        .unwrap_err()
        .to_string();
    assert!(error.contains("/nowhere/gone.o"), "{error}");
}
