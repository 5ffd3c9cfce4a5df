//! Interrupted at any moment, nothing finished is lost: kills, Ctrl-C, a second comparison, a lost
//! object, a full disk.

#![expect(clippy::print_stdout, reason = "a test that does nothing says so")]

mod disk;
mod held;
mod killed;

use std::fs;
use std::io::Read as _;
use std::process::Child;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::support::Project;
use proofmark_evidence::record::Block;
use proofmark_evidence::{Recorded, Store};

/// Longer than any process takes to die; only a failure waits for it.
const LONG: Duration = Duration::from_secs(60);

/// Between two looks at a store, each of which reads all of it: what is looked at is measured on
/// the same cores.
pub(crate) const BETWEEN: Duration = Duration::from_millis(20);

/// A project with the builds `base` and `new` of the gate.
fn gate() -> Project {
    let project = Project::new();
    for (name, word) in [("base", 1), ("new", 2)] {
        let build = format!(
            "cc -O1 -c gate.c && cc -O1 -DWORD={word} -c gate_name.c && cc -o gate gate.o gate_name.o"
        );
        project.done(&["capture", name, "--", "sh", "-c", &build]);
    }
    project
}

/// A comparison of so many blocks, each of one round that does not depend on the pilot.
fn comparison(blocks: &str, schedule: &str, prepare: &str, how: &[&str]) -> Vec<String> {
    let mut words = vec!["compare", "base", "new", "--seed", "7", "--rounds", "1"];
    words.extend(["--skip", "instructions", "--format", "csv"]);
    words.push("--measure-equal");
    words.extend(["--blocks", blocks, "--schedule", schedule]);
    if !prepare.is_empty() {
        words.extend(["--prepare", prepare]);
    }
    words.extend(how);
    words.extend(["--", "{}"]);
    words.into_iter().map(str::to_owned).collect()
}

fn words(command: &[String]) -> Vec<&str> {
    command.iter().map(String::as_str).collect()
}

/// The latest experiment; none before the first one was begun.
pub(crate) fn recorded(project: &Project) -> Option<Recorded> {
    Store::open(&project.path(".proofmark"))
        .ok()?
        .load("latest")
        .ok()
}

/// The finished blocks of the latest experiment.
fn blocks(project: &Project) -> Vec<Block> {
    recorded(project)
        .map(|recorded| recorded.blocks)
        .unwrap_or_default()
}

/// Processes that run an image of this project, whatever state they are in. An image runs where its
/// build left it.
fn measured(project: &Project) -> Vec<String> {
    let folder = project.path("").canonicalize().unwrap();
    let processes = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    processes
        .filter(|process| {
            fs::read_link(process.path().join("exe")).is_ok_and(|exe| exe.starts_with(&folder))
        })
        .map(|process| process.file_name().to_string_lossy().into_owned())
        .collect()
}

/// Every measured process is gone, or goes now: the kernel ends them after their parent, not with
/// it.
fn all_gone(project: &Project) {
    let began = Instant::now();
    while !measured(project).is_empty() {
        assert!(
            began.elapsed() < LONG,
            "left behind: {:?}",
            measured(project)
        );
        sleep(Duration::from_millis(1));
    }
}

/// What a child that has ended wrote to its standard error.
fn text(child: &mut Child) -> String {
    let mut text = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    text
}
