//! A link run again: arguments, staging, link-time optimisation, the linker.

pub(crate) mod argv;
pub(crate) mod lto;
pub(crate) mod run;
pub(crate) mod sections;
pub(crate) mod stage;

use std::fs;
use std::path::{Path, PathBuf};

use crate::LayoutError;
use crate::recipe::{Lto, Recipe};
use stage::Tree;

/// Links as shipped: from the stored inputs alone, with the arguments of the build. The image is
/// the same as the build's, to the byte.
///
/// `scratch` is a folder for the staged inputs, which is made when it is not there and which the
/// caller removes. gcc's link-time optimisation is replayed from its stored objects; clang's is run
/// again, because only so is the order of dynamic symbols the same.
///
/// # Errors
/// When an input is not in the recipe, a stored copy is gone, or the linker fails; the error
/// carries the linker's words and the command that repeats them.
pub fn relink(recipe: &Recipe, scratch: &Path, output: &Path) -> Result<(), LayoutError> {
    let tree = Tree::new(&scratch.join("tree"), recipe)?;
    let side = folder(scratch, "side")?;
    stage::stage_stored(&tree, recipe)?;
    let mut words = argv::parse(&recipe.argv);
    let output = std::path::absolute(output).map_err(LayoutError::file("find", output))?;
    stage::lead(&tree, recipe, &mut words, &side, &output)?;
    if let Some(Lto::Gcc { objects }) = &recipe.lto {
        lto::replay_gcc(&mut words, objects, &side)?;
    }
    run::run(
        recipe,
        &argv::render(&words),
        tree.cwd(),
        &side,
        "the image as shipped",
    )
}

/// A folder inside another one, made, by its absolute name.
pub(crate) fn folder(inside: &Path, name: &str) -> Result<PathBuf, LayoutError> {
    let folder = inside.join(name);
    fs::create_dir_all(&folder).map_err(LayoutError::file("create", &folder))?;
    fs::canonicalize(&folder).map_err(LayoutError::file("find", &folder))
}

/// Removes a folder that is no longer used.
pub(crate) fn remove(folder: &Path) -> Result<(), LayoutError> {
    fs::remove_dir_all(folder).map_err(LayoutError::file("remove", folder))
}
