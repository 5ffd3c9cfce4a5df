//! Whether two builds ask for another order or another alignment of what they share: then that is
//! the change, or a part of it, and layouts that give both the same would hide it.
//!
//! It is told by the options of the links, by the kind of the functions' sections (`.text.hot`) and
//! by the alignment that sections ask for which both builds have, not by the order itself: Rust and
//! ThinLTO change that unasked.

use std::collections::BTreeMap;
use std::path::Path;

use crate::LayoutError;
use crate::elf::block::Block;
use crate::link::argv::{self, Role, Word};
use crate::pairing::{Identity, shared};
use crate::recipe::{InputKind, Recipe};
use crate::reordered::kinds;
use crate::units::Units;

/// What of placement two builds ask for in different ways.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The order, by options or files of the link, or by sections of another kind: which.
    pub order: Vec<String>,
    /// Alignments that functions and data ask for which both builds have: how many differ.
    pub alignments: usize,
    /// One of those, with both alignments.
    pub example: Option<String>,
}

impl Asked {
    /// Whether both builds ask for the same.
    #[must_use]
    pub fn is_same(&self) -> bool {
        self.order.is_empty() && self.alignments == 0
    }
}

impl std::fmt::Display for Asked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if !self.order.is_empty() {
            write!(
                f,
                "the order that the build asks for ({})",
                self.order.join(", ")
            )?;
        }
        if self.alignments > 0 {
            let and = if self.order.is_empty() { "" } else { " and " };
            let example = self.example.as_deref().unwrap_or_default();
            write!(
                f,
                "{and}the alignment of {} sections ({example})",
                self.alignments
            )?;
        }
        Ok(())
    }
}

/// Options by which a link orders or places sections, without dashes. Those that end in `=` stand
/// for all values.
const PLACING: [&str; 24] = [
    "symbol-ordering-file",
    "section-ordering-file",
    "call-graph-ordering-file",
    "call-graph-profile-sort",
    "call-graph-profile-sort=",
    "no-call-graph-profile-sort",
    "shuffle-sections",
    "shuffle-sections=",
    "randomize-section-padding=",
    "bp-startup-sort=",
    "sort-section",
    "section-start",
    "Ttext",
    "Tdata",
    "Tbss",
    "Ttext-segment",
    "Trodata-segment",
    "image-base",
    "T",
    "script",
    "dT",
    "default-script",
    "omagic",
    "nmagic",
];

/// Keywords of `-z` that do.
const PLACING_Z: [&str; 6] = [
    "max-page-size=",
    "common-page-size=",
    "separate-code",
    "noseparate-code",
    "separate-loadable-segments",
    "keep-text-section-prefix",
];

/// What of placement two builds ask for in different ways.
///
/// # Errors
/// When an input cannot be read.
pub fn asked(a: &Recipe, b: &Recipe) -> Result<Asked, LayoutError> {
    let [own, other] = [a, b].map(placing);
    let order = own
        .keys()
        .chain(other.keys())
        .filter(|name| own.get(*name) != other.get(*name))
        .map(|name| {
            format!(
                "-{}{name}",
                if name.len() > 1 && !name.starts_with("T") && !name.starts_with("z ") {
                    "-"
                } else {
                    ""
                }
            )
        });
    let mut order: Vec<String> = order.collect();
    order.sort();
    order.dedup();
    let (a, b) = rayon::join(|| Units::read(a), || Units::read(b));
    let units = [a?, b?];
    let pairs = shared(&units);
    order.extend(
        kinds(&units, &pairs)
            .map(|(count, example)| format!("the sections of {count} functions, {example}")),
    );
    let (alignments, example) = alignments(&units, &pairs);
    Ok(Asked {
        order,
        alignments,
        example,
    })
}

/// The options that place, and what they say: of a file its content.
fn placing(recipe: &Recipe) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for word in argv::parse(&recipe.argv) {
        let Some(name) = placing_name(&word) else {
            continue;
        };
        let value = match word.role {
            Role::OptionFile => content(recipe, Path::new(&word.value)),
            _ => word.value.to_string_lossy().into_owned(),
        };
        found.entry(name).or_default().push(value);
    }
    found
}

fn placing_name(word: &Word) -> Option<String> {
    let name = String::from_utf8_lossy(word.name()?).into_owned();
    if name == "z" {
        let value = word.value.to_string_lossy();
        let keyword = PLACING_Z
            .iter()
            .find(|keyword| value.starts_with(**keyword))?;
        return Some(format!("z {}", keyword.trim_end_matches('=')));
    }
    let known =
        |known: &&str| name == **known || (known.ends_with('=') && name.starts_with(*known));
    let known = PLACING.iter().find(|name| known(name))?;
    Some(known.trim_end_matches('=').to_string())
}

/// The hash of a file that an option names; its name where it was not captured.
fn content(recipe: &Recipe, given: &Path) -> String {
    let named = |input: &&crate::Input| {
        input.given == given
            || (input.kind == InputKind::Script && input.given.file_name() == given.file_name())
    };
    let input = recipe.inputs.iter().find(|input| input.given == given);
    let input = input.or_else(|| recipe.inputs.iter().find(named));
    input.map_or_else(
        || given.to_string_lossy().into_owned(),
        |input| input.hash.to_string(),
    )
}

/// How many sections that both builds have ask for different alignments, and one of them. Compilers
/// align code by their options, whatever it does, and data by its size too: so data counts where it
/// has as much of it.
fn alignments(units: &[Units; 2], pairs: &[[u32; 2]]) -> (usize, Option<String>) {
    let (mut count, mut example) = (0, None);
    for &[own, other] in pairs {
        let (a, b) = (units[0].unit(own).0, units[1].unit(other).0);
        let comparable = if a.block == Block::Text {
            a.size > 0 && b.size > 0
        } else {
            a.size == b.size
        };
        if a.block == b.block && comparable && a.alignment != b.alignment {
            count += 1;
            let name = || Identity::of(&units[1], other).name().into_owned();
            example.get_or_insert_with(|| {
                format!("{}: {} to {} bytes", name(), a.alignment, b.alignment)
            });
        }
    }
    (count, example)
}
