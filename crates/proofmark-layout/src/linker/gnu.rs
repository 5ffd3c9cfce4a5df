//! GNU ld and gold: sections called `.text.sorted.` and a number, which both place by name. The
//! numbers are written anew into the patched copies for each layout.

use std::collections::HashSet;
use std::path::Path;

use rand::SeedableRng;
use rand::seq::SliceRandom;

use super::{Backend, Carried, OrderedDatum, Step, keep_symbols, write_pads};
use crate::LayoutError;
use crate::elf::Machine;
use crate::elf::block::Block;
use crate::elf::pad::{Manner, Piece};
use crate::link::argv::Word;
use crate::recipe::Recipe;
use crate::sorted::{DIGITS, SORTED};
use crate::units::unsupported;

/// First release of GNU ld whose own script sorts `.text.sorted.*`.
const FIRST: (u32, u32) = (2, 36);

/// The back-end for GNU ld and gold.
pub(super) struct Gnu {
    gold: bool,
}

impl Gnu {
    /// For a GNU ld that is new enough.
    pub(super) fn new(recipe: &Recipe) -> Result<Gnu, LayoutError> {
        match version(&recipe.linker.version) {
            Some(found) if found < FIRST => Err(unsupported(
                recipe,
                "GNU ld sorts sections of code by name from 2.36 on; capture the build with a newer one, or with lld",
            )),
            _ => Ok(Gnu { gold: false }),
        }
    }

    /// For gold.
    pub(super) fn gold() -> Gnu {
        Gnu { gold: true }
    }
}

/// Major and minor release, at the end of `GNU ld (GNU Binutils for Debian) 2.40`.
fn version(line: &str) -> Option<(u32, u32)> {
    let number = line
        .split_whitespace()
        .rev()
        .find(|word| word.starts_with(|first: char| first.is_ascii_digit()))?;
    let mut parts = number.split(|other: char| !other.is_ascii_digit());
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

impl Backend for Gnu {
    fn sorts_by_name(&self) -> bool {
        true
    }

    /// The end of what becomes read-only after relocation is aligned to a page, so that its start
    /// moves backwards when what stands before it grows: ballast there oscillates.
    fn balances_relro(&self) -> bool {
        false
    }

    /// What holds addresses within the image alone stands in front of what holds others.
    fn front(&self, block: Block) -> &'static str {
        match block {
            Block::RelRo => ".data.rel.ro.local",
            _ => block.section_name(),
        }
    }

    fn adapt(&self, words: &mut Vec<Word>) {
        keep_symbols(words);
        words.retain(|word| match word.name() {
            Some(b"section-ordering-file") => false,
            // GNU ld sorts data by it, and code still by the names that a layout gives.
            Some(b"sort-section") => !self.gold,
            _ => true,
        });
    }

    fn ordered(
        &self,
        recipe: &Recipe,
        words: &[Word],
        mut data: Vec<OrderedDatum>,
    ) -> Vec<OrderedDatum> {
        let sorts = words
            .iter()
            .any(|word| word.name() == Some(b"sort-section"));
        if !self.gold {
            data.clear();
        } else if !sorts {
            // What the build's own file does not name stands in front of what it names.
            let named = named(recipe, words);
            data.retain(|datum| named.contains(&datum.section));
        }
        data
    }

    fn carry_out(
        &self,
        machine: Machine,
        ballast: &[Piece],
        steps: &[Step],
        data: &[OrderedDatum],
        manner: Manner,
        folder: &Path,
    ) -> Result<Carried, LayoutError> {
        let mut fillers: Vec<Piece> = (1..)
            .zip(steps)
            .filter_map(|(place, step)| match step {
                Step::Filler(size) => Some((place, *size)),
                Step::Unit { .. } => None,
            })
            .map(|(place, size)| filler(place, size, manner))
            .collect();
        // GNU ld 2.40 sorts by inserting into a binary tree that it never balances: names that come
        // in order make a list of it, and the link takes quadratic time. The fillers come first; in
        // random order they make a tree of logarithmic depth in which everything else finds its
        // place quickly.
        fillers.shuffle(&mut rand_chacha::ChaCha8Rng::seed_from_u64(0));
        let mut pieces = ballast.to_vec();
        for piece in pieces.iter_mut().take(1) {
            piece.section = sorted_name(0);
        }
        pieces.append(&mut fillers);
        let mut carried = write_pads(machine, &pieces, manner, folder)?;
        if self.gold {
            // gold sorts by these names unasked, but then leaves the alignment it had reserved for
            // the order before at the end of the code; asked, it does not.
            let mut names: String = (0..=steps.len())
                .map(|place| sorted_name(place) + "\n")
                .collect();
            // What has no line stands in front of what has one.
            let mut known = HashSet::new();
            for datum in data.iter().filter(|datum| known.insert(&datum.section)) {
                names.push_str(&datum.section);
                names.push('\n');
            }
            let path = folder.join("order");
            std::fs::write(&path, names).map_err(LayoutError::file("write", &path))?;
            carried.arguments.push(Word {
                prefix: "--section-ordering-file=".into(),
                ..Word::flag(path)
            });
        }
        Ok(carried)
    }
}

/// The sections that a link's own ordering files name, a line each. Patterns are not known by it.
fn named(recipe: &Recipe, words: &[Word]) -> HashSet<String> {
    let given = words
        .iter()
        .filter(|word| word.name() == Some(b"section-ordering-file"))
        .map(|word| Path::new(&word.value));
    let files = given.filter_map(|given| recipe.inputs.iter().find(|input| input.given == given));
    // One that cannot be read leaves data in another order, which is found and refused.
    let texts = files.filter_map(|file| std::fs::read_to_string(&file.blob).ok());
    let lines = |text: String| {
        text.lines()
            .map(|line| line.trim().to_owned())
            .collect::<Vec<_>>()
    };
    texts.flat_map(lines).collect()
}

fn filler(place: usize, size: u64, manner: Manner) -> Piece {
    let symbols = if manner.collects {
        vec![(format!("pmf.{place:07}"), 0)]
    } else {
        Vec::new()
    };
    Piece {
        section: sorted_name(place),
        block: Block::Text,
        flags: 0,
        size,
        alignment: 1,
        symbols,
    }
}

fn sorted_name(place: usize) -> String {
    format!("{SORTED}{place:0DIGITS$}")
}

#[cfg(test)]
mod tests {
    use super::version;

    #[test]
    fn the_release_is_read_from_what_the_linker_says() {
        assert_eq!(
            version("GNU ld (GNU Binutils for Debian) 2.40"),
            Some((2, 40))
        );
        assert_eq!(version("GNU ld version 2.35.2-24.el9"), Some((2, 35)));
        assert_eq!(
            version("GNU ld (GNU Binutils) 2.41.0.20230926"),
            Some((2, 41))
        );
        assert_eq!(version("something"), None);
    }
}
