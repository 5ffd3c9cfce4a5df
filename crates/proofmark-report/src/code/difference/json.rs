//! What changed between two programs, for programs.

use std::collections::BTreeMap;

use proofmark_code::comparison::Changes;
use proofmark_code::diff::Pair;
use proofmark_code::diff::hot::HotSet;
use proofmark_code::{Facts, Image};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::Compared;
use super::rows::differing;
use crate::document::{Document, enveloped};

/// What changed in the machine code between two programs.
#[derive(Serialize, JsonSchema)]
pub(crate) struct DifferenceDocument {
    /// All of it in numbers.
    summary: SummaryView,
    /// Each image; of an archive each member.
    images: Vec<ImageChanges>,
}

/// What changed, in numbers.
#[derive(Serialize, JsonSchema)]
struct SummaryView {
    /// Functions of the new program; pieces that were split off are not counted apart.
    functions: u64,
    /// Functions of both with another content.
    changed: u64,
    /// Functions that the base has not.
    added: u64,
    /// Functions of the base that are gone.
    removed: u64,
    /// Functions that only go by another name.
    renamed: u64,
    /// Of the changed ones, those that are hot; null without a profile.
    hot: Option<u64>,
    /// Of the added ones, those that are hot.
    hot_added: Option<u64>,
    /// Of the removed ones, those that are hot.
    hot_removed: Option<u64>,
    /// The instruction sets of base and new program where they differ: nothing was compared with
    /// anything then.
    archs: Option<[&'static str; 2]>,
    /// How much of the profile's time is in functions of either program, 0 to 1; null without a
    /// profile.
    covered: Option<f64>,
}

/// What became of the functions of an image.
#[derive(Serialize, JsonSchema)]
struct ImageChanges {
    /// The member of an archive.
    member: Option<String>,
    /// Functions of both with another content.
    changed: Vec<ChangedView>,
    /// Functions that only go by another name.
    renamed: Vec<RenamedView>,
    /// Names of the functions that the base has not.
    added: Vec<String>,
    /// Names of the functions that only the base has.
    removed: Vec<String>,
    /// Functions with the same content at another address.
    moved: usize,
    /// Functions with the same content at the same address.
    identical: usize,
}

/// A function with another content.
#[derive(Serialize, JsonSchema)]
struct ChangedView {
    name: String,
    /// By the profile.
    hot: bool,
    /// Its share of the profile, 0 to 1, where the profile says one.
    share: Option<f64>,
    /// The facts that differ, by their names.
    facts: BTreeMap<&'static str, Numbers>,
}

/// A fact of the same function in both images.
#[derive(Serialize, JsonSchema)]
struct Numbers {
    base: u64,
    new: u64,
}

/// A function that only goes by another name.
#[derive(Serialize, JsonSchema)]
struct RenamedView {
    base: String,
    new: String,
}

impl Document for DifferenceDocument {
    const SCHEMA: &'static str = "difference";
}

/// What changed, for programs.
#[must_use]
pub fn json(compared: &[Compared<'_>], changes: &Changes, hot: Option<&HotSet>) -> Value {
    enveloped(&DifferenceDocument {
        summary: changes.into(),
        images: compared.iter().map(|one| image(one, hot)).collect(),
    })
}

impl From<&Changes> for SummaryView {
    fn from(changes: &Changes) -> Self {
        SummaryView {
            functions: changes.functions,
            changed: changes.changed,
            added: changes.added,
            removed: changes.removed,
            renamed: changes.renamed,
            hot: changes.hot,
            hot_added: changes.hot_added,
            hot_removed: changes.hot_removed,
            archs: changes
                .archs
                .map(|archs| archs.map(proofmark_code::Arch::name)),
            covered: changes.covered,
        }
    }
}

fn image((base, new, difference): &Compared<'_>, hot: Option<&HotSet>) -> ImageChanges {
    let both = base.zip(*new);
    ImageChanges {
        member: base.or(*new).and_then(Image::member).map(str::to_owned),
        changed: both.map_or_else(Vec::new, |(base, new)| {
            let changed = difference.changed.iter();
            changed
                .map(|pair| changed_view(base, new, pair, hot))
                .collect()
        }),
        renamed: both.map_or_else(Vec::new, |(base, new)| {
            let renamed = difference.renamed.iter().map(|pair| RenamedView {
                base: base.functions()[pair.base].name(),
                new: new.functions()[pair.new].name(),
            });
            renamed.collect()
        }),
        added: names(*new, &difference.added),
        removed: names(*base, &difference.removed),
        moved: difference.moved.len(),
        identical: difference.identical.len(),
    }
}

fn names(image: Option<&Image>, functions: &[usize]) -> Vec<String> {
    let named = |image: &Image| {
        let functions = functions.iter();
        functions.map(|at| image.functions()[*at].name()).collect()
    };
    image.map_or_else(Vec::new, named)
}

fn changed_view(base: &Image, new: &Image, pair: &Pair, hot: Option<&HotSet>) -> ChangedView {
    let facts = (Facts::of(base, pair.base), Facts::of(new, pair.new));
    let differing = differing(&facts.0, &facts.1);
    let share = hot.and_then(|hot| hot.share(&new.functions()[new.whole(pair.new)]));
    ChangedView {
        name: new.functions()[pair.new].name(),
        hot: share.is_some(),
        share: share.flatten(),
        facts: differing
            .map(|(fact, base, new)| (fact.name(), Numbers { base, new }))
            .collect(),
    }
}
