//! Warnings about machine code, in words.

use proofmark_evidence::record::ExpectationOfNoCell;

use super::{Said, said};

pub(super) fn expectation_of_no_cell(warning: &ExpectationOfNoCell) -> Said {
    let ExpectationOfNoCell {
        file,
        line,
        function,
        why,
    } = warning;
    said(
        format!(
            "{}:{line}: no cell was held against what is expected of {function}: it is {why}",
            file.display()
        ),
        "`build` in it has to mean a cell that has a build and is measured here",
    )
}
