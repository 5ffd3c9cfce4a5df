//! Whether one image is another with its code and data at other addresses, and nothing else.
//!
//! [`compare`](super::compare) says what became of functions for people to read. Here the answer is
//! a yes or a list of what speaks against it: functions, and data with a name, by content. An
//! address in a pointer or an instruction is the same where it leads to the same thing, also to the
//! end of the same thing: what stands behind an array in one image stands elsewhere in the other.
//! Within a function the same thing is the same instruction, however much padding is before it.

use std::collections::HashMap;

use rayon::prelude::*;

use super::canonical::canonical;
use super::compare::compare_with;
use super::content::pieces;
use super::difference::Pair;
use super::distances::Distances;
use super::idle::NoOps;
use super::matching::matched;
use super::meant::{Texts, inside, same_place};
use super::numbered::Numbered;
use crate::address::Address;
use crate::image::{Datum, Image, LinkKind};
use crate::space::Section;

/// Something that one image has and the other has not, or not so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unlike {
    /// Its name in the base if it is there, as people write it.
    pub name: String,
    /// What it is.
    pub kind: UnlikeKind,
    /// What is wrong with it.
    pub how: How,
    /// Where it is in both images; of what only one of them has, there and nowhere.
    pub at: [Option<Address>; 2],
}

/// What differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnlikeKind {
    /// A function.
    Function,
    /// A datum with a name.
    Datum,
    /// A section that is read from end to end.
    Section,
}

/// How it differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// Both have it, with another content.
    Content,
    /// The second image lacks it.
    Missing,
    /// Only the second image has it.
    Added,
    /// Both have its content, under another name.
    Renamed,
}

impl std::fmt::Display for Unlike {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kind = match self.kind {
            UnlikeKind::Function => "the function",
            UnlikeKind::Datum => "the datum",
            UnlikeKind::Section => "the section",
        };
        let how = match self.how {
            How::Content => "has another content",
            How::Missing => "is missing",
            How::Added => "is there in addition",
            How::Renamed => "goes by another name",
        };
        write!(f, "{kind} {} {how}", self.name)
    }
}

/// What in `new` is not as it is in `base`, addresses apart. Both have to have their symbols: what
/// has no name is compared as far as something with a name refers to it.
#[must_use]
pub fn unlike(base: &Image, new: &Image) -> Vec<Unlike> {
    let (base, new) = (&Numbered::new(base), &Numbered::new(new));
    let (mut found, data) = rayon::join(|| functions(base, new), || data(base, new));
    found.extend(data);
    found.extend(arrays(base, new));
    found
}

fn functions(base: &Numbered<'_>, new: &Numbered<'_>) -> Vec<Unlike> {
    let difference = compare_with(base, new, NoOps::LeftOut);
    let place = |image: &Image, index: Option<usize>| index.map(|i| image.functions[i].address());
    let one = |mine: Option<usize>, theirs: Option<usize>, how: How| Unlike {
        name: match (mine, theirs) {
            (Some(index), _) => base.functions[index].name(),
            (None, Some(index)) => new.functions[index].name(),
            (None, None) => String::new(),
        },
        kind: UnlikeKind::Function,
        how,
        at: [place(base, mine), place(new, theirs)],
    };
    let changed = difference
        .changed
        .par_iter()
        .filter(|pair| !same_but_for_ends(base, new, **pair));
    let mut found: Vec<Unlike> = changed
        .map(|pair| one(Some(pair.base), Some(pair.new), How::Content))
        .collect();
    let removed = difference.removed.iter();
    found.extend(removed.map(|index| one(Some(*index), None, How::Missing)));
    let added = difference.added.iter();
    found.extend(added.map(|index| one(None, Some(*index), How::Added)));
    let renamed = difference.renamed.iter();
    found.extend(renamed.map(|pair| one(Some(pair.base), Some(pair.new), How::Renamed)));
    found
}

/// Whether functions that look changed differ in nothing but how addresses at the end of something
/// are read.
fn same_but_for_ends(base: &Numbered<'_>, new: &Numbered<'_>, pair: Pair) -> bool {
    let (a, b) = (
        pieces(base, pair.base, NoOps::LeftOut),
        pieces(new, pair.new, NoOps::LeftOut),
    );
    a.len() == b.len()
        && a.iter().zip(&b).all(|(a, b)| {
            let leads = match (a.reference, b.reference) {
                (Some(a), Some(b)) => same_place(base, a.address, new, b.address, Texts::Long),
                (a, b) => a.is_none() && b.is_none(),
            };
            a.shape == b.shape && a.leads == b.leads && (a.target == b.target || leads)
        })
}

fn data(base: &Numbered<'_>, new: &Numbered<'_>) -> Vec<Unlike> {
    let mut there: HashMap<&str, Vec<&Datum>> = HashMap::new();
    for datum in data_of(new) {
        there.entry(canonical(&datum.name)).or_default().push(datum);
    }
    let mut here: HashMap<&str, Vec<&Datum>> = HashMap::new();
    for datum in data_of(base) {
        here.entry(canonical(&datum.name)).or_default().push(datum);
    }
    let distances = Distances::new(base, new);
    let mut found: Vec<Unlike> = here
        .par_iter()
        .flat_map_iter(|(name, mine)| {
            let theirs = there.get(name).map_or(&[][..], Vec::as_slice);
            left_over((base, new), (mine, theirs), &distances)
        })
        .collect();
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

/// Named data outside of code, which functions are compared for, and outside of the tables that a
/// linker makes for the loader.
fn data_of(image: &Image) -> impl Iterator<Item = &Datum> {
    image.data_symbols.iter().filter(|datum| {
        let section = image.section_at(datum.address);
        let own =
            |section: &Section| section.name != ".dynamic" && !section.name.starts_with(".got");
        datum.size > 0 && section.is_some_and(|section| !section.executable && own(section))
    })
}

/// The arrays that start-up code or the program walks through from end to end: what is run before
/// and after `main`, and the sections that C can name. They are compared as they stand, with what
/// has no name in them.
fn arrays(base: &Numbered<'_>, new: &Numbered<'_>) -> Vec<Unlike> {
    let array = |section: &&Section| {
        let name = section.name.as_str();
        let in_c = |byte: u8| byte == b'_' || byte.is_ascii_alphanumeric();
        let known = [
            ".init_array",
            ".fini_array",
            ".preinit_array",
            ".ctors",
            ".dtors",
        ];
        !section.executable && !name.is_empty() && (known.contains(&name) || name.bytes().all(in_c))
    };
    let whole = |section: &Section| Datum {
        address: section.address,
        size: section.size,
        name: section.name.as_str().into(),
    };
    let mut found = Vec::new();
    for section in base.space.sections.iter().filter(array) {
        let mine = whole(section);
        let there = new
            .space
            .sections
            .iter()
            .find(|other| other.name == section.name);
        let same = |other| same_datum(base, &mine, new, &whole(other), Texts::Long);
        if !there.is_some_and(same) {
            found.push(Unlike {
                name: section.name.clone(),
                kind: UnlikeKind::Section,
                how: if there.is_some() {
                    How::Content
                } else {
                    How::Missing
                },
                at: [Some(Address::new(section.address)), None],
            });
        }
    }
    found
}

/// Of data of one name, those that have no counterpart of the same content.
fn left_over<'a>(
    (base, new): (&Numbered<'_>, &Numbered<'_>),
    (mine, theirs): (&[&'a Datum], &[&Datum]),
    distances: &Distances<'_, '_>,
) -> Vec<Unlike> {
    let mut free: Vec<&Datum> = theirs.to_vec();
    let mut alone = |mine: &[&'a Datum], alike: &dyn Fn(&Datum, &Datum) -> bool| {
        let mut alone = mine.to_vec();
        alone.retain(
            |datum| match free.iter().position(|other| alike(datum, other)) {
                Some(at) => {
                    free.swap_remove(at);
                    false
                }
                None => true,
            },
        );
        alone
    };
    let like = |a: &Datum, b: &Datum| same_datum(base, a, new, b, Texts::All);
    // What is like every other takes none that has the same name in full, or the same texts.
    let open = alone(mine, &|a, b| a.name == b.name && like(a, b));
    let open = alone(&open, &like);
    let same = |a: &Datum, b: &Datum| {
        same_datum(base, a, new, b, Texts::Long) || (a.size == b.size && distances.same(a, b))
    };
    let held = matched(open.len(), free.len(), |a, b| same(open[a], free[b]));
    let alone = open.iter().zip(held).filter(|(_, held)| held.is_none());
    alone
        .map(|(datum, _)| Unlike {
            name: crate::names::demangle(&datum.name),
            kind: UnlikeKind::Datum,
            how: if theirs.is_empty() {
                How::Missing
            } else {
                How::Content
            },
            at: [Some(Address::new(datum.address)), None],
        })
        .collect()
}

fn same_datum(base: &Numbered<'_>, a: &Datum, new: &Numbered<'_>, b: &Datum, texts: Texts) -> bool {
    if a.size != b.size {
        return false;
    }
    let bytes = |image: &Image, datum: &Datum| image.bytes_at(datum.address, datum.size).to_vec();
    let (mine, theirs) = (bytes(base, a), bytes(new, b));
    if mine.len() != theirs.len() {
        // One is zeros that take no place in the file.
        let zeros = |bytes: &[u8]| bytes.iter().all(|byte| *byte == 0);
        return zeros(&mine) && zeros(&theirs);
    }
    let mut at = 0;
    while at < a.size.max(1) {
        let left = a.size - at;
        let places = (a.address + at, b.address + at);
        let step = same_word(base, new, places, left, (a, b), texts);
        match step {
            Some(step) => at += step,
            None => return false,
        }
    }
    true
}

/// Compares what stands at two addresses; gives how many bytes were found to be the same.
fn same_word(
    base: &Numbered<'_>,
    new: &Numbered<'_>,
    (x, y): (u64, u64),
    left: u64,
    starts: (&Datum, &Datum),
    texts: Texts,
) -> Option<u64> {
    let filled = |image: &Image, at: u64| {
        let slot = image.link_at(at).filter(|link| link.kind == LinkKind::Slot);
        (
            image.space.pointers.at(at),
            slot.map(|link| link.name.to_string()),
        )
    };
    match (filled(base, x), filled(new, y)) {
        ((None, None), (None, None)) => {}
        ((Some(p), _), (Some(q), _)) => {
            return same_place(base, p, new, q, texts).then_some(8.min(left));
        }
        ((_, a), (_, b)) => return (a.is_some() && a == b).then_some(8.min(left)),
    }
    let (a, b) = (base.bytes_at(x, 8.min(left)), new.bytes_at(y, 8.min(left)));
    let width = (8 - x % 8).min(left);
    let part = |bytes: &[u8], width: u64| -> Vec<u8> {
        let width = usize::try_from(width).unwrap_or(8).min(bytes.len());
        bytes[..width].to_vec()
    };
    if part(a, width) == part(b, width) {
        return Some(width);
    }
    // An address in an image that is loaded where it was linked to.
    if let (Ok(p), Ok(q)) = (<[u8; 8]>::try_from(a), <[u8; 8]>::try_from(b)) {
        let (p, q) = (u64::from_le_bytes(p), u64::from_le_bytes(q));
        if inside(base, p) && inside(new, q) && same_place(base, p, new, q, texts) {
            return Some(8);
        }
    }
    same_half(base, (x, a), new, (y, b), starts, texts).then_some(4)
}

/// Four bytes that are equal, a short address, or a distance: from its own place, or from the start
/// of its table.
fn same_half(
    base: &Numbered<'_>,
    (x, a): (u64, &[u8]),
    new: &Numbered<'_>,
    (y, b): (u64, &[u8]),
    starts: (&Datum, &Datum),
    texts: Texts,
) -> bool {
    let half = |bytes: &[u8]| -> Option<i32> {
        Some(i32::from_le_bytes(bytes.get(..4)?.try_into().ok()?))
    };
    let (Some(p), Some(q)) = (half(a), half(b)) else {
        return false;
    };
    let from = |x: u64, y: u64| {
        let (p, q) = (
            x.wrapping_add_signed(i64::from(p)),
            y.wrapping_add_signed(i64::from(q)),
        );
        inside(base, p) && inside(new, q) && same_place(base, p, new, q, texts)
    };
    p == q || from(0, 0) || from(x, y) || from(starts.0.address, starts.1.address)
}
