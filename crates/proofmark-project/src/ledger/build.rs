//! The builds of a ledger: each is base with some ideas on it, and made once however many figures
//! need it.

use super::ideas::Ideas;

/// Base with ideas on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerBuild {
    /// What the table calls it; names differ.
    pub name: String,
    /// Indices of the ideas on base, lowest first.
    pub ideas: Vec<usize>,
}

/// The builds that figures need.
#[derive(Clone, Debug, Default)]
pub(super) struct Builds {
    pub(super) all: Vec<LedgerBuild>,
}

impl Builds {
    /// The place of the build with these ideas, which is new where there is none. It is called by
    /// the first name that it was asked for by.
    pub(super) fn place(&mut self, name: impl FnOnce() -> String, ideas: Vec<usize>) -> usize {
        let known = self.all.iter().position(|build| build.ideas == ideas);
        known.unwrap_or_else(|| {
            let name = name();
            self.all.push(LedgerBuild { name, ideas });
            self.all.len() - 1
        })
    }
}

/// Ideas put on base one after the other, each with what it stands on, each once.
pub(super) fn put_on(ideas: &Ideas, order: &[usize]) -> Vec<usize> {
    let mut on = Vec::new();
    for &idea in order {
        for &one in ideas.all[idea].below.iter().chain([&idea]) {
            if !on.contains(&one) {
                on.push(one);
            }
        }
    }
    on
}
