//! What of a named function's place goes with the metric: a description, and no cause.

use proofmark_evidence::record::{
    Attribution, ByPlaceFeature, FeatureClass, FunctionPart, PlaceFeature,
};
use proofmark_terms::FunctionIndex;
use schemars::JsonSchema;
use serde::Serialize;

use super::figures::{chance, name};
use crate::number::counted;

/// What of a place goes with the metric.
#[derive(Serialize, JsonSchema)]
pub(super) struct FeatureEntry {
    /// `start`: where the function starts, modulo `modulus` in steps of `step` bytes; `heads`: how
    /// many of its loops begin with an instruction that crosses a line of `line` bytes; `sets`:
    /// whether it shares sets of the first instruction cache with `other`.
    feature: &'static str,
    /// Of `start`, in bytes.
    modulus: Option<u64>,
    /// Of `start`, in bytes.
    step: Option<u64>,
    /// Of `heads`, in bytes.
    line: Option<u64>,
    /// Of `sets`: the other function's symbol.
    other: Option<String>,
    /// It explains something by more than chance. Where it does not, none of those tried does.
    explains: bool,
    /// How often the best of all features would seem to explain as much if none did, 0 to 1.
    p: f64,
    /// Features that were tried.
    tried: u32,
    /// The share of what the place does that it explains, 0 to 1.
    share: f64,
    /// The classes.
    classes: Vec<ClassEntry>,
}

/// Places that are alike.
#[derive(Serialize, JsonSchema)]
struct ClassEntry {
    /// The first start of the class modulo, the count, or 0 and 1.
    class: u64,
    /// Layouts with such a place.
    layouts: u32,
    /// The metric ÷ the mean of all classes.
    ratio: f64,
}

pub(super) fn entry(attribution: &Attribution, told: &ByPlaceFeature) -> FeatureEntry {
    let symbol = |index: FunctionIndex| {
        let function = index.of(&attribution.functions);
        function.map(|one| one.symbol.clone())
    };
    let (feature, modulus, step, line, other) = match told.feature {
        PlaceFeature::Start { modulus, step } => ("start", Some(modulus), Some(step), None, None),
        PlaceFeature::Heads { line } => ("heads", None, None, Some(line), None),
        PlaceFeature::Sets { other } => ("sets", None, None, None, symbol(other)),
    };
    let class = |class: &FeatureClass| ClassEntry {
        class: class.class,
        layouts: class.layouts,
        ratio: class.ratio,
    };
    FeatureEntry {
        feature,
        modulus,
        step,
        line,
        other,
        explains: told.explains,
        p: told.by_chance.p_value,
        tried: told.tried,
        share: told.share,
        classes: told.classes.iter().map(class).collect(),
    }
}

/// What of the place of a named function goes with the metric, in words.
pub(super) fn words(attribution: &Attribution, part: &FunctionPart) -> Option<String> {
    let told = part.by_feature.as_ref()?;
    let name = name(attribution, part);
    if !told.explains {
        let tried = counted(told.tried, "feature", "features");
        return Some(format!(
            "of {name}, none of {tried} explains it by more than chance (best {}): the start \
             modulo 16 to 4096, loops against lines, sets of the instruction cache shared with \
             others",
            chance(told.by_chance.p_value)
        ));
    }
    let (what, shown): (String, fn(u64) -> String) = match told.feature {
        PlaceFeature::Start { modulus, step } => {
            (format!("modulo {modulus} in steps of {step}"), |class| {
                class.to_string()
            })
        }
        PlaceFeature::Heads { line } => (
            format!("loops that begin with an instruction across a line of {line} bytes"),
            |class| class.to_string(),
        ),
        PlaceFeature::Sets { other } => {
            let other = other.of(&attribution.functions);
            let other = other.map_or("another", |one| one.name.as_str());
            (
                format!("sets of the instruction cache shared with {other}"),
                |class| if class == 0 { "none" } else { "some" }.to_owned(),
            )
        }
    };
    let class = |class: &FeatureClass| {
        format!(
            "{}: {:+.1} %",
            shown(class.class),
            (class.ratio - 1.0) * 100.0
        )
    };
    let classes: Vec<String> = told.classes.iter().map(class).collect();
    Some(format!(
        "of {name}, {what}: {}; that goes with {:.0} % of what its place does",
        classes.join(" · "),
        told.share * 100.0
    ))
}
