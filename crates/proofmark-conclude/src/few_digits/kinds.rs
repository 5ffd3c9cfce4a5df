//! Numbers that runs print, each once: how far they are apart, and whether some of them come again
//! and again.

use std::collections::BTreeMap;

/// More different numbers than these are none of a coarse clock: their mean tells more than a step.
const MOST: usize = 8;

/// Of all runs, those that may be anything at either end: a tenth.
const ENDS: usize = 10;

/// Where there are more, those that come again count if they make up so much of all runs.
const NEARLY_ALL: f64 = 0.75;

/// The different numbers among those that runs printed, and how often each was.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Kinds {
    /// In their order, by the bits of the number and of its sign.
    found: BTreeMap<i64, (f64, usize)>,
    /// Of all runs.
    printed: usize,
}

impl Kinds {
    pub(super) fn of(number: f64) -> Kinds {
        Kinds {
            found: BTreeMap::from([(in_order(number), (number, 1))]),
            printed: 1,
        }
    }

    pub(super) fn and(mut self, other: Kinds) -> Kinds {
        self.printed += other.printed;
        for (place, (number, times)) in other.found {
            self.found.entry(place).or_insert((number, 0)).1 += times;
        }
        self
    }

    /// How far the numbers are apart.
    pub(super) fn range(&self) -> f64 {
        let ends = self
            .found
            .values()
            .next()
            .zip(self.found.values().next_back());
        ends.map_or(0.0, |((least, _), (most, _))| most - least)
    }

    /// How far they are apart but for a tenth of the runs at either end. Of few runs, none is left
    /// out.
    pub(super) fn middle(&self) -> f64 {
        let left_out = self.printed / ENDS;
        let behind = |numbers: &mut dyn Iterator<Item = &(f64, usize)>| {
            let mut passed = 0;
            let mut number = 0.0;
            for (next, times) in numbers {
                (number, passed) = (*next, passed + times);
                if passed > left_out {
                    break;
                }
            }
            number
        };
        behind(&mut self.found.values().rev()) - behind(&mut self.found.values())
    }

    /// The share of all runs that printed the commonest of them, 0 to 1.
    pub(super) fn commonest(&self) -> f64 {
        let most = self.found.values().map(|(_, times)| *times).max();
        most.unwrap_or(0) as f64 / self.printed as f64
    }

    /// The share of all runs, 0 to 1, whose number others are near to (no further than `near` from
    /// the next), all of these less than `apart` from each other, and some of them equal: runs of
    /// several kinds print several numbers, each of them nearly exactly.
    pub(super) fn bunched(&self, near: f64, apart: f64) -> f64 {
        let numbers: Vec<(f64, usize)> = self.found.values().copied().collect();
        let bunches = numbers.chunk_by(|(one, _), (next, _)| next - one <= near);
        let narrow = bunches.filter(|bunch| {
            let ends = bunch.first().zip(bunch.last());
            let range = ends.map_or(0.0, |((least, _), (most, _))| most - least);
            range < apart && bunch.iter().any(|(_, times)| *times > 1)
        });
        let printed: usize = narrow.flatten().map(|(_, times)| times).sum();
        printed as f64 / self.printed as f64
    }

    /// The numbers, where there are few of them and some were printed more than once. Of many, those
    /// that were, where these are few and nearly all runs printed one of them.
    pub(super) fn that_come_again(&self) -> Option<Vec<f64>> {
        let numbers = |least: usize| -> Vec<f64> {
            let found = self.found.values().filter(|(_, times)| *times >= least);
            found.map(|(number, _)| *number).collect()
        };
        if self.found.len() <= MOST {
            return (self.found.len() < self.printed).then(|| numbers(1));
        }
        let again = numbers(2);
        let once = self.found.len() - again.len();
        let of_all = (self.printed - once) as f64 / self.printed as f64;
        (!again.is_empty() && again.len() <= MOST && of_all >= NEARLY_ALL).then_some(again)
    }
}

/// A number's place among all others (IEEE 754-2019, 5.10: totalOrder).
fn in_order(number: f64) -> i64 {
    let bits = number.to_bits().cast_signed();
    bits ^ ((bits >> 63).cast_unsigned() >> 1).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(numbers: &[f64]) -> Kinds {
        let each = numbers.iter().map(|&number| Kinds::of(number));
        each.reduce(Kinds::and).unwrap()
    }

    #[test]
    fn numbers_that_come_again_are_told_from_those_that_never_do() {
        assert_eq!(
            all(&[4.5, 4.0, 4.5]).that_come_again(),
            Some(vec![4.0, 4.5])
        );
        assert_eq!(all(&[4.5, 4.0]).that_come_again(), None);
        let many: Vec<f64> = (0..20).map(|number| f64::from(number % 10)).collect();
        assert_eq!(all(&many).that_come_again(), None);
        // Ten runs of fifty were disturbed, each otherwise.
        let mut disturbed = [[4.0; 20], [4.5; 20]].concat();
        disturbed.extend((0..10).map(|number| 7.25 + f64::from(number)));
        assert_eq!(all(&disturbed).that_come_again(), Some(vec![4.0, 4.5]));
    }

    #[test]
    fn the_middle_leaves_out_a_tenth_at_either_end() {
        let numbers = |many: u32| -> Vec<f64> { (0..many).map(f64::from).collect() };
        for (numbers, range, middle) in [
            (numbers(9), 8.0, 8.0),
            (numbers(10), 9.0, 7.0),
            (numbers(100), 99.0, 79.0),
            (vec![3.0], 0.0, 0.0),
            (vec![-2.0, 1.0], 3.0, 3.0),
        ] {
            let kinds = all(&numbers);
            assert_eq!((kinds.range(), kinds.middle()), (range, middle));
        }
        assert_eq!(all(&[1.0, 2.0, 1.0, 4.0]).commonest(), 0.5);
        // 6 and 8 are two kinds, 6 to 8 is one that is spread out, and 4 was printed once.
        let of_kinds = |numbers: &[f64]| all(numbers).bunched(1.0, 1.5);
        assert_eq!(of_kinds(&[6.0, 8.0, 6.0, 8.0]), 1.0);
        assert_eq!(of_kinds(&[6.0, 8.0, 6.0, 8.0, 4.0]), 0.8);
        assert_eq!(of_kinds(&[6.0, 7.0, 8.0, 7.0]), 0.0);
    }
}
