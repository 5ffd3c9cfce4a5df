//! The signs of comparison.

/// How two numbers are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// `==`
    Equal,
    /// `!=`
    Unequal,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    More,
    /// `>=`
    AtLeast,
}

impl Comparison {
    /// Longer signs first, so that `<=` is not read as `<`.
    pub(super) const SIGNS: [(&'static str, Comparison); 6] = [
        ("==", Comparison::Equal),
        ("!=", Comparison::Unequal),
        ("<=", Comparison::AtMost),
        (">=", Comparison::AtLeast),
        ("<", Comparison::Less),
        (">", Comparison::More),
    ];

    /// Whether it holds.
    #[must_use]
    pub fn holds(self, left: u64, right: u64) -> bool {
        match self {
            Comparison::Equal => left == right,
            Comparison::Unequal => left != right,
            Comparison::Less => left < right,
            Comparison::AtMost => left <= right,
            Comparison::More => left > right,
            Comparison::AtLeast => left >= right,
        }
    }

    /// The same comparison seen from the other side.
    pub(super) fn turned(self) -> Comparison {
        match self {
            Comparison::Less => Comparison::More,
            Comparison::AtMost => Comparison::AtLeast,
            Comparison::More => Comparison::Less,
            Comparison::AtLeast => Comparison::AtMost,
            same => same,
        }
    }

    /// In words: "at least".
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Comparison::Equal => "exactly",
            Comparison::Unequal => "anything but",
            Comparison::Less => "less than",
            Comparison::AtMost => "at most",
            Comparison::More => "more than",
            Comparison::AtLeast => "at least",
        }
    }
}

/// The first comparison sign outside of quotes.
pub(super) fn sign(text: &str) -> Option<(usize, &'static str, Comparison)> {
    let mut quoted = false;
    for (at, c) in text.char_indices() {
        if c == '"' || c == '\'' {
            quoted = !quoted;
        }
        if !quoted
            && let Some((sign, comparison)) = Comparison::SIGNS
                .iter()
                .find(|(s, _)| text[at..].starts_with(s))
        {
            return Some((at, sign, *comparison));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_comparison_compares() {
        for (comparison, below, same, above) in [
            (Comparison::Equal, false, true, false),
            (Comparison::Unequal, true, false, true),
            (Comparison::Less, true, false, false),
            (Comparison::AtMost, true, true, false),
            (Comparison::More, false, false, true),
            (Comparison::AtLeast, false, true, true),
        ] {
            assert_eq!(
                (
                    comparison.holds(1, 2),
                    comparison.holds(2, 2),
                    comparison.holds(3, 2)
                ),
                (below, same, above)
            );
        }
    }
}
