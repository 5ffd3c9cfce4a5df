//! Records whose private part is elsewhere.

use proofmark_evidence::record::{BisectAnswer, Design, Series};
use proofmark_evidence::{PrivateParts, RecordedSeries, RecordedSweep};
use proofmark_report::experiment::{json, markdown, terminal};
use proofmark_report::matrix::{self, MatrixView};
use proofmark_report::{Style, bisect, series, sweep};
use proofmark_stats::Margin;

use crate::bisects::commit;
use crate::{bisects, made, matrix_made, sweep_made};

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
        let mut recorded = bisects::concluded(BisectAnswer::Undecided, None, None);
        recorded.private = private;
        assert_eq!(bisect::terminal(&recorded, &STYLE).contains(SAID), !here);
        assert_eq!(bisect::markdown(&recorded).contains(SAID), !here);
        assert_eq!(bisect::json(&recorded)["private_here"], here);
    }
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
