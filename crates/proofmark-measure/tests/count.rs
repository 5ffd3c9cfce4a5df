//! Instruction counts and counters, by programs whose answers are known.
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::support::{LONG, launch};
use proofmark_measure::counters::{Counter, count};
use proofmark_measure::{End, Interrupt, Launch, Unavailable, count::Count, count::instructions};

/// Whether a tool is there; where tests must not be skipped, it has to be.
fn has(tool: &str) -> bool {
    let found = std::env::split_paths(&std::env::var_os("PATH").unwrap())
        .any(|folder| folder.join(tool).exists());
    assert!(
        found || std::env::var_os("PROOFMARK_TESTS_REQUIRE_TOOLS").is_none(),
        "needs {tool}"
    );
    if !found {
        println!("skipped: needs {tool}");
    }
    found
}

fn compiled(compiler: &str, folder: &Path, source: &str, flags: &[&str]) -> Launch {
    let (file, program) = (folder.join("program.c"), folder.join("program"));
    std::fs::write(&file, source).unwrap();
    assert!(
        Command::new(compiler)
            .args(flags)
            .arg(&file)
            .arg("-o")
            .arg(&program)
            .status()
            .unwrap()
            .success()
    );
    Launch::new(program, LONG)
}

fn counted(launch: &Launch) -> Count {
    instructions(launch, &Interrupt::new()).unwrap()
}

const LOOP: &str = "#include <stdlib.h>\n#include <unistd.h>\n#include <sys/wait.h>\n\
    int main(int n, char **a) { long c = atol(a[1]); if (n > 2 && fork() == 0) c *= 2; for (volatile long i = 0; i < c; i++) {} if (n > 3 && fork() == 0) return 0; wait(0); return 0; }\n";

#[test]
fn counts_are_exact_and_grow_with_the_work() {
    if !has("valgrind") || !has("gcc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut launch = compiled("gcc", folder.path(), LOOP, &["-O1"]);
    let mut of = |arguments: &[&str]| {
        launch.args = arguments.iter().map(Into::into).collect();
        counted(&launch).instructions
    };
    let (few, more) = (of(&["100000"]), of(&["300000"]));
    // A loop of a load, an addition, a store, a load, a comparison and a jump, give or take one.
    let each = (more - few) / 200_000;
    assert!((4..=7).contains(&each), "{each}");
    assert!((more - few) % 200_000 < 100, "the loop is counted exactly");
    assert_eq!(few, of(&["100000"]));
    let with_child = of(&["100000", "x"]);
    assert!(
        with_child > few + 2 * 100_000 * each,
        "the child is counted as well: {with_child} against {few}"
    );
    // What was done before a process forks counts once.
    let late = of(&["100000", "x", "x"]);
    let more = 20_000;
    assert!(late < with_child + more, "{late} against {with_child}");
}

/// What 3.19 reads of debug information ends with a complaint, and in some programs with its end.
#[test]
fn debug_information_of_a_recent_compiler_does_not_stand_in_the_way() {
    if !has("valgrind") || !has("clang-19") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut launch = compiled("clang-19", folder.path(), LOOP, &["-O1", "-g", "-gdwarf-5"]);
    launch.args = vec!["1000".into()];
    assert!(counted(&launch).instructions > 5000);
}

#[test]
fn what_hangs_or_is_stopped_yields_a_reason() {
    if !has("valgrind") {
        return;
    }
    let mut hanging = launch(&["hang"]);
    hanging.timeout = Duration::from_millis(300);
    assert_eq!(
        instructions(&hanging, &Interrupt::new()),
        Err(Unavailable::TimedOut(Duration::from_millis(300)))
    );
    let stop = Interrupt::new();
    stop.request();
    assert_eq!(
        instructions(&launch(&["hang"]), &stop),
        Err(Unavailable::Interrupted)
    );
    let missing = Launch::new("/no/such/program", LONG);
    assert!(matches!(
        instructions(&missing, &Interrupt::new()),
        Err(Unavailable::Failed { .. })
    ));
}

/// The kernel's own counters are there on every machine that permits any.
#[test]
fn page_faults_follow_the_memory_that_is_touched() {
    if let Err(reason) = Counter::PageFaults.available() {
        println!("skipped: needs perf events ({reason})");
        return;
    }
    let faults = |mebibytes: &str| {
        let counted = count(
            &launch(&["touch", mebibytes]),
            &[Counter::PageFaults],
            &Interrupt::new(),
        )
        .unwrap();
        assert_eq!(counted.end, End::Exited(0));
        counted.readings[0].1.clone().unwrap()
    };
    let (small, large) = (faults("0"), faults("64"));
    // 4 KiB pages, or at best 2 MiB ones.
    assert!(large >= small + 32, "{large} against {small}");
}

#[test]
fn every_counter_gives_a_number_or_a_reason() {
    let counted = count(&launch(&["exit", "3"]), &Counter::ALL, &Interrupt::new()).unwrap();
    assert_eq!(counted.end, End::Exited(3));
    assert_eq!(counted.readings.len(), Counter::ALL.len());
    for (counter, reading) in &counted.readings {
        assert_eq!(
            reading.is_err() && counter.available().is_ok(),
            matches!(reading, Err(Unavailable::Shared(_))),
            "{counter:?}: {reading:?}"
        );
    }
}

#[test]
fn a_counted_run_ends_with_its_timeout_and_with_the_flag() {
    let mut hanging = launch(&["hang"]);
    hanging.timeout = Duration::from_millis(50);
    assert_eq!(
        count(&hanging, &[], &Interrupt::new()),
        Err(Unavailable::TimedOut(Duration::from_millis(50)))
    );
    let stop = Interrupt::new();
    stop.request();
    assert_eq!(count(&hanging, &[], &stop), Err(Unavailable::Interrupted));
}

/// A sanitiser's runtime gives up under valgrind, as this program does: it has counted nothing of
/// what the program does.
#[test]
fn a_program_that_does_something_else_under_valgrind_is_not_counted() {
    if !has("valgrind") || !has("gcc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let source = |then: &str| {
        format!(
            "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\
             int main(void) {{ const char *p = getenv(\"LD_PRELOAD\"); \
             if (p && strstr(p, \"vgpreload\")) {then}; puts(\"done\"); return 0; }}\n"
        )
    };
    for (then, said) in [
        ("return 3", Some("it exits with 3")),
        ("puts(\"valgrind\")", Some("it prints something else")),
        ("p = 0", None),
    ] {
        let launch = compiled("gcc", folder.path(), &source(then), &[]);
        let counted = instructions(&launch, &Interrupt::new());
        match said {
            Some(said) => assert!(counted.unwrap_err().to_string().contains(said), "{then}"),
            None => assert!(counted.unwrap().instructions > 0),
        }
    }
}
