//! How the machine code of a commit differs from that of its parent, and what of it the benchmark
//! runs.

use std::cmp::Reverse;
use std::path::Path;

use proofmark_code::comparison::differences;
use proofmark_code::{Image, Program};
use proofmark_evidence::record::{Benchmark, CodeFound, FunctionChange, FunctionFound};

use crate::builds::Subject;
use crate::error::LabError;
use crate::laboratory::Laboratory;
use crate::sweep::reached;

/// Functions that are named, at most.
const NAMED: usize = 40;
/// Functions of which it is found out whether they run, at most: each takes a run.
const TRIED: usize = 16;

/// A function that changed, and where it starts in the build that has it.
struct Changed {
    found: FunctionFound,
    start: u64,
}

/// What changed from the image of one build to that of another; `None` where one cannot be read.
///
/// # Errors
/// When the user stops.
pub(super) fn between(
    laboratory: &Laboratory<'_>,
    benchmark: &Benchmark,
    base: &Subject,
    new: &Subject,
) -> Result<Option<CodeFound>, LabError> {
    let Some((mut changed, functions)) = compared(base, new) else {
        return Ok(None);
    };
    // What runs is asked of the largest change first.
    changed.sort_by_key(|one| Reverse(one.found.bytes[0].max(one.found.bytes[1])));
    let unnamed = changed.len().saturating_sub(NAMED) as u64;
    changed.truncate(NAMED);
    for (build, gone) in [(new, false), (base, true)] {
        let is_here = |one: &Changed| (one.found.how == FunctionChange::Removed) == gone;
        let tried = changed.iter_mut().take(TRIED).filter(|one| is_here(one));
        let tried: Vec<&mut Changed> = tried.collect();
        let starts: Vec<u64> = tried.iter().map(|one| one.start).collect();
        if starts.is_empty() {
            continue;
        }
        match reached(laboratory, build, benchmark, &starts) {
            Ok(runs) => {
                for (one, runs) in tried.into_iter().zip(runs) {
                    one.found.runs = runs;
                }
            }
            Err(error) if matches!(error.cause(), LabError::Interrupted) => return Err(error),
            // The answer stands without it.
            Err(_) => {}
        }
    }
    // What runs comes first, and what is known not to run last.
    changed.sort_by_key(|one| match one.found.runs {
        Some(true) => 0,
        None => 1,
        Some(false) => 2,
    });
    Ok(Some(CodeFound {
        functions,
        changed: changed.into_iter().map(|one| one.found).collect(),
        unnamed,
    }))
}

/// The functions that changed, and how many the newer build has.
fn compared(base: &Subject, new: &Subject) -> Option<(Vec<Changed>, u64)> {
    let open = |subject: &Subject| {
        let image = subject.shipped().into_iter().next()?;
        Program::open(Path::new(&image)).ok()
    };
    let (base, new) = (open(base)?, open(new)?);
    let mut changed = Vec::new();
    let mut functions = 0;
    for (base, new, difference) in differences(&base, &new) {
        if let (Some(base), Some(new)) = (base, new) {
            for pair in &difference.changed {
                let mut one = function(new, pair.new, FunctionChange::Changed);
                one.found.bytes = [bytes(base, pair.base), bytes(new, pair.new)];
                changed.push(one);
            }
        }
        if let Some(new) = new {
            functions += new.functions().iter().filter(|one| !one.is_piece()).count() as u64;
            for &at in &difference.added {
                let mut one = function(new, at, FunctionChange::Added);
                one.found.bytes = [0, bytes(new, at)];
                changed.push(one);
            }
        }
        if let Some(base) = base {
            for &at in &difference.removed {
                let mut one = function(base, at, FunctionChange::Removed);
                one.found.bytes = [bytes(base, at), 0];
                changed.push(one);
            }
        }
    }
    Some((changed, functions))
}

fn bytes(image: &Image, at: usize) -> u64 {
    image
        .functions()
        .get(at)
        .map_or(0, proofmark_code::Function::size)
}

fn function(image: &Image, at: usize, how: FunctionChange) -> Changed {
    let function = image.functions().get(at);
    Changed {
        start: function.map_or(0, |one| one.address().get()),
        found: FunctionFound {
            name: function
                .map(proofmark_code::Function::name)
                .unwrap_or_default(),
            how,
            bytes: [0, 0],
            runs: None,
        },
    }
}
