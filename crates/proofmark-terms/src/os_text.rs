//! Arguments, paths and environment as the kernel knows them (bytes), written down without loss.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use serde::{Deserialize, Serialize};

/// A string of the operating system. In JSON a string where it is UTF-8, and an array of bytes
/// where it is not.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub struct OsText(OsString);

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
    /// The bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    /// As the kernel takes it.
    #[must_use]
    pub fn into_os_string(self) -> OsString {
        self.0
    }

    /// For people: bytes that are not UTF-8 are replaced.
    #[must_use]
    pub fn display(&self) -> std::borrow::Cow<'_, str> {
        self.0.to_string_lossy()
    }
}
