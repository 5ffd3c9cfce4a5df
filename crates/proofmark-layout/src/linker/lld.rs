//! lld and rust-lld: an order file. The inputs are patched once; a layout is a new order file and a
//! new pad object.

use std::fmt::Write;
use std::path::Path;

use super::{Backend, Carried, OrderedDatum, Step, keep_symbols, write_pads};
use crate::LayoutError;
use crate::elf::Machine;
use crate::elf::block::Block;
use crate::elf::pad::{Manner, Piece};
use crate::link::argv::Word;
use crate::recipe::Recipe;
use crate::sorted::handle;

/// The back-end for lld.
pub(super) struct Lld;

impl Backend for Lld {
    fn sorts_by_name(&self) -> bool {
        false
    }

    fn balances_relro(&self) -> bool {
        true
    }

    fn adapt(&self, words: &mut Vec<Word>) {
        keep_symbols(words);
        let reorders = |word: &Word| {
            let name = word.name().unwrap_or_default();
            let prefixed = [
                b"shuffle-sections=".as_slice(),
                b"randomize-section-padding=",
                b"call-graph-profile-sort",
                b"no-call-graph-profile-sort",
                b"bp-",
            ];
            matches!(name, b"symbol-ordering-file" | b"call-graph-ordering-file" | b"print-symbol-order")
                || prefixed.iter().any(|prefix| name.starts_with(prefix))
                // It would part the code into several sections of the image.
                || (name == b"z" && word.value == "keep-text-section-prefix")
        };
        words.retain(|word| !reorders(word));
    }

    fn ordered(&self, _: &Recipe, words: &[Word], data: Vec<OrderedDatum>) -> Vec<OrderedDatum> {
        let orders = |word: &Word| {
            let name = word.name().unwrap_or_default();
            let prefixed = [b"shuffle-sections=".as_slice(), b"bp-"];
            name == b"symbol-ordering-file"
                || prefixed.iter().any(|prefix| name.starts_with(prefix))
        };
        if words.iter().any(orders) {
            data
        } else {
            Vec::new()
        }
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
        let mut pieces = ballast.to_vec();
        let mut order = String::with_capacity(steps.len() * 12);
        for (name, _) in ballast.iter().take(1).flat_map(|piece| &piece.symbols) {
            order.push_str(name);
            order.push('\n');
        }
        for (place, step) in steps.iter().enumerate() {
            let name = match step {
                Step::Unit { unit, .. } => handle(*unit),
                Step::Filler(size) => {
                    let name = format!("pmf.{place:07}");
                    pieces.push(Piece {
                        section: ".text".to_string(),
                        block: Block::Text,
                        flags: 0,
                        size: *size,
                        alignment: 1,
                        symbols: vec![(name.clone(), 0)],
                    });
                    name
                }
            };
            // Writing to a string does not fail.
            let _ = writeln!(order, "{name}");
        }
        // What has no line stands behind what has one, and ballast belongs in front.
        let ballast = ballast.iter().skip(1).filter(|_| !data.is_empty());
        let ballast = ballast.filter_map(|piece| piece.symbols.first());
        let ballast = ballast.map(|(name, _)| name.clone());
        for name in ballast.chain(data.iter().map(|datum| handle(datum.unit))) {
            let _ = writeln!(order, "{name}");
        }
        let mut carried = write_pads(machine, &pieces, manner, folder)?;
        let path = folder.join("order");
        std::fs::write(&path, order).map_err(LayoutError::file("write", &path))?;
        carried.arguments.push(Word {
            prefix: "--symbol-ordering-file=".into(),
            ..Word::flag(path)
        });
        carried
            .arguments
            .push(Word::flag("--no-warn-symbol-ordering"));
        Ok(carried)
    }
}
