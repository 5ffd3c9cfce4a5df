//! Variance within and between groups of values.

use crate::moments::Moments;

/// A one-way layout of random effects: groups with their values, as many in each as there are
/// (Searle, Casella and McCulloch, Variance Components, 1992, section 3.6).
pub(crate) struct Groups {
    /// Groups that are not empty.
    pub(crate) count: f64,
    /// Values in all.
    pub(crate) total: f64,
    /// The size of a group that stands for all: the plain size when all are equal.
    pub(crate) size: f64,
    /// Sum of squares between the groups.
    pub(crate) squares_between: f64,
    squares_within: f64,
}

impl Groups {
    pub(crate) fn of(groups: &[Vec<f64>]) -> Self {
        let groups: Vec<Moments> = groups
            .iter()
            .filter(|group| !group.is_empty())
            .map(|group| Moments::of(group))
            .collect();
        let sizes: Vec<f64> = groups
            .iter()
            .map(|group| f64::from(group.count()))
            .collect();
        let count = sizes.len() as f64;
        let total: f64 = sizes.iter().sum();
        let grand = groups
            .iter()
            .zip(&sizes)
            .map(|(group, size)| group.mean() * size)
            .sum::<f64>()
            / total;
        Groups {
            count,
            total,
            size: (total - sizes.iter().map(|size| size * size).sum::<f64>() / total)
                / (count - 1.0),
            squares_between: groups
                .iter()
                .zip(&sizes)
                .map(|(group, size)| size * (group.mean() - grand).powi(2))
                .sum(),
            squares_within: groups.iter().map(Moments::squares).sum(),
        }
    }

    pub(crate) fn is_finite(&self) -> bool {
        self.count == 0.0 || (self.squares_between.is_finite() && self.squares_within.is_finite())
    }

    /// Mean square between the groups.
    pub(crate) fn mean_square_between(&self) -> f64 {
        self.squares_between / (self.count - 1.0)
    }

    /// The variance of a value inside its group.
    pub(crate) fn within(&self) -> f64 {
        self.squares_within / (self.total - self.count)
    }

    /// The variance of the groups' true means, by the method of moments; 0 where that is negative.
    pub(crate) fn between(&self) -> f64 {
        ((self.mean_square_between() - self.within()) / self.size).max(0.0)
    }
}
