//! Times as other tools write them.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::fmt::{rfc2822, strtime};
use jiff::tz::TimeZone;

/// A number of ten digits counts seconds since 1970; with three, six or nine digits more it counts
/// milliseconds, microseconds or nanoseconds. So a number stands for a time between 2001 and 2286,
/// and a duration or a count, which are mostly smaller, is not taken for one.
const SECONDS: std::ops::Range<f64> = 1e9..1e10;

/// With an offset from UTC: what `git log` and `hg log` write, and Apache Otava's samples.
const WITH_OFFSET: [&str; 5] = [
    "%Y-%m-%d %H:%M:%S%.f %z",
    "%Y-%m-%d %H:%M %z",
    "%Y.%m.%d %H:%M:%S%.f %z",
    "%Y/%m/%d %H:%M:%S%.f %z",
    "%a %b %d %H:%M:%S %Y %z",
];

/// Of UTC, which is named.
const OF_UTC: [&str; 1] = ["%Y-%m-%d %H:%M:%S%.f UTC"];

/// Without an offset.
const WITHOUT: [&str; 2] = ["%Y.%m.%d %H:%M:%S%.f", "%Y/%m/%d %H:%M:%S%.f"];

/// Dates alone.
const DATES: [&str; 2] = ["%Y.%m.%d", "%Y/%m/%d"];

/// The forms that are read, for those who wrote another one.
pub(crate) const FORMS: &str = "write times as 2026-01-31T10:00:00+02:00 or 2026-01-31, or as \
    seconds since 1970, or call the column something else";

/// A moment, and whether the text alone says which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Time {
    /// Milliseconds since 1970-01-01 UTC.
    pub(crate) ms: i64,
    /// The text has an offset from UTC, or counts from 1970. Where it has not, UTC is assumed, and
    /// the time is to be held only against others that have none.
    pub(crate) certain: bool,
}

impl Time {
    fn certain(time: Timestamp) -> Time {
        Time {
            ms: time.as_millisecond(),
            certain: true,
        }
    }

    fn assumed(time: DateTime) -> Option<Time> {
        let time = time.to_zoned(TimeZone::UTC).ok()?;
        Some(Time {
            ms: time.timestamp().as_millisecond(),
            certain: false,
        })
    }
}

/// Why times do not say in which order what they are of was; positions among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Disorder {
    /// The first is a moment, and the second the time of a clock in a place that is not known.
    Mixed(usize, usize),
    /// This one is missing, and the others are not in the order of their times, so that nobody
    /// knows where it belongs.
    Missing(usize),
}

/// What is wrong with times, in the order in which they were found.
pub(crate) fn disorder(times: &[Option<Time>]) -> Option<Disorder> {
    let one_that = |certain: bool| {
        let is = |time: &Option<Time>| time.is_some_and(|time| time.certain == certain);
        times.iter().position(is)
    };
    if let (Some(one), Some(other)) = (one_that(true), one_that(false)) {
        return Some(Disorder::Mixed(one, other));
    }
    let missing = times.iter().position(Option::is_none)?;
    let in_order = times.iter().flatten().is_sorted_by_key(|time| time.ms);
    (!in_order).then_some(Disorder::Missing(missing))
}

/// The time that a text stands for; none where it stands for none, or for one of several (as
/// 01/02/2026 does).
pub(crate) fn parsed(text: &str) -> Option<Time> {
    let text = text.trim();
    if text.parse::<f64>().is_ok() {
        return of_digits(text);
    }
    let first = |forms: &[&str]| {
        let mut read = forms.iter().map(|form| strtime::parse(form, text));
        read.find_map(Result::ok)
    };
    if let Ok(time) = text.parse::<Timestamp>() {
        return Some(Time::certain(time));
    }
    if let Some(time) = first(&WITH_OFFSET) {
        return time.to_timestamp().ok().map(Time::certain);
    }
    if let Ok(time) = rfc2822::DateTimeParser::new().parse_timestamp(text) {
        return Some(Time::certain(time));
    }
    if let Some(time) = first(&OF_UTC) {
        let time = Time::assumed(time.to_datetime().ok()?)?;
        return Some(Time {
            certain: true,
            ..time
        });
    }
    if let Some(time) = first(&WITHOUT) {
        return Time::assumed(time.to_datetime().ok()?);
    }
    if let Some(time) = first(&DATES) {
        return Time::assumed(time.to_date().ok()?.into());
    }
    Time::assumed(text.parse::<DateTime>().ok()?)
}

/// The same of a text that is a number.
fn of_digits(text: &str) -> Option<Time> {
    if text.len() == "20260131".len() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Time::assumed(text.parse::<Date>().ok()?.into());
    }
    let number: f64 = text.parse().ok()?;
    let scale = [1e3, 1.0, 1e-3, 1e-6].into_iter();
    let mut ms = scale.map(|scale| number * scale);
    let ms = ms.find(|ms| SECONDS.contains(&(ms / 1e3)))?;
    Some(Time {
        ms: rounded(ms),
        certain: true,
    })
}

/// The time of a number of milliseconds since 1970-01-01 UTC.
pub(crate) fn of_ms(ms: f64) -> Option<i64> {
    (ms.is_finite() && ms.abs() < 1e15).then(|| rounded(ms))
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "all callers hold it below 1e15"
)]
fn rounded(ms: f64) -> i64 {
    ms.round() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_that_say_no_order_are_known() {
        let of = |texts: &[&str]| {
            let times: Vec<Option<Time>> = texts.iter().map(|text| parsed(text)).collect();
            disorder(&times)
        };
        assert_eq!(of(&["2026-01-02", "2026-01-01"]), None);
        assert_eq!(of(&["2026-01-01", "", "2026-01-02"]), None);
        assert_eq!(of(&["", ""]), None);
        let missing = of(&["2026-01-02", "", "2026-01-01"]);
        assert_eq!(missing, Some(Disorder::Missing(1)));
        let mixed = of(&["2026-01-01T10:00:00", "2026-01-01T10:00:00+02:00"]);
        assert_eq!(mixed, Some(Disorder::Mixed(1, 0)));
    }

    #[test]
    fn times_are_read_as_tools_write_them() {
        // date -u -d 2024-01-01T02:00:00Z +%s
        let ms = 1_704_074_400_000;
        for text in [
            "1704074400",
            "1704074400.0",
            "1704074400000",
            "1704074400000000",
            "1704074400000000000",
            "2024-01-01T02:00:00Z",
            "2024-01-01T02:00:00.000Z",
            "2024-01-01T02:00:00+00:00",
            "2024-01-01T04:00:00+02:00",
            "2023-12-31T18:00:00-08:00",
            "2024-01-01T07:30:00+05:30",
            "2024-01-01 04:00:00 +0200",
            "2024-01-01 04:00:00+02:00",
            "2024-01-01 04:00 +0200",
            "2024-01-01T04:00:00+0200",
            "20240101T020000Z",
            "2024.01.01 3:00:00 +0100",
            "2024/01/01 03:00:00 +0100",
            "Mon Jan 1 04:00:00 2024 +0200",
            "Mon, 1 Jan 2024 04:00:00 +0200",
            "2024-01-01 02:00:00 UTC",
        ] {
            assert_eq!(parsed(text), Some(Time { ms, certain: true }), "{text}");
        }
        for text in [
            "2024-01-01T02:00:00",
            "2024-01-01 02:00:00",
            "2024-01-01 02:00:00.000000",
            "2024-01-01 02:00",
            "2024.01.01 2:00:00",
        ] {
            let certain = false;
            assert_eq!(parsed(text), Some(Time { ms, certain }), "{text}");
        }
        let ms = 1_704_067_200_000;
        for text in ["2024-01-01", "20240101", "2024.01.01", "2024/01/01"] {
            let certain = false;
            assert_eq!(parsed(text), Some(Time { ms, certain }), "{text}");
        }
    }

    #[test]
    fn what_is_no_time_or_could_be_several_is_none() {
        for text in [
            "",
            "yesterday",
            "2024-13-01",
            "20241301",
            "nan",
            "inf",
            "1e300",
            "01/02/2026",
            "31.01.2026",
            "10:00",
            "2024",
            "1.5",
            "0",
            "-1704074400",
            "17040744000",
            "20240101020000",
            "2024-01-01T02:00:00+99:00",
            "2024-01-01T02:00:00 CEST",
            "Tue Jan 1 04:00:00 2024 +0200",
        ] {
            assert_eq!(parsed(text), None, "{text}");
        }
    }
}
