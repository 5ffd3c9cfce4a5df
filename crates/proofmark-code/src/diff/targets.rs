//! Whether two functions that may be one refer to the same things.

use super::canonical::canonical;
use super::compare::Matching;
use super::content::{Fingerprint, Target};
use super::shifts::Shifts;
use crate::image::Function;

impl Matching<'_> {
    /// Learns from functions of one shape how far data moved, where that is asked for.
    pub(super) fn learn_shifts(&mut self) {
        let number = |target: &Target| matches!(target, Target::Number(_));
        let asked = |print: &Fingerprint| print.targets.iter().any(number);
        if !self.a.iter().any(asked) || !self.b.iter().any(asked) {
            return;
        }
        let alike = self.forward.iter().enumerate().filter_map(|(i, j)| {
            let (a, b) = (&self.a[i], &self.b[(*j)?]);
            (a.shape == b.shape).then(|| a.certain.iter().zip(&b.certain))
        });
        let pairs = alike.flatten().filter_map(|(x, y)| (*x).zip(*y));
        self.shifts = Shifts::new(self.base, self.new, pairs);
    }

    pub(super) fn same_content(&self, i: usize, j: usize) -> bool {
        self.a[i].shape == self.b[j].shape && self.same_targets(i, j)
    }

    pub(super) fn same_targets(&self, i: usize, j: usize) -> bool {
        let (a, b) = (&self.a[i].targets, &self.b[j].targets);
        a.len() == b.len()
            && a.iter()
                .zip(b)
                .all(|(x, y)| self.same_target(*x, *y, (i, j)))
    }

    fn same_target(&self, x: Target, y: Target, of: (usize, usize)) -> bool {
        match (x, y) {
            (
                Target::Function {
                    index: x,
                    within: p,
                },
                Target::Function {
                    index: y,
                    within: q,
                },
            ) => {
                p == q
                    && (self.forward[x] == Some(y)
                        || (x, y) == of
                        || self.stand_for_each_other(x, y))
            }
            (Target::Number(x), Target::Number(y)) => x == y || self.same_address(x, y, of),
            (x, y) => x == y,
        }
    }

    /// Whether two numbers that may be addresses without a name are the same one.
    fn same_address(&self, x: u64, y: u64, (i, j): (usize, usize)) -> bool {
        let within = |function: &Function, at: u64| {
            let inside = (function.address..function.end()).contains(&at);
            inside.then(|| at - function.address)
        };
        match (
            within(&self.base.functions[i], x),
            within(&self.new.functions[j], y),
        ) {
            (None, None) => self.shifts.lead(self.base, x, self.new, y),
            (x, y) => x == y,
        }
    }

    /// Copies of one function are one to their callers, whichever of them it is: those of one name
    /// and of one content. So are, without a name, those of one content.
    fn stand_for_each_other(&self, x: usize, y: usize) -> bool {
        match (
            &self.base.functions[x].symbol,
            &self.new.functions[y].symbol,
        ) {
            (Some(one), Some(other)) => canonical(one) == canonical(other) && self.are_copies(x, y),
            (None, None) => {
                let alike =
                    self.a[x].shape == self.b[y].shape && self.a[x].known() == self.b[y].known();
                alike || (self.forward[x].is_none() && self.backward[y].is_none())
            }
            _ => false,
        }
    }

    /// Whether a function of the base is a copy of one of the other image, or of what that was. Two
    /// units may each have a function of their own by one name.
    fn are_copies(&self, x: usize, y: usize) -> bool {
        let content = |print: &Fingerprint| (print.shape, print.known());
        let (mine, theirs) = (content(&self.a[x]), content(&self.b[y]));
        let (became, was) = (self.forward[x], self.backward[y]);
        mine == theirs
            || became.is_some_and(|j| content(&self.b[j]) == theirs)
            || was.is_some_and(|i| content(&self.a[i]) == mine)
            || (became.is_none() && was.is_none())
    }
}
