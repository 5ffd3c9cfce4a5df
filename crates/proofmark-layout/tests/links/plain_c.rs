//! A small C program: linked again as shipped, and in layouts of each population and matching, with
//! every linker.

mod changed;

use proofmark_layout::{LayoutSet, LinkerKind, Matching, relink};
use proofmark_terms::Population;

use crate::support::{Link, Project, output, run, tools};

const MAIN: &str = r#"
#include <stdio.h>
int table[40] = {1, 2, 3}; const char names[2][8] = {"one", "two"}; static int counter;
int add(int a, int b) { return a + b; }
int twice(int a) { return add(a, a); }
int unused(int a) { return a * 77; }
static int helper(int a) { return a ^ 5; }
int other(int);
int main(void) { counter += helper(3); printf("%d %d %d %s\n", twice(21), other(table[1]), counter, names[1]); return 0; }
"#;

const OTHER: &str =
    "static int helper(int a) { return a + 1000; }\nint other(int a) { return helper(a) * 2; }\n";

const LINKERS: [LinkerKind; 3] = [LinkerKind::Lld, LinkerKind::GnuLd, LinkerKind::Gold];

fn project(main: &str, other: &str) -> Project {
    let project = Project::new(&[("main.c", main), ("src/other.c", other)]);
    project.sh(
        "gcc -O1 -fno-inline -ffunction-sections -c main.c src/other.c; mkdir -p o; mv other.o o/",
    );
    project
}

#[test]
fn as_shipped_is_the_same_to_the_byte() {
    if !tools(&["gcc", "ld.lld-19", "ld.bfd", "ld.gold"]) {
        return;
    }
    let project = project(MAIN, OTHER);
    for kind in LINKERS {
        for extra in [
            "",
            "-no-pie",
            "-static",
            "-Wl,--gc-sections -Wl,-Map=app.map",
            "-Wl,-rpath,/nowhere -lm",
        ] {
            let recipe = project.link(&Link {
                driver: "gcc",
                kind,
                arguments: &format!("main.o o/other.o {extra}"),
            });
            let scratch = tempfile::tempdir().unwrap();
            let again = scratch.path().join("again");
            relink(&recipe, scratch.path(), &again).unwrap();
            let (built, again) = (
                std::fs::read(project.path("app")).unwrap(),
                std::fs::read(again).unwrap(),
            );
            assert!(
                built == again,
                "{kind} {extra}: {} and {} bytes",
                built.len(),
                again.len()
            );
        }
    }
}

/// Types and rights of an executable's segments; the stack is one of them.
fn rights(image: &std::path::Path) -> std::collections::BTreeSet<(u32, u32)> {
    let bytes = std::fs::read(image).unwrap();
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    let (table, count) = (word(0x20) as usize, word(0x38) & 0xffff);
    (0..count as usize)
        .map(|index| table + index * 56)
        .map(|header| (word(header), word(header + 4)))
        .collect()
}

#[test]
fn independent_layouts_run_and_keep_their_promises() {
    if !tools(&["gcc", "ld.lld-19", "ld.bfd", "ld.gold", "readelf"]) {
        return;
    }
    let project = project(MAIN, OTHER);
    for kind in LINKERS {
        let recipe = project.link(&Link {
            driver: "gcc",
            kind,
            arguments: "main.o o/other.o",
        });
        let expected = output(&project.path("app"));
        for population in [Population::Pad, Population::Shuffle] {
            let scratch = tempfile::tempdir().unwrap();
            let set = LayoutSet::prepare(
                &[&recipe],
                Matching::Independent,
                population,
                scratch.path(),
            )
            .unwrap();
            let images: Vec<_> = (1..4)
                .map(|seed| {
                    set.link(0, seed, &scratch.path().join(format!("app{seed}")))
                        .unwrap()
                })
                .collect();
            for image in &images {
                assert_eq!(output(&image.path), expected, "{kind} {population:?}");
                let stacks = [&project.path("app"), &image.path].map(|image| stack(image));
                assert_eq!(
                    stacks[0], stacks[1],
                    "{kind}: what the image asks of its stack"
                );
                assert_eq!(
                    rights(&image.path),
                    rights(&project.path("app")),
                    "{kind}: what may be read, written and executed"
                );
            }
            let promises = set.verify(&images).unwrap();
            assert!(promises.placed >= 3 * 7, "{kind}: {promises:?}");
            let again = set.link(0, 1, &scratch.path().join("again")).unwrap();
            assert!(
                std::fs::read(&again.path).unwrap() == std::fs::read(&images[0].path).unwrap(),
                "{kind}: one seed, one image"
            );
            let elsewhere = tempfile::tempdir().unwrap();
            let other = LayoutSet::prepare(
                &[&recipe],
                Matching::Independent,
                population,
                elsewhere.path(),
            )
            .unwrap();
            let again = other.link(0, 1, &elsewhere.path().join("again")).unwrap();
            assert!(
                std::fs::read(&again.path).unwrap() == std::fs::read(&images[0].path).unwrap(),
                "{kind}: whatever the folder"
            );
            assert!(
                std::fs::read(&images[1].path).unwrap() != std::fs::read(&images[0].path).unwrap(),
                "{kind}: another seed, another image"
            );
        }
    }
}

#[test]
fn matched_layouts_share_every_address() {
    if !tools(&["gcc", "ld.lld-19", "ld.bfd", "ld.gold"]) {
        return;
    }
    let old = project(MAIN, OTHER);
    let changed = MAIN.replace(
        "return a + b;",
        "return printf(\"%d+%d \", a, b) * 0 + a + b;",
    );
    let added = format!(
        "const char more[100] = \"more\"; int extra[3] = {{4}};\n{OTHER}int added(int a) {{ return helper(a) * 3 + extra[0] + more[a & 3]; }}\n"
    );
    let changed = changed
        .replace("int other(int);", "int other(int); int added(int);")
        .replace("counter += ", "counter += added(1) + ");
    let new = project(&changed, &added);
    for kind in LINKERS {
        for extra in ["", "-no-pie", "-static", "-Wl,--gc-sections", "-Wl,-z,now"] {
            let arguments = format!("main.o o/other.o {extra}");
            let recipes = [&old, &new].map(|project| {
                project.link(&Link {
                    driver: "gcc",
                    kind,
                    arguments: &arguments,
                })
            });
            let expected = [&old, &new].map(|project| output(&project.path("app")));
            for population in [Population::Pad, Population::Shuffle] {
                let scratch = tempfile::tempdir().unwrap();
                let set = LayoutSet::prepare(
                    &[0, 1].map(|build| [&old, &new][build].captured(&recipes[build])),
                    Matching::Matched,
                    population,
                    scratch.path(),
                )
                .unwrap_or_else(|error| panic!("{kind} {extra} {population:?}: {error}"));
                let images: Vec<_> = (0..2)
                    .map(|build| {
                        set.link(build, 7, &scratch.path().join(format!("app{build}")))
                            .unwrap()
                    })
                    .collect();
                let promises = set.verify(&images).unwrap();
                println!("{kind} {extra} {population:?}: {promises:?}");
                for (image, expected) in images.iter().zip(&expected) {
                    assert_eq!(&output(&image.path), expected);
                }
                assert!(promises.shared_functions >= 6);
                assert_eq!(
                    promises
                        .elsewhere
                        .iter()
                        .filter(|other| other.what.starts_with("data in .data:")
                            || other.what.starts_with("data in .rodata:"))
                        .count(),
                    0,
                    "{kind} {extra}: {promises:?}"
                );
            }
        }
    }
}

#[test]
fn folded_functions_stay_folded_and_layouts_can_be_linked_side_by_side() {
    if !tools(&["clang-19", "ld.lld-19", "ld.bfd"]) {
        return;
    }
    let text = |changed: &str| {
        format!(
            "#include <stdio.h>\n{}int apart(int a) {{ return {changed}; }}\nint main(void) {{ printf(\"%d %d %d\\n\", f0(1) + f1(2) + f2(3), apart(4), (void *)f1 == (void *)f2); return 0; }}\n",
            (0..40)
                .map(|index| format!("int f{index}(int a) {{ return a * 7 + 1; }}\n"))
                .collect::<String>()
        )
    };
    let projects = ["a + 3", "a * 7 + 1"].map(|changed| {
        let project = Project::new(&[("main.c", &text(changed))]);
        project.sh("clang-19 -O1 -fno-inline -ffunction-sections -fdata-sections -c main.c");
        project
    });
    for (kind, arguments) in [
        (LinkerKind::Lld, "main.o -Wl,--icf=all"),
        (LinkerKind::Lld, "main.o -Wl,--icf=all,--gc-sections"),
        (LinkerKind::GnuLd, "main.o"),
    ] {
        let recipes = projects.each_ref().map(|project| {
            project.link(&Link {
                driver: "clang-19",
                kind,
                arguments,
            })
        });
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
        .unwrap();
        let jobs: Vec<(usize, u64)> = (0..6).flat_map(|seed| [(0, seed), (1, seed)]).collect();
        let images: Vec<_> = std::thread::scope(|scope| {
            let link = |(build, seed): (usize, u64)| {
                (
                    set.link(
                        build,
                        seed,
                        &scratch.path().join(format!("app{build}.{seed}")),
                    )
                    .unwrap(),
                    build,
                )
            };
            let threads: Vec<_> = jobs
                .iter()
                .map(|job| scope.spawn(move || link(*job)))
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap())
                .collect()
        });
        for (image, build) in &images {
            assert_eq!(
                &output(&image.path),
                &expected[*build],
                "{kind} {arguments}"
            );
        }
        let images: Vec<_> = images.into_iter().map(|(image, _)| image).collect();
        let promises = set.verify(&images).unwrap();
        let functions = if kind == LinkerKind::Lld { 3 } else { 42 };
        assert!(
            promises.placed >= 12 * functions && promises.placed < 12 * (functions + 20),
            "{kind}: {promises:?}"
        );
    }
}

/// Flags of the segment that says whether the stack may be executed.
fn stack(image: &std::path::Path) -> String {
    let listed = run(std::process::Command::new("readelf").arg("-lW").arg(image));
    let listed = String::from_utf8(listed).unwrap();
    let line = listed
        .lines()
        .find(|line| line.contains("GNU_STACK"))
        .unwrap();
    line.split_whitespace().skip(6).take(2).collect()
}
