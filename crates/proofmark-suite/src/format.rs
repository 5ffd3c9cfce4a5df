//! The formats that are read.

use std::fmt;
use std::str::FromStr;

use crate::results::Results;
use crate::{go, junit, libtest, tap};

/// A format in which a suite tells its results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// JUnit's XML.
    Junit,
    /// The Test Anything Protocol, versions 12 to 14 (testanything.org); subtests are part of the
    /// test that they stand under.
    Tap,
    /// What `cargo test` prints without `--nocapture`.
    Cargo,
    /// What `go test -json` prints (`go doc test2json`).
    Go,
}

/// All formats with their names.
const NAMED: [(&str, Format); 4] = [
    ("junit", Format::Junit),
    ("tap", Format::Tap),
    ("cargo", Format::Cargo),
    ("go", Format::Go),
];

/// Results that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no results of the format `{format}`: {why}")]
pub struct Unreadable {
    /// The format's name.
    pub format: &'static str,
    /// What is wrong, and where.
    pub why: String,
}

/// A word that is no format's name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no format of results: junit, tap, cargo and go are")]
pub struct NoFormat(String);

impl Format {
    /// Reads what a suite said.
    ///
    /// # Errors
    /// When it is damaged, or there is no test in it: a suite without tests shows nothing.
    pub fn read(self, bytes: &[u8]) -> Result<Results, Unreadable> {
        let unreadable = |why| Unreadable {
            format: self.name(),
            why,
        };
        let text = || String::from_utf8_lossy(bytes);
        let results = match self {
            Format::Junit => junit::read(bytes),
            Format::Tap => Ok(tap::read(&text())),
            Format::Cargo => Ok(libtest::read(&text())),
            Format::Go => Ok(go::read(&text())),
        };
        let results = results.map_err(unreadable)?;
        if results.is_empty() {
            return Err(unreadable("there is no test in it".to_owned()));
        }
        Ok(results)
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        let named = NAMED.iter().find(|(_, format)| *format == self);
        named.map_or("", |(name, _)| name)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = NoFormat;

    fn from_str(text: &str) -> Result<Format, NoFormat> {
        let named = NAMED.iter().find(|(name, _)| *name == text);
        named
            .map(|(_, format)| *format)
            .ok_or_else(|| NoFormat(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_found_by_its_name_and_refuses_what_has_no_test() {
        for (name, format) in NAMED {
            assert_eq!(name.parse(), Ok(format));
            let empty: &[u8] = if format == Format::Junit {
                b"<testsuite/>"
            } else {
                b"hello\n"
            };
            let error = format.read(empty).unwrap_err().to_string();
            assert!(error.contains(name) && error.contains("no test"), "{error}");
        }
        assert!("xunit".parse::<Format>().is_err());
    }

    #[test]
    fn no_bytes_make_a_reader_panic() {
        let samples: [&[u8]; 5] = [
            b"<testsuite><testcase name='a&#99999999;'/></testsuite>",
            b"1..99999999999999999999\nok 1\n",
            b"test  ... ok\ntest result: ok. 18446744073709551616 passed\n",
            b"{\"Action\":\"pass\",\"Test\":\"\"}\n{\n[]\n",
            b"\xff\xfe<testcase",
        ];
        for sample in samples {
            for (_, format) in NAMED {
                for end in 0..=sample.len() {
                    let _ = format.read(&sample[..end]);
                }
            }
        }
    }
}
