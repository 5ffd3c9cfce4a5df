//! A matrix in every view.

use proofmark_evidence::record::{MatrixConclusion, Missing, Out, Warning};
use proofmark_report::matrix::{self, MatrixView};
use proofmark_report::{Style, gates, schema};
use proofmark_stats::{Effect, Holds, Interval, Standing};
use proofmark_terms::{CellIndex, MemberIndex};

use crate::matrix_made::{self, guarded, shown, shown_of};

fn terminal(width: u16, baseline: Option<u32>) -> String {
    let style = Style {
        colour: false,
        width,
        terminal: true,
    };
    let text = shown(|matrix| matrix::terminal(matrix, baseline.map(CellIndex), &style));
    // The name is a hash of the record.
    text.replace(
        text.split("matrix ")
            .nth(1)
            .unwrap()
            .split(':')
            .next()
            .unwrap(),
        "0123456789ab",
    )
}

#[test]
fn the_table_fits_a_terminal() {
    let text = terminal(80, None);
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
    insta::assert_snapshot!(text);
}

#[test]
fn a_guard_is_in_no_mean_and_says_who_keeps_it() {
    let style = Style {
        colour: false,
        width: 80,
        terminal: true,
    };
    let text = shown_of(&guarded(), |matrix| matrix::terminal(matrix, None, &style));
    let heading = text.lines().next().unwrap();
    assert_eq!(heading, "fib");
    let at = text.find("guard sieve").unwrap();
    insta::assert_snapshot!(text[at..].lines().take(3).collect::<Vec<_>>().join("\n"));
    let programs = shown_of(&guarded(), matrix::json);
    let guards = programs["guards"].as_array().unwrap();
    assert_eq!(guards.len(), 4);
    assert_eq!(guards[1]["holds"], "no");
    assert_eq!(guards[1]["at_most"], 0.02);
}

#[test]
fn a_wide_terminal_keeps_each_row_on_one_line() {
    insta::assert_snapshot!(terminal(120, None));
}

#[test]
fn one_baseline_in_full() {
    insta::assert_snapshot!(terminal(80, Some(2)));
}

/// What is said to be open is shown with the interval that leaves it open.
#[test]
fn a_claim_that_is_not_robust_shows_the_intervals_that_baselines_are_named_by() {
    let text = not_robust(Holds::Open);
    assert!(
        text.contains("not robust: fails against clang18, gcc12, open against clang19; so far"),
        "{text}"
    );
    assert!(text.contains("clang19 0.89 [0.85, 0.95]"), "{text}");
    // Nothing is open where a baseline is missing, which is said beside.
    let text = not_robust(Holds::No);
    assert!(
        text.contains("not robust: fails against clang18, gcc12, clang19; so far"),
        "{text}"
    );
}

/// A claim that fails against two baselines, and what it does against the third.
fn not_robust(third: Holds) -> String {
    shown(|matrix| {
        let mut conclusion = matrix.conclusion.clone();
        let judged = &mut conclusion.claims[0];
        judged.standing = Standing::NotRobust;
        for (one, holds) in judged.against.iter_mut().zip([Holds::No, Holds::No, third]) {
            one.holds = holds;
        }
        let [low, high] = [0.85, 0.95].map(Effect::from_ratio);
        judged.against[2].together = Interval {
            low,
            high,
            ..judged.against[2].alone
        };
        let style = Style {
            colour: false,
            width: 200,
            terminal: true,
        };
        let altered = MatrixView {
            conclusion: &conclusion,
            experiments: matrix.experiments.clone(),
            ..*matrix
        };
        matrix::terminal(&altered, None, &style).replace('\u{a0}', " ")
    })
}

/// Shows a recorded matrix of which something else was concluded, on one line each.
fn altered(change: impl FnOnce(&mut MatrixConclusion)) -> String {
    let style = Style {
        colour: false,
        width: 400,
        terminal: true,
    };
    shown(|matrix| {
        let mut conclusion = matrix.conclusion.clone();
        change(&mut conclusion);
        let altered = MatrixView {
            conclusion: &conclusion,
            experiments: matrix.experiments.clone(),
            ..*matrix
        };
        matrix::terminal(&altered, None, &style).replace('\u{a0}', " ")
    })
}

#[test]
fn a_warning_names_the_benchmarks_that_it_is_about() {
    let short = |cpu_ns| Warning::ShortRuns { cpu_ns };
    let said = |warned: &[Vec<MemberIndex>], warnings: &[Warning]| {
        shown(|matrix| {
            let mut conclusion = matrix.conclusion.clone();
            conclusion.warnings = warnings.to_vec();
            let altered = MatrixView {
                conclusion: &conclusion,
                experiments: matrix.experiments.clone(),
                warned,
                ..*matrix
            };
            let style = Style {
                colour: false,
                width: 400,
                terminal: true,
            };
            let text = matrix::terminal(&altered, None, &style).replace('\u{a0}', " ");
            let lines = text.lines().filter(|line| line.contains("a run takes"));
            let lines = lines.filter_map(|line| line.split(" a run takes").next());
            let listed = &matrix::json(&altered)["warnings"][0]["benchmarks"];
            format!("{} {listed}", lines.collect::<Vec<_>>().join("|"))
        })
    };
    let [first, second] = [0, 1].map(MemberIndex);
    assert_eq!(
        said(&[vec![second]], &[short(2_000_000)]),
        "! sieve N=100: [1]"
    );
    // Words that are equal are said once, also where their numbers are not.
    let alike = [short(2_000_000), short(2_000_001)];
    assert_eq!(
        said(&[vec![second], vec![first]], &alike),
        "! fib, sieve N=100: [1]"
    );
    assert_eq!(said(&[], &[short(2_000_000)]), "! []");
}

#[test]
fn a_claim_names_what_it_could_not_be_held_against() {
    let missing = |cell: &str, why: &str| Missing {
        cell: cell.to_owned(),
        why: why.to_owned(),
    };
    let text = altered(|conclusion| {
        let judged = &mut conclusion.claims[0];
        judged.standing = Standing::Undecided;
        judged.missing = vec![
            missing("clang20", "has no build"),
            missing("gcc12", "is out of sieve"),
        ];
        let unbuilt = &mut conclusion.asked.unbuilt[0];
        unbuilt.baseline = true;
        unbuilt.claims = vec!["c".to_owned()];
    });
    assert!(
        text.contains(
            "; not known, for clang20 has no build, and gcc12 is out of sieve (`benchmarks` in"
        ),
        "{text}"
    );
    assert!(
        text.contains("clang20, a baseline, has no build: there is no clang-20 on this machine; claim c is not judged"),
        "{text}"
    );
}

#[test]
fn where_the_main_baseline_is_out_the_next_one_is_the_yardstick() {
    let text = altered(|conclusion| {
        conclusion.out.push(Out {
            member: MemberIndex(2),
            cell: CellIndex(0),
            why: "it crashed".to_owned(),
        });
        conclusion
            .effects
            .retain(|one| one.member.0 != 2 || (one.cell.0 != 0 && one.baseline.0 != 0));
    });
    let (_, rest) = text
        .split_once("each benchmark vs gcc12, where clang18 is out")
        .unwrap();
    let row = rest
        .lines()
        .find(|line| line.contains("sieve N=200"))
        .unwrap();
    assert!(row.contains("1.10× slower"), "{row}");
    let (before, _) = text.split_once("each benchmark vs gcc12").unwrap();
    assert!(!before.contains("sieve N=200"), "{text}");
}

#[test]
fn for_a_pull_request() {
    let text = shown(|matrix| matrix::markdown(matrix, None));
    let (name, _) = text
        .split("matrix ")
        .nth(1)
        .unwrap()
        .split_once(':')
        .unwrap();
    insta::assert_snapshot!(text.replace(name, "0123456789ab"));
}

#[test]
fn for_programs_it_is_valid_by_its_schema() {
    let validator = jsonschema::validator_for(&schema("matrix").unwrap()).unwrap();
    let document = shown(matrix::json);
    let errors: Vec<String> = validator
        .iter_errors(&document)
        .map(|error| error.to_string())
        .collect();
    assert!(errors.is_empty(), "{errors:?}");
    assert_eq!(document["claims"][0]["standing"], "baseline-dependent");
    let mut wrong = document.clone();
    wrong["suite"][0]["verdict"] = "the same".into();
    assert!(!validator.is_valid(&wrong));
}

#[test]
fn gates_for_people_and_programs() {
    let style = Style {
        colour: false,
        width: 80,
        terminal: true,
    };
    let found = matrix_made::gates();
    let text = gates::terminal(&found, &style);
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
    insta::assert_snapshot!(text);
    let validator = jsonschema::validator_for(&schema("gates").unwrap()).unwrap();
    assert!(validator.is_valid(&gates::json(&found)));
}
