//! One run: what the program is given, and what is read off it, by programs whose answers are
//! known.
mod heap;
mod memory;
mod refused;

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::Duration;

use crate::support::{TRIES, core, instruments, launch};
use proofmark_measure::{End, Instrument, InstrumentOptions, Interrupt, MeasureError, Outcome};

fn seen(outcome: &Outcome, word: &str) -> String {
    let text = outcome.stdout.text().into_owned();
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(word))
        .unwrap_or_else(|| panic!("no {word} in {text}"));
    line.trim().to_owned()
}

#[test]
fn a_program_is_given_exactly_what_the_launch_says() {
    let folder = tempfile::tempdir().unwrap();
    let cwd = folder.path().canonicalize().unwrap().join("a b");
    std::fs::create_dir(&cwd).unwrap();
    let odd = OsString::from_vec(vec![b'n', 0xff, b' ']);
    for instrument in instruments() {
        let mut launch = launch(&["show", "one two", ""]);
        launch.args.push(odd.clone());
        launch.argv0 = "its-name".into();
        launch.env = vec![("A".into(), odd.clone()), ("EMPTY".into(), "".into())];
        launch.cwd.clone_from(&cwd);
        launch.core = Some(core());
        launch.aslr = false;
        let outcome = instrument.run(&launch).unwrap();
        assert_eq!(outcome.end, End::Exited(0), "{}", outcome.stderr.text());
        assert_eq!(seen(&outcome, "name"), r#"Some("its-name")"#);
        assert_eq!(seen(&outcome, "arguments"), r#"["one two", "", "n\xFF "]"#);
        assert_eq!(
            seen(&outcome, "environment"),
            r#"[("A", "n\xFF "), ("EMPTY", "")]"#
        );
        assert_eq!(seen(&outcome, "folder"), format!("Ok({cwd:?})"));
        assert_eq!(seen(&outcome, "leader"), "true");
        assert_eq!(seen(&outcome, "randomised"), "false");
        assert_eq!(seen(&outcome, "terminal"), "0");
        assert_eq!(seen(&outcome, "cores"), format!("[{}]", core()));
        assert_eq!(seen(&outcome, "blocked"), "[]");
        assert_eq!(seen(&outcome, "open"), "[0, 1, 2]");
        assert_eq!(seen(&outcome, "slack"), "50000");
    }
}

#[test]
fn the_next_program_is_not_bound_by_the_one_before() {
    for instrument in instruments() {
        let mut pinned = launch(&["show"]);
        (pinned.core, pinned.aslr) = (Some(core()), false);
        instrument.run(&pinned).unwrap();
        let free = instrument.run(&launch(&["show"])).unwrap();
        let allowed = rustix::thread::sched_getaffinity(None).unwrap();
        assert_eq!(
            seen(&free, "cores").split(',').count(),
            allowed.count() as usize
        );
        assert_eq!(seen(&free, "randomised"), "true");
    }
}

#[test]
fn input_comes_from_the_file_and_outputs_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("input");
    std::fs::write(&input, "hello\n").unwrap();
    for instrument in instruments() {
        let mut launch = launch(&["echo"]);
        launch.stdin = Some(input.clone());
        let outcome = instrument.run(&launch).unwrap();
        assert_eq!(outcome.stdout.kept, b"hello\n");
        assert_eq!(outcome.stderr.text(), "read 6 bytes\n");
        assert_eq!(outcome.stdout.digest, blake3::hash(b"hello\n"));
        launch.stdin = None;
        assert_eq!(
            instrument.run(&launch).unwrap().stderr.text(),
            "read 0 bytes\n"
        );
    }
}

/// They share one position in the file, as they would in one that a shell opened.
#[test]
fn processes_that_print_at_the_same_time_lose_nothing() {
    let lines = "i=0; while [ $i -lt 400 ]; do echo $i; i=$((i+1)); done";
    let both = format!("for each in 1 2 3 4 5 6; do ({lines}) & ({lines}) >&2 & done; wait");
    let mut shell = launch(&[]);
    shell.program = "/bin/sh".into();
    shell.args = vec!["-c".into(), both.into()];
    for instrument in instruments() {
        for _ in 0..3 {
            let outcome = instrument.run(&shell).unwrap();
            assert_eq!(outcome.end, End::Exited(0));
            let written: usize = (0..400).map(|each: u32| each.to_string().len() + 1).sum();
            let lengths = [outcome.stdout.length, outcome.stderr.length];
            assert_eq!(lengths, [6 * written as u64; 2]);
        }
    }
}

#[test]
fn ends_are_told_apart() {
    for instrument in instruments() {
        assert_eq!(
            instrument.run(&launch(&["exit", "0"])).unwrap().end,
            End::Exited(0)
        );
        assert_eq!(
            instrument.run(&launch(&["exit", "77"])).unwrap().end,
            End::Exited(77)
        );
        assert_eq!(
            instrument.run(&launch(&["signal", "15"])).unwrap().end,
            End::Signalled(15)
        );
        let mut hanging = launch(&["hang"]);
        hanging.timeout = Duration::from_millis(30);
        assert_eq!(instrument.run(&hanging).unwrap().end, End::TimedOut);
        let mut spinning = launch(&["spin"]);
        spinning.timeout = Duration::from_millis(30);
        assert_eq!(instrument.run(&spinning).unwrap().end, End::TimedOut);
        assert_eq!(
            instrument.run(&launch(&["exit", "0"])).unwrap().end,
            End::Exited(0),
            "a timeout spoils nothing"
        );
    }
}

/// The program says itself how much CPU time it had used just before it ended.
#[test]
fn cpu_time_is_what_the_program_itself_is_told() {
    for instrument in instruments() {
        for milliseconds in [20, 200] {
            let launch = launch(&["burn", &milliseconds.to_string()]);
            let more = (0..TRIES).map(|_| {
                let outcome = instrument.run(&launch).unwrap();
                let own = Duration::from_micros(seen(&outcome, "cpu").parse().unwrap());
                outcome.cpu.checked_sub(own).unwrap()
            });
            let least = more.min().unwrap();
            assert!(least < Duration::from_millis(20), "{least:?} more");
        }
    }
}

#[test]
fn cpu_time_includes_children() {
    for instrument in instruments() {
        let outcome = instrument.run(&launch(&["parallel", "40"])).unwrap();
        assert!(
            outcome.cpu >= Duration::from_millis(80),
            "{:?}",
            outcome.cpu
        );
    }
}

/// Set for the test that is run again with a limit.
const FEW_FILES: &str = "PROOFMARK_TEST_FEW_FILES";

#[test]
fn a_limit_of_few_open_files_is_enough() {
    if std::env::var_os(FEW_FILES).is_some() {
        for instrument in instruments() {
            let outcome = instrument.run(&launch(&["exit", "3"])).unwrap();
            assert_eq!(outcome.end, End::Exited(3));
        }
        return;
    }
    // Fewer than the launcher could have runs.
    let few = rustix::process::Rlimit {
        current: Some(48),
        maximum: Some(48),
    };
    let mut again = Command::new(std::env::current_exe().unwrap());
    again.args(["--exact", "run::a_limit_of_few_open_files_is_enough"]);
    again.env(FEW_FILES, "");
    // SAFETY: one system call.
    unsafe {
        again.pre_exec(move || {
            rustix::process::setrlimit(rustix::process::Resource::Nofile, few).map_err(Into::into)
        });
    }
    let mut child = again.spawn().unwrap();
    // A minute at the most.
    let ended = (0..6000).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        child.try_wait().unwrap().is_some()
    });
    if !ended {
        child.kill().unwrap();
    }
    let status = child.wait().unwrap();
    assert!(
        ended && status.success(),
        "it did not end by itself, or failed: {status}"
    );
}

#[test]
fn children_left_behind_are_ended_and_counted() {
    for instrument in instruments() {
        for kind in ["orphan", "escape"] {
            let outcome = instrument.run(&launch(&[kind])).unwrap();
            assert_eq!(outcome.end, End::Exited(0));
            assert!(
                (1..=2).contains(&outcome.children_left),
                "{kind}: {}",
                outcome.children_left
            );
        }
        assert_eq!(
            instrument
                .run(&launch(&["exit", "0"]))
                .unwrap()
                .children_left,
            0
        );
    }
}

#[test]
fn who_ends_right_after_the_program_is_not_left_behind() {
    for instrument in instruments() {
        for _ in 0..5 {
            let outcome = instrument.run(&launch(&["follow"])).unwrap();
            assert_eq!(outcome.children_left, 0);
        }
    }
}

#[test]
fn too_much_output_ends_the_run() {
    let options = InstrumentOptions {
        output_limit: 1 << 20,
        ..InstrumentOptions::default()
    };
    let instrument = Instrument::new(options).unwrap();
    assert!(matches!(
        instrument.run(&launch(&["flood"])),
        Err(MeasureError::TooMuchOutput {
            limit: 0x10_0000,
            ..
        })
    ));
    assert_eq!(
        instrument
            .run(&launch(&["print", "1000"]))
            .unwrap()
            .stdout
            .length,
        1000
    );
}

#[test]
fn a_raised_flag_ends_what_runs() {
    let stop = Interrupt::new();
    let instrument = Instrument::new(InstrumentOptions {
        stop: stop.clone(),
        ..InstrumentOptions::default()
    })
    .unwrap();
    let raiser = std::thread::spawn(move || stop.request());
    assert!(matches!(
        instrument.run(&launch(&["hang"])),
        Err(MeasureError::Interrupted)
    ));
    raiser.join().unwrap();
}
