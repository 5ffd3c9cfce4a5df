//! The sensitivity certificate, for programs.

use proofmark_evidence::record::Certificate;
use proofmark_stats::Sight;
use schemars::JsonSchema;
use serde::Serialize;

use crate::document::words::Ratio;

/// What this set-up made of a slowdown of exactly the margin.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(crate) enum CertificateView {
    /// It was measured.
    Measured {
        /// Taxed base ÷ base; must hold 1 + margin.
        ratio: Ratio,
        /// Blocks that hold the taxed base.
        blocks: u32,
        /// What it says.
        says: SightWord,
    },
    /// Too few blocks hold the taxed base.
    TooFew {
        /// Those that do.
        blocks: u32,
        /// Those that it takes.
        least: u32,
    },
    /// It was not measured.
    Unavailable {
        /// Why.
        reason: String,
    },
}

/// Whether the slowdown would have been seen.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum SightWord {
    /// The interval holds the margin and not 1.
    Seen,
    /// The interval holds the margin, and 1 as well.
    NotYet,
    /// The interval does not hold the margin.
    Misjudged,
}

impl CertificateView {
    pub(crate) fn of(certificate: &Certificate) -> Self {
        match certificate {
            Certificate::Measured {
                interval,
                blocks,
                sight,
            } => CertificateView::Measured {
                ratio: interval.into(),
                blocks: *blocks,
                says: match sight {
                    Sight::Seen => SightWord::Seen,
                    Sight::NotYet => SightWord::NotYet,
                    Sight::Misjudged => SightWord::Misjudged,
                },
            },
            Certificate::TooFew { blocks, least } => CertificateView::TooFew {
                blocks: *blocks,
                least: *least,
            },
            Certificate::Unavailable { reason } => CertificateView::Unavailable {
                reason: reason.clone(),
            },
        }
    }
}
