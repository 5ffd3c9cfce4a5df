//! What tuning a machine is worth: what it can resolve without an item and with it.

use proofmark_stats::median;

use crate::number::rough;

/// An item of `tune`, and what it is worth here.
#[derive(Clone, Debug, PartialEq)]
pub struct Worth {
    /// Its name.
    pub item: &'static str,
    /// How it was found.
    pub found: String,
    /// What it is worth.
    pub of: WorthOf,
}

/// What an item is worth.
#[derive(Clone, Debug, PartialEq)]
pub enum WorthOf {
    /// It is as it should be.
    NothingToSet,
    /// Nobody knows, and why.
    NotMeasured(String),
    /// The smallest relative differences that a minute of measuring can tell from none:
    /// measurements without the item and with it, taken in turn; as many of each, at least one.
    Measured {
        /// Without.
        without: Vec<f64>,
        /// With.
        with: Vec<f64>,
    },
}

/// What measurements in turn say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told {
    /// Each with the item resolves less than each without: it takes noise away.
    Helps,
    /// Each with the item resolves more: it makes noise.
    Harms,
    /// They overlap.
    Nothing,
}

pub(super) fn told(without: &[f64], with: &[f64]) -> Told {
    let below = |one: &[f64], other: &[f64]| extremes(one)[1] < extremes(other)[0];
    if below(with, without) {
        Told::Helps
    } else if below(without, with) {
        Told::Harms
    } else {
        Told::Nothing
    }
}

/// The least and the most of values.
fn extremes(values: &[f64]) -> [f64; 2] {
    let values = values.iter().copied();
    [
        values.clone().fold(f64::MAX, f64::min),
        values.fold(f64::MIN, f64::max),
    ]
}

/// What an item is worth, in words.
pub(super) fn words(worth: &Worth) -> String {
    let (without, with) = match &worth.of {
        WorthOf::NothingToSet => return format!("{}: as it should be", worth.found),
        WorthOf::NotMeasured(why) => return format!("not measured: {why}"),
        WorthOf::Measured { without, with } => (without, with),
    };
    let range = |values: &[f64]| {
        let [least, most] = extremes(values).map(rough);
        let middle = median(values).map_or_else(|| "?".to_owned(), rough);
        format!("{middle} ({least} to {most})")
    };
    let says = match told(without, with) {
        Told::Helps => "it takes noise away",
        Told::Harms => "it makes noise here",
        Told::Nothing => "no difference that can be told",
    };
    format!(
        "differences of {} can be detected without it, of {} with it: {says}",
        range(without),
        range(with)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_helps_where_every_measurement_with_it_is_better() {
        assert_eq!(told(&[0.03, 0.04], &[0.01, 0.02]), Told::Helps);
        assert_eq!(told(&[0.01, 0.02], &[0.03, 0.04]), Told::Harms);
        assert_eq!(told(&[0.01, 0.03], &[0.02, 0.04]), Told::Nothing);
        assert_eq!(told(&[0.02], &[0.02]), Told::Nothing);
    }

    #[test]
    fn what_was_not_measured_says_why() {
        let worth = |of: WorthOf| {
            words(&Worth {
                item: "turbo",
                found: "on".to_owned(),
                of,
            })
        };
        assert_eq!(worth(WorthOf::NothingToSet), "on: as it should be");
        assert_eq!(
            worth(WorthOf::NotMeasured("read-only".to_owned())),
            "not measured: read-only"
        );
        let said = worth(WorthOf::Measured {
            without: vec![0.03, 0.04, 0.05],
            with: vec![0.01, 0.02, 0.01],
        });
        assert!(said.ends_with("it takes noise away"), "{said}");
    }
}
