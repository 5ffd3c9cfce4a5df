//! How serde writes paths, arguments and variables down without loss: as [`OsText`] does.

use std::ffi::{OsStr, OsString};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::OsText;

/// One path or argument: `#[serde(with = "lossless::one")]`.
pub mod one {
    use super::{Deserialize, Deserializer, OsStr, OsString, OsText, Serialize, Serializer};

    /// Writes it down.
    ///
    /// # Errors
    ///
    /// Those of the serializer.
    pub fn serialize<T: AsRef<OsStr>, S: Serializer>(text: &T, to: S) -> Result<S::Ok, S::Error> {
        OsText::from(text.as_ref()).serialize(to)
    }

    /// Reads it back.
    ///
    /// # Errors
    ///
    /// When it is neither a string nor a list of bytes.
    pub fn deserialize<'de, T: From<OsString>, D: Deserializer<'de>>(
        from: D,
    ) -> Result<T, D::Error> {
        Ok(T::from(OsText::deserialize(from)?.into_os_string()))
    }
}

/// A list of them.
pub mod many {
    use super::{Deserialize, Deserializer, OsStr, OsString, OsText, Serialize, Serializer};

    /// Writes it down.
    ///
    /// # Errors
    ///
    /// Those of the serializer.
    pub fn serialize<T: AsRef<OsStr>, S: Serializer>(
        texts: &[T],
        to: S,
    ) -> Result<S::Ok, S::Error> {
        texts
            .iter()
            .map(|text| OsText::from(text.as_ref()))
            .collect::<Vec<_>>()
            .serialize(to)
    }

    /// Reads it back.
    ///
    /// # Errors
    ///
    /// When it is neither a string nor a list of bytes.
    pub fn deserialize<'de, T: From<OsString>, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Vec<T>, D::Error> {
        Ok(Vec::<OsText>::deserialize(from)?
            .into_iter()
            .map(|text| T::from(text.into_os_string()))
            .collect())
    }
}

/// Names with values, such as variables.
pub mod named {
    use super::{Deserialize, Deserializer, OsString, OsText, Serialize, Serializer};

    /// Writes it down.
    ///
    /// # Errors
    ///
    /// Those of the serializer.
    pub fn serialize<S: Serializer>(
        pairs: &[(String, OsString)],
        to: S,
    ) -> Result<S::Ok, S::Error> {
        pairs
            .iter()
            .map(|(name, value)| (name, OsText::from(value)))
            .collect::<Vec<_>>()
            .serialize(to)
    }

    /// Reads it back.
    ///
    /// # Errors
    ///
    /// When it is neither a string nor a list of bytes.
    pub fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Vec<(String, OsString)>, D::Error> {
        Ok(Vec::<(String, OsText)>::deserialize(from)?
            .into_iter()
            .map(|(name, value)| (name, value.into_os_string()))
            .collect())
    }
}

/// The same, with names that need not be text.
pub mod pairs {
    use super::{Deserialize, Deserializer, OsString, OsText, Serialize, Serializer};

    /// Writes it down.
    ///
    /// # Errors
    ///
    /// Those of the serializer.
    pub fn serialize<S: Serializer>(
        pairs: &[(OsString, OsString)],
        to: S,
    ) -> Result<S::Ok, S::Error> {
        pairs
            .iter()
            .map(|(name, value)| (OsText::from(name), OsText::from(value)))
            .collect::<Vec<_>>()
            .serialize(to)
    }

    /// Reads it back.
    ///
    /// # Errors
    ///
    /// When it is neither a string nor a list of bytes.
    pub fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Vec<(OsString, OsString)>, D::Error> {
        Ok(Vec::<(OsText, OsText)>::deserialize(from)?
            .into_iter()
            .map(|(name, value)| (name.into_os_string(), value.into_os_string()))
            .collect())
    }
}

/// One that may be absent.
pub mod maybe {
    use super::{Deserialize, Deserializer, OsStr, OsString, OsText, Serialize, Serializer};

    /// Writes it down.
    ///
    /// # Errors
    ///
    /// Those of the serializer.
    pub fn serialize<T: AsRef<OsStr>, S: Serializer>(
        text: &Option<T>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        text.as_ref()
            .map(|text| OsText::from(text.as_ref()))
            .serialize(to)
    }

    /// Reads it back.
    ///
    /// # Errors
    ///
    /// When it is neither a string nor a list of bytes.
    pub fn deserialize<'de, T: From<OsString>, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<T>, D::Error> {
        Ok(Option::<OsText>::deserialize(from)?.map(|text| T::from(text.into_os_string())))
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStrExt;

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
