//! What is shown of garbage.

use schemars::JsonSchema;
use serde::Serialize;

use crate::number::as_rfc3339;

/// What goes of a project's store, and what stays.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Collection {
    /// Nothing was removed: it was asked what would be.
    pub dry_run: bool,
    /// Builds that go, the oldest first.
    pub builds: Vec<CollectedView>,
    /// Stored files that go: how many.
    pub files: usize,
    /// Bytes of them.
    pub file_bytes: u64,
    /// Images of layouts that go: how many.
    pub images: usize,
    /// Bytes of them.
    pub image_bytes: u64,
    /// Bytes that commands that have ended left, which go.
    pub left_bytes: u64,
    /// Builds that stay, by name.
    pub kept: Vec<KeptView>,
    /// Bytes of all that stays.
    pub kept_bytes: u64,
    /// Most bytes that may stay; null where there is no limit.
    pub most_bytes: Option<u64>,
}

/// A build that goes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CollectedView {
    /// Its name.
    pub name: String,
    /// When it was captured, RFC 3339, UTC.
    #[serde(rename = "captured", serialize_with = "as_rfc3339")]
    #[schemars(with = "String")]
    pub created_ms: u64,
    /// Why it goes.
    pub why: CollectedWord,
}

/// Why a build goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CollectedWord {
    /// No pinned or recent experiment rests on it.
    Unused,
    /// There is no room for it.
    Room,
}

/// A build that stays.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct KeptView {
    /// Its name.
    pub name: String,
    /// Why it stays.
    pub why: KeptWord,
}

/// Why a build stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum KeptWord {
    /// A user gave it its name.
    Name,
    /// A pinned experiment rests on it.
    Pin,
    /// It is young, or a recent experiment rests on it.
    Recent,
    /// A record of a newer proofmark refers to it.
    Later,
}

impl Collection {
    /// Bytes of all that goes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.file_bytes + self.image_bytes + self.left_bytes
    }
}
