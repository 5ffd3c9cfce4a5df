//! CPU time is that of everything that a run started, whoever waits for it: for every kind of user,
//! or it is no number.

use std::borrow::BorrowMut;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::support::{core, instruments, known, launch};
use proofmark_measure::{
    Accounted, Accounting, CgroupUse, Grouping, Instrument, InstrumentOptions, Launch, Outcome,
    Peak, Short, Turns, value,
};
use proofmark_terms::Metric;

/// What the children burn; everything else of the programs takes a few milliseconds.
const BURNT: Duration = Duration::from_millis(50);

fn unreaped(kind: &str) -> Launch {
    launch(&[kind, "50"])
}

fn by_signals() -> Instrument {
    Instrument::new(InstrumentOptions {
        cgroup: CgroupUse::Never,
        ..InstrumentOptions::default()
    })
    .unwrap()
}

/// Ways in which the children go, and whether the kernel reaps them by itself.
const UNREAPED: [(&str, bool); 6] = [
    ("ignored", true),
    ("unwanted", true),
    ("deeper", true),
    ("deeper-unwanted", true),
    ("detached", false),
    ("estranged", false),
];

/// Printed where the task clock is refused.
const FORBIDDEN: &str = "the task clock is refused";

/// Whether the number is all that was burnt, or said to be none.
fn whole_or_refused(outcome: &Outcome, kind: &str) {
    assert_eq!(outcome.children_left, 0, "{kind}");
    match outcome.accounted {
        Accounted::Short(_) => assert!(value(&Metric::CpuTime, outcome).is_err()),
        // The end of a process is not on the task clock.
        _ => assert!(outcome.cpu + BURNT / 20 >= BURNT, "{kind}: {outcome:?}"),
    }
}

#[test]
fn children_that_nobody_waits_for_are_counted_by_every_instrument() {
    for instrument in instruments() {
        for (kind, by_the_kernel) in UNREAPED {
            let outcome = instrument.run(&unreaped(kind)).unwrap();
            whole_or_refused(&outcome, kind);
            if perf_is_allowed() {
                assert!(!matches!(outcome.accounted, Accounted::Short(_)), "{kind}");
            } else if by_the_kernel && *instrument.grouping() != Grouping::CgroupV2 {
                println!("{FORBIDDEN}");
                let Accounted::Short(why) = outcome.accounted else {
                    panic!("{kind}: {outcome:?}");
                };
                let unseen = matches!(why, Short::Unseen(_)) && !filters_are_allowed();
                assert!(unseen || matches!(why, Short::Ignored(_)), "{kind}");
            }
        }
    }
}

#[test]
fn peak_memory_is_of_a_process_that_nobody_waited_for_too_or_unknown() {
    for instrument in instruments() {
        for (kind, by_the_kernel) in UNREAPED {
            let wanted = Launch {
                peak: true,
                ..launch(&[kind, "1", "40"])
            };
            match instrument.run(&wanted).unwrap().peak {
                Peak::Bytes(bytes) => assert!(!by_the_kernel && bytes > 40 << 20, "{kind}"),
                Peak::AtMost(_) => panic!("{kind}: it has 40 MiB"),
                Peak::AtLeast(_) => assert!(by_the_kernel || !filters_are_allowed(), "{kind}"),
            }
        }
        let wanted = Launch {
            peak: true,
            ..launch(&["touch", "30"])
        };
        let alone = instrument.run(&wanted).unwrap();
        // Nobody sees that it has no children where others are born meanwhile.
        let unseen = matches!(alone.peak, Peak::AtLeast(_)) && !filters_are_allowed();
        assert!(unseen || matches!(alone.peak, Peak::Bytes(bytes) if bytes > 30 << 20));
    }
}

/// The other tests of this file once more, where the kernel refuses perf events; and by a user who
/// may make no cgroup.
#[test]
fn the_same_holds_for_those_who_have_less() {
    if std::env::var_os(AGAIN).is_some() {
        return;
    }
    let this = std::env::current_exe().unwrap();
    let known = known();
    let alone = ["accounting::", "--test-threads=1", "--nocapture"];
    let mut without = Command::new(&known);
    without.args(["without", "perf"]).arg(&this).args(alone);
    again(without, "perf");
    // SAFETY: asks who we are.
    if unsafe { libc::geteuid() } == 0 {
        use std::os::unix::process::CommandExt;
        // Build folders may be closed to others.
        let folder = tempfile::tempdir().unwrap();
        std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755)).unwrap();
        let place = |file: &Path, name: &str| {
            let to = folder.path().join(name);
            std::fs::create_dir_all(to.parent().unwrap()).unwrap();
            std::fs::copy(file, &to).unwrap();
            to
        };
        let there = place(&this, "deps/accounting");
        let known = place(&known, "examples/known");
        let mut nobody = Command::new(&there);
        nobody.args(alone).uid(65534).gid(65534);
        again(nobody, "");
        for refused in ["perf", "perf,filters"] {
            let mut nobody = Command::new(&known);
            nobody.args(["without", refused]).arg(&there).args(alone);
            again(nobody.uid(65534).gid(65534), refused);
        }
    }
}

/// Set for the tests that are run again: what they are refused.
const AGAIN: &str = "PROOFMARK_TEST_ACCOUNTING_AGAIN";

fn again(mut command: impl BorrowMut<Command>, refused: &str) {
    let command = command.borrow_mut().env(AGAIN, refused).current_dir("/");
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{command:?}: {said}");
    assert!(said.contains("test result: ok. 7 passed"), "{said}");
    let forbidden = said.contains(FORBIDDEN);
    assert!(forbidden || refused.is_empty(), "{said}");
}

/// Whether this process may have the kernel ask about calls of what it starts.
fn filters_are_allowed() -> bool {
    let action = libc::SECCOMP_RET_USER_NOTIF;
    let asked = libc::SECCOMP_GET_ACTION_AVAIL;
    // SAFETY: reads a number.
    unsafe { libc::syscall(libc::SYS_seccomp, asked, 0, std::ptr::from_ref(&action)) == 0 }
}

/// Whether this process may count task clocks.
fn perf_is_allowed() -> bool {
    let mut launch = unreaped("ignored");
    launch.accounting = Accounting::TaskClock;
    by_signals().run(&launch).unwrap().accounted == Accounted::TaskClock
}

#[test]
fn a_program_whose_children_are_all_waited_for_is_told_by_those_who_waited() {
    let instrument = by_signals();
    for kind in ["burn", "parallel", "detached", "waited"] {
        let mut outcome = instrument.run(&unreaped(kind)).unwrap();
        // A hypervisor that takes the core away shows in the clock alone, whose account is then as
        // good; it is not away for twenty runs.
        for _ in 1..20 {
            if outcome.accounted != Accounted::TaskClock {
                break;
            }
            outcome = instrument.run(&unreaped(kind)).unwrap();
        }
        let unseen = matches!(outcome.accounted, Accounted::Short(Short::Unseen(_)));
        if perf_is_allowed() || filters_are_allowed() {
            assert_eq!(outcome.accounted, Accounted::Waited, "{kind}");
        } else {
            // Nobody could see that all were waited for.
            assert!(unseen || outcome.accounted == Accounted::Waited, "{kind}");
            assert!(unseen || kind == "burn", "{kind}: {outcome:?}");
        }
        assert!(outcome.cpu >= BURNT, "{kind}");
    }
}

#[test]
fn side_by_side_every_run_has_its_own() {
    for instrument in instruments() {
        for kind in ["ignored", "detached", "estranged"] {
            let arms: Vec<Launch> = [kind, "burn", kind]
                .iter()
                .map(|kind| {
                    let mut arm = unreaped(kind);
                    arm.core = Some(core());
                    if kind != &"detached" {
                        arm.accounting = Accounting::TaskClock;
                    }
                    arm
                })
                .collect();
            let turns = Turns::Sliced {
                slices: vec![Duration::from_millis(2); 3],
                order_seed: 1,
            };
            let outcomes = instrument.round(&arms, &turns).unwrap();
            for outcome in &outcomes {
                whole_or_refused(outcome, kind);
                assert!(outcome.cpu < BURNT * 2, "{kind}: {outcome:?}");
            }
        }
    }
}

/// As a user who is refused the task clock.
#[test]
fn a_stray_among_several_runs_is_nobodys() {
    let mut arm = unreaped("estranged");
    arm.core = Some(core());
    arm.accounting = Accounting::Waited;
    let turns = Turns::Sliced {
        slices: vec![Duration::from_millis(2); 2],
        order_seed: 1,
    };
    let outcomes = by_signals().round(&[arm.clone(), arm], &turns).unwrap();
    assert!(
        outcomes
            .iter()
            .any(|outcome| outcome.accounted == Accounted::Short(Short::Stray)),
        "{outcomes:?}"
    );
}

#[test]
fn a_program_without_children_loses_nothing_by_ignoring_them() {
    let outcome = by_signals().run(&unreaped("alone")).unwrap();
    whole_or_refused(&outcome, "alone");
}
