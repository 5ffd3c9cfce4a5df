//! Values with units, as they are typed.

use std::ffi::{OsStr, OsString};
use std::time::Duration;

use proofmark_terms::OsText;

/// A share: `1%`, `0.5 %` or `0.01`.
pub(super) fn share(text: &str) -> Result<f64, String> {
    let trimmed = text.trim();
    let (number, scale) = match trimmed.strip_suffix('%') {
        Some(number) => (number.trim(), 100.0),
        None => (trimmed, 1.0),
    };
    let given: f64 = number
        .parse()
        .map_err(|_| format!("`{text}` is not a share such as 1% or 0.01"))?;
    let value = given / scale;
    if value > 0.0 && value < 1.0 {
        return Ok(value);
    }
    let meant = given.abs();
    let percent = trimmed.ends_with('%');
    Err(match value {
        value if value < 0.0 && (percent || meant >= 1.0) && meant < 100.0 => {
            format!("a share has no sign: write {meant}%")
        }
        value if value >= 1.0 && !percent && meant < 100.0 => {
            format!("`{trimmed}` would be {} %: write {meant}%", meant * 100.0)
        }
        _ => format!(
            "`{trimmed}` is not between 0 and 100 %: write 1%, or another share such as 0.5%"
        ),
    })
}

/// A length of time: `60s`, `2m`, `500ms`.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let value = humantime::parse_duration(text)
        .map_err(|error| format!("{error}; try 60s, 2m or 500ms"))?;
    if value.is_zero() {
        Err("must be longer than nothing".to_owned())
    } else {
        Ok(value)
    }
}

/// A range of blocks: `8..60`, or one number for exactly so many.
pub(super) fn blocks(text: &str) -> Result<(u32, u32), String> {
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
pub(super) fn seed(text: &str) -> Result<u64, String> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    }
    .map_err(|_| {
        format!("`{text}` is not a seed: a whole number, or 0x and up to 16 hexadecimal digits")
    })
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
    fn shares_are_read_with_and_without_a_sign() {
        assert_eq!(share("1%"), Ok(0.01));
        assert_eq!(share("0.5 %"), Ok(0.005));
        assert_eq!(share("0.02"), Ok(0.02));
        for wrong in ["", "%", "0", "100%", "-1%", "nan", "1 percent"] {
            assert!(share(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_share_that_is_none_is_told_as_it_was_meant() {
        let told = |text| share(text).unwrap_err();
        assert_eq!(told("1"), "`1` would be 100 %: write 1%");
        assert_eq!(told("5"), "`5` would be 500 %: write 5%");
        assert_eq!(told("-1%"), "a share has no sign: write 1%");
        assert_eq!(told("-2"), "a share has no sign: write 2%");
        assert!(told("0").ends_with("write 1%, or another share such as 0.5%"));
        assert!(told("100%").contains("between 0 and 100 %"));
    }

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
