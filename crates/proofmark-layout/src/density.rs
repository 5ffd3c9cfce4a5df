//! How densely a build's code and data lie by themselves, and how densely in matched layouts, where
//! they leave room for what the other build has in between.
//!
//! What is used together and lies together shares cache lines and pages. A change that puts it
//! together, or something between, changes how many of these a program touches; matched layouts
//! give both builds the same, and would hide that.

use std::collections::HashMap;

use crate::data::Frame;
use crate::elf::block::Block;
use crate::plan::{DATA, Plan};
use crate::seen::Seen;
use crate::survey::Look;

/// Bytes of a line of the cache.
const LINE: u64 = 64;

/// Bytes of a page.
const PAGE: u64 = 4096;

/// Any change may add this many lines or pages of data.
const FEW: Footprint = Footprint {
    lines: 64,
    pages: 4,
};

/// And of code: each function that only the other build has pushes what is behind it over the edge
/// of a page, and does not put it further apart in lines. In `cases/placement`, 7,317 lines in 115
/// pages lay in as many lines and 123 pages of matched layouts.
const FEW_OF_CODE: Footprint = Footprint {
    lines: 64,
    pages: 64,
};

/// The first-level cache (32 KiB) and its table of pages (64 entries) hold no more than this. More
/// counts, however much data the build has.
const MANY: Footprint = Footprint {
    lines: 512,
    pages: 64,
};

/// Between the two, this share of what the build has by itself counts.
const SHARE: f64 = 0.05;

/// Lines of the cache and pages that code or data lies in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    /// Cache lines of 64 bytes.
    pub lines: u64,
    /// Pages of 4096 bytes.
    pub pages: u64,
}

/// Code or data of a build lies in more memory in matched layouts than by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spread {
    /// Which of the two builds.
    pub build: usize,
    /// Whether it is its code, and not its data.
    pub code: bool,
    /// By itself.
    pub own: Footprint,
    /// In matched layouts of both.
    pub matched: Footprint,
}

/// What both builds' code or data would lie in, where that is more than any change makes.
pub(crate) fn spread(looks: &[Look; 2]) -> Option<Spread> {
    largest(spreads(looks).into_iter().filter(Spread::is_large))
}

/// The same where it is more than a few lines or pages, however much the build has: what is hot is
/// a small part of most programs.
pub(crate) fn spread_at_all(looks: &[Look; 2]) -> Option<Spread> {
    largest(spreads(looks).into_iter().filter(Spread::is_seen))
}

fn largest(spreads: impl Iterator<Item = Spread>) -> Option<Spread> {
    spreads.max_by_key(|spread| spread.matched.pages.saturating_sub(spread.own.pages))
}

/// Code and data of both builds.
fn spreads(looks: &[Look; 2]) -> Vec<Spread> {
    let seen = looks.each_ref().map(Look::seen);
    let plan = Plan::new(&seen);
    let mut found = Vec::new();
    for (build, (look, seen)) in looks.iter().zip(&seen).enumerate() {
        let own = |block: Block| {
            let of_block = |unit: &&u32| look.units.unit(**unit).0.block == block;
            let units: Vec<u32> = seen.order.iter().filter(of_block).copied().collect();
            let at = |unit: &u32| look.live.get(unit).copied().unwrap_or_default();
            let lies = footprint(units.iter().map(|unit| (at(unit), seen.size(*unit))));
            (units, lies)
        };
        found.push(Spread {
            build,
            code: true,
            own: own(Block::Text).1,
            matched: footprint(plan.one_behind_the_other(build).into_iter()),
        });
        let mut spread = Spread {
            build,
            code: false,
            own: Footprint::default(),
            matched: Footprint::default(),
        };
        for block in DATA {
            let (units, lies) = own(block);
            spread.own += lies;
            let kept = plan.frames.get(&block);
            let pieces = kept.map(|frame| pieces(build, seen, &units, frame));
            spread.matched += footprint(pieces.into_iter().flatten());
        }
        found.push(spread);
    }
    found
}

/// Start and size of each unit of a block where all are enlarged to their slots and stand one
/// behind the other.
fn pieces(build: usize, seen: &Seen<'_>, units: &[u32], frame: &Frame) -> Vec<(u64, u64)> {
    let slots = frame.packed();
    let alignments: HashMap<u32, u64> = frame.alignments(build).collect();
    let mut next = slots.lead.get(build).copied().unwrap_or_default();
    let sizes = slots.sizes.get(build);
    let piece = |unit: &u32| {
        let (size, alignment) = (sizes?.get(unit)?, alignments.get(unit)?);
        let start = next.next_multiple_of(*alignment);
        next = start + size;
        Some((start, seen.size(*unit)))
    };
    units.iter().filter_map(piece).collect()
}

/// What these pieces lie in: start and size of each in bytes, in the order of addresses.
fn footprint(pieces: impl Iterator<Item = (u64, u64)>) -> Footprint {
    let (mut found, mut line_end, mut page_end) = (Footprint::default(), 0, 0);
    let add = |count: &mut u64, end: &mut u64, unit: u64, (start, size): (u64, u64)| {
        let first = (start / unit).max(*end);
        let behind = (start + size).div_ceil(unit);
        *count += behind.saturating_sub(first);
        *end = behind.max(*end);
    };
    for piece in pieces {
        add(&mut found.lines, &mut line_end, LINE, piece);
        add(&mut found.pages, &mut page_end, PAGE, piece);
    }
    found
}

impl std::ops::AddAssign for Footprint {
    fn add_assign(&mut self, other: Footprint) {
        self.lines += other.lines;
        self.pages += other.pages;
    }
}

impl Spread {
    /// What any change makes.
    fn few(&self) -> Footprint {
        if self.code { FEW_OF_CODE } else { FEW }
    }

    /// More than a few.
    fn is_seen(&self) -> bool {
        let (own, matched, few) = (self.own, self.matched, self.few());
        matched.lines.saturating_sub(own.lines) > few.lines
            || matched.pages.saturating_sub(own.pages) > few.pages
    }

    /// More than a few, and no small share of what there is.
    fn is_large(&self) -> bool {
        let large = |own: u64, matched: u64, few: u64, many: u64| {
            let more = matched.saturating_sub(own);
            #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
            let share = more as f64 > SHARE * own as f64;
            more > many || (more > few && share)
        };
        let (own, matched, few) = (self.own, self.matched, self.few());
        large(own.lines, matched.lines, few.lines, MANY.lines)
            || large(own.pages, matched.pages, few.pages, MANY.pages)
    }
}

impl std::fmt::Display for Spread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} cache lines in {} pages by itself, and {} in {} in matched layouts",
            self.own.lines, self.own.pages, self.matched.lines, self.matched.pages
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_pages_are_counted_once() {
        let of = |pieces: &[(u64, u64)]| footprint(pieces.iter().copied());
        assert_eq!(of(&[]), Footprint { lines: 0, pages: 0 });
        // Two words in one line, one that reaches into the next, and an array of a page and a bit.
        let pieces = [(0, 8), (8, 8), (60, 8), (4096, 4097)];
        assert_eq!(
            of(&pieces),
            Footprint {
                lines: 2 + 65,
                pages: 3
            }
        );
    }

    #[test]
    fn what_any_change_makes_is_not_large() {
        let spread = |code: bool, own: u64, more: u64, pages: u64| Spread {
            build: 0,
            code,
            own: Footprint {
                lines: own,
                pages: own / 64,
            },
            matched: Footprint {
                lines: own + more,
                pages: own / 64 + pages,
            },
        };
        for (own, more, pages, large) in [
            (100, 64, 4, false),
            (100, 65, 0, true),
            (100, 0, 5, true),
            (100_000, 500, 60, false),
            (100_000, 513, 0, true),
            (100_000, 0, 65, true),
        ] {
            let spread = spread(false, own, more, pages);
            assert_eq!(spread.is_large(), large, "{own} {more} {pages}");
            assert_eq!(spread.is_seen(), more > 64 || pages > 4);
        }
        // Code that is pushed over edges of pages lies as densely as before.
        for (more, pages, large) in [(0, 8, false), (0, 64, false), (0, 65, true), (400, 8, true)] {
            let spread = spread(true, 7317, more, pages);
            assert_eq!(spread.is_large(), large, "{more} {pages}");
        }
    }
}
