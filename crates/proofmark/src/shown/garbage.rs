//! Garbage, as views show it.

use proofmark_capture::{CollectedBuild, CollectedFor, KeptBuild, KeptFor};
use proofmark_report::garbage::{CollectedView, CollectedWord, KeptView, KeptWord};

/// A build that goes.
pub(crate) fn collected(build: &CollectedBuild) -> CollectedView {
    CollectedView {
        name: build.name.clone(),
        created_ms: build.created_ms,
        why: match build.why {
            CollectedFor::Unused => CollectedWord::Unused,
            CollectedFor::Room => CollectedWord::Room,
        },
    }
}

/// A build that stays.
pub(crate) fn kept(build: &KeptBuild) -> KeptView {
    KeptView {
        name: build.name.clone(),
        why: match build.why {
            KeptFor::Name => KeptWord::Name,
            KeptFor::Pin => KeptWord::Pin,
            KeptFor::Recent => KeptWord::Recent,
            KeptFor::Later => KeptWord::Later,
        },
    }
}
