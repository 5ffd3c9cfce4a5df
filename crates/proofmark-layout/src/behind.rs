//! What stands behind all other inputs of a link: common symbols, and the ends of leads.
//!
//! Linkers put sections that they have no place for one behind the other, those of a kind together.
//! So a section of our own in front of them draws where they start. What it leaves of a page stands
//! behind them: the image is equally long in all layouts.

use std::path::Path;

use crate::LayoutError;
use crate::data::{PAGE, lead};
use crate::elf::Machine;
use crate::elf::block::Block;
use crate::elf::pad::{Manner, Piece, ZEROED, write};
use crate::link::argv::Word;
use crate::units::Units;

/// Bytes in front of the sections with names of their own of a kind, which programs write to.
pub(crate) struct Lead {
    section: &'static str,
    block: Block,
    size: u64,
    alignment: u64,
}

/// The leads of a build in the layout of a seed.
pub(crate) fn leads(units: &Units, seed: u64) -> Vec<Lead> {
    let lead = |(block, section): (Block, &'static str)| {
        let own = units.own_sections.values();
        let of_kind = own.filter(|one| one.0 == block);
        // By multiples of the largest, what alignment adds between them is always the same.
        let alignment = of_kind.map(|one| one.1).max()?;
        Some(Lead {
            section,
            block,
            size: lead(section, alignment, seed),
            alignment,
        })
    };
    let kinds = [(Block::Data, ".pm.rw"), (Block::Bss, ".pm.zero")];
    kinds.into_iter().filter_map(lead).collect()
}

impl Lead {
    /// None of no bytes.
    pub(crate) fn front(&self) -> Option<Piece> {
        (self.size > 0).then(|| self.piece("", self.size))
    }

    /// What is left of a page.
    fn end(&self) -> Piece {
        // Sections of one name would be put together.
        self.piece(".end", PAGE.saturating_sub(self.size).max(1))
    }

    fn piece(&self, behind: &str, size: u64) -> Piece {
        let section = format!("{}{behind}", self.section);
        Piece {
            symbols: vec![(format!("pmb{}", section.replace('.', "_")), 0)],
            section,
            block: self.block,
            size,
            alignment: self.alignment,
        }
    }
}

/// What stands behind all others in one link.
pub(crate) struct Behind {
    pub(crate) machine: Machine,
    /// The object that defines common symbols.
    pub(crate) commons: Option<Vec<u8>>,
    pub(crate) leads: Vec<Lead>,
}

impl Behind {
    /// Writes it into a folder; gives the arguments that make a link take it.
    pub(crate) fn write(self, manner: Manner, folder: &Path) -> Result<Vec<Word>, LayoutError> {
        let mut words = Vec::new();
        let mut add = |name: &str, object: &[u8], roots: &[&str]| {
            let path = folder.join(name);
            std::fs::write(&path, object).map_err(LayoutError::file("write", &path))?;
            words.extend(roots.iter().map(|root| Word {
                option: Some("-u".into()),
                ..Word::flag(*root)
            }));
            words.push(Word::input(&path));
            Ok::<_, LayoutError>(())
        };
        if let Some(commons) = self.commons {
            add("commons.o", &commons, &[ZEROED])?;
        }
        if !self.leads.is_empty() {
            let ends: Vec<Piece> = self.leads.iter().map(Lead::end).collect();
            let symbols = ends.iter().flat_map(|piece| &piece.symbols);
            let roots: Vec<&str> = symbols.map(|(name, _)| name.as_str()).collect();
            add("behind.o", &write(self.machine, &ends, manner), &roots)?;
        }
        Ok(words)
    }
}
