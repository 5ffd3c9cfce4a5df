//! Stacks of calls with what each weighs, and their text: "folded", a line for each, as flame graphs
//! are made from everywhere.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use proofmark_terms::is_unseen;

/// A stack of calls, and what it weighs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stack {
    /// The names of its frames, outermost first.
    pub frames: Vec<String>,
    /// Samples, or any other quantity of which there are as many as in one place as in another.
    pub weight: u64,
}

/// The text of stacks: `main;parse;next 12`. Equal stacks are one line; lines are sorted.
///
/// In names, a semicolon, which divides frames here, becomes a colon (Rust's `[u8; 4]`), and ends
/// of lines become spaces.
#[must_use]
pub fn folded(stacks: &[Stack]) -> String {
    let mut text = String::new();
    for (line, weight) in lines(stacks) {
        // A string takes whatever is written to it.
        let _ = writeln!(text, "{line} {weight}");
    }
    text
}

/// The text of the difference of two builds, as `difffolded.pl` and `inferno-diff-folded` write it:
/// `main;parse;next 10 12`, with the weight in the base and in the other.
#[must_use]
pub fn folded_difference(base: &[Stack], new: &[Stack]) -> String {
    let mut text = String::new();
    for line in both(base, new) {
        // A string takes whatever is written to it.
        let _ = writeln!(text, "{line}");
    }
    text
}

/// Each stack of one build or the other as text, with both weights.
pub(crate) fn both(base: &[Stack], new: &[Stack]) -> Vec<String> {
    let mut weights: BTreeMap<String, [u64; 2]> = BTreeMap::new();
    for (at, stacks) in [base, new].into_iter().enumerate() {
        for (stack, weight) in lines(stacks) {
            weights.entry(stack).or_default()[at] = weight;
        }
    }
    let all = weights.into_iter();
    all.map(|(stack, [was, is])| format!("{stack} {was} {is}"))
        .collect()
}

/// Each stack as text, and its weight.
pub(crate) fn lines(stacks: &[Stack]) -> BTreeMap<String, u64> {
    let mut lines = BTreeMap::new();
    for stack in stacks.iter().filter(|stack| stack.weight > 0) {
        let names: Vec<String> = stack.frames.iter().map(|name| plain(name)).collect();
        *lines.entry(names.join(";")).or_default() += stack.weight;
    }
    lines
}

/// A name that divides no stack and ends no line, and of which no word is taken for a weight.
fn plain(name: &str) -> String {
    let word = |letter: char| match letter {
        ';' => ':',
        letter if letter.is_whitespace() || is_unseen(letter) => ' ',
        letter => letter,
    };
    let name: String = name.trim().chars().map(word).collect();
    match name.rsplit_once(' ') {
        _ if name.is_empty() => "?".to_owned(),
        Some((before, last)) if last.bytes().all(|one| one.is_ascii_digit() || one == b'.') => {
            // A space that no reader of such text takes for one.
            format!("{before}\u{a0}{last}")
        }
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_stacks_are_one_line_and_names_divide_none() {
        let stack = |frames: &[&str], weight| Stack {
            frames: frames.iter().map(ToString::to_string).collect(),
            weight,
        };
        let stacks = [
            stack(&["main", "read<[u8; 4]>"], 3),
            stack(&["main"], 1),
            stack(&["main", "read<[u8; 4]>"], 4),
            stack(&["main", "line 12", ""], 5),
            stack(&["main", "never"], 0),
            stack(&["main", "two\nlines 7"], 2),
        ];
        let expected =
            "main 1\nmain;line\u{a0}12;? 5\nmain;read<[u8: 4]> 7\nmain;two lines\u{a0}7 2\n";
        assert_eq!(folded(&stacks), expected);
        assert_eq!(folded(&[]), "");
        let new = [stack(&["main"], 3), stack(&["start"], 2)];
        let expected = "main 1 3\nmain;next 4 0\nstart 0 2\n";
        let base = [stack(&["main"], 1), stack(&["main", "next"], 4)];
        assert_eq!(folded_difference(&base, &new), expected);
    }
}
