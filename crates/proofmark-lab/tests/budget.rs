//! A budget is kept by the clock, whatever runs cost: in worlds in which time goes by with the
//! runs.

#![expect(
    clippy::unwrap_used,
    reason = "a test that meets the unexpected should stop there and then"
)]

mod support;

use proofmark_evidence::record::{Design, LayoutControl, Question, Schedule, Stop};
use proofmark_evidence::{ExperimentId, LockedStore, Recorded};
use proofmark_lab::{LabError, Silent, UnderWay, conduct};
use support::{World, experiment};

/// A world in which runs take so many seconds of which nothing can be decided.
fn world(seconds: f64) -> World {
    World {
        run_ns: seconds * 1e9,
        layouts: 0.3,
        ticks: true,
        ..World::new(0.0)
    }
}

/// A store of its own with one experiment, begun.
struct Begun {
    store: LockedStore,
    id: ExperimentId,
    _folder: tempfile::TempDir,
}

impl Begun {
    fn new(question: Question, design: impl FnOnce(&mut Design)) -> Begun {
        let folder = tempfile::tempdir().unwrap();
        let mut store = LockedStore::open(folder.path()).unwrap();
        let mut experiment = experiment(question);
        if question == Question::Null {
            experiment.layouts = LayoutControl::AsShipped {
                reason: "a test".to_owned(),
            };
        }
        design(&mut experiment.design);
        let id = store.begin("key", &experiment).unwrap();
        Begun {
            store,
            id,
            _folder: folder,
        }
    }

    fn load(&self) -> Recorded {
        self.store.load(self.id.as_str()).unwrap()
    }

    /// Goes on with it within a budget of so many seconds, which runs from now.
    fn conduct(&mut self, world: &mut World, seconds: u64) -> Result<(), LabError> {
        self.conduct_within(world, Some(seconds))
    }

    /// The same, or without a budget.
    fn conduct_within(&mut self, world: &mut World, seconds: Option<u64>) -> Result<(), LabError> {
        let recorded = self.load();
        let mut experiment = recorded.experiment;
        experiment.design.budget_ms = seconds.map(|seconds| 1000 * seconds);
        let partial = recorded.partial.iter().map(|block| block.took_ms);
        let under_way = UnderWay {
            id: self.id.clone(),
            experiment,
            pilot: recorded.pilot,
            earlier_blocks: recorded.blocks.len(),
            blocks: recorded.blocks,
            partial_ms: partial.sum(),
            began_ms: world.clock_ms,
        };
        conduct(under_way, world, &mut self.store, &mut Silent)
    }
}

fn builds_only(design: &mut Design) {
    design.as_shipped = false;
}

/// The text of a refusal.
fn refused(result: Result<(), LabError>) -> String {
    match result {
        Err(error @ LabError::Budget(_)) => error.to_string(),
        other => unreachable!("{other:?}"),
    }
}

/// Runs of 11 and 22 s in a budget of 60 s.
#[test]
fn a_budget_that_cannot_hold_the_fewest_blocks_is_refused_before_any_begins() {
    for question in [Question::Compare, Question::Null] {
        let mut begun = Begun::new(question, |_| {});
        let mut world = World {
            effect: 2_f64.ln(),
            noise: 0.0,
            layouts: 0.0,
            ..world(11.0)
        };
        let said = refused(begun.conduct(&mut world, 60));
        for part in [
            "--budget 1m does not hold the 8 blocks",
            "a run takes 11 s to 22 s",
            "which hold none",
            "next: --budget ",
            "--blocks 4..60",
        ] {
            assert!(said.contains(part), "{part}: {said}");
        }
        assert_eq!(world.runs, 2, "one run of each tells the cost");
        let recorded = begun.load();
        assert!(recorded.blocks.is_empty() && recorded.pilot.is_none());
    }
}

#[test]
fn a_budget_is_over_with_the_round_in_which_it_ends() {
    for (question, run) in [
        (Question::Compare, 0.06),
        (Question::Compare, 0.5),
        (Question::Compare, 1.0),
        (Question::Null, 1.0),
    ] {
        for seconds in [10, 20, 40, 60, 120] {
            let mut begun = Begun::new(question, builds_only);
            let mut world = world(run);
            let ended = begun.conduct(&mut world, seconds);
            let spent = world.clock_ms;
            // At most five arms, and each up to twice as long in its layout.
            let round_ms = 2.0 * 5.0 * run * 1000.0;
            assert!(
                (spent as f64) < 1000.0 * seconds as f64 + round_ms,
                "{question:?}, runs of {run} s: {spent} ms of {seconds} s"
            );
            let recorded = begun.load();
            match ended {
                Ok(()) => assert!(recorded.blocks.len() >= 8, "{run} s in {seconds} s"),
                Err(LabError::Budget(_)) => {
                    assert!(recorded.conclusion.is_none() && recorded.null_conclusion.is_none());
                }
                Err(other) => unreachable!("{other}"),
            }
        }
    }
}

/// Without a budget too what is tried is in proportion to what is measured.
#[test]
fn long_runs_are_few() {
    for (budget, threads) in [(None, 0), (Some(3600), 0), (None, 2)] {
        let mut begun = Begun::new(Question::Compare, |design| {
            builds_only(design);
            (design.min_blocks, design.max_blocks, design.rounds) = (2, 2, Some(1));
        });
        let mut world = world(20.0);
        world.program.threads = [threads, threads];
        begun.conduct_within(&mut world, budget).unwrap();
        // A run and a traced one of each build, one with other clocks, and two blocks of both.
        assert_eq!(world.runs, 2 + 2 + 1 + 2 * 2);
        let pilot = begun.load().pilot.unwrap();
        let (reason, pinned) = match threads {
            0 => ("runs are so long that trying slices", true),
            _ => ("nobody saw what it does on one core", false),
        };
        assert!(pilot.reason.contains(reason), "{}", pilot.reason);
        assert_eq!(pilot.core.is_some(), pinned);
    }
}

/// Slices would take more rounds, and more runs to find out what they do, than there is time for.
#[test]
fn where_there_is_no_room_to_try_slices_whole_runs_are_taken() {
    let mut begun = Begun::new(Question::Compare, builds_only);
    begun.conduct(&mut world(1.0), 60).unwrap();
    let recorded = begun.load();
    let pilot = recorded.pilot.unwrap();
    assert_eq!(pilot.schedule, Schedule::Interleaved);
    assert!(
        pilot.reason.contains("no room to try slices"),
        "{}",
        pilot.reason
    );
    assert_eq!(recorded.conclusion.unwrap().stop, Stop::Budget);
    // With time enough they are tried.
    let mut begun = Begun::new(Question::Compare, builds_only);
    begun.conduct(&mut world(1.0), 3600).unwrap();
    let pilot = begun.load().pilot.unwrap();
    assert!(!pilot.reason.contains("no room"), "{}", pilot.reason);
}

#[test]
fn the_block_that_a_budget_ends_is_kept_and_not_counted() {
    let mut begun = Begun::new(Question::Compare, builds_only);
    let mut world = World {
        slows: Some((9, 30.0)),
        ..world(1.0)
    };
    begun.conduct(&mut world, 80).unwrap();
    let recorded = begun.load();
    let conclusion = recorded.conclusion.unwrap();
    assert_eq!((conclusion.blocks, conclusion.stop), (9, Stop::Budget));
    assert_eq!((recorded.blocks.len(), recorded.partial.len()), (9, 1));
    let partial = &recorded.partial[0];
    assert_eq!((partial.index, partial.rounds.len()), (9, 1));
}

#[test]
fn blocks_that_are_too_few_are_gone_on_with_by_a_larger_budget() {
    let mut begun = Begun::new(Question::Compare, builds_only);
    let mut slow = World {
        slows: Some((3, 30.0)),
        ..world(1.0)
    };
    let said = refused(begun.conduct(&mut slow, 60));
    assert!(said.contains("after 3 of the 8 blocks"), "{said}");
    assert!(said.contains("goes on from there"), "{said}");
    let before = begun.load();
    assert_eq!((before.blocks.len(), before.partial.len()), (3, 1));
    assert!(before.conclusion.is_none());
    // The same budget is spent, and no run is made with it.
    let mut again = World {
        clock_ms: slow.clock_ms,
        ..world(1.0)
    };
    let said = refused(begun.conduct(&mut again, 60));
    assert!(said.contains("after 3 of the 8 blocks"), "{said}");
    assert_eq!(again.runs, 0);
    begun.conduct(&mut again, 600).unwrap();
    let after = begun.load();
    assert_eq!(after.blocks[..3], before.blocks[..]);
    assert!(after.conclusion.unwrap().blocks >= 8);
}

#[test]
fn a_clock_that_was_set_back_gives_no_time_back() {
    let mut begun = Begun::new(Question::Compare, builds_only);
    let mut first = World {
        clock_ms: 1_000_000,
        interrupt: Some(4),
        ..world(1.0)
    };
    let ended = begun.conduct(&mut first, 60);
    assert!(matches!(ended, Err(LabError::Interrupted)), "{ended:?}");
    let before = begun.load();
    let blocks_ms: u64 = before.blocks.iter().map(|block| block.took_ms).sum();
    let earlier_ms = blocks_ms + before.pilot.unwrap().took_ms;
    let mut again = World {
        clock_ms: 0,
        ..world(1.0)
    };
    let ended = begun.conduct(&mut again, 60);
    // A round is at most four runs here, and each up to twice as long in its layout.
    let (spent_ms, round_ms) = (earlier_ms + again.clock_ms, 8_000);
    assert!(spent_ms < 60_000 + round_ms, "{spent_ms} ms, {ended:?}");
}

/// A lock, a port, a file: the second of two fails, and one alone does not.
#[test]
fn runs_that_do_not_stand_one_another_are_taken_one_after_the_other() {
    let quarrels = || World {
        quarrels: true,
        ..World::new(0.05)
    };
    let mut begun = Begun::new(Question::Compare, |_| {});
    let mut world = quarrels();
    begun.conduct(&mut world, 100_000).unwrap();
    let pilot = begun.load().pilot.unwrap();
    assert_eq!(pilot.schedule, Schedule::Interleaved);
    let reason = "where another run goes on at the same time, and not by itself";
    assert!(pilot.reason.ends_with(reason), "{}", pilot.reason);
    // Nothing else runs the program meanwhile, as counting would.
    assert!(!pilot.company);
    assert_eq!(world.company, Some(false));

    let mut forced = Begun::new(Question::Compare, |design| {
        design.schedule = Some(Schedule::Sliced { slice_us: 4000 });
    });
    let ended = forced.conduct(&mut quarrels(), 100_000);
    assert!(matches!(ended, Err(LabError::Beside(_))), "{ended:?}");

    let mut whole = Begun::new(Question::Compare, |design| {
        design.schedule = Some(Schedule::Interleaved);
    });
    let mut world = quarrels();
    whole.conduct(&mut world, 100_000).unwrap();
    assert_eq!(world.company, Some(false));
    let mut peaceful = World::new(0.05);
    begun = Begun::new(Question::Compare, |_| {});
    begun.conduct(&mut peaceful, 100_000).unwrap();
    assert_eq!(peaceful.company, Some(true));
}

/// A lock that is waited for busily, or a cache that is taken: nothing else runs the program while
/// blocks are measured.
#[test]
fn runs_that_take_more_time_beside_each_other_are_left_alone() {
    for (beside, bursts, company) in [(0.2, 10.0, false), (0.2, 1.0, false), (0.05, 10.0, true)] {
        let mut begun = Begun::new(Question::Compare, |_| {});
        let mut world = World {
            beside,
            bursts,
            ..World::new(0.05)
        };
        begun.conduct(&mut world, 100_000).unwrap();
        assert_eq!(world.company, Some(company), "{beside} {bursts}");
        assert_eq!(begun.load().pilot.unwrap().company, company);
    }
}
