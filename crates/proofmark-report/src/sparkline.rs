//! The course of values in one line of text.

/// From low to high.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The least and the greatest of some values.
pub(crate) fn bounds(values: &[f64]) -> (f64, f64) {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (least, most)
}

/// Values between two bounds, in as many columns at most: each bar is the mean of as many values.
pub(crate) fn sparkline(values: &[f64], (least, most): (f64, f64), columns: usize) -> String {
    let each = values.len().div_ceil(columns.max(1)).max(1);
    let bar = |some: &[f64]| {
        let mean = some.iter().sum::<f64>() / some.len() as f64;
        let place = (mean - least) / (most - least);
        let place = if place.is_finite() { place } else { 0.5 };
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share of the bars"
        )]
        let at = (place * BARS.len() as f64) as usize;
        BARS[at.min(BARS.len() - 1)]
    };
    values.chunks(each).map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_go_from_the_least_to_the_greatest_value() {
        let values = [0.0, 1.0, 7.9, 8.0];
        assert_eq!(sparkline(&values, bounds(&values), 10), "▁▂██");
        assert_eq!(sparkline(&values, bounds(&values), 2), "▁█");
        assert_eq!(sparkline(&[3.0, 3.0], (3.0, 3.0), 10), "▅▅");
    }
}
