//! What tuning a machine is worth: what it can resolve without an item and with it.

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
    /// The smallest relative differences that a minute of measuring can tell from none: measurements
    /// without the item and with it, taken in turn; as many of each, at least one.
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
    let below = |one: &[f64], other: &[f64]| {
        let most = one.iter().copied().fold(f64::MIN, f64::max);
        let least = other.iter().copied().fold(f64::MAX, f64::min);
        most < least
    };
    if below(with, without) {
        Told::Helps
    } else if below(without, with) {
        Told::Harms
    } else {
        Told::Nothing
    }
}

/// The middle one, or the mean of the two in the middle; 0 of none.
pub(super) fn middle(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = |index: usize| sorted.get(index).copied().unwrap_or(0.0);
    let half = sorted.len() / 2;
    if sorted.len().is_multiple_of(2) {
        f64::midpoint(at(half.saturating_sub(1)), at(half))
    } else {
        at(half)
    }
}

/// What an item is worth, in words.
pub(super) fn words(worth: &Worth) -> String {
    let (without, with) = match &worth.of {
        WorthOf::NothingToSet => return format!("{}: as it should be", worth.found),
        WorthOf::NotMeasured(why) => return format!("not measured: {why}"),
        WorthOf::Measured { without, with } => (without, with),
    };
    let range = |values: &[f64]| {
        let least = values.iter().copied().fold(f64::MAX, f64::min);
        let most = values.iter().copied().fold(f64::MIN, f64::max);
        format!(
            "{} ({} to {})",
            rough(middle(values)),
            rough(least),
            rough(most)
        )
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
        assert!((middle(&[0.04, 0.01, 0.03, 0.02]) - 0.025).abs() < 1e-12);
        assert!((middle(&[0.3, 0.1, 0.2]) - 0.2).abs() < 1e-12);
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
