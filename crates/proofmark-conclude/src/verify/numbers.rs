//! Two conclusions held against each other, number by number.

use serde::Serialize;
use serde_json::Value;

use super::found::{Disagreement, Finding};

/// How far two numbers may be apart, relative to the larger: what another order of adding up, or
/// another machine's logarithm, may do.
pub const TOLERANCE: f64 = 1e-9;

/// How a text says that a part of it is kept apart; see `docs/schema/store.md`.
const PRIVATE: &str = "⟨private ";
/// What ends that.
const PRIVATE_END: char = '⟩';

/// Holds a claimed conclusion against the one that its samples give.
pub(super) fn compared<T: Serialize>(claimed: &T, found: &T) -> Finding {
    let values = [claimed, found].map(serde_json::to_value);
    let [Ok(claimed), Ok(found)] = values else {
        return Finding::NotConcluded {
            why: "a number in it cannot be written down".to_owned(),
        };
    };
    let mut held = Held::default();
    held.value("", &claimed, &found);
    if held.otherwise.is_empty() {
        Finding::AsClaimed {
            numbers: held.numbers,
        }
    } else {
        Finding::Otherwise(held.otherwise)
    }
}

/// Whether two texts are the same, as far as what is kept apart of them lets see: what stands
/// before, between and behind it has to be.
pub(super) fn is_same_text(one: &str, other: &str) -> bool {
    let (one, other) = (shown(one), shown(other));
    match (one.as_slice(), other.as_slice()) {
        ([one], [other]) => one == other,
        ([text], shown) | (shown, [text]) => stand_in_order(shown, text),
        ([first, .., last], [other_first, .., other_last]) => {
            (first.starts_with(other_first) || other_first.starts_with(first))
                && (last.ends_with(other_last) || other_last.ends_with(last))
        }
        _ => false,
    }
}

/// The parts of a text that are not kept apart: one more than what is.
fn shown(text: &str) -> Vec<&str> {
    let mut parts = text.split(PRIVATE);
    let mut shown: Vec<&str> = parts.next().into_iter().collect();
    shown.extend(parts.map(|part| part.split_once(PRIVATE_END).map_or("", |(_, rest)| rest)));
    shown
}

/// Whether a text begins with the first of these parts, ends with the last, and has the others in
/// their order in between.
fn stand_in_order(parts: &[&str], text: &str) -> bool {
    let [first, between @ .., last] = parts else {
        return false;
    };
    let Some(mut rest) = text.strip_prefix(first) else {
        return false;
    };
    for part in between {
        let Some((_, behind)) = rest.split_once(part) else {
            return false;
        };
        rest = behind;
    }
    rest.ends_with(last)
}

/// Whether a part of a text is kept apart: others may look the same.
pub(super) fn is_private(text: &str) -> bool {
    text.contains(PRIVATE)
}

#[derive(Default)]
struct Held {
    numbers: u32,
    otherwise: Vec<Disagreement>,
}

impl Held {
    fn value(&mut self, at: &str, claimed: &Value, found: &Value) {
        match (claimed, found) {
            (Value::Object(one), Value::Object(other)) => {
                let keys: std::collections::BTreeSet<&String> =
                    one.keys().chain(other.keys()).collect();
                for key in keys {
                    let at = if at.is_empty() {
                        key.clone()
                    } else {
                        format!("{at}.{key}")
                    };
                    let of = |object: &serde_json::Map<String, Value>| {
                        object.get(key).cloned().unwrap_or_default()
                    };
                    self.value(&at, &of(one), &of(other));
                }
            }
            (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
                for (place, (claimed, found)) in one.iter().zip(other).enumerate() {
                    self.value(&format!("{at}[{place}]"), claimed, found);
                }
            }
            (Value::Number(one), Value::Number(other)) => {
                self.numbers += 1;
                let (claimed, found) = (one.as_f64(), other.as_f64());
                if !claimed
                    .zip(found)
                    .is_some_and(|(one, other)| close(one, other))
                {
                    self.disagree(at, one.to_string(), other.to_string());
                }
            }
            (Value::String(one), Value::String(other)) if is_same_text(one, other) => {}
            _ if claimed == found => {}
            _ => self.disagree(at, short(claimed), short(found)),
        }
    }

    fn disagree(&mut self, at: &str, claimed: String, found: String) {
        self.otherwise.push(Disagreement {
            at: at.to_owned(),
            claimed,
            found,
        });
    }
}

/// Whether two numbers are one, but for how they were added up.
pub(super) fn close(one: f64, other: f64) -> bool {
    let larger = one.abs().max(other.abs());
    (one - other).abs() <= TOLERANCE * larger.max(TOLERANCE)
}

/// A value in at most a line.
fn short(value: &Value) -> String {
    const MOST: usize = 120;
    let text = value.to_string();
    if text.chars().count() <= MOST {
        return text;
    }
    text.chars().take(MOST).chain(['…']).collect()
}

/// Takes of two lists of warnings those that follow from the samples: the claimed list has what was
/// seen while measuring as well.
pub(super) fn recomputable<W: Clone + Serialize>(claimed: &[W], found: &[W]) -> Vec<W> {
    let is = |one: &W, other: &W| matches!(compared(one, other), Finding::AsClaimed { .. });
    let kept = claimed.iter().map(|claimed| {
        let same = found.iter().find(|found| is(claimed, found));
        same.unwrap_or(claimed).clone()
    });
    let missing = found
        .iter()
        .filter(|found| !claimed.iter().any(|claimed| is(claimed, found)));
    kept.chain(missing.cloned()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_changed_digit_is_found_where_it_stands_and_rounding_is_not() {
        let claimed = json!({"a": [{"ratio": 1.05, "name": "⟨private 3⟩"}], "n": 8});
        let rounded = json!({"a": [{"ratio": 1.050_000_000_000_1, "name": "new"}], "n": 8});
        assert_eq!(
            compared(&claimed, &rounded),
            Finding::AsClaimed { numbers: 2 }
        );
        let changed = json!({"a": [{"ratio": 1.051, "name": "new"}], "n": 8});
        let Finding::Otherwise(found) = compared(&claimed, &changed) else {
            panic!("a changed digit was taken for the same");
        };
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].at, "a[0].ratio");
        assert_eq!(
            [found[0].claimed.as_str(), &found[0].found],
            ["1.05", "1.051"]
        );
    }

    #[test]
    fn what_is_kept_apart_may_be_anything_and_nothing_around_it() {
        for (one, other, same) in [
            ("make -O2", "make -O2", true),
            ("make -O2", "make -O3", false),
            ("⟨private 3⟩", "make -O3", true),
            ("cd ⟨private 3⟩ && make -O2", "cd /home/u && make -O2", true),
            (
                "cd ⟨private 3⟩ && make -O2",
                "cd /home/u && make -O3",
                false,
            ),
            ("cd ⟨private 0⟩/a ⟨private 1⟩", "cd /home/u/a b", true),
            ("cd ⟨private 0⟩/a ⟨private 1⟩", "cd /home/u/b b", false),
            ("cd ⟨private 0⟩/a", "cd ⟨private 7⟩/src/a", true),
            ("cd ⟨private 0⟩/a", "cd ⟨private 7⟩/b", false),
            ("ab⟨private 0⟩ba", "aba", false),
            ("⟨private ", "make", true),
        ] {
            assert_eq!(is_same_text(one, other), same, "{one} | {other}");
            assert_eq!(is_same_text(other, one), same, "{other} | {one}");
        }
    }

    #[test]
    fn what_is_missing_or_of_another_length_or_kind_is_found() {
        for other in [
            json!({}),
            json!({"a": [1, 2]}),
            json!({"a": "1"}),
            json!({"a": [1], "b": 0}),
        ] {
            assert!(
                matches!(compared(&json!({"a": [1]}), &other), Finding::Otherwise(_)),
                "{other}"
            );
        }
    }

    #[test]
    fn warnings_seen_while_measuring_stay_and_one_that_was_left_out_is_found() {
        let claimed = [json!({"kind": "seen"}), json!({"kind": "short", "ns": 1.0})];
        let found = [json!({"kind": "short", "ns": 1.0})];
        assert_eq!(recomputable(&claimed, &found), claimed);
        let more = [
            json!({"kind": "short", "ns": 1.0}),
            json!({"kind": "doubt"}),
        ];
        assert_eq!(recomputable(&claimed, &more).len(), 3);
    }
}
