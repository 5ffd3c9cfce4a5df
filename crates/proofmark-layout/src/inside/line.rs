//! A line of an assembler's text. Pure.

/// What a line is.
pub(super) enum Line<'t> {
    Label(&'t str),
    Align,
    /// A directive with its operands.
    Directive(&'t str, &'t str),
    /// An instruction with its operands.
    Code(&'t str, &'t str),
    Nothing,
}

/// Reads a line.
pub(super) fn line(text: &str) -> Line<'_> {
    let text = text.trim();
    if text.is_empty() || text.starts_with('#') {
        return Line::Nothing;
    }
    // Compilers write comments behind what they mean.
    if let Some((label, rest)) = text.split_once(':')
        && !label.contains(char::is_whitespace)
        && (rest.is_empty() || rest.trim_start().starts_with('#'))
    {
        return Line::Label(label.trim_matches('"'));
    }
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    match word {
        ".p2align" | ".align" | ".balign" => Line::Align,
        _ if word.starts_with('.') => Line::Directive(word, rest.trim()),
        _ => Line::Code(word, rest.split('#').next().unwrap_or_default()),
    }
}

/// Names in operands.
pub(super) fn words(operands: &str) -> impl Iterator<Item = &str> {
    let part = |letter: char| letter.is_ascii_alphanumeric() || "._$".contains(letter);
    operands
        .split(move |letter| !part(letter))
        .map(|word| word.trim_start_matches('$'))
        .filter(|word| !word.is_empty())
}

/// Whether an instruction never goes on to the next one.
pub(super) fn leaves(word: &str, operands: &str) -> bool {
    let last = operands.split_whitespace().next().unwrap_or_default();
    let word = if ["rep", "repz", "bnd", "notrack"].contains(&word) {
        last
    } else {
        word
    };
    ["jmp", "jmpq", "ret", "retq", "ud2", "hlt"].contains(&word)
}

/// Whether an instruction may jump.
pub(super) fn jumps(word: &str) -> bool {
    word.starts_with('j') || word.starts_with("loop") || word == "notrack" || word == "bnd"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_behind_a_comment_sign_is_no_part_of_a_line() {
        let label = |text| match line(text) {
            Line::Label(label) => Some(label),
            _ => None,
        };
        assert_eq!(label(".L3:"), Some(".L3"));
        assert_eq!(
            label(".LBB0_1:\t# =>This Inner Loop Header: Depth=1"),
            Some(".LBB0_1")
        );
        assert_eq!(label("\"odd name\":"), None);
        assert_eq!(label("\t.ascii \"a: #\""), None);
        let Line::Code(word, operands) = line("\tjmp\t.LBB0_4  # through *table") else {
            panic!("an instruction");
        };
        assert_eq!((word, words(operands).next()), ("jmp", Some(".LBB0_4")));
        assert!(!operands.contains('*'));
    }
}
