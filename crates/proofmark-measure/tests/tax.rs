//! The tax on a run: that it is exactly the share that was asked for, and that it ends with the run
//! whatever ends the run.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::support::{core, instruments, launch};
use proofmark_measure::{
    CgroupUse, End, Instrument, InstrumentOptions, Interrupt, Launch, MeasureError, Outcome, Tax,
    TaxedClock, Turns,
};

/// A tax that no test lives to see the end of.
const ENDLESS: f64 = 1e9;

fn taxed(arguments: &[&str], share: f64, clock: TaxedClock) -> Launch {
    let mut launch = launch(arguments);
    launch.core = Some(core());
    launch.tax = Tax::new(share, clock);
    launch
}

/// The processes that a thread started and that are still there; the thread as in `/proc`.
fn children(thread: &str) -> Vec<String> {
    let list = std::fs::read_to_string(format!("/proc/{thread}/children")).unwrap();
    list.split_ascii_whitespace().map(str::to_owned).collect()
}

/// The tax by the kernel's account, over the program's own CPU time by the same account.
fn levied(outcome: &Outcome) -> f64 {
    let tax = outcome.tax.expect("the run was taxed");
    tax.as_secs_f64() / (outcome.cpu - tax).as_secs_f64()
}

/// CPU times do not depend on what else the machine does, but for an interrupt that hits the last
/// microseconds of a tax: of some runs the one that is closest is the instrument's own doing.
fn closest(shares: impl Iterator<Item = f64>, share: f64) -> f64 {
    shares
        .map(|levied| (levied / share - 1.0).abs())
        .fold(f64::INFINITY, f64::min)
}

#[test]
fn the_tax_is_the_share_of_the_runs_own_cpu_time() {
    for instrument in instruments() {
        // One child that burns, so that the share is seen to be one of the whole tree.
        for arguments in [["burn", "30"], ["parallel", "15"]] {
            for share in [0.5, 0.05] {
                let launch = taxed(&arguments, share, TaxedClock::Cpu);
                let shares: Vec<f64> = (0..6)
                    .map(|_| levied(&instrument.run(&launch).unwrap()))
                    .collect();
                let off = closest(shares.iter().copied(), share);
                assert!(off < 0.02, "{arguments:?}: {shares:?} instead of {share}");
                // Never less than was due, but for what is taken off for the burner's end.
                assert!(
                    shares.iter().all(|levied| levied / share > 0.9),
                    "{arguments:?}: {shares:?} instead of {share}"
                );
            }
        }
    }
}

#[test]
fn a_taxed_arm_takes_its_turns_beside_others() {
    for instrument in instruments() {
        let arms = [
            taxed(&["burn", "30"], 0.5, TaxedClock::Cpu),
            taxed(&["burn", "30"], 0.25, TaxedClock::Cpu),
            {
                let mut plain = launch(&["burn", "30"]);
                plain.core = Some(core());
                plain
            },
        ];
        let turns = Turns::Sliced {
            slices: vec![Duration::from_micros(700); 3],
            order_seed: 3,
        };
        let rounds: Vec<Vec<Outcome>> = (0..6)
            .map(|_| instrument.round(&arms, &turns).unwrap())
            .collect();
        for (arm, share) in [(0, 0.5), (1, 0.25)] {
            let off = closest(rounds.iter().map(|round| levied(&round[arm])), share);
            assert!(off < 0.02, "off by {off} of {share}");
        }
        for outcome in rounds.iter().flatten() {
            assert_eq!((outcome.end, outcome.children_left), (End::Exited(0), 0));
        }
        assert!(rounds.iter().all(|round| round[2].tax.is_none()));
    }
}

#[test]
fn wall_time_can_be_taxed_and_a_sleep_is_part_of_it() {
    for instrument in instruments() {
        let outcome = instrument
            .run(&taxed(&["wait", "30"], 1.0, TaxedClock::Wall))
            .unwrap();
        assert!(
            outcome.wall >= Duration::from_millis(59),
            "{:?}",
            outcome.wall
        );
        assert!(outcome.tax.is_some());
    }
}

#[test]
fn a_program_that_a_signal_ended_is_not_taxed_and_one_with_a_status_is() {
    for instrument in instruments() {
        let killed = instrument
            .run(&taxed(&["signal", "9"], ENDLESS, TaxedClock::Cpu))
            .unwrap();
        assert_eq!((killed.end, killed.tax), (End::Signalled(9), None));
        let status = instrument
            .run(&taxed(&["exit", "3"], 0.5, TaxedClock::Cpu))
            .unwrap();
        assert_eq!(status.end, End::Exited(3));
        assert!(status.tax.is_some());
        let untaxed = instrument.run(&launch(&["exit", "0"])).unwrap();
        assert_eq!((untaxed.end, untaxed.tax), (End::Exited(0), None));
    }
}

#[test]
fn what_the_program_leaves_behind_is_still_found() {
    for instrument in instruments() {
        let outcome = instrument
            .run(&taxed(&["orphan"], 0.5, TaxedClock::Cpu))
            .unwrap();
        assert!((1..=2).contains(&outcome.children_left));
    }
}

#[test]
fn a_timeout_ends_the_tax() {
    for instrument in instruments() {
        let mut endless = taxed(&["exit", "0"], ENDLESS, TaxedClock::Cpu);
        endless.timeout = Duration::from_millis(50);
        let outcome = instrument.run(&endless).unwrap();
        assert_eq!((outcome.end, outcome.tax), (End::TimedOut, None));
        let turns = Turns::Sliced {
            slices: vec![Duration::from_micros(700); 2],
            order_seed: 3,
        };
        let mut plain = launch(&["burn", "20"]);
        plain.core = Some(core());
        let outcomes = instrument.round(&[endless, plain], &turns).unwrap();
        assert_eq!(
            (outcomes[0].end, outcomes[1].end),
            (End::TimedOut, End::Exited(0))
        );
        // Nothing is left that the next run would be charged for.
        let launchers = children("thread-self");
        assert!(!launchers.is_empty());
        for launcher in launchers {
            let left = children(&format!("{launcher}/task/{launcher}"));
            assert!(left.is_empty(), "{left:?}");
        }
    }
}

/// A program that ends as soon as somebody reads from the pipe, with an endless tax; the pipe's
/// other end is let go when it ends.
fn telling(folder: &Path) -> (Launch, PathBuf) {
    let pipe = folder.join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let mut launch = taxed(&[], ENDLESS, TaxedClock::Cpu);
    launch.program = "/bin/sh".into();
    launch.argv0 = "sh".into();
    launch.args = vec![
        "-c".into(),
        format!("exec 3> '{}'; exit 0", pipe.display()).into(),
    ];
    (launch, pipe)
}

/// Raised after the program has ended: only its tax keeps the run going.
#[test]
fn a_raised_flag_ends_the_tax() {
    for cgroup in [CgroupUse::WhereAvailable, CgroupUse::Never] {
        let folder = tempfile::tempdir().unwrap();
        let (launch, pipe) = telling(folder.path());
        let stop = Interrupt::new();
        let instrument = Instrument::new(InstrumentOptions {
            stop: stop.clone(),
            cgroup,
            ..InstrumentOptions::default()
        })
        .unwrap();
        let raiser = std::thread::spawn(move || {
            std::fs::read(pipe).unwrap();
            stop.request();
        });
        let result = instrument.run(&launch);
        assert!(
            matches!(result, Err(MeasureError::Interrupted)),
            "{result:?}"
        );
        raiser.join().unwrap();
    }
}

/// The burner holds a copy of the launcher's socket: if it lived on, the instrument would wait for
/// ever.
#[test]
fn the_tax_goes_with_the_launcher() {
    for cgroup in [CgroupUse::WhereAvailable, CgroupUse::Never] {
        let folder = tempfile::tempdir().unwrap();
        let (launch, pipe) = telling(folder.path());
        let instrument = Instrument::new(InstrumentOptions {
            cgroup,
            ..InstrumentOptions::default()
        })
        .unwrap();
        let launcher = children("thread-self").remove(0);
        let killer = std::thread::spawn(move || {
            std::fs::read(pipe).unwrap();
            // The program, which is kept until its tax is spent, and the burner.
            let thread = format!("{launcher}/task/{launcher}");
            while children(&thread).len() < 2 {
                std::thread::yield_now();
            }
            // SAFETY: the launcher of this test's own instrument.
            unsafe { libc::kill(launcher.parse().unwrap(), libc::SIGKILL) };
        });
        let result = instrument.run(&launch);
        assert!(
            matches!(result, Err(MeasureError::LauncherLost)),
            "{result:?}"
        );
        killer.join().unwrap();
    }
}
