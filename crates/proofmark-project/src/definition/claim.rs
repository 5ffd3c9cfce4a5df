//! `[claim]`: an effect that somebody states.

use std::fmt;

use proofmark_terms::Share;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::Names;

/// A stated effect: this cell is faster than that one by at least so much.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimDefinition {
    /// The cell that is said to be faster.
    pub new: String,
    /// The cell that it was said to be faster than; the claim is judged against every baseline as
    /// well.
    #[serde(default)]
    pub base: Option<String>,
    /// By how much at least: 0.05 for 5 %, 1 for twice as fast. Any gain at all when absent.
    #[serde(default, deserialize_with = "share")]
    pub at_least: f64,
    /// The benchmarks that it is about; all of them when empty.
    #[serde(default)]
    pub benchmarks: Names,
}

/// The largest gain that can be claimed, in percent: a million times as fast.
const MOST: f64 = 1e8;

/// `"5%"`, `"0.05"` or `0.05`; `"100%"` and more.
pub(super) fn share<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    struct Given;

    impl Visitor<'_> for Given {
        type Value = f64;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a share such as \"5%\"")
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<f64, E> {
            // Twice as fast is 100 % faster.
            let percent = text.trim().strip_suffix('%').map(str::trim_end);
            let percent = percent.and_then(|number| number.parse::<f64>().ok());
            match percent.filter(|percent| *percent >= 100.0) {
                Some(percent) if percent <= MOST => Ok(percent / 100.0),
                Some(_) => Err(E::custom(format!("no more than {MOST}% can be claimed"))),
                None => text
                    .parse::<Share>()
                    .map_err(E::custom)
                    .and_then(|share| self.visit_f64(share.get())),
            }
        }

        fn visit_f64<E: Error>(self, value: f64) -> Result<f64, E> {
            if (0.0..1.0).contains(&value) {
                Ok(value)
            } else {
                let percent = (value.abs() * 100.0).max(5.0);
                Err(E::custom(format!(
                    "{value} is no share between 0 and 1; write \"{percent}%\""
                )))
            }
        }

        fn visit_i64<E: Error>(self, value: i64) -> Result<f64, E> {
            if value == 0 {
                return Ok(0.0);
            }
            Err(E::custom(format!("write \"{value}%\" for {value} percent")))
        }
    }

    deserializer.deserialize_any(Given)
}
