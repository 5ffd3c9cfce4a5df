//! Mean and sum of squares, one value at a time.

/// Running mean and squared deviations (Welford 1962), so that a look after each block costs the
/// same at every block.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Moments {
    count: u32,
    mean: f64,
    squares: f64,
}

impl Moments {
    /// Of a slice.
    pub(crate) fn of(values: &[f64]) -> Self {
        let mut moments = Moments::default();
        for &value in values {
            moments.add(value);
        }
        moments
    }

    /// Takes one more value.
    pub(crate) fn add(&mut self, value: f64) {
        self.count += 1;
        let before = value - self.mean;
        self.mean += before / f64::from(self.count);
        self.squares += before * (value - self.mean);
    }

    /// How many values.
    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    /// The mean; 0 of no values.
    pub(crate) fn mean(&self) -> f64 {
        self.mean
    }

    /// Sum of squared deviations from the mean.
    pub(crate) fn squares(&self) -> f64 {
        self.squares
    }

    /// Sample variance with n − 1; `None` for fewer than two values or where it is not finite.
    pub(crate) fn variance(&self) -> Option<f64> {
        let variance = self.squares / (f64::from(self.count) - 1.0);
        (self.count >= 2 && variance.is_finite() && self.mean.is_finite())
            .then_some(variance.max(0.0))
    }

    /// Standard error of the mean.
    pub(crate) fn standard_error(&self) -> Option<f64> {
        self.variance()
            .map(|variance| (variance / f64::from(self.count)).sqrt())
    }
}
