//! Whether a set-up sees a slowdown of exactly the margin: what was asked, and what came out.

use crate::private::parts;
use proofmark_terms::{Interval, Sight};
use serde::{Deserialize, Serialize};

/// Whether the base is measured with a tax of exactly the margin as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", from = "Stored")]
pub enum CertificateUse {
    /// Where it costs less than a fifth of the other runs.
    Auto,
    /// In every block.
    Always,
    /// Not at all.
    Never,
}

/// How the use was written down, once as a flag.
#[derive(Deserialize)]
#[serde(untagged)]
enum Stored {
    Flag(bool),
    Word(Word),
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Word {
    Auto,
    Always,
    Never,
}

impl From<Stored> for CertificateUse {
    fn from(stored: Stored) -> Self {
        match stored {
            Stored::Word(Word::Auto) => CertificateUse::Auto,
            Stored::Flag(true) | Stored::Word(Word::Always) => CertificateUse::Always,
            Stored::Flag(false) | Stored::Word(Word::Never) => CertificateUse::Never,
        }
    }
}

/// What this set-up made of a slowdown of exactly the margin, put into the base on purpose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Certificate {
    /// It was measured.
    Measured {
        /// Taxed base ÷ base; must hold 1 + margin.
        interval: Interval,
        /// Blocks that hold the taxed base.
        blocks: u32,
        /// What the interval says of the slowdown.
        sight: Sight,
    },
    /// Too few blocks hold the taxed base.
    TooFew {
        /// Those that do.
        blocks: u32,
        /// Those that it takes.
        least: u32,
    },
    /// It was not measured, and why.
    Unavailable {
        /// The reason, and the remedy where there is one.
        reason: String,
    },
}

parts!(
    enum Certificate {
        Measured {
            interval: open,
            blocks: open,
            sight: open,
        },
        TooFew {
            blocks: open,
            least: open,
        },
        Unavailable {
            reason: mixed,
        },
    }
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_use_comes_back_and_the_flag_of_old_stores_is_read() {
        for use_ in [
            CertificateUse::Auto,
            CertificateUse::Always,
            CertificateUse::Never,
        ] {
            let text = serde_json::to_string(&use_).unwrap();
            assert_eq!(serde_json::from_str::<CertificateUse>(&text).unwrap(), use_);
        }
        let read = |text| serde_json::from_str::<CertificateUse>(text).ok();
        assert_eq!(read("false"), Some(CertificateUse::Never));
        assert_eq!(read("true"), Some(CertificateUse::Always));
        assert_eq!(read("\"sometimes\""), None);
    }
}
