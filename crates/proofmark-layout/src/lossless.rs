//! Paths and arguments as the kernel knows them (bytes), written down without loss: in JSON a string where it is UTF-8, an array of bytes where it is not.
//!
//! The same form as `OsText` of the instrument; written again here because this crate knows nothing of the instrument.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStringExt;

use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Text(String),
    Bytes(Vec<u8>),
}

impl From<&OsStr> for Written {
    fn from(text: &OsStr) -> Self {
        match text.to_os_string().into_string() {
            Ok(text) => Written::Text(text),
            Err(raw) => Written::Bytes(raw.into_vec()),
        }
    }
}

impl From<Written> for OsString {
    fn from(written: Written) -> Self {
        match written {
            Written::Text(text) => text.into(),
            Written::Bytes(bytes) => OsString::from_vec(bytes),
        }
    }
}

/// One path or argument: `#[serde(with = "lossless::one")]`.
pub(crate) mod one {
    use super::{Deserialize, OsStr, OsString, Serialize, Written};

    pub(crate) fn serialize<T: AsRef<OsStr>, S: serde::Serializer>(
        text: &T,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        Written::from(text.as_ref()).serialize(to)
    }

    pub(crate) fn deserialize<'de, T: From<OsString>, D: serde::Deserializer<'de>>(
        from: D,
    ) -> Result<T, D::Error> {
        Ok(T::from(Written::deserialize(from)?.into()))
    }
}

/// A list of paths or arguments.
pub(crate) mod many {
    use super::{Deserialize, OsStr, OsString, Serialize, Written};

    pub(crate) fn serialize<T: AsRef<OsStr>, S: serde::Serializer>(
        texts: &[T],
        to: S,
    ) -> Result<S::Ok, S::Error> {
        texts
            .iter()
            .map(|text| Written::from(text.as_ref()))
            .collect::<Vec<_>>()
            .serialize(to)
    }

    pub(crate) fn deserialize<'de, T: From<OsString>, D: serde::Deserializer<'de>>(
        from: D,
    ) -> Result<Vec<T>, D::Error> {
        Ok(Vec::<Written>::deserialize(from)?
            .into_iter()
            .map(|text| T::from(text.into()))
            .collect())
    }
}

/// Pairs, such as variables of an environment with their values.
pub(crate) mod pairs {
    use super::{Deserialize, OsString, Serialize, Written};

    pub(crate) fn serialize<S: serde::Serializer>(
        pairs: &[(OsString, OsString)],
        to: S,
    ) -> Result<S::Ok, S::Error> {
        pairs
            .iter()
            .map(|(name, value)| {
                (
                    Written::from(name.as_os_str()),
                    Written::from(value.as_os_str()),
                )
            })
            .collect::<Vec<_>>()
            .serialize(to)
    }

    pub(crate) fn deserialize<'de, D: serde::Deserializer<'de>>(
        from: D,
    ) -> Result<Vec<(OsString, OsString)>, D::Error> {
        Ok(Vec::<(Written, Written)>::deserialize(from)?
            .into_iter()
            .map(|(name, value)| (name.into(), value.into()))
            .collect())
    }
}
