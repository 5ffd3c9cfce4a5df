//! How runs are made follows from what the program does: in worlds where that is known.

#![expect(
    clippy::unwrap_used,
    reason = "a test that meets the unexpected should stop there and then"
)]

#[path = "support/conducted.rs"]
mod conducted;
mod support;

use conducted::conducted;
use proofmark_evidence::record::{Instructions, Pilot, Question, Schedule, Warning};
use proofmark_evidence::{LockedStore, Recorded};
use proofmark_lab::{Silent, conduct};
use proofmark_terms::Metric;
use support::program::Program;
use support::{World, experiment};

/// What the pilot chose for a program, and how far it stretched it.
fn chosen_with(program: Program, asked: Option<Schedule>, metric: Metric) -> (Pilot, f64) {
    let (recorded, stretched) = recorded_with(program, asked, metric);
    (recorded.pilot.unwrap(), stretched)
}

fn recorded_with(program: Program, asked: Option<Schedule>, metric: Metric) -> (Recorded, f64) {
    let mut world = World::new(0.0);
    world.program = program;
    recorded_in(world, asked, metric)
}

fn recorded_in(mut world: World, asked: Option<Schedule>, metric: Metric) -> (Recorded, f64) {
    let folder = tempfile::tempdir().unwrap();
    let mut store = LockedStore::open(folder.path()).unwrap();
    let mut experiment = experiment(Question::Compare);
    experiment.design.schedule = asked;
    experiment.benchmark.metric = metric;
    experiment.design.max_blocks = experiment.design.min_blocks;
    let recorded = conducted(&mut store, experiment, &mut world, &mut Silent);
    (recorded, world.program.stretched)
}

fn chosen(program: Program) -> Pilot {
    chosen_with(program, None, Metric::CpuTime).0
}

fn is_sliced(pilot: &Pilot) -> bool {
    matches!(pilot.schedule, Schedule::Sliced { .. })
}

/// The findings that decided, of both builds.
fn decisive(pilot: &Pilot) -> Vec<&str> {
    let decisive = pilot.program.iter().filter(|found| found.decides);
    decisive.map(|found| found.found.as_str()).collect()
}

#[test]
fn a_program_that_does_nothing_unusual_takes_slices_on_one_core() {
    let (pilot, stretched) = chosen_with(Program::default(), None, Metric::CpuTime);
    assert!(is_sliced(&pilot), "{}", pilot.reason);
    assert_eq!(pilot.core, Some(1));
    assert_eq!(pilot.program, []);
    // It was tested all the same: not everything makes a system call.
    assert!((stretched - 5.0).abs() < f64::EPSILON, "{stretched}");
}

/// Suspicious, as every program of some languages is; and yet it does the same whatever is done to
/// it.
#[test]
fn suspicions_alone_decide_nothing() {
    let pilot = chosen(Program {
        threads: [3, 3],
        asks_cores: true,
        ..Program::default()
    });
    assert!(is_sliced(&pilot), "{}", pilot.reason);
    assert_eq!(pilot.core, Some(1));
    assert_eq!(decisive(&pilot), [] as [&str; 0]);
    let said = "makes 3 threads, asks for the number of cores";
    assert!(
        pilot.program.iter().any(|found| found.found == said),
        "{:?}",
        pilot.program
    );
}

/// It is not on the core that it was put on, and that core is what others keep away from.
#[test]
fn a_program_that_sets_its_cores_is_not_said_to_be_on_one() {
    let pilot = chosen(Program {
        sets_cores: true,
        ..Program::default()
    });
    assert_eq!(pilot.core, None);
    assert_eq!(pilot.schedule, Schedule::Interleaved);
    let reason = "it sets itself on which cores it runs, whatever it was started on";
    assert_eq!(pilot.reason, reason);
}

#[test]
fn other_threads_on_one_core_leave_runs_whole_and_free() {
    let pilot = chosen(Program {
        threads: [2, 0],
        asks_cores: true,
        ..Program::default()
    });
    assert_eq!(pilot.schedule, Schedule::Interleaved);
    assert_eq!(pilot.core, None);
    let reason = "it makes 2 threads where it may use all cores, and no thread on one";
    assert_eq!(pilot.reason, reason);
    assert_eq!(decisive(&pilot), [reason; 2]);
}

/// They are counted on one core: of equal counts it would be said that the work is the same.
#[test]
fn instructions_of_another_program_are_not_shown() {
    let counted = |threads| {
        let program = Program {
            threads,
            ..Program::default()
        };
        let conclusion = recorded_with(program, None, Metric::CpuTime).0.conclusion;
        conclusion.unwrap().comparisons[0].instructions.clone()
    };
    assert!(matches!(counted([2, 2]), Instructions::Counted { .. }));
    assert!(matches!(counted([2, 0]), Instructions::Unavailable { .. }));
}

#[test]
fn another_cpu_time_on_one_core_leaves_runs_whole_and_free() {
    let pilot = chosen(Program {
        asks_cores: true,
        on_all: 1.4,
        ..Program::default()
    });
    assert_eq!(pilot.schedule, Schedule::Interleaved);
    assert_eq!(pilot.core, None);
    let reason = "it takes 84 ms of CPU time where it may use all cores, and 60 ms on one";
    assert_eq!(pilot.reason, reason);
}

/// What a program does with the number of cores may be little, and a metric that is not CPU time
/// may show what CPU time does not.
#[test]
fn a_program_that_asks_for_the_number_of_cores_is_held_to_little() {
    let of = |on_all, metric| {
        let program = Program {
            asks_cores: true,
            on_all,
            ..Program::default()
        };
        recorded_with(program, None, metric).0.pilot.unwrap()
    };
    assert_eq!(of(1.045, Metric::CpuTime).core, None);
    assert_eq!(of(1.01, Metric::CpuTime).core, Some(1));
    let pilot = of(1.0, Metric::WallTime);
    let reason = "the number of cores may matter to it, and the metric is not its CPU time";
    assert_eq!((pilot.core, decisive(&pilot)[0]), (None, reason));
}

/// It sees that it is traced, and makes no threads then: no suspicion is raised.
#[test]
fn another_cpu_time_on_one_core_is_seen_without_a_suspicion() {
    let of = |on_all| {
        chosen(Program {
            on_all,
            ..Program::default()
        })
    };
    let pilot = of(1.9);
    assert_eq!((pilot.schedule, pilot.core), (Schedule::Interleaved, None));
    let reason = "it takes 114 ms of CPU time where it may use all cores, and 60 ms on one";
    assert_eq!(pilot.reason, reason);
    assert_eq!(of(1.1).core, Some(1));
    // A full machine: one free run takes much more, and all of them some more.
    let pilot = chosen(Program {
        on_all: 1.08,
        at_first: Some(1.3),
        ..Program::default()
    });
    assert_eq!(pilot.core, Some(1));
}

/// No system call tells a program on which core it is, and what is measured on one core would be
/// said of all.
#[test]
fn another_effect_on_another_core_leaves_runs_whole_and_free() {
    let of = |elsewhere, elsewhere_for| {
        chosen(Program {
            elsewhere,
            elsewhere_for,
            ..Program::default()
        })
    };
    let pilot = of(0.676, usize::MAX);
    assert_eq!(pilot.schedule, Schedule::Interleaved);
    assert_eq!(pilot.core, None);
    let reason = "it takes 1.00 times the base's CPU time on core 1, and 0.68 times on core 0";
    assert_eq!(pilot.reason, reason);
    assert_eq!(decisive(&pilot), [reason]);
    let pilot = chosen(Program {
        number_elsewhere: Some(1.5),
        ..Program::default()
    });
    assert_eq!(pilot.core, None);
    let reason = "it prints 1.00 times the base's number on core 1, and 1.50 times on core 0";
    assert_eq!(pilot.reason, reason);
    // A small difference, and a burst there that lasts for all of the first rounds.
    for pilot in [of(1.01, usize::MAX), of(0.9, 9)] {
        assert!(is_sliced(&pilot), "{}", pilot.reason);
        assert_eq!(pilot.core, Some(1));
    }
}

/// Whether free runs show what threads do to each other is a matter of where the kernel puts them.
#[test]
fn threads_that_wait_for_each_other_on_one_core_leave_runs_whole_and_free() {
    let of = |queued_ns| {
        chosen(Program {
            threads: [1, 1],
            queued_ns,
            ..Program::default()
        })
    };
    let pilot = of(400_000);
    assert_eq!(pilot.schedule, Schedule::Interleaved);
    assert_eq!(pilot.core, None);
    let reason = "its threads or processes may run at the same time: on one core they wait 0.40 ms \
                  for it, beside 1.00 ms of CPU time";
    assert_eq!(pilot.reason, reason);
    assert_eq!(
        of(20_000).core,
        Some(1),
        "a moment at the start of a thread"
    );
}

/// A timer of 1 s never goes off in a run of 60 ms, nor in one of 300 ms.
#[test]
fn a_timer_that_goes_off_in_slices_leaves_runs_whole() {
    let (pilot, stretched) = chosen_with(
        Program {
            timer_ns: Some(1_000_000_000),
            ..Program::default()
        },
        None,
        Metric::CpuTime,
    );
    assert_eq!(pilot.schedule, Schedule::Interleaved);
    assert_eq!(pilot.core, Some(1), "it has one thread");
    assert!(
        pilot
            .reason
            .contains("a timer of 1.0 s of real time goes off"),
        "{}",
        pilot.reason
    );
    assert!(stretched * 60e6 > 2e9, "{stretched}");
}

/// As a program that reads a clock through the vDSO does: no call tells of it.
#[test]
fn cpu_time_that_goes_by_the_clock_leaves_runs_whole() {
    for by_clock in [0.05, -0.05] {
        let pilot = chosen(Program {
            by_clock,
            ..Program::default()
        });
        assert_eq!(pilot.schedule, Schedule::Interleaved);
        assert_eq!(pilot.core, Some(1));
        assert!(pilot.reason.contains("its CPU time is"), "{}", pilot.reason);
    }
}

/// Its time is the same however fast it is; the number that it prints is not.
#[test]
fn a_program_that_works_until_a_time_is_over_is_not_measured_by_its_time() {
    let of = |metric: Metric, run_ns: f64, by_clock: bool| {
        let mut world = World::new(0.0);
        (world.program.until, world.program.until_clock) = (!by_clock, by_clock);
        world.run_ns = run_ns;
        let folder = tempfile::tempdir().unwrap();
        let mut store = LockedStore::open(folder.path()).unwrap();
        let mut experiment = experiment(Question::Compare);
        experiment.benchmark.metric = metric;
        let under_way = conducted::begun(&mut store, experiment);
        conduct(under_way, &mut world, &mut store, &mut Silent)
    };
    // The last so long that nothing else is tried.
    for (metric, run_ns) in [
        (Metric::CpuTime, 60e6),
        (Metric::WallTime, 60e6),
        (Metric::CpuTime, 20e9),
    ] {
        for (by_clock, how) in [
            (false, "with pauses"),
            (true, "where its clocks go 4 times"),
        ] {
            let error = of(metric.clone(), run_ns, by_clock)
                .unwrap_err()
                .to_string();
            assert!(error.contains("works until a time is over"), "{error}");
            assert!(error.contains(how) && error.contains("--metric"), "{error}");
        }
    }
    of(Metric::PeakMemory, 60e6, false).unwrap();
}

/// By so little that no build shows it by itself.
#[test]
fn a_ratio_that_goes_by_the_clock_leaves_runs_whole() {
    let of = |new_by_clock, new_by_clock_for| {
        chosen(Program {
            new_by_clock,
            new_by_clock_for,
            ..Program::default()
        })
    };
    let pilot = of(0.012, usize::MAX);
    assert_eq!(pilot.schedule, Schedule::Interleaved);
    assert_eq!(pilot.core, Some(1));
    let reason = "its CPU time is 3.6 % more beside the base's when its run is 5 times as long: it \
                  goes by the clock, or pauses leave its caches cold";
    assert_eq!(pilot.reason, reason);
    assert_eq!(decisive(&pilot), [reason]);
    // So little, and bursts that are over when it is looked at again: by its ratio, and by itself.
    assert!(is_sliced(&of(0.003, usize::MAX)));
    assert!(is_sliced(&of(0.012, 14)));
    assert!(is_sliced(&of(0.05, 8)));
    assert!(!is_sliced(&of(0.05, usize::MAX)));
}

#[test]
fn a_busy_machine_is_told_where_the_program_goes_by_the_clock() {
    let warned = |by_clock: f64, held_up: u32| {
        let mut world = World::new(0.0);
        world.program.by_clock = by_clock;
        world.held_up = held_up;
        let (recorded, _) = recorded_in(world, None, Metric::CpuTime);
        let warnings = recorded.conclusion.unwrap().warnings;
        warnings.into_iter().find_map(|each| match each {
            Warning::HeldUp(held) => Some((held.share, held.found)),
            _ => None,
        })
    };
    let (share, found) = warned(0.05, 3).unwrap();
    assert!(found.contains("its CPU time is"), "{found}");
    assert!(share > 0.1, "{share}");
    assert_eq!(warned(0.05, 0), None);
    assert_eq!(warned(0.05, 50), None);
    assert_eq!(warned(0.0, 3), None);
}

/// One that moves itself to a core that others keep busy.
#[test]
fn one_thread_that_waits_for_its_core_waits_for_others() {
    let pilot = chosen(Program {
        asks_cores: true,
        queued_ns: 900_000,
        ..Program::default()
    });
    assert_eq!(pilot.core, Some(1), "{}", pilot.reason);
}

#[test]
fn threads_that_meet_by_chance_are_warned_of_by_name() {
    let warned = |run_ns: f64, cores: f64, threads: u64, held_up: u32| {
        let mut world = World::new(0.0);
        (world.run_ns, world.cores, world.held_up) = (run_ns, cores, held_up);
        world.program.threads = [threads; 2];
        world.program.queued_ns = 500_000 * threads;
        let (recorded, _) = recorded_in(world, None, Metric::CpuTime);
        let warnings = recorded.conclusion.unwrap().warnings;
        let codes = warnings.iter().map(Warning::code);
        codes
            .filter(|code| ["brief-threads", "held-up"].contains(code))
            .collect::<Vec<_>>()
    };
    // Two cores at once, or threads that queue for one: too short to know where they meet.
    assert_eq!(warned(2e6, 1.8, 1, 0), ["brief-threads"]);
    assert_eq!(warned(2e6, 1.0, 1, 0), ["brief-threads"]);
    assert_eq!(warned(2e6, 1.0, 0, 0), [""; 0]);
    assert_eq!(warned(60e6, 1.8, 1, 0), [""; 0]);
    // Threads that meet do so in other ways on a busy machine.
    assert_eq!(warned(60e6, 1.8, 1, 3), ["held-up"]);
}

#[test]
fn a_program_that_cannot_be_traced_is_run_whole_and_free() {
    let pilot = chosen(Program {
        untraceable: Some("somebody traces it already".to_owned()),
        ..Program::default()
    });
    assert_eq!(pilot.schedule, Schedule::Interleaved);
    assert_eq!(pilot.core, None);
    assert!(
        pilot.reason.ends_with("somebody traces it already"),
        "{}",
        pilot.reason
    );
    let pilot = chosen(Program {
        fails_traced: true,
        ..Program::default()
    });
    assert_eq!((pilot.schedule, pilot.core), (Schedule::Interleaved, None));
    let reason = "it exits with 1 under a tracer, and exits with 0 without one";
    assert_eq!(pilot.reason, reason);
}

/// What is asked for is done, and what was found stands beside it.
#[test]
fn slices_that_are_asked_for_are_taken_on_one_core() {
    let asked = Schedule::Sliced { slice_us: 2000 };
    let program = Program {
        threads: [2, 0],
        asks_cores: true,
        ..Program::default()
    };
    let (pilot, _) = chosen_with(program, Some(asked), Metric::CpuTime);
    assert_eq!((pilot.schedule, pilot.core), (asked, Some(1)));
    assert_eq!(decisive(&pilot).len(), 2);
}

/// Nobody has to know what pauses do where nobody makes any.
#[test]
fn pauses_are_tested_where_slices_are_thought_of() {
    let program = Program {
        by_clock: 0.05,
        ..Program::default()
    };
    for (asked, metric) in [
        (Some(Schedule::Interleaved), Metric::CpuTime),
        (None, Metric::WallTime),
    ] {
        let (pilot, stretched) = chosen_with(program.clone(), asked, metric);
        assert_eq!(pilot.schedule, Schedule::Interleaved);
        assert_eq!(pilot.program, []);
        assert!(stretched < 5.0, "{stretched}");
    }
}
