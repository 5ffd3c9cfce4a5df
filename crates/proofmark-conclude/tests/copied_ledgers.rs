//! What a ledger copies from its matrices, and runs that were taken out of them, changed by
//! somebody who makes every name and digest right again: it is found.

#![expect(
    clippy::unwrap_used,
    reason = "a test that meets the unexpected should stop there and then"
)]

mod forging;

use forging::{found, opened};
use proofmark_conclude::verify::{Finding, Implausible};
use proofmark_evidence::ChainSort;
use proofmark_terms::BuildIndex;
use serde_json::{Value, json};

type Change = fn(&mut Value);

/// What is found of the ledger, in words, after what one of its entries is of was changed.
fn told(index: u64, change: Change) -> String {
    told_of_entry(index, |entry| change(&mut entry["of"]))
}

/// The same after an entry was changed.
fn told_of_entry(index: u64, change: impl Fn(&mut Value)) -> String {
    let found = found("all.pmb", "ledger-entry", |record| {
        if record["record"]["index"] == index {
            change(&mut record["record"]);
        }
    });
    let mut chains = found.chains.iter();
    let ledger = chains.find(|one| one.sort == ChainSort::Ledger).unwrap();
    match &ledger.finding {
        Finding::AsClaimed { .. } | Finding::NothingClaimed => String::new(),
        Finding::NotConcluded { why } => why.clone(),
        Finding::Otherwise(all) => all.iter().map(|one| one.at.as_str()).collect(),
    }
}

#[test]
fn rows_of_a_run_rest_on_the_cells_that_they_name() {
    assert_eq!(told(0, |_| {}), "");
    let changes: [(&str, Change); 5] = [
        // The figures of two ideas, exchanged with their builds.
        ("the name of the build", |of| {
            let asked = &mut of["run"]["asked"];
            asked["builds"][2]["ideas"] = json!(["tried.c2"]);
            asked["builds"][3]["ideas"] = json!(["tried.c1"]);
            asked["ideas"][0]["with"] = 3.into();
            asked["ideas"][1]["with"] = 2.into();
        }),
        // Base again in the place of base.
        ("the idea `tried.c1`", |of| {
            of["run"]["asked"]["ideas"][0]["against"] = 1.into();
        }),
        ("the list of builds", |of| {
            let asked = &mut of["run"]["asked"];
            asked["ideas"].as_array_mut().unwrap().pop();
            asked["builds"].as_array_mut().unwrap().pop();
        }),
        ("the name of the build `tried.c2`", |of| {
            of["run"]["asked"]["ideas"].as_array_mut().unwrap().pop();
        }),
        ("has other builds that are none", |of| {
            let mut build = of["run"]["asked"]["builds"][3].clone();
            build["name"] = "bad".into();
            build["ideas"] = json!(["bad"]);
            build["cell"] = Value::Null;
            build["why"] = "gate `runs` fails".into();
            build["gates"] = json!([]);
            let mut idea = of["run"]["asked"]["ideas"][1].clone();
            idea["name"] = "bad".into();
            idea["with"] = 4.into();
            let asked = &mut of["run"]["asked"];
            asked["builds"].as_array_mut().unwrap().push(build);
            asked["ideas"].as_array_mut().unwrap().push(idea);
        }),
    ];
    for (why, change) in changes {
        let told = told(0, change);
        assert!(told.contains(why), "{why}: {told}");
    }
}

#[test]
fn gates_guards_warnings_and_races_are_those_of_the_matrix() {
    let gates = "has other gates";
    let changes: [(&str, u64, Change); 7] = [
        (gates, 0, |of| {
            of["run"]["asked"]["builds"][2]["gates"] = json!([]);
        }),
        (gates, 0, |of| {
            let gate = &mut of["run"]["asked"]["builds"][2]["gates"][0];
            gate["said"] = "48,932 tests passed".into();
        }),
        (gates, 0, |of| {
            let gates = &mut of["run"]["asked"]["builds"][2]["gates"];
            let mut more = gates[0].clone();
            more["gate"] = "tests".into();
            gates.as_array_mut().unwrap().push(more);
        }),
        ("has other guards", 0, |of| {
            of["run"]["asked"]["benchmarks"][0]["guard"] = json!(0.02);
        }),
        ("has other warnings", 0, |of| {
            of["run"]["warnings"] = json!([]);
        }),
        ("has other warnings", 0, |of| {
            of["run"]["warnings"] = json!([{"kind": "short-runs", "cpu_ns": 99}]);
        }),
        ("are not the cells that raced", 2, |of| {
            of["race"]["runners"].as_array_mut().unwrap().pop();
        }),
    ];
    for (why, index, change) in changes {
        let told = told(index, change);
        assert!(told.contains(why), "{why}: {told}");
    }
}

#[test]
fn entries_are_younger_than_what_they_speak_of() {
    let (ledger, before) = (
        "before its ledger was begun",
        "before its measurement had begun",
    );
    // The ledger began at …070.137 s, and its matrices at …072.791, …111.482 and …153.970 s.
    let times: [(u64, u64, &str); 6] = [
        (0, 0, ledger),
        (1, 1_795_635_070_136, ledger),
        (3, 0, ledger),
        (0, 1_795_635_072_790, before),
        (2, 1_795_635_111_481, before),
        (4, 1_795_635_153_969, before),
    ];
    for (index, at_ms, why) in times {
        let told = told_of_entry(index, |entry| entry["at_ms"] = json!(at_ms));
        assert!(told.contains(why), "{index} at {at_ms}: {told}");
    }
}

/// Takes the arm at this place out of a block: its image, and its run of each round.
fn without(block: &mut Value, arm: u64) {
    let place = usize::try_from(arm).unwrap();
    for key in ["arms", "images"] {
        block[key].as_array_mut().unwrap().remove(place);
    }
    let runs = &mut block["runs"];
    let order: Vec<u64> = serde_json::from_value(runs["order"].clone()).unwrap();
    for key in ["cpu_ns", "peak_bytes", "value", "wall_ns", "order"] {
        let column = runs[key].as_array().unwrap().iter().zip(&order);
        let kept = column.filter(|(_, of)| **of != arm);
        runs[key] = kept.map(|(value, _)| value.clone()).collect();
    }
    for of in runs["order"].as_array_mut().unwrap() {
        let own = of.as_u64().unwrap();
        *of = (own - u64::from(own > arm)).into();
    }
    let mut at = 0;
    for count in runs["runs"].as_array_mut().unwrap() {
        let all = usize::try_from(count.as_u64().unwrap()).unwrap();
        let kept = order[at..at + all].iter().filter(|of| **of != arm).count();
        *count = kept.into();
        at += all;
    }
}

#[test]
fn a_build_that_is_missing_in_a_block_for_no_reason_is_told() {
    for (block, build) in [(0, 3), (1, 2), (2, 3)] {
        let found = found("all.pmb", "block", |record| {
            let body = &mut record["record"];
            if body["arms"].as_array().unwrap().len() == 4 && body["index"] == block {
                without(body, build);
            }
        });
        let build = BuildIndex(u32::try_from(build).unwrap());
        let absent = Implausible::Absent { block, build };
        let told = found.chains.iter();
        let told = told.filter(|one| one.implausible.contains(&absent));
        assert!(told.count() > 0, "block {block}: {found:?}");
    }
}

/// A chain of a later kind is named, and what is not there claims nothing.
#[test]
fn what_claims_nothing_that_is_known_here_is_told_apart() {
    let manifest = |asked: &[String], lines: usize| {
        json!({
            "format": "proofmark-bundle", "version": 1, "made_by": "9.0.0", "asked": asked,
            "chains": lines, "records": lines, "private": 0,
        })
    };
    let empty = opened(manifest(&[], 0), "");
    assert!(empty.holds() && !empty.claims() && empty.later.is_empty());
    let line = r#"{"kind":"tuning","record":{"claim":"new is 40 % faster"}}"#;
    let name = blake3::hash(line.as_bytes()).to_hex().to_string();
    let later = opened(
        manifest(std::slice::from_ref(&name), 1),
        &format!("{line}\n"),
    );
    assert!(!later.claims());
    let [chain] = later.later.as_slice() else {
        unreachable!("{later:?}");
    };
    assert_eq!(
        (chain.id.as_str(), chain.kind.as_str()),
        (name.as_str(), "tuning")
    );
    assert!(found("all.pmb", "", |_| {}).claims());
}
