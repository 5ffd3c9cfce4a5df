//! Which chains of a store go into a bundle: those that were asked for, and what they refer to.

use std::collections::BTreeSet;

use proofmark_terms::Digest;

use super::Store;
use super::uses::digests;
use crate::envelope::Kind;
use crate::error::BundleError;
use crate::log::{ALL, Order};
use crate::{ChainId, StoreError};

/// What a chain is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChainSort {
    /// A comparison or a null test.
    Experiment,
    /// Many experiments in step.
    Matrix,
    /// One function at many addresses.
    Sweep,
    /// A search for a commit.
    Bisect,
    /// Whose place matters.
    Attribution,
    /// A benchmark along a line of commits.
    Series,
    /// What a change is made of.
    Explanation,
    /// Ideas, and what was found of them.
    Ledger,
}

impl ChainSort {
    const ALL: [(ChainSort, Kind); 8] = [
        (ChainSort::Experiment, Kind::Experiment),
        (ChainSort::Matrix, Kind::Matrix),
        (ChainSort::Sweep, Kind::Sweep),
        (ChainSort::Bisect, Kind::Bisect),
        (ChainSort::Attribution, Kind::Attribution),
        (ChainSort::Series, Kind::Series),
        (ChainSort::Explanation, Kind::Explanation),
        (ChainSort::Ledger, Kind::Ledger),
    ];
}

/// A chain that a bundle holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundledChain {
    /// Its name.
    pub id: ChainId,
    /// What it is about.
    pub sort: ChainSort,
    /// It was asked for, and not only referred to.
    pub asked: bool,
    /// Its records.
    pub records: u32,
}

/// The chains of a bundle, in the order in which they were begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bundled {
    /// Each of them.
    pub chains: Vec<BundledChain>,
}

impl Store {
    /// The chains that a bundle of these would hold: each by its name, by the beginning of it, or
    /// as `latest`, which is the experiment begun last.
    ///
    /// # Errors
    ///
    /// There is none, or several are of this name; the store cannot be read.
    pub fn bundled(&self, asked: &[String]) -> Result<Bundled, BundleError> {
        let all = self.all_chains()?;
        let mut wanted = BTreeSet::new();
        for asked in asked {
            wanted.insert(self.asked_chain(asked, &all)?);
        }
        let mut held = wanted.clone();
        let mut open: Vec<String> = wanted.iter().cloned().collect();
        // What an experiment of a matrix says by itself follows from all of the matrix.
        for (matrix, _) in all.iter().filter(|(_, sort)| *sort == ChainSort::Matrix) {
            let members = self.referred_to(matrix, &all)?;
            if members.iter().any(|member| wanted.contains(member)) && held.insert(matrix.clone()) {
                open.push(matrix.clone());
            }
        }
        while let Some(chain) = open.pop() {
            for other in self.referred_to(&chain, &all)? {
                if held.insert(other.clone()) {
                    open.push(other);
                }
            }
        }
        let mut chains = Vec::new();
        for (chain, sort) in all.iter().filter(|(chain, _)| held.contains(chain)) {
            chains.push(BundledChain {
                id: self.named(chain)?,
                sort: *sort,
                asked: wanted.contains(chain),
                records: u32::try_from(self.log.headings(chain)?.len()).unwrap_or(u32::MAX),
            });
        }
        Ok(Bundled { chains })
    }

    /// Every chain of a kind that is known here, and what it is about.
    ///
    /// # Errors
    ///
    /// The store cannot be read.
    pub fn chains(&self) -> Result<Vec<(ChainId, ChainSort)>, StoreError> {
        let all = self.all_chains()?;
        let named = |(chain, sort): (String, ChainSort)| Ok((self.named(&chain)?, sort));
        all.into_iter().map(named).collect()
    }

    /// Every chain of a kind that is known here: kind after kind, and each in the order in which
    /// they were begun.
    fn all_chains(&self) -> Result<Vec<(String, ChainSort)>, StoreError> {
        let mut all = Vec::new();
        for (sort, begins) in ChainSort::ALL {
            let begun = self.log.list(begins, Order::Begun, ALL)?;
            all.extend(begun.into_iter().rev().map(|chain| (chain, sort)));
        }
        Ok(all)
    }

    fn asked_chain(&self, asked: &str, all: &[(String, ChainSort)]) -> Result<String, BundleError> {
        if asked == "latest" {
            return Ok(self.find(asked)?.as_str().to_owned());
        }
        let prefix = asked.to_ascii_lowercase();
        let none = || BundleError::NoSuch {
            asked: asked.to_owned(),
        };
        if prefix.is_empty() {
            return Err(none());
        }
        let names = all.iter().map(|(chain, _)| chain);
        let mut found: Vec<&String> = names.filter(|chain| chain.starts_with(&prefix)).collect();
        match (found.pop(), found.is_empty()) {
            (Some(one), true) => Ok(one.clone()),
            (None, _) => Err(none()),
            (Some(last), false) => Err(BundleError::Ambiguous {
                asked: asked.to_owned(),
                candidates: found
                    .into_iter()
                    .chain([last])
                    .map(|chain| chain.chars().take(12).collect())
                    .collect(),
            }),
        }
    }

    /// The chains whose names stand in the records of this one.
    fn referred_to(
        &self,
        chain: &str,
        all: &[(String, ChainSort)],
    ) -> Result<Vec<String>, StoreError> {
        let mut named: BTreeSet<Digest> = BTreeSet::new();
        self.log.chain(chain, &mut |entry| {
            // Blocks name images, and are most of the bytes.
            if entry.number.is_none() {
                named.extend(digests(entry.body));
            }
            std::ops::ControlFlow::Continue(())
        })?;
        let names = all.iter().map(|(chain, _)| chain);
        let named = names.filter(|other| {
            *other != chain && named.iter().any(|digest| digest.as_str() == other.as_str())
        });
        Ok(named.cloned().collect())
    }
}
