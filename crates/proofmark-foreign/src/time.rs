//! Times as other tools write them.

use std::time::UNIX_EPOCH;

/// From here on a number counts milliseconds: as seconds it would be in the year 5138.
const MILLISECONDS_FROM: f64 = 1e11;

/// Milliseconds since 1970-01-01 UTC, of seconds or milliseconds since then, or of a date with or
/// without a time (RFC 3339, or with a space; UTC where nothing else is said). None of anything
/// else.
pub(crate) fn parsed(text: &str) -> Option<i64> {
    let text = text.trim();
    if let Ok(number) = text.parse::<f64>() {
        return of_number(number);
    }
    let day = text.len() == "2026-01-31".len();
    let whole = if day {
        format!("{text}T00:00:00Z")
    } else {
        // `+00:00` says the same as `Z`.
        text.strip_suffix("+00:00").unwrap_or(text).to_owned()
    };
    let time = humantime::parse_rfc3339_weak(&whole).ok()?;
    let since = time.duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since.as_millis()).ok()
}

/// The same of a number.
pub(crate) fn of_number(number: f64) -> Option<i64> {
    let ms = if number.abs() < MILLISECONDS_FROM {
        number * 1000.0
    } else {
        number
    };
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a range of years that fits"
    )]
    (ms.is_finite() && ms.abs() < 1e15).then(|| ms.round() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_tools_write_them() {
        let expected = Some(1_704_074_400_000);
        for text in [
            "1704074400",
            "1704074400000",
            "2024-01-01T02:00:00Z",
            "2024-01-01 02:00:00",
            "2024-01-01T02:00:00+00:00",
        ] {
            assert_eq!(parsed(text), expected, "{text}");
        }
        assert_eq!(parsed("2024-01-01"), Some(1_704_067_200_000));
        for text in ["", "yesterday", "2024-13-01", "nan", "1e300"] {
            assert_eq!(parsed(text), None, "{text}");
        }
    }
}
