//! Limits of a trace, and what cannot be traced.

use std::process::Command;
use std::time::Duration;

use proofmark_measure::trace::{TraceLimits, Untraceable, trace as trace_launch};
use proofmark_measure::{End, Interrupt, Launch, MeasureError};

use super::{program, traced};
use crate::support::LONG;

#[test]
fn limits_hold_and_what_was_seen_is_kept() {
    let program =
        program("open(\"missing\", O_RDONLY); if (!fork()) for (;;) pause(); for (;;) pause();");
    let found = program
        .within(TraceLimits {
            time: Duration::from_millis(300),
            ..TraceLimits::default()
        })
        .unwrap();
    assert_eq!(found.end, End::TimedOut);
    assert_eq!(found.family.processes, 1);
    assert!(found.read.contains_key(&program.at("missing")));
}

#[test]
fn lists_have_an_end() {
    let program = program(
        "char n[20]; for (int i = 0; i < 50; i++) { sprintf(n, \"file%d\", i); open(n, O_RDONLY); open(n, O_RDONLY); }",
    );
    let found = program
        .within(TraceLimits {
            entries: 10,
            ..TraceLimits::default()
        })
        .unwrap();
    assert_eq!(found.read.len(), 10);
    assert!(found.left_off >= 40);
}

#[test]
fn too_much_output_ends_the_run() {
    let limits = TraceLimits {
        output: 1 << 16,
        ..TraceLimits::default()
    };
    let error = program("for (;;) puts(\"more\");")
        .within(limits)
        .unwrap_err();
    assert!(matches!(
        error,
        Untraceable::Run(MeasureError::TooMuchOutput {
            limit: 0x1_0000,
            ..
        })
    ));
}

#[test]
fn a_raised_flag_ends_the_run() {
    let program = program("for (;;) pause();");
    let stop = Interrupt::new();
    stop.request();
    let error = trace_launch(&program.launch, &TraceLimits::default(), &stop).unwrap_err();
    assert!(matches!(error, Untraceable::Run(MeasureError::Interrupted)));
}

#[test]
fn a_program_that_traces_is_named() {
    let found = traced(
        "if (!fork()) { _exit(ptrace(PTRACE_TRACEME, 0, 0, 0) != 0); } int s; wait(&s); return WEXITSTATUS(s);",
    );
    assert!(found.traces);
    assert_eq!(found.end, End::Exited(1), "it fails under a tracer");
}

#[test]
fn a_program_that_hides_a_process_is_refused_by_name() {
    let error = program(
        "if (!syscall(SYS_clone, CLONE_UNTRACED | SIGCHLD, 0, 0, 0, 0)) _exit(0); wait(0);",
    )
    .within(TraceLimits::default())
    .unwrap_err();
    assert!(matches!(error, Untraceable::Hidden), "{error}");
}

#[test]
fn what_cannot_be_traced_is_refused_by_name() {
    use std::os::unix::fs::PermissionsExt as _;
    let mut program = program("");
    let mode = std::fs::Permissions::from_mode(0o4755);
    std::fs::set_permissions(&program.launch.program, mode).unwrap();
    let error = program.within(TraceLimits::default()).unwrap_err();
    assert!(matches!(error, Untraceable::Privileged { .. }), "{error}");
    program.launch.program = program.at("no such program");
    let error = program.within(TraceLimits::default()).unwrap_err();
    assert!(
        matches!(error, Untraceable::Run(MeasureError::NotFound { .. })),
        "{error}"
    );
    program.launch.program = "/bin/true".into();
    program.launch.cwd = "/no/such/folder".into();
    let error = program.within(TraceLimits::default()).unwrap_err();
    assert!(
        matches!(error, Untraceable::Run(MeasureError::Folder { .. })),
        "{error}"
    );
    let script = program.write("script");
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&script, mode).unwrap();
    program.launch.cwd = "/".into();
    program.launch.program = script;
    let error = program.within(TraceLimits::default()).unwrap_err();
    assert!(
        matches!(error, Untraceable::Run(MeasureError::NotAProgram { .. })),
        "{error}"
    );
}

/// The inner half of the next test.
#[test]
#[ignore = "only under a tracer"]
fn under_a_tracer() {
    let error = program("").within(TraceLimits::default()).unwrap_err();
    assert!(
        matches!(error, Untraceable::AlreadyTraced { .. }),
        "{error}"
    );
}

#[test]
fn a_program_that_is_traced_already_is_refused_by_name() {
    let mut launch = Launch::new(std::env::current_exe().unwrap(), LONG);
    launch.args = vec![
        "trace::limits::under_a_tracer".into(),
        "--exact".into(),
        "--ignored".into(),
    ];
    launch.env = vec![("PATH".into(), std::env::var_os("PATH").unwrap())];
    let limits = TraceLimits {
        time: LONG,
        ..TraceLimits::default()
    };
    let found = trace_launch(&launch, &limits, &Interrupt::new()).unwrap();
    assert!(
        found.stdout.text().contains("1 passed"),
        "{}",
        found.stdout.text()
    );
    assert!(found.traces);
}

#[test]
fn children_of_this_process_are_left_alone() {
    let mut own = Command::new("sleep").arg("60").spawn().unwrap();
    let found = traced("if (!fork()) _exit(0); wait(0);");
    assert_eq!(found.family.processes, 1);
    assert_eq!(own.try_wait().unwrap(), None);
    own.kill().unwrap();
    own.wait().unwrap();
}

#[test]
fn several_traces_at_a_time_do_not_meet() {
    let program = program("for (int i = 0; i < 20; i++) { if (!fork()) _exit(0); wait(0); }");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let found = program.trace();
                assert_eq!((found.family.processes, found.reaping.waited), (20, 20));
                assert_eq!(found.end, End::Exited(0));
            });
        }
    });
}
