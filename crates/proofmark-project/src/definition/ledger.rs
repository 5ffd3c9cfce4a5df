//! `[ledger]`, `[idea.NAME]` and `[stack.NAME]`: what is tried, and how it is put together.

use std::path::PathBuf;

use indexmap::IndexMap;
use proofmark_terms::Share;
use serde::de::Error;
use serde::{Deserialize, Deserializer};

use super::claim::share;
use super::{Names, ShellWords};

/// The share of false findings that a ledger promises not to exceed, where nothing is said.
const USUAL_RATE: f64 = 0.05;

/// `[ledger]`: what all ideas are held against, and what is promised of what is found.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LedgerDefinition {
    /// Its name in the store; that of the file's folder when absent.
    pub name: Option<String>,
    /// The cell that ideas are put on; the main baseline, or else the first cell, when absent.
    pub base: Option<String>,
    /// The share of false findings among all findings that it promises not to exceed: above 0,
    /// below 0.5.
    #[serde(deserialize_with = "rate")]
    pub rate: f64,
}

impl Default for LedgerDefinition {
    fn default() -> Self {
        LedgerDefinition {
            name: None,
            base: None,
            rate: USUAL_RATE,
        }
    }
}

/// `[idea.NAME]`, and `[idea.NAME.CANDIDATE]` with what differs.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct IdeaDefinition {
    /// What it is about, and why it should help.
    pub hypothesis: Option<String>,
    /// Patches (`git diff`) on the sources, relative to the file's folder.
    pub patch: Option<Names>,
    /// A revision of the sources in place of base's.
    pub rev: Option<String>,
    /// Words added to `{flags}`.
    pub flags: Option<ShellWords>,
    /// Words added to `{ldflags}`.
    pub link: Option<ShellWords>,
    /// Macros: `X` is `-DX`, `X=1` is `-DX=1`, added to `{flags}`.
    pub defines: Option<Names>,
    /// Ideas that it stands on, each `NAME` or `NAME.CANDIDATE`: it is held against these.
    pub on: Option<Names>,
    /// The gain that is expected, relative: 0.05 for 5 %.
    #[serde(deserialize_with = "expected")]
    pub expected: Option<f64>,
    /// A folder of files that runs read, in place of that of base's source, relative to the file's
    /// folder.
    pub tree: Option<PathBuf>,
    /// Other ways to carry it out, by name. What they do not say is the idea's.
    pub candidate: IndexMap<String, IdeaDefinition>,
}

/// `[stack.NAME]`: ideas on top of one another.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StackDefinition {
    /// The ideas in their order, each `NAME` or `NAME.CANDIDATE`.
    pub ideas: Names,
}

impl IdeaDefinition {
    /// A candidate with what it takes from its idea.
    #[must_use]
    pub fn candidate_in_full(&self, candidate: &IdeaDefinition) -> IdeaDefinition {
        let either = |own: &Option<Names>, of: &Option<Names>| own.clone().or_else(|| of.clone());
        let words =
            |own: &Option<ShellWords>, of: &Option<ShellWords>| own.clone().or_else(|| of.clone());
        IdeaDefinition {
            hypothesis: candidate
                .hypothesis
                .clone()
                .or_else(|| self.hypothesis.clone()),
            patch: either(&candidate.patch, &self.patch),
            rev: candidate.rev.clone().or_else(|| self.rev.clone()),
            flags: words(&candidate.flags, &self.flags),
            link: words(&candidate.link, &self.link),
            defines: either(&candidate.defines, &self.defines),
            on: either(&candidate.on, &self.on),
            expected: candidate.expected.or(self.expected),
            tree: candidate.tree.clone().or_else(|| self.tree.clone()),
            candidate: IndexMap::new(),
        }
    }
}

fn expected<'de, D: Deserializer<'de>>(from: D) -> Result<Option<f64>, D::Error> {
    share(from).map(Some)
}

fn rate<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    let text = String::deserialize(from)?;
    let share = text.parse::<Share>().map_err(D::Error::custom)?.get();
    if share > 0.0 && share < 0.5 {
        return Ok(share);
    }
    Err(D::Error::custom(format!(
        "a rate of `{text}` promises nothing; give one above 0 and below 50 %, such as \"5%\""
    )))
}
