//! Several builds of one commit: how many there are, and whether they are the same.

use serde::{Deserialize, Serialize};

/// How two builds of one commit compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rebuilt {
    /// They are the same bytes, or differ in debug information alone.
    Same,
    /// They differ: what is blamed on a commit may be a rebuild, unless each block draws one of
    /// several builds.
    Differs,
}

/// One build of each commit.
pub(super) const fn once() -> u32 {
    1
}

/// Whether each commit is built once.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde asks for it")]
pub(super) const fn is_once(repeat: &u32) -> bool {
    *repeat == 1
}
