//! Paths, arguments and variables as the kernel knows them (bytes), written down without loss.
//!
//! The same form as `OsText` of the instrument, written again here because capturing knows nothing of measuring.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A string of the operating system. In JSON a string where it is UTF-8, and an array of bytes where it is not.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub(crate) struct OsText(OsString);

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Text(String),
    Bytes(Vec<u8>),
}

impl From<Written> for OsText {
    fn from(written: Written) -> Self {
        OsText(match written {
            Written::Text(text) => text.into(),
            Written::Bytes(bytes) => OsString::from_vec(bytes),
        })
    }
}

impl From<OsText> for Written {
    fn from(text: OsText) -> Self {
        match text.0.into_string() {
            Ok(text) => Written::Text(text),
            Err(raw) => Written::Bytes(raw.into_vec()),
        }
    }
}

impl<T: Into<OsString>> From<T> for OsText {
    fn from(text: T) -> Self {
        OsText(text.into())
    }
}

impl AsRef<OsStr> for OsText {
    fn as_ref(&self) -> &OsStr {
        &self.0
    }
}

impl OsText {
    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

/// One path or argument: `#[serde(with = "lossless::one")]`.
pub(crate) mod one {
    use super::{Deserialize, Deserializer, OsStr, OsString, OsText, Serialize, Serializer};

    pub(crate) fn serialize<T: AsRef<OsStr>, S: Serializer>(
        text: &T,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        OsText::from(text.as_ref()).serialize(to)
    }

    pub(crate) fn deserialize<'de, T: From<OsString>, D: Deserializer<'de>>(
        from: D,
    ) -> Result<T, D::Error> {
        Ok(T::from(OsText::deserialize(from)?.0))
    }
}

/// A list of them.
pub(crate) mod many {
    use super::{Deserialize, Deserializer, OsStr, OsString, OsText, Serialize, Serializer};

    pub(crate) fn serialize<T: AsRef<OsStr>, S: Serializer>(
        texts: &[T],
        to: S,
    ) -> Result<S::Ok, S::Error> {
        texts
            .iter()
            .map(|text| OsText::from(text.as_ref()))
            .collect::<Vec<_>>()
            .serialize(to)
    }

    pub(crate) fn deserialize<'de, T: From<OsString>, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Vec<T>, D::Error> {
        Ok(Vec::<OsText>::deserialize(from)?
            .into_iter()
            .map(|text| T::from(text.0))
            .collect())
    }
}

/// Names with values, such as variables.
pub(crate) mod pairs {
    use super::{Deserialize, Deserializer, OsString, OsText, Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer>(
        pairs: &[(String, OsString)],
        to: S,
    ) -> Result<S::Ok, S::Error> {
        pairs
            .iter()
            .map(|(name, value)| (name, OsText::from(value)))
            .collect::<Vec<_>>()
            .serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Vec<(String, OsString)>, D::Error> {
        Ok(Vec::<(String, OsText)>::deserialize(from)?
            .into_iter()
            .map(|(name, value)| (name, value.0))
            .collect())
    }
}

/// One that may be absent.
pub(crate) mod maybe {
    use super::{Deserialize, Deserializer, OsStr, OsString, OsText, Serialize, Serializer};

    pub(crate) fn serialize<T: AsRef<OsStr>, S: Serializer>(
        text: &Option<T>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        text.as_ref()
            .map(|text| OsText::from(text.as_ref()))
            .serialize(to)
    }

    pub(crate) fn deserialize<'de, T: From<OsString>, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<T>, D::Error> {
        Ok(Option::<OsText>::deserialize(from)?.map(|text| T::from(text.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_text_come_back() {
        for raw in [
            &b"plain"[..],
            b"",
            b"sp ace\n\"",
            b"\xff\x00\xfe",
            "größe".as_bytes(),
        ] {
            let text = OsText::from(OsStr::from_bytes(raw));
            let back: OsText =
                serde_json::from_str(&serde_json::to_string(&text).unwrap()).unwrap();
            assert_eq!(back.as_bytes(), raw);
        }
    }
}
