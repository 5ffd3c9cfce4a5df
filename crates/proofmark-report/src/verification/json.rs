//! Verified evidence for programs.

use proofmark_conclude::verify::{Finding, VerifiedChain};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::rows::{Signature, Verified, implausible, sort};
use crate::document::{Document, enveloped};

/// What was found when evidence was verified.
#[derive(Serialize, JsonSchema)]
pub struct VerificationDocument {
    /// The name of what was verified.
    name: String,
    /// BLAKE3 of the unpacked content of a bundle; null of a store.
    digest: Option<String>,
    /// Who signed it, where that was asked; null where it was not.
    signed_by: Option<SignedView>,
    /// Everything that is claimed follows from the samples, and from what its chains have as
    /// recorded; nothing in the samples is implausible. Nothing that the bundle was made for is of
    /// a later version.
    holds: bool,
    /// Whether anything is claimed at all.
    claims: bool,
    /// Records whose names, places and forms are right.
    records: u32,
    /// Chains of records: experiments, matrices and so on.
    chains: Vec<ChainView>,
    /// Chains that a later version began: their names and places are right, and nothing else of
    /// them was verified.
    later: Vec<LaterView>,
    /// The files that stand behind the text of a bundle; null where there are none.
    enclosed: Option<EnclosedView>,
}

/// A chain that a later version began.
#[derive(Serialize, JsonSchema)]
struct LaterView {
    /// Its name: BLAKE3 of its first record.
    id: String,
    /// What it calls itself.
    kind: String,
    /// Whether the bundle was made for it.
    asked: bool,
}

/// Files of builds in a bundle. Each is what its digest says, and a record names it.
#[derive(Serialize, JsonSchema)]
struct EnclosedView {
    /// Images of builds: programs and libraries.
    images: u32,
    /// Captured builds.
    captures: u32,
    /// Files that those are linked again from.
    objects: u32,
    /// Bytes of all files, unpacked.
    bytes: u64,
}

/// Who signed a bundle.
#[derive(Serialize, JsonSchema)]
struct SignedView {
    /// Who may sign with this key, as the list of signers has it.
    principals: String,
    /// The key's fingerprint, `SHA256:…`.
    fingerprint: String,
}

/// What was found of one chain.
#[derive(Serialize, JsonSchema)]
struct ChainView {
    /// Its name: BLAKE3 of its first record.
    id: String,
    /// `experiment`, `matrix`, `sweep`, `bisection`, `attribution`, `series`
    /// or `explanation`.
    sort: &'static str,
    /// What a reader knows it by.
    about: String,
    /// Blocks of its own.
    blocks: u32,
    /// Runs in them.
    runs: u64,
    /// What came of computing its conclusion again.
    finding: FindingWord,
    /// Numbers that were computed again and came out as claimed.
    numbers: Option<u32>,
    /// Why its samples give no conclusion; null where they do.
    why: Option<String>,
    /// What comes out otherwise.
    otherwise: Vec<DisagreementView>,
    /// What in its samples no measurement would have given, in words.
    implausible: Vec<String>,
    /// What its conclusion goes by, and that nobody can check.
    as_recorded: AsRecordedView,
}

/// What a conclusion goes by beside samples, as recorded.
#[derive(Serialize, JsonSchema)]
struct AsRecordedView {
    /// Builds that are said to be one program with another one.
    same_programs: u32,
    /// Commits and pairs of commits that are said not to have been built or measured.
    skipped: u32,
    /// Exit codes of a script.
    exits: u32,
}

/// What came of computing a conclusion again.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum FindingWord {
    /// As claimed.
    AsClaimed,
    /// Something comes out otherwise.
    Otherwise,
    /// The samples give no conclusion, and one is claimed.
    NotConcluded,
    /// It has no conclusion.
    NothingClaimed,
}

/// A value that comes out otherwise.
#[derive(Serialize, JsonSchema)]
struct DisagreementView {
    /// Where in the conclusion.
    at: String,
    /// As claimed, in JSON.
    claimed: String,
    /// As the samples give it, in JSON.
    found: String,
}

impl Document for VerificationDocument {
    const SCHEMA: &'static str = "verification";
}

/// What was found, for programs.
#[must_use]
pub fn json(all: &Verified<'_>) -> Value {
    enveloped(&VerificationDocument {
        name: all.name.to_owned(),
        digest: all.digest.map(str::to_owned),
        signed_by: match all.signature {
            Signature::By(signed) => Some(SignedView {
                principals: signed.principals.clone(),
                fingerprint: signed.fingerprint.clone(),
            }),
            Signature::None | Signature::NotChecked => None,
        },
        holds: all.holds(),
        claims: all.found.claims(),
        records: all.found.records,
        chains: all.found.chains.iter().map(chain).collect(),
        later: (all.found.later.iter())
            .map(|chain| LaterView {
                id: chain.id.as_str().to_owned(),
                kind: chain.kind.clone(),
                asked: all.is_asked(chain),
            })
            .collect(),
        enclosed: all.enclosed.map(|enclosed| EnclosedView {
            images: enclosed.images,
            captures: enclosed.captures,
            objects: enclosed.objects,
            bytes: enclosed.bytes,
        }),
    })
}

fn chain(chain: &VerifiedChain) -> ChainView {
    let (finding, numbers, why) = match &chain.finding {
        Finding::AsClaimed { numbers } => (FindingWord::AsClaimed, Some(*numbers), None),
        Finding::Otherwise(_) => (FindingWord::Otherwise, None, None),
        Finding::NotConcluded { why } => (FindingWord::NotConcluded, None, Some(why.clone())),
        Finding::NothingClaimed => (FindingWord::NothingClaimed, None, None),
    };
    let otherwise = match &chain.finding {
        Finding::Otherwise(found) => found.as_slice(),
        _ => &[],
    };
    ChainView {
        id: chain.id.clone(),
        sort: sort(chain.sort),
        about: chain.about.clone(),
        blocks: chain.blocks,
        runs: chain.runs,
        finding,
        numbers,
        why,
        otherwise: otherwise
            .iter()
            .map(|one| DisagreementView {
                at: one.at.clone(),
                claimed: one.claimed.clone(),
                found: one.found.clone(),
            })
            .collect(),
        implausible: chain.implausible.iter().map(implausible).collect(),
        as_recorded: AsRecordedView {
            same_programs: chain.as_recorded.same_programs,
            skipped: chain.as_recorded.skipped,
            exits: chain.as_recorded.exits,
        },
    }
}
