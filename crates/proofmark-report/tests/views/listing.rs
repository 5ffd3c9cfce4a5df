//! The experiments of a store on a terminal.

use proofmark_report::Style;
use proofmark_report::experiments::{Listed, terminal};
use unicode_width::UnicodeWidthStr;

use crate::made;

#[test]
fn finished_and_unfinished_side_by_side() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = crate::parts::store(folder.path());
    assert_eq!(
        terminal(
            &Listed {
                experiments: &store.list().unwrap(),
                ..Listed::default()
            },
            &Style {
                colour: false,
                width: 80,
                terminal: true,
            }
        ),
        "no experiments yet\n"
    );
    made::fill(&mut store);
    let list = store.list().unwrap();
    let listed = Listed {
        experiments: &list,
        ..Listed::default()
    };
    insta::assert_snapshot!(terminal(
        &listed,
        &Style {
            colour: false,
            width: 80,
            terminal: true,
        }
    ));
    for width in [60, 80, 120] {
        let text = terminal(
            &listed,
            &Style {
                colour: false,
                width,
                terminal: true,
            },
        );
        assert!(
            text.lines().all(|line| line.width() <= usize::from(width)),
            "{text}"
        );
    }
}
