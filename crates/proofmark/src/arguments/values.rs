//! Values with units, as they are typed.

use std::ffi::{OsStr, OsString};
use std::time::Duration;

use proofmark_terms::{OsText, Share, ShareError};

/// A share that is neither nothing nor all: `1%`, `0.5 %` or `0.01`.
pub(crate) fn share(text: &str) -> Result<f64, ShareError> {
    Share::between(text).map(Share::get)
}

/// The longest time that can be given: a year.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// A length of time: `60s`, `2m`, `500ms`.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let value = humantime::parse_duration(text)
        .map_err(|error| format!("{error}; try 60s, 2m or 500ms"))?;
    if value.is_zero() {
        Err("must be longer than nothing".to_owned())
    } else if value > LONGEST {
        Err("must be a year at most".to_owned())
    } else {
        Ok(value)
    }
}

/// A range of blocks: `8..60`, or one number for exactly so many.
pub(crate) fn blocks(text: &str) -> Result<(u32, u32), String> {
    let number = |part: &str| {
        part.trim()
            .parse::<u32>()
            .map_err(|_| format!("`{text}` is not a range such as 8..60"))
    };
    let (min, max) = match text.split_once("..") {
        Some((min, max)) => (number(min)?, number(max.trim_start_matches('='))?),
        None => (number(text)?, number(text)?),
    };
    if min < 2 {
        return Err("one block has no spread: at least 2 are needed".to_owned());
    }
    if max < min {
        Err(format!("`{text}` ends before it begins"))
    } else {
        Ok((min, max))
    }
}

/// A seed: a number, decimal or hexadecimal with `0x`.
pub(crate) fn seed(text: &str) -> Result<u64, String> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    }
    .map_err(|_| {
        format!("`{text}` is not a seed: a whole number, or 0x and up to 16 hexadecimal digits")
    })
}

/// An address: hexadecimal with `0x`, or decimal.
pub(crate) fn address(text: &str) -> Result<u64, String> {
    let trimmed = text.trim();
    match trimmed.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => trimmed.parse(),
    }
    .map_err(|_| format!("`{trimmed}` is not an address: write 0x180, or a decimal number"))
}

/// A variable of the environment: `NAME=VALUE`.
pub(super) fn variable(text: &OsStr) -> Result<(OsText, OsText), String> {
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    let bytes = text.as_bytes();
    match bytes.iter().position(|&byte| byte == b'=') {
        Some(at) if at > 0 => {
            let (name, value) = (bytes[..at].to_vec(), bytes[at + 1..].to_vec());
            Ok((
                OsString::from_vec(name).into(),
                OsString::from_vec(value).into(),
            ))
        }
        _ => Err(format!("`{}` is not NAME=VALUE", text.to_string_lossy())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_a_range_or_one_number() {
        assert_eq!(blocks("8..60"), Ok((8, 60)));
        assert_eq!(blocks("20"), Ok((20, 20)));
        for wrong in ["", "1..9", "9..8", "a..b", "8..", "..9", "1"] {
            assert!(blocks(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn seeds_are_decimal_or_hexadecimal() {
        assert_eq!(seed("0xff"), Ok(255));
        assert_eq!(seed("12"), Ok(12));
        assert!(seed("0x").is_err() && seed("-1").is_err() && seed("ff").is_err());
    }
}
