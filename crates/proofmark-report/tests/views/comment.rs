//! What a bot posts on a pull request.

use proofmark_evidence::record::DrawnWork;
use proofmark_report::comment::{EvidenceFile, MOST_LINES};
use proofmark_report::experiment::comment;
use proofmark_report::matrix;

use crate::{made, matrix_made};

/// Columns of a comment, as it is laid out on GitHub.
const COLUMNS: usize = 100;

fn file() -> EvidenceFile {
    EvidenceFile {
        name: "3f9ac0ffee12.pmb".to_owned(),
        digest: "5e".repeat(32),
        link: Some("https://example.org/3f9ac0ffee12.pmb".to_owned()),
        marker: None,
    }
}

/// Lines that are seen: a row of a table is one, and so is what stands for what is folded.
fn seen(text: &str) -> usize {
    let above = text.split("\n<details>").next().unwrap();
    let lines = above.lines().skip(1).filter(|line| !line.is_empty());
    let lines = lines.filter(|line| !line.starts_with("| ---"));
    let lines = lines.map(|line| match line.starts_with('|') {
        true => 1,
        // An address is not seen.
        false => line
            .split("](<")
            .next()
            .unwrap()
            .chars()
            .count()
            .div_ceil(COLUMNS),
    });
    lines.sum::<usize>() + 1
}

#[test]
fn each_state_of_an_experiment() {
    for (name, recorded) in made::all() {
        match comment(&recorded, &file()) {
            Some(text) => insta::assert_snapshot!(name, text),
            None => assert_eq!(name, "unfinished"),
        }
    }
}

#[test]
fn a_matrix() {
    insta::assert_snapshot!(
        "matrix",
        matrix_made::shown(|shown| matrix::comment(shown, &file()))
    );
}

#[test]
fn what_is_seen_fits_on_a_screen() {
    let experiments = made::all();
    let texts = experiments
        .iter()
        .filter_map(|(_, one)| comment(one, &file()));
    let matrix = matrix_made::shown(|shown| matrix::comment(shown, &file()));
    for text in texts.chain([matrix]) {
        assert!(text.starts_with("<!-- proofmark-comment "), "{text}");
        assert!(seen(&text) <= MOST_LINES, "{}: {text}", seen(&text));
        assert!(text.ends_with("</details>\n"), "{text}");
    }
}

#[test]
fn a_figure_that_is_withheld_is_not_to_be_believed() {
    let (_, mut recorded) = made::all()
        .into_iter()
        .find(|(name, _)| *name == "faster")
        .unwrap();
    let conclusion = recorded.conclusion.as_mut().unwrap();
    conclusion.comparisons[0].drawn = Some(DrawnWork::Unknown {
        why: "there is no valgrind".to_owned(),
    });
    let text = comment(&recorded, &file()).unwrap();
    assert!(text.contains("**undecided: nobody knows"), "{text}");
    assert!(
        text.contains("**Believe**: no figure over layouts"),
        "{text}"
    );
}

#[test]
fn a_warning_is_seen_and_not_only_folded() {
    let text = comment(&made::warned(), &file()).unwrap();
    let (above, folded) = text.split_once("<details>").unwrap();
    assert!(above.contains("placement was not varied"), "{above}");
    assert!(above.contains("(and 3 more, below)"), "{above}");
    assert!(folded.contains("ptrace is forbidden"), "{folded}");
}
