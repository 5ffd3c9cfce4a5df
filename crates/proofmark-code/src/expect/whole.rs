//! The functions that an expectation is about: each with its pieces, alone or all together.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeMap;

use super::term::Term;
use crate::facts::{self, Fact, Facts, Site};
use crate::image::Image;
use crate::pattern::Pattern;
use crate::source::Sources;

/// An image with its debug information, opened when it is first asked for.
pub(super) struct Subject<'a> {
    pub(super) image: &'a Image,
    sources: OnceCell<Option<Sources>>,
}

impl<'a> Subject<'a> {
    pub(super) fn new(image: &'a Image) -> Self {
        Subject {
            image,
            sources: OnceCell::new(),
        }
    }

    pub(super) fn sources(&self) -> Option<&Sources> {
        self.sources
            .get_or_init(|| Sources::open(self.image))
            .as_ref()
    }
}

/// A function with its pieces.
pub(super) struct Whole<'a> {
    pub(super) subject: &'a Subject<'a>,
    pub(super) index: usize,
    pieces: Vec<usize>,
    pub(super) facts: Facts,
}

/// The functions that a pattern means, each with its pieces where those count as part of it.
pub(super) fn wholes<'a>(
    subjects: &'a [Subject<'a>],
    pattern: &Pattern,
    with_pieces: bool,
) -> Vec<Whole<'a>> {
    let mut wholes = Vec::new();
    for subject in subjects {
        let image = subject.image;
        let mut pieces = BTreeMap::new();
        if with_pieces {
            pieces = all_pieces(image);
        }
        for index in pattern.find(image) {
            let function = &image.functions()[index];
            if function.is_piece() && pattern.text() != function.symbol() {
                continue;
            }
            let pieces = pieces.remove(&index).unwrap_or_default();
            wholes.push(Whole::new(subject, index, pieces));
        }
    }
    wholes
}

/// The pieces of each function that has any.
pub(super) fn all_pieces(image: &Image) -> BTreeMap<usize, Vec<usize>> {
    let mut pieces: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (i, function) in image.functions().iter().enumerate() {
        if let Some(parent) = function.parent().filter(|_| function.is_piece()) {
            pieces.entry(parent).or_default().push(i);
        }
    }
    pieces
}

impl<'a> Whole<'a> {
    fn new(subject: &'a Subject<'a>, index: usize, pieces: Vec<usize>) -> Self {
        let mut facts = Facts::of(subject.image, index);
        for piece in &pieces {
            facts.join(&Facts::of(subject.image, *piece));
        }
        Whole {
            subject,
            index,
            pieces,
            facts,
        }
    }

    pub(super) fn name(&self) -> String {
        let function = &self.subject.image.functions()[self.index];
        match self.subject.image.member() {
            Some(member) => format!("{} ({member})", function.name()),
            None => function.name(),
        }
    }

    /// The sites that call a function which the pattern means.
    fn calls_to(&self, callee: &Pattern) -> u64 {
        let calls = self.facts.calls().iter();
        let meant = calls.filter(|c| facts::is_called(self.subject.image, c.target, callee));
        meant.map(|c| u64::from(c.sites)).sum()
    }

    /// Every place that a term counts.
    pub(super) fn sites(&self, term: &Term) -> Vec<Site> {
        let image = self.subject.image;
        let all = std::iter::once(self.index).chain(self.pieces.iter().copied());
        match term {
            Term::Fact(fact) => all.flat_map(|i| facts::sites(image, i, *fact)).collect(),
            Term::CallsTo(callee) => all
                .flat_map(|i| facts::call_sites(image, i, callee.pattern()))
                .collect(),
            _ => Vec::new(),
        }
    }
}

/// What a condition is checked on: one function, or several together.
pub(super) struct Group<'a> {
    pub(super) wholes: &'a [Whole<'a>],
    /// The facts of all of them together.
    pub(super) facts: Cow<'a, Facts>,
}

/// Each function alone, or all of them together.
pub(super) fn groups<'a>(wholes: &'a [Whole<'a>], together: bool) -> Vec<Group<'a>> {
    let each = if together { wholes.len() } else { 1 };
    wholes.chunks(each.max(1)).filter_map(Group::of).collect()
}

impl<'a> Group<'a> {
    fn of(wholes: &'a [Whole<'a>]) -> Option<Self> {
        let (first, others) = wholes.split_first()?;
        let mut facts = Cow::Borrowed(&first.facts);
        for other in others {
            facts.to_mut().join(&other.facts);
        }
        Some(Group { wholes, facts })
    }

    /// The function, where it is one.
    pub(super) fn alone(&self) -> Option<&'a Whole<'a>> {
        match self.wholes {
            [whole] => Some(whole),
            _ => None,
        }
    }

    /// The function's name, where it is one.
    pub(super) fn name(&self) -> Option<String> {
        self.alone().map(Whole::name)
    }

    /// In how many functions something was found, where it is not one.
    pub(super) fn of_several(&self) -> String {
        match self.wholes {
            [_] => String::new(),
            several => format!(" in {} functions together", several.len()),
        }
    }

    /// How much of a fact lies in what the compiler split off, which `inspect` and `diff` count
    /// apart; empty where it is nothing.
    pub(super) fn of_pieces(&self, term: &Term) -> String {
        let Term::Fact(fact) = term else {
            return String::new();
        };
        // Of these the pieces' numbers do not add up to the whole's.
        if matches!(fact, Fact::VectorBits | Fact::L1iSets) {
            return String::new();
        }
        let apart = |whole: &Whole<'_>| {
            let image = whole.subject.image;
            let of = |&piece: &usize| {
                let name = image.functions()[piece].name();
                (name, Facts::of(image, piece).get(*fact))
            };
            whole.pieces.iter().map(of).collect::<Vec<_>>()
        };
        let mut pieces: Vec<(String, u64)> = self.wholes.iter().flat_map(apart).collect();
        pieces.retain(|(_, number)| *number > 0);
        match pieces.as_slice() {
            [] => String::new(),
            [(name, number)] => format!(", {number} of it in {name}"),
            several => {
                let sum: u64 = several.iter().map(|(_, number)| number).sum();
                format!(
                    ", {sum} of it in {} parts that were split off",
                    several.len()
                )
            }
        }
    }

    pub(super) fn value(&self, term: &Term, matched: usize) -> u64 {
        match term {
            Term::Number(n) | Term::Named(_, n) => *n,
            Term::Fact(fact) => self.facts.get(*fact),
            Term::Functions => matched as u64,
            Term::CallsTo(callee) => {
                let calls = self.wholes.iter().map(|w| w.calls_to(callee.pattern()));
                calls.sum()
            }
        }
    }
}
