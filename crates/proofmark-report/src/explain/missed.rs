//! In which functions a model sees more misses, or fewer.

use std::collections::BTreeMap;

use proofmark_evidence::record::{
    CodeBetween, PlaceFound, PlaceOf, SimulatedMisses, SimulatedRun, SimulatedRuns,
};

use super::explained::Explained;

/// A difference of less than one in so many instructions is not told by place.
const ONE_IN: f64 = 10_000.0;
/// Most functions that are named.
const NAMED: usize = 3;

/// Where most of the difference of a count is, behind the count: nothing where nobody recorded it,
/// where there is hardly any, and where more functions make it than can be named.
pub(super) fn whereabouts(explained: Explained<'_>, of: fn(&SimulatedRun) -> u64) -> String {
    let explanation = &explained.recorded.explanation;
    let Some(SimulatedRuns::Counted {
        base,
        new,
        misses: Some(misses),
        ..
    }) = &explanation.simulated
    else {
        return String::new();
    };
    let all = of(new) as f64 - of(base) as f64;
    if all.abs() * ONE_IN < base.instructions as f64 {
        return String::new();
    }
    let mut by_function: BTreeMap<&str, f64> = BTreeMap::new();
    for one in misses {
        let symbol = one.symbol.as_str();
        *by_function
            .entry(as_new(&explanation.code, one))
            .or_default() -= of(&one.base) as f64;
        *by_function.entry(symbol).or_default() += of(&one.new) as f64;
    }
    let most = most(&by_function, all);
    let places = &explained.conclusion.places;
    let names: Vec<String> = most.iter().map(|symbol| name(places, symbol)).collect();
    if names.is_empty() {
        return String::new();
    }
    format!(" (most of the difference in {})", names.join(", "))
}

/// The build's symbol of a function.
fn as_new<'a>(code: &'a CodeBetween, one: &'a SimulatedMisses) -> &'a str {
    let renamed = match code {
        CodeBetween::Read { renamed, .. } => renamed.as_slice(),
        CodeBetween::Unread { .. } => &[],
    };
    let mut pairs = renamed.iter();
    let pair = pairs.find(|[base, _]| *base == one.symbol);
    pair.map_or(one.symbol.as_str(), |[_, new]| new)
}

/// The fewest functions that make more than half of a difference, that with most first; none where
/// it takes too many, or what is beside functions makes it.
fn most<'a>(by_function: &BTreeMap<&'a str, f64>, all: f64) -> Vec<&'a str> {
    let shares = by_function.iter().map(|(symbol, by)| (*symbol, by / all));
    let mut shares: Vec<(&str, f64)> = shares.filter(|(symbol, _)| !symbol.is_empty()).collect();
    shares.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut found = Vec::new();
    let mut together = 0.0;
    for (symbol, share) in shares.into_iter().take(NAMED) {
        found.push(symbol);
        together += share;
        if together > 0.5 {
            return found;
        }
    }
    Vec::new()
}

/// What people call a function: as the table of places has it, where it has it.
fn name(places: &[PlaceFound], wanted: &str) -> String {
    let mut names = places.iter().filter_map(|one| match &one.place {
        PlaceOf::Function { symbol, name } if symbol == wanted => Some(name.clone()),
        _ => None,
    });
    let plain = || proofmark_code::demangle(wanted);
    names.next().unwrap_or_else(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fewest_functions_that_make_more_than_half_are_named() {
        let by = |all: &[(&'static str, f64)]| all.iter().copied().collect::<BTreeMap<_, _>>();
        let one = by(&[("f", 2.0), ("g", 98.0)]);
        assert_eq!(most(&one, 100.0), ["g"]);
        let two = by(&[("f", 40.0), ("g", 45.0), ("h", 15.0)]);
        assert_eq!(most(&two, 100.0), ["g", "f"]);
        // Fewer misses, and what is in no function.
        let fewer = by(&[("f", -60.0), ("g", 10.0)]);
        assert_eq!(most(&fewer, -50.0), ["f"]);
        let nameless = by(&[("", 90.0), ("g", 10.0)]);
        assert_eq!(most(&nameless, 100.0), [""; 0]);
        let spread = by(&[("f", 10.0), ("g", 12.0), ("h", 11.0)]);
        assert_eq!(most(&spread, 100.0), [""; 0]);
    }
}
