//! The linkers that carry a layout out. A back-end says what it needs of the inputs, writes the pad
//! objects of a layout and changes the arguments; it knows nothing of builds or seeds.

mod gnu;
mod lld;

use std::path::{Path, PathBuf};

use crate::LayoutError;
use crate::elf::Machine;
use crate::elf::block::Block;
use crate::elf::pad::{MOST_PIECES, Manner, Piece, write};
use crate::link::argv::{Word, switch};
use crate::link::sections::folds;
use crate::recipe::{LinkerKind, Recipe};
use crate::units::{Live, Units, unsupported};

/// One element of the order of an image's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Bytes that nothing runs through.
    Filler(u64),
    /// A unit by its number, and its size with the gap behind it.
    Unit {
        /// Its number.
        unit: u32,
        /// Bytes.
        size: u64,
    },
}

/// A unit of data, for a link that asks for an order of data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OrderedDatum {
    /// Its number.
    pub(crate) unit: u32,
    /// The name of its section.
    pub(crate) section: String,
}

impl OrderedDatum {
    /// All data of an image, in the order of addresses.
    pub(crate) fn all(units: &Units, live: &Live) -> Vec<OrderedDatum> {
        let data = live.iter().filter_map(|(unit, address)| {
            let section = units.unit(*unit).0;
            (section.block != Block::Text).then_some((*address, *unit, &section.name))
        });
        let mut data: Vec<_> = data.collect();
        data.sort_unstable();
        data.into_iter()
            .map(|(_, unit, section)| OrderedDatum {
                unit,
                section: section.clone(),
            })
            .collect()
    }
}

/// What a back-end wrote for one layout.
pub(crate) struct Carried {
    /// Objects for the front of the command line.
    pub(crate) pads: Vec<PathBuf>,
    /// Arguments for its end.
    pub(crate) arguments: Vec<Word>,
}

/// A linker that can carry layouts out.
pub(crate) trait Backend: Send + Sync {
    /// Whether units are ordered by the names of their sections, which are then written anew for
    /// each layout.
    fn sorts_by_name(&self) -> bool;

    /// Whether ballast before constants that hold addresses keeps them in step.
    fn balances_relro(&self) -> bool;

    /// The section with which this block of data begins.
    fn front(&self, block: Block) -> &'static str {
        block.section_name()
    }

    /// Changes the arguments for a link in the build's own order that handles are read from.
    fn observe(&self, words: &mut Vec<Word>) {
        keep_symbols(words);
    }

    /// Changes the arguments for every link of a layout: what would reorder or hide what is
    /// promised is taken out.
    fn adapt(&self, words: &mut Vec<Word>);

    /// Of the data of a build, in the order of its own link, what layouts have to be told about:
    /// none where `adapt` takes nothing out of these arguments that orders data.
    fn ordered(
        &self,
        recipe: &Recipe,
        words: &[Word],
        data: Vec<OrderedDatum>,
    ) -> Vec<OrderedDatum>;

    /// Writes into `folder` what one layout needs. `ballast` are the pieces that start the blocks,
    /// that of the code first. `data` is in the order of the build, where its link asks for one.
    fn carry_out(
        &self,
        machine: Machine,
        ballast: &[Piece],
        steps: &[Step],
        data: &[OrderedDatum],
        manner: Manner,
        folder: &Path,
    ) -> Result<Carried, LayoutError>;
}

/// The back-end for a recipe's linker, or why there is none.
pub(crate) fn backend(recipe: &Recipe, words: &[Word]) -> Result<Box<dyn Backend>, LayoutError> {
    if words
        .iter()
        .any(|word| matches!(word.name(), Some(b"r" | b"relocatable")))
    {
        return Err(unsupported(
            recipe,
            "this link makes an object and no image (-r); ask for the image that it went into",
        ));
    }
    match recipe.linker.kind {
        LinkerKind::Lld => Ok(Box::new(lld::Lld)),
        LinkerKind::GnuLd => gnu::Gnu::new(recipe).map(|gnu| Box::new(gnu) as Box<dyn Backend>),
        LinkerKind::Gold => Ok(Box::new(gnu::Gnu::gold())),
        LinkerKind::Mold => Err(unsupported(
            recipe,
            "mold has no way to order sections. Build with -fuse-ld=lld or -fuse-ld=bfd for layouts; --layouts as-shipped compares the files as mold made them",
        )),
    }
}

/// What a link does with the sections that it is given.
pub(crate) fn manner(words: &[Word]) -> Manner {
    Manner {
        collects: switch(words, "gc-sections").unwrap_or(false),
        folds: folds(words),
    }
}

/// Takes out what would hide the symbols that promises are checked by. `-S` stays: it takes debug
/// information alone.
pub(crate) fn keep_symbols(words: &mut Vec<Word>) {
    let hides = |name: &[u8]| {
        matches!(
            name,
            b"s" | b"strip-all"
                | b"x"
                | b"discard-all"
                | b"X"
                | b"discard-locals"
                | b"retain-symbols-file"
        )
    };
    words.retain(|word| !word.name().is_some_and(hides));
}

/// Writes pieces into as many pad objects as their number takes, and roots each one.
fn write_pads(
    machine: Machine,
    pieces: &[Piece],
    manner: Manner,
    folder: &Path,
) -> Result<Carried, LayoutError> {
    let mut carried = Carried {
        pads: Vec::new(),
        arguments: Vec::new(),
    };
    for (index, pieces) in pieces.chunks(MOST_PIECES).enumerate() {
        let path = folder.join(format!("pad{index}.o"));
        std::fs::write(&path, write(machine, pieces, manner))
            .map_err(LayoutError::file("write", &path))?;
        carried.pads.push(path);
        let root = pieces.first().and_then(|piece| piece.symbols.first());
        let data = pieces
            .iter()
            .filter(|piece| piece.block != Block::Text)
            .filter_map(|piece| piece.symbols.first());
        carried
            .arguments
            .extend(root.into_iter().chain(data).map(|(symbol, _)| Word {
                option: Some("-u".into()),
                ..Word::flag(symbol)
            }));
    }
    Ok(carried)
}
