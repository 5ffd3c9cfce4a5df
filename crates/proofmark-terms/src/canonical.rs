//! The canonical form of JSON (RFC 8785): equal values are equal bytes, whoever writes them. Where a
//! digest is taken of JSON it is taken of this form.
//!
//! In it every number is a double. An integer that no double holds exactly would silently become
//! another one, so it is refused here; [`exact`](crate::exact) writes such numbers down as text.

use serde::Serialize;

use crate::doubles::OnlyDoubles;

/// The canonical text of a value.
///
/// # Errors
///
/// A number is infinite, none, or an integer beyond ±(2⁵³ − 1); a map's keys are not text, or one is
/// there twice.
pub fn text<T: Serialize>(value: &T) -> Result<String, serde_json::Error> {
    value.serialize(OnlyDoubles)?;
    serde_json_canonicalizer::to_string(value)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

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
}
