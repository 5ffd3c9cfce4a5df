//! The sensitivity certificate in recorded worlds: what it says where the truth is known, and which
//! blocks it costs.

#![expect(
    clippy::unwrap_used,
    reason = "a test that meets the unexpected should stop there and then"
)]

#[path = "support/conducted.rs"]
mod conducted;
mod support;

use conducted::conducted;
use proofmark_conclude::{effects, rules};
use proofmark_evidence::record::{
    ArmRef, Block, Certificate, CertificateUse, Conclusion, Experiment, LayoutControl,
    MarginMisjudged, Question, Schedule, Warning,
};
use proofmark_evidence::{LockedStore, Recorded};
use proofmark_lab::{Event, Observer, Silent};
use proofmark_stats::{Effect, Interval, Verdict};
use proofmark_terms::{BuildIndex, Metric};
use support::{World, experiment};

fn measured(world: World, change: impl FnOnce(&mut Experiment)) -> Recorded {
    watched(world, change, &mut Silent)
}

fn watched(
    mut world: World,
    change: impl FnOnce(&mut Experiment),
    observer: &mut dyn Observer,
) -> Recorded {
    let folder = tempfile::tempdir().unwrap();
    let mut store = LockedStore::open(folder.path()).unwrap();
    let mut experiment = experiment(Question::Compare);
    change(&mut experiment);
    conducted(&mut store, experiment, &mut world, observer)
}

/// The number of blocks after each of which it was told that they wait for the certificate.
struct Awaiting(Vec<usize>);

impl Observer for Awaiting {
    fn tell(&mut self, event: &Event<'_>) {
        if let Event::Block(block) = event
            && block.awaits_certificate
        {
            self.0.push(block.done as usize);
        }
    }
}

fn taxed(blocks: &[Block]) -> Vec<u32> {
    blocks
        .iter()
        .filter(|block| block.arms.contains(&ArmRef::Taxed))
        .map(|block| block.index)
        .collect()
}

fn interval(conclusion: &Conclusion) -> Interval {
    let Some(Certificate::Measured { interval, .. }) = conclusion.certificate else {
        unreachable!("{:?}", conclusion.certificate)
    };
    interval
}

fn codes(conclusion: &Conclusion) -> Vec<&str> {
    let codes = conclusion.warnings.iter();
    codes.map(Warning::code).collect()
}

/// Differences of two layouts would hide nothing but the certificate's own width: here there are
/// none.
fn level() -> World {
    World {
        layouts: 0.0,
        noise: 0.003,
        // Whole runs are quiet, so that nothing is waited for but the certificate.
        bursts: 1.0,
        ..World::new(0.0)
    }
}

#[test]
fn an_honest_set_up_sees_a_slowdown_of_the_margin() {
    let recorded = measured(level(), |_| {});
    let conclusion = recorded.conclusion.unwrap();
    let interval = interval(&conclusion);
    assert!(interval.contains(Effect::from_ratio(1.01)), "{interval:?}");
    assert!(!interval.contains(Effect::NONE), "{interval:?}");
    assert!(!codes(&conclusion).contains(&"margin-misjudged"));
    // Four arms beside it: three blocks of four, which is 19 % more runs.
    assert_eq!(taxed(&recorded.blocks)[..6], [0, 1, 2, 4, 5, 6]);
    let count = taxed(&recorded.blocks).len();
    assert!(
        matches!(conclusion.certificate, Some(Certificate::Measured { blocks, .. }) if blocks as usize == count)
    );
}

/// The builds are equal, so that neither the comparison nor a null test can notice that slices hide
/// nine tenths of every difference.
#[test]
fn a_schedule_that_hides_differences_is_caught() {
    let hiding = World {
        hidden: 0.9,
        ..level()
    };
    let sliced = |experiment: &mut Experiment| {
        experiment.design.schedule = Some(Schedule::Sliced { slice_us: 4000 });
    };
    let conclusion = measured(hiding.clone(), sliced).conclusion.unwrap();
    let interval = interval(&conclusion);
    assert!(!interval.contains(Effect::from_ratio(1.01)), "{interval:?}");
    let warning = conclusion
        .warnings
        .iter()
        .find(|warning| warning.code() == "margin-misjudged")
        .unwrap();
    assert!(matches!(
        warning,
        Warning::MarginMisjudged(MarginMisjudged { sliced: true, .. })
    ));
    assert!(conclusion.comparisons[0].interval.contains(Effect::NONE));

    let folder = tempfile::tempdir().unwrap();
    let mut store = LockedStore::open(folder.path()).unwrap();
    let mut null = experiment(Question::Null);
    sliced(&mut null);
    let null = conducted(&mut store, null, &mut hiding.clone(), &mut Silent);
    assert!(taxed(&null.blocks).is_empty());
    assert!(null.null_conclusion.unwrap().alarms.rate < 0.1);

    let interleaved = |experiment: &mut Experiment| {
        experiment.design.schedule = Some(Schedule::Interleaved);
    };
    let conclusion = measured(hiding, interleaved).conclusion.unwrap();
    assert!(!codes(&conclusion).contains(&"margin-misjudged"));
}

/// Blocks after which the comparison alone would have stopped.
fn decided_after(recorded: &Recorded) -> usize {
    let [new, base] = [1, 0].map(|build| ArmRef::Drawn {
        build: BuildIndex(build),
    });
    let pilot = recorded.pilot.as_ref().unwrap();
    let rules = rules(&recorded.experiment, pilot, &recorded.blocks).unwrap();
    let effects = effects(&recorded.blocks, new, base, pilot.schedule).unwrap();
    rules[0].replay(&effects).unwrap().decided_after().unwrap() as usize
}

#[test]
fn no_difference_is_told_once_a_difference_would_have_been() {
    let mut waited = 0;
    for noise in 8..16 {
        let world = World {
            noise: f64::from(noise) * 1e-3,
            ..level()
        };
        let mut awaiting = Awaiting(Vec::new());
        let recorded = watched(world.clone(), |_| {}, &mut awaiting);
        let (decided, measured_blocks) = (decided_after(&recorded), recorded.blocks.len());
        let conclusion = recorded.conclusion.unwrap();
        assert_eq!(conclusion.comparisons[0].verdict, Verdict::Equivalent);
        let certified = !interval(&conclusion).contains(Effect::NONE);
        assert!(
            certified || measured_blocks == 2 * decided,
            "{noise}: {measured_blocks}, {decided}"
        );
        // From the block that decided, wherever the comparison still is decided, and not after the
        // last one.
        let awaits = measured_blocks > decided;
        assert_eq!(awaiting.0.first(), awaits.then_some(&decided), "{noise}");
        assert!(awaiting.0.iter().all(|done| *done < measured_blocks));
        waited += u32::from(measured_blocks > decided);

        let alone = measured(world, |experiment| {
            experiment.design.certificate = CertificateUse::Never;
        });
        assert_eq!(alone.blocks.len(), decided_after(&alone));
    }
    assert!(waited >= 2, "{waited}");
}

#[test]
fn what_the_certificate_cannot_tell_is_not_waited_for_without_end() {
    // Half a margin is told neither from none nor from a margin.
    let halved = World {
        tax: 0.005,
        noise: 0.009,
        ..level()
    };
    let recorded = measured(halved.clone(), |_| {});
    assert_eq!(recorded.blocks.len(), 2 * decided_after(&recorded));
    // A difference needs no certificate: it was seen.
    let different = World {
        effect: 0.03,
        ..halved
    };
    let recorded = measured(different, |_| {});
    assert_eq!(recorded.blocks.len(), decided_after(&recorded));
}

#[test]
fn noise_far_above_the_margin_is_told_as_such() {
    let noisy = World {
        noise: 0.1,
        ..World::new(0.5)
    };
    let conclusion = measured(noisy, |_| {}).conclusion.unwrap();
    let interval = interval(&conclusion);
    assert!(interval.contains(Effect::NONE) && interval.contains(Effect::from_ratio(1.01)));
}

#[test]
fn what_cannot_be_certified_says_why_and_costs_nothing() {
    let reason = |recorded: &Recorded| match &recorded.conclusion.as_ref().unwrap().certificate {
        Some(Certificate::Unavailable { reason }) => reason.clone(),
        other => unreachable!("{other:?}"),
    };
    let memory = measured(level(), |experiment| {
        experiment.benchmark.metric = Metric::PeakMemory;
    });
    assert!(reason(&memory).contains("memory"));
    let short = World {
        run_ns: 3e6,
        ..level()
    };
    let short = measured(short, |_| {});
    assert!(reason(&short).contains("3.0 ms"), "{}", reason(&short));
    let loose = |experiment: &mut Experiment| {
        experiment.layouts = LayoutControl::AsShipped {
            reason: "a test".to_owned(),
        };
    };
    let two_arms = measured(level(), loose);
    assert!(
        reason(&two_arms).contains("50 % more"),
        "{}",
        reason(&two_arms)
    );
    for recorded in [&memory, &short, &two_arms] {
        assert!(taxed(&recorded.blocks).is_empty());
    }
    let asked = measured(level(), |experiment| {
        loose(experiment);
        experiment.design.certificate = CertificateUse::Always;
    });
    assert_eq!(taxed(&asked.blocks).len(), asked.blocks.len());
    let refused = measured(level(), |experiment| {
        experiment.design.certificate = CertificateUse::Never;
    });
    assert!(taxed(&refused.blocks).is_empty());
    assert_eq!(refused.conclusion.unwrap().certificate, None);
}

#[test]
fn too_few_blocks_give_no_number() {
    let conclusion = measured(level(), |experiment| {
        (experiment.design.min_blocks, experiment.design.max_blocks) = (3, 3);
    })
    .conclusion
    .unwrap();
    assert_eq!(
        conclusion.certificate,
        Some(Certificate::TooFew {
            blocks: 3,
            least: 4
        })
    );
}
