//! Times and moments for people, and moments for programs.

use serde::Serializer;

use crate::text::TIE;

/// A time, given in milliseconds: `0.6 s`, `21 s`, `3 min 20 s`, `1 h 5 min`.
pub(crate) fn duration(milliseconds: u64) -> String {
    let seconds = milliseconds.saturating_add(500) / 1000;
    match milliseconds {
        0..9_950 => format!(
            "{}.{}{TIE}s",
            (milliseconds + 50) / 1000,
            (milliseconds + 50) % 1000 / 100
        ),
        9_950..59_500 => format!("{seconds}{TIE}s"),
        59_500..3_599_500 => format!("{}{TIE}min{TIE}{}{TIE}s", seconds / 60, seconds % 60),
        _ => format!(
            "{}{TIE}h{TIE}{}{TIE}min",
            seconds / 3600,
            seconds % 3600 / 60
        ),
    }
}

/// A time, given in seconds, roughly: `0.4 s`, `12 s`, `3 min`.
pub(crate) fn seconds(seconds: f64) -> String {
    if seconds < 9.95 {
        format!("{seconds:.1}{TIE}s")
    } else if seconds < 100.0 {
        format!("{seconds:.0}{TIE}s")
    } else {
        format!("{:.0}{TIE}min", seconds / 60.0)
    }
}

/// A slice, given in microseconds, in milliseconds: `4 ms`, `0.5 ms`.
pub(crate) fn slice(microseconds: u64) -> String {
    let text = format!("{}.{:03}", microseconds / 1000, microseconds % 1000);
    format!(
        "{}{TIE}ms",
        text.trim_end_matches('0').trim_end_matches('.')
    )
}

/// A moment, given in milliseconds since 1970-01-01 UTC: `2026-11-21 20:14`.
pub(crate) fn minute(milliseconds: u64) -> String {
    let text = rfc3339(milliseconds);
    text.get(..16)
        .map_or(text.clone(), |minute| minute.replace('T', " "))
}

/// [`rfc3339`] in a document.
pub(crate) fn as_rfc3339<S: Serializer>(milliseconds: &u64, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&rfc3339(*milliseconds))
}

/// A moment, given in milliseconds since 1970-01-01 UTC: `2026-11-21T20:14:05Z`.
pub(crate) fn rfc3339(milliseconds: u64) -> String {
    // The last second that has four digits of years; a clock beyond it is shown as that.
    const LAST: u64 = 253_402_300_799;
    let since = std::time::Duration::from_secs((milliseconds / 1000).min(LAST));
    humantime::format_rfc3339_seconds(std::time::UNIX_EPOCH + since).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::untied;

    #[test]
    fn times_and_moments() {
        let plain = |text: String| untied(&text);
        assert_eq!(
            [4000, 500, 12_500].map(|s| plain(slice(s))),
            ["4 ms", "0.5 ms", "12.5 ms"]
        );
        assert_eq!(
            [640, 9_950, 21_000, 59_999, 200_000, 3_900_000].map(|ms| plain(duration(ms))),
            [
                "0.6 s",
                "10 s",
                "21 s",
                "1 min 0 s",
                "3 min 20 s",
                "1 h 5 min"
            ]
        );
        assert_eq!(minute(1_795_292_045_000), "2026-11-21 20:14");
        assert_eq!(rfc3339(u64::MAX), "9999-12-31T23:59:59Z");
    }
}
