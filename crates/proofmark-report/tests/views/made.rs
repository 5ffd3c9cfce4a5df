//! Experiments made by hand, one for each thing that a view has to say.

use proofmark_evidence::record::{
    ARun, Alarms, Certificate, Comparison, Conclusion, Experiment, Instructions, LayoutControl,
    Note, NullConclusion, PositionBias, Question, Stop, Warning,
};
use proofmark_evidence::{LockedStore, Recorded};
use proofmark_stats::{Interval, Verdict};
use proofmark_terms::Metric;

use crate::parts::{
    BEGAN, PAIR, block, comparison, conclusion, experiment, interval, measured, pilot,
};

/// What a store hands out after these records were put in.
pub(crate) fn recorded(
    experiment: &Experiment,
    blocks: u32,
    conclusion: Option<&Conclusion>,
    null: Option<&NullConclusion>,
    notes: &[Note],
) -> Recorded {
    let folder = tempfile::tempdir().unwrap();
    let mut store = crate::parts::store(folder.path());
    let id = store.begin("key", experiment).unwrap();
    store.pilot(&id, &pilot()).unwrap();
    for index in 0..blocks {
        store.block(&id, &block(index, &PAIR, 2)).unwrap();
    }
    if let Some(conclusion) = conclusion {
        store.conclude(&id, conclusion).unwrap();
    }
    if let Some(null) = null {
        store.null_conclusion(&id, null).unwrap();
    }
    for note in notes {
        store.note(&id, note).unwrap();
    }
    store.load("latest").unwrap()
}

/// Two builds, one verdict.
pub(crate) fn compared(verdict: Verdict, interval: Interval) -> Recorded {
    let conclusion = conclusion(vec![comparison(1, verdict, interval)]);
    recorded(
        &experiment(&["base", "new"]),
        2,
        Some(&conclusion),
        None,
        &[],
    )
}

/// One experiment for each verdict, with a name.
pub(crate) fn verdicts() -> Vec<(&'static str, Recorded)> {
    vec![
        (
            "faster",
            compared(Verdict::Faster, interval(0.961, 0.967, 0.973)),
        ),
        (
            "slower",
            compared(Verdict::Slower, interval(1.021, 1.034, 1.047)),
        ),
        (
            "equivalent",
            compared(Verdict::Equivalent, interval(0.995, 0.999, 1.003)),
        ),
        (
            "faster_negligible",
            compared(
                Verdict::FasterButNegligible,
                interval(0.9935, 0.9955, 0.9975),
            ),
        ),
        (
            "slower_negligible",
            compared(
                Verdict::SlowerButNegligible,
                interval(1.0025, 1.0045, 1.0065),
            ),
        ),
        (
            "undecided",
            compared(Verdict::Undecided, interval(0.985, 0.997, 1.009)),
        ),
    ]
}

/// Nothing could be controlled, and everything is warned of.
pub(crate) fn warned() -> Recorded {
    let mut experiment = experiment(&["base", "new"]);
    let reason =
        "base was never captured; `proofmark capture base -- BUILD…` makes its layouts vary";
    experiment.layouts = LayoutControl::AsShipped {
        reason: reason.to_owned(),
    };
    let mut comparison = comparison(1, Verdict::Slower, interval(1.12, 1.18, 1.24));
    comparison.as_shipped = None;
    comparison.layout_alone = None;
    comparison.instructions = Instructions::Unavailable {
        reason: "valgrind is not installed, and this machine has no counters".to_owned(),
    };
    let mut conclusion = conclusion(vec![comparison]);
    conclusion.certificate = Some(measured(0.998, 1.006, 1.014));
    conclusion.warnings = vec![
        Warning::PlacementNotControlled {
            reason: reason.to_owned(),
        },
        Warning::ShortRuns { cpu_ns: 1_200_000 },
        Warning::BriefThreads { cpu_ns: 1_200_000 },
        Warning::OthersMeasure { cores: vec![1] },
        Warning::NotTraced {
            why: "ptrace is forbidden".to_owned(),
        },
    ];
    let note = Note {
        at_ms: BEGAN,
        text: "the laptop was on battery".to_owned(),
    };
    recorded(&experiment, 2, Some(&conclusion), None, &[note])
}

/// Several builds against one base.
pub(crate) fn several() -> Recorded {
    let comparisons = vec![
        comparison(1, Verdict::Faster, interval(0.961, 0.967, 0.973)),
        comparison(2, Verdict::Equivalent, interval(0.995, 0.999, 1.003)),
        Comparison {
            as_shipped: None,
            ..comparison(3, Verdict::Undecided, interval(0.985, 0.997, 1.009))
        },
    ];
    let names = [
        "gcc-O2",
        "gcc-O3",
        "clang-O2",
        "a-build-with-quite-a-long-name",
    ];
    recorded(
        &experiment(&names),
        2,
        Some(&conclusion(comparisons)),
        None,
        &[],
    )
}

/// A metric of the user's own, of which more is better.
pub(crate) fn rate() -> Recorded {
    let mut experiment = experiment(&["base", "new"]);
    experiment.benchmark.metric = Metric::Output {
        pattern: "ops/s: ([0-9.]+)".to_owned(),
        unit: "ops/s".to_owned(),
        higher_is_better: true,
    };
    let mut comparison = comparison(1, Verdict::Faster, interval(1.021, 1.034, 1.047));
    comparison.a_run = Some(ARun {
        base: 51_234.0,
        new: 52_976.0,
    });
    let mut conclusion = conclusion(vec![comparison]);
    conclusion.certificate = Some(Certificate::Unavailable {
        reason: "the program times itself, and does not see time that is added after its end"
            .to_owned(),
    });
    recorded(&experiment, 2, Some(&conclusion), None, &[])
}

pub(crate) fn memory() -> Recorded {
    let mut experiment = experiment(&["base", "new"]);
    experiment.benchmark.metric = Metric::PeakMemory;
    let mut comparison = comparison(1, Verdict::Slower, interval(1.021, 1.034, 1.047));
    comparison.a_run = Some(ARun {
        base: 12_582_912.0,
        new: 13_010_731.0,
    });
    let mut conclusion = conclusion(vec![comparison]);
    conclusion.certificate = None;
    recorded(&experiment, 2, Some(&conclusion), None, &[])
}

pub(crate) fn unfinished() -> Recorded {
    recorded(&experiment(&["base", "new"]), 3, None, None, &[])
}

pub(crate) fn null() -> Recorded {
    let mut experiment = experiment(&["base"]);
    experiment.question = Question::Null;
    let null = NullConclusion {
        blocks: 40,
        stop: Stop::Blocks,
        alarms: Alarms {
            redraws: 10_000,
            verdicts: 10_000,
            alarms: 310,
            negligible: 290,
            rate: 0.031,
            low: 0.0277,
            high: 0.0346,
            allowed: 0.05,
        },
        interval: interval(0.998, 1.0002, 1.0024),
        verdict: Verdict::Equivalent,
        spread: 0.0061,
        resolvable: Some(0.0033),
        position: Some(PositionBias {
            by_position: vec![0.0004, -0.0004],
            p: 0.31,
        }),
        warnings: Vec::new(),
        took_ms: 61_000,
    };
    recorded(&experiment, 2, None, Some(&null), &[])
}

/// Names that try to break out of every format.
pub(crate) fn hostile() -> Recorded {
    let mut experiment = experiment(&[
        "ba|se`<b>,\"",
        "new\x1b[31m\nline @all 日本語日本語日本語日本語日本語日本語日本語",
    ]);
    experiment.benchmark.argv.push("it's; `rm` | $(x)".into());
    let mut conclusion = conclusion(vec![comparison(
        1,
        Verdict::Faster,
        interval(0.961, 0.967, 0.973),
    )]);
    conclusion.certificate = Some(measured(1.0012, 1.0031, 1.0048));
    recorded(&experiment, 1, Some(&conclusion), None, &[])
}

/// All of them.
pub(crate) fn all() -> Vec<(&'static str, Recorded)> {
    let others = [
        ("warned", warned()),
        ("several", several()),
        ("rate", rate()),
        ("memory", memory()),
        ("unfinished", unfinished()),
        ("null", null()),
        ("hostile", hostile()),
    ];
    verdicts().into_iter().chain(others).collect()
}

/// Puts four experiments into a store: finished, of several builds, a null test, unfinished.
pub(crate) fn fill(store: &mut LockedStore) {
    for recorded in [verdicts().remove(0).1, several(), null(), unfinished()] {
        let mut experiment = recorded.experiment;
        experiment.began_ms += u64::try_from(store.list().unwrap().len()).unwrap() * 3_600_000;
        let id = store.begin("key", &experiment).unwrap();
        for block in &recorded.blocks {
            store.block(&id, block).unwrap();
        }
        if let Some(conclusion) = recorded.conclusion {
            store.conclude(&id, &conclusion).unwrap();
        }
        if let Some(null) = recorded.null_conclusion {
            store.null_conclusion(&id, &null).unwrap();
        }
    }
}
