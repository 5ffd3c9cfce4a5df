//! The disassemblies of a changed function side by side.

use std::hash::Hash;
use std::time::{Duration, Instant};

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

use super::canonical::canonical;
use super::constant::Constant;
use super::content::{Piece, Target, constant, pieces};
use super::difference::Pair;
use super::idle::NoOps;
use crate::address::Address;
use crate::image::Image;
use crate::listing::{Line, listing};
use crate::source::Sources;

/// After this time a worse alignment is taken: two long functions with nothing in common would keep
/// the search busy for ever.
const PATIENCE: Duration = Duration::from_secs(2);

/// A row of two disassemblies side by side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Aligned {
    /// In both.
    Both(Line, Line),
    /// Only in the base.
    Base(Line),
    /// Only in the new one.
    New(Line),
}

/// The disassemblies of a pair, aligned by content. Padding is left out.
#[must_use]
pub fn aligned(
    base: &Image,
    new: &Image,
    pair: Pair,
    sources: (Option<&Sources>, Option<&Sources>),
) -> Vec<Aligned> {
    let a = pieces(base, pair.base, NoOps::Count);
    let b = pieces(new, pair.new, NoOps::Count);
    let left = keys(base, &a);
    let right = keys(new, &b);
    let ops = capture_diff_slices_deadline(
        Algorithm::Myers,
        &left,
        &right,
        Some(Instant::now() + PATIENCE),
    );
    let old = Lines::of(base, pair.base, sources.0);
    let fresh = Lines::of(new, pair.new, sources.1);
    let mut rows = Vec::with_capacity(a.len().max(b.len()));
    for op in ops {
        if let DiffOp::Equal {
            old_index,
            new_index,
            len,
        } = op
        {
            for k in 0..len {
                rows.extend(
                    old.at(&a[old_index + k])
                        .zip(fresh.at(&b[new_index + k]))
                        .map(|(x, y)| Aligned::Both(x, y)),
                );
            }
            continue;
        }
        let (gone, come) = (&a[op.old_range()], &b[op.new_range()]);
        let before = |k: usize| constant(base, pair.base, *gone.get(k)?);
        let after = |k: usize| constant(new, pair.new, *come.get(k)?);
        // Lines that stand for each other: then one sees in what their texts differ.
        let alike = gone.len() == come.len();
        let from = |k: usize| match alike {
            true => Constant::apart(before(k), after(k)),
            false => 0,
        };
        for (k, piece) in gone.iter().enumerate() {
            let line = old.at(piece).map(|line| with(line, before(k), from(k)));
            rows.extend(line.map(Aligned::Base));
        }
        for (k, piece) in come.iter().enumerate() {
            let line = fresh.at(piece).map(|line| with(line, after(k), from(k)));
            rows.extend(line.map(Aligned::New));
        }
    }
    rows
}

/// A line with the constant that it uses, where names stand in others.
fn with(mut line: Line, constant: Option<Constant<'_>>, from: usize) -> Line {
    if let Some(constant) = constant {
        line.text = format!("{} <{}>", line.text, constant.shown(from));
    }
    line
}

/// What two instructions must share to stand in one row: everything but where a branch inside the
/// function leads.
#[derive(PartialEq, Eq, Hash)]
enum Key<'a> {
    Plain(u64),
    Named(u64, &'a str, u64),
    Known(u64, u64),
    Nameless(u64),
    Number(u64, u64),
}

fn keys<'a>(image: &'a Image, pieces: &[Piece]) -> Vec<Key<'a>> {
    pieces
        .iter()
        .map(|p| match p.target {
            None => Key::Plain(p.shape),
            Some(Target::Known(hash)) => Key::Known(p.shape, hash),
            Some(Target::Nameless) => Key::Nameless(p.shape),
            Some(Target::Number(number)) => Key::Number(p.shape, number),
            Some(Target::Function { index, within }) => {
                match image.functions[index].symbol.as_deref() {
                    Some(symbol) => Key::Named(p.shape, canonical(symbol), within),
                    None => Key::Nameless(p.shape),
                }
            }
        })
        .collect()
}

/// A listing to be looked up by address.
struct Lines(Vec<Line>);

impl Lines {
    fn of(image: &Image, index: usize, sources: Option<&Sources>) -> Lines {
        Lines(listing(image, index, sources))
    }

    fn at(&self, piece: &Piece) -> Option<Line> {
        let address = Address::new(piece.address);
        self.0
            .binary_search_by_key(&address, |l| l.address)
            .ok()
            .map(|i| self.0[i].clone())
    }
}
