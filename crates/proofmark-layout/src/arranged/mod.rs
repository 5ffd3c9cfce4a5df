//! A link in which the order or the alignment of functions is another one, and no byte of their
//! code: what a build would be whose makers had asked for that.
//!
//! [`arranged`] makes a recipe of its own from a build's. It links as shipped and in layouts like
//! any other, and says what of it a user can keep.

mod objects;
mod order;

use std::path::Path;

use self::objects::{Changes, changed};
use self::order::Found;
use crate::LayoutError;
use crate::link::argv;
use crate::recipe::{LinkerKind, Lto, Recipe};
use crate::survey::Look;

/// How functions shall stand.
#[derive(Clone, Copy, Debug)]
pub enum Arrangement<'a> {
    /// These functions stand together. They go by their symbols; where the linker takes an order,
    /// they stand in this one.
    Together(&'a [String]),
    /// Every function begins at a multiple of so many bytes, a power of two.
    Aligned(u64),
}

/// A link in which functions stand in another way.
#[derive(Clone, Debug)]
pub struct Arranged {
    /// How it is linked. Inputs that were changed lie in the folder that was given.
    pub recipe: Recipe,
    /// How many functions that is about.
    pub functions: usize,
    /// Functions that could not be moved, by their symbols, and why.
    pub left: Vec<(String, &'static str)>,
    /// What makes the same of the build's own sources.
    pub kept: Kept,
}

/// What a user keeps to have the same from a build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// What is to be given to which tool, in words; `FILE` stands for the file.
    pub how: String,
    /// The content of the file, where there is one.
    pub file: Option<String>,
}

/// Why a function stays where it is.
const NO_SECTION: &str = "it has no section of its own";
/// Cold code, which compilers align to nothing.
const COLD: &str = ".text.unlikely";

/// Makes such a link of a build's. `folder` is for the inputs that change, is made where it is not
/// there, and must outlive the recipe.
///
/// # Errors
/// When the linker has no way to do it, the link has an order of its own, its code is made by the
/// link, or nothing would change; and when a file cannot be read or written.
pub fn arranged(
    recipe: &Recipe,
    arrangement: Arrangement<'_>,
    folder: &Path,
) -> Result<Arranged, LayoutError> {
    crate::linker::backend(recipe, &argv::parse(&recipe.argv))?;
    std::fs::create_dir_all(folder).map_err(LayoutError::file("create", folder))?;
    let look = Look::at(recipe)?;
    match arrangement {
        Arrangement::Together(functions) => together(recipe, &look, functions, folder),
        Arrangement::Aligned(bytes) => aligned(recipe, &look, bytes, folder),
    }
}

fn not_arranged(why: &str) -> LayoutError {
    LayoutError::NotArranged {
        why: why.to_owned(),
    }
}

fn together(
    recipe: &Recipe,
    look: &Look,
    functions: &[String],
    folder: &Path,
) -> Result<Arranged, LayoutError> {
    if recipe.places_sections() {
        let why = "the link puts its code in an order of its own, by an option or a script";
        return Err(not_arranged(why));
    }
    let by_file = recipe.linker.kind == LinkerKind::Lld;
    let found = Found::of(look, functions, by_file);
    if found.units.is_empty() {
        let why = "none of the functions that are hot can be moved by itself";
        return Err(not_arranged(why));
    }
    let (arranged, how) = if by_file {
        let how = "compile with -ffunction-sections, and link with \
                   -Wl,--symbol-ordering-file=FILE,--no-warn-symbol-ordering";
        (order::by_file(recipe, &found, folder)?, how)
    } else {
        let changes = Changes {
            names: found.hot_sections(),
            ..Changes::default()
        };
        let how = "compile with -ffunction-sections, and mark the functions that FILE names with \
                   __attribute__((hot)): the linker puts these sections together";
        (by_objects(recipe, look, &changes, folder)?, how)
    };
    Ok(Arranged {
        recipe: arranged,
        functions: found.units.len(),
        kept: Kept {
            how: how.to_owned(),
            file: Some(found.list()),
        },
        left: found.left,
    })
}

fn aligned(
    recipe: &Recipe,
    look: &Look,
    bytes: u64,
    folder: &Path,
) -> Result<Arranged, LayoutError> {
    let (mut alignments, mut left) = (Vec::new(), Vec::new());
    for unit in look.code() {
        let section = look.units.unit(unit).0;
        if section.alignment >= bytes || section.name.starts_with(COLD) {
            continue;
        }
        if section.functions > 1 {
            let symbol = section.symbol.as_ref().unwrap_or(&section.name);
            left.push((symbol.clone(), NO_SECTION));
        } else {
            alignments.push((unit, bytes));
        }
    }
    if alignments.is_empty() {
        let why = format!(
            "no function would begin elsewhere: what can be aligned begins at multiples of {bytes} \
             bytes already"
        );
        return Err(not_arranged(&why));
    }
    let changes = Changes {
        alignments,
        ..Changes::default()
    };
    Ok(Arranged {
        recipe: by_objects(recipe, look, &changes, folder)?,
        functions: changes.alignments.len(),
        left,
        kept: Kept {
            how: format!("compile with -falign-functions={bytes}"),
            file: None,
        },
    })
}

/// By changed copies of the inputs. What a link compiles itself would be compiled anew.
fn by_objects(
    recipe: &Recipe,
    look: &Look,
    changes: &Changes,
    folder: &Path,
) -> Result<Recipe, LayoutError> {
    if matches!(recipe.lto, Some(Lto::Clang { .. })) {
        let why = "its code is made by the link itself (clang's link-time optimisation)";
        return Err(not_arranged(why));
    }
    changed(recipe, &look.units, changes, folder)
}
