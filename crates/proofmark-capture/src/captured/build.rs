//! A captured build: its links, the objects in them, the tools that made them.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use proofmark_terms::{CaptureId, lossless};
use serde::{Deserialize, Serialize};

use super::companion::CompanionKind;
use super::link::CapturedLink;
use super::object::{CompiledObject, Seen, Stale};
use crate::states::Revision;
use crate::tools::Tool;

/// A build that can be linked again.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Capture {
    /// As the user called it.
    pub name: String,
    /// BLAKE3 of what makes the build (recipes, inputs, images), in hexadecimal: equal builds have
    /// equal ids.
    pub id: CaptureId,
    /// Milliseconds since 1970-01-01 UTC.
    pub created_ms: u64,
    /// The version of proofmark that captured it.
    pub proofmark: String,
    /// The build's command.
    #[serde(with = "lossless::many")]
    pub command: Vec<OsString>,
    /// The folder in which it ran.
    #[serde(with = "lossless::one")]
    pub cwd: PathBuf,
    /// When its command ran; none where all that it wrote outside of its own folders is known.
    #[serde(default)]
    pub ran: Option<Ran>,
    /// The state of the sources, where they are in a git repository.
    pub revision: Option<Revision>,
    /// What the build linked and still had at its end, in the order of linking.
    pub links: Vec<CapturedLink>,
    /// Further builds of the same state, each with the same links in the same order.
    pub repeats: Vec<Vec<CapturedLink>>,
    /// Index of the link that was asked for, or of the only executable.
    pub chosen: Option<usize>,
    /// The programs that made it.
    pub toolchain: Vec<Tool>,
    /// The compiled objects in the links, toolchain and system files apart.
    pub objects: Vec<CompiledObject>,
    /// Objects of the chosen image that earlier captures made and that this build did not make
    /// again.
    pub stale: Vec<Stale>,
    /// Variables that builds commonly read, such as `CFLAGS`, as they were set.
    #[serde(with = "lossless::named")]
    pub environment: Vec<(String, OsString)>,
    /// What a user should know, one sentence each.
    pub warnings: Vec<String>,
}

/// When the command of a build ran, all its repetitions together: microseconds since 1970-01-01
/// UTC, by the clock of the file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Ran {
    /// Files that were changed at this moment or later may be the build's.
    pub began_us: i64,
    /// And those that were changed at this moment or earlier.
    pub ended_us: i64,
}

impl Ran {
    /// From the beginning of the earlier one to the end of the later one.
    #[must_use]
    pub fn joined(self, other: Ran) -> Ran {
        Ran {
            began_us: self.began_us.min(other.began_us),
            ended_us: self.ended_us.max(other.ended_us),
        }
    }
}

impl Capture {
    /// The objects that no shim saw being made.
    pub fn unseen(&self) -> impl Iterator<Item = &CompiledObject> {
        self.objects
            .iter()
            .filter(|object| matches!(object.seen, Seen::Unseen { .. }))
    }
}

/// The same recipes, inputs and images have the same id, whatever the time and the name. Inputs
/// stand for their content: compilers give random names to objects that they throw away.
pub(crate) fn id(links: &[CapturedLink], repeats: &[Vec<CapturedLink>]) -> CaptureId {
    let mut hasher = blake3::Hasher::new();
    let mut add = |part: &[u8]| {
        hasher.update(&part.len().to_le_bytes());
        hasher.update(part);
    };
    for link in links.iter().chain(repeats.iter().flatten()) {
        let recipe = link.as_built();
        add(link.output.as_os_str().as_bytes());
        add(recipe.linker.version.as_bytes());
        add(link.image_hash.as_bytes());
        for word in &recipe.argv {
            let input = recipe.inputs.iter().find(|input| input.given == **word);
            let scratch = word.as_bytes().starts_with(b"-plugin-opt=-fresolution=");
            match input {
                Some(input) => add(input.hash.as_bytes()),
                None if scratch => add(b"resolution"),
                None => add(word.as_bytes()),
            }
        }
        recipe
            .inputs
            .iter()
            .for_each(|input| add(input.hash.as_bytes()));
        if link.as_built() != &link.recipe {
            (link.recipe.inputs.iter()).for_each(|input| add(input.hash.as_bytes()));
        }
        // What lay there before is no part of the build.
        let companions = link.companions.iter();
        for companion in companions.filter(|one| one.kind != CompanionKind::FoundFolder) {
            add(companion.path.as_os_str().as_bytes());
            add(companion.hash.as_bytes());
        }
    }
    hasher.finalize().into()
}
