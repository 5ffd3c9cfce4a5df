//! Everything that an experiment draws, as a pure function of its seed and of what the draw is for:
//! a resumed experiment, and one that skipped its pilot, draw the same.

use proofmark_terms::BuildIndex;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// A page, in bytes. What is drawn here moves the stack and the heap within one.
const PAGE: u64 = 4096;

/// What the allocations of 64-bit programs are aligned to (`alignof(max_align_t)`), in bytes.
const ALLOCATION_ALIGNMENT: u64 = 16;

/// The draws of one experiment.
#[derive(Clone, Copy, Debug)]
pub struct Draws {
    seed: u64,
}

/// Where in an experiment a round stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundAt {
    /// The block, counted from 0; the pilot stands before all.
    pub block: Option<u32>,
    /// The round within it, from 0.
    pub round: u32,
}

impl RoundAt {
    /// The first round before all blocks.
    pub const FIRST: RoundAt = RoundAt {
        block: None,
        round: 0,
    };
}

impl Draws {
    /// The draws that follow from `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Draws { seed }
    }

    /// The seed of a block's layouts.
    #[must_use]
    pub fn layout_seed(&self, block: Option<u32>) -> u64 {
        self.derive("layout", &[code(block)])
    }

    /// The seed of one build's layout in a block when layouts are not matched.
    #[must_use]
    pub fn independent_seed(layout_seed: u64, build: BuildIndex) -> u64 {
        Draws { seed: layout_seed }.derive("build", &[u64::from(build.0)])
    }

    /// The order in which these arms start in a round.
    #[must_use]
    pub fn order(&self, at: RoundAt, arms: &[usize]) -> Vec<usize> {
        let mut order = arms.to_vec();
        order.shuffle(&mut self.generator("order", at));
        order
    }

    /// The order in which so many images are copied to where they run, for the rounds from `first`
    /// on. Which physical pages a copy gets depends on when it is made, and so that becomes a draw.
    #[must_use]
    pub fn copies(&self, first: RoundAt, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        order.shuffle(&mut self.generator("copies", first));
        order
    }

    /// The order in which the rounds of a block are measured.
    #[must_use]
    pub fn sequence(&self, block: Option<u32>, rounds: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..rounds).collect();
        order.shuffle(&mut self.generator("sequence", RoundAt { block, round: 0 }));
        order
    }

    /// The seed from which a sliced round draws the order of its turns.
    #[must_use]
    pub fn turns_seed(&self, at: RoundAt) -> u64 {
        self.derive("turns", &[code(at.block), u64::from(at.round)])
    }

    /// Length of the padding variable in the environment of a round's runs, in bytes: the same for
    /// all arms, so that the pair shares its stack offset as it shares the noise.
    #[must_use]
    pub fn padding(&self, at: RoundAt) -> usize {
        let drawn = self.derive("padding", &[code(at.block), u64::from(at.round)]) % PAGE;
        usize::try_from(drawn).unwrap_or(0)
    }

    /// How far behind the start of a page the heap of a round's runs begins, in bytes: a multiple of
    /// what allocations are aligned to, below a page, beyond which the kernel draws. The same for
    /// all arms in drawn layouts.
    #[must_use]
    pub fn heap(&self, at: RoundAt) -> u64 {
        let places = PAGE / ALLOCATION_ALIGNMENT;
        let drawn = self.derive("heap", &[code(at.block), u64::from(at.round)]) % places;
        drawn * ALLOCATION_ALIGNMENT
    }

    /// Which of `repeats` captures of a build a block uses.
    #[must_use]
    pub fn repeat(&self, block: Option<u32>, build: BuildIndex, repeats: usize) -> usize {
        let drawn =
            self.derive("repeat", &[code(block), u64::from(build.0)]) % (repeats.max(1) as u64);
        usize::try_from(drawn).unwrap_or(0)
    }

    /// A generator for a purpose outside the blocks, such as re-drawing signs.
    #[must_use]
    pub fn rng(&self, purpose: &str) -> ChaCha8Rng {
        ChaCha8Rng::seed_from_u64(self.derive(purpose, &[]))
    }

    fn generator(&self, purpose: &str, at: RoundAt) -> ChaCha8Rng {
        ChaCha8Rng::seed_from_u64(self.derive(purpose, &[code(at.block), u64::from(at.round)]))
    }

    fn derive(&self, purpose: &str, indices: &[u64]) -> u64 {
        let mut hasher = blake3::Hasher::new_derive_key("proofmark 2026 draws of an experiment");
        hasher.update(&self.seed.to_le_bytes());
        hasher.update(&(purpose.len() as u64).to_le_bytes());
        hasher.update(purpose.as_bytes());
        for index in indices {
            hasher.update(&index.to_le_bytes());
        }
        let mut first = [0_u8; 8];
        hasher.finalize_xof().fill(&mut first);
        u64::from_le_bytes(first)
    }
}

/// The pilot is 0, the blocks follow.
fn code(block: Option<u32>) -> u64 {
    block.map_or(0, |index| u64::from(index) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_depend_on_seed_purpose_and_place_only() {
        let at = RoundAt {
            block: Some(3),
            round: 2,
        };
        let arms = [0, 1, 2, 3, 4];
        assert_eq!(
            Draws::new(7).order(at, &arms),
            Draws::new(7).order(at, &arms)
        );
        assert_eq!(
            Draws::new(7).layout_seed(Some(3)),
            Draws::new(7).layout_seed(Some(3))
        );
        assert_ne!(
            Draws::new(7).layout_seed(Some(3)),
            Draws::new(8).layout_seed(Some(3))
        );
        assert_ne!(
            Draws::new(7).layout_seed(Some(3)),
            Draws::new(7).layout_seed(Some(4))
        );
        assert_ne!(
            Draws::new(7).layout_seed(Some(3)),
            Draws::new(7).turns_seed(RoundAt {
                block: Some(3),
                round: 0
            })
        );
    }

    #[test]
    fn heaps_begin_at_each_place_of_a_page_that_allocations_may_have() {
        let mut seen = std::collections::BTreeSet::new();
        for round in 0..4096 {
            let at = RoundAt {
                block: Some(1),
                round,
            };
            seen.insert(Draws::new(1).heap(at));
        }
        // Each of 256 is missed by 4096 draws with a probability of 10⁻⁷.
        assert!(seen.into_iter().eq((0..4096).step_by(16)));
    }

    #[test]
    fn every_order_is_a_permutation_and_every_position_is_used() {
        let mut seen = [[0_u32; 3]; 3];
        let mut copied = seen;
        for round in 0..600 {
            let at = RoundAt {
                block: Some(0),
                round,
            };
            let order = Draws::new(1).order(at, &[0, 1, 2]);
            let copies = Draws::new(1).copies(at, 3);
            for (order, seen) in [(order, &mut seen), (copies, &mut copied)] {
                let mut sorted = order.clone();
                sorted.sort_unstable();
                assert_eq!(sorted, [0, 1, 2]);
                for (position, arm) in order.into_iter().enumerate() {
                    seen[arm][position] += 1;
                }
            }
        }
        // 200 expected in each cell, standard deviation 11.5: five of them.
        let mut counts = seen.iter().chain(&copied).flatten();
        assert!(
            counts.all(|&count| (143..=257).contains(&count)),
            "{seen:?} {copied:?}"
        );
    }
}
