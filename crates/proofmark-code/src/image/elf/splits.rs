//! Ties what a compiler split off or cloned to the function that it came from.

use std::collections::HashMap;

use crate::image::Function;
use crate::names::{self, Split};

/// Fills in `split` and `parent`. The parent of `foo.constprop.0.cold` is `foo.constprop.0`, whose own is `foo`. Where several
/// functions have the parent's name, the one of the same source file is taken, else the nearest before it.
pub(super) fn tie(functions: &mut [Function]) {
    let marked: Vec<(usize, Split)> = functions
        .iter()
        .enumerate()
        .filter_map(|(i, f)| Some((i, names::split(f.symbol.as_deref()?)?.1)))
        .collect();
    let ties: Vec<(usize, Split, Option<usize>)> = {
        let mut named: HashMap<&str, Vec<usize>> = HashMap::new();
        for (i, _) in &marked {
            let mut stem = functions[*i].symbol.as_deref().unwrap_or("");
            while let Some((shorter, _)) = names::split(stem) {
                named.insert(shorter, Vec::new());
                stem = shorter;
            }
        }
        for (i, function) in functions.iter().enumerate() {
            for name in function
                .symbol
                .as_deref()
                .into_iter()
                .chain(function.aliases())
            {
                if let Some(list) = named.get_mut(name) {
                    list.push(i);
                }
            }
        }
        marked
            .into_iter()
            .map(|(i, split)| (i, split, parent(functions, &named, i)))
            .collect()
    };
    for (i, split, parent) in ties {
        functions[i].split = Some(split);
        functions[i].parent = parent;
    }
}

/// The nearest function of the longest stem that there is: a clone of a clone may skip a step, and the `foo` of a `foo.cold`
/// may live on only as `foo.isra.0`, which is no parent.
fn parent(
    functions: &[Function],
    named: &HashMap<&str, Vec<usize>>,
    child: usize,
) -> Option<usize> {
    let mut stem = functions[child].symbol.as_deref()?;
    while let Some((shorter, _)) = names::split(stem) {
        if let Some(found) = named
            .get(shorter)
            .and_then(|all| nearest(functions, child, all))
        {
            return Some(found);
        }
        stem = shorter;
    }
    None
}

fn nearest(functions: &[Function], child: usize, candidates: &[usize]) -> Option<usize> {
    let group = functions[child].group;
    let at = functions[child].address;
    let others = candidates.iter().copied().filter(|c| *c != child);
    others.min_by_key(|c| {
        (
            functions[*c].group != group,
            functions[*c].group.is_some(),
            functions[*c].address.abs_diff(at),
        )
    })
}
