//! How serde writes integers of all 64 bits down: as decimal text, for a JSON number is a double to
//! most who read it.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Writes it down: `#[serde(with = "exact")]`.
///
/// # Errors
///
/// Those of the serializer.
pub fn serialize<S: Serializer>(number: &u64, to: S) -> Result<S::Ok, S::Error> {
    number.to_string().serialize(to)
}

/// Reads it back.
///
/// # Errors
///
/// When it is no text, or the text is no number below 2⁶⁴.
pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    let text = String::deserialize(from)?;
    text.parse()
        .map_err(|error| D::Error::custom(format!("`{text}` is no 64-bit number: {error}")))
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Seeded {
        #[serde(with = "crate::exact")]
        seed: u64,
    }

    #[test]
    fn all_its_bits_come_back() {
        for seed in [0, 1, u64::MAX, (1 << 53) + 1] {
            let text = crate::canonical::text(&Seeded { seed }).unwrap();
            assert_eq!(text, format!(r#"{{"seed":"{seed}"}}"#));
            assert_eq!(
                serde_json::from_str::<Seeded>(&text).unwrap(),
                Seeded { seed }
            );
        }
        for wrong in [r#"{"seed":7}"#, r#"{"seed":"-1"}"#, r#"{"seed":"1.0"}"#] {
            assert!(serde_json::from_str::<Seeded>(wrong).is_err(), "{wrong}");
        }
    }
}
