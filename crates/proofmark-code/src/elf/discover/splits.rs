//! Ties what a compiler split off or cloned to the function that it came from.

use std::collections::HashMap;

use crate::image::Function;
use crate::names::{self, Split};

/// Marks that are taken off a name, one after the other: no compiler puts more of them there.
const MARKS: usize = 16;

/// The functions that have a name.
#[derive(Default)]
struct Namesakes {
    /// In order of address.
    all: Vec<usize>,
    /// By source file, and then in order of address.
    by_group: Vec<usize>,
}

/// Fills in `split` and `parent`. The parent of `foo.constprop.0.cold` is `foo.constprop.0`, whose
/// own is `foo`. Where several functions have the parent's name, the one of the same source file is
/// taken, else the nearest before it.
pub(super) fn tie(functions: &mut [Function]) {
    let marked: Vec<(usize, Split)> = functions
        .iter()
        .enumerate()
        .filter_map(|(i, f)| {
            // Most names have no mark.
            let symbol = f.symbol.as_ref().filter(|s| s.bytes().contains(&b'.'))?;
            Some((i, names::split(symbol)?.1))
        })
        .collect();
    let ties: Vec<(usize, Split, Option<usize>)> = {
        let mut named: HashMap<&[u8], Namesakes> = HashMap::new();
        for (i, _) in &marked {
            for stem in stems(&functions[*i]) {
                named.insert(stem.as_bytes(), Namesakes::default());
            }
        }
        for (i, function) in functions.iter().enumerate() {
            for name in function.symbol.iter().chain(&function.aliases) {
                if let Some(list) = named.get_mut(name.bytes()) {
                    list.all.push(i);
                }
            }
        }
        for list in named.values_mut() {
            list.by_group.clone_from(&list.all);
            list.by_group.sort_by_key(|i| functions[*i].group);
        }
        marked
            .into_iter()
            .map(|(i, split)| (i, split, parent(functions, &named, i)))
            .collect()
    };
    for (i, split, parent) in ties {
        functions[i].split = Some(split);
        functions[i].set_parent(parent);
    }
}

/// A function's name with one mark less, with two less, and so on.
fn stems(function: &Function) -> impl Iterator<Item = &str> {
    let first = function.symbol.as_deref().and_then(names::split);
    std::iter::successors(first, |(stem, _)| names::split(stem))
        .map(|(stem, _)| stem)
        .take(MARKS)
}

/// The nearest function of the longest stem that there is: a clone of a clone may skip a step, and
/// the `foo` of a `foo.cold` may live on only as `foo.isra.0`, which is no parent.
fn parent(
    functions: &[Function],
    named: &HashMap<&[u8], Namesakes>,
    child: usize,
) -> Option<usize> {
    stems(&functions[child]).find_map(|stem| named.get(stem.as_bytes())?.parent(functions, child))
}

impl Namesakes {
    /// The nearest of the child's own source file, else of those that all files see, else of all.
    fn parent(&self, functions: &[Function], child: usize) -> Option<usize> {
        let of = |group: Option<u32>| {
            let start = self
                .by_group
                .partition_point(|i| functions[*i].group < group);
            let end = self
                .by_group
                .partition_point(|i| functions[*i].group <= group);
            nearest(functions, child, &self.by_group[start..end])
        };
        of(functions[child].group)
            .or_else(|| of(None))
            .or_else(|| nearest(functions, child, &self.all))
    }
}

/// The nearest of several in order of address: the one before where two are as near.
fn nearest(functions: &[Function], child: usize, candidates: &[usize]) -> Option<usize> {
    let at = functions[child].address;
    let (before, after) =
        candidates.split_at(candidates.partition_point(|c| functions[*c].address < at));
    let before = before.last().copied();
    let after = after.iter().copied().find(|c| *c != child);
    let distance = |c: &usize| functions[*c].address.abs_diff(at);
    before.into_iter().chain(after).min_by_key(distance)
}
