//! A matrix in every view.

use proofmark_evidence::record::{
    Against, Asked, CellCode, Claim, Expectation, FactFound, JudgedClaim, MatrixConclusion,
    MatrixRun, Member, MemberEffect, Missing, Out, Outlier, ScaleEffect, ScaleLine, Size, Stop,
    SuiteEffect, Unbuilt, Warning,
};
use proofmark_evidence::{RecordedMatrix, Store};
use proofmark_report::matrix::{MatrixView, json, markdown, terminal};
use proofmark_report::{Style, schema};
use proofmark_stats::{Bounded, Effect, Holds, Interval, Part, Standing, Verdict};

use crate::made;

const CELLS: [&str; 5] = [
    "clang18",
    "gcc12",
    "clang19",
    "clang19 taildup",
    "clang19 tailcall",
];

/// new ÷ base of each cell against clang18.
const TIMES: [f64; 5] = [1.0, 0.99, 1.09, 1.003, 0.97];

fn interval(ratio: f64) -> Interval {
    let [estimate, low, high] = [ratio, ratio - 0.008, ratio + 0.009].map(Effect::from_ratio);
    Interval {
        estimate,
        low,
        high,
    }
}

fn verdict(ratio: f64) -> Verdict {
    match ratio {
        r if (r - 1.0).abs() < 0.004 => Verdict::Equivalent,
        r if (r - 1.0).abs() < 0.009 => Verdict::Undecided,
        r if r < 1.0 => Verdict::Faster,
        _ => Verdict::Slower,
    }
}

fn ratio(cell: u32, baseline: u32) -> f64 {
    TIMES[cell as usize] / TIMES[baseline as usize]
}

fn pairs() -> Vec<(u32, u32)> {
    (0..5)
        .flat_map(|cell| (0..3).map(move |base| (cell, base)))
        .filter(|(cell, base)| cell != base)
        .collect()
}

fn claim() -> JudgedClaim {
    let against = |(baseline, holds)| Against {
        baseline,
        alone: interval(ratio(4, baseline)),
        holds_alone: holds,
        together: interval(ratio(4, baseline)),
        holds,
    };
    JudgedClaim {
        claim: Claim {
            name: "claim".to_owned(),
            new: 4,
            base: None,
            at_least: 0.1,
            benchmarks: Vec::new(),
        },
        over: vec![0, 2],
        missing: Vec::new(),
        against: [(0, Holds::No), (1, Holds::No), (2, Holds::Yes)]
            .map(against)
            .to_vec(),
        standing: Standing::BaselineDependent,
    }
}

fn suite_effects() -> Vec<SuiteEffect> {
    let effect = |(cell, baseline)| SuiteEffect {
        cell,
        baseline,
        over: if cell == 3 { vec![2] } else { vec![0, 2] },
        blocks: 12,
        interval: interval(ratio(cell, baseline)),
        verdict: verdict(ratio(cell, baseline)),
        blocks_needed: None,
    };
    pairs().into_iter().map(effect).collect()
}

/// Of each benchmark, but for the cell that is out of the first one.
fn member_effects() -> Vec<MemberEffect> {
    let effect = |member| {
        move |(cell, baseline)| MemberEffect {
            member,
            cell,
            baseline,
            blocks: 12 + member,
            interval: interval(ratio(cell, baseline)),
            median: 0.0,
            spread: 0.01,
            verdict: verdict(ratio(cell, baseline)),
            decided_after: Some(8),
            widening: 0.0,
            blocks_needed: None,
        }
    };
    (0..3)
        .flat_map(|member| pairs().into_iter().map(effect(member)))
        .filter(|effect| (effect.member, effect.cell) != (0, 3))
        .collect()
}

fn code_of_cells() -> Vec<CellCode> {
    let code = |jumps, broken: &[&str]| CellCode {
        facts: vec![FactFound::Counted { value: jumps }],
        expectations: Some(Expectation {
            held: 2,
            broken: broken.iter().map(|&text| text.to_owned()).collect(),
        }),
    };
    vec![
        code(332, &[]),
        code(18, &[]),
        code(3, &["run: 3 indirect_jumps, expected at least 41"]),
        code(332, &[]),
        code(0, &[]),
    ]
}

fn bounded(estimate: f64) -> Bounded {
    Bounded {
        estimate,
        low: estimate - 0.2e6,
        high: estimate + 0.2e6,
    }
}

fn conclusion() -> MatrixConclusion {
    MatrixConclusion {
        asked: Asked {
            claims: vec![claim().claim],
            facts: vec!["run:indirect_jumps".to_owned()],
            expectations: Some("0".repeat(64)),
            unbuilt: vec![Unbuilt {
                cell: "clang20".to_owned(),
                why: "there is no clang-20 on this machine\n  next: install it".to_owned(),
                baseline: false,
                claims: Vec::new(),
            }],
        },
        blocks: 31,
        stop: Stop::Decided,
        confidence: 0.95,
        suite: suite_effects(),
        effects: member_effects(),
        out: vec![Out {
            member: 0,
            cell: 3,
            why: "it printed something else than clang18: line 2 is “8”, and not “7”\n  command: x"
                .to_owned(),
        }],
        claims: vec![claim()],
        outliers: vec![Outlier {
            baseline: 2,
            peers: vec![0, 1],
            over: vec![0, 2],
            ratio: 1.095,
        }],
        lines: vec![ScaleLine {
            benchmark: "sieve".to_owned(),
            cell: 4,
            blocks: 12,
            fixed: bounded(3e6),
            slope: bounded(5e5),
            misfit: 0.08,
        }],
        scale: vec![ScaleEffect {
            benchmark: "sieve".to_owned(),
            cell: 4,
            baseline: 0,
            fixed: Part::NotFromZero,
            fixed_beyond: bounded(-1.52e6),
            proportional: Part::Ratio {
                interval: interval(0.97),
            },
        }],
        code: code_of_cells(),
        warnings: vec![Warning {
            code: "no-idle-core".to_owned(),
            found: "no core is idle".to_owned(),
            remedy: "`proofmark doctor` says what else is running".to_owned(),
        }],
        took_ms: 754_000,
    }
}

/// Shows a recorded matrix.
fn shown<T>(show: impl FnOnce(&MatrixView<'_>) -> T) -> T {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(folder.path()).unwrap();
    let experiment = made::verdicts()[0].1.experiment.clone();
    let experiment_id = store.begin("key", &experiment).unwrap();
    let members = [("fib", None), ("sieve", Some(100)), ("sieve", Some(200))];
    let member = |(name, size): (&str, Option<u64>)| Member {
        benchmark: name.to_owned(),
        size: size.map(|value| Size {
            name: "N".to_owned(),
            value,
        }),
        experiment: experiment_id.clone(),
    };
    let run = MatrixRun {
        cells: CELLS.map(str::to_owned).to_vec(),
        baselines: vec![0, 1, 2],
        kinds: vec!["clang".to_owned(); CELLS.len()],
        members: members.map(member).to_vec(),
        proofmark: "0.1.0".to_owned(),
        began_ms: 1_795_292_045_000,
    };
    let id = store.begin_matrix("key", &run).unwrap();
    store.conclude_matrix(&id, &conclusion()).unwrap();
    let RecordedMatrix {
        run, conclusion, ..
    } = store.load_matrix("latest").unwrap();
    show(&MatrixView {
        id: &id,
        run: &run,
        experiments: vec![&experiment; 3],
        conclusion: &conclusion.unwrap(),
    })
}

fn terminal(width: u16, baseline: Option<u32>) -> String {
    let style = Style {
        colour: false,
        width,
        terminal: true,
    };
    let text = shown(|matrix| terminal(matrix, baseline, &style));
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
        terminal(&altered, None, &style).replace('\u{a0}', " ")
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
        terminal(&altered, None, &style).replace('\u{a0}', " ")
    })
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
            member: 2,
            cell: 0,
            why: "it crashed".to_owned(),
        });
        conclusion
            .effects
            .retain(|one| one.member != 2 || (one.cell != 0 && one.baseline != 0));
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
    let text = shown(|matrix| markdown(matrix, None));
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
    let document = shown(json);
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
