//! Records whose private part is elsewhere.

use proofmark_evidence::record::{
    Axis, Bisect, BisectAnswer, BisectConclusion, Design, Judge, Series, Stretch, SurveyFound, Vcs,
};
use proofmark_evidence::{PrivateParts, RecordedBisect, RecordedSeries, RecordedSweep};
use proofmark_report::experiment::{json, markdown, terminal};
use proofmark_report::matrix::{self, MatrixView};
use proofmark_report::{Style, bisect, series, sweep};
use proofmark_stats::Margin;
use proofmark_terms::{Commit, Machine, StateIndex, TreeId};

use crate::{made, matrix_made, sweep_made};

const SAID: &str = "the private part is not here";
const ELSEWHERE: PrivateParts = PrivateParts::NotHere { records: 1 };
const STYLE: Style = Style {
    colour: false,
    width: 200,
    terminal: true,
};

#[test]
fn every_view_says_that_the_private_part_is_not_here() {
    let mut recorded = made::unfinished();
    assert!(!terminal(&recorded, &STYLE).contains(SAID));
    assert!(!markdown(&recorded).contains(SAID));
    assert_eq!(json(&recorded)["private_here"], true);
    recorded.private = ELSEWHERE;
    assert!(terminal(&recorded, &STYLE).contains(SAID));
    assert!(markdown(&recorded).contains(SAID));
    assert_eq!(json(&recorded)["private_here"], false);
}

#[test]
fn a_matrix_says_it_in_words() {
    for (private, says) in [(PrivateParts::Here, false), (ELSEWHERE, true)] {
        matrix_made::shown(|matrix| {
            let shown = MatrixView {
                experiments: matrix.experiments.clone(),
                private,
                ..*matrix
            };
            assert_eq!(matrix::terminal(&shown, None, &STYLE).contains(SAID), says);
            assert_eq!(matrix::markdown(&shown, None).contains(SAID), says);
        });
    }
}

#[test]
fn a_sweep_says_it_among_its_notes() {
    let mut recorded = RecordedSweep {
        id: serde_json::from_value("5e".repeat(32).into()).unwrap(),
        sweep: sweep_made::swept(),
        blocks: Vec::new(),
        conclusion: None,
        private: PrivateParts::Here,
    };
    assert!(!sweep::json(&recorded)["notes"].to_string().contains(SAID));
    recorded.private = ELSEWHERE;
    assert!(sweep::json(&recorded)["notes"].to_string().contains(SAID));
}

#[test]
fn a_bisection_says_it_in_every_view() {
    for (private, here) in [(PrivateParts::Here, true), (ELSEWHERE, false)] {
        let recorded = RecordedBisect {
            id: serde_json::from_value("5e".repeat(32).into()).unwrap(),
            bisect: bisected(),
            steps: Vec::new(),
            conclusion: Some(BisectConclusion {
                answer: BisectAnswer::Undecided,
                ends: None,
                effect: None,
                code: None,
                files: Vec::new(),
                survey: None,
                rebuilt: None,
                took_ms: 1,
            }),
            private,
        };
        assert_eq!(bisect::terminal(&recorded, &STYLE).contains(SAID), !here);
        assert_eq!(bisect::markdown(&recorded).contains(SAID), !here);
        assert_eq!(bisect::json(&recorded)["private_here"], here);
    }
}

/// Neighbours that could not be told apart are no "no change".
#[test]
fn a_survey_that_could_not_tell_says_so() {
    let pair = Stretch {
        after: None,
        to: StateIndex(0),
    };
    let headline = |unclear: Vec<Stretch>| {
        let recorded = RecordedBisect {
            id: serde_json::from_value("5e".repeat(32).into()).unwrap(),
            bisect: bisected(),
            steps: Vec::new(),
            conclusion: Some(BisectConclusion {
                answer: BisectAnswer::Changes,
                ends: None,
                effect: None,
                code: None,
                files: Vec::new(),
                survey: Some(SurveyFound {
                    changes: Vec::new(),
                    unseen: 0,
                    gradual: Vec::new(),
                    unclear,
                }),
                rebuilt: None,
                took_ms: 1,
            }),
            private: PrivateParts::Here,
        };
        bisect::json(&recorded)["said"].as_str().unwrap().to_owned()
    };
    assert_eq!(headline(Vec::new()), "no change beyond the margin was seen");
    let open = "no change was seen, and 1 pair of neighbours could not be told apart";
    assert_eq!(headline(vec![pair]), open);
}

#[test]
fn a_series_says_it_in_every_view() {
    for (private, here) in [(PrivateParts::Here, true), (ELSEWHERE, false)] {
        let shown = [series::Shown {
            recorded: RecordedSeries {
                id: serde_json::from_value("5e".repeat(32).into()).unwrap(),
                series: of_commits(),
                entries: Vec::new(),
                private,
            },
            margin: Margin::default(),
        }];
        assert_eq!(series::terminal(&shown, &STYLE).contains(SAID), !here);
        assert_eq!(series::markdown(&shown).contains(SAID), !here);
        assert_eq!(series::json(&shown)["series"][0]["private_here"], here);
    }
}

fn commit(id: &str) -> Commit {
    Commit {
        id: id.repeat(40).into(),
        parents: Vec::new(),
        tree: TreeId::default(),
        author: "⟨private 0⟩".to_owned(),
        date: "2026-01-01T00:00:00+00:00".to_owned(),
        subject: "a change".to_owned(),
    }
}

fn bisected() -> Bisect {
    Bisect {
        vcs: Vcs::Git,
        axis: Axis::Commits,
        older: commit("a"),
        commits: vec![commit("b")],
        first_parent: false,
        survey: None,
        toolchain: None,
        judge: Judge::Script {
            command: "true".to_owned(),
        },
        confidence: 0.95,
        machine: Machine::default(),
        proofmark: String::new(),
        began_ms: 0,
    }
}

fn of_commits() -> Series {
    Series {
        name: "number".to_owned(),
        build: "make".to_owned(),
        repeat: 1,
        benchmark: Box::default(),
        design: Box::new(Design::default()),
        origin: commit("a"),
        anchor_every: 10,
        proofmark: String::new(),
        began_ms: 0,
    }
}
