//! One side of a comparison: a number, a fact, a count of calls.

use std::collections::BTreeMap;

use super::callee::Callee;
use super::condition_error::ConditionError;
use crate::facts::Fact;

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

impl Term {
    pub(super) fn parse(text: &str, names: &BTreeMap<String, u64>) -> Result<Term, ConditionError> {
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
    pub(super) fn is_measured(&self) -> bool {
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

/// The quoted argument of `function("argument")`.
pub(super) fn argument<'a>(text: &'a str, function: &str) -> Option<&'a str> {
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
