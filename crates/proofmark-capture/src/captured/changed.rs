//! Whether what a build was made with is still what it was.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use proofmark_terms::Digest;

use super::build::Capture;
use crate::objects::hash_file;

impl Capture {
    /// A program or a file of the system that took part in the build and is another one by now, or
    /// gone. Files in `copy`, where the build ran, do not count.
    #[must_use]
    pub fn changed_since(&self, copy: &Path) -> Option<PathBuf> {
        let tools = self.toolchain.iter().flat_map(|tool| {
            let libraries = tool.libraries.iter();
            let libraries = libraries.map(|library| (library.path.clone(), &library.hash));
            std::iter::once((tool.path.clone(), &tool.hash)).chain(libraries)
        });
        let inputs = self.links.iter().flat_map(|link| {
            let recipe = link.as_built();
            let inputs = recipe.inputs.iter();
            inputs.map(|input| (recipe.cwd.join(&input.given), &input.hash))
        });
        // Compilers' own temporary files are gone, and are known by their sources.
        let temporary = std::env::temp_dir();
        let mut known: HashMap<PathBuf, Option<Digest>> = HashMap::new();
        for (file, hash) in tools.chain(inputs) {
            if file.starts_with(copy) || file.starts_with(&temporary) {
                continue;
            }
            let now = known
                .entry(file.clone())
                .or_insert_with(|| hash_file(&file).ok());
            if now.as_ref() != Some(hash) {
                return Some(file);
            }
        }
        None
    }
}
