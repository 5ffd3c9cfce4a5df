//! Things of one name in two images, each held to one of the other image's.

use std::collections::VecDeque;

/// Of more things than this none gives its own back for another one's sake.
const MOST: usize = 2048;

/// Which of `there` things each of `here` things is held to, so that as many as possible are held
/// to one that is the same. To be the same is not transitive: what is held to the first that fits
/// may take the only one that fits another. So it gives that back where a third one fits it
/// (augmenting paths: Kuhn, Naval Research Logistics Quarterly 2, 1955).
pub(super) fn matched(
    here: usize,
    there: usize,
    same: impl Fn(usize, usize) -> bool,
) -> Vec<Option<usize>> {
    let mut held = Held {
        to: vec![None; here],
        by: vec![None; there],
    };
    for mine in 0..here {
        let free = (0..there).filter(|theirs| held.by[*theirs].is_none());
        if let Some(theirs) = free.into_iter().find(|theirs| same(mine, *theirs)) {
            held.hold(mine, theirs);
        }
    }
    if here.max(there) <= MOST {
        for mine in 0..here {
            if held.to[mine].is_none() {
                held.make_room(mine, &same);
            }
        }
    }
    held.to
}

struct Held {
    to: Vec<Option<usize>>,
    by: Vec<Option<usize>>,
}

impl Held {
    fn hold(&mut self, mine: usize, theirs: usize) {
        self.to[mine] = Some(theirs);
        self.by[theirs] = Some(mine);
    }

    /// Holds one to something that another one gives back, which then takes a third thing, until
    /// one is free.
    fn make_room(&mut self, first: usize, same: &impl Fn(usize, usize) -> bool) {
        // For each that was reached: the one that would take it.
        let mut taker: Vec<Option<usize>> = vec![None; self.by.len()];
        let mut open = VecDeque::from([first]);
        while let Some(mine) = open.pop_front() {
            for theirs in 0..self.by.len() {
                if taker[theirs].is_some() || !same(mine, theirs) {
                    continue;
                }
                taker[theirs] = Some(mine);
                match self.by[theirs] {
                    Some(other) => open.push_back(other),
                    None => return self.pass_on(theirs, &taker),
                }
            }
        }
    }

    /// Gives each its new one, from the free one back to the first that asked.
    fn pass_on(&mut self, free: usize, taker: &[Option<usize>]) {
        let mut next = Some(free);
        while let Some(theirs) = next
            && let Some(mine) = taker[theirs]
        {
            next = self.to[mine];
            self.hold(mine, theirs);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_gives_its_own_back_where_another_fits_it() {
        // The first fits all, the second the last alone, the third the first alone.
        let fits = |mine: usize, theirs: usize| mine == 0 || [2, 0][mine - 1] == theirs;
        assert_eq!(matched(3, 3, fits), [Some(1), Some(2), Some(0)]);
        // Two of which each fits the same one alone.
        let only = |mine: usize, theirs: usize| mine == 0 || theirs == 1;
        assert_eq!(matched(3, 3, only), [Some(0), Some(1), None]);
        assert_eq!(matched(2, 0, |_, _| true), [None, None]);
        // A long way: each fits its own and the next, and the last one's own is taken.
        let next = |mine: usize, theirs: usize| match mine {
            9 => theirs == 0,
            _ => theirs == mine || theirs == mine + 1,
        };
        let all: Vec<usize> = matched(10, 10, next).into_iter().flatten().collect();
        assert_eq!(all, [1, 2, 3, 4, 5, 6, 7, 8, 9, 0]);
    }
}
