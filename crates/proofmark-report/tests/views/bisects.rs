//! What a bisection says first.

use proofmark_evidence::record::{
    Axis, Bisect, BisectAnswer, BisectConclusion, ChangeFound, EndsFound, Judge, Stretch,
    SurveyFound, Vcs,
};
use proofmark_evidence::{PrivateParts, RecordedBisect};
use proofmark_report::bisect;
use proofmark_stats::{Effect, Interval};
use proofmark_terms::{Commit, Machine, StateIndex, TreeId};

/// A bisection of one commit that ended with this.
pub(crate) fn concluded(
    answer: BisectAnswer,
    ends: Option<EndsFound>,
    survey: Option<SurveyFound>,
) -> RecordedBisect {
    RecordedBisect {
        id: serde_json::from_value("5e".repeat(32).into()).unwrap(),
        bisect: bisected(),
        steps: Vec::new(),
        conclusion: Some(BisectConclusion {
            answer,
            ends,
            effect: None,
            code: None,
            files: Vec::new(),
            survey,
            rebuilt: None,
            rebuilt_of: None,
            took_ms: 1,
        }),
        private: PrivateParts::Here,
    }
}

fn headline(recorded: &RecordedBisect) -> String {
    bisect::json(recorded)["said"].as_str().unwrap().to_owned()
}

/// Neighbours that could not be told apart are no "no change".
#[test]
fn a_survey_that_could_not_tell_says_so() {
    let pair = Stretch {
        after: None,
        to: StateIndex(0),
    };
    let said = |unclear: Vec<Stretch>| {
        let survey = SurveyFound {
            changes: Vec::new(),
            unseen: 0,
            gradual: Vec::new(),
            unclear,
        };
        headline(&concluded(BisectAnswer::Changes, None, Some(survey)))
    };
    assert_eq!(said(Vec::new()), "no change beyond the margin was seen");
    let open = "no change was seen, and 1 pair of neighbours could not be told apart";
    assert_eq!(said(vec![pair]), open);
}

/// Where those before it could not be judged, nobody knows that it is this one.
#[test]
fn a_change_among_several_commits_blames_none_of_them() {
    let change = ChangeFound {
        at: Stretch {
            after: None,
            to: StateIndex(1),
        },
        effect: None,
        code: None,
        files: Vec::new(),
    };
    let survey = SurveyFound {
        changes: vec![change],
        unseen: 0,
        gradual: Vec::new(),
        unclear: Vec::new(),
    };
    assert_eq!(
        headline(&concluded(BisectAnswer::Changes, None, Some(survey))),
        "1 change: cccccccccccc or the commit before it changed it"
    );
}

/// What is known is said, also where it is not enough for an answer.
#[test]
fn ends_that_differ_more_as_shipped_than_over_layouts_are_mostly_placement() {
    let interval = |[estimate, low, high]: [f64; 3]| Interval {
        estimate: Effect::from_ratio(estimate),
        low: Effect::from_ratio(low),
        high: Effect::from_ratio(high),
    };
    let said = |drawn: [f64; 3], shipped: Option<[f64; 3]>| {
        let ends = EndsFound {
            experiment: serde_json::from_value("5e".repeat(32).into()).unwrap(),
            interval: interval(drawn),
            as_shipped: shipped.map(interval),
            blocks: 60,
        };
        headline(&concluded(BisectAnswer::Undecided, Some(ends), None))
    };
    let near = [1.001, 0.988, 1.015];
    assert_eq!(
        said(near, Some([0.921, 0.897, 0.946])),
        "most of it is placement: as shipped −7.9 % [−10.3, −5.4], over layouts +0.1 % [−1.2, \
         +1.5]; whether a commit changed more than the margin could not be told; more --blocks may \
         tell"
    );
    let open = "whether the ends differ could not be told";
    assert!(said(near, None).starts_with(open));
    // Of −4 % that are possible over layouts, placement may have made none.
    assert!(said([0.98, 0.96, 1.001], Some([0.94, 0.92, 0.959])).starts_with(open));
    // 1.5 % are more than half of 2.5 %.
    assert!(said(near, Some([1.03, 1.025, 1.035])).starts_with(open));
    assert!(said(near, Some([1.05, 1.035, 1.065])).starts_with("most of it"));
    assert!(said(near, Some([1.01, 0.99, 1.03])).starts_with(open));
    // A commit that is found all the same made the rest, and not what the user saw.
    let found = |shipped: [f64; 3]| {
        let ends = EndsFound {
            experiment: serde_json::from_value("5e".repeat(32).into()).unwrap(),
            interval: interval([0.976, 0.953, 0.999]),
            as_shipped: Some(interval(shipped)),
            blocks: 60,
        };
        let commit = StateIndex(1);
        headline(&concluded(BisectAnswer::Found { commit }, Some(ends), None))
    };
    assert_eq!(
        found([1.72, 1.69, 1.75]),
        "most of it is placement: as shipped +72 % [+69, +75], over layouts −2.4 % [−4.7, −0.1]. \
         Over layouts, cccccccccccc is the first that is bad"
    );
    assert!(found([0.97, 0.95, 0.99]).starts_with("cccccccccccc is"));
}

fn bisected() -> Bisect {
    Bisect {
        vcs: Vcs::Git,
        axis: Axis::Commits,
        older: commit("a"),
        commits: vec![commit("b"), commit("c")],
        first_parent: false,
        survey: None,
        toolchain: None,
        judge: Judge::Script {
            command: "true".to_owned(),
        },
        confidence: 0.95,
        machine: Machine::default(),
        proofmark: String::new(),
        began_ms: 0,
    }
}

pub(crate) fn commit(id: &str) -> Commit {
    Commit {
        id: id.repeat(40).into(),
        parents: Vec::new(),
        tree: TreeId::default(),
        author: "⟨private 0⟩".to_owned(),
        date: "2026-01-01T00:00:00+00:00".to_owned(),
        subject: "a change".to_owned(),
    }
}
