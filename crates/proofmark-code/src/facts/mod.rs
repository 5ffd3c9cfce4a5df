//! What can be said of a function's machine code.

mod fact;
mod flow;
mod lead;
mod observer;
mod often;
mod sites;
mod tables;
mod tally;
mod walk;

use std::collections::BTreeMap;

use rayon::prelude::*;

pub use fact::Fact;
pub use sites::Site;

use crate::address::Address;
use crate::decode::Extensions;
use crate::image::{Function, Image};
use crate::pattern::Pattern;

/// The way a direct callee is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Via {
    /// A call of the function itself.
    Call,
    /// A call through a stub or slot of the dynamic linker.
    Linkage,
    /// A jump in place of a call and a return.
    TailCall,
}

/// Calls of one callee by one way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call {
    /// Where the callee, its stub or its slot is.
    pub target: Address,
    /// How it is reached.
    pub via: Via,
    /// Number of sites.
    pub sites: u32,
}

/// The facts of one function, or of a function and its pieces together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// A function has no more bytes than fit, nor more of anything in them; a longer gap behind it
    /// is cut.
    counts: [u32; Fact::ALL.len()],
    extensions: Extensions,
    calls: Vec<Call>,
}

impl Default for Facts {
    fn default() -> Self {
        Facts {
            counts: [0; Fact::ALL.len()],
            extensions: Extensions::default(),
            calls: Vec::new(),
        }
    }
}

impl Facts {
    /// The facts of one function of an image, by its index. Of its own contiguous code: pieces have
    /// facts of their own.
    #[must_use]
    pub fn of(image: &Image, index: usize) -> Facts {
        walk::facts(image, index, &mut walk::Scratch::default())
    }

    /// The facts of all functions, in the image's order, worked out on all cores.
    #[must_use]
    pub fn all(image: &Image) -> Vec<Facts> {
        let all = (0..image.functions.len()).into_par_iter().with_min_len(16);
        all.map_init(walk::Scratch::default, |scratch, i| {
            walk::facts(image, i, scratch)
        })
        .collect()
    }

    /// The number for a fact.
    #[must_use]
    pub fn get(&self, fact: Fact) -> u64 {
        u64::from(self.counts[fact as usize])
    }

    pub(crate) fn set(&mut self, fact: Fact, value: u64) {
        self.counts[fact as usize] = u32::try_from(value).unwrap_or(u32::MAX);
    }

    #[inline]
    pub(crate) fn add(&mut self, fact: Fact, more: u32) {
        self.counts[fact as usize] += more;
    }

    /// Every fact with its number.
    pub fn iter(&self) -> impl Iterator<Item = (Fact, u64)> {
        Fact::ALL.iter().map(|f| (*f, self.get(*f)))
    }

    /// The vector extensions that the function needs.
    #[must_use]
    pub fn extensions(&self) -> Extensions {
        self.extensions
    }

    /// The calls of known functions, sorted by address.
    #[must_use]
    pub fn calls(&self) -> &[Call] {
        &self.calls
    }

    /// The number of call sites by the callee's name, in whichever way it is called.
    #[must_use]
    pub fn callees(&self, image: &Image) -> BTreeMap<String, u64> {
        let mut callees = BTreeMap::new();
        for call in &self.calls {
            let name = image
                .name_at(call.target)
                .unwrap_or_else(|| call.target.to_string());
            *callees.entry(name).or_insert(0) += u64::from(call.sites);
        }
        callees
    }

    /// These facts and those of a piece of the same function together. Numbers add up; the width of
    /// vectors is the wider one.
    pub fn join(&mut self, piece: &Facts) {
        let widest = self.get(Fact::VectorBits).max(piece.get(Fact::VectorBits));
        for (sum, more) in self.counts.iter_mut().zip(&piece.counts) {
            *sum = sum.saturating_add(*more);
        }
        self.set(Fact::VectorBits, widest);
        self.set(Fact::L1iSets, self.get(Fact::L1iSets).min(walk::SETS));
        self.extensions |= piece.extensions;
        self.calls.extend_from_slice(&piece.calls);
    }
}

/// Every place in a function that a fact counts, for facts that count instructions.
#[must_use]
pub fn sites(image: &Image, index: usize, fact: Fact) -> Vec<Site> {
    sites::of(image, index, |f| f == fact)
}

/// Every call of a known function.
pub(crate) fn calls(image: &Image, index: usize) -> Vec<Site> {
    sites::of(image, index, |_| false)
}

/// Every call of a callee that the pattern means.
#[must_use]
pub fn call_sites(image: &Image, index: usize, callee: &Pattern) -> Vec<Site> {
    calls(image, index)
        .into_iter()
        .filter(|s| s.callee.is_some_and(|at| is_called(image, at, callee)))
        .collect()
}

/// Whether the function, stub or slot at an address is meant, by whichever of its names. They are
/// compared as those of functions are, and once more without the version of a symbol.
#[must_use]
pub fn is_called(image: &Image, address: Address, callee: &Pattern) -> bool {
    let Some(link) = image.link_at(address.get()) else {
        let index = image.function_at(address.get());
        return index.is_some_and(|i| names_meant(callee, &image.functions()[i]));
    };
    let own = || image.own_function(link).map(|i| &image.functions()[i]);
    is_meant(callee, &link.name) || own().is_some_and(|f| names_meant(callee, f))
}

fn names_meant(callee: &Pattern, function: &Function) -> bool {
    let mut names = function.symbol.iter().chain(&function.aliases);
    callee.matches(function) || names.any(|name| is_meant(callee, name))
}

/// Whether a symbol is meant, with its version or without: `memcpy@GLIBC_2.14` is also `memcpy`.
pub(crate) fn is_meant(callee: &Pattern, symbol: &str) -> bool {
    let plain = symbol.split('@').next().unwrap_or(symbol);
    callee.matches_symbol(symbol) || (plain.len() != symbol.len() && callee.matches_symbol(plain))
}
