//! Names that are made of what they name: hashes of contents, and of captured builds.

use std::borrow::Borrow;
use std::ffi::OsStr;
use std::fmt;
use std::ops::Deref;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

/// Digits of a digest: two for each byte of BLAKE3.
const DIGITS: usize = 2 * blake3::OUT_LEN;

/// A text that was taken for a digest and is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotADigest {
    /// The text.
    pub text: String,
}

impl fmt::Display for NotADigest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = &self.text;
        write!(
            formatter,
            "`{text}` is no digest, which has {DIGITS} hexadecimal digits in lower case"
        )
    }
}

impl std::error::Error for NotADigest {}

/// What every name has: it is read as its text.
macro_rules! text {
    ($name:ident) => {
        impl $name {
            /// The text of it.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl Deref for $name {
            type Target = str;

            fn deref(&self) -> &str {
                &self.0
            }
        }

        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl AsRef<OsStr> for $name {
            fn as_ref(&self) -> &OsStr {
                self.0.as_ref()
            }
        }

        impl From<$name> for String {
            fn from(name: $name) -> String {
                name.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.pad(&self.0)
            }
        }

        impl PartialEq<str> for $name {
            fn eq(&self, other: &str) -> bool {
                self.0 == other
            }
        }

        impl PartialEq<&str> for $name {
            fn eq(&self, other: &&str) -> bool {
                self.0 == *other
            }
        }
    };
}

/// A digest: made of a hash, or read from its digits, which are counted and looked at.
macro_rules! digest {
    ($(#[$about:meta])* $name:ident) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(transparent)]
        pub struct $name(String);

        text!($name);

        impl From<blake3::Hash> for $name {
            fn from(hash: blake3::Hash) -> Self {
                $name(hash.to_hex().to_string())
            }
        }

        impl TryFrom<String> for $name {
            type Error = NotADigest;

            fn try_from(text: String) -> Result<Self, NotADigest> {
                let digit = |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
                if text.len() == DIGITS && text.bytes().all(digit) {
                    return Ok($name(text));
                }
                Err(NotADigest { text })
            }
        }

        impl FromStr for $name {
            type Err = NotADigest;

            fn from_str(text: &str) -> Result<Self, NotADigest> {
                text.to_owned().try_into()
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?
                    .try_into()
                    .map_err(D::Error::custom)
            }
        }
    };
}

digest! {
    /// BLAKE3 of some content: 64 hexadecimal digits.
    Digest
}

digest! {
    /// The name of a captured build: BLAKE3 of its record, 64 hexadecimal digits.
    CaptureId
}

impl From<CaptureId> for Digest {
    fn from(id: CaptureId) -> Digest {
        Digest(id.0)
    }
}

/// A name that somebody else gives: it is taken as it is.
macro_rules! given {
    ($(#[$about:meta])* $name:ident) => {
        $(#[$about])*
        #[derive(
            Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(String);

        text!($name);

        impl From<String> for $name {
            fn from(text: String) -> Self {
                $name(text)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                $name(text.to_owned())
            }
        }
    };
}

given! {
    /// The full name that a system of versions gives a state of the sources. Along toolchains or
    /// flags a state goes by their name in the project.
    CommitId
}

given! {
    /// The name of all files of a state of the sources: equal names are equal files.
    TreeId
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_written_as_its_digits() {
        let digest: Digest = "ab".repeat(32).parse().unwrap();
        let text = serde_json::to_string(&digest).unwrap();
        assert_eq!(text, format!("\"{}\"", "ab".repeat(32)));
        assert_eq!(serde_json::from_str::<Digest>(&text).unwrap(), digest);
        assert_eq!(format!("{digest:.4}"), "abab");
        assert_eq!(Digest::from(blake3::hash(b"")).len(), DIGITS);
    }

    #[test]
    fn what_is_no_digest_is_refused_by_name() {
        let [upper, short, other] = ["AB".repeat(32), "ab".repeat(31), "gg".repeat(32)];
        for text in ["", &upper, &short, &other] {
            let said = text.parse::<Digest>().unwrap_err().to_string();
            assert!(
                said.starts_with(&format!("`{text}` is no digest")),
                "{said}"
            );
            let read = serde_json::from_value::<CaptureId>(text.into());
            assert_eq!(read.unwrap_err().to_string(), said);
        }
    }
}
