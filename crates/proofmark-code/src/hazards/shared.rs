//! What functions that are hot share of an instruction cache: its sets, and the pages of their code.

use std::collections::{BTreeMap, BTreeSet};

use proofmark_terms::CacheShape;

use crate::address::Address;
use crate::image::Image;

/// Bytes of a page. A loader moves code by whole pages: what is said modulo a page is true of every
/// process.
const PAGE: u64 = 4096;

/// How hot code falls into the sets of an instruction cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedCode {
    /// The cache that was asked about.
    pub cache: CacheShape,
    /// Lines of hot code in all.
    pub lines: u64,
    /// The groups of sets that hold hot lines, by number.
    pub sets: Vec<SetUse>,
    /// The pages of hot code, by address.
    pub pages: Vec<PageUse>,
}

/// What is hot in one group of sets: those that lines of one offset in their pages may fall into.
/// In a cache of which a way is no larger than a page (32 KiB by 8 ways, 64 KiB by 16) that is
/// one set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetUse {
    /// The offset of its lines in their pages, in lines.
    pub set: u64,
    /// Hot lines that fall into it.
    pub lines: u64,
    /// Lines that it can hold.
    pub room: u64,
    /// The functions that they are of, by index.
    pub functions: Vec<usize>,
}

/// What is hot in one page, 4 KiB of code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageUse {
    /// Where the page begins, as linked.
    pub address: Address,
    /// Hot lines in it.
    pub lines: u64,
    /// The functions that they are of, by index.
    pub functions: Vec<usize>,
}

impl SharedCode {
    /// Of whole functions of an image, by index. What is never executed of them is counted as well,
    /// so that this is the most that they can need; pieces that the compiler put elsewhere are
    /// functions of their own.
    #[must_use]
    pub fn of_functions(image: &Image, hot: &[usize], cache: CacheShape) -> SharedCode {
        let mut lines = Lines::default();
        for index in hot {
            let Some(function) = image.functions().get(*index) else {
                continue;
            };
            let start = function.address().get() / cache.line();
            let end = function.end().div_ceil(cache.line());
            for line in start..end {
                lines.entry(line).or_default().insert(*index);
            }
        }
        SharedCode::of(&lines, cache)
    }

    /// Of instructions that are known to be executed, by address as linked. What is not in a
    /// function of the image is left out.
    #[must_use]
    pub fn of_addresses(
        image: &Image,
        executed: impl IntoIterator<Item = Address>,
        cache: CacheShape,
    ) -> SharedCode {
        let mut lines = Lines::default();
        for address in executed {
            if let Some(index) = image.function_at(address.get()) {
                let line = address.get() / cache.line();
                lines.entry(line).or_default().insert(index);
            }
        }
        SharedCode::of(&lines, cache)
    }

    fn of(lines: &Lines, cache: CacheShape) -> SharedCode {
        // What lies beyond a page's offset is drawn by the loader and the kernel.
        let groups = cache.sets().min((PAGE / cache.line()).max(1));
        let room = cache.bytes() / cache.line() / groups;
        let (mut sets, mut pages) = (Shares::new(), Shares::new());
        for (line, functions) in lines {
            let page = line * cache.line() / PAGE;
            for (shares, key) in [(&mut sets, line % groups), (&mut pages, page)] {
                let share: &mut (u64, BTreeSet<usize>) = shares.entry(key).or_default();
                share.0 += 1;
                share.1.extend(functions);
            }
        }
        let set = |(set, (lines, functions)): (u64, (u64, BTreeSet<usize>))| SetUse {
            set,
            lines,
            room,
            functions: functions.into_iter().collect(),
        };
        let page = |(page, (lines, functions)): (u64, (u64, BTreeSet<usize>))| PageUse {
            address: Address::new(page * PAGE),
            lines,
            functions: functions.into_iter().collect(),
        };
        SharedCode {
            cache,
            lines: lines.len() as u64,
            sets: sets.into_iter().map(set).collect(),
            pages: pages.into_iter().map(page).collect(),
        }
    }

    /// The groups of sets that more hot lines fall into than they can hold.
    pub fn overfull(&self) -> impl Iterator<Item = &SetUse> {
        self.sets.iter().filter(|set| set.lines > set.room)
    }

    /// How many hot lines fall into sets beyond what these can hold.
    #[must_use]
    pub fn lines_beyond(&self) -> u64 {
        self.overfull().map(|set| set.lines - set.room).sum()
    }

    /// The functions that have lines in overfull sets, by index.
    #[must_use]
    pub fn in_overfull(&self) -> Vec<usize> {
        let functions = self.overfull().flat_map(|set| &set.functions);
        let functions: BTreeSet<usize> = functions.copied().collect();
        functions.into_iter().collect()
    }
}

/// Lines of code by number, and the functions that each is of.
type Lines = BTreeMap<u64, BTreeSet<usize>>;
/// Hot lines, and the functions that they are of, by the number of a set or page.
type Shares = BTreeMap<u64, (u64, BTreeSet<usize>)>;
