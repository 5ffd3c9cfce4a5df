//! Units whose sizes are known: two words of one kind and of different sizes count one thing in two
//! ways, as `us` and `seconds` do.

/// What is counted, and how large one of it is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Sized {
    /// In seconds.
    Time(f64),
    /// In bytes.
    Size(f64),
    /// Powers of ten in words.
    Power(f64),
}

/// Whether two words, or what stands before or behind their strokes, are units of one kind in two
/// sizes.
pub(super) fn differ(one: &str, other: &str) -> bool {
    let (one, of_one) = one.split_once('/').unwrap_or((one, ""));
    let (other, of_other) = other.split_once('/').unwrap_or((other, ""));
    let plain = |one: &str, other: &str| one == other || same_size(one, other) == Some(true);
    let differ = |one: &str, other: &str| same_size(one, other) == Some(false);
    (differ(one, other) && plain(of_one, of_other))
        || (plain(one, other) && differ(of_one, of_other))
}

/// Whether a word is a unit of known size.
pub(super) fn is_known(word: &str) -> bool {
    of(word).is_some()
}

/// Whether two units of one kind are of one size; none where they are not of one kind.
fn same_size(one: &str, other: &str) -> Option<bool> {
    match (of(one)?, of(other)?) {
        (Sized::Time(one), Sized::Time(other))
        | (Sized::Size(one), Sized::Size(other))
        | (Sized::Power(one), Sized::Power(other)) => Some(one.to_bits() == other.to_bits()),
        _ => None,
    }
}

fn of(word: &str) -> Option<Sized> {
    // `Ms` of `elapsedMs`; `MS` is none, and `MB` is another thing than `mb`.
    let mut letters = word.chars();
    let first = letters.next()?;
    let lower = || format!("{}{}", first.to_ascii_lowercase(), letters.as_str());
    let is_name = first.is_ascii_uppercase()
        && !letters.as_str().is_empty()
        && letters.clone().all(|letter| letter.is_ascii_lowercase());
    let word = if is_name { lower() } else { word.to_owned() };
    Some(match word.as_str() {
        "ns" | "nsec" | "nsecs" | "nanos" | "nanosecond" | "nanoseconds" => Sized::Time(1e-9),
        "us" | "µs" | "μs" | "usec" | "usecs" | "micros" | "microsecond" | "microseconds" => {
            Sized::Time(1e-6)
        }
        "ms" | "msec" | "msecs" | "millis" | "millisecond" | "milliseconds" => Sized::Time(1e-3),
        "s" | "sec" | "secs" | "second" | "seconds" => Sized::Time(1.0),
        "m" | "min" | "mins" | "minute" | "minutes" => Sized::Time(60.0),
        "h" | "hr" | "hrs" | "hour" | "hours" => Sized::Time(3600.0),
        "d" | "day" | "days" => Sized::Time(86_400.0),
        "B" | "byte" | "bytes" => Sized::Size(1.0),
        "kB" | "KB" | "kilobytes" => Sized::Size(1e3),
        "KiB" => Sized::Size(1024.0),
        "MB" | "megabytes" => Sized::Size(1e6),
        "MiB" => Sized::Size(1_048_576.0),
        "GB" | "gigabytes" => Sized::Size(1e9),
        "GiB" => Sized::Size(1_073_741_824.0),
        "thousand" | "thousands" => Sized::Power(1e3),
        "million" | "millions" | "mln" | "mio" => Sized::Power(1e6),
        "billion" | "billions" | "bn" => Sized::Power(1e9),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_of_one_kind_differ_by_their_size_alone() {
        for (one, other) in [
            ("seconds", "ms"),
            ("sec", "Millis"),
            ("Us", "Ms"),
            ("KiB", "KB"),
            ("sec/op", "ms/op"),
            ("MB/s", "GB/sec"),
            ("MB/s", "MB/min"),
            ("thousand", "million"),
        ] {
            assert!(differ(one, other) && differ(other, one), "{one} {other}");
        }
        for (one, other) in [
            ("s", "seconds"),
            ("Sec", "s"),
            ("ms", "MB"),
            ("ms/op", "s/byte"),
            ("ms/op", "ms/op"),
            ("time", "ms"),
            ("MS", "us"),
        ] {
            assert!(!differ(one, other), "{one} {other}");
        }
    }
}
