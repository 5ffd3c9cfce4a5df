//! Every change of a range.

use proofmark_conclude::bisect::{Look, Survey};
use proofmark_evidence::record::Relation;

/// A survey of a line whose points have these levels; some cannot be judged.
fn surveyed(levels: &[i32], width: usize, broken: &[usize]) -> (Survey, usize) {
    let relation = |one: usize, other: usize| {
        if levels[one].abs_diff(levels[other]) > 1 {
            Relation::Differs
        } else {
            Relation::Alike
        }
    };
    let last = levels.len() - 1;
    let mut survey = Survey::new(last, width, relation(0, last));
    let mut looks = 0;
    while let Some(look) = survey.next() {
        looks += 1;
        assert!(looks <= levels.len(), "{survey:?}");
        let Look {
            older,
            commit,
            newer,
        } = look;
        if broken.contains(&commit) {
            survey.skip(commit);
        } else {
            survey.set(look, relation(older, commit), relation(commit, newer));
        }
    }
    (survey, looks)
}

#[test]
fn every_change_of_a_line_is_found() {
    // Three steps, of which one goes down.
    let mut levels = vec![0; 100];
    levels[20..].fill(30);
    levels[21..].fill(10);
    levels[77..].fill(50);
    let (survey, looks) = surveyed(&levels, 200, &[]);
    assert_eq!(survey.changes(), [(19, 20), (20, 21), (76, 77)]);
    assert!(looks <= 20, "{looks}");
    // A peak whose ends are alike is found where it is wider than what may stay unseen.
    let mut peak = vec![0; 100];
    peak[40..52].fill(30);
    let (survey, looks) = surveyed(&peak, 10, &[]);
    assert_eq!(survey.changes(), [(39, 40), (51, 52)]);
    assert!(survey.unseen() <= 10 && looks <= 25, "{looks}");
    let (survey, _) = surveyed(&peak, 100, &[]);
    assert_eq!((survey.changes(), survey.unseen()), (vec![], 98));
    // What cannot be judged stays within its range.
    let (survey, _) = surveyed(&peak, 10, &[38, 39, 40, 41]);
    assert_eq!(survey.changes(), [(37, 42), (51, 52)]);
    // Steps below the margin that add up are no change of one commit.
    let (survey, _) = surveyed(&[0, 1, 2], 0, &[]);
    assert_eq!((survey.changes(), survey.gradual()), (vec![], vec![(0, 2)]));
}

/// Where the halves of a difference cannot be told, it is looked for in them all the same, and is
/// not lost.
#[test]
fn what_could_not_be_told_is_pursued_where_there_must_be_a_change() {
    let mut survey = Survey::new(8, 8, Relation::Differs);
    let first = survey.next().unwrap();
    assert_eq!((first.older, first.commit, first.newer), (0, 4, 8));
    survey.set(first, Relation::Alike, Relation::Unclear);
    assert_eq!((survey.open(), survey.unclear()), (3, vec![(4, 8)]));
    let second = survey.next().unwrap();
    assert_eq!((second.older, second.commit, second.newer), (4, 6, 8));
    survey.set(second, Relation::Alike, Relation::Unclear);
    let third = survey.next().unwrap();
    survey.set(third, Relation::Differs, Relation::Alike);
    assert_eq!((survey.next(), survey.open()), (None, 0));
    assert_eq!(survey.changes(), [(6, 7)]);
    assert!(survey.gradual().is_empty() && survey.unclear().is_empty());
    // Of ends that could not be told nothing follows.
    let survey = Survey::new(8, 8, Relation::Unclear);
    assert_eq!((survey.next(), survey.unseen()), (None, 7));
}
