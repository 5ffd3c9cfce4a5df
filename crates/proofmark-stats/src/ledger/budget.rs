//! Online control of the false discovery rate: what each question may spend of a wealth that
//! findings replenish.

use thiserror::Error;

/// Makes the shares of [`share`] sum to less than 1 (0.976).
const SCALE: f64 = 0.077_208_38;

/// What may be spent before anything is found, of the rate.
const AT_FIRST: f64 = 0.5;

/// Why there is no such budget.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum BudgetError {
    /// The rate is none.
    #[error("a rate of {0} is impossible; give one above 0 and below 0.5, for instance 0.05")]
    Rate(f64),
}

/// The error budget of a sequence of questions, by LORD++ (Ramdas, Yang, Wainwright and Jordan,
/// "Online control of the false discovery rate with decaying memory", NeurIPS 2017): question t is
/// asked at the level
///
/// ```text
/// αₜ = γₜ·w₀ + (α − w₀)·γ(t − r₁) + α·Σⱼ≥₂ γ(t − rⱼ)
/// ```
///
/// where α is the rate, w₀ = α ÷ 2, and rⱼ the question by which the j-th finding is known. γ is
/// the sequence of Javanmard and Montanari (Annals of Statistics 46, 2018):
/// γₜ = 0.07720838·ln(max(t, 2)) ÷ (t·exp(√ln t)), whose sum is below 1.
///
/// Questions of one batch are answered by the same blocks, so that their answers depend on one
/// another. A finding counts from the end of its batch on: levels then depend on earlier batches
/// alone (Zrnic, Ramdas and Jordan, "Asynchronous online testing of multiple hypotheses", JMLR 22,
/// 2021), and the ratio of the expected number of false findings to that of all findings is at
/// most α however the answers of a batch depend on one another.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorBudget {
    rate: f64,
    asked: u32,
    spent: f64,
    /// For each finding, the last question of its batch.
    found: Vec<u32>,
}

/// A question answered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tested {
    /// Which question of the sequence, from 1.
    pub number: u32,
    /// How often at most blocks without a gain would show as much; 0 to 1.
    pub p_value: f64,
    /// What p had not to exceed, 0 to 1: what the question spent.
    pub level: f64,
    /// Whether it is a finding.
    pub found: bool,
}

impl ErrorBudget {
    /// A budget that nothing was spent of. `rate` (above 0, below 0.5) is the share of false
    /// findings among all findings that it promises not to exceed.
    ///
    /// # Errors
    /// When the rate is outside its range.
    pub fn new(rate: f64) -> Result<Self, BudgetError> {
        if !(rate > 0.0 && rate < 0.5) {
            return Err(BudgetError::Rate(rate));
        }
        Ok(ErrorBudget {
            rate,
            asked: 0,
            spent: 0.0,
            found: Vec::new(),
        })
    }

    /// Asks the questions of one batch, in their order: p values of blocks that no earlier batch
    /// has used. One that is not a number is no finding.
    pub fn ask(&mut self, p_values: &[f64]) -> Vec<Tested> {
        let mut batch = Vec::new();
        for &p_value in p_values {
            let number = self.asked + 1;
            let level = self.level(number);
            self.asked = number;
            self.spent += level;
            batch.push(Tested {
                number,
                p_value,
                level,
                found: p_value <= level,
            });
        }
        let found = batch.iter().filter(|tested| tested.found);
        self.found.extend(found.map(|_| self.asked));
        batch
    }

    /// The level of the next question, if it is the first of its batch.
    #[must_use]
    pub fn next_level(&self) -> f64 {
        self.level(self.asked + 1)
    }

    /// What is left of the wealth: w₀, and what findings brought, less what was spent; ≥ 0. No
    /// sequence of questions without a finding can spend more.
    #[must_use]
    pub fn left(&self) -> f64 {
        let brought: f64 = (0..self.found.len()).map(|place| self.brings(place)).sum();
        (self.rate * AT_FIRST + brought - self.spent).max(0.0)
    }

    /// The rate that it promises.
    #[must_use]
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// Questions asked so far.
    #[must_use]
    pub fn asked(&self) -> u32 {
        self.asked
    }

    /// Findings so far.
    #[must_use]
    pub fn findings(&self) -> usize {
        self.found.len()
    }

    fn level(&self, number: u32) -> f64 {
        let first = self.rate * AT_FIRST * share(number);
        let brought = self.found.iter().enumerate();
        let brought = brought.map(|(place, known)| self.brings(place) * share(number - known));
        first + brought.sum::<f64>()
    }

    /// What a finding brings: the first one less, for the budget began with a part of it.
    fn brings(&self, place: usize) -> f64 {
        match place {
            0 => self.rate * (1.0 - AT_FIRST),
            _ => self.rate,
        }
    }
}

/// γₜ, the share of a wealth that goes to the t-th question after it came; t from 1.
fn share(t: u32) -> f64 {
    let t = f64::from(t.max(1));
    SCALE * t.max(2.0).ln() / (t * t.ln().sqrt().exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Levels worked out by hand from the formula, for a rate of 5 %.
    #[test]
    fn levels_are_those_of_the_published_formula() {
        let mut budget = ErrorBudget::new(0.05).unwrap();
        // γ₁ = 0.07720838·0.693147 = 0.0535168, γ₂ = 0.0535168 ÷ (2·e^0.832555) = 0.0116382.
        let none = budget.ask(&[1.0]);
        assert!((none[0].level - 0.025 * 0.053_516_8).abs() < 1e-8);
        let second = budget.ask(&[0.0]);
        assert!((second[0].level - 0.025 * 0.011_638_2).abs() < 1e-8);
        // γ₃ = 0.07720838·1.098612 ÷ (3·e^1.048147) = 0.0099126.
        let third = budget.next_level();
        assert!(
            (third - 0.025 * (0.009_912_6 + 0.053_516_8)).abs() < 1e-7,
            "{third}"
        );
    }

    #[test]
    fn nothing_is_spent_beyond_what_is_there() {
        let sum: f64 = (1..100_000).map(share).sum();
        // The rest is at most the integral 2·e^−u·(u³ + 3u² + 6u + 6) with u = √ln t.
        let u = 100_000_f64.ln().sqrt();
        let rest = 2.0 * SCALE * (-u).exp() * (u.powi(3) + 3.0 * u * u + 6.0 * u + 6.0);
        assert!(sum + rest < 1.0 && sum + rest > 0.95, "{sum} {rest}");
        let mut budget = ErrorBudget::new(0.1).unwrap();
        budget.ask(&[1.0; 500]);
        assert!(
            budget.left() > 0.0 && budget.left() < 0.05,
            "{}",
            budget.left()
        );
        let before = budget.left();
        budget.ask(&[0.0]);
        assert!(budget.left() > before + 0.04);
    }

    #[test]
    fn a_finding_brings_nothing_to_its_own_batch() {
        let (mut with, mut without) = (
            ErrorBudget::new(0.05).unwrap(),
            ErrorBudget::new(0.05).unwrap(),
        );
        let [with_one, without] = [with.ask(&[0.0, 1.0, 1.0]), without.ask(&[1.0, 1.0, 1.0])];
        assert_eq!(with_one[2].level, without[2].level);
        assert!(with.next_level() > with_one[2].level);
    }

    #[test]
    fn a_rate_is_a_small_share() {
        for rate in [0.0, -0.1, 0.5, f64::NAN] {
            assert!(ErrorBudget::new(rate).is_err(), "{rate}");
        }
    }
}
