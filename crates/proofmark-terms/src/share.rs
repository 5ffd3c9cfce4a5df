//! A part of a whole, and the one way in which shares are read: `1%`, `0.5 %` or `0.01`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A part of a whole, 0 to 1: 0.01 is 1 %.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Share(f64);

impl Share {
    /// `None` unless it lies between 0 and 1, both included.
    #[must_use]
    pub fn new(value: f64) -> Option<Self> {
        (0.0..=1.0).contains(&value).then_some(Share(value))
    }

    /// 0 to 1.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }

    /// Reads a share that is neither nothing nor all, such as a margin.
    ///
    /// # Errors
    ///
    /// When it is no number, or not between 0 and 100 %, both excluded.
    pub fn between(text: &str) -> Result<Self, ShareError> {
        let typed = Typed::read(text)?;
        let inside = typed.value() > 0.0 && typed.value() < 1.0;
        inside
            .then_some(Share(typed.value()))
            .ok_or_else(|| typed.outside())
    }
}

impl FromStr for Share {
    type Err = ShareError;

    fn from_str(text: &str) -> Result<Self, ShareError> {
        let typed = Typed::read(text)?;
        Share::new(typed.value()).ok_or_else(|| typed.outside())
    }
}

impl TryFrom<f64> for Share {
    type Error = ShareError;

    fn try_from(value: f64) -> Result<Self, ShareError> {
        Share::new(value).ok_or_else(|| ShareError::Outside(value.to_string()))
    }
}

impl From<Share> for f64 {
    fn from(share: Share) -> f64 {
        share.0
    }
}

/// Why a text is no share.
#[derive(Clone, Debug, PartialEq)]
pub enum ShareError {
    /// It is no number.
    NoNumber(String),
    /// It is below nothing; without the sign, in per cent, it may be what was meant.
    Signed(f64),
    /// It is all or more, and in per cent it may be what was meant.
    Percent {
        /// As typed.
        text: String,
        /// The number, which may be meant as a percentage.
        meant: f64,
    },
    /// It is not between 0 and 100 %.
    Outside(String),
}

impl fmt::Display for ShareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ShareError::NoNumber(text) => write!(f, "`{text}` is not a share such as 1% or 0.01"),
            ShareError::Signed(meant) => write!(f, "a share has no sign: write {meant}%"),
            ShareError::Percent { text, meant } => {
                write!(f, "`{text}` would be {} %: write {meant}%", meant * 100.0)
            }
            ShareError::Outside(text) => write!(
                f,
                "`{text}` is not between 0 and 100 %: write 1%, or another share such as 0.5%"
            ),
        }
    }
}

impl std::error::Error for ShareError {}

/// A number as it was typed.
struct Typed<'a> {
    text: &'a str,
    number: f64,
    percent: bool,
}

impl<'a> Typed<'a> {
    fn read(text: &'a str) -> Result<Self, ShareError> {
        let trimmed = text.trim();
        let digits = trimmed.strip_suffix('%');
        let number = digits
            .unwrap_or(trimmed)
            .trim()
            .parse()
            .map_err(|_| ShareError::NoNumber(text.to_owned()))?;
        Ok(Typed {
            text: trimmed,
            number,
            percent: digits.is_some(),
        })
    }

    fn value(&self) -> f64 {
        if self.percent {
            self.number / 100.0
        } else {
            self.number
        }
    }

    fn outside(&self) -> ShareError {
        let meant = self.number.abs();
        if self.number < 0.0 && (self.percent || meant >= 1.0) && meant < 100.0 {
            ShareError::Signed(meant)
        } else if self.number >= 1.0 && !self.percent && meant < 100.0 {
            ShareError::Percent {
                text: self.text.to_owned(),
                meant,
            }
        } else {
            ShareError::Outside(self.text.to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_read_with_and_without_a_sign() {
        let read = |text| Share::between(text).map(Share::get);
        assert_eq!(read("1%"), Ok(0.01));
        assert_eq!(read("0.5 %"), Ok(0.005));
        assert_eq!(read("0.02"), Ok(0.02));
        for wrong in ["", "%", "0", "100%", "-1%", "nan", "1 percent"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn nothing_and_all_are_shares_where_the_ends_are_allowed() {
        for (text, value) in [("0", 0.0), ("0%", 0.0), ("100%", 1.0), ("1", 1.0)] {
            assert_eq!(text.parse(), Ok(Share(value)), "{text}");
        }
        for wrong in ["101%", "1.5", "-0.1", "nan", "inf"] {
            assert!(wrong.parse::<Share>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_share_that_is_none_is_told_as_it_was_meant() {
        let told = |text| Share::between(text).unwrap_err().to_string();
        assert_eq!(told("1"), "`1` would be 100 %: write 1%");
        assert_eq!(told("5"), "`5` would be 500 %: write 5%");
        assert_eq!(told("-1%"), "a share has no sign: write 1%");
        assert_eq!(told("-2"), "a share has no sign: write 2%");
        assert!(told("0").ends_with("write 1%, or another share such as 0.5%"));
        assert!(told("100%").contains("between 0 and 100 %"));
    }

    #[test]
    fn a_stored_share_is_checked() {
        assert_eq!(serde_json::from_str::<Share>("0.5").unwrap().get(), 0.5);
        assert!(serde_json::from_str::<Share>("1.5").is_err());
        assert_eq!(serde_json::to_string(&Share(0.5)).unwrap(), "0.5");
    }
}
