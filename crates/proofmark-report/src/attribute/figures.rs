//! Names and figures of an attribution in words.

use proofmark_evidence::record::{Attribution, FunctionPart, ShareFound};

use crate::text::printable;

/// The name of a function of an attribution, as it is shown.
pub(super) fn name(attribution: &Attribution, part: &FunctionPart) -> String {
    let function = part.function.of(&attribution.functions);
    function.map_or_else(|| "?".to_owned(), |one| printable(&one.name))
}

/// A share with its interval: `71 % [55, 84]`.
pub(super) fn interval(share: &ShareFound) -> String {
    format!(
        "{:.0} % [{:.0}, {:.0}]",
        share.share * 100.0,
        share.low * 100.0,
        share.high * 100.0
    )
}

/// A p value in words.
pub(super) fn chance(p: f64) -> String {
    if p <= 0.001 {
        "≤ 0.001".to_owned()
    } else {
        format!("{p:.3}")
    }
}

/// A standard deviation in percent.
pub(super) fn percent(deviation: f64) -> String {
    let percent = deviation * 100.0;
    if percent < 0.995 {
        format!("{percent:.2} %")
    } else {
        format!("{percent:.1} %")
    }
}
