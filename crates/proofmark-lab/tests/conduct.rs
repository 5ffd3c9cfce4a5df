//! The conductor and the pilot in recorded worlds whose truth is known.

#![expect(
    clippy::unwrap_used,
    reason = "a test that meets the unexpected should stop there and then"
)]

#[path = "support/conducted.rs"]
mod conducted;
#[path = "conduct/drawn.rs"]
mod drawn;
mod support;

use conducted::{begun, conducted};
use proofmark_evidence::LockedStore;
use proofmark_evidence::record::{
    Design, Drawing, Instructions, LayoutControl, PopulationsDisagree, Question, Schedule, Stop,
    Warning, WorkChange,
};
use proofmark_lab::{LabError, Silent, UnderWay, conduct};
use proofmark_stats::{Effect, Verdict};
use proofmark_terms::Population;
use support::{World, experiment};

/// Begins an experiment in a new store, or takes up the one that is there.
fn under_way(store: &mut LockedStore, question: Question) -> UnderWay {
    if let Some(id) = store.unfinished("key").unwrap() {
        let recorded = store.load(&id.to_string()).unwrap();
        return UnderWay {
            id,
            experiment: recorded.experiment,
            pilot: recorded.pilot,
            earlier_blocks: recorded.blocks.len(),
            blocks: recorded.blocks,
            partial_ms: 0,
            began_ms: 0,
        };
    }
    begun(store, experiment(question))
}

#[test]
fn a_planted_slowdown_is_found_with_the_truth_inside_the_interval() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = LockedStore::open(folder.path()).unwrap();
    let mut under_way = under_way(&mut store, Question::Compare);
    // Enough that the spread of layouts is not mixed up with noise.
    under_way.experiment.design.rounds = Some(16);
    let id = under_way.id.to_string();
    conduct(
        under_way,
        &mut World::new(1.03_f64.ln()),
        &mut store,
        &mut Silent,
    )
    .unwrap();
    let recorded = store.load(&id).unwrap();
    let conclusion = recorded.conclusion.unwrap();
    let comparison = &conclusion.comparisons[0];
    assert_eq!(comparison.verdict, Verdict::Slower);
    assert!(
        comparison.interval.contains(Effect::from_ratio(1.03)),
        "{comparison:?}"
    );
    assert_eq!(conclusion.stop, Stop::Decided);
    assert_eq!(comparison.decided_after, Some(conclusion.blocks));
    assert!(matches!(
        comparison.instructions,
        Instructions::Counted {
            work: WorkChange::Changed,
            ..
        }
    ));
    // The world's layouts have a standard deviation of 1 %, so pairs of them spread over ± 1.96 ·
    // √2 · 1 %, give or take.
    let alone = comparison
        .layout_alone
        .expect("layouts that vary more than the noise are seen");
    assert!((0.94..0.985).contains(&alone.low_ratio), "{alone:?}");
    assert!(comparison.as_shipped.unwrap().better_than.is_some());
}

#[test]
fn populations_that_disagree_are_said_to() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = LockedStore::open(folder.path()).unwrap();
    let mut seed = 0;
    let mut measured = |population, effect: f64| {
        seed += 1;
        let mut experiment = experiment(Question::Compare);
        experiment.seed = seed;
        experiment.layouts = LayoutControl::Drawn {
            how: Drawing::Matched,
            population,
        };
        let mut world = World::new(effect);
        let warnings = conducted(&mut store, experiment, &mut world, &mut Silent)
            .conclusion
            .unwrap()
            .warnings;
        warnings
            .into_iter()
            .find(|warning| warning.code() == "populations-disagree")
    };
    assert_eq!(measured(Population::Pad, 0.0), None);
    assert_eq!(measured(Population::Pad, 0.05), None);
    assert_eq!(measured(Population::Shuffle, 0.05), None);
    let warning = measured(Population::Shuffle, 0.0).unwrap();
    let Warning::PopulationsDisagree(PopulationsDisagree {
        here,
        there,
        other_ratio,
        ..
    }) = warning
    else {
        unreachable!("{warning:?}")
    };
    assert_eq!((here, there), (Population::Shuffle, Population::Pad));
    assert!((other_ratio - 1.05).abs() < 0.01, "{other_ratio}");
}

#[test]
fn an_experiment_interrupted_before_any_block_ends_as_the_undisturbed_one() {
    let run = |interruptions: &[u32]| {
        let folder = tempfile::tempdir().unwrap();
        let mut store = LockedStore::open(folder.path()).unwrap();
        for &block in interruptions {
            let under_way = under_way(&mut store, Question::Compare);
            let mut world = World {
                interrupt: Some(block),
                clock_ms: 1000 * under_way.blocks.len() as u64,
                ..World::new(0.004)
            };
            let stopped = conduct(under_way, &mut world, &mut store, &mut Silent);
            assert!(matches!(stopped, Err(LabError::Interrupted)), "{stopped:?}");
            let id = store.unfinished("key").unwrap().unwrap();
            assert_eq!(
                store.load(&id.to_string()).unwrap().blocks.len(),
                block as usize
            );
        }
        let under_way = under_way(&mut store, Question::Compare);
        let id = under_way.id.to_string();
        // The clock goes on where the last block ended, as if there had been no pause.
        let clock_ms = 1000 * under_way.blocks.len() as u64;
        let mut world = World {
            clock_ms,
            ..World::new(0.004)
        };
        conduct(under_way, &mut world, &mut store, &mut Silent).unwrap();
        let recorded = store.load(&id).unwrap();
        (
            recorded.pilot,
            recorded.blocks,
            recorded.conclusion.map(|conclusion| conclusion.comparisons),
        )
    };
    let undisturbed = run(&[]);
    assert!(
        undisturbed.1.len() > 8,
        "the effect should take more than the fewest blocks"
    );
    for block in 0..8 {
        assert!(
            run(&[block]) == undisturbed,
            "interrupted before block {block}"
        );
    }
    assert!(run(&[0, 3, 7]) == undisturbed);
}

#[test]
fn runs_are_held_against_those_before_an_interruption() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = LockedStore::open(folder.path()).unwrap();
    let mut printed = |text: &str, interrupt| {
        let mut world = World {
            interrupt,
            printed: Some(blake3::hash(text.as_bytes()).into()),
            ..World::new(0.0)
        };
        // Whether it comes to its end is not the matter.
        let _ = conduct(
            under_way(&mut store, Question::Compare),
            &mut world,
            &mut store,
            &mut Silent,
        );
        world.recalled
    };
    assert_eq!(printed("earlier", Some(0)), None);
    assert_eq!(printed("earlier", Some(2)), None);
    let earlier = Some(blake3::hash(b"earlier").into());
    assert_eq!(printed("now", Some(2)), earlier);
}

#[test]
fn a_distortion_by_slices_is_seen_and_avoided() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = LockedStore::open(folder.path()).unwrap();
    let distorted = World {
        distortion: -0.2,
        ..World::new(-0.25)
    };
    let found = under_way(&mut store, Question::Compare);
    let id = found.id.to_string();
    conduct(found, &mut distorted.clone(), &mut store, &mut Silent).unwrap();
    let recorded = store.load(&id).unwrap();
    assert_eq!(recorded.pilot.unwrap().schedule, Schedule::Interleaved);
    let interval = recorded.conclusion.unwrap().comparisons[0].interval;
    assert!(interval.contains(Effect::from_ln(-0.25)), "{interval:?}");
    let folder = tempfile::tempdir().unwrap();
    let mut store = LockedStore::open(folder.path()).unwrap();
    let undistorted = under_way(&mut store, Question::Compare);
    let id = undistorted.id.to_string();
    conduct(undistorted, &mut World::new(-0.25), &mut store, &mut Silent).unwrap();
    let pilot = store.load(&id).unwrap().pilot.unwrap();
    assert!(
        matches!(pilot.schedule, Schedule::Sliced { .. }),
        "{pilot:?}"
    );
}

#[test]
fn a_build_against_itself_is_not_called_different() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = LockedStore::open(folder.path()).unwrap();
    let found = under_way(&mut store, Question::Null);
    let id = found.id.to_string();
    conduct(found, &mut World::new(0.0), &mut store, &mut Silent).unwrap();
    let null = store.load(&id).unwrap().null_conclusion.unwrap();
    assert_eq!(null.blocks, 60, "a null test measures all its blocks");
    assert!(null.alarms.rate < 0.1, "{null:?}");
    assert_eq!(null.stop, Stop::Blocks);
}

#[test]
fn layouts_that_do_not_matter_are_given_an_upper_bound() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = LockedStore::open(folder.path()).unwrap();
    let found = under_way(&mut store, Question::Compare);
    let id = found.id.to_string();
    let level = World {
        layouts: 0.0,
        ..World::new(0.05)
    };
    conduct(found, &mut level.clone(), &mut store, &mut Silent).unwrap();
    let conclusion = store.load(&id).unwrap().conclusion.unwrap();
    let comparison = &conclusion.comparisons[0];
    let alone = comparison.layout_alone.unwrap();
    assert!(alone.at_most && alone.low_ratio > 0.97, "{alone:?}");
    assert_eq!(comparison.as_shipped.unwrap().better_than, None);
}

/// What the layouts lost shows: the files that the builds left do not agree with them.
#[test]
fn files_that_disagree_with_their_layouts_lead_the_warnings() {
    let first_warning = |shipped: f64| {
        let folder = tempfile::tempdir().unwrap();
        let mut store = LockedStore::open(folder.path()).unwrap();
        let mut found = under_way(&mut store, Question::Compare);
        found.experiment.design.rounds = Some(8);
        let id = found.id.to_string();
        let mut world = World {
            shipped,
            ..World::new(0.0)
        };
        conduct(found, &mut world, &mut store, &mut Silent).unwrap();
        let warnings = store.load(&id).unwrap().conclusion.unwrap().warnings;
        warnings.first().map(Warning::code)
    };
    assert_eq!(first_warning(0.72_f64.ln()), Some("shipped-apart"));
    assert_eq!(first_warning(1.3_f64.ln()), Some("shipped-apart"));
    // Layouts of 1 % explain that much.
    assert_ne!(first_warning(0.01), Some("shipped-apart"));
}

/// A hash seed, a clock: what a program counts may be another number each time.
#[test]
fn the_work_has_changed_only_beyond_what_it_varies_by_itself() {
    let said = |counts: [[u64; 2]; 2]| {
        let folder = tempfile::tempdir().unwrap();
        let mut store = LockedStore::open(folder.path()).unwrap();
        let found = under_way(&mut store, Question::Compare);
        let id = found.id.to_string();
        let mut world = World {
            counts,
            ..World::new(0.1)
        };
        conduct(found, &mut world, &mut store, &mut Silent).unwrap();
        let conclusion = store.load(&id).unwrap().conclusion.unwrap();
        match conclusion.comparisons[0].instructions {
            Instructions::Counted { work, varies, .. } => (work, varies),
            Instructions::Unavailable { .. } => unreachable!("they were counted"),
        }
    };
    let (work, varies) = said([[1_000_000, 1_008_000], [1_005_000, 1_001_000]]);
    assert_eq!(work, WorkChange::Varies);
    assert!((varies.unwrap() - 0.008).abs() < 1e-9, "{varies:?}");
    let (work, _) = said([[1_000_000, 1_000_300], [1_005_000, 1_004_900]]);
    assert_eq!(work, WorkChange::Changed);
    let (work, varies) = said([[1_000_000, 1_000_001], [1_000_020, 1_000_010]]);
    assert_eq!((work, varies), (WorkChange::Same, None));
}

#[test]
fn turns_are_in_proportion_only_where_the_builds_are_clearly_apart() {
    let expected = |effect: f64, noise: f64| {
        let folder = tempfile::tempdir().unwrap();
        let mut store = LockedStore::open(folder.path()).unwrap();
        let found = under_way(&mut store, Question::Compare);
        let id = found.id.to_string();
        let world = World {
            noise,
            ..World::new(effect)
        };
        conduct(found, &mut world.clone(), &mut store, &mut Silent).unwrap();
        let cpu_ns = store.load(&id).unwrap().pilot.unwrap().cpu_ns;
        cpu_ns[1] as f64 / cpu_ns[0] as f64
    };
    // With noise of 20 % one round says next to nothing: turns by it would disturb equal builds
    // unequally.
    for effect in [0.0, 0.01, -0.02] {
        let ratio = expected(effect, 0.2);
        assert!((ratio - 1.0).abs() < 1e-9, "{ratio}");
    }
    let ratio = expected(1.5_f64.ln(), 0.05);
    assert!((1.4..1.6).contains(&ratio), "{ratio}");
}

#[test]
fn a_distortion_that_a_few_noisy_rounds_hide_is_seen_with_more() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = LockedStore::open(folder.path()).unwrap();
    let found = under_way(&mut store, Question::Compare);
    let id = found.id.to_string();
    let noisy = World {
        distortion: -0.06,
        noise: 0.05,
        run_ns: 10e6,
        ..World::new(0.4)
    };
    conduct(found, &mut noisy.clone(), &mut store, &mut Silent).unwrap();
    let pilot = store.load(&id).unwrap().pilot.unwrap();
    assert_eq!(pilot.schedule, Schedule::Interleaved, "{pilot:?}");
}

#[test]
fn rounds_are_as_many_as_their_noise_and_the_images_ask_for() {
    let rounds = |noise: f64, images_ns: u64, ask: fn(&mut Design)| {
        let folder = tempfile::tempdir().unwrap();
        let mut store = LockedStore::open(folder.path()).unwrap();
        let mut found = under_way(&mut store, Question::Compare);
        ask(&mut found.experiment.design);
        let id = found.id.to_string();
        let mut world = World {
            noise,
            images_ns,
            run_ns: 12e6,
            // As quiet as slices, so that whole runs are taken.
            bursts: 1.0,
            ..World::new(0.0)
        };
        conduct(found, &mut world, &mut store, &mut Silent).unwrap();
        store.load(&id).unwrap().pilot.unwrap().rounds
    };
    let nothing: fn(&mut Design) = |_| {};
    // Two runs of 0.2 % each differ by 0.28 %, less than three quarters of the margin: the fewest.
    assert_eq!(rounds(0.002, 0, nothing), 2);
    // 2.12 % is 2.8 times three quarters of 1 %, so that eight rounds are wanted; the pilot knows
    // the spread to about a third.
    let some = rounds(0.015, 0, nothing);
    assert!((3..18).contains(&some), "{some}");
    // A round takes four runs of 12 ms and a taxed one: a second holds 17 of them, and no noise
    // asks for more.
    assert_eq!(rounds(0.04, 0, nothing), 17);
    // Images that take half a second leave room for eight.
    assert_eq!(rounds(0.002, 500_000_000, nothing), 8);
    assert_eq!(rounds(0.002, 5_000_000_000, nothing), 17);
    assert_eq!(rounds(0.04, 0, |design| design.rounds = Some(3)), 3);
    assert!(rounds(0.002, 0, |design| design.precision = Some(0.001)) > 2);
}
