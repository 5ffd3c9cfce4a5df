//! The newest point of a line, and each other one, against the level before it.

use proofmark_conclude::series::{AlarmSeen, lines};
use proofmark_evidence::record::{
    EntryOf, PairOutcome, PairReason, PointOutcome, SeriesEntry, TwoWays,
};
use proofmark_terms::{Better, Margin};

use super::{beside, entry, experiment, interval};

/// What a comparison of two points came to, after an alarm.
fn alarm(older: u32, newer: u32, rises: bool, ln: f64) -> SeriesEntry {
    let mut one = entry("a", 0, PointOutcome::Anchor { rebuilt: None });
    one.of = EntryOf::Pair {
        older: format!("c{older}").into(),
        newer: format!("c{newer}").into(),
        why: PairReason::Alarm { rises },
        outcome: PairOutcome::Compared {
            experiment: experiment(),
            level: 0.05,
            found: TwoWays {
                drawn: Some(interval(ln, 0.002)),
                shipped: interval(ln, 0.002),
                blocks: 8,
            },
        },
    };
    one
}

/// The anchor and so many points about levels, each with noise of 0.2 %.
fn level(values: &[f64]) -> Vec<SeriesEntry> {
    let wobble = |at: usize| 0.002 * [0.0, 1.0, -1.0, 0.5, -0.5][at % 5];
    let points = values.iter().enumerate().map(|(at, value)| {
        let place = u32::try_from(at).unwrap() + 1;
        entry("a", place, beside(0, value + wobble(at), 0.004))
    });
    let anchor = entry("a", 0, PointOutcome::Anchor { rebuilt: None });
    [anchor].into_iter().chain(points).collect()
}

fn watched(entries: &[SeriesEntry]) -> Option<AlarmSeen> {
    let all = lines(entries);
    let seen = all[0].watched(Margin::default(), Better::Lower).unwrap();
    seen.alarm
}

#[test]
fn a_watch_gives_one_alarm_for_one_change() {
    let mut values = vec![0.0; 20];
    assert_eq!(watched(&level(&values)), None);
    // Less than the margin is no alarm, however clear.
    values.extend([0.007; 12]);
    assert_eq!(watched(&level(&values)), None);
    values.truncate(20);
    values.push(0.03);
    let seen = AlarmSeen {
        older: 20,
        newest: 21,
        rises: true,
    };
    let mut entries = level(&values);
    assert_eq!(watched(&entries), Some(seen));
    // Confirmed, the new level begins there. Not confirmed, the watch keeps the old one.
    let new_level = alarm(20, 21, true, 0.03);
    for came in [new_level, alarm(20, 21, true, 0.0)] {
        values.truncate(21);
        entries.truncate(22);
        entries.push(came.clone());
        assert_eq!(watched(&entries), None);
        let confirmed = pair_of(&came) > 0.0;
        let next = if confirmed { 0.03 } else { 0.0 };
        values.extend([next; 4]);
        let mut longer = level(&values);
        longer.push(came.clone());
        assert_eq!(watched(&longer), None, "{confirmed}");
        values.push(next - 0.03);
        let mut longer = level(&values);
        longer.push(came);
        let seen = watched(&longer).unwrap();
        assert_eq!((seen.older, seen.rises), (25, false), "{confirmed}");
    }
}

/// A comparison so noisy that it says nothing.
fn undecided(older: u32, newer: u32) -> SeriesEntry {
    let mut one = alarm(older, newer, true, 0.0);
    if let EntryOf::Pair {
        outcome: PairOutcome::Compared { found, .. },
        ..
    } = &mut one.of
    {
        found.drawn = Some(interval(-0.03, 0.2));
        found.shipped = interval(-0.03, 0.2);
    }
    one
}

#[test]
fn an_alarm_that_was_not_decided_stays_one() {
    let mut values = vec![0.0; 20];
    values.push(0.03);
    let mut entries = level(&values);
    entries.push(undecided(20, 21));
    let seen = |newest| AlarmSeen {
        older: 20,
        newest,
        rises: true,
    };
    assert_eq!(watched(&entries), Some(seen(21)));
    // The next one is held against the old level, and not against its neighbour.
    values.push(0.03);
    let mut longer = level(&values);
    longer.push(undecided(20, 21));
    assert_eq!(watched(&longer), Some(seen(22)));
    longer.push(alarm(20, 22, true, 0.03));
    assert_eq!(watched(&longer), None);
}

#[test]
fn a_commit_is_held_against_the_level_before_it_whatever_was_measured_since() {
    let mut values = vec![0.0; 20];
    values.extend([0.5, 0.0]);
    let entries = level(&values);
    let all = lines(&entries);
    let at = |place: u32| {
        let seen = all[0].watched_at(place, Margin::default(), Better::Lower);
        seen.unwrap().alarm
    };
    let seen = AlarmSeen {
        older: 20,
        newest: 21,
        rises: true,
    };
    assert_eq!(at(21), Some(seen));
    assert_eq!(at(20), None);
    assert!(
        all[0]
            .watched_at(99, Margin::default(), Better::Lower)
            .is_none()
    );
}

fn pair_of(entry: &SeriesEntry) -> f64 {
    match &entry.of {
        EntryOf::Pair {
            outcome: PairOutcome::Compared { found, .. },
            ..
        } => found.shipped.estimate.ln(),
        _ => 0.0,
    }
}

#[test]
fn alarms_are_counted_in_both_directions() {
    let mut entries = level(&[0.0; 12]);
    for place in 2..10 {
        entries.push(alarm(place - 1, place, true, 0.0));
    }
    entries.push(alarm(9, 10, false, -0.03));
    let all = lines(&entries);
    let count = all[0].alarms(Margin::default(), Better::Lower);
    let counts = [
        count.rose,
        count.fell,
        count.rose_in_vain,
        count.fell_in_vain,
    ];
    assert_eq!(counts, [8, 1, 8, 0]);
    let (of_all, of_vain) = count.by_chance();
    assert!((of_all - 2.0 * 10.0 / 512.0).abs() < 1e-12);
    assert!((of_vain - 2.0 / 256.0).abs() < 1e-12);
}

/// Places of the changes that are shown: from, to.
fn changes(entries: &[SeriesEntry]) -> Vec<(u32, u32)> {
    let all = lines(entries);
    let changes = all[0].changes(Margin::default(), Better::Lower).into_iter();
    changes.map(|change| (change.from, change.to)).collect()
}

#[test]
fn a_change_within_another_one_hides_it_where_it_is_all_of_it() {
    let with = |pairs: &[SeriesEntry]| changes(&[&level(&[0.0; 8])[..], pairs].concat());
    let wide = alarm(1, 6, true, 0.26);
    assert_eq!(with(&[wide.clone(), alarm(4, 5, true, 0.26)]), [(4, 5)]);
    // The other way, or less of it: something else is still within the wide one.
    let back = alarm(1, 3, false, -0.1);
    assert_eq!(with(&[wide.clone(), back.clone()]), [(1, 3), (1, 6)]);
    assert_eq!(
        with(&[wide.clone(), alarm(4, 5, true, 0.1)]),
        [(4, 5), (1, 6)]
    );
    // Until it is found as well.
    assert_eq!(
        with(&[wide, back, alarm(3, 6, true, 0.36)]),
        [(1, 3), (3, 6)]
    );
}

#[test]
fn a_change_is_confirmed_at_a_point_whatever_it_was_compared_for() {
    let mut pair = alarm(7, 8, true, 0.03);
    if let EntryOf::Pair { why, .. } = &mut pair.of {
        *why = PairReason::Change;
    }
    let entries = [&level(&[0.0; 8])[..], &[pair, alarm(4, 5, true, 0.0)]].concat();
    let all = lines(&entries);
    let confirmed = |place| all[0].confirmed_at(place, Margin::default(), Better::Lower);
    assert_eq!(confirmed(8).map(|change| change.from), Some(7));
    assert!(confirmed(7).is_none() && confirmed(5).is_none());
    // It is no alarm, which would be counted.
    assert!(
        all[0]
            .alarm_at(8, Margin::default(), Better::Lower)
            .is_none()
    );
}

/// Where each value lies a little off the one before it, the newest is held against the level, and
/// not against its neighbour.
#[test]
fn a_level_that_drifts_is_stood_for_by_a_point_that_is_on_it() {
    let mut values = vec![0.0; 12];
    values.extend([0.009, 0.018, 0.027, 0.036].map(|drift| drift + 0.004));
    let seen = watched(&level(&values)).unwrap();
    assert!(seen.rises && seen.older <= 12, "{seen:?}");
}
