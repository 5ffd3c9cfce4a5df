//! Ledgers that somebody wrote down otherwise, and made every name of right again.

use crate::support::Project;
use proofmark_evidence::LockedStore;
use proofmark_evidence::record::{
    Ledger, LedgerClaim, LedgerEntry, LedgerEvent, LedgerRun, TreeChange, TreeChangeKind,
};
use proofmark_terms::Holds;
use serde_json::Value;

type Forgery = fn(&mut Vec<LedgerEntry>);

fn claim(entries: &mut [LedgerEntry]) -> &mut LedgerClaim {
    let mut claims = entries.iter_mut().filter_map(|entry| match &mut entry.of {
        LedgerEvent::Claimed { claim } => Some(claim),
        _ => None,
    });
    claims.next().unwrap()
}

fn run(entries: &mut [LedgerEntry]) -> &mut LedgerRun {
    let LedgerEvent::Measured { run } = &mut entries[0].of else {
        panic!("the first entry is a run");
    };
    run
}

fn edited_confirmations(entries: &mut [LedgerEntry], edit: fn(&mut u32, &mut Holds, &mut bool)) {
    for entry in entries {
        if let LedgerEvent::Confirmed {
            claim,
            holds,
            reached,
            ..
        } = &mut entry.of
        {
            edit(claim, holds, reached);
        }
    }
}

/// What a ledger says beside its figures follows from its matrices too, and is found where somebody
/// says otherwise and makes every name right again.
const FORGERIES: [(&str, Forgery); 16] = [
    ("another gain", |all| claim(all).at_least = 0.2),
    ("another margin", |all| {
        claim(all).margin = proofmark_terms::Margin::from_relative(0.2).unwrap();
    }),
    ("another width", |all| claim(all).precision = 1e-7),
    ("another seed", |all| claim(all).seed = "1".to_owned()),
    ("another idea", |all| claim(all).idea = "flag".to_owned()),
    ("more benchmarks", |all| {
        claim(all).benchmarks.push("tiny".to_owned());
    }),
    ("picked from more", |all| {
        claim(all).first.as_mut().unwrap().among = 40;
    }),
    ("no first figure", |all| claim(all).first = None),
    ("claimed afterwards", |all| {
        let claimed = |entry: &&mut LedgerEntry| matches!(entry.of, LedgerEvent::Claimed { .. });
        all.iter_mut().find(claimed).unwrap().at_ms += 3_600_000;
    }),
    ("of no claim", |all| {
        edited_confirmations(all, |claim, _, _| *claim = 77);
    }),
    ("another verdict", |all| {
        edited_confirmations(all, |_, holds, _| *holds = Holds::Open);
    }),
    ("another end", |all| {
        edited_confirmations(all, |_, _, reached| *reached = !*reached);
    }),
    ("names exchanged", |all| {
        let ideas = &mut run(all).asked.ideas;
        let first = ideas[0].name.clone();
        ideas[0].name = std::mem::replace(&mut ideas[1].name, first);
    }),
    ("a benchmark's name", |all| {
        run(all).asked.benchmarks[0].name = "tiny".to_owned();
    }),
    ("a stack's build", |all| run(all).asked.stacks[0].full = 1),
    ("other files", |all| {
        run(all).asked.builds[2].files.push(TreeChange {
            path: "main".into(),
            how: TreeChangeKind::Changed,
            code: false,
        });
    }),
];

pub(super) fn forged(project: &Project) {
    let mut store = LockedStore::open(&project.path(".proofmark")).unwrap();
    let id = store.all_ledgers().unwrap().remove(0).id;
    let recorded = store.load_ledger(id.as_str()).unwrap();
    let unchanged: Forgery = |_| {};
    for (name, forge) in FORGERIES.into_iter().chain([("unchanged", unchanged)]) {
        let ledger = Ledger {
            name: name.to_owned(),
            ..recorded.ledger.clone()
        };
        let mut entries = recorded.entries.clone();
        forge(&mut entries);
        let id = store.begin_ledger(name, &ledger).unwrap();
        for entry in &entries {
            store.ledger_entry(&id, entry).unwrap();
        }
    }
    drop(store);
    let verified = project.run(&["verify", "--json"]);
    assert_eq!(verified.code, Some(1), "{verified:#?}");
    let verified: Value = serde_json::from_str(&verified.out).unwrap();
    let chains = verified["chains"].as_array().unwrap();
    let finding = |name: &str| {
        let chain = chains.iter().find(|chain| chain["about"] == name);
        chain.unwrap_or_else(|| panic!("no {name} in {chains:#?}"))["finding"].clone()
    };
    assert_eq!(finding("unchanged"), "as-claimed");
    for (name, _) in FORGERIES {
        assert_ne!(finding(name), "as-claimed", "{name}");
    }
}
