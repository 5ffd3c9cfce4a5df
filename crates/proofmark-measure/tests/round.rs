//! Several programs side by side: that their turns change neither what they do nor what they cost.

use std::time::Duration;

use crate::support::{TRIES, core, instruments, launch};
use proofmark_measure::{
    CgroupUse, End, Instrument, InstrumentOptions, Interrupt, Launch, MeasureError, Outcome,
    Stretch, Turns,
};

fn pinned(arguments: &[&str]) -> Launch {
    let mut launch = launch(arguments);
    launch.core = Some(core());
    launch
}

fn sliced(arms: usize, microseconds: u64) -> Turns {
    Turns::Sliced {
        slices: vec![Duration::from_micros(microseconds); arms],
        order_seed: 5,
    }
}

#[test]
fn sliced_arms_print_what_they_print_alone() {
    for instrument in instruments() {
        let arms = [
            pinned(&["print", "100000"]),
            pinned(&["exit", "4"]),
            pinned(&["echo"]),
            pinned(&["signal", "9"]),
        ];
        let together = instrument.round(&arms, &sliced(4, 300)).unwrap();
        for (arm, outcome) in arms.iter().zip(&together) {
            let alone = instrument.run(arm).unwrap();
            assert_eq!(
                (alone.end, &alone.stdout, &alone.stderr),
                (outcome.end, &outcome.stdout, &outcome.stderr)
            );
        }
    }
}

fn own_cpu(outcome: &Outcome) -> Duration {
    let text = outcome.stdout.text();
    Duration::from_micros(
        text.trim()
            .strip_prefix("cpu ")
            .and_then(|number| number.parse().ok())
            .expect("the program prints its own CPU time"),
    )
}

#[test]
fn cpu_time_is_clean_of_pauses() {
    for instrument in instruments() {
        let arms = [
            pinned(&["burn", "60"]),
            pinned(&["burn", "30"]),
            pinned(&["burn", "90"]),
        ];
        let mut least = [Duration::MAX; 3];
        for _ in 0..TRIES {
            let outcomes = instrument.round(&arms, &sliced(3, 1000)).unwrap();
            let total: Duration = outcomes.iter().map(|outcome| outcome.cpu).sum();
            for (outcome, least) in outcomes.iter().zip(&mut least) {
                assert_eq!(outcome.end, End::Exited(0));
                *least = (*least).min(outcome.cpu.checked_sub(own_cpu(outcome)).unwrap());
            }
            // One core: whoever ends last was there while all of it was done.
            assert!(
                outcomes
                    .iter()
                    .any(|outcome| outcome.wall >= total.mul_f64(0.9)),
                "the arms did not run side by side"
            );
            assert!(
                outcomes.iter().all(|outcome| outcome.wall > outcome.cpu),
                "no arm was ever held"
            );
        }
        let more = Duration::from_millis(20);
        assert!(least.iter().all(|&least| least < more), "{least:?} more");
    }
}

#[test]
fn interleaved_arms_come_back_in_their_own_order() {
    for instrument in instruments() {
        let arms = [
            launch(&["exit", "0"]),
            launch(&["exit", "1"]),
            launch(&["exit", "2"]),
        ];
        let outcomes = instrument
            .round(
                &arms,
                &Turns::Interleaved {
                    order: vec![2, 0, 1],
                },
            )
            .unwrap();
        let ends: Vec<End> = outcomes.iter().map(|outcome| outcome.end).collect();
        assert_eq!(ends, [End::Exited(0), End::Exited(1), End::Exited(2)]);
    }
}

#[test]
fn one_arm_that_hangs_is_ended_and_the_others_are_not_disturbed() {
    for instrument in instruments() {
        for hanging in ["hang", "spin"] {
            let mut arms = [
                pinned(&["burn", "20"]),
                pinned(&[hanging]),
                pinned(&["exit", "0"]),
            ];
            arms[1].timeout = Duration::from_millis(25);
            let outcomes = instrument.round(&arms, &sliced(3, 2000)).unwrap();
            let ends: Vec<End> = outcomes.iter().map(|outcome| outcome.end).collect();
            assert_eq!(ends, [End::Exited(0), End::TimedOut, End::Exited(0)]);
        }
    }
}

#[test]
fn a_round_can_be_repeated_in_the_same_groups() {
    for instrument in instruments() {
        for _ in 0..20 {
            let arms = [
                pinned(&["burn", "2"]),
                pinned(&["exit", "0"]),
                pinned(&["burn", "3"]),
            ];
            let outcomes = instrument.round(&arms, &sliced(3, 150)).unwrap();
            assert!(outcomes.iter().all(|outcome| outcome.end.succeeded()));
        }
    }
}

#[test]
fn an_arm_that_cannot_start_ends_the_round_and_leaves_nothing() {
    for instrument in instruments() {
        let mut missing = pinned(&[]);
        missing.program = "/no/such/program".into();
        let result = instrument.round(
            &[pinned(&["hang"]), missing, pinned(&["spin"])],
            &sliced(3, 500),
        );
        assert!(
            matches!(result, Err(MeasureError::NotFound { .. })),
            "{result:?}"
        );
        assert!(
            instrument
                .run(&launch(&["exit", "0"]))
                .unwrap()
                .end
                .succeeded()
        );
        assert_eq!(
            instrument
                .round(
                    &[pinned(&["exit", "0"]), pinned(&["exit", "0"])],
                    &sliced(2, 500)
                )
                .unwrap()
                .len(),
            2
        );
    }
}

/// An arm that says through a named pipe that it has begun, and never ends.
fn telling(pipe: &std::path::Path) -> Launch {
    let made = std::process::Command::new("mkfifo").arg(pipe).status();
    assert!(made.expect("mkfifo can be started").success());
    let mut arm = pinned(&["spin"]);
    arm.program = "/bin/sh".into();
    arm.argv0 = "sh".into();
    arm.args = vec![
        "-c".into(),
        format!("echo begun > '{}'; while :; do :; done", pipe.display()).into(),
    ];
    arm
}

/// Raised when every arm has begun, in a round whose turns are shorter than the time between two
/// looks at the flag.
#[test]
fn a_raised_flag_ends_every_arm() {
    let folder = tempfile::tempdir().unwrap();
    let pipes = ["one", "other"].map(|name| folder.path().join(name));
    let arms = pipes.each_ref().map(|pipe| telling(pipe));
    let stop = Interrupt::new();
    let instrument = Instrument::new(InstrumentOptions {
        stop: stop.clone(),
        ..InstrumentOptions::default()
    })
    .unwrap();
    let raiser = std::thread::spawn(move || {
        let begun = pipes.map(|pipe| std::fs::read_to_string(pipe).unwrap());
        stop.request();
        begun
    });
    let result = instrument.round(&arms, &sliced(2, 1000));
    assert!(matches!(result, Err(MeasureError::Interrupted)));
    assert_eq!(raiser.join().unwrap(), ["begun\n", "begun\n"]);
}

#[test]
fn children_left_by_one_arm_are_not_taken_for_anothers() {
    for instrument in instruments() {
        let arms = [
            pinned(&["burn", "20"]),
            pinned(&["orphan"]),
            pinned(&["parallel", "10"]),
        ];
        let outcomes = instrument.round(&arms, &sliced(3, 1000)).unwrap();
        assert!(outcomes.iter().all(|outcome| outcome.end.succeeded()));
        assert_eq!(
            (outcomes[0].children_left, outcomes[2].children_left),
            (0, 0)
        );
        assert!((1..=2).contains(&outcomes[1].children_left));
    }
}

#[test]
fn turns_that_do_not_fit_are_refused() {
    let instrument = Instrument::new(InstrumentOptions::default()).unwrap();
    let arms = [pinned(&["exit", "0"]), pinned(&["exit", "0"])];
    let bad = |turns: Turns| {
        assert!(
            matches!(
                instrument.round(&arms, &turns),
                Err(MeasureError::BadTurns(_))
            ),
            "{turns:?}"
        );
    };
    bad(sliced(1, 1000));
    bad(sliced(3, 1000));
    bad(sliced(2, 0));
    bad(Turns::Interleaved { order: vec![0, 0] });
    bad(Turns::Interleaved {
        order: vec![0, 1, 2],
    });
    let unpinned = [launch(&["exit", "0"]), launch(&["exit", "0"])];
    assert!(matches!(
        instrument.round(&unpinned, &sliced(2, 1000)),
        Err(MeasureError::BadTurns(_))
    ));
}

/// The freezer leaves a sleeping system call alone, which is why it is preferred.
#[test]
fn the_freezer_does_not_interrupt_sleeping_calls() {
    let instrument = Instrument::new(InstrumentOptions::default()).unwrap();
    if *instrument.grouping() != proofmark_measure::Grouping::CgroupV2 {
        assert!(
            std::env::var_os("PROOFMARK_TESTS_REQUIRE_TOOLS").is_none(),
            "needs cgroup v2"
        );
        println!("skipped: needs cgroup v2");
        return;
    }
    let outcomes = instrument
        .round(
            &[pinned(&["wait", "40"]), pinned(&["burn", "60"])],
            &sliced(2, 2000),
        )
        .unwrap();
    assert_eq!(outcomes[0].stdout.text(), "poll 0 0\n");
}

/// Where there is one core only, the instrument and what it measures take turns on it.
#[test]
fn one_core_is_enough() {
    let mut only = rustix::thread::CpuSet::new();
    only.set(usize::try_from(core()).unwrap());
    rustix::thread::sched_setaffinity(None, &only).unwrap();
    for instrument in instruments() {
        let arms = [
            pinned(&["burn", "10"]),
            pinned(&["print", "10"]),
            pinned(&["burn", "5"]),
        ];
        let outcomes = instrument.round(&arms, &sliced(3, 500)).unwrap();
        assert!(outcomes.iter().all(|outcome| outcome.end.succeeded()));
    }
}

#[test]
fn a_stretched_run_takes_as_much_cpu_time_and_so_many_times_as_long() {
    for instrument in instruments() {
        let stretch = Stretch {
            slice: Duration::from_millis(5),
            times: 6.0,
        };
        let launch = pinned(&["burn", "40"]);
        let outcomes: Vec<Outcome> = (0..TRIES)
            .map(|_| instrument.stretched(&launch, &stretch).unwrap())
            .collect();
        for outcome in &outcomes {
            assert_eq!(outcome.end, End::Exited(0));
            // 40 ms are seven pauses of 25 ms at least.
            assert!(outcome.wall >= Duration::from_millis(175), "{outcome:?}");
        }
        let least = outcomes.iter().map(|outcome| outcome.cpu).min().unwrap();
        assert!(least < Duration::from_millis(80), "{least:?}");
        // What came after a pause was not held.
        assert_eq!(instrument.run(&launch).unwrap().end, End::Exited(0));
    }
}

#[test]
fn a_stretched_run_ends_with_its_limit_and_with_the_stop_flag() {
    let stretch = Stretch {
        slice: Duration::from_millis(2),
        times: 3.0,
    };
    for instrument in instruments() {
        let mut spinning = pinned(&["spin"]);
        spinning.timeout = Duration::from_millis(30);
        let outcome = instrument.stretched(&spinning, &stretch).unwrap();
        assert_eq!(outcome.end, End::TimedOut);
    }
    let stop = Interrupt::new();
    let instrument = Instrument::new(InstrumentOptions {
        stop: stop.clone(),
        ..InstrumentOptions::default()
    })
    .unwrap();
    let raiser = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        stop.request();
    });
    let hour = Stretch {
        slice: Duration::from_millis(1),
        times: 4e6,
    };
    assert!(matches!(
        instrument.stretched(&pinned(&["spin"]), &hour),
        Err(MeasureError::Interrupted)
    ));
    raiser.join().unwrap();
}

/// As by SIGSTOP to the group while the process is inside `setsid`.
#[test]
fn what_a_stop_catches_on_its_way_out_of_the_group_goes_on() {
    let instrument = Instrument::new(InstrumentOptions {
        cgroup: CgroupUse::Never,
        ..InstrumentOptions::default()
    })
    .unwrap();
    let mut arms = [pinned(&["caught"]), pinned(&["burn", "20"])];
    arms[0].timeout = Duration::from_secs(20);
    let outcomes = instrument.round(&arms, &sliced(2, 1000)).unwrap();
    assert_eq!(outcomes[0].end, End::Exited(0));
    assert_eq!(outcomes[0].stdout.text(), "went on\n");
}
