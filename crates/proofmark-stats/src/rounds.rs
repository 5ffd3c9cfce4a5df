//! How many rounds a block should have.

use thiserror::Error;

use crate::groups::Groups;

/// What a block and a round cost, in any one unit of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoundCosts {
    /// What a block costs beside its rounds: linking and copying its images. Not negative.
    pub block: f64,
    /// What each round costs. Positive.
    pub round: f64,
}

/// Advice from the variance within and between blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoundsAdvice {
    /// Rounds per block that give the narrowest interval for the time.
    pub rounds: u32,
    /// Standard deviation of a round's effect inside its block, on the scale of ln(new ÷ base).
    pub within: f64,
    /// Standard deviation of the blocks' true effects, net of the rounds' noise, on the same scale;
    /// 0 where the rounds' noise explains everything.
    pub between: f64,
}

/// Why there is no advice.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum RoundsError {
    /// The variances cannot be told.
    #[error(
        "{blocks} blocks with {rounds} rounds in all are too few; variances within and between need 2 blocks and 2 rounds in one of them"
    )]
    TooFew {
        /// Blocks with a round.
        blocks: usize,
        /// Rounds in all.
        rounds: usize,
    },
    /// A number that is none, or a cost that is none.
    #[error(
        "a round's effect or a cost is not a usable number; effects must be finite, the cost of a round positive, that of a block not negative"
    )]
    NotANumber,
}

/// Rounds per block for the narrowest interval in a given time: √(c_block ÷ c_round · σ²_within ÷
/// σ²_between), rounded up (Kalibera and Jones, Rigorous benchmarking in reasonable time, ISMM
/// 2013, section 9.2), from 1 to `most`; `most` where nothing varies between blocks. `blocks` holds
/// each block's effects round by round, on the scale of ln(new ÷ base).
///
/// # Errors
/// When the variances cannot be told from so few rounds, or a number is not usable.
pub fn rounds_per_block(
    blocks: &[Vec<f64>],
    costs: RoundCosts,
    most: u32,
) -> Result<RoundsAdvice, RoundsError> {
    let groups = Groups::of(blocks);
    let usable = costs.round > 0.0
        && costs.round.is_finite()
        && costs.block >= 0.0
        && costs.block.is_finite();
    if !usable || !groups.is_finite() {
        return Err(RoundsError::NotANumber);
    }
    if groups.count < 2.0 || groups.total <= groups.count {
        return Err(RoundsError::TooFew {
            blocks: blocks.iter().filter(|block| !block.is_empty()).count(),
            rounds: blocks.iter().map(Vec::len).sum(),
        });
    }
    let (within, between) = (groups.within(), groups.between());
    let ideal = (costs.block / costs.round * within / between).sqrt().ceil();
    let rounds = if between > 0.0 || ideal == 0.0 {
        ideal.clamp(1.0, f64::from(most.max(1)))
    } else {
        f64::from(most.max(1))
    };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to the range of `most` just above"
    )]
    let rounds = rounds as u32;
    Ok(RoundsAdvice {
        rounds,
        within: within.sqrt(),
        between: between.sqrt(),
    })
}
