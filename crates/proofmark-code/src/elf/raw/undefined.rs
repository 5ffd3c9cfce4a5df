//! Ways out of an object file: its undefined functions, and a slot for each of its symbols.

use object::LittleEndian;
use object::elf;
use object::read::elf::Sym;

use super::names::Names;
use super::{File, Placement};
use crate::elf::never::never;
use crate::image::{Link, LinkKind};
use crate::space::{Pointers, Stretch};

/// The undefined functions of an object file and the slots of all its symbols.
pub(super) fn read(
    file: &File<'_>,
    whole: &Stretch,
    placement: &Placement,
) -> (Vec<Link>, Pointers) {
    let table = file.elf_symbol_table();
    let mut names = Names::of(file, whole, table);
    let mut links = Vec::new();
    let mut found = Vec::new();
    for (index, symbol) in table.enumerate() {
        let Some(name) = names.read(symbol).filter(|name| !name.is_empty()) else {
            continue;
        };
        if names.count(name).is_none() {
            break;
        }
        let name = names.name(symbol, name);
        let never_returns = never(&name);
        let section = symbol.st_shndx(LittleEndian);
        if section == elf::SHN_UNDEF || section == elf::SHN_COMMON {
            links.push(Link {
                address: placement.undefined(index),
                name: name.clone(),
                kind: LinkKind::Undefined,
                slot: 0,
                never_returns,
            });
        } else if let Some(address) = placement.symbol(file, index) {
            found.push((placement.slot(index), address));
        }
        links.push(Link {
            address: placement.slot(index),
            name,
            kind: LinkKind::Slot,
            slot: placement.slot(index),
            never_returns,
        });
    }
    links.sort_by_key(|l| l.address);
    let mut pointers = Pointers::default();
    pointers.add(found);
    (links, pointers)
}
