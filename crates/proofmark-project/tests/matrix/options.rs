//! Options that were asked for and did not arrive, and those that nobody asked for.

use std::fs;

use proofmark_project::{ToolchainDefinition, identical, uneven};
use proofmark_terms::Feature;

use super::{Bench, MAKEFILE, definitions, from_archive, project, why};
use crate::support::has;

#[test]
fn options_that_do_not_arrive_are_named() {
    if !has("clang-19") {
        return;
    }
    // One object has options of its own, and behind all of them -O1.
    let makefile = MAKEFILE.replace("-c -o $@ $<", "-c -o $@ $< -O1")
        + "table.o: table.c\n\t$(CC) -O1 -c table.c\n";
    missing_in(&makefile);
    missing_in(&from_archive(&makefile));
}

fn missing_in(makefile: &str) {
    let project = project();
    project.file("src/Makefile", makefile);
    let bench = Bench::new(
        project,
        definitions(
            &["clang-19"],
            &[
                ("asked", "-DX=1 -O3"),
                ("ignored", "-fno-tree-vectorize-slp-x -fgcse"),
            ],
        ),
    );
    let built = bench.build();
    let made = built[1]
        .made()
        .unwrap_or_else(|| panic!("{}", why(&built[1])));
    let said: Vec<String> = made
        .flags
        .missing
        .iter()
        .map(|of| format!("{} {}", of.flag, of.why))
        .collect();
    assert_eq!(
        said,
        [
            "-DX=1 did not reach 1 of 2 objects (table.c)",
            "-O3 did not reach 1 of 2 objects (table.c)"
        ]
    );
    assert!(
        why(&built[2]).contains("unknown argument: '-fno-tree-vectorize-slp-x'"),
        "{}",
        why(&built[2])
    );
}

#[test]
fn an_ignored_option_is_named() {
    if !has("clang-19") {
        return;
    }
    let bench = Bench::new(project(), definitions(&["clang-19"], &[("pta", "-fgcse")]));
    let built = bench.build();
    let made = built[1]
        .made()
        .unwrap_or_else(|| panic!("{}", why(&built[1])));
    assert_eq!(made.flags.missing.len(), 1, "{:?}", made.flags);
    assert!(
        made.flags.missing[0].why.starts_with("is ignored: "),
        "{:?}",
        made.flags
    );
    // The option changes nothing: the two images are the same bytes, and that is said.
    let same = identical(&built);
    assert_eq!(same.len(), 1);
    assert_eq!(
        same[0]
            .iter()
            .map(|cell| cell.name.as_str())
            .collect::<Vec<_>>(),
        ["clang-19", "clang-19 pta"]
    );
}

#[test]
fn what_nobody_asked_for_is_named_where_it_differs() {
    if !has("gcc") {
        return;
    }
    let project = project();
    let hardened = project.root.join("gcc-hardened");
    let script = "#!/bin/sh\nexec gcc -fstack-protector-all -fcf-protection=full -fzero-call-used-regs=used-gpr \"$@\"\n";
    fs::write(&hardened, script).unwrap();
    fs::set_permissions(
        &hardened,
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    let mut definitions = definitions(&["gcc", "hard"], &[("guard", "-fstack-protector-all")]);
    definitions.toolchains.insert(
        "hard".to_owned(),
        ToolchainDefinition {
            command: Some(hardened.to_string_lossy().into_owned()),
            ..ToolchainDefinition::default()
        },
    );
    let built = Bench::new(project, definitions).build();
    let unasked = |at: usize| -> Vec<Feature> {
        let made = built[at]
            .made()
            .unwrap_or_else(|| panic!("{}", why(&built[at])));
        made.flags
            .unasked()
            .map(|finding| finding.feature)
            .filter(|of| *of != Feature::Pie)
            .collect()
    };
    assert_eq!(unasked(0), []);
    assert_eq!(unasked(1), []);
    if cfg!(target_arch = "x86_64") {
        assert_eq!(
            unasked(2),
            [
                Feature::Cet,
                Feature::StackProtector,
                Feature::ZeroedRegisters
            ]
        );
    }
    let named: Vec<(Feature, Vec<String>)> = uneven(&built)
        .into_iter()
        .map(|of| (of.feature, of.without))
        .collect();
    assert!(
        named.contains(&(Feature::StackProtector, vec!["gcc".to_owned()])),
        "{named:?}"
    );
    assert!(
        named.iter().all(|(feature, _)| *feature != Feature::Pie),
        "{named:?}"
    );
}
