//! `[history]`: which benchmarks are measured along the commits, and how.

use std::path::PathBuf;

use proofmark_terms::Share;
use serde::de::Error;
use serde::{Deserialize, Deserializer};

use super::Names;

/// Benchmarks along a line of commits. What is absent is as `proofmark history` has it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HistoryDefinition {
    /// The shell command that builds a commit, in the folder in which proofmark is started.
    pub build: Option<String>,
    /// The image, as the build's folder knows it.
    pub image: Option<PathBuf>,
    /// The range of commits, `A..B`.
    pub rev: Option<String>,
    /// At most so many commits from one point to the next; 1 or more.
    #[serde(deserialize_with = "count")]
    pub every: Option<u32>,
    /// From one anchor to the next, in commits; 1 or more.
    #[serde(deserialize_with = "count")]
    pub anchor_every: Option<u32>,
    /// Levels that differ by less than this count as one: `"1%"`.
    #[serde(deserialize_with = "part")]
    pub margin: Option<Share>,
    /// Fewest and most blocks of a point: `"8..40"`.
    pub blocks: Option<String>,
    /// Names of benchmarks; all that are defined when empty.
    pub benchmarks: Names,
}

fn part<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Share>, D::Error> {
    let text = String::deserialize(from)?;
    Share::between(&text).map(Some).map_err(D::Error::custom)
}

fn count<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u32>, D::Error> {
    match u32::deserialize(from)? {
        0 => Err(D::Error::custom(
            "0 is no distance: write 1 for every commit",
        )),
        number => Ok(Some(number)),
    }
}
