//! Functions that are to stand together: which sections they are, and an order file of them.

use std::collections::HashMap;
use std::path::Path;

use super::NO_SECTION;
use crate::LayoutError;
use crate::recipe::{Input, InputKind, Recipe};
use crate::survey::Look;

/// As the link names its order file, in the folder in which it runs.
const FILE: &str = "proofmark.order";
/// Why a function stays where it is.
const AMBIGUOUS: &str = "several functions have this name, which the linker's order file cannot \
                         tell apart";

/// The sections of functions that are to stand together.
pub(super) struct Found {
    /// Each with the function that it holds, in the order of the functions.
    pub(super) units: Vec<(u32, String)>,
    /// Functions without such a section, and why.
    pub(super) left: Vec<(String, &'static str)>,
}

impl Found {
    /// The sections of these functions in the image. Where each has to be known by its name alone,
    /// those of one name are left.
    pub(super) fn of(look: &Look, functions: &[String], by_name: bool) -> Found {
        let mut known: HashMap<&str, Vec<u32>> = HashMap::new();
        for unit in look.code() {
            let section = look.units.unit(unit).0;
            if let Some(symbol) = section.symbol.as_deref().filter(|_| section.functions <= 1) {
                known.entry(symbol).or_default().push(unit);
            }
        }
        let (mut units, mut left) = (Vec::new(), Vec::new());
        for function in functions {
            match known.remove(function.as_str()) {
                None => left.push((function.clone(), NO_SECTION)),
                Some(several) if by_name && several.len() > 1 => {
                    left.push((function.clone(), AMBIGUOUS));
                }
                Some(own) => units.extend(own.into_iter().map(|unit| (unit, function.clone()))),
            }
        }
        Found { units, left }
    }

    /// The names that compilers give to the sections of functions that are marked as hot.
    pub(super) fn hot_sections(&self) -> Vec<(u32, String)> {
        let name = |(unit, symbol): &(u32, String)| (*unit, format!(".text.hot.{symbol}"));
        self.units.iter().map(name).collect()
    }

    /// The functions, each once and on a line of its own.
    pub(super) fn list(&self) -> String {
        let mut list: Vec<&str> = self.units.iter().map(|(_, symbol)| &**symbol).collect();
        list.dedup();
        list.join("\n") + "\n"
    }
}

/// The link with an order file.
pub(super) fn by_file(
    recipe: &Recipe,
    found: &Found,
    folder: &Path,
) -> Result<Recipe, LayoutError> {
    let (blob, content) = (folder.join(FILE), found.list());
    std::fs::write(&blob, &content).map_err(LayoutError::file("write", &blob))?;
    let mut arranged = recipe.clone();
    arranged.inputs.push(Input {
        given: FILE.into(),
        blob,
        hash: blake3::hash(content.as_bytes()).into(),
        kind: InputKind::Other,
        members: Vec::new(),
    });
    arranged
        .argv
        .push(format!("--symbol-ordering-file={FILE}").into());
    arranged.argv.push("--no-warn-symbol-ordering".into());
    Ok(arranged)
}
