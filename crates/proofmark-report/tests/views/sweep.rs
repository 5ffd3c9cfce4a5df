//! What is said of a sweep.

use proofmark_evidence::record::{Afresh, Sweep};
use proofmark_evidence::{PrivateParts, RecordedSweep};
use proofmark_picture::{Format, Theme};
use proofmark_report::{Style, sweep};
use proofmark_terms::{Metric, is_unseen};

use crate::sweep_made::{concluded, swept};

const STYLE: Style = Style {
    colour: false,
    width: 80,
    terminal: true,
};

/// A sweep whose extremes, measured afresh, are that far apart.
fn told(low: f64, ratio: f64, high: f64) -> String {
    let afresh = Afresh {
        blocks: 12,
        ratio,
        low,
        high,
    };
    sweep::terminal(&recorded(swept(), afresh), &STYLE)
}

fn recorded(sweep: Sweep, afresh: Afresh) -> RecordedSweep {
    RecordedSweep {
        id: serde_json::from_value("5e".repeat(32).into()).unwrap(),
        sweep,
        blocks: Vec::new(),
        conclusion: Some(concluded(afresh)),
        private: PrivateParts::Here,
    }
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

/// A sweep of a stranger, whose texts clear the screen, begin lines and turn the order of reading.
fn hostile() -> RecordedSweep {
    const EVIL: &str = "f\u{1b}[2J\u{1b}[H\n\n# H\u{9b}8m\u{202e}x\u{200b}";
    let mut sweep = swept();
    sweep.functions[0].name = EVIL.to_owned();
    sweep.functions[0].copies = vec![EVIL.to_owned()];
    sweep.build.name = EVIL.to_owned();
    if let Metric::Output { unit, .. } = &mut sweep.benchmark.metric {
        *unit = EVIL.to_owned();
    }
    let afresh = Afresh {
        blocks: 12,
        ratio: 1.015,
        low: 1.004,
        high: 1.026,
    };
    recorded(sweep, afresh)
}

#[test]
fn texts_of_a_stranger_move_no_cursor_and_begin_no_line() {
    let text = sweep::terminal(&hostile(), &STYLE);
    assert!(text.contains("f\\u{1b}[2J\\u{1b}[H\\n\\n#"), "{text}");
    assert!(
        !text.contains(|one| is_unseen(one) && one != '\n'),
        "{text}"
    );
    assert!(!text.contains("\n# H"), "{text}");
}

#[test]
fn a_picture_of_texts_of_a_stranger_is_xml_all_the_same() {
    let svg = sweep::picture(&hostile(), Format::Svg, Theme::Light).unwrap();
    let svg = String::from_utf8(svg).unwrap();
    assert!(svg.contains("# H"), "{svg}");
    assert!(!svg.contains(|one| is_unseen(one) && one != '\n'), "{svg}");
}
