//! Lines of a series: values on one scale, whatever anchor they were measured beside.

#![expect(
    clippy::unwrap_used,
    reason = "a test that meets the unexpected should stop there and then"
)]

mod watch;

use proofmark_conclude::series::{
    Apart, How, Line, PairFound, PartApart, Way, apart, lines, pair_found,
};
use proofmark_evidence::ExperimentId;
use proofmark_evidence::record::{
    EntryOf, PointOutcome, SeriesEntry, SeriesLine, SkipReason, SurroundingPart, TwoWays,
};
use proofmark_terms::{Better, Commit, Effect, Interval, Machine, Margin, Reading, TreeId};

/// A name of an experiment: only the store makes one.
fn experiment() -> ExperimentId {
    let text = format!("\"{}\"", "0".repeat(64));
    serde_json::from_str(&text).unwrap()
}

fn commit(at: u32) -> Commit {
    Commit {
        id: format!("c{at}").into(),
        parents: Vec::new(),
        tree: TreeId::default(),
        author: String::new(),
        date: String::new(),
        subject: String::new(),
    }
}

fn interval(ln: f64, half: f64) -> Interval {
    Interval {
        estimate: Effect::from_ln(ln),
        low: Effect::from_ln(ln - half),
        high: Effect::from_ln(ln + half),
    }
}

fn machine(processor: &str) -> Machine {
    let fact = ("cpu".to_owned(), Reading::Known(processor.to_owned()));
    Machine {
        facts: [fact].into(),
    }
}

fn entry(processor: &str, place: u32, outcome: PointOutcome) -> SeriesEntry {
    SeriesEntry {
        index: 0,
        line: SeriesLine {
            machine: machine(processor),
            surroundings: blake3::hash(b"").into(),
            parts: Vec::new(),
        },
        of: EntryOf::Point {
            commit: commit(place),
            place,
            outcome,
        },
        began_ms: 0,
        took_ms: 0,
    }
}

fn beside(anchor: u32, ln: f64, half: f64) -> PointOutcome {
    PointOutcome::Measured {
        anchor: format!("c{anchor}").into(),
        experiment: experiment(),
        found: TwoWays {
            drawn: Some(interval(ln, half)),
            shipped: interval(2.0 * ln, half),
            blocks: 8,
        },
    }
}

fn difference(line: &Line<'_>, older: u32, newer: u32, way: Way) -> Interval {
    let (older, newer) = (line.at(older).unwrap(), line.at(newer).unwrap());
    line.difference(older, newer, way).unwrap()
}

#[test]
fn points_of_several_anchors_are_on_one_scale_and_the_overlaps_add_to_their_noise() {
    let entries = [
        entry("a", 0, PointOutcome::Anchor { rebuilt: None }),
        entry("a", 5, beside(0, 0.02, 0.003)),
        entry("a", 10, beside(0, 0.05, 0.004)),
        entry("a", 12, beside(10, -0.01, 0.003)),
        entry("a", 20, beside(10, 0.01, 0.012)),
        entry(
            "a",
            21,
            PointOutcome::SameProgram {
                as_commit: "c20".into(),
            },
        ),
        entry("a", 25, beside(20, 0.10, 0.005)),
        // Of another processor nothing is compared with these.
        entry("b", 0, PointOutcome::Anchor { rebuilt: None }),
        entry("b", 5, beside(0, 0.7, 0.003)),
    ];
    let all = lines(&entries);
    assert_eq!(all.len(), 2);
    let line = &all[0];
    let ln = |place| line.value(line.at(place).unwrap(), Way::Drawn).unwrap();
    for (place, value) in [(0, 0.0), (5, 0.02), (12, 0.04), (20, 0.06), (25, 0.16)] {
        assert!((ln(place) - value).abs() < 1e-12, "{place}: {}", ln(place));
    }
    assert_eq!(ln(21), ln(20));
    // (older, newer, ln, half): of one anchor; to the anchor; across one overlap; of one program.
    let cases = [
        (5, 10, 0.03, 0.005),
        (10, 12, -0.01, 0.003),
        (
            5,
            12,
            0.02,
            (2.0 * 0.003_f64.powi(2) + 0.004_f64.powi(2)).sqrt(),
        ),
        (
            12,
            25,
            0.12,
            (0.003_f64.powi(2) + 0.012_f64.powi(2) + 0.005_f64.powi(2)).sqrt(),
        ),
        (20, 21, 0.0, 0.0),
    ];
    for (older, newer, ln, half) in cases {
        let found = difference(line, older, newer, Way::Drawn);
        assert!((found.estimate.ln() - ln).abs() < 1e-12, "{older} {newer}");
        assert!((found.half_width() - half).abs() < 1e-12, "{older} {newer}");
        let shipped = difference(line, older, newer, Way::Shipped);
        assert!((shipped.estimate.ln() - 2.0 * ln).abs() < 1e-12);
    }
}

#[test]
fn what_was_measured_last_counts_and_what_was_skipped_is_no_point() {
    let skipped = PointOutcome::Skipped {
        why: SkipReason::NotBuilt,
        said: "no".to_owned(),
    };
    let entries = [
        entry("a", 0, PointOutcome::Anchor { rebuilt: None }),
        entry("a", 1, skipped.clone()),
        entry("a", 2, skipped),
        entry("a", 1, beside(0, 0.3, 0.1)),
        entry("a", 1, beside(0, 0.1, 0.1)),
        // Its anchor has no value.
        entry("a", 3, beside(2, 0.1, 0.1)),
    ];
    let all = lines(&entries);
    let line = &all[0];
    let places: Vec<u32> = line.points.iter().map(|point| point.place).collect();
    assert_eq!(places, [0, 1]);
    assert_eq!(line.value(&line.points[1], Way::Drawn), Some(0.1));
    let skipped: Vec<&str> = line
        .skipped
        .iter()
        .map(|one| one.commit.id.as_str())
        .collect();
    assert_eq!(skipped, ["c2"]);
}

#[test]
fn a_comparison_is_a_change_placement_or_nothing() {
    let ways = |drawn: Option<(f64, f64)>, shipped: (f64, f64)| TwoWays {
        drawn: drawn.map(|(ln, half)| interval(ln, half)),
        shipped: interval(shipped.0, shipped.1),
        blocks: 8,
    };
    let cases = [
        (ways(Some((0.03, 0.01)), (0.0, 0.01)), PairFound::Changed),
        (ways(Some((0.0, 0.005)), (0.3, 0.01)), PairFound::Placement),
        (
            ways(Some((0.0, 0.02)), (0.3, 0.01)),
            PairFound::PlacementPerhaps,
        ),
        (
            ways(Some((0.004, 0.001)), (0.3, 0.01)),
            PairFound::Placement,
        ),
        (
            ways(Some((0.004, 0.001)), (0.0, 0.01)),
            PairFound::NotConfirmed,
        ),
        (ways(Some((0.0, 0.02)), (0.0, 0.01)), PairFound::Undecided),
        (ways(None, (0.0, 0.03)), PairFound::Undecided),
        (ways(None, (0.3, 0.01)), PairFound::ChangedAsShipped),
        (ways(None, (0.0, 0.005)), PairFound::NotConfirmed),
    ];
    for (found, expected) in cases {
        let said = pair_found(&found, Margin::default(), Better::Lower);
        assert_eq!(said, expected, "{found:?}");
    }
}

#[test]
fn what_parts_a_line_from_those_before_is_named() {
    let line = |processor: &str, parts: &[(&str, &str)]| {
        let parts = parts.iter().map(|(name, digest)| SurroundingPart {
            name: (*name).into(),
            digest: (*digest).to_owned(),
        });
        SeriesLine {
            machine: machine(processor),
            surroundings: blake3::hash(b"").into(),
            parts: parts.collect(),
        }
    };
    let first = line("P", &[("the variable A", "aa"), ("the variable B", "bb")]);
    assert_eq!(apart(&first, []), None);
    let other = line("Q", &[("the variable A", "cc")]);
    assert_eq!(apart(&other, [&first]), Some(Apart::Processor));
    // Held against the last line of its own processor.
    let now = line("P", &[("the variable A", "a0"), ("the variable C", "cc")]);
    let named = |found: Option<Apart<'_>>| match found {
        Some(Apart::Surroundings(parts)) => {
            let pair = |part: &PartApart<'_>| {
                let name: &std::ffi::OsStr = part.name.as_ref();
                (
                    name.to_str().unwrap().replace("the variable ", ""),
                    part.how,
                )
            };
            parts.iter().map(pair).collect::<Vec<(String, How)>>()
        }
        other => panic!("{other:?}"),
    };
    let expected = [("A", How::Other), ("C", How::New), ("B", How::Gone)];
    let expected = expected.map(|(name, how)| (name.to_owned(), how));
    assert_eq!(named(apart(&now, [&first, &other])), expected);
    // What a store without its private parts has is no digest, and nothing is made of it.
    let taken_out = line("P", &[("the variable A", "⟨private 1⟩")]);
    for (one, before) in [
        (&taken_out, &first),
        (&now, &taken_out),
        (&now, &line("P", &[])),
    ] {
        assert_eq!(named(apart(one, [before])), []);
    }
}

/// Three points of ten, as of a peak that nobody has refined yet: too few for a level of their own
/// among values of which nothing is known, and far beyond what each of them is known to.
#[test]
fn neighbours_that_are_apart_as_shipped_are_told_however_few() {
    let with = |peak: f64, half: f64| -> Vec<SeriesEntry> {
        let found = |place: u32| {
            let high = if (4..7).contains(&place) { peak } else { 0.0 };
            // Each as far off as its noise goes.
            let noise = if place.is_multiple_of(2) { half } else { -half };
            PointOutcome::Measured {
                anchor: "c0".into(),
                experiment: experiment(),
                found: TwoWays {
                    drawn: Some(interval(0.5 * noise, half)),
                    shipped: interval(high + 0.5 * noise, half),
                    blocks: 8,
                },
            }
        };
        let anchor = entry("a", 0, PointOutcome::Anchor { rebuilt: None });
        let others = (1..10).map(|place| entry("a", place, found(place)));
        std::iter::once(anchor).chain(others).collect()
    };
    let suspected = |entries: &[SeriesEntry]| -> Vec<(String, Way, bool)> {
        let all = lines(entries);
        let found = all[0].suspected(Margin::default(), Better::Lower);
        let told = found.iter().map(|one| {
            let drawn = one
                .over_layouts
                .is_some_and(|drawn| drawn.contains(Effect::NONE));
            (one.newer.id.to_string(), one.way, drawn)
        });
        told.collect()
    };
    let edge = |id: &str| (id.to_owned(), Way::Shipped, true);
    assert_eq!(suspected(&with(0.8, 0.03)), [edge("c4"), edge("c7")]);
    // Within what the points are known to it is nothing.
    assert_eq!(suspected(&with(0.05, 0.03)), []);
}
