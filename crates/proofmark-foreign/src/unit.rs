//! Units as other tools write them: which of them are one, and how many of one are another.

/// Spellings, and how many of the kind's smallest unit one is. Each is a multiple of those above
/// it. `kB`, `KB` and `MB` are missing: they mean 1000 to some and 1024 to others.
const TIMES: [(&[&str], u64); 6] = [
    (&["ns", "nsec", "nanosecond", "nanoseconds"], 1),
    (
        &["us", "µs", "μs", "usec", "microsecond", "microseconds"],
        1_000,
    ),
    (&["ms", "msec", "millisecond", "milliseconds"], 1_000_000),
    (&["s", "sec", "secs", "second", "seconds"], 1_000_000_000),
    (&["min", "minute", "minutes"], 60_000_000_000),
    (&["h", "hour", "hours"], 3_600_000_000_000),
];
const BYTES: [(&[&str], u64); 5] = [
    (&["B", "byte", "bytes"], 1),
    (&["KiB"], 1 << 10),
    (&["MiB"], 1 << 20),
    (&["GiB"], 1 << 30),
    (&["TiB"], 1 << 40),
];

/// Whether a text is a unit that is known here.
pub(crate) fn is_unit(text: &str) -> bool {
    let all = TIMES.iter().chain(&BYTES);
    all.flat_map(|(spellings, _)| *spellings)
        .any(|unit| *unit == text)
}

/// A value in another unit; none where it is not certain how many of one the other is.
pub(crate) fn converted(value: f64, from: Option<&str>, to: Option<&str>) -> Option<f64> {
    if from == to {
        return Some(value);
    }
    let (from, to) = (from?, to?);
    let size = |kind: &[(&[&str], u64)], unit: &str| {
        let mut all = kind.iter();
        let found = all.find(|(spellings, _)| spellings.contains(&unit))?;
        Some(found.1)
    };
    let (from, to) = [&TIMES[..], &BYTES[..]]
        .iter()
        .find_map(|kind| Some((size(kind, from)?, size(kind, to)?)))?;
    #[expect(clippy::cast_precision_loss, reason = "all are far below 2^53")]
    let ratio = |more: u64, less: u64| (more / less) as f64;
    // One rounding, whichever is larger: 0.11 s are 110 ms.
    Some(if from >= to {
        value * ratio(from, to)
    } else {
        value / ratio(to, from)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_of_one_kind_are_converted_and_no_others() {
        for (value, from, to, expected) in [
            (0.11, "s", "ms", 110.0),
            (110.0, "ms", "s", 0.11),
            (1.5, "min", "seconds", 90.0),
            (2.0, "h", "min", 120.0),
            (7.0, "µs", "μs", 7.0),
            (7.0, "usec", "ns", 7000.0),
            (3.0, "MiB", "KiB", 3072.0),
            (512.0, "byte", "KiB", 0.5),
            (5.0, "ops/s", "ops/s", 5.0),
        ] {
            let found = converted(value, Some(from), Some(to));
            assert_eq!(found, Some(expected), "{value} {from} in {to}");
        }
        for (from, to) in [
            ("s", "B"),
            ("MB", "MiB"),
            ("kB", "B"),
            ("ops/s", "s"),
            ("S", "s"),
        ] {
            assert_eq!(converted(1.0, Some(from), Some(to)), None, "{from} in {to}");
        }
        assert_eq!(converted(1.0, None, None), Some(1.0));
        assert_eq!(converted(1.0, Some("s"), None), None);
        assert_eq!(converted(1.0, None, Some("s")), None);
    }

    #[test]
    fn each_unit_is_a_multiple_of_the_smaller_ones() {
        for kind in [&TIMES[..], &BYTES[..]] {
            assert!(kind.windows(2).all(|two| two[1].1 % two[0].1 == 0));
        }
    }
}
