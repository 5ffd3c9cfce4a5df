//! The relations between two numbers, and their signs.

/// How two numbers are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
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

impl Relation {
    /// Longer signs first, so that `<=` is not read as `<`.
    pub(super) const SIGNS: [(&'static str, Relation); 6] = [
        ("==", Relation::Equal),
        ("!=", Relation::Unequal),
        ("<=", Relation::AtMost),
        (">=", Relation::AtLeast),
        ("<", Relation::Less),
        (">", Relation::More),
    ];

    /// Whether it holds.
    #[must_use]
    pub fn holds(self, left: u64, right: u64) -> bool {
        match self {
            Relation::Equal => left == right,
            Relation::Unequal => left != right,
            Relation::Less => left < right,
            Relation::AtMost => left <= right,
            Relation::More => left > right,
            Relation::AtLeast => left >= right,
        }
    }

    /// The same relation seen from the other side.
    pub(super) fn turned(self) -> Relation {
        match self {
            Relation::Less => Relation::More,
            Relation::AtMost => Relation::AtLeast,
            Relation::More => Relation::Less,
            Relation::AtLeast => Relation::AtMost,
            same => same,
        }
    }

    /// In words: "at least".
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Relation::Equal => "exactly",
            Relation::Unequal => "anything but",
            Relation::Less => "less than",
            Relation::AtMost => "at most",
            Relation::More => "more than",
            Relation::AtLeast => "at least",
        }
    }
}

/// The first sign of a relation outside of quotes.
pub(super) fn sign(text: &str) -> Option<(usize, &'static str, Relation)> {
    let mut quoted = false;
    for (at, c) in text.char_indices() {
        if c == '"' || c == '\'' {
            quoted = !quoted;
        }
        if !quoted
            && let Some((sign, relation)) = Relation::SIGNS
                .iter()
                .find(|(s, _)| text[at..].starts_with(s))
        {
            return Some((at, sign, *relation));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_relation_holds_where_it_says() {
        for (relation, below, same, above) in [
            (Relation::Equal, false, true, false),
            (Relation::Unequal, true, false, true),
            (Relation::Less, true, false, false),
            (Relation::AtMost, true, true, false),
            (Relation::More, false, false, true),
            (Relation::AtLeast, false, true, true),
        ] {
            assert_eq!(
                (
                    relation.holds(1, 2),
                    relation.holds(2, 2),
                    relation.holds(3, 2)
                ),
                (below, same, above)
            );
        }
    }
}
