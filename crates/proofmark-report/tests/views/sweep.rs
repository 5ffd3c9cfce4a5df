//! What is said of a sweep.

use proofmark_evidence::record::Afresh;
use proofmark_evidence::{PrivateParts, RecordedSweep};
use proofmark_report::{Style, sweep};

use crate::sweep_made::{concluded, swept};

const STYLE: Style = Style {
    colour: false,
    width: 80,
    terminal: true,
};

/// A sweep whose extremes, measured afresh, are that far apart.
fn told(low: f64, ratio: f64, high: f64) -> String {
    let recorded = RecordedSweep {
        id: serde_json::from_value("5e".repeat(32).into()).unwrap(),
        sweep: swept(),
        blocks: Vec::new(),
        conclusion: Some(concluded(Afresh {
            blocks: 12,
            ratio,
            low,
            high,
        })),
        private: PrivateParts::Here,
    };
    sweep::terminal(&recorded, &STYLE)
}

/// A text without its line ends.
fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn extremes_that_are_alike_afresh_are_no_change() {
    let text = unwrapped(&told(0.99, 1.001, 1.012));
    assert!(
        text.contains("by too little to be told between the extremes"),
        "{text}"
    );
    assert!(!text.contains("changes the"), "{text}");
    let text = unwrapped(&told(1.004, 1.015, 1.026));
    assert!(
        text.contains("by 1.5 % [0.4 %, 2.6 %] from best to worst"),
        "{text}"
    );
}

#[test]
fn maps_of_a_metric_with_a_long_name_fit_a_terminal() {
    let text = told(1.004, 1.015, 1.026);
    assert!(text.contains("spread of runs") && text.contains("microseconds by its own clock"));
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
}

#[test]
fn loops_across_lines_and_copies_that_stay_are_told() {
    let text = unwrapped(&told(1.004, 1.015, 1.026));
    let heads = "loop heads across a line where the function starts at: 26 to 28 modulo 32, 26 to 28 \
                 modulo 64 (loop +0x23)";
    assert!(text.contains(heads), "{text}");
    assert!(
        text.contains("another copy of f, which stays where it was: f.constprop.0"),
        "{text}"
    );
}
