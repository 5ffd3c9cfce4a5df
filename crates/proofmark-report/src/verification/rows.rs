//! What is shown of verified evidence.

use proofmark_conclude::verify::{
    AsRecorded, Finding, Implausible, TOLERANCE, Verification, VerifiedChain,
};
use proofmark_evidence::bundle::Signed;
use proofmark_evidence::{ChainSort, Enclosed, LaterChain, Summary};
use proofmark_terms::Digest;

use crate::number::{counted, grouped};
use crate::text::printable;

/// Verified evidence, and the file that it is in.
#[derive(Clone, Copy, Debug)]
pub struct Verified<'a> {
    /// The name of what was verified: of the file, without its folder.
    pub name: &'a str,
    /// BLAKE3 of a bundle's content; none of a store.
    pub digest: Option<&'a str>,
    /// Who signed it.
    pub signature: &'a Signature,
    /// What was found.
    pub found: &'a Verification,
    /// What a bundle was made for; nothing of a store.
    pub asked: &'a [Digest],
    /// Its experiments, with their verdicts.
    pub experiments: &'a [Summary],
    /// The files that stand behind its text; none of a store, and where there are none.
    pub enclosed: Option<&'a Enclosed>,
}

impl Verified<'_> {
    /// Whether a bundle was made for a chain that a later version began: what it claims was not
    /// verified.
    #[must_use]
    pub fn is_unread(&self) -> bool {
        self.found.later.iter().any(|chain| self.is_asked(chain))
    }

    /// Whether nothing speaks against it, and all that a bundle was made for could be read.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.found.holds() && !self.is_unread()
    }

    pub(super) fn is_asked(&self, chain: &LaterChain) -> bool {
        self.asked.contains(chain.id.digest())
    }
}

/// Whether a bundle is signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Signature {
    /// There is no signature beside it.
    None,
    /// There is one, and nobody asked who made it.
    NotChecked,
    /// It was checked, and is by somebody who may sign.
    By(Signed),
}

impl Signature {
    /// In a line, where there is something to say.
    pub(super) fn said(&self) -> Option<String> {
        match self {
            Signature::None => None,
            Signature::NotChecked => Some(
                "a signature lies beside it and was not checked: `proofmark verify FILE \
                 --allowed-signers SIGNERS` does that"
                    .to_owned(),
            ),
            Signature::By(signed) => Some(format!(
                "signed by {} ({})",
                printable(&signed.principals),
                signed.fingerprint
            )),
        }
    }
}

/// The files behind the text, in a sentence.
pub(super) fn enclosed(enclosed: &Enclosed) -> String {
    let images = counted(enclosed.images, "image", "images");
    let captures = match enclosed.captures {
        0 => String::new(),
        count => format!(
            ", and {} with {} to link again",
            counted(count, "captured build", "captured builds"),
            counted(enclosed.objects, "file", "files")
        ),
    };
    format!(
        "it encloses {images}{captures}, {} bytes: each is what its digest says, and a record \
         names it; nothing of it was run",
        grouped(enclosed.bytes)
    )
}

/// What a chain is called.
pub(crate) const fn sort(sort: ChainSort) -> &'static str {
    match sort {
        ChainSort::Experiment => "experiment",
        ChainSort::Matrix => "matrix",
        ChainSort::Sweep => "sweep",
        ChainSort::Bisect => "bisection",
        ChainSort::Attribution => "attribution",
        ChainSort::Series => "series",
        ChainSort::Explanation => "explanation",
        ChainSort::Ledger => "ledger",
    }
}

/// What is not checked, in words.
pub(crate) fn as_recorded(found: AsRecorded) -> String {
    let said = [
        (
            found.same_programs,
            "build said to be one program with another one",
            "builds said to be one program with another one",
        ),
        (
            found.skipped,
            "commit said not to be measurable",
            "commits said not to be measurable",
        ),
        (
            found.exits,
            "exit code of a script",
            "exit codes of a script",
        ),
    ];
    let said = said.into_iter().filter(|(count, ..)| *count > 0);
    let said: Vec<String> = said
        .map(|(count, one, many)| counted(count, one, many))
        .collect();
    said.join(", ")
}

/// What came of a chain, in a few words.
pub(crate) fn finding(chain: &VerifiedChain) -> String {
    match &chain.finding {
        Finding::AsClaimed { numbers } => {
            format!(
                "as claimed: {} computed again",
                counted(*numbers, "number", "numbers")
            )
        }
        Finding::Otherwise(found) => {
            let count = u32::try_from(found.len()).unwrap_or(u32::MAX);
            format!(
                "NOT AS CLAIMED: {} otherwise",
                counted(count, "value comes out", "values come out")
            )
        }
        Finding::NotConcluded { why } => {
            format!(
                "NOT AS CLAIMED: its samples give no conclusion: {}",
                printable(why)
            )
        }
        Finding::NothingClaimed => "nothing is claimed: it has no conclusion of its own".to_owned(),
    }
}

/// What comes out otherwise, a line each.
pub(crate) fn otherwise(chain: &VerifiedChain) -> Vec<String> {
    let Finding::Otherwise(found) = &chain.finding else {
        return Vec::new();
    };
    found
        .iter()
        .map(|one| {
            format!(
                "{}: claimed {}, the samples give {}",
                one.at,
                printable(&one.claimed),
                printable(&one.found)
            )
        })
        .collect()
}

/// What no measurement would have given.
pub(crate) fn implausible(found: &Implausible) -> String {
    match found {
        Implausible::Layout { block } => {
            format!("block {block}: its layout was not drawn from the experiment's seed")
        }
        Implausible::Arms { block } => format!(
            "block {block}: the images beside the compared ones (as shipped, the base slowed on \
             purpose, the program that leaves caches alone) are not those of the plan"
        ),
        Implausible::Absent { block, build } => format!(
            "block {block}: build {build}, counted from 0, is missing; more blocks of it were \
             wanted, and no failure of it is recorded"
        ),
        Implausible::Rounds { block } => {
            format!("block {block}: it has more rounds than its plan, or fewer")
        }
        Implausible::Order { block, round } => format!(
            "block {block}, round {round}: its runs are not those of the plan, or did not start in \
             the order that the seed gives"
        ),
        Implausible::Early { block } => {
            format!(
                "block {block} began before what comes before it had ended, or the machine's clock was \
                 set back"
            )
        }
        Implausible::Crowded { block } => {
            format!("block {block}: its runs took longer than the block")
        }
        Implausible::Repeated { block, round } => format!(
            "block {block}, round {round}: its times are those of another round, to the nanosecond"
        ),
        Implausible::Value { block, round } => format!(
            "block {block}, round {round}: a value is not the time or memory recorded beside it"
        ),
        Implausible::Stranger { block } => {
            format!("block {block}: an arm is of a build that the experiment has not")
        }
        Implausible::Image { block } => {
            format!("block {block}: an arm as shipped ran the image of another build")
        }
        Implausible::Rounded => {
            "the wall times of all runs are whole microseconds, as no clock counts".to_owned()
        }
    }
}

/// What was verified, of all.
pub(crate) fn verified() -> String {
    format!(
        "verified: the name, the place and the form of each record; intervals, verdicts, \
         certificates and tables, computed again from the raw samples to {TOLERANCE:.0e}; seeds, \
         orders and times against the plan"
    )
}

/// What stays open, whatever the file says.
pub(crate) const NOT_PROVEN: &str = "no file can prove that the runs took place, on this machine \
     and with these builds; what was seen beside them (machine code, counts of instructions, what \
     runs printed, what gates said, which builds failed, what was decided, which commits there are \
     and what they touch, what else the machine did) is as recorded";
