//! A figure in few columns: `−3.1 ±0.4`, the change in per cent.

use proofmark_evidence::record::LedgerFigure;
use proofmark_stats::Effect;
use proofmark_terms::Interval;

/// Most digits after the point.
const MOST: usize = 2;

/// The widest interval that is said by its half: of ratios, high ÷ low. Beyond it half the width
/// says nothing that a reader could use: the interval of a ratio is not even nearly symmetric.
const WIDEST: f64 = 4.0;

/// A figure, and over how much of what it is about.
#[derive(Clone, Copy)]
pub(crate) struct Shown {
    pub(crate) figure: LedgerFigure,
    /// Over so many benchmarks of so many, where it is not over all that base runs.
    pub(crate) part: Option<[u32; 2]>,
}

/// The change in per cent and half the width of its interval; in parentheses where the interval
/// holds no change; *not known* where it holds next to everything.
pub(crate) fn said(figure: Option<&LedgerFigure>) -> String {
    figure.map_or_else(|| "—".to_owned(), |figure| of_interval(&figure.interval))
}

/// The same, and `(1 of 2)` where one of two benchmarks is in it.
pub(crate) fn shown(shown: Option<&Shown>) -> String {
    let said = said(shown.map(|shown| &shown.figure));
    match shown.and_then(|shown| shown.part) {
        Some([of, all]) => format!("{said} ({of} of {all})"),
        None => said,
    }
}

pub(crate) fn of_interval(interval: &Interval) -> String {
    if interval.high.ln() - interval.low.ln() > WIDEST.ln() {
        return "not known".to_owned();
    }
    let [estimate, low, high] =
        [interval.estimate, interval.low, interval.high].map(|effect| effect.relative() * 100.0);
    let half = (high - low) / 2.0;
    let decimals = match half {
        half if half >= 0.095 || half == 0.0 => 1,
        _ => MOST,
    };
    let size = format!("{:.decimals$}", estimate.abs());
    let none = size.trim_matches(['0', '.']).is_empty();
    let sign = match estimate {
        _ if none => "",
        estimate if estimate < 0.0 => "−",
        _ => "+",
    };
    let text = format!("{sign}{size} ±{half:.decimals$}");
    if open(interval) {
        format!("({text})")
    } else {
        text
    }
}

/// Whether the interval holds no change; rounding is none.
pub(crate) fn open(interval: &Interval) -> bool {
    interval.low.ln() <= Effect::ROUNDING && interval.high.ln() >= -Effect::ROUNDING
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(low: f64, estimate: f64, high: f64) -> String {
        let [low, estimate, high] = [low, estimate, high].map(Effect::from_ratio);
        of_interval(&Interval {
            estimate,
            low,
            high,
        })
    }

    #[test]
    fn figures_carry_the_digits_of_their_width() {
        assert_eq!(told(0.965, 0.969, 0.973), "−3.1 ±0.4");
        assert_eq!(told(0.9995, 1.0002, 1.0009), "(+0.02 ±0.07)");
        assert_eq!(told(0.9, 0.9, 0.9), "−10.0 ±0.0");
        assert_eq!(told(1.0, 1.0, 1.0), "(0.0 ±0.0)");
        assert_eq!(told(1.01, 1.02, 1.03), "+2.0 ±1.0");
        assert_eq!(told(0.6, 0.9, 1.5), "(−10.0 ±45.0)");
        assert_eq!(told(0.01, 0.9, 80.0), "not known");
        assert_eq!(told(0.0, 0.9, f64::INFINITY), "not known");
    }
}
