//! What a pull request shows.

use proofmark_report::experiment::markdown;

use crate::made;

#[test]
fn each_state_of_an_experiment() {
    for (name, recorded) in made::all() {
        insta::assert_snapshot!(name, markdown(&recorded));
    }
}

#[test]
fn what_is_not_folded_is_short() {
    for (name, recorded) in made::verdicts() {
        let text = markdown(&recorded);
        let (above, folded) = text.split_once("<details>").unwrap();
        assert!(above.lines().count() <= 4, "{name}: {above}");
        assert!(folded.trim_end().ends_with("</details>"), "{name}");
    }
}
