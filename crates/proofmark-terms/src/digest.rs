//! Names that are made of what they name: hashes of contents, and of captured builds.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;

use serde::{Deserialize, Serialize};

/// A name in hexadecimal. It is not checked: whoever reads what it names holds the content against
/// it, and a name that is none finds nothing.
macro_rules! name {
    ($(#[$about:meta])* $name:ident) => {
        $(#[$about])*
        #[derive(
            Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Its digits.
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

        impl From<String> for $name {
            fn from(digits: String) -> Self {
                $name(digits)
            }
        }

        impl From<&str> for $name {
            fn from(digits: &str) -> Self {
                $name(digits.to_owned())
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

name! {
    /// BLAKE3 of some content: 64 hexadecimal digits.
    Digest
}

name! {
    /// The name of a captured build: BLAKE3 of its record, 64 hexadecimal digits.
    CaptureId
}

name! {
    /// The full name that a system of versions gives a state of the sources.
    CommitId
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_written_as_its_digits() {
        let digest = Digest::from("ab".repeat(32));
        let text = serde_json::to_string(&digest).unwrap();
        assert_eq!(text, format!("\"{}\"", "ab".repeat(32)));
        assert_eq!(serde_json::from_str::<Digest>(&text).unwrap(), digest);
        assert_eq!(format!("{digest:.4}"), "abab");
    }
}
