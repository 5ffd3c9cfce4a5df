//! The canonical form of JSON (RFC 8785): equal values are equal bytes, whoever writes them. Where
//! a digest is taken of JSON it is taken of this form.
//!
//! In it every number is a double. An integer that no double holds exactly would silently become
//! another one, so it is refused here; [`exact`](crate::exact) writes such numbers down as text.

mod order;

use serde::Serialize;
use serde::ser::Error as _;
use serde_json::Serializer;

use crate::doubles::OnlyDoubles;
use order::{Order, Pen, Text};

/// The canonical text of a value.
///
/// # Errors
///
/// A number is infinite, none, or an integer beyond ±(2⁵³ − 1); a map's keys are not text, or one
/// is there twice.
pub fn text<T: Serialize>(value: &T) -> Result<String, serde_json::Error> {
    value.serialize(OnlyDoubles)?;
    let text = Text::default();
    value.serialize(&mut Serializer::with_formatter(
        Pen(&text),
        Order::new(&text),
    ))?;
    String::from_utf8(text.into_inner()).map_err(serde_json::Error::custom)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashMap};

    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;
    use crate::doubles::LARGEST;

    /// The example of RFC 8785, section 3.2.2, and the order of its section 3.2.3.
    #[test]
    fn the_examples_of_the_standard_come_out() {
        let numbers = [333_333_333.333_333_3, 1e30, 4.50, 2e-3, 1e-27];
        assert_eq!(
            text(&numbers).unwrap(),
            "[333333333.3333333,1e+30,4.5,0.002,1e-27]"
        );
        let names = [
            "\u{20ac}",
            "\r",
            "1",
            "\u{1f600}",
            "\u{80}",
            "\u{f6}",
            "\u{fb33}",
        ];
        let object: HashMap<&str, u32> = names.into_iter().zip(0..).collect();
        assert_eq!(
            text(&object).unwrap(),
            "{\"\\r\":1,\"1\":2,\"\u{80}\":4,\"\u{f6}\":5,\"\u{20ac}\":0,\"\u{1f600}\":3,\"\u{fb33}\":6}"
        );
    }

    #[test]
    fn what_would_become_another_number_is_refused() {
        assert_eq!(text(&LARGEST).unwrap(), "9007199254740991");
        assert_eq!(
            text(&-9_007_199_254_740_991_i64).unwrap(),
            "-9007199254740991"
        );
        assert!(text(&(LARGEST + 1)).is_err());
        assert!(text(&u64::MAX).is_err());
        assert!(text(&[i64::MIN]).is_err());
        assert!(text(&Some(u128::MAX)).is_err());
        assert!(text(&HashMap::from([(u64::MAX, 0)])).is_err());
        assert!(text(&serde_json::json!({ "deep": [{ "seed": u64::MAX }] })).is_err());
        for number in [f64::NAN, f64::INFINITY] {
            assert!(text(&number).is_err());
            // Also where serde_json would write `null`.
            assert!(text(&[Some(number)]).is_err());
            assert!(text(&HashMap::from([("deep", (1, number))])).is_err());
        }
    }

    #[test]
    fn the_order_of_fields_does_not_matter() {
        let one = serde_json::json!({ "b": 1, "a": { "d": 2.0, "c": null } });
        assert_eq!(text(&one).unwrap(), r#"{"a":{"c":null,"d":2},"b":1}"#);
    }

    /// Values with every kind of number, text and nesting.
    fn value() -> impl Strategy<Value = Value> {
        let largest = LARGEST.cast_signed();
        let name = prop_oneof![any::<String>(), "[a-c\\x00-\\x1f\"\\\\é€😀\\u{fb33}]{0,3}"];
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (-largest..=largest).prop_map(Value::from),
            proptest::num::f64::ANY.prop_map(Value::from),
            (-1e22..1e22).prop_map(Value::from),
            name.clone().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 64, 6, move |inner| {
            let object = prop::collection::btree_map(name.clone(), inner.clone(), 0..6);
            prop_oneof![
                prop::collection::vec(inner, 0..6).prop_map(Value::from),
                object.prop_map(|of: BTreeMap<String, Value>| of.into_iter().collect()),
            ]
        })
    }

    proptest! {
        /// The library writes the same, more slowly.
        #[test]
        fn it_is_what_another_hand_writes(value in value()) {
            let other = serde_json_canonicalizer::to_string(&value).unwrap();
            prop_assert_eq!(text(&value).unwrap(), other);
        }
    }

    #[test]
    fn an_object_with_two_members_of_one_name_is_refused() {
        struct Twice;
        impl Serialize for Twice {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.collect_map([("a", 1), ("b", 2), ("a", 1)])
            }
        }
        assert!(text(&Twice).is_err());
        assert!(text(&[Twice]).is_err());
    }
}
