//! Garbage for programs.

use proofmark_capture::{KeptFor, SweptFor};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::Collection;
use crate::document::{Document, enveloped};
use crate::number::rfc3339;

/// What goes of a project's store, and what stays.
#[derive(Serialize, JsonSchema)]
pub(crate) struct GarbageDocument {
    /// Nothing was removed: it was asked what would be.
    dry_run: bool,
    /// Builds that go, the oldest first.
    builds: Vec<SweptView>,
    /// Stored files that go: how many.
    files: usize,
    /// Bytes of them.
    file_bytes: u64,
    /// Images of layouts that go: how many.
    images: usize,
    /// Bytes of them.
    image_bytes: u64,
    /// Bytes that killed runs have left, which go.
    left_bytes: u64,
    /// Builds that stay, by name.
    kept: Vec<KeptView>,
    /// Bytes of all that stays.
    kept_bytes: u64,
    /// Most bytes that may stay; null where there is no limit.
    most_bytes: Option<u64>,
}

/// A build that goes.
#[derive(Serialize, JsonSchema)]
struct SweptView {
    /// Its name.
    name: String,
    /// When it was captured, RFC 3339, UTC.
    captured: String,
    /// Why it goes.
    why: SweptWord,
}

/// Why a build goes.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum SweptWord {
    /// No pinned or recent experiment rests on it.
    Unused,
    /// There is no room for it.
    Room,
}

/// A build that stays.
#[derive(Serialize, JsonSchema)]
struct KeptView {
    /// Its name.
    name: String,
    /// Why it stays.
    why: KeptWord,
}

/// Why a build stays.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum KeptWord {
    /// A user gave it its name.
    Name,
    /// A pinned experiment rests on it.
    Pin,
    /// It is young, or a recent experiment rests on it.
    Recent,
    /// A record of a newer proofmark refers to it.
    Later,
}

impl Document for GarbageDocument {
    const SCHEMA: &'static str = "gc";
}

/// What goes and what stays, for programs.
#[must_use]
pub fn json(collection: &Collection<'_>) -> Value {
    let sweep = collection.sweep;
    let builds = sweep.builds.iter().map(|build| SweptView {
        name: build.name.clone(),
        captured: rfc3339(build.created_ms),
        why: match build.why {
            SweptFor::Unused => SweptWord::Unused,
            SweptFor::Room => SweptWord::Room,
        },
    });
    let kept = sweep.kept.iter().map(|build| KeptView {
        name: build.name.clone(),
        why: match build.why {
            KeptFor::Name => KeptWord::Name,
            KeptFor::Pin => KeptWord::Pin,
            KeptFor::Recent => KeptWord::Recent,
            KeptFor::Later => KeptWord::Later,
        },
    });
    enveloped(&GarbageDocument {
        dry_run: collection.dry_run,
        builds: builds.collect(),
        files: sweep.files,
        file_bytes: sweep.bytes,
        images: collection.images,
        image_bytes: collection.image_bytes,
        left_bytes: collection.left_bytes,
        kept: kept.collect(),
        kept_bytes: collection.kept_bytes,
        most_bytes: collection.most_bytes,
    })
}
