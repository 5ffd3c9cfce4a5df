//! One run: what the program is given, and what is read off it, by programs whose answers are
//! known.
#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that meets the unexpected stops there and then, and says what it skips"
)]

mod support;

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::Duration;

use proofmark_measure::{
    End, Grouping, Instrument, InstrumentOptions, Interrupt, Launch, MeasureError, Outcome, Peak,
};
use support::{LONG, TRIES, core, instruments, known, launch};

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

#[test]
fn peak_memory_is_of_that_very_child_even_after_a_large_neighbour() {
    // This process itself is large as well.
    let ballast = std::hint::black_box(vec![1_u8; 200 << 20]);
    for instrument in instruments() {
        // A small one may need less than the launcher, which keeps what lies around its stack: a
        // part of the ballast, where that is next to it.
        let small_before = instrument
            .run(&launch(&["touch", "0"]))
            .unwrap()
            .peak
            .or_bound();
        let large = bytes(&instrument.run(&launch(&["touch", "300"])).unwrap());
        let small_after = instrument
            .run(&launch(&["touch", "0"]))
            .unwrap()
            .peak
            .or_bound();
        assert!((300 << 20..340 << 20).contains(&large), "{large}");
        assert!(small_before < 20 << 20, "{small_before}");
        assert!(small_after < 20 << 20, "{small_after}");
        let middle = bytes(&instrument.run(&launch(&["touch", "30"])).unwrap());
        assert!((30 << 20..50 << 20).contains(&middle), "{middle}");
    }
    assert_eq!(ballast.len(), 200 << 20);
}

fn bytes(outcome: &Outcome) -> u64 {
    match outcome.peak {
        Peak::Bytes(bytes) => bytes,
        Peak::AtMost(floor) => panic!("below the launcher's own {floor} bytes"),
        Peak::AtLeast(_) => panic!("not all of its processes were seen to end"),
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
    again.args(["--exact", "a_limit_of_few_open_files_is_enough"]);
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
fn peak_memory_below_the_launchers_own_is_no_number() {
    // It does nothing, and has next to no memory.
    const NOTHING: &str = "void _start(void) { __builtin_trap(); }";
    let folder = tempfile::tempdir().unwrap();
    let (source, program) = (
        folder.path().join("nothing.c"),
        folder.path().join("nothing"),
    );
    std::fs::write(&source, NOTHING).unwrap();
    let mut cc = Command::new("cc");
    cc.args(["-static", "-nostdlib"]).arg(&source);
    assert!(cc.arg("-o").arg(&program).status().unwrap().success());
    for instrument in instruments() {
        // The launcher grows by what it does.
        for _ in 0..20 {
            let outcome = instrument.run(&Launch::new(&program, LONG)).unwrap();
            assert!(
                matches!(outcome.peak, Peak::AtMost(_)),
                "{:?}",
                outcome.peak
            );
        }
    }
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

fn refused(program: &std::path::Path) -> MeasureError {
    let instrument = Instrument::new(InstrumentOptions::default()).unwrap();
    let error = instrument.run(&Launch::new(program, LONG)).unwrap_err();
    assert_eq!(
        instrument.run(&launch(&["exit", "3"])).unwrap().end,
        End::Exited(3),
        "a refusal spoils nothing"
    );
    error
}

fn file(folder: &tempfile::TempDir, content: &[u8], mode: u32) -> std::path::PathBuf {
    let path = folder.path().join("a program");
    std::fs::write(&path, content).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
    path
}

#[test]
fn what_cannot_be_run_is_refused_with_its_reason() {
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(
        refused(&folder.path().join("missing")),
        MeasureError::NotFound { .. }
    ));
    assert!(matches!(
        refused(folder.path()),
        MeasureError::NotAFile { .. }
    ));
    assert!(matches!(
        refused(&file(&folder, b"\x7fELF", 0o644)),
        MeasureError::NotExecutable { .. }
    ));
    assert!(matches!(
        refused(&file(&folder, b"echo no first line\n", 0o755)),
        MeasureError::NotAProgram { .. }
    ));
    assert!(matches!(
        refused(&file(&folder, b"", 0o755)),
        MeasureError::NotAProgram { .. }
    ));
    let elf = std::fs::read(known()).unwrap();
    assert!(matches!(
        refused(&file(&folder, &elf[..100], 0o755)),
        MeasureError::NotAProgram { .. } | MeasureError::System { .. }
    ));
    let error = refused(&file(&folder, b"#!/no/such/interpreter -x\n", 0o755));
    assert!(
        matches!(&error, MeasureError::NoInterpreter { interpreter, .. } if interpreter == "/no/such/interpreter"),
        "{error}"
    );
}

#[test]
fn a_script_runs() {
    let folder = tempfile::tempdir().unwrap();
    let script = file(&folder, b"#!/bin/sh\necho from a script\n", 0o755);
    let instrument = Instrument::new(InstrumentOptions::default()).unwrap();
    let outcome = instrument.run(&Launch::new(script, LONG)).unwrap();
    assert_eq!(outcome.stdout.text(), "from a script\n");
}

#[test]
fn a_bad_launch_is_refused() {
    let instrument = Instrument::new(InstrumentOptions::default()).unwrap();
    let change = |edit: &dyn Fn(&mut Launch)| {
        let mut launch = launch(&["exit", "0"]);
        edit(&mut launch);
        instrument.run(&launch).unwrap_err()
    };
    assert!(matches!(
        change(&|launch| launch.cwd = "/no/such/folder".into()),
        MeasureError::Folder { .. }
    ));
    assert!(matches!(
        change(&|launch| launch.stdin = Some("/no/such/file".into())),
        MeasureError::Stdin { .. }
    ));
    assert!(matches!(
        change(&|launch| launch.core = Some(1023)),
        MeasureError::Core { core: 1023, .. }
    ));
    assert!(matches!(
        change(&|launch| launch.core = Some(1_000_000)),
        MeasureError::Core { .. }
    ));
    assert!(matches!(
        change(&|launch| launch.args.push("a\0b".into())),
        MeasureError::BadText(_)
    ));
    assert!(matches!(
        change(&|launch| launch.env.push(("a=b".into(), "c".into()))),
        MeasureError::BadText(_)
    ));
    assert!(matches!(
        change(&|launch| launch.args.push("x".repeat(4 << 20).into())),
        MeasureError::TooLong {
            bytes: 0x10_0000..,
            limit: 1..
        }
    ));
    assert!(matches!(
        change(&|launch| launch.args.push("x".repeat(1 << 20).into())),
        MeasureError::TooLong {
            bytes: 0x10_0000..,
            limit: 1..
        }
    ));
    assert_eq!(
        instrument.run(&launch(&["exit", "0"])).unwrap().end,
        End::Exited(0)
    );
}

#[test]
fn without_cgroups_the_instrument_says_why() {
    let instruments = instruments();
    assert!(matches!(instruments[1].grouping(), Grouping::Signals { why } if why == "not wanted"));
    match instruments[0].grouping() {
        Grouping::CgroupV2 => {}
        Grouping::CgroupV1 { why } | Grouping::Signals { why } => assert!(!why.is_empty()),
    }
}
