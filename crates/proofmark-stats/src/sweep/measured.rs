//! What one block of a sweep measured.

use crate::median;
use crate::moments::Moments;

/// What one block measured: the anchor, and the addresses beside it in the same rounds.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockValues {
    /// The anchor's value in each round, on the scale of ln.
    anchor: Vec<f64>,
    /// Index of each address, and its value in each round, on the scale of ln.
    addresses: Vec<(usize, Vec<f64>)>,
}

/// One address in one block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cell {
    /// Index of the address.
    pub(super) address: usize,
    /// Place of the block among those looked at.
    pub(super) block: usize,
    /// ln(at the address ÷ as shipped) of what is looked at; finite.
    pub(super) value: f64,
}

impl BlockValues {
    /// Of the metric's values, round by round: the anchor's, and those at each address with its
    /// index. An address with another number of rounds, or with a value that has no logarithm, is
    /// left out; None where the anchor has such a value, or nothing is left.
    #[must_use]
    pub fn new(
        anchor: &[f64],
        addresses: impl IntoIterator<Item = (usize, Vec<f64>)>,
    ) -> Option<Self> {
        let logs = |values: &[f64]| -> Option<Vec<f64>> {
            let usable = |value: &&f64| **value > 0.0 && value.is_finite();
            let sound = !values.is_empty() && values.iter().all(|value| usable(&value));
            sound.then(|| values.iter().map(|value| value.ln()).collect())
        };
        let anchor = logs(anchor)?;
        let addresses: Vec<(usize, Vec<f64>)> = addresses
            .into_iter()
            .filter(|(_, values)| values.len() == anchor.len())
            .filter_map(|(address, values)| Some((address, logs(&values)?)))
            .collect();
        (!addresses.is_empty()).then_some(Self { anchor, addresses })
    }

    /// The spread of each one's runs in place of their values: ln of the standard deviation of the
    /// logarithms over the rounds. What does not vary is left out; None where the anchor does not,
    /// or nothing is left.
    #[must_use]
    pub fn spread(&self) -> Option<Self> {
        let spread = |logs: &[f64]| {
            let variance = Moments::of(logs).variance()?;
            (variance > 0.0).then(|| vec![variance.ln() / 2.0])
        };
        let anchor = spread(&self.anchor)?;
        let each = self.addresses.iter();
        let addresses: Vec<(usize, Vec<f64>)> = each
            .filter_map(|(address, logs)| Some((*address, spread(logs)?)))
            .collect();
        (!addresses.is_empty()).then_some(Self { anchor, addresses })
    }

    /// Indices of the addresses.
    pub(super) fn addresses(&self) -> impl Iterator<Item = usize> {
        self.addresses.iter().map(|(address, _)| *address)
    }

    /// ln(address ÷ anchor) of each address: the median over the rounds.
    pub(super) fn beside_anchor(&self) -> impl Iterator<Item = (usize, f64)> {
        self.addresses.iter().filter_map(|(address, logs)| {
            let each = logs.iter().zip(&self.anchor);
            let ratios: Vec<f64> = each.map(|(address, anchor)| address - anchor).collect();
            Some((*address, median(&ratios)?))
        })
    }

    /// What the anchor, and then each address, is beside the rest of the block, where `effects` are
    /// what the addresses do: the median over the rounds of its value less the median of what the
    /// others' effects leave of theirs.
    pub(super) fn beside_the_rest(&self, effects: &[f64]) -> Vec<f64> {
        let effect = |address: &usize| effects.get(*address).copied().unwrap_or(0.0);
        let images: Vec<(f64, &[f64])> = std::iter::once((0.0, self.anchor.as_slice()))
            .chain(
                self.addresses
                    .iter()
                    .map(|(at, logs)| (effect(at), logs.as_slice())),
            )
            .collect();
        let rounds = 0..self.anchor.len();
        let left: Vec<Vec<f64>> = rounds
            .map(|round| {
                images
                    .iter()
                    .map(|(effect, logs)| logs[round] - effect)
                    .collect()
            })
            .collect();
        let beside = |(image, (effect, _)): (usize, &(f64, &[f64]))| {
            let each = left.iter().filter_map(|round| {
                let mut rest = round.clone();
                let own = rest.remove(image);
                Some(own - median(&rest)?)
            });
            let each: Vec<f64> = each.collect();
            median(&each).map_or(f64::NAN, |own| own + effect)
        };
        images.iter().enumerate().map(beside).collect()
    }
}
