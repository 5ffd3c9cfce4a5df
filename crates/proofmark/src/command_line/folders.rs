//! What is said where a folder is given to a command that takes none.

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// A refusal of `--tree`, with what to do instead.
pub(super) fn explained(mut error: clap::Error) -> clap::Error {
    let of_tree = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(argument)) => argument.starts_with("--tree"),
        _ => false,
    };
    if of_tree && error.kind() == ErrorKind::UnknownArgument {
        let tips = TIPS.map(|tip| tip.to_owned().into());
        error.remove(ContextKind::SuggestedArg);
        error.insert(
            ContextKind::Suggested,
            ContextValue::StyledStrs(tips.into()),
        );
    }
    error
}

/// What takes folders, and what serves for those that do not.
const TIPS: [&str; 3] = [
    "folders of files that runs read are compared by `proofmark compare --tree OLD --tree NEW`, \
     and one of them with itself by `proofmark null --tree DIR`",
    "of two revisions, check each out into a folder of its own, and compare these",
    "in a matrix, the `args` or the `env` of [options.NAME] name the folder",
];

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::command_line::Arguments;

    #[test]
    fn a_tree_where_there_can_be_none_is_told_where_it_can() {
        for words in [
            "bisect --good a --bad b --build make --tree x -- {}",
            "history run --rev a..b --build make --tree x -- {}",
            "matrix run --tree x",
            "explain a b --tree x -- {}",
        ] {
            let words = std::iter::once("proofmark").chain(words.split(' '));
            let error = Arguments::try_parse_from(words).unwrap_err();
            let said = explained(error).to_string();
            assert!(said.contains("compare --tree OLD --tree NEW"), "{said}");
        }
        let other = Arguments::try_parse_from(["proofmark", "null", "--trees", "x"]).unwrap_err();
        assert_eq!(explained(other).kind(), ErrorKind::UnknownArgument);
    }
}
