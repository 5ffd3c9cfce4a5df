//! What the build of a cell is made of, for the evidence.

use proofmark_evidence::record::{BuiltBy, CellBuild, CellToolchain};

use super::plan::Workshop;
use super::recipe::Recipe;
use crate::cells::Cell;
use crate::definition::Source;
use crate::sources::Snapshot;

impl Workshop<'_> {
    /// How a cell is made of a commit; none where its sources lie in no repository of git.
    pub(super) fn recipe(
        &self,
        cell: &Cell,
        source: &Source,
        snapshot: &Snapshot,
    ) -> Option<Recipe> {
        let placed = snapshot.placed.as_ref()?;
        let name = &cell.axes.toolchain;
        let toolchain = self.definitions.toolchain(name)?;
        let (flags, ldflags) = self.words(cell);
        let env = source.env.iter();
        let cell = CellBuild {
            toolchain: CellToolchain {
                name: name.clone(),
                made: toolchain.source.is_some(),
                command: toolchain.command,
                cxx: toolchain.cxx,
                version: toolchain.version,
                provider: toolchain.provider,
                flags: toolchain.flags.0,
            },
            flags,
            ldflags,
            env: env
                .map(|(name, value)| (name.as_str().into(), value.as_str().into()))
                .collect(),
            inputs: source.inputs.clone(),
        };
        Some(Recipe {
            built_by: BuiltBy {
                command: source.build.clone(),
                folder: placed.prefix.clone().into(),
                image: source.image.clone().map(Into::into),
                builds: 1,
                runs_in: None,
                cell: Some(Box::new(cell)),
            },
            top: Some(placed.top.clone()),
            patches: snapshot.texts_of_patches(),
        })
    }
}
