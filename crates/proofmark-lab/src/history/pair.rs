//! Two commits compared afresh: what points suggested is confirmed, or it is not.

use proofmark_conclude::bisect::level;
use proofmark_evidence::record::{Design, EntryOf, PairOutcome, PairReason, TwoWays};
use proofmark_stats::MOST_BLOCKS;

use super::course::Course;
use crate::bisect::{Revisions, Role};
use crate::clock::now_ms;
use crate::error::LabError;

impl<R: Revisions> Course<'_, '_, R> {
    /// Whether two points were compared before because their levels differ.
    pub(super) fn is_compared(&self, older: &str, newer: &str) -> bool {
        let compared = |of: &EntryOf| match of {
            EntryOf::Pair {
                older: from,
                newer: to,
                why: PairReason::Change,
                ..
            } => from == older && to == newer,
            _ => false,
        };
        self.line()
            .is_some_and(|line| line.entries.iter().any(|entry| compared(&entry.of)))
    }

    /// Compares two points with fresh draws, and stores what came of it.
    pub(super) fn compare(
        &mut self,
        older: u32,
        newer: u32,
        why: PairReason,
    ) -> Result<Option<TwoWays>, R::Error> {
        let began_ms = now_ms();
        let (older, newer) = (self.commit(older)?, self.commit(newer)?);
        let level = self.level(why)?;
        let base = self.subject(&older, Role::Candidate)?;
        let new = self.subject(&newer, Role::Candidate)?;
        let outcome = match (base, new) {
            (Ok(base), Ok(new)) => {
                let asked = &self.request.series.design;
                let design = Design {
                    // Both ways of measuring say something: half is for each.
                    confidence: 1.0 - level / 2.0,
                    precision: None,
                    max_blocks: most_blocks(asked),
                    ..asked.clone()
                };
                match self.beside([&base, &new], &design)? {
                    Ok((experiment, found)) => PairOutcome::Compared {
                        experiment,
                        level,
                        found,
                    },
                    Err(fault) => PairOutcome::Failed { said: fault.said },
                }
            }
            // They could be built when they were measured as points.
            (Err(error), _) | (_, Err(error)) => PairOutcome::Failed {
                said: self.revisions.said(&error),
            },
        };
        let found = match &outcome {
            PairOutcome::Compared { found, .. } => Some(*found),
            PairOutcome::Failed { .. } => None,
        };
        let of = EntryOf::Pair {
            older: older.id,
            newer: newer.id,
            why,
            outcome,
        };
        self.came(of, began_ms)?;
        Ok(found)
    }

    /// The probability of error that the next comparison may have. Those of changes share one
    /// among them, however many there come to be: any change that is shown and is none is an error
    /// of the whole line. An alarm has it for itself, for there is no end to the commits.
    fn level(&self, why: PairReason) -> Result<f64, LabError> {
        let whole = 1.0 - self.request.series.design.confidence;
        if matches!(why, PairReason::Alarm { .. }) {
            return Ok(whole);
        }
        let is_change = |of: &EntryOf| {
            matches!(
                of,
                EntryOf::Pair {
                    why: PairReason::Change,
                    outcome: PairOutcome::Compared { .. },
                    ..
                }
            )
        };
        let line = self.line();
        let entries = line.iter().flat_map(|line| &line.entries);
        let before = entries.filter(|entry| is_change(&entry.of)).count();
        let step = u32::try_from(before + 1).unwrap_or(u32::MAX);
        level(whole, step).ok_or_else(|| {
            LabError::Refused(format!(
                "{before} pairs of commits were compared on this line, and no probability of error \
                 is left for another one\n  next: --fresh begins a new series"
            ))
        })
    }
}

/// The most blocks of a comparison: three times those of a point, for it may have to be surer.
fn most_blocks(design: &Design) -> u32 {
    (3 * design.max_blocks).min(MOST_BLOCKS.max(design.max_blocks))
}
