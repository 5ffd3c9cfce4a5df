//! What became of each function from the base's own image to the build's.

use std::collections::{BTreeSet, HashSet};
use std::path::PathBuf;

use proofmark_code::comparison::differences;
use proofmark_code::diff::{Difference, Pair};
use proofmark_code::{Fact, Facts, Function, Image, Program};
use proofmark_evidence::record::{CodeBetween, FunctionBetween, FunctionChange};

use crate::builds::Subject;

/// What differs between the own images of two builds.
pub(super) fn between(base: &Subject, new: &Subject) -> CodeBetween {
    let read = |subject: &Subject| {
        let shipped: Option<PathBuf> = subject.shipped().into_iter().next();
        let file = shipped.ok_or_else(|| format!("{} has no image", subject.name))?;
        Program::open(&file).map_err(|error| error.to_string())
    };
    let (base, new) = match (read(base), read(new)) {
        (Ok(base), Ok(new)) => (base, new),
        (Err(reason), _) | (_, Err(reason)) => return CodeBetween::Unread { reason },
    };
    let named = [&base, &new].map(|program| {
        let functions = program.images().iter().flat_map(Image::functions);
        functions.filter(|one| one.is_named()).count() as u64
    });
    let (mut functions, mut renamed) = (Vec::new(), Vec::new());
    for (base, new, difference) in differences(&base, &new) {
        if let (Some(base), Some(new)) = (base, new) {
            functions.extend(changed(base, new, &difference));
            renamed.extend(other_names(base, new, &difference));
        }
    }
    CodeBetween::Read {
        functions,
        renamed,
        named,
        several: several([&base, &new]),
    }
}

/// Symbols that several functions of one file have.
fn several(programs: [&Program; 2]) -> Vec<String> {
    let mut found = BTreeSet::new();
    for image in programs.into_iter().flat_map(Program::images) {
        let mut seen = HashSet::new();
        let named = image.functions().iter().filter(|one| one.is_named());
        found.extend(
            named
                .map(Function::symbol)
                .filter(|symbol| !seen.insert(symbol.clone())),
        );
    }
    found.into_iter().collect()
}

/// Functions that differ.
fn changed(base: &Image, new: &Image, difference: &Difference) -> Vec<FunctionBetween> {
    let both = difference.changed.iter().map(|pair| {
        let sides = [Some((base, pair.base)), Some((new, pair.new))];
        function(FunctionChange::Changed, sides)
    });
    let added = difference.added.iter();
    let added = added.map(|at| function(FunctionChange::Added, [None, Some((new, *at))]));
    let gone = difference.removed.iter();
    let gone = gone.map(|at| function(FunctionChange::Removed, [Some((base, *at)), None]));
    both.chain(added).chain(gone).collect()
}

fn function(how: FunctionChange, sides: [Option<(&Image, usize)>; 2]) -> FunctionBetween {
    let facts = sides.map(|side| side.map(|(image, at)| Facts::of(image, at)));
    let fact = |which: &[Fact]| {
        facts.each_ref().map(|facts| {
            let of = |facts: &Facts| which.iter().map(|fact| facts.get(*fact)).sum();
            facts.as_ref().map_or(0, of)
        })
    };
    let symbol = |(image, at): (&Image, usize)| image.functions()[at].symbol();
    let last = sides.into_iter().flatten().next_back();
    FunctionBetween {
        symbol: last.map(symbol).unwrap_or_default(),
        how,
        bytes: fact(&[Fact::Bytes]),
        instructions: fact(&[Fact::Instructions]),
        calls: fact(&[Fact::DirectCalls, Fact::IndirectCalls]),
        indirect_jumps: Some(fact(&[Fact::IndirectJumps])),
    }
}

/// Functions that are one and go by two names, those without a name by their address.
fn other_names(base: &Image, new: &Image, difference: &Difference) -> Vec<[String; 2]> {
    let all = [
        &difference.changed,
        &difference.moved,
        &difference.identical,
        &difference.renamed,
    ];
    let names = |pair: &Pair| {
        let base = base.functions()[pair.base].symbol();
        [base, new.functions()[pair.new].symbol()]
    };
    let all = all.into_iter().flatten().map(names);
    all.filter(|[base, new]| base != new).collect()
}
