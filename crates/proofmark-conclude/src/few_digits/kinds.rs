//! Numbers that runs print, each once: whether some of them come again and again.

/// More different numbers than these are none of a coarse clock: their mean tells more than a step.
const MOST: usize = 8;

/// The different numbers among those that runs printed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Kinds {
    /// As many of these as `found` says, in no order.
    numbers: [f64; MOST],
    /// `None` beyond the most that are kept.
    found: Option<usize>,
    /// Of all runs.
    printed: usize,
}

impl Kinds {
    pub(super) fn of(number: f64) -> Kinds {
        Kinds {
            numbers: [number; MOST],
            found: Some(1),
            printed: 1,
        }
    }

    pub(super) fn and(mut self, other: Kinds) -> Kinds {
        self.printed += other.printed;
        match other.kept() {
            Some(numbers) => numbers.iter().for_each(|&number| self.add(number)),
            None => self.found = None,
        }
        self
    }

    fn add(&mut self, number: f64) {
        let Some(found) = self.found else {
            return;
        };
        if self.numbers[..found].contains(&number) {
            return;
        }
        self.found = match self.numbers.get_mut(found) {
            Some(free) => {
                *free = number;
                Some(found + 1)
            }
            None => None,
        };
    }

    fn kept(&self) -> Option<&[f64]> {
        self.found.and_then(|found| self.numbers.get(..found))
    }

    /// The numbers, where there are few of them and some were printed more than once.
    pub(super) fn that_come_again(&self) -> Option<&[f64]> {
        self.kept().filter(|numbers| numbers.len() < self.printed)
    }
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
            Some(&[4.5, 4.0][..])
        );
        assert_eq!(all(&[4.5, 4.0]).that_come_again(), None);
        let many: Vec<f64> = (0..20).map(|number| f64::from(number % 10)).collect();
        assert_eq!(all(&many).that_come_again(), None);
    }
}
