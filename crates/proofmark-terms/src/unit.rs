//! Units in which programs print numbers.

/// Names of rates that do not spell their time, in small letters; some with a letter for thousands,
/// millions… in front.
const RATES: [&str; 10] = [
    "fps", "qps", "rps", "tps", "pps", "iops", "ips", "flops", "bps", "hz",
];

/// What is a rate with such a letter in front only: `ops` alone are counted.
const RATES_OF_MANY: [&str; 1] = ["ops"];

/// In what time something of a rate is counted, in small letters.
const TIMES_OF_RATES: [&str; 17] = [
    "ns", "us", "\u{b5}s", "\u{3bc}s", "ms", "s", "sec", "secs", "second", "seconds", "min",
    "mins", "minute", "minutes", "h", "hour", "hours",
];

/// Times that are no parts of a second, and those of a clock, in small letters.
const TIMES: [&str; 15] = [
    "min", "mins", "minute", "minutes", "h", "hr", "hrs", "hour", "hours", "millis", "micros",
    "nanos", "ticks", "jiffies", "days",
];

/// What is measured, and rounded where it is printed as a whole number, in small letters; some with
/// a letter for thousandths or thousands in front.
const MEASURED: [&str; 9] = [
    "%", "percent", "pct", "j", "joule", "joules", "w", "watt", "watts",
];

/// Letters for parts and multiples of what is measured.
const PARTS: [char; 5] = ['m', 'u', '\u{b5}', '\u{3bc}', 'k'];

/// What is counted in thousands, millions…, in small letters: `Mcycles`, `KiB`, and `M` of whatever.
const COUNTED: [&str; 36] = [
    "",
    "b",
    "byte",
    "bytes",
    "bit",
    "bits",
    "cycle",
    "cycles",
    "instruction",
    "instructions",
    "instr",
    "insn",
    "insns",
    "inst",
    "insts",
    "op",
    "ops",
    "flop",
    "item",
    "items",
    "row",
    "rows",
    "line",
    "lines",
    "token",
    "tokens",
    "event",
    "events",
    "packet",
    "packets",
    "request",
    "requests",
    "iteration",
    "iterations",
    "record",
    "records",
];

/// Thousands, millions…
const MANY: [char; 4] = ['k', 'm', 'g', 't'];

/// Whether a unit is that of a time, or of the time that each of something takes: `ms`, `seconds`,
/// `ns/op`.
///
/// ```
/// use proofmark_terms::is_time;
/// assert!(is_time("Seconds") && is_time("ns/op") && !is_time("steps"));
/// ```
#[must_use]
pub fn is_time(unit: &str) -> bool {
    let unit = written(unit);
    let time = parts(&unit).map_or(unit.as_str(), |(time, _)| time);
    let of_seconds = [
        "", "m", "u", "\u{b5}", "\u{3bc}", "n", "milli", "micro", "nano",
    ];
    let seconds = of_seconds.iter().find_map(|part| {
        let rest = time.strip_prefix(part)?;
        ["s", "sec", "secs", "second", "seconds"]
            .contains(&rest)
            .then_some(())
    });
    seconds.is_some() || TIMES.contains(&time)
}

/// Whether whole numbers of a unit are rounded, and no counts: `MB`, `KiB`, `Mcycles`, `%`.
///
/// ```
/// use proofmark_terms::is_rounded;
/// assert!(is_rounded("MiB") && !is_rounded("bytes"));
/// ```
#[must_use]
pub fn is_rounded(unit: &str) -> bool {
    if is_rate(unit) {
        return false;
    }
    let unit = written(unit);
    // `KB/op`
    let unit = parts(&unit).map_or(unit.as_str(), |(what, _)| what);
    let many = unit.strip_prefix(MANY);
    let of_two = many.and_then(|rest| rest.strip_prefix('i'));
    let words = [
        "kilo", "mega", "giga", "tera", "kibi", "mebi", "gibi", "tebi",
    ];
    let of_word = words.iter().find_map(|word| unit.strip_prefix(word));
    let mut counted = [many, of_two, of_word].into_iter().flatten();
    let measured = [Some(unit), unit.strip_prefix(PARTS)];
    counted.any(|what| COUNTED.contains(&what.trim()))
        || measured
            .into_iter()
            .flatten()
            .any(|what| MEASURED.contains(&what))
}

/// In small letters, without the point of an abbreviation.
fn written(unit: &str) -> String {
    unit.trim().trim_end_matches('.').to_lowercase()
}

/// What stands before and behind `/` or `per`.
fn parts(unit: &str) -> Option<(&str, &str)> {
    let parts = unit.split_once('/').or_else(|| unit.split_once(" per "))?;
    Some((parts.0.trim(), parts.1.trim()))
}

/// Whether a unit is that of a rate, so many in a time: `ops/s`, `MB/sec`, `fps`.
///
/// ```
/// assert!(proofmark_terms::is_rate("MB/s") && !proofmark_terms::is_rate("ns/op"));
/// ```
#[must_use]
pub fn is_rate(unit: &str) -> bool {
    let unit = written(unit);
    let of_a_time = parts(&unit).is_some_and(|(what, time)| {
        // `ops/s/core`
        let time = time.split(['/', ' ']).next().unwrap_or(time);
        !what.is_empty() && !is_time(what) && TIMES_OF_RATES.contains(&time)
    });
    let many = unit.strip_prefix(MANY);
    of_a_time
        || RATES.contains(&unit.as_str())
        || many.is_some_and(|rate| RATES.contains(&rate) || RATES_OF_MANY.contains(&rate))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_of_time_are_known() {
        for unit in [
            "s",
            "ms",
            "Seconds",
            "usec",
            "secs",
            "\u{b5}s",
            "ns/iter",
            "us per call",
            "ms / op",
            "milliseconds",
            "msec.",
            "minutes",
            "ticks",
        ] {
            assert!(is_time(unit), "{unit}");
        }
        for unit in [
            "steps",
            "MB",
            "ops",
            "hits",
            "ops/s",
            "sectors",
            "micro-ops",
            "minimum",
        ] {
            assert!(!is_time(unit), "{unit}");
        }
    }

    #[test]
    fn units_of_rounded_numbers_are_known() {
        for unit in [
            "MB",
            "KiB",
            "kB",
            "GiB",
            "megabytes",
            "MBytes",
            "Mcycles",
            "Mitems",
            "Mbit",
            "M",
            "KB/op",
            "%",
            "Joules",
            "mW",
        ] {
            assert!(is_rounded(unit), "{unit}");
        }
        for unit in [
            "B",
            "bytes",
            "mb/s",
            "items",
            "b",
            "tib/s",
            "megapixels",
            "tests",
            "misses",
            "B/op",
        ] {
            assert!(!is_rounded(unit), "{unit}");
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
            "Gflops",
            "Mops",
            "Mbps",
            "MIPS",
            "Dhrystones per Second",
            "Iterations/Sec",
            "ops/s/core",
            "ops/s per core",
            "kHz",
            "Mpps",
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
            "ops",
            "drops",
        ] {
            assert!(!is_rate(unit), "{unit}");
        }
    }
}
