//! What the code of a file says beyond its tables: where functions without a symbol begin and where
//! they end, and which stub leads to which slot.

mod links;
mod sizes;
mod splits;
mod unwind;

use super::raw::{File, Ways};
use crate::image::{Function, Functions, Links};
use crate::space::Space;
use sizes::TooLong;

/// All functions of a file, and all ways out of it.
pub(super) struct Found {
    pub(super) functions: Functions,
    pub(super) links: Links,
}

/// Finds them. `named` are the functions that the symbols name, in order of address, and `complete`
/// says whether all have a symbol.
///
/// # Errors
/// When a function is longer than any can be.
pub(super) fn all(
    file: &File<'_>,
    space: &Space,
    named: Vec<Function>,
    ways: Ways,
    complete: bool,
) -> Result<Found, TooLong> {
    let mut functions = match &ways {
        Ways::Slots(_) if !complete => unwind::add(file, space, named),
        Ways::Slots(_) | Ways::Links(_) => named,
    };
    let links = match ways {
        Ways::Slots(slots) => links::of(space, slots, &functions),
        Ways::Links(links) => links,
    };
    sizes::complete(space, &mut functions)?;
    splits::tie(&mut functions);
    Ok(Found {
        functions: Functions::new(functions),
        links: Links::new(links),
    })
}
