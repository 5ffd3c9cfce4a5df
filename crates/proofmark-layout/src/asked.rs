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
use crate::elf::relocatable::Section;
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

/// How many sections and common symbols that both builds have ask for different alignments, and one
/// of them.
fn alignments(units: &[Units; 2], pairs: &[[u32; 2]]) -> (usize, Option<String>) {
    let of_section = |&[own, other]: &[u32; 2]| {
        let (a, b) = (units[0].unit(own).0, units[1].unit(other).0);
        let unlike = a.block == b.block && a.alignment != b.alignment;
        let asked = unlike && is_comparable(a.block, Extent::of(a), Extent::of(b));
        asked.then(|| {
            let name = Identity::of(&units[1], other).name().into_owned();
            (name, a.alignment, b.alignment)
        })
    };
    let commons: BTreeMap<&Vec<u8>, &(u64, u64)> = units[0].commons.iter().collect();
    let of_common = |(name, own): (&Vec<u8>, &(u64, u64))| {
        let [a, b] =
            [own, units[1].commons.get(name)?].map(|&(size, alignment)| Extent { size, alignment });
        let asked = a.alignment != b.alignment && is_comparable(Block::Bss, a, b);
        let name = String::from_utf8_lossy(name).into_owned();
        asked.then_some((name, a.alignment, b.alignment))
    };
    let sections = pairs.iter().filter_map(of_section);
    let commons = commons.into_iter().filter_map(of_common);
    let mut all = sections.chain(commons).peekable();
    let first = all.peek();
    let example = first.map(|(name, a, b)| format!("{name}: {a} to {b} bytes"));
    (all.count(), example)
}

/// What a section or a common symbol takes up, in bytes.
#[derive(Clone, Copy)]
struct Extent {
    size: u64,
    alignment: u64,
}

impl Extent {
    fn of(section: &Section) -> Extent {
        Extent {
            size: section.size,
            alignment: section.alignment,
        }
    }
}

/// Bytes from which on compilers for x86-64 and AArch64 align data alike, whatever its size. They
/// align it to at most half of that by themselves (gcc, `-malign-data=compat`).
const LARGE: u64 = 64;

/// Whether unlike alignments of two versions of a section are asked for. Compilers align code by
/// their options, whatever it does, and data by its type, and by its size too. So data counts where
/// there is as much of it, or where one version has a larger alignment than its size gives it.
fn is_comparable(block: Block, a: Extent, b: Extent) -> bool {
    if block == Block::Text {
        return a.size > 0 && b.size > 0;
    }
    let (size, alignment) = (a.size.min(b.size), a.alignment.max(b.alignment));
    let by_size = LARGE / 2;
    a.size == b.size || alignment > by_size || (alignment == by_size && size >= LARGE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_is_aligned_by_its_size_or_because_somebody_asks() {
        let asked = |a: (u64, u64), b: (u64, u64)| {
            let [a, b] = [a, b].map(|(size, alignment)| Extent { size, alignment });
            is_comparable(Block::Data, a, b)
        };
        for (a, b) in [
            ((64, 4), (80, 64)),
            ((8, 8), (24, 64)),
            ((40, 8), (40, 16)),
            ((64, 4), (96, 32)),
        ] {
            assert!(asked(a, b), "{a:?}, {b:?}");
        }
        // What gcc gives an array of 4 and of 10 words, and rustc one of longer words.
        for (a, b) in [((16, 16), (40, 32)), ((256, 4), (512, 8))] {
            assert!(!asked(a, b), "{a:?}, {b:?}");
        }
    }
}
