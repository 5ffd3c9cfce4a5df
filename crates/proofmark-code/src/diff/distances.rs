//! Tables of distances between places of one function, as GNU C's `&&there - &&here` makes them.
//! Where the function is padded elsewhere, the numbers are others and mean the same places.

use std::sync::OnceLock;

use super::numbered::{Numbered, Place, padded};
use crate::image::Datum;

/// Bytes of an entry.
const WIDTHS: [u64; 3] = [4, 8, 2];

/// Two images whose tables are compared.
pub(super) struct Distances<'n, 'i> {
    sides: [&'n Numbered<'i>; 2],
    /// Functions that are padded elsewhere; looked for when a table differs.
    padded: OnceLock<Vec<[usize; 2]>>,
}

impl<'n, 'i> Distances<'n, 'i> {
    pub(super) fn new(base: &'n Numbered<'i>, new: &'n Numbered<'i>) -> Self {
        Distances {
            sides: [base, new],
            padded: OnceLock::new(),
        }
    }

    /// Whether there is a function with other padding, and an instruction in it from which all
    /// entries of both tables lead to the same instructions.
    pub(super) fn same(&self, a: &Datum, b: &Datum) -> bool {
        let [base, new] = self.sides;
        if is_filled(base, a) || is_filled(new, b) {
            return false;
        }
        let padded = self.padded.get_or_init(|| padded(base, new));
        let widths = WIDTHS.iter().filter(|width| a.size.is_multiple_of(**width));
        let mut tables = widths.filter_map(|width| {
            let tables = [entries(base, a, *width)?, entries(new, b, *width)?];
            Some(tables).filter(|[mine, theirs]| mine.len() == theirs.len())
        });
        tables.any(|tables| padded.iter().any(|pair| self.lead_alike(&tables, *pair)))
    }

    fn lead_alike(&self, tables: &[Vec<i64>; 2], pair: [usize; 2]) -> bool {
        let starts = [0, 1].map(|side| {
            let all = self.sides[side].instructions(pair[side]).iter();
            all.map(|[start, _]| *start).collect::<Vec<u64>>()
        });
        let to = |side: usize, from: u64, distance: i64| -> Option<Place> {
            let at = from.checked_add_signed(distance)?;
            let function = &self.sides[side].functions[pair[side]];
            let within = (function.address..function.end()).contains(&at);
            let place = within.then(|| self.sides[side].place(pair[side], at))?;
            (place.bytes == 0).then_some(place)
        };
        starts[0].iter().zip(&starts[1]).any(|(mine, theirs)| {
            let mut entries = tables[0].iter().zip(&tables[1]);
            entries.all(|(p, q)| {
                let place = to(0, *mine, *p);
                place.is_some() && place == to(1, *theirs, *q)
            })
        })
    }
}

/// Whether the loader fills in any of it: then its bytes do not say what it holds.
fn is_filled(side: &Numbered<'_>, datum: &Datum) -> bool {
    let mut bytes = datum.address..datum.address + datum.size;
    bytes.any(|at| side.space.pointers.at(at).is_some() || side.link_at(at).is_some())
}

/// The entries of a table; none of what its file does not hold.
fn entries(side: &Numbered<'_>, datum: &Datum, width: u64) -> Option<Vec<i64>> {
    let bytes = side.bytes_at(datum.address, datum.size);
    let width = usize::try_from(width).ok()?;
    let entry = |bytes: &[u8]| match *bytes {
        [a, b] => i64::from(i16::from_le_bytes([a, b])),
        [a, b, c, d] => i64::from(i32::from_le_bytes([a, b, c, d])),
        _ => bytes.try_into().map_or(0, i64::from_le_bytes),
    };
    (!bytes.is_empty()).then(|| bytes.chunks_exact(width).map(entry).collect())
}
