//! Units in which programs print numbers.

/// Names of rates that do not spell their time.
const RATES: [&str; 13] = [
    "fps", "FPS", "qps", "QPS", "rps", "RPS", "tps", "TPS", "iops", "IOPS", "MIPS", "MFLOPS",
    "GFLOPS",
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
    let of_a_time = unit.split_once('/').is_some_and(|(what, time)| {
        !what.is_empty() && matches!(time, "s" | "sec" | "second" | "min")
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
        for unit in ["ops/s", "MB/sec", "jobs/min", "fps", "GFLOPS"] {
            assert!(is_rate(unit), "{unit}");
        }
        for unit in ["ms", "ns/op", "/s", "points", "s"] {
            assert!(!is_rate(unit), "{unit}");
        }
    }
}
