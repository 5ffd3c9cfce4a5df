//! When to stop, and what is then said.

use crate::moments::Moments;
use crate::{Better, Interval, Looks, Margin, Verdict};

/// The stopping rule of one comparison: what the interval after each block is judged by.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    looks: Looks,
    margin: Margin,
    better: Better,
    widening: Widening,
    half_width: Option<f64>,
    asked: Vec<f64>,
}

/// What is added to each side of the interval.
#[derive(Clone, Debug, PartialEq)]
enum Widening {
    /// The same at every look.
    Constant(f64),
    /// By the number of blocks, from 1; beyond the last, the last.
    ByBlock(Vec<f64>),
}

impl Widening {
    fn after(&self, blocks: usize) -> f64 {
        match self {
            Widening::Constant(by) => *by,
            Widening::ByBlock(all) => {
                let known = all.get(blocks.saturating_sub(1)).or(all.last());
                known.copied().unwrap_or(0.0)
            }
        }
    }
}

/// What one look says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// The interval, widening included.
    pub interval: Interval,
    /// What it says.
    pub verdict: Verdict,
    /// Whether measuring may stop here.
    pub stop: bool,
}

/// The stopping rule carried out on recorded blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Replay {
    /// The last look: the first that stops, or the one at the last block.
    pub look: Look,
    /// The block of that look, counted from 1.
    pub blocks: u32,
}

impl Rule {
    /// Stops when the verdict is decided.
    #[must_use]
    pub fn new(looks: Looks, margin: Margin, better: Better) -> Self {
        Rule {
            looks,
            margin,
            better,
            widening: Widening::Constant(0.0),
            half_width: None,
            asked: Vec::new(),
        }
    }

    /// Goes on, with a verdict too, while the interval holds one of these ratios new ÷ base: what a
    /// gate asks is not decided then. The intervals of all looks hold together, so that going on
    /// costs no error.
    #[must_use]
    pub fn asking(mut self, ratios: Vec<f64>) -> Self {
        self.asked = ratios;
        self
    }

    /// Widens each interval by `by` ≥ 0 on each side, on the scale of ln(new ÷ base): the part of a
    /// shift that is known to be left.
    #[must_use]
    pub fn widened(mut self, by: f64) -> Self {
        self.widening = Widening::Constant(by.max(0.0));
        self
    }

    /// Widens the interval after `n` blocks by the `n`th of these on each side (≥ 0, on the scale
    /// of ln(new ÷ base)): what is known of a shift grows with the blocks.
    #[must_use]
    pub fn widened_by_block(mut self, by: Vec<f64>) -> Self {
        self.widening = Widening::ByBlock(by.into_iter().map(|one| one.max(0.0)).collect());
        self
    }

    /// Stops when the interval reaches at most ± `relative` (0.005 for 0.5 %) instead of when the
    /// verdict is decided; an effect is then not overstated by stopping at a lucky moment. The
    /// widening does not count.
    #[must_use]
    pub fn precise(mut self, relative: f64) -> Self {
        self.half_width = Some(relative.ln_1p());
        self
    }

    /// The looks.
    #[must_use]
    pub fn looks(&self) -> &Looks {
        &self.looks
    }

    /// The margin.
    #[must_use]
    pub fn margin(&self) -> Margin {
        self.margin
    }

    /// What is added to each side after so many blocks, on the scale of ln(new ÷ base).
    #[must_use]
    pub fn widening_after(&self, blocks: usize) -> f64 {
        self.widening.after(blocks)
    }

    /// The half-width at which it stops, on the scale of ln(new ÷ base), if it stops on that.
    #[must_use]
    pub fn half_width(&self) -> Option<f64> {
        self.half_width
    }

    /// The look after the last of `effects`; `None` where [`Looks::interval`] has none.
    #[must_use]
    pub fn look(&self, effects: &[f64]) -> Option<Look> {
        self.looks
            .interval(effects)
            .map(|interval| self.judge(interval, effects.len()))
    }

    /// Carries the rule out: looks after each block, stops at the first that allows it. Blocks
    /// beyond the last look are not read. `None` when there are fewer blocks than the first look
    /// needs, or an effect is not finite.
    #[must_use]
    pub fn replay(&self, effects: &[f64]) -> Option<Replay> {
        let mut moments = Moments::default();
        let mut last = None;
        for &effect in effects {
            moments.add(effect);
            let blocks = moments.count();
            if blocks > self.looks.max() {
                break;
            }
            if blocks < self.looks.min() {
                continue;
            }
            let look = self.judge(self.looks.of_moments(&moments)?, blocks as usize);
            last = Some(Replay { look, blocks });
            if look.stop {
                break;
            }
        }
        last
    }

    fn judge(&self, interval: Interval, blocks: usize) -> Look {
        let precise = self
            .half_width
            .map(|half_width| interval.half_width() <= half_width);
        let interval = interval.widened(self.widening.after(blocks));
        let verdict = Verdict::of(&interval, self.margin, self.better);
        let decided =
            || verdict.is_decided() && !self.asked.iter().any(|ratio| interval.holds(*ratio));
        Look {
            interval,
            verdict,
            stop: precise.unwrap_or_else(decided),
        }
    }
}

impl Replay {
    /// The block after which the rule stopped, counted from 1; `None` when it wanted more blocks.
    #[must_use]
    pub fn decided_after(&self) -> Option<u32> {
        self.look.stop.then_some(self.blocks)
    }
}
