//! What a bundle was made of, where `--store` names one and no result is named.

use proofmark_evidence::bundle::Content;
use proofmark_evidence::{ChainSort, Store};
use proofmark_hint::hint;

use crate::context::Context;
use crate::exit::Usage;

/// The name of what a bundle was made of, where that is one thing.
pub(super) fn only(content: &Content) -> Result<String, Usage> {
    match content.manifest().asked.as_slice() {
        [one] => Ok(one.to_string()),
        several => {
            let names: Vec<&str> = several
                .iter()
                .map(|name| name.as_str().get(..12).unwrap_or_default())
                .collect();
            Err(Usage(format!(
                "the bundle holds several results: name one of {}",
                names.join(", ")
            )))
        }
    }
}

/// The experiment that a bundle was made of. What else it was made of has a command of its own that
/// shows it, and one experiment of that is not its result.
pub(super) fn experiment(context: &Context, store: &Store) -> anyhow::Result<String> {
    let asked = only(&Content::read(&context.folder)?)?;
    let bundled = store.bundled(std::slice::from_ref(&asked))?;
    let sort = bundled.chains.iter().find(|chain| chain.asked);
    let sort = sort.map_or(ChainSort::Experiment, |chain| chain.sort);
    let file = context.folder.to_string_lossy();
    let words = [asked.get(..12).unwrap_or(&asked), "--store", &file];
    let (what, show) = match sort {
        ChainSort::Experiment => return Ok(asked),
        ChainSort::Matrix => ("a matrix", hint("matrix show", &words)),
        ChainSort::Ledger => ("a ledger", hint("ledger show", &words)),
        ChainSort::Sweep => ("a sweep", hint("sweep --show", &words)),
        ChainSort::Bisect => ("a bisection", hint("bisect --show", &words)),
        ChainSort::Attribution => ("an attribution", hint("attribute --show", &words)),
        ChainSort::Series => ("a history", hint("history show", &words)),
        ChainSort::Explanation => ("an explanation", hint("explain --show", &words)),
    };
    Err(Usage(format!(
        "{file} holds {what}, and this shows comparisons: {show} shows it"
    ))
    .into())
}
