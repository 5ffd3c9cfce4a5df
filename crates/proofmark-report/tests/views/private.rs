//! An experiment whose private part is elsewhere.

use proofmark_evidence::PrivateParts;
use proofmark_report::experiment::{json, markdown, terminal};

use crate::made;

#[test]
fn every_view_says_that_the_private_part_is_not_here() {
    let mut recorded = made::unfinished();
    let style = proofmark_report::Style {
        colour: false,
        width: 200,
        terminal: true,
    };
    let said = "the private part is not here";
    assert!(!terminal(&recorded, &style).contains(said));
    assert!(!markdown(&recorded).contains(said));
    assert_eq!(json(&recorded)["private_here"], true);
    recorded.private = PrivateParts::NotHere { records: 1 };
    assert!(terminal(&recorded, &style).contains(said));
    assert!(markdown(&recorded).contains(said));
    assert_eq!(json(&recorded)["private_here"], false);
}
