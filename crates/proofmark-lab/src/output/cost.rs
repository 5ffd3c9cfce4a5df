//! What it costs a run that its output is taken in: bytes go into a file in memory, which takes the
//! kernel time that is the program's.

use std::time::Duration;

use proofmark_evidence::record::Warning;
use proofmark_measure::{Outcome, cost_of_output};
use proofmark_terms::Metric;

/// Less than this share of a run's time is not worth a word: an effect of all else is shown smaller
/// by that share of itself.
const WORTH_A_WORD: f64 = 0.1;

/// No machine takes in a byte in less.
const LEAST_NS: f64 = 0.05;

/// The run that printed most for its time.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Printing {
    bytes: u64,
    cpu: Duration,
}

impl Printing {
    /// Looks at one more run.
    pub(crate) fn hear(&mut self, outcome: &Outcome) {
        let one = Printing {
            bytes: outcome.stdout.length + outcome.stderr.length,
            cpu: outcome.cpu,
        };
        if one.per_ns() > self.per_ns() {
            *self = one;
        }
    }

    /// Bytes for each nanosecond of CPU time.
    fn per_ns(&self) -> f64 {
        self.bytes as f64 / (self.cpu.as_nanos() as f64).max(1.0)
    }

    /// What a reader must know of it.
    pub(crate) fn remark(&self, metric: &Metric) -> Option<Warning> {
        let timed = matches!(metric, Metric::CpuTime | Metric::WallTime);
        if !timed || self.per_ns() * LEAST_NS < WORTH_A_WORD / 20.0 {
            return None;
        }
        let cost = cost_of_output(self.bytes).ok()?;
        let share = (cost.as_secs_f64() / self.cpu.as_secs_f64()).min(1.0);
        (share >= WORTH_A_WORD).then_some(Warning::OutputTakenIn {
            bytes: self.bytes,
            share,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_output_that_takes_much_of_a_run_is_remarked() {
        let printing = |bytes, ms| Printing {
            bytes,
            cpu: Duration::from_millis(ms),
        };
        let remark = |printing: Printing| printing.remark(&Metric::CpuTime);
        // No machine writes a GiB in a tenth of ten milliseconds, and every one a KiB.
        let Some(Warning::OutputTakenIn { bytes, share }) = remark(printing(1 << 30, 10)) else {
            panic!("it is not remarked");
        };
        assert!(bytes == 1 << 30 && share >= WORTH_A_WORD, "{share}");
        assert_eq!(remark(printing(1 << 10, 10)), None);
        assert_eq!(remark(Printing::default()), None);
        assert_eq!(printing(1 << 30, 10).remark(&Metric::PeakMemory), None);
    }
}
