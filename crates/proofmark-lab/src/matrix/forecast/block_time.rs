//! How long a block of a matrix takes, by what an earlier one measured.

use std::collections::BTreeMap;

use proofmark_conclude::{BlockTime, of_rounds};
use proofmark_evidence::record::{Design, MatrixRun};
use proofmark_evidence::{MatrixId, Recorded};
use proofmark_stats::median;

use crate::pilot::rounds_expected;

/// The time of a block of these cells, by the CPU times that an earlier pilot saw and by what its
/// blocks took.
#[expect(clippy::cast_precision_loss, reason = "a rough figure")]
pub(super) fn block_time(
    run: &MatrixRun,
    measured: &Recorded,
    cells: &[String],
    design: &Design,
    by: &MatrixId,
) -> Option<BlockTime> {
    let pilot = measured.pilot.as_ref()?;
    let known: BTreeMap<&str, f64> = run
        .cells
        .iter()
        .zip(&pilot.cpu_ns)
        .filter(|(_, cpu_ns)| **cpu_ns > 0)
        .map(|(name, cpu_ns)| (name.as_str(), *cpu_ns as f64))
        .collect();
    let usual = median(&known.values().copied().collect::<Vec<f64>>())?;
    let of_cell = |name: &String| known.get(name.as_str()).copied();
    let guessed = cells.iter().filter(|name| of_cell(name).is_none()).count();
    let round_ns: f64 = cells
        .iter()
        .map(|name| of_cell(name).unwrap_or(usual))
        .sum();
    let warmup = measured.experiment.benchmark.warmup;
    let before = Past::of(measured);
    let known_ns: f64 = known.values().sum();
    // A round of a verdict comes with rounds that check it.
    let rounds = f64::from(warmup + pilot.rounds);
    let with_checks = if before.cpu > 0.0 {
        before.cpu / (known_ns * rounds)
    } else {
        1.0
    };
    let past = before.for_cells(round_ns / known_ns);
    let round_ns = round_ns * with_checks;
    let before = &measured.experiment.design;
    let same_rule = design.rounds.is_none()
        && guessed == 0
        && cells.len() == known.len()
        && (before.rounds, before.margin, before.precision)
            == (None, design.margin, design.precision);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "sums of times, which saturate"
    )]
    let rounds = if same_rule {
        pilot.rounds
    } else {
        let by_the_clock = past.runs_ns(round_ns) as u64;
        rounds_expected(design, pilot, by_the_clock, past.waiting_ns() as u64)
    };
    Some(BlockTime {
        seconds: past.block_ns(round_ns * f64::from(warmup + rounds)) / 1e9,
        rounds,
        guessed: u32::try_from(guessed).unwrap_or(u32::MAX),
        by: by.clone(),
    })
}

/// What the blocks of an earlier matrix took, on average, in nanoseconds; 0 where there is none.
#[derive(Clone, Copy, Debug)]
struct Past {
    /// From start to end.
    took: f64,
    /// All their runs by the clock, warm-up included.
    runs: f64,
    /// CPU time of the same runs.
    cpu: f64,
}

impl Past {
    /// A block that took this much longer than its runs had waited for images.
    const WAITED: f64 = 1.25;

    #[expect(clippy::cast_precision_loss, reason = "a rough figure")]
    fn of(measured: &Recorded) -> Past {
        let blocks = &measured.blocks;
        let count = blocks.len().max(1) as f64;
        let took: f64 = blocks.iter().map(|block| block.took_ms as f64 * 1e6).sum();
        let runs = blocks.iter().map(of_rounds);
        let rounds = blocks.iter().flat_map(|block| &block.rounds);
        let counted = rounds.clone().count() as f64;
        let cpu = rounds
            .flat_map(|round| &round.runs)
            .map(|run| run.cpu_ns as f64);
        let warmup = f64::from(measured.experiment.benchmark.warmup) * blocks.len() as f64;
        let warm = if counted > 0.0 {
            1.0 + warmup / counted
        } else {
            1.0
        };
        Past {
            took: took / count,
            runs: runs.sum::<f64>() * warm / count,
            cpu: cpu.sum::<f64>() * warm / count,
        }
    }

    /// The same with this many times the cells.
    fn for_cells(self, times: f64) -> Past {
        Past {
            took: self.took * times,
            runs: self.runs * times,
            cpu: self.cpu * times,
        }
    }

    /// How long images kept a block waiting, whatever its runs; 0 where they did not.
    fn waiting_ns(self) -> f64 {
        if self.took > Self::WAITED * self.runs {
            self.took
        } else {
            0.0
        }
    }

    /// How long runs take by the clock that take this much CPU time: waits and several cores
    /// included.
    fn runs_ns(self, cpu_ns: f64) -> f64 {
        if self.cpu > 0.0 && self.runs > 0.0 {
            cpu_ns * self.runs / self.cpu
        } else {
            cpu_ns
        }
    }

    /// The time of a block whose runs take this much CPU time: as much longer than they as it was,
    /// but never shorter than its images take.
    fn block_ns(self, cpu_ns: f64) -> f64 {
        let over = if self.runs > 0.0 {
            (self.took / self.runs).clamp(1.0, Self::WAITED)
        } else {
            1.0
        };
        (self.runs_ns(cpu_ns) * over).max(self.waiting_ns())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) -> bool {
        (a / b - 1.0).abs() < 1e-9
    }

    /// Blocks that took so many seconds, of them their runs, and so much CPU time.
    fn past(took: f64, runs: f64, cpu: f64) -> Past {
        let [took, runs, cpu] = [took, runs, cpu].map(|seconds| seconds * 1e9);
        Past { took, runs, cpu }
    }

    /// What a block takes whose runs take `cpu` seconds of CPU time.
    fn seconds(past: Past, cpu: f64) -> f64 {
        past.block_ns(cpu * 1e9) / 1e9
    }

    #[test]
    fn blocks_of_runs_grow_with_their_runs() {
        let alone = past(1.1, 1.0, 1.0);
        assert!(near(seconds(alone, 3.0), 3.3));
        assert!(near(seconds(alone.for_cells(2.0), 0.5), 0.55));
        // On two cores a run takes less time than CPU time.
        assert!(near(seconds(past(0.6, 0.6, 1.0), 2.0), 1.2));
    }

    /// A program that sleeps is no block that waits for images.
    #[test]
    fn runs_that_wait_grow_with_their_rounds() {
        let sleeps = past(3.0, 3.0, 0.03);
        assert!(near(seconds(sleeps, 0.3), 30.0));
        assert!(near(sleeps.runs_ns(0.01e9), 1e9));
        assert!(sleeps.waiting_ns() < 1.0);
    }

    #[test]
    fn blocks_that_wait_for_images_do_not_until_runs_outlast_them() {
        let past = past(1.0, 0.1, 0.1);
        for (cells, cpu, block) in [
            (1.0, 0.1, 1.0),
            (1.0, 0.4, 1.0),
            (1.0, 4.0, 5.0),
            (3.0, 0.3, 3.0),
        ] {
            let took = seconds(past.for_cells(cells), cpu);
            assert!(near(took, block), "{cells} {cpu}: {took}");
        }
    }

    #[test]
    fn without_a_block_it_is_the_cpu_time() {
        assert!(near(seconds(past(0.0, 0.0, 0.0), 2.0), 2.0));
    }
}
