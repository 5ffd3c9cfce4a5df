//! Numbers for people: as many digits as the interval carries, and the project's typography ("3.3
//! %", "−3.1 %").

mod time;

use proofmark_evidence::record::SpreadRatio;
use proofmark_stats::{Effect, Interval};
use proofmark_terms::Metric;

pub(crate) use time::{as_rfc3339, duration, minute, rfc3339, seconds, slice};

use crate::text::{TIE, printable};

/// Most digits after the point that a ratio is given.
const MOST_DECIMALS: usize = 6;

/// Fewest digits of a ratio, those before the first that is not 0 left out.
const FEWEST_DIGITS: usize = 2;

/// How many digits after the point a ratio carries when its bounds lie `half_width` from it: as few
/// as leave the half-width at least three steps of the last digit, so that rounding moves a bound
/// by a sixth of it at most.
fn decimals_of(half_width: f64) -> usize {
    if !(half_width > 0.0 && half_width.is_finite()) {
        return 4;
    }
    let steps = |decimals: i32| (half_width * 10_f64.powi(decimals) * 100.0).round() / 100.0;
    (2_i32..)
        .zip(2..MOST_DECIMALS)
        .find(|&(power, _)| steps(power) >= 3.0)
        .map_or(MOST_DECIMALS, |(_, decimals)| decimals)
}

/// Digits after the point for the ratios of an interval; more of them where a bound that is not 1
/// would be printed as 1.
pub(crate) fn decimals(interval: &Interval) -> usize {
    let (low, high) = (interval.low.ratio(), interval.high.ratio());
    let blurred = |decimals: &usize| {
        let one = format!("{:.decimals$}", 1.0);
        let excluded = low > 1.0 || high < 1.0;
        excluded
            && [low, high]
                .iter()
                .any(|bound| format!("{bound:.decimals$}") == one)
    };
    // A change by several orders of magnitude has its digits far behind the point.
    let lost = |decimals: &usize| {
        is_narrow(interval) && {
            let shown = format!("{high:.decimals$}");
            let begin = shown.trim_start_matches(['0', '.']);
            begin.len() < FEWEST_DIGITS
        }
    };
    (decimals_of((high - low) / 2.0)..MOST_DECIMALS)
        .find(|decimals| !blurred(decimals) && !lost(decimals))
        .unwrap_or(MOST_DECIMALS)
}

/// Whether the interval says more than an order of magnitude.
fn is_narrow(interval: &Interval) -> bool {
    interval.high.ln() - interval.low.ln() < 1.0
}

/// `0.967 [0.961, 0.973]`.
pub(crate) fn interval(interval: &Interval) -> String {
    let decimals = decimals(interval);
    let [estimate, low, high] = [interval.estimate, interval.low, interval.high].map(Effect::ratio);
    let shown = |each: f64| {
        let far = each > 0.0 && !(1e-5..1e4).contains(&each);
        if far && is_narrow(interval) {
            format!("{each:.2e}")
        } else {
            ratio(each, decimals)
        }
    };
    let [estimate, low, high] = [estimate, low, high].map(shown);
    format!("{estimate}{TIE}[{low},{TIE}{high}]")
}

/// An interval as a change with its sign, in the digits of its ratio: `+2.2 % [+0.4, +4.0]`.
pub(crate) fn change_of(interval: &Interval) -> String {
    let decimals = decimals(interval).saturating_sub(2);
    let [estimate, low, high] = [interval.estimate, interval.low, interval.high].map(|effect| {
        let percent = effect.relative() * 100.0;
        if percent.abs() >= 1e6 {
            return format!("{percent:+.0e}").replace('-', "−");
        }
        let text = format!("{:.decimals$}", percent.abs());
        let none = text.trim_matches(['0', '.']).is_empty();
        let sign = match percent {
            _ if none => "",
            percent if percent < 0.0 => "−",
            _ => "+",
        };
        format!("{sign}{text}")
    });
    format!("{estimate}{TIE}%{TIE}[{low},{TIE}{high}]")
}

/// The same without its bounds: `+2.2 %`.
pub(crate) fn estimate_of(interval: &Interval) -> String {
    let change = change_of(interval);
    let estimate = change.split('[').next().unwrap_or_default();
    crate::text::untied(estimate).trim().to_owned()
}

/// A ratio; where two blocks leave nearly everything possible only its size, such as `4e31`.
fn ratio(ratio: f64, decimals: usize) -> String {
    if ratio < 1e4 {
        format!("{ratio:.decimals$}")
    } else {
        format!("{ratio:.0e}")
    }
}

/// The size of a change, without its sign, in the digits of the ratio that it was read from:
/// `3.3 %`.
pub(crate) fn change(effect: Effect, decimals: usize) -> String {
    let decimals = decimals.saturating_sub(2);
    format!("{:.decimals$}{TIE}%", effect.relative().abs() * 100.0)
}

/// A share, 0 to 1, as `96 %`. Never 0 or 100 unless it is: `> 99 %`.
pub(crate) fn share(share: f64) -> String {
    let percent = (share * 100.0).round();
    match percent {
        p if p <= 0.0 && share > 0.0 => format!("<{TIE}1{TIE}%"),
        p if p >= 100.0 && share < 1.0 => format!(">{TIE}99{TIE}%"),
        p => format!("{p:.0}{TIE}%"),
    }
}

/// A setting such as a margin or a confidence, as typed: `1 %`, `99.5 %`.
pub(crate) fn setting(relative: f64) -> String {
    let text = format!("{:.4}", relative * 100.0);
    format!("{}{TIE}%", text.trim_end_matches('0').trim_end_matches('.'))
}

/// A relative quantity in two significant digits: `0.13 %`, `2.4 %`, `15 %`.
pub(crate) fn rough(relative: f64) -> String {
    let percent = relative.abs() * 100.0;
    let decimals = match percent {
        p if p >= 9.95 => 0,
        p if p >= 0.995 => 1,
        p if p >= 0.0995 => 2,
        _ => 3,
    };
    format!("{percent:.decimals$}{TIE}%")
}

/// A relative change with its sign: `−3.1 %`, `+0.25 %`.
pub(crate) fn signed(relative: f64) -> String {
    let size = if relative.abs() >= 0.0095 {
        format!("{:.1}{TIE}%", relative.abs() * 100.0)
    } else {
        rough(relative)
    };
    match relative {
        r if r < 0.0 => format!("−{size}"),
        r if r > 0.0 => format!("+{size}"),
        _ => format!("0{TIE}%"),
    }
}

/// Two ratios as a range: `0.973 … 1.028`.
pub(crate) fn range(low: f64, high: f64) -> String {
    let decimals = decimals_of((high - low) / 2.0).max(3);
    format!(
        "{}{TIE}…{TIE}{}",
        ratio(low, decimals),
        ratio(high, decimals)
    )
}

/// How far the layouts of one build lie from each other, against those of another: `0.31 [0.12,
/// 0.68]`. Where any ratio is possible, a figure would say nothing.
pub(crate) fn spread(of: &SpreadRatio) -> String {
    let low = format!("{:.2}", of.low);
    match of.high {
        None if low == "0.00" => "not known".to_owned(),
        None => format!("{:.2} [{low}, no bound]", of.ratio),
        Some(high) => format!("{:.2} [{low}, {high:.2}]", of.ratio),
    }
}

/// What runs came to, in one unit: `73.1 ms`, `87.9 ms`; one more digit where they lie within a few
/// per cent of each other.
pub(crate) fn amounts(values: &[f64], metric: &Metric) -> Vec<String> {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(0.0, f64::max);
    let (unit, scale) = unit_of(least, metric);
    let digits = if most < least * 1.05 { 4 } else { 3 };
    let amount = |value: &f64| {
        let text = significant(value / scale, digits);
        if unit.is_empty() {
            text
        } else {
            format!("{text}{TIE}{unit}")
        }
    };
    values.iter().map(amount).collect()
}

/// The unit that suits a value, and how much of the metric's own unit it is.
fn unit_of(value: f64, metric: &Metric) -> (String, f64) {
    const TIMES: [(&str, f64); 4] = [("s", 1e9), ("ms", 1e6), ("µs", 1e3), ("ns", 1.0)];
    const SIZES: [(&str, f64); 4] = [
        ("GiB", 1_073_741_824.0),
        ("MiB", 1_048_576.0),
        ("KiB", 1024.0),
        ("bytes", 1.0),
    ];
    let units = match metric {
        Metric::CpuTime | Metric::WallTime => TIMES,
        Metric::PeakMemory => SIZES,
        Metric::Output { unit, .. } => return (printable(unit.trim()), 1.0),
    };
    let fits = units.into_iter().find(|(_, scale)| value >= *scale);
    let (unit, scale) = fits.unwrap_or(units[3]);
    (unit.to_owned(), scale)
}

/// A positive number in so many significant digits, and never fewer than those before the point.
fn significant(value: f64, digits: usize) -> String {
    if !(1e-6..1e15).contains(&value) {
        return format!("{value:.*e}", digits.saturating_sub(1));
    }
    let decimals = (0..digits + 6)
        .find(|&decimals| {
            let shown = format!("{value:.decimals$}");
            let begin = shown.trim_start_matches(['0', '.']);
            begin.chars().filter(char::is_ascii_digit).count() >= digits
        })
        .unwrap_or(0);
    format!("{value:.decimals$}")
}

/// `one block`, `14 blocks`.
pub(crate) fn counted(count: u32, one: &str, many: &str) -> String {
    if count == 1 {
        format!("1{TIE}{one}")
    } else {
        format!("{count}{TIE}{many}")
    }
}

/// A number with its thousands set apart.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::untied;

    #[test]
    fn a_ratio_of_spreads_may_have_no_bound_and_may_not_be_known() {
        let shown = |low, high| {
            let ratio = 0.31;
            spread(&SpreadRatio { ratio, low, high })
        };
        assert_eq!(shown(0.12, Some(0.678)), "0.31 [0.12, 0.68]");
        assert_eq!(shown(0.12, None), "0.31 [0.12, no bound]");
        assert_eq!(shown(0.0, Some(0.678)), "0.31 [0.00, 0.68]");
        assert_eq!(shown(0.0, None), "not known");
    }

    fn of(low: f64, estimate: f64, high: f64) -> Interval {
        let [low, estimate, high] = [low, estimate, high].map(Effect::from_ratio);
        Interval {
            estimate,
            low,
            high,
        }
    }

    fn shown(low: f64, estimate: f64, high: f64) -> String {
        untied(&interval(&of(low, estimate, high)))
    }

    #[test]
    fn digits_follow_the_interval() {
        assert_eq!(shown(0.961, 0.967, 0.973), "0.967 [0.961, 0.973]");
        assert_eq!(shown(1.0082, 1.0098, 1.0118), "1.0098 [1.0082, 1.0118]");
        assert_eq!(shown(0.71, 0.87, 1.05), "0.87 [0.71, 1.05]");
        assert_eq!(shown(1.4, 2.5, 3.6), "2.50 [1.40, 3.60]");
        assert_eq!(
            shown(1.000_01, 1.000_02, 1.000_03),
            "1.000020 [1.000010, 1.000030]"
        );
    }

    #[test]
    fn a_ratio_far_from_one_keeps_its_digits() {
        assert_eq!(shown(5e-5, 5e-5, 5e-5), "0.000050 [0.000050, 0.000050]");
        assert_eq!(
            shown(2.7e-5, 2.8e-5, 2.9e-5),
            "0.000028 [0.000027, 0.000029]"
        );
        assert_eq!(shown(4e-7, 5e-7, 6e-7), "5.00e-7 [4.00e-7, 6.00e-7]");
        assert_eq!(shown(24e3, 25e3, 26e3), "2.50e4 [2.40e4, 2.60e4]");
        // Two blocks may leave nearly everything possible.
        assert_eq!(shown(2e-32, 1.0, 4e31), "1.00 [0.00, 4e31]");
    }

    #[test]
    fn an_interval_may_be_read_as_a_change() {
        let said = |low, estimate, high| untied(&change_of(&of(low, estimate, high)));
        assert_eq!(said(1.004, 1.022, 1.040), "+2.2 % [+0.4, +4.0]");
        assert_eq!(said(0.998, 1.006, 1.014), "+0.6 % [−0.2, +1.4]");
        assert_eq!(said(0.5, 1.0, 1.5), "0 % [−50, +50]");
    }

    #[test]
    fn a_bound_that_excludes_no_change_is_not_printed_as_one() {
        assert_eq!(shown(1.0003, 1.0063, 1.0123), "1.0063 [1.0003, 1.0123]");
        assert_eq!(shown(0.9997, 1.0057, 1.0117), "1.006 [1.000, 1.012]");
    }

    #[test]
    fn changes_have_the_digits_of_their_ratio() {
        assert_eq!(untied(&change(Effect::from_ratio(0.967), 3)), "3.3 %");
        assert_eq!(untied(&change(Effect::from_ratio(1.13), 2)), "13 %");
        assert_eq!(untied(&change(Effect::from_ratio(1.0098), 4)), "0.98 %");
    }

    #[test]
    fn thousands_are_set_apart() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1000), "1,000");
        assert_eq!(grouped(1_234_567), "1,234,567");
    }

    #[test]
    fn what_a_run_came_to_has_one_unit() {
        let said = |values: &[f64], metric: &Metric| {
            let amounts = amounts(values, metric);
            untied(&amounts.join(" "))
        };
        let time = Metric::CpuTime;
        assert_eq!(said(&[73.12e6, 87.9e6], &time), "73.1 ms 87.9 ms");
        assert_eq!(said(&[73.12e6, 73.34e6], &time), "73.12 ms 73.34 ms");
        assert_eq!(said(&[990e6, 2.0e9], &time), "990 ms 2000 ms");
        assert_eq!(said(&[71_234.0], &time), "71.23 µs");
        assert_eq!(said(&[12.0e9, 11.0e9], &time), "12.0 s 11.0 s");
        assert_eq!(
            said(&[12_582_912.0, 6_291_456.0], &Metric::PeakMemory),
            "12.0 MiB 6.00 MiB"
        );
        let rate = Metric::Output {
            pattern: String::new(),
            unit: "ops/s".to_owned(),
            higher_is_better: true,
        };
        assert_eq!(
            said(&[51_234.4, 0.012_345], &rate),
            "51234 ops/s 0.0123 ops/s"
        );
        assert_eq!(said(&[1.5e20], &rate), "1.500e20 ops/s");
    }

    #[test]
    fn typography() {
        let plain = |text: String| untied(&text);
        assert_eq!(
            [0.0, 0.001, 0.964, 0.999, 1.0].map(|s| plain(share(s))),
            ["0 %", "< 1 %", "96 %", "> 99 %", "100 %"]
        );
        assert_eq!(
            [0.01, 0.005, 0.995, 0.95].map(|s| plain(setting(s))),
            ["1 %", "0.5 %", "99.5 %", "95 %"]
        );
        assert_eq!(
            [-0.031, 0.0025, 0.0, 1.25].map(|s| plain(signed(s))),
            ["−3.1 %", "+0.25 %", "0 %", "+125.0 %"]
        );
        assert_eq!(
            [0.15, 0.024, 0.0013].map(|s| plain(rough(s))),
            ["15 %", "2.4 %", "0.13 %"]
        );
        assert_eq!(plain(range(0.973, 1.028)), "0.973 … 1.028");
    }
}
