//! What measuring a matrix will take: layouts, blocks, time. Made by whoever plans it, from what
//! the store has; shown before anything starts.

use proofmark_evidence::MatrixId;
use proofmark_evidence::record::{LayoutControl, Size};
use proofmark_terms::Population;

/// What measuring a matrix will take.
#[derive(Clone, Debug, PartialEq)]
pub struct MatrixForecast {
    /// Names of the cells that take part, unless their builds fail.
    pub cells: Vec<String>,
    /// How placement will be varied.
    pub layouts: PlannedLayouts,
    /// Each linker with the cells whose layouts it makes: the one that made the build where there
    /// is one, otherwise the toolchain's own.
    pub linkers: Vec<(String, Vec<String>)>,
    /// Fewest blocks of each benchmark at each size.
    pub min_blocks: u32,
    /// Most blocks of each benchmark at each size.
    pub max_blocks: u32,
    /// Most time to spend, in milliseconds; a run refuses where it does not hold the fewest blocks.
    pub budget_ms: Option<u64>,
    /// Each benchmark at each size.
    pub members: Vec<PlannedMember>,
    /// The matrix that `matrix run` goes on with, where it was begun before.
    pub begun: Option<Begun>,
}

/// How placement will be varied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlannedLayouts {
    /// Like this.
    Known(LayoutControl),
    /// Matched where at most `matched_up_to` of the code differs between the cells, independent
    /// otherwise. Links tell, which only a run makes.
    ByCode {
        /// The layouts that are drawn from.
        population: Population,
        /// In per cent of the code.
        matched_up_to: u32,
    },
    /// A run would refuse it, for this reason.
    Refused(String),
}

/// A benchmark at a size.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedMember {
    /// The benchmark's name.
    pub benchmark: String,
    /// Its size, where it has a scale.
    pub size: Option<Size>,
    /// How long a block of all cells takes; `None` where it was never measured.
    pub block: Option<BlockTime>,
}

/// How long a block takes, by what an earlier matrix measured.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockTime {
    /// In seconds.
    pub seconds: f64,
    /// Rounds of a block.
    pub rounds: u32,
    /// Cells that were never measured, taken to be like the others.
    pub guessed: u32,
    /// The matrix that measured it.
    pub by: MatrixId,
}

/// A matrix that was begun before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Begun {
    /// Its name.
    pub id: MatrixId,
    /// Most blocks of a benchmark, where it was concluded from.
    pub concluded: Option<u32>,
}

impl MatrixForecast {
    /// Fewest and most seconds that the blocks take, pilots and builds aside, where every benchmark
    /// was measured before; cells that drop out early make it less.
    #[must_use]
    pub fn seconds(&self) -> Option<(f64, f64)> {
        let known: Option<Vec<f64>> = self.members.iter().map(PlannedMember::seconds).collect();
        let round: f64 = known.filter(|known| !known.is_empty())?.iter().sum();
        let least = round * f64::from(self.min_blocks);
        let most = round * f64::from(self.max_blocks);
        #[expect(clippy::cast_precision_loss, reason = "a rough figure")]
        let budget = self.budget_ms.map_or(most, |budget| budget as f64 / 1e3);
        Some((least, most.min(budget).max(least)))
    }
}

impl PlannedMember {
    fn seconds(&self) -> Option<f64> {
        self.block.as_ref().map(|block| block.seconds)
    }
}
