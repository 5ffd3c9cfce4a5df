//! In which files builds differ that are folders, or one program with several of them; and what runs
//! leave to each other.

use proofmark_evidence::Recorded;
use proofmark_evidence::record::{Build, Experiment, Tree, TreeChange, TreeChangeKind};

use crate::number::counted;
use crate::text::printable;

/// Names of files in one line.
const NAMED: usize = 4;

/// A line for each build that has a tree of its own, and what is to be known of all of them.
pub(crate) fn trees(recorded: &Recorded) -> Vec<String> {
    trees_of(&recorded.experiment, |_| true)
}

/// The same of an experiment, with those builds alone whose tree counts.
pub(crate) fn trees_of(experiment: &Experiment, counts: fn(&Tree) -> bool) -> Vec<String> {
    let builds = &experiment.builds;
    let Some((base, news)) = builds.split_first() else {
        return Vec::new();
    };
    let mut lines: Vec<String> = (news.iter())
        .filter_map(|new| Some((new, new.tree.as_deref().filter(|tree| counts(tree))?)))
        .map(|(new, tree)| {
            format!(
                "{}: {}; {}",
                printable(&new.name),
                match tree.changes.as_slice() {
                    [] => "the same files as the base".to_owned(),
                    changes => files(changes),
                },
                program(base, new, tree)
            )
        })
        .collect();
    if let Some(tree) = base.tree.as_deref() {
        lines.push(format!(
            "each build sees its own files at {}; they are copied afresh for each block, and where \
             the program puts what it makes of them is not varied",
            printable(&tree.at.display())
        ));
    }
    let Experiment {
        inputs, benchmark, ..
    } = experiment;
    let written = &inputs.in_trees;
    if let Some(first) = inputs.state.first()
        && benchmark.warmup > 0
        && written.is_empty()
    {
        lines.push(format!(
            "runs leave {} to the next: each block has copies of its own, for which nothing was \
             left yet, so that its first {} not counted",
            printable(&first.display()),
            match benchmark.warmup {
                1 => "round is".to_owned(),
                more => format!("{more} rounds are"),
            }
        ));
    }
    if let Some(first) = written.first() {
        lines.push(format!(
            "runs write there ({}), so that the first round of each block is not counted",
            printable(&first.display())
        ));
    }
    lines
}

/// `2 files differ: a.lua, lib/b.lua (added)`
pub(crate) fn files(changes: &[TreeChange]) -> String {
    let count = u32::try_from(changes.len()).unwrap_or(u32::MAX);
    let named: Vec<String> = changes.iter().take(NAMED).map(changed).collect();
    let more = match changes.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(
        "{}: {}{more}",
        counted(count, "file differs", "files differ"),
        named.join(", ")
    )
}

fn changed(change: &TreeChange) -> String {
    let path = printable(&change.path.display());
    match change.how {
        TreeChangeKind::Changed => path,
        TreeChangeKind::Added => format!("{path} (added)"),
        TreeChangeKind::Removed => format!("{path} (removed)"),
    }
}

fn program(base: &Build, new: &Build, tree: &Tree) -> &'static str {
    if base.images.program.digest != new.images.program.digest {
        "the program differs too"
    } else if tree.differs_in_code() {
        "the program is the same, and there is machine code among these files"
    } else if base.images.libraries != new.images.libraries {
        "the program is the same, its libraries differ"
    } else {
        "the program and its libraries are the same"
    }
}
