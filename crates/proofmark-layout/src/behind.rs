//! What stands behind all other inputs of a link: common symbols, and the ends of leads.
//!
//! Linkers put sections that they have no place for one behind the other, those of a kind together.
//! So a section of our own in front of them draws where they start, and no other byte is between
//! them. What it leaves of a page stands behind them: the image is equally long in all layouts.

use std::collections::BTreeMap;
use std::path::Path;

use crate::LayoutError;
use crate::commons::Definitions;
use crate::data::{PAGE, lead};
use crate::elf::Machine;
use crate::elf::own::OwnSections;
use crate::elf::pad::{Manner, Piece, write};
use crate::link::argv::Word;

/// Bytes in front of the sections with names of their own of a kind.
pub(crate) struct Lead {
    kind: OwnSections,
    size: u64,
    alignment: u64,
}

/// The leads of a build with these sections in the layout of a seed.
pub(crate) fn leads(own_sections: &BTreeMap<OwnSections, u64>, seed: u64) -> Vec<Lead> {
    // By multiples of the largest alignment, what alignment adds between them is always the same.
    let lead = |(kind, alignment): (&OwnSections, &u64)| Lead {
        kind: *kind,
        size: lead(kind.front(), *alignment, seed),
        alignment: *alignment,
    };
    own_sections.iter().map(lead).collect()
}

impl Lead {
    /// None of no bytes.
    pub(crate) fn front(&self) -> Option<Piece> {
        let section = self.kind.front().to_owned();
        (self.size > 0).then(|| self.piece("front", section, self.size))
    }

    /// What is left of a page.
    fn end(&self) -> Piece {
        let size = PAGE.saturating_sub(self.size).max(1);
        self.piece("end", self.kind.end(), size)
    }

    fn piece(&self, side: &str, section: String, size: u64) -> Piece {
        let name = section.trim_start_matches('.').replace('.', "_");
        Piece {
            symbols: vec![(format!("pmb_{name}_{side}"), 0)],
            section,
            block: self.kind.block(),
            flags: self.kind.flags(),
            size,
            alignment: self.alignment,
        }
    }
}

/// What stands behind all others in one link.
pub(crate) struct Behind {
    pub(crate) machine: Machine,
    pub(crate) commons: Option<Definitions>,
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
            add("commons.o", &commons.object, &commons.roots)?;
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
