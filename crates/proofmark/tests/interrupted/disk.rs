//! Files that are gone or damaged, and a disk that is full.

use std::fs;
use std::process::Command;

use proofmark_capture::Builds;

use super::{blocks, comparison, gate, words};
use crate::support::{Project, Said};

#[test]
fn a_captured_object_that_is_gone_or_damaged_is_named() {
    let project = gate();
    let builds = Builds::open(&project.path(".proofmark")).unwrap();
    let capture = builds.find("new").unwrap();
    let mut inputs = capture.links[0].recipe.inputs.iter();
    let input = inputs.find(|input| format!("{:?}", input.given).contains("gate_name.o"));
    let object = input.unwrap().blob.clone();
    let whole = fs::read(&object).unwrap();
    let command = comparison("2", "interleaved", "", &[]);

    fs::remove_file(&object).unwrap();
    let gone = project.run(&words(&command));
    assert_eq!(gone.code, Some(5), "{gone:#?}");
    for word in ["new", "gate_name.o", "capture the build again"] {
        assert!(gone.err.contains(word), "{}", gone.err);
    }

    fs::write(&object, &whole[..whole.len() / 2]).unwrap();
    let damaged = project.run(&words(&command));
    assert_eq!(damaged.code, Some(5), "{damaged:#?}");
    assert!(damaged.err.contains("gate_name.o"), "{}", damaged.err);
    assert!(blocks(&project).is_empty());

    fs::write(&object, &whole).unwrap();
    project.done(&words(&command));
}

/// Runs a shell script where `.proofmark` is a file system of 64 MiB of its own; `None` where that
/// may not be done.
fn on_a_small_disk(project: &Project, script: &str) -> Option<Said> {
    fs::create_dir_all(project.path(".proofmark")).unwrap();
    let mount = "mount -t tmpfs -o size=64m none .proofmark";
    let unshare = |script: &str| -> Said {
        let mut command = Command::new("unshare");
        command
            .args(["--mount", "--map-root-user", "sh", "-c", script])
            .current_dir(project.path(""))
            .env_remove("PROOFMARK_DIR");
        command.output().map_or_else(
            |error| Said {
                code: None,
                out: String::new(),
                err: error.to_string(),
            },
            Said::from,
        )
    };
    if unshare(mount).code != Some(0) {
        // A right and not a tool: no machine can be made to have it by installing something.
        println!("skipped: needs the right to mount (unshare --mount --map-root-user)");
        return None;
    }
    Some(unshare(&format!("{mount} || exit 99\n{script}")))
}

#[test]
fn a_full_disk_costs_no_finished_block() {
    let project = Project::new();
    let full = "dd if=/dev/zero of=.proofmark/fill bs=64k 2>/dev/null";
    let proofmark = format!("'{}'", env!("CARGO_BIN_EXE_proofmark"));
    let build = "cc -O1 -c gate.c && cc -O1 -c gate_name.c && cc -o gate gate.o gate_name.o";
    let prepare = format!(
        "test -e .proofmark/released || \
         test $({proofmark} report --format csv 2>/dev/null | wc -l) -le 12 || {full} || true"
    );
    let compare = comparison("6", "interleaved", &prepare, &[]);
    let compare: Vec<String> = compare
        .iter()
        .map(|word| format!("'{}'", word.replace('\'', "'\\''")))
        .collect();
    let script = format!(
        "{full}\n{proofmark} capture base -- sh -c '{build}'; echo \"capture: $?\"\n\
         rm .proofmark/fill\n{proofmark} capture base -- sh -c '{build}' >/dev/null && {proofmark} capture new -- sh -c '{build}' >/dev/null || exit 98\n\
         {proofmark} {compare}; echo \"compare: $?\"\n\
         {proofmark} report --format csv | wc -l\n\
         rm .proofmark/fill; touch .proofmark/released\n\
         {proofmark} {compare} | wc -l; echo again: $?",
        compare = compare.join(" ")
    );
    let Some(said) = on_a_small_disk(&project, &script) else {
        return;
    };
    let lines: Vec<&str> = said.out.lines().map(str::trim).collect();
    let [captured, compared, rows, all_rows, again] = lines[..] else {
        panic!("{said:#?}");
    };
    assert_eq!(
        [captured, compared, all_rows, again],
        ["capture: 4", "compare: 4", "25", "again: 0"],
        "{said:#?}"
    );
    // What the store had set aside may hold another block.
    let blocks = (rows.parse::<u32>().unwrap() - 1) / 4;
    assert!((3..6).contains(&blocks), "{said:#?}");
    // The store, a copy of an image or the linker: whichever meets the full disk first says so.
    assert!(
        said.err.to_lowercase().contains("no space left"),
        "{}",
        said.err
    );
    let resumed = format!("going on after block {blocks} of");
    assert!(said.err.contains(&resumed), "{}", said.err);
}
