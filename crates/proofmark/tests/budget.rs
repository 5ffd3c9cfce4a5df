//! A budget is kept, or refused by name; and runs that do not stand one another are taken one after
//! the other. What was run is known by a file to which each run adds a line, and not by the clock.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::support::{Project, Said, has};
use proofmark_evidence::{Recorded, Store};

/// Adds a line to `runs` and takes the time that its argument says.
const SLEEPS: &str = r#"
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
int main(int count, char **words) {
    int file = open("runs", O_WRONLY | O_APPEND | O_CREAT, 0666);
    if (count < 2 || file < 0 || write(file, "\n", 1) != 1) return 1;
    usleep(atoi(words[1]) * 1000);
    return 0;
}
"#;

/// Fails while another run of it goes on.
const LOCKS: &str = r#"
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
int main(void) {
    if (open("lock", O_WRONLY | O_CREAT | O_EXCL, 0666) < 0) {
        fputs("somebody else is at it\n", stderr);
        return 7;
    }
    volatile unsigned long sum = 0;
    for (unsigned long i = 0; i < 8000000; i++) sum += i;
    unlink("lock");
    puts("done");
    return 0;
}
"#;

/// A project with two executables of one program.
fn two(source: &str) -> Project {
    let project = Project::new();
    for name in ["a", "b"] {
        project.write(&format!("{name}.c"), &format!("{source}\nint {name};\n"));
        project.compile(&format!("{name}.c"), name);
    }
    project
}

fn compared(project: &Project, options: &[&str], command: &[&str]) -> Said {
    let mut words = vec!["compare", "a", "b", "--measure-equal"];
    words.extend(options);
    words.extend(["--", "{}"]);
    words.extend(command);
    project.run(&words)
}

/// Reads what stands at a relative path, adds to it, and leaves another file; a second run would
/// find both.
const LEAVES: &str = r#"
#include <stdio.h>
#include <unistd.h>
int main(int count, char **words) {
    char text[100] = "", place[4096];
    FILE *in = fopen(words[count - 1], "r"), *beside = fopen("../beside", "r");
    if (!in || !beside || !fgets(text, 100, in) || access("left", F_OK) == 0) return 1;
    fclose(in);
    FILE *out = fopen(words[count - 1], "w"), *left = fopen("left", "w");
    if (!out || !left || fputs("spoilt", out) < 0) return 2;
    printf("%s in %s\\n", text, getcwd(place, 4096));
    volatile unsigned long sum = 0;
    for (unsigned long i = 0; i < 8000000; i++) sum += i;
    return 0;
}
"#;

#[test]
fn each_run_has_a_copy_of_the_working_folder_in_its_place() {
    if !has(&["cc"]) {
        return;
    }
    if let Err(why) = proofmark_measure::View::usable() {
        return crate::support::skipped(&format!("private mount namespaces: {why}"));
    }
    let project = two(LEAVES);
    fs::create_dir_all(project.path("in/data")).unwrap();
    project.write("beside", "x");
    project.write("in/data/input", "given");
    let quick = ["--blocks", "2", "--rounds", "1"];
    let whole = ["--schedule", "interleaved", "--cwd", "fresh:in"];
    let fresh = [&quick[..], &whole].concat();
    let said = compared(&project, &fresh, &["data/input"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(!said.err.contains("the runs write"), "{}", said.err);
    // The project's own folder, in which the results go and the programs lie.
    let said = project
        .command(&[
            "compare",
            "a",
            "b",
            "--measure-equal",
            "--blocks",
            "2",
            "--rounds",
            "1",
        ])
        .args([
            "--cwd",
            "fresh",
            "--skip",
            "instructions",
            "--schedule",
            "sliced",
            "--",
            "sh",
            "-c",
        ])
        .args(["cd in && exec {} data/input"])
        .output()
        .unwrap();
    let said = Said::from(said);
    assert_eq!(said.code, Some(0), "{said:?}");
    for (path, content) in [("in/data/input", "given"), ("beside", "x")] {
        assert_eq!(fs::read_to_string(project.path(path)).unwrap(), content);
    }
    assert!(!project.path("in/left").exists());
    assert!(recorded(&project).experiment.benchmark.fresh_cwd);
    // Without it the second run finds what the first one has left.
    let said = compared(
        &project,
        &[&quick[..], &["--cwd", "in"]].concat(),
        &["data/input"],
    );
    assert_eq!(said.code, Some(3), "{said:?}");
    let both = ["--cwd", "fresh", "--prepare", "true"];
    let said = compared(&project, &both, &["data/input"]);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(
        said.err.contains("--prepare and --cwd fresh"),
        "{}",
        said.err
    );
}

#[test]
fn programs_with_rights_of_their_own_are_refused_by_name() {
    if !has(&["cc"]) {
        return;
    }
    let project = two(SLEEPS);
    fs::set_permissions(project.path("b"), fs::Permissions::from_mode(0o4755)).unwrap();
    let said = compared(&project, &[], &["1"]);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.err.contains("/b of "), "{}", said.err);
    assert!(said.err.contains("(setuid, setgid)"), "{}", said.err);
    assert_eq!(runs(&project), 0);
}

fn runs(project: &Project) -> usize {
    fs::read_to_string(project.path("runs")).map_or(0, |text| text.lines().count())
}

fn recorded(project: &Project) -> Recorded {
    let store = Store::open(&project.path(".proofmark")).unwrap();
    store.load("latest").unwrap()
}

#[test]
fn a_budget_that_is_too_small_is_refused_before_blocks_begin_and_gone_on_with_by_a_larger_one() {
    if !has(&["cc"]) {
        return;
    }
    let with = |project: &Project, budget| {
        let options = ["--metric", "wall", "--budget", budget, "--format", "json"];
        compared(project, &options, &["100"])
    };
    // On a busy machine the first runs may take all of it.
    let mut tries = (0..4).map(|_| {
        let project = two(SLEEPS);
        let said = with(&project, "2s");
        (project, said)
    });
    let told = "--budget 2s does not hold the 8 blocks";
    let (project, said) = tries.find(|(_, said)| said.err.contains(told)).unwrap();
    assert_eq!(said.code, Some(2), "{said:?}");
    for part in ["a run takes ", "next: --budget "] {
        assert!(said.err.contains(part), "{part}: {}", said.err);
    }
    // Traced for what they read and for what they map, and twice more for what they cost; fewer
    // where the machine is so busy that these tell enough.
    let runs = runs(&project);
    assert!((4..=8).contains(&runs), "{runs}: {}", said.err);
    let refused = recorded(&project);
    assert!(refused.blocks.is_empty() && refused.pilot.is_none());
    let said = with(&project, "5m");
    assert_eq!(said.code, Some(0), "{said:?}");
    let gone_on = recorded(&project);
    assert_eq!(gone_on.id, refused.id);
    assert!(gone_on.conclusion.is_some());
}

/// No interval, and no run beyond the budget: sleeping runs take no longer than they say, whatever
/// else the machine does.
#[test]
fn no_more_runs_are_made_than_a_budget_holds() {
    if !has(&["cc"]) {
        return;
    }
    let project = two(SLEEPS);
    let options = [
        "--metric", "wall", "--budget", "8s", "--blocks", "2..60", "--format", "json",
    ];
    let said = compared(&project, &options, &["300"]);
    // A slow machine may have no time for two blocks.
    assert!(matches!(said.code, Some(0 | 2)), "{said:?}");
    // A round of two more, and the two that are traced before the clock is looked at again.
    let most = 8_000 / 300 + 4;
    assert!(runs(&project) <= most, "{} runs", runs(&project));
    let project = two(SLEEPS);
    let said = project.run(&[
        "null", "a", "--metric", "wall", "--budget", "3s", "--", "{}", "700",
    ]);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.err.contains("--budget 3s"), "{}", said.err);
    assert!(runs(&project) <= 3000 / 700 + 4, "{} runs", runs(&project));
}

#[test]
fn builds_that_lock_each_other_out_are_run_one_after_the_other() {
    if !has(&["cc"]) {
        return;
    }
    let project = two(LOCKS);
    let options = [
        "--blocks", "2", "--rounds", "1", "--margin", "50%", "--fresh",
    ];
    let alone = "exited with 7 where another run goes on at the same time, and not by itself";
    // On a busy machine another reason to run them whole may be met first.
    let mut tries = (0..4).map(|_| compared(&project, &options, &[]));
    let said = tries.find(|said| said.err.contains(alone)).unwrap();
    // Of executables a block of one round is one run of each.
    assert!(said.err.contains("the runs write lock in "), "{}", said.err);
    assert!(
        said.err
            .contains("a block makes 2 runs there, all blocks at most 4"),
        "{}",
        said.err
    );
    assert_eq!(said.code, Some(0), "{said:?}");
    let pilot = recorded(&project).pilot.unwrap();
    assert!(pilot.reason.contains(alone), "{}", pilot.reason);
    assert!(!pilot.company);
    let options = [
        "--blocks",
        "2",
        "--rounds",
        "1",
        "--schedule",
        "sliced",
        "--fresh",
    ];
    let said = compared(&project, &options, &[]);
    assert_eq!(said.code, Some(3), "{said:?}");
    for part in [
        "exited with 7",
        "it said: somebody else is at it",
        "the builds run at the same time here",
        "--schedule interleaved runs them one after the other",
    ] {
        assert!(said.err.contains(part), "{part}: {}", said.err);
    }
    let options = [
        "--blocks",
        "2",
        "--rounds",
        "1",
        "--schedule",
        "interleaved",
    ];
    let said = compared(&project, &options, &[]);
    assert_eq!(said.code, Some(0), "{said:?}");
}
