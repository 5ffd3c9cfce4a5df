//! What an address leads to, and whether two addresses of two images lead to the same thing.

use super::canonical::canonical;
use super::numbered::{Numbered, Place};
use crate::image::Image;

/// So many data that begin before an address are looked at.
const NEAR: usize = 8;

/// Whether an address is in a section, or right behind one.
pub(super) fn inside(image: &Image, at: u64) -> bool {
    at != 0 && image.section_at(at).is_some() || image.section_at(at.wrapping_sub(1)).is_some()
}

/// Which texts without a name are compared. A short one may as well be an entry of a table, whose
/// bytes say nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Texts {
    /// Those of four letters and more.
    Long,
    /// All of them.
    All,
}

/// Whether two addresses lead to the same thing.
pub(super) fn same_place(
    base: &Numbered<'_>,
    x: u64,
    new: &Numbered<'_>,
    y: u64,
    texts: Texts,
) -> bool {
    let (a, b) = (readings(base, x), readings(new, y));

    if a.iter().any(|reading| b.contains(reading)) {
        return true;
    }
    // That something ends here may be chance. What begins here, or stands around it, is not.
    let nameless = |readings: &[Reading]| readings.iter().all(|reading| reading.end);
    nameless(&a) && nameless(&b) && alike(base, x, new, y, texts)
}

/// What an address can be meant as.
#[derive(Debug, PartialEq, Eq)]
struct Reading {
    name: String,
    within: Within,
    /// The end of it.
    end: bool,
}

/// How far into something an address leads.
#[derive(Debug, PartialEq, Eq)]
enum Within {
    /// By bytes.
    Bytes(u64),
    /// By instructions.
    Code(Place),
}

/// Everything that an address can be meant as, by name and distance.
fn readings(image: &Numbered<'_>, at: u64) -> Vec<Reading> {
    let reading = |name: &str, within: Within, end: bool| Reading {
        name: canonical(name).to_string(),
        within,
        end,
    };
    let mut found = Vec::new();
    if let Some(link) = image.link_at(at) {
        found.push(reading(&link.name, Within::Bytes(0), false));
    }
    if let Some(index) = image.function_at(at) {
        let function = &image.functions[index];
        let place = image.place(index, at);
        let names = function.symbol.as_deref().into_iter();
        let names = names.chain(function.aliases());
        found.extend(names.map(|name| reading(name, Within::Code(place), false)));
    }
    // Several data may begin at one address, and another one end there.
    let after = image.data_symbols.partition_point(|d| d.address <= at);
    for datum in image.data_symbols[..after].iter().rev().take(NEAR) {
        let within = at - datum.address;
        if within <= datum.size {
            let end = within == datum.size;
            found.push(reading(&datum.name, Within::Bytes(within), end));
        }
    }
    found
}

/// Whether what stands at two addresses without a name may be the same.
fn alike(base: &Numbered<'_>, x: u64, new: &Numbered<'_>, y: u64, texts: Texts) -> bool {
    let (a, b) = match (base.section_at(x), new.section_at(y)) {
        (Some(a), Some(b)) => (a, b),
        // Behind the last byte of a section.
        (a, b) => return a.is_none() == b.is_none() || inside(base, x) && inside(new, y),
    };
    if (a.executable, a.writable) != (b.executable, b.writable) {
        return false;
    }
    if a.writable || a.executable {
        return true;
    }
    let shortest = match texts {
        Texts::Long => 4,
        Texts::All => 0,
    };
    let text = |image: &Image, at: u64| -> Option<Vec<u8>> {
        let bytes = image.bytes_at(at, 64);
        let end = bytes.iter().position(|byte| *byte == 0)?;
        let printable = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t');
        (end >= shortest && bytes[..end].iter().all(printable)).then(|| bytes[..end].to_vec())
    };
    match (text(base, x), text(new, y)) {
        (Some(a), Some(b)) => a == b,
        _ => true,
    }
}
