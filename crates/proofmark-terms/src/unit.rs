//! Units in which programs print numbers.

/// Names of rates that do not spell their time.
const RATES: [&str; 13] = [
    "fps", "FPS", "qps", "QPS", "rps", "RPS", "tps", "TPS", "iops", "IOPS", "MIPS", "MFLOPS",
    "GFLOPS",
];

/// In what time something of a rate is counted.
const TIMES_OF_RATES: [&str; 13] = [
    "ns", "us", "\u{b5}s", "\u{3bc}s", "ms", "s", "sec", "secs", "second", "seconds", "min",
    "minute", "h",
];

/// Whether a unit is that of a time: `ms`, `seconds`.
///
/// ```
/// assert!(proofmark_terms::is_time("Seconds") && !proofmark_terms::is_time("steps"));
/// ```
#[must_use]
pub fn is_time(unit: &str) -> bool {
    let units = ["s", "ms", "us", "\u{b5}s", "\u{3bc}s", "ns", "min", "h"];
    let words = ["sec", "msec", "usec", "nsec", "milli", "micro", "nano"];
    let unit = unit.to_lowercase();
    units.contains(&unit.as_str()) || words.iter().any(|word| unit.starts_with(word))
}

/// Whether a unit is that of a rate, so many in a time: `ops/s`, `MB/sec`, `fps`.
///
/// ```
/// assert!(proofmark_terms::is_rate("MB/s") && !proofmark_terms::is_rate("ns/op"));
/// ```
#[must_use]
pub fn is_rate(unit: &str) -> bool {
    let parts = unit.split_once('/').or_else(|| unit.split_once(" per "));
    let of_a_time = parts.is_some_and(|(what, time)| {
        let what = what.trim();
        !what.is_empty() && !is_time(what) && TIMES_OF_RATES.contains(&time.trim())
    });
    of_a_time || RATES.contains(&unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_of_time_are_known() {
        for unit in ["s", "ms", "Seconds", "usec", "secs", "\u{b5}s"] {
            assert!(is_time(unit), "{unit}");
        }
        for unit in ["steps", "MB", "ops", "hits", "ops/s"] {
            assert!(!is_time(unit), "{unit}");
        }
    }

    #[test]
    fn units_of_rates_are_known() {
        for unit in [
            "ops/s",
            "MB/sec",
            "jobs/min",
            "ops/ms",
            "requests per second",
            "MB / s",
            "fps",
            "GFLOPS",
        ] {
            assert!(is_rate(unit), "{unit}");
        }
        for unit in [
            "ms",
            "ns/op",
            "/s",
            "points",
            "s",
            "ms/s",
            "ns per op",
            "B/sector",
        ] {
            assert!(!is_rate(unit), "{unit}");
        }
    }
}
