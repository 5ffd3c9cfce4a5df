//! Where loops begin in a function's code: at labels that code jumps back to which is reached
//! through them alone. A part of the code that the compiler put behind all others, and that jumps
//! back to where it was taken from, makes no loop. Pure.

use std::collections::{HashMap, HashSet};

/// A line of code as far as control goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A label, by its number.
    Label(usize),
    /// An instruction.
    Code {
        /// Labels that it may jump to.
        to: Vec<usize>,
        /// It may jump to every label whose address is taken.
        anywhere: bool,
        /// It never goes on to the next one.
        leaves: bool,
    },
}

/// The labels at which loops begin: the target of a jump that dominates the jump (Allen 1970).
/// `taken` are labels whose address is taken.
pub(super) fn heads(steps: &[Step], taken: &HashSet<usize>) -> HashSet<usize> {
    let places = places(steps);
    let all = reached(steps, &places, taken, None);
    let mut backward: Vec<(usize, usize, usize)> = Vec::new();
    for (at, step) in steps.iter().enumerate().filter(|(at, _)| all[*at]) {
        let Step::Code { to, anywhere, .. } = step else {
            continue;
        };
        let also = taken.iter().filter(|_| *anywhere);
        let targets = to.iter().chain(also);
        let before = targets.filter_map(|&label| Some((label, *places.get(&label)?, at)));
        backward.extend(before.filter(|(_, head, _)| *head < at));
    }
    backward.sort_unstable();
    let mut heads = HashSet::new();
    for jumps in backward.chunk_by(|a, b| a.0 == b.0) {
        let without = reached(steps, &places, taken, Some(jumps[0].1));
        if jumps.iter().any(|(_, _, from)| !without[*from]) {
            heads.insert(jumps[0].0);
        }
    }
    heads
}

/// Where each label stands.
fn places(steps: &[Step]) -> HashMap<usize, usize> {
    let labels = steps
        .iter()
        .enumerate()
        .filter_map(|(at, step)| match step {
            Step::Label(label) => Some((*label, at)),
            Step::Code { .. } => None,
        });
    labels.collect()
}

/// Which steps are reached from the first one without coming by `avoided`.
fn reached(
    steps: &[Step],
    places: &HashMap<usize, usize>,
    taken: &HashSet<usize>,
    avoided: Option<usize>,
) -> Vec<bool> {
    let mut found = vec![false; steps.len()];
    let mut open = vec![0];
    while let Some(at) = open.pop() {
        if at >= steps.len() || found[at] || Some(at) == avoided {
            continue;
        }
        found[at] = true;
        match &steps[at] {
            Step::Label(_) => open.push(at + 1),
            Step::Code {
                to,
                anywhere,
                leaves,
            } => {
                let also = taken.iter().filter(|_| *anywhere);
                let labels = to.iter().chain(also);
                open.extend(labels.filter_map(|label| places.get(label).copied()));
                open.extend((!leaves).then_some(at + 1));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jump(to: usize, leaves: bool) -> Step {
        Step::Code {
            to: vec![to],
            anywhere: false,
            leaves,
        }
    }

    #[test]
    fn a_loop_begins_where_code_comes_back_that_is_reached_through_it_alone() {
        // 0: the loop; 1: a join in it, to which a part behind everything jumps back.
        let steps = [
            Step::Label(0),
            jump(2, false),
            Step::Label(1),
            jump(0, false),
            Step::Code {
                to: vec![],
                anywhere: false,
                leaves: true,
            },
            Step::Label(2),
            jump(1, true),
        ];
        assert_eq!(heads(&steps, &HashSet::new()), HashSet::from([0]));
    }

    #[test]
    fn a_loop_by_a_table_begins_where_all_parts_come_back_to() {
        let dispatch = Step::Code {
            to: vec![],
            anywhere: true,
            leaves: true,
        };
        let steps = [
            Step::Label(0),
            dispatch,
            Step::Label(1),
            jump(0, true),
            Step::Label(2),
            jump(0, true),
        ];
        assert_eq!(heads(&steps, &HashSet::from([1, 2])), HashSet::from([0]));
    }
}
