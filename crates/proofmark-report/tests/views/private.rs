//! Records whose private part is elsewhere.

use proofmark_evidence::record::{Benchmark, Inputs, Sweep, SweepDesign, SweptAddress};
use proofmark_evidence::{PrivateParts, RecordedSweep};
use proofmark_report::experiment::{json, markdown, terminal};
use proofmark_report::matrix::{self, MatrixView};
use proofmark_report::{Style, sweep};
use proofmark_terms::Machine;

use crate::{made, matrix_made, parts};

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
        sweep: swept(),
        blocks: Vec::new(),
        conclusion: None,
        private: PrivateParts::Here,
    };
    assert!(!sweep::json(&recorded)["notes"].to_string().contains(SAID));
    recorded.private = ELSEWHERE;
    assert!(sweep::json(&recorded)["notes"].to_string().contains(SAID));
}

fn swept() -> Sweep {
    Sweep {
        build: parts::build("base"),
        functions: Vec::new(),
        benchmark: Benchmark::default(),
        design: SweepDesign {
            range: 64,
            step: 16,
            at: Vec::new(),
            inside: None,
            precision: 0.01,
            confidence: 0.95,
            min_blocks: 8,
            max_blocks: 60,
            afresh: 8,
            budget_ms: None,
            seed: 1,
        },
        as_shipped: 0x1000,
        addresses: vec![SweptAddress {
            address: 0x1000,
            branches_32: 0,
            branches_64: 0,
            heads_32: 0,
            heads_64: 0,
            other: None,
        }],
        inside: None,
        against: None,
        left_out: Vec::new(),
        is_run: None,
        inputs: Inputs::default(),
        group: 4,
        rounds: 2,
        pinned: true,
        remarks: Vec::new(),
        machine: Machine::default(),
        proofmark: String::new(),
        began_ms: 0,
    }
}
