//! Ties what a compiler split off or cloned to the function that it came from.

use std::collections::HashMap;

use crate::image::Function;
use crate::names;

/// Fills in `split` and `parent`. The parent of `foo.constprop.0.cold` is `foo.constprop.0`, whose own is `foo`. Where several
/// functions have the parent's name, the one of the same source file is taken, else the nearest before it.
pub(super) fn tie(functions: &mut [Function]) {
    let mut named: HashMap<Box<str>, Vec<usize>> = HashMap::new();
    for (i, function) in functions.iter().enumerate() {
        for name in function.symbol.iter().chain(&function.aliases) {
            named.entry(name.clone()).or_default().push(i);
        }
    }
    for i in 0..functions.len() {
        let Some((stem, split)) = functions[i].symbol.as_deref().and_then(names::split) else {
            continue;
        };
        let mut stem = stem;
        // `foo.cold` of a `foo` that only lives on as `foo.isra.0` has no parent; a clone of a clone may skip a step.
        let parent = loop {
            if let Some(found) = named.get(stem).and_then(|all| nearest(functions, i, all)) {
                break Some(found);
            }
            match names::split(stem) {
                Some((shorter, _)) => stem = shorter,
                None => break None,
            }
        };
        functions[i].split = Some(split);
        functions[i].parent = parent;
    }
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
