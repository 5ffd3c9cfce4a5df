//! Names of captured builds, and the files that stand for them.

use std::path::Path;

use crate::error::BuildError;

/// What may not stand in a build's name.
pub(crate) fn check_name(name: &str) -> Result<(), BuildError> {
    let bad = |why| {
        Err(BuildError::BadName {
            name: name.to_owned(),
            why,
        })
    };
    match name {
        "" => bad("it is empty"),
        _ if name.len() > 80 => bad("it is longer than 80 bytes"),
        _ if name.starts_with('-') => bad("it starts with `-` and would be read as an option"),
        _ if name.chars().any(char::is_control) => bad("it holds control characters"),
        _ => Ok(()),
    }
}

/// A name as a file name: everything but letters, digits, `-`, `_`, `+` and inner dots as `%XX`.
pub(super) fn encode(name: &str) -> String {
    let mut encoded = String::new();
    for (at, byte) in name.bytes().enumerate() {
        let plain =
            byte.is_ascii_alphanumeric() || b"-_+".contains(&byte) || (byte == b'.' && at > 0);
        if plain {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

/// The name that a file stands for.
pub(super) fn name_of(file: &Path) -> String {
    decode(&file.file_stem().unwrap_or_default().to_string_lossy())
}

pub(super) fn decode(encoded: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = encoded.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        let hex = after
            .get(..2)
            .and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        match (byte, hex) {
            (b'%', Some(value)) => {
                bytes.push(value);
                rest = after.get(2..).unwrap_or_default();
            }
            _ => {
                bytes.push(*byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_survive_the_file_system() {
        for name in [
            "base",
            "feature/x",
            "..",
            ".hidden",
            "größer 50%",
            "a.b-c_d+e",
        ] {
            let encoded = encode(name);
            assert!(
                !encoded.contains('/') && !encoded.starts_with('.'),
                "{encoded}"
            );
            assert_eq!(decode(&encoded), name);
        }
    }

    #[test]
    fn names_that_cannot_be_typed_are_refused() {
        for name in ["", "-x", "a\nb", &"x".repeat(81)] {
            assert!(check_name(name).is_err(), "{name:?}");
        }
        assert!(check_name("feature/x").is_ok());
    }
}
