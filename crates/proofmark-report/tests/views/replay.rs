//! Evidence that is measured again: the plan with what stands in the way, and both machines.

use proofmark_conclude::agreements;
use proofmark_conclude::with_builds::obstacles;
use proofmark_report::Style;
use proofmark_report::replay::{
    AgreementWord, NamedPlanView, NamedReplayView, ReplayPlanView, ReplayView, WholePlanView,
    WholeReplayView, WholeWord, agreement_lines, plan_terminal, replay_json, replay_terminal,
    whole_json, whole_plan_json, whole_plan_terminal, whole_terminal,
};
use proofmark_report::schema;
use proofmark_stats::{Agreement, Verdict};

use crate::made;

const PLAIN: Style = Style {
    colour: false,
    width: 80,
    terminal: true,
};

#[test]
fn a_plan_says_what_it_takes_and_what_is_in_the_way() {
    let recorded = made::verdicts().remove(0).1;
    let mut plan = ReplayPlanView::of(&recorded, "it's.pmb".to_owned(), "5e".repeat(32));
    plan.runs_in = Some("data".to_owned());
    plan.shell = vec!["--setup make words".to_owned()];
    plan.sets = vec!["MODE=fast".to_owned()];
    plan.variables = vec!["HOME".to_owned(), "PATH".to_owned()];
    (plan.limit_ms, plan.limit_memory, plan.limit_processes) = (7_200_000, 4 << 30, 512);
    if let [first, ..] = plan.tools.as_mut_slice() {
        first.here = true;
    }
    insta::assert_snapshot!("replay_plan", plan_terminal(&plan, &PLAIN));
    plan.obstacles = obstacles(&recorded).into_iter().map(Into::into).collect();
    plan.no_sandbox = Some("the kernel forbids it\n  next: ask it".to_owned());
    insta::assert_snapshot!("replay_plan_blocked", plan_terminal(&plan, &PLAIN));
}

#[test]
fn both_machines_stand_beside_each_other() {
    let mut all = made::verdicts();
    let (first, mut other) = (all.remove(0).1, made::verdicts().remove(0).1);
    for (name, shift) in [("same", 0.0), ("apart", 0.5)] {
        let comparison = &mut other.conclusion.as_mut().unwrap().comparisons[0];
        if shift > 0.0 {
            comparison.verdict = Verdict::Slower;
        }
        let shifted = &mut comparison.interval;
        let moved =
            |effect: proofmark_stats::Effect| proofmark_stats::Effect::from_ln(effect.ln() + shift);
        shifted.estimate = moved(shifted.estimate);
        (shifted.low, shifted.high) = (moved(shifted.low), moved(shifted.high));
        let agreed = agreements(&first, &other).unwrap();
        let view = ReplayView::of("5e".repeat(32), &first, &other, &agreed);
        insta::assert_snapshot!(format!("replay_{name}"), replay_terminal(&view, &PLAIN));
        let validator = jsonschema::validator_for(&schema("replay").unwrap()).unwrap();
        let json = replay_json(&view);
        assert!(validator.is_valid(&json), "{json:#}");
    }
    other.conclusion = None;
    assert!(agreements(&first, &other).is_err());
}

#[test]
fn several_experiments_are_one_plan_and_one_table() {
    let recorded = made::verdicts().remove(0).1;
    let plan = |name: &str| NamedPlanView {
        name: name.to_owned(),
        plan: ReplayPlanView::of(&recorded, "it's.pmb".to_owned(), "5e".repeat(32)),
    };
    let mut whole = WholePlanView {
        kind: WholeWord::Ledger,
        id: "ab".repeat(32),
        file: "it's.pmb".to_owned(),
        bundle: "5e".repeat(32),
        experiments: vec![plan("small"), plan("large N=20")],
    };
    let obstacles = obstacles(&recorded).into_iter().map(Into::into).collect();
    whole.experiments[1].plan.obstacles = obstacles;
    insta::assert_snapshot!("replay_whole_plan", whole_plan_terminal(&whole, &PLAIN));
    let validator = jsonschema::validator_for(&schema("replay-whole-plan").unwrap()).unwrap();
    assert!(validator.is_valid(&whole_plan_json(&whole)));

    let mut agreed = agreements(&recorded, &recorded).unwrap();
    for one in &mut agreed {
        one.agreement = Agreement::Agree;
    }
    let replay = ReplayView::of("5e".repeat(32), &recorded, &recorded, &agreed);
    let measured = |name: &str, replay: Option<ReplayView>| NamedReplayView {
        name: name.to_owned(),
        first: recorded.id.as_str().to_owned(),
        why: replay
            .is_none()
            .then(|| "this evidence cannot be made again".to_owned()),
        replay,
    };
    let one = measured("small", Some(replay));
    assert_eq!(agreement_lines(&one).len(), agreed.len());
    let mut found = WholeReplayView {
        kind: whole.kind,
        id: whole.id.clone(),
        bundle: whole.bundle.clone(),
        experiments: vec![one],
    };
    assert_eq!(found.agreement(), AgreementWord::Agree);
    found.experiments.push(measured("large N=20", None));
    assert_eq!(found.agreement(), AgreementWord::Undecided);
    insta::assert_snapshot!("replay_whole", whole_terminal(&found, &PLAIN));
    let validator = jsonschema::validator_for(&schema("replay-whole").unwrap()).unwrap();
    assert!(validator.is_valid(&whole_json(&found)));
}
