//! One condition: `indirect_jumps >= 300`, `calls_to("malloc") == 0`, `inlined`.

use std::collections::BTreeMap;

use super::callee::Callee;
use super::condition_error::ConditionError;
use super::relation::{Relation, sign};
use super::term::{Term, argument};
use crate::decode::Extensions;

/// A condition on a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// Two numbers compared.
    Compare(Term, Relation, Term),
    /// The pattern matches a function.
    Exists,
    /// The pattern matches no function: all its calls were inlined.
    Inlined,
    /// The pattern matches no function, for whatever reason.
    Gone,
    /// The function needs this vector extension (`true`), or must do without (`false`).
    Needs(String, bool),
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
        let Condition::Compare(left, relation, right) = self else {
            return None;
        };
        let sign = Relation::SIGNS
            .iter()
            .find(|(_, known)| known == relation)?;
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
        let (at, sign, relation) = sign(text).ok_or_else(shape)?;
        let left = Term::parse(&text[..at], names)?;
        let right = Term::parse(&text[at + sign.len()..], names)?;
        // How many functions match is the same for each of them.
        let alike = |term: &Term| *term == Term::Functions;
        match (left.is_measured(), right.is_measured()) {
            (true, true) if alike(&left) && alike(&right) => {
                Err(ConditionError::Constant(text.to_string()))
            }
            (true, true) if alike(&left) => Ok(Condition::Compare(right, relation.turned(), left)),
            (false, false) => Err(ConditionError::Constant(text.to_string())),
            (false, true) => Ok(Condition::Compare(right, relation.turned(), left)),
            _ => Ok(Condition::Compare(left, relation, right)),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Fact;

    fn parse(text: &str) -> Result<Condition, ConditionError> {
        Condition::parse(text, &BTreeMap::from([("opcodes".to_string(), 41)]))
    }

    #[test]
    fn the_operators_of_the_documentation_are_read() {
        let at_least = |term, n| Ok(Condition::Compare(term, Relation::AtLeast, n));
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
                Relation::Equal,
                Term::Number(0)
            ))
        );
        assert_eq!(
            parse("calls_to(\"operator<\") == 0"),
            Ok(Condition::Compare(
                Term::CallsTo(Callee::parse("operator<").unwrap()),
                Relation::Equal,
                Term::Number(0)
            ))
        );
        assert_eq!(
            parse("4_096 >= bytes"),
            Ok(Condition::Compare(
                Term::Fact(Fact::Bytes),
                Relation::AtMost,
                Term::Number(4096)
            ))
        );
        assert_eq!(
            parse("functions < bytes"),
            Ok(Condition::Compare(
                Term::Fact(Fact::Bytes),
                Relation::More,
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
}
