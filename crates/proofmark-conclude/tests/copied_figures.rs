//! What a bisection and a series copy from their experiments, changed by somebody who makes every
//! name and digest right again: it is found.

#![expect(
    clippy::unwrap_used,
    reason = "a test that meets the unexpected should stop there and then"
)]

mod forging;

use proofmark_conclude::verify::{Finding, Verification, VerifiedChain};
use proofmark_evidence::ChainSort;
use serde_json::{Value, json};

/// What `verify` finds of a bundle, after what its records of this kind say was changed.
fn found(bundle: &str, kind: &str, change: impl Fn(&mut Value)) -> Verification {
    forging::found(bundle, kind, |record| change(&mut record["record"]))
}

/// The finding on the one chain of this sort; its experiments are as they were.
fn finding(found: &Verification, sort: ChainSort) -> &Finding {
    let mut others = found.chains.iter().filter(|chain| chain.sort != sort);
    assert!(others.all(VerifiedChain::holds), "{found:?}");
    let chain = found.chains.iter().find(|chain| chain.sort == sort);
    &chain.unwrap().finding
}

/// That a change comes out otherwise, and where; or why nothing can be computed.
fn is_found(bundle: &str, sort: ChainSort, kind: &str, told: &str, change: impl Fn(&mut Value)) {
    let all = found(bundle, kind, change);
    match finding(&all, sort) {
        Finding::Otherwise(found) => {
            assert!(found.iter().any(|one| one.at == told), "{told}: {found:?}");
        }
        Finding::NotConcluded { why } => assert!(why.contains(told), "{told}: {why}"),
        other => unreachable!("{told} was taken: {other:?}"),
    }
}

#[test]
fn evidence_that_nobody_changed_holds_and_says_what_is_as_recorded() {
    for (bundle, sort, [same_programs, skipped]) in [
        ("bisect-all.pmb", ChainSort::Bisect, [4, 0]),
        ("bisect.pmb", ChainSort::Bisect, [1, 1]),
        ("series.pmb", ChainSort::Series, [2, 0]),
    ] {
        let found = found(bundle, "", |_| ());
        assert!(found.holds(), "{bundle}: {found:?}");
        assert!(
            matches!(finding(&found, sort), Finding::AsClaimed { numbers } if *numbers > 20),
            "{bundle}: {found:?}"
        );
        let rest = found.as_recorded();
        assert_eq!([rest.same_programs, rest.skipped], [same_programs, skipped]);
    }
}

type Change = fn(&mut Value);

#[test]
fn a_changed_conclusion_of_a_bisection_is_found() {
    let changes: [(&str, Change); 7] = [
        (
            "conclusion.survey.changes[0].effect.interval.estimate",
            |it| {
                it["survey"]["changes"][0]["effect"]["interval"]["estimate"] = json!(1.66);
            },
        ),
        (
            "conclusion.survey.changes[0].effect.as_shipped.estimate",
            |it| {
                it["survey"]["changes"][0]["effect"]["as_shipped"]["estimate"] = json!(1.16);
            },
        ),
        ("conclusion.survey.changes[0].at.to", |it| {
            it["survey"]["changes"][0]["at"] = json!({"after": 4, "to": 5});
        }),
        ("conclusion.survey.changes[0].effect.parent", |it| {
            it["survey"]["changes"][0]["effect"]["parent"] = "0".repeat(40).into();
        }),
        ("conclusion.ends.interval.high", |it| {
            it["ends"]["interval"]["high"] = json!(0.7);
        }),
        ("conclusion.answer.kind", |it| {
            it["answer"] = json!({"kind": "no-difference"});
        }),
        ("is named twice", |it| {
            let ends = it["ends"]["experiment"].clone();
            it["survey"]["changes"][0]["effect"]["experiment"] = ends;
        }),
    ];
    for (told, change) in changes {
        is_found(
            "bisect-all.pmb",
            ChainSort::Bisect,
            "bisect-conclusion",
            told,
            change,
        );
    }
    is_found(
        "bisect.pmb",
        ChainSort::Bisect,
        "bisect-conclusion",
        "conclusion.answer.commits",
        |it| {
            it["answer"]["commits"] = json!([5]);
        },
    );
}

#[test]
fn a_changed_step_of_a_bisection_is_found() {
    let of = |of: u32, change: Change| {
        move |it: &mut Value| {
            if it["index"] == of {
                change(&mut it["outcome"]);
            }
        }
    };
    let changes: [(&str, u32, Change); 5] = [
        ("steps[1].like", 1, |it| it["like"] = "older".into()),
        ("steps[1].middle.low", 1, |it| {
            it["middle"]["low"] = json!(0.1);
        }),
        ("steps[2].level", 2, |it| it["level"] = json!(0.05)),
        ("steps[2].blocks", 2, |it| it["blocks"] = json!(80)),
        ("was not judged before", 4, |it| {
            it["as_commit"] = "0".repeat(40).into();
        }),
    ];
    for (told, index, change) in changes {
        is_found(
            "bisect.pmb",
            ChainSort::Bisect,
            "bisect-step",
            told,
            of(index, change),
        );
    }
    // Another commit than the one that was measured.
    is_found(
        "bisect.pmb",
        ChainSort::Bisect,
        "bisect-step",
        "and named as one of",
        |it| {
            if it["index"] == 1 {
                it["of"] = json!({"commit": 7});
            }
        },
    );
    is_found(
        "bisect-all.pmb",
        ChainSort::Bisect,
        "bisect-step",
        "steps[3].older.relation",
        |it| {
            if it["index"] == 3 {
                it["outcome"]["older"]["relation"] = "alike".into();
            }
        },
    );
}

#[test]
fn a_changed_entry_of_a_series_is_found() {
    let changes: [(&str, Change); 5] = [
        ("entries[1].found.drawn.estimate", |it| {
            if it["index"] == 1 {
                it["of"]["outcome"]["found"]["drawn"]["estimate"] = json!(0.1);
            }
        }),
        ("entries[5].found.shipped.low", |it| {
            if it["index"] == 5 {
                it["of"]["outcome"]["found"]["shipped"]["low"] = json!(0.0);
            }
        }),
        ("entries[6].level", |it| {
            if it["index"] == 6 {
                it["of"]["outcome"]["level"] = json!(0.05);
            }
        }),
        ("no such alarm", |it| {
            if it["index"] == 6 {
                it["of"]["why"] = json!({"alarm": {"rises": true}});
            }
        }),
        ("and named as one of", |it| {
            if it["index"] == 6 {
                it["of"]["newer"] = it["of"]["older"].clone();
            }
        }),
    ];
    for (told, change) in changes {
        is_found(
            "series.pmb",
            ChainSort::Series,
            "series-entry",
            told,
            change,
        );
    }
}
