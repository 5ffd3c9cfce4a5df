//! What the layouts of a recorded comparison said of whose place matters.

use proofmark_evidence::RecordedAttribution;
use proofmark_evidence::record::{AttributionStop, PlaceScreening, ScreenedPlace};
use proofmark_hint::hint;
use schemars::JsonSchema;
use serde::Serialize;

use super::figures::{chance, percent};
use super::shares::{ShareEntry, SpreadEntry, share};
use crate::number::counted;

/// The layouts of one build in a recorded comparison, held against where its functions started.
#[derive(Serialize, JsonSchema)]
pub(super) struct ScreeningEntry {
    /// The comparison: 64 hexadecimal digits.
    experiment: String,
    /// Its layouts of the build.
    layouts: u32,
    /// The spread between them; null where there are too few to tell.
    spread: Option<SpreadEntry>,
    /// Symbols of the functions that were looked at.
    symbols: Vec<String>,
    /// Those whose place seems to explain most, in order, up to the first that does not stand out.
    places: Vec<PlaceEntry>,
    /// So many layouts it takes until a function that carries half of the spread stands out in 9 of
    /// 10 comparisons; null where that cannot be told.
    needed: Option<u32>,
}

/// A function whose place seems to explain some of the spread.
#[derive(Serialize, JsonSchema)]
struct PlaceEntry {
    /// Its symbol.
    symbol: String,
    /// Its start modulo this, in bytes, explains most.
    modulus: u64,
    /// The share of the variance between layouts; rather too large, for the best was chosen.
    share: ShareEntry,
    /// How often chance does as much to the one that it does most to, 0 to 1.
    p: f64,
    /// It stands out.
    named: bool,
}

pub(super) fn entry(screening: &PlaceScreening) -> ScreeningEntry {
    let symbol = |place: &ScreenedPlace| {
        let function = screening.functions.get(place.function as usize);
        function.map_or_else(String::new, |one| one.symbol.clone())
    };
    let place = |place: &ScreenedPlace| PlaceEntry {
        symbol: symbol(place),
        modulus: place.modulus,
        share: share(&place.share),
        p: place.by_chance.p_value,
        named: place.named,
    };
    let symbols = screening.functions.iter().map(|one| one.symbol.clone());
    ScreeningEntry {
        experiment: screening.experiment.to_string(),
        layouts: screening.layouts,
        spread: screening.spread.as_ref().map(SpreadEntry::of),
        symbols: symbols.collect(),
        places: screening.places.iter().map(place).collect(),
        needed: screening.needed,
    }
}

/// Whether nothing was measured because no function stood out.
pub(super) fn ended(recorded: &RecordedAttribution) -> Option<&PlaceScreening> {
    let conclusion = recorded.conclusion.as_ref()?;
    let screening = recorded.attribution.screening.as_ref();
    screening.filter(|_| conclusion.stop == AttributionStop::Screened)
}

/// Whether so many layouts would have shown a function that carries half of the spread.
fn suffice(screening: &PlaceScreening) -> bool {
    screening
        .needed
        .is_some_and(|needed| needed <= screening.layouts)
}

/// The answer where nothing was measured.
pub(super) fn headline(screening: &PlaceScreening) -> String {
    let layouts = counted(screening.layouts, "layout", "layouts");
    let of = format!(
        "the {layouts} of comparison {}",
        screening.experiment.short()
    );
    let functions = u32::try_from(screening.functions.len()).unwrap_or(u32::MAX);
    let functions = counted(functions, "function", "functions");
    let Some(spread) = &screening.spread else {
        return format!("{of} are too few to tell what differs between them from noise");
    };
    if spread.low <= 0.0 {
        let most = percent(spread.high);
        return format!(
            "{of} do not differ beyond the noise of runs (at most {most}), and the place of none \
             of {functions} stands out"
        );
    }
    let spread = percent(spread.estimate);
    match screening.needed {
        Some(_) if suffice(screening) => format!(
            "{of} spread by {spread}, and the place of none of {functions} stands out: one that \
             carries half of it would have, 9 times in 10"
        ),
        Some(needed) => format!(
            "{of} cannot tell whose place carries their spread ({spread}): a function that carries \
             half of it would stand out among {functions} 9 times in 10 with {needed} layouts"
        ),
        None => format!("{of} cannot tell whose place carries their spread ({spread})"),
    }
}

/// What tells more where nothing was measured.
pub(super) fn next(recorded: &RecordedAttribution) -> String {
    let attribution = &recorded.attribution;
    let argv: Vec<String> = attribution
        .benchmark
        .argv
        .iter()
        .map(|word| word.display().into_owned())
        .collect();
    let mut words = vec![attribution.build.name.as_str(), "--"];
    words.extend(argv.iter().map(String::as_str));
    let direct = hint("attribute", &words);
    format!("{direct} measures it in layouts of its own")
}

/// What the screening said before functions were measured.
pub(super) fn words(screening: &PlaceScreening) -> String {
    let name = |place: &ScreenedPlace| {
        let function = screening.functions.get(place.function as usize);
        let name = function.map_or("?", |one| one.name.as_str());
        format!("{name} (chance {})", chance(place.by_chance.p_value))
    };
    let named = screening.places.iter().filter(|place| place.named);
    let names: Vec<String> = named.map(name).collect();
    let functions = u32::try_from(screening.functions.len()).unwrap_or(u32::MAX);
    let found = if names.is_empty() {
        "none stood out".to_owned()
    } else {
        format!(
            "{} stood out, and what is said rests on layouts of its own",
            names.join(", ")
        )
    };
    format!(
        "{} of comparison {}, held against where {} started in each: {found}",
        counted(screening.layouts, "layout", "layouts"),
        screening.experiment.short(),
        counted(functions, "function", "functions"),
    )
}
