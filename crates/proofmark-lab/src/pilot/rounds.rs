//! How many rounds a block has: enough that noise does not decide, and no more than that.

use proofmark_evidence::record::{Design, Pilot};

use super::cost::FEWEST_ROUNDS;

/// Rounds go on until their noise in the number of a block is this part of the margin. Fewer rounds
/// and more blocks decide sooner, since each block is looked after: simulated
/// (`simulate -- rounds`), eight blocks at half a margin take 1.7 times as many rounds to a
/// verdict, and a whole margin four fifths as many. But the pilot's spread leaves disturbed rounds
/// out: on a noisy machine blocks spread 1.6 times as much as it foretold (median of 36 comparisons
/// of Lua), and beyond one and a half margins sixty blocks may not be enough.
const NOISE_OF_MARGIN: f64 = 0.75;

/// A block lasts no longer than about this, in nanoseconds, however noisy its rounds are, unless
/// the fewest rounds do: one looks after each.
const BLOCK_NS: u64 = 1_000_000_000;

/// Fewest rounds, so that the noise shows; and most, whatever they take: beyond, many tiny runs say
/// nothing new about a layout.
const ROUNDS: (u64, u64) = (FEWEST_ROUNDS as u64, 100);

/// What is known when the rounds are chosen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    /// Standard deviation of one round's ln(new ÷ base), the largest over the builds, and not
    /// decided by a disturbed round: too few rounds are made up for by more blocks, too many are
    /// not made up for.
    pub(super) spread: Option<f64>,
    /// Time that one round takes by the clock, all arms, in nanoseconds.
    pub(super) round_ns: u64,
    /// Time that the images of a block take to make, in nanoseconds. They are made beside the block
    /// before, which therefore costs nothing as long as it takes no longer than this.
    pub(super) images_ns: u64,
    /// Time that the fewest blocks may take in all, in nanoseconds; `None` where nobody set a
    /// limit.
    pub(super) share_ns: Option<u64>,
}

/// Rounds of every block: as asked for, or as many as it takes.
pub(super) fn rounds(design: &Design, known: Known) -> u32 {
    if let Some(asked) = design.rounds {
        return asked;
    }
    let round_ns = known.round_ns.max(1);
    let most = BLOCK_NS.div_ceil(round_ns);
    let by_noise = known.spread.map_or(most, |spread| by_noise(design, spread));
    let free = known.images_ns / round_ns;
    let (fewest, greatest) = ROUNDS;
    let each_ns = known
        .share_ns
        .map(|share| share / u64::from(design.min_blocks.max(1)));
    let affordable = each_ns.map_or(u64::MAX, |each| each / round_ns);
    let chosen = by_noise
        .max(free)
        .min(most)
        .min(affordable)
        .clamp(fewest, greatest);
    u32::try_from(chosen).unwrap_or(u32::MAX)
}

/// Rounds whose noise in the number of a block is small enough, at least the fewest; `spread` is
/// that of one round.
pub(super) fn by_noise(design: &Design, spread: f64) -> u64 {
    let aim = NOISE_OF_MARGIN
        * design
            .margin
            .ln()
            .min(design.precision.map_or(f64::INFINITY, f64::ln_1p));
    // What is too large saturates; what is no number is 0, and raised to the fewest.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "see above"
    )]
    let wanted = (spread / aim).powi(2).ceil() as u64;
    wanted.max(ROUNDS.0)
}

/// Rounds that a pilot will choose for a design, by what an earlier one of the same program saw,
/// where a round takes `round_ns` and the images of a block `images_ns` nanoseconds.
pub(crate) fn rounds_expected(
    design: &Design,
    earlier: &Pilot,
    round_ns: u64,
    images_ns: u64,
) -> u32 {
    let of_a_round = |spread: f64| spread * f64::from(earlier.rounds).sqrt();
    let known = Known {
        spread: earlier.spread.map(of_a_round),
        round_ns,
        images_ns,
        share_ns: None,
    };
    rounds(design, known)
}
