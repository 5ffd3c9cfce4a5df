//! The first cause of a change, by tables of cases, a file for each kind of cause.

mod kernel;
mod planted;
mod processor;
mod work;

use proofmark_conclude::explain::Known;
use proofmark_evidence::record::{
    CountFound, Counted, DifferenceFound, FunctionBetween, FunctionChange, PlaceFound, PlaceOf,
};
use proofmark_terms::{Effect, Interval, Margin};

/// An interval of ± 1 % around a ratio.
pub(crate) fn about(ratio: f64) -> Interval {
    Interval {
        estimate: Effect::from_ratio(ratio),
        low: Effect::from_ratio(ratio * 0.99),
        high: Effect::from_ratio(ratio * 1.01),
    }
}

/// A difference of ± 0.01.
pub(crate) fn by(estimate: f64) -> Option<DifferenceFound> {
    Some(DifferenceFound {
        estimate,
        low: estimate - 0.01,
        high: estimate + 0.01,
    })
}

pub(crate) fn place(place: PlaceOf, difference: f64, how: Option<FunctionChange>) -> PlaceFound {
    PlaceFound {
        place,
        base: 0.3,
        new: 0.3 + difference,
        difference: by(difference),
        code: how.map(|how| FunctionBetween {
            symbol: String::new(),
            how,
            bytes: [1, 2],
            instructions: [1, 2],
            calls: [0, 0],
            indirect_jumps: None,
        }),
        line: None,
    }
}

pub(crate) fn function(name: &str, difference: f64, how: Option<FunctionChange>) -> PlaceFound {
    let of = PlaceOf::Function {
        symbol: name.to_owned(),
        name: name.to_owned(),
    };
    place(of, difference, how)
}

pub(crate) fn count(what: Counted, base: f64, new: f64) -> CountFound {
    CountFound {
        what,
        base,
        new,
        differs: true,
    }
}

/// A change of this size, of which nothing else is known.
pub(crate) fn of(ratio: f64) -> Known<'static> {
    Known {
        change: about(ratio),
        as_shipped: Some(about(ratio)),
        margin: Margin::default(),
        of_wall_time: false,
        waiting: DifferenceFound::default(),
        cpu: DifferenceFound::default(),
        places: &[],
        counts: &[],
        worked: None,
        call: None,
        calls_at_least: 0.0,
        run_ns: 1e8,
        unseen: 0.0,
        processor: None,
        missed: None,
    }
}

pub(crate) const CHANGED: Option<FunctionChange> = Some(FunctionChange::Changed);
