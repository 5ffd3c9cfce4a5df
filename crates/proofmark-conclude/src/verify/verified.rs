//! All chains of a store, or of a bundle, verified one after the other.

use std::collections::HashMap;

use proofmark_evidence::{ChainSort, Store, StoreError};

use super::found::{Finding, Verification};
use super::matrix::VerifiedMatrix;
use super::plausible::Implausible;
use super::{bisect, experiment, ledger, matrix, series, studies};

/// Verifies everything that a store holds.
///
/// # Errors
///
/// A record is not what its name says, or is not where it belongs.
pub fn verify(store: &Store) -> Result<Verification, StoreError> {
    let checked = store.check()?;
    let all = store.chains()?;
    // What an experiment of a matrix says by itself follows from all of the matrix.
    let mut matrices: HashMap<String, VerifiedMatrix> = HashMap::new();
    let mut of_matrix: HashMap<String, Finding> = HashMap::new();
    let mut absent: HashMap<String, Implausible> = HashMap::new();
    for (id, _) in all.iter().filter(|(_, sort)| *sort == ChainSort::Matrix) {
        let mut found = matrix::verified(&store.load_matrix(id.as_str())?, store)?;
        of_matrix.extend(found.members.drain(..));
        absent.extend(found.absent.take());
        matrices.insert(id.as_str().to_owned(), found);
    }
    let chains = all.into_iter().map(|(id, sort)| {
        let id = id.as_str();
        match sort {
            ChainSort::Experiment => {
                let mut found = experiment::verified(&store.load(id)?, of_matrix.remove(id))?;
                found.implausible.extend(absent.remove(id));
                Ok(found)
            }
            ChainSort::Matrix => match matrices.remove(id) {
                Some(found) => Ok(found.chain),
                None => Ok(matrix::verified(&store.load_matrix(id)?, store)?.chain),
            },
            ChainSort::Sweep => Ok(studies::sweep(&store.load_sweep(id)?)),
            ChainSort::Attribution => Ok(studies::attribution(&store.load_attribution(id)?)),
            ChainSort::Bisect => bisect::verified(&store.load_bisect(id)?, store),
            ChainSort::Series => series::verified(&store.load_series(id)?, store),
            ChainSort::Ledger => ledger::verified(&store.load_ledger(id)?, store),
            ChainSort::Explanation => {
                let explanation = store.load_explanation(id)?;
                let comparison = store.load(explanation.explanation.comparison.as_str())?;
                Ok(studies::explanation(&explanation, &comparison))
            }
        }
    });
    Ok(Verification {
        records: checked.records,
        chains: chains.collect::<Result<_, StoreError>>()?,
        later: checked.later,
    })
}
