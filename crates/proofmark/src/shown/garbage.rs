//! Garbage, as views show it.

use proofmark_capture::{KeptBuild, KeptFor, SweptBuild, SweptFor};
use proofmark_report::garbage::{KeptView, KeptWord, SweptView, SweptWord};

/// A build that goes.
pub(crate) fn swept(build: &SweptBuild) -> SweptView {
    SweptView {
        name: build.name.clone(),
        created_ms: build.created_ms,
        why: match build.why {
            SweptFor::Unused => SweptWord::Unused,
            SweptFor::Room => SweptWord::Room,
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
