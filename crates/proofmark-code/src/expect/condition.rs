//! One condition: `indirect_jumps >= 300`, `calls_to("malloc") == 0`, `inlined`.

use std::collections::BTreeMap;

use super::callee::Callee;
use crate::decode::Extensions;
use crate::facts::Fact;

/// A condition on a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// Two numbers compared.
    Compare(Term, Comparison, Term),
    /// The pattern matches a function.
    Exists,
    /// The pattern matches no function: all its calls were inlined.
    Inlined,
    /// The pattern matches no function, for whatever reason.
    Gone,
    /// The function needs this vector extension (`true`), or must do without (`false`).
    Needs(String, bool),
}

/// A number in a condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Term {
    /// Itself.
    Number(u64),
    /// A name given a number by the file's `[let]`.
    Named(String, u64),
    /// A fact of the function.
    Fact(Fact),
    /// Call sites of a callee, in whichever way it is called.
    CallsTo(Callee),
    /// How many functions the pattern matches.
    Functions,
}

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

/// Why a condition cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConditionError {
    /// It has no form that is known.
    #[error(
        "'{0}' is no condition; write one like 'indirect_jumps >= 300', 'calls_to(\"malloc\") == 0', 'needs(\"avx2\")', 'exists' or 'inlined'"
    )]
    Shape(String),
    /// A word that is no fact and no name of the file.
    #[error("'{word}' is no fact and no name under [let]{}", hint(near))]
    Word {
        /// The word.
        word: String,
        /// The most similar fact.
        near: Option<&'static str>,
    },
    /// A number that is none.
    #[error("'{0}' is no whole number from 0 to 2^64-1")]
    Number(String),
    /// A callee that cannot be looked for.
    #[error("calls_to: {0}")]
    Callee(String),
    /// A vector extension that is not known.
    #[error("'{0}' is no vector extension; docs/expectations.md lists them")]
    Extension(String),
    /// A condition that says nothing about any function.
    #[error("'{0}' says nothing about the function: name a fact on one side")]
    Constant(String),
}

fn hint(near: &Option<&'static str>) -> String {
    near.map_or_else(String::new, |n| format!("; did you mean '{n}'?"))
}

impl Comparison {
    /// Longer signs first, so that `<=` is not read as `<`.
    const SIGNS: [(&'static str, Comparison); 6] = [
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
    fn turned(self) -> Comparison {
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

impl Condition {
    /// As it is understood, with the numbers that names stand for:
    /// `indirect_jumps >= 200 (going_on)`; `None` where there is no number in it.
    #[must_use]
    pub fn in_numbers(&self) -> Option<String> {
        let term = |term: &Term| match term {
            Term::Named(name, value) => format!("{value} ({name})"),
            other => other.to_string(),
        };
        let Condition::Compare(left, comparison, right) = self else {
            return None;
        };
        let sign = Comparison::SIGNS
            .iter()
            .find(|(_, known)| known == comparison)?;
        Some(format!("{} {} {}", term(left), sign.0, term(right)))
    }

    /// Reads a condition. What is measured comes to stand on the left, whichever side it was
    /// written on.
    ///
    /// # Errors
    /// When it is not one; the message shows what one looks like.
    pub fn parse(text: &str, names: &BTreeMap<String, u64>) -> Result<Condition, ConditionError> {
        let text = text.trim();
        match text {
            "exists" => return Ok(Condition::Exists),
            "inlined" => return Ok(Condition::Inlined),
            "gone" => return Ok(Condition::Gone),
            _ => {}
        }
        let (plain, wanted) = match text.strip_prefix('!').or_else(|| text.strip_prefix("not ")) {
            Some(rest) => (rest.trim(), false),
            None => (text, true),
        };
        if let Some(name) = argument(plain, "needs") {
            return match Extensions::named(name) {
                Some(_) => Ok(Condition::Needs(name.to_string(), wanted)),
                None => Err(ConditionError::Extension(name.to_string())),
            };
        }
        let shape = || ConditionError::Shape(text.to_string());
        let (at, sign, comparison) = sign(text).ok_or_else(shape)?;
        let left = Term::parse(&text[..at], names)?;
        let right = Term::parse(&text[at + sign.len()..], names)?;
        // How many functions match is the same for each of them.
        let alike = |term: &Term| *term == Term::Functions;
        match (left.is_measured(), right.is_measured()) {
            (true, true) if alike(&left) && alike(&right) => {
                Err(ConditionError::Constant(text.to_string()))
            }
            (true, true) if alike(&left) => {
                Ok(Condition::Compare(right, comparison.turned(), left))
            }
            (false, false) => Err(ConditionError::Constant(text.to_string())),
            (false, true) => Ok(Condition::Compare(right, comparison.turned(), left)),
            _ => Ok(Condition::Compare(left, comparison, right)),
        }
    }

    /// The callee whose calls it counts.
    pub(super) fn callee(&self) -> Option<&Callee> {
        match self {
            Condition::Compare(Term::CallsTo(callee), ..)
            | Condition::Compare(_, _, Term::CallsTo(callee)) => Some(callee),
            _ => None,
        }
    }
}

/// The first comparison sign outside of quotes.
fn sign(text: &str) -> Option<(usize, &'static str, Comparison)> {
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

/// The quoted argument of `function("argument")`.
fn argument<'a>(text: &'a str, function: &str) -> Option<&'a str> {
    let inner = text
        .trim()
        .strip_prefix(function)?
        .trim()
        .strip_prefix('(')?
        .strip_suffix(')')?
        .trim();
    let quoted = inner.strip_prefix('"').and_then(|t| t.strip_suffix('"'));
    let quoted = quoted.or_else(|| inner.strip_prefix('\'').and_then(|t| t.strip_suffix('\'')));
    quoted.filter(|name| !name.is_empty())
}

impl Term {
    fn parse(text: &str, names: &BTreeMap<String, u64>) -> Result<Term, ConditionError> {
        let word = text.trim();
        if word.is_empty() {
            return Err(ConditionError::Shape(text.trim().to_string()));
        }
        if word.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '+') {
            let digits = word.replace(['_', ','], "");
            let digits = digits.strip_prefix('+').unwrap_or(&digits);
            return digits
                .parse()
                .map(Term::Number)
                .map_err(|_| ConditionError::Number(word.to_string()));
        }
        if let Some(callee) = argument(word, "calls_to") {
            return Callee::parse(callee)
                .map(Term::CallsTo)
                .map_err(|wrong| ConditionError::Callee(wrong.to_string()));
        }
        if word.contains(['<', '>', '=', ' ']) {
            return Err(ConditionError::Shape(word.to_string()));
        }
        if let Some(term) = Term::word(word) {
            return Ok(term);
        }
        if let Some(value) = names.get(word) {
            return Ok(Term::Named(word.to_string(), *value));
        }
        let near = Fact::ALL
            .iter()
            .map(|f| f.name())
            .filter(|f| f.contains(word) || word.contains(f))
            .min_by_key(|f| f.len().abs_diff(word.len()));
        Err(ConditionError::Word {
            word: word.to_string(),
            near,
        })
    }

    /// What a word means wherever it stands.
    fn word(word: &str) -> Option<Term> {
        match word {
            "functions" => Some(Term::Functions),
            _ => Fact::named(word).map(Term::Fact),
        }
    }

    /// Whether a word means something wherever it stands, so that it can be no name for a number.
    pub(super) fn is_word(word: &str) -> bool {
        Term::word(word).is_some()
    }

    /// Whether it depends on the function.
    fn is_measured(&self) -> bool {
        !matches!(self, Term::Number(_) | Term::Named(..))
    }
}

impl std::fmt::Display for Term {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Term::Number(n) => write!(f, "{n}"),
            Term::Named(name, value) => write!(f, "{name} ({value})"),
            Term::Fact(fact) => write!(f, "{fact}"),
            Term::CallsTo(callee) => write!(f, "calls_to(\"{callee}\")"),
            Term::Functions => f.write_str("functions"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Condition, ConditionError> {
        Condition::parse(text, &BTreeMap::from([("opcodes".to_string(), 41)]))
    }

    #[test]
    fn the_operators_of_the_documentation_are_read() {
        let at_least = |term, n| Ok(Condition::Compare(term, Comparison::AtLeast, n));
        assert_eq!(
            parse("indirect_jumps >= 300"),
            at_least(Term::Fact(Fact::IndirectJumps), Term::Number(300))
        );
        assert_eq!(
            parse("tail_calls>=opcodes"),
            at_least(
                Term::Fact(Fact::TailCalls),
                Term::Named("opcodes".into(), 41)
            )
        );
        assert_eq!(
            parse("calls_to(\"malloc\") == 0"),
            Ok(Condition::Compare(
                Term::CallsTo(Callee::parse("malloc").unwrap()),
                Comparison::Equal,
                Term::Number(0)
            ))
        );
        assert_eq!(
            parse("calls_to(\"operator<\") == 0"),
            Ok(Condition::Compare(
                Term::CallsTo(Callee::parse("operator<").unwrap()),
                Comparison::Equal,
                Term::Number(0)
            ))
        );
        assert_eq!(
            parse("4_096 >= bytes"),
            Ok(Condition::Compare(
                Term::Fact(Fact::Bytes),
                Comparison::AtMost,
                Term::Number(4096)
            ))
        );
        assert_eq!(
            parse("functions < bytes"),
            Ok(Condition::Compare(
                Term::Fact(Fact::Bytes),
                Comparison::More,
                Term::Functions
            ))
        );
        assert_eq!(parse(" exists "), Ok(Condition::Exists));
        assert_eq!(parse("inlined"), Ok(Condition::Inlined));
        assert_eq!(
            parse("not needs('AVX512F')"),
            Ok(Condition::Needs("AVX512F".into(), false))
        );
    }

    #[test]
    fn mistakes_are_named() {
        assert!(matches!(
            parse("indirect_jump >= 3"),
            Err(ConditionError::Word {
                near: Some("indirect_jumps"),
                ..
            })
        ));
        assert!(matches!(parse("bytes"), Err(ConditionError::Shape(_))));
        assert!(matches!(parse("bytes =< 3"), Err(ConditionError::Shape(_))));
        assert!(matches!(
            parse("bytes <= 99999999999999999999999"),
            Err(ConditionError::Number(_))
        ));
        assert!(matches!(
            parse("bytes > -1"),
            Err(ConditionError::Number(_))
        ));
        assert!(matches!(
            parse("3 < opcodes"),
            Err(ConditionError::Constant(_))
        ));
        assert!(matches!(
            parse("needs(\"avx1024\")"),
            Err(ConditionError::Extension(_))
        ));
        assert!(matches!(
            parse("functions == functions"),
            Err(ConditionError::Constant(_))
        ));
        assert!(matches!(
            parse("calls_to(malloc) == 0"),
            Err(ConditionError::Word { .. })
        ));
        assert!(matches!(
            parse("calls_to('/mal(/') == 0"),
            Err(ConditionError::Callee(_))
        ));
    }

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
