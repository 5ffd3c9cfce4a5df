//! The way along a range: samples, and more of them where neighbours differ.

use std::collections::BTreeSet;

use proofmark_conclude::bisect::Survey;
use proofmark_conclude::series::{Line, LinePoint, Way};
use proofmark_evidence::record::{PairReason, Relation};
use proofmark_stats::Effect;

use super::course::Course;
use crate::bisect::Revisions;
use crate::error::LabError;

impl<R: Revisions> Course<'_, '_, R> {
    /// Measures points of the range until every change is one commit, then compares what lies on
    /// both sides of each. Whether it came to its end.
    pub(super) fn surveyed(&mut self) -> Result<bool, R::Error> {
        let Some((from, to)) = self.ends()? else {
            return Ok(false);
        };
        let place = |at: usize| from + u32::try_from(at).unwrap_or(u32::MAX);
        if from == to {
            return Ok(true);
        }
        let width = self.request.every.saturating_sub(1) as usize;
        let ends = self.relation(from, to);
        let mut survey = Survey::new((to - from) as usize, width, ends);
        while let Some(look) = survey.next() {
            if self.is_over()? {
                return Ok(false);
            }
            let (older, at, newer) = (place(look.older), place(look.commit), place(look.newer));
            if self.point(at, &[older, newer])? {
                survey.set(look, self.relation(older, at), self.relation(at, newer));
            } else {
                survey.skip(look.commit);
            }
        }
        let found = survey.changes().into_iter();
        let found = found.chain(survey.gradual());
        let found = found.map(|(older, newer)| (place(older), place(newer)));
        let mut pairs: BTreeSet<(u32, u32)> = found.collect();
        pairs.extend(self.apart_as_shipped(from, to));
        for (older, newer) in pairs {
            if self.is_over()? {
                return Ok(false);
            }
            let (one, other) = (self.commit(older)?.id, self.commit(newer)?.id);
            if !self.is_compared(&one, &other) {
                self.compare(older, newer, PairReason::Change)?;
            }
        }
        Ok(true)
    }

    /// The outermost commits of the range that can be measured; `None` where the time is over.
    fn ends(&mut self) -> Result<Option<(u32, u32)>, R::Error> {
        let last = self.request.commits.len().saturating_sub(1);
        let last = u32::try_from(last).unwrap_or(u32::MAX);
        let (mut from, mut to) = (self.request.from.min(last), last);
        // The first anchor, without which there is no line.
        self.point(0, &[])?;
        loop {
            if self.is_over()? {
                return Ok(None);
            }
            if self.point(from, &[])? {
                break;
            }
            if from == last {
                return Err(none(from, last).into());
            }
            from += 1;
        }
        loop {
            if self.is_over()? {
                return Ok(None);
            }
            if self.point(to, &[from])? {
                return Ok(Some((from, to)));
            }
            to -= 1;
        }
    }

    /// Whether two points differ by more than the margin, and by more than their noise; unclear
    /// where they may, and may not.
    fn relation(&self, older: u32, newer: u32) -> Relation {
        let differ = |line: &Line<'_>| {
            let (older, newer) = (line.at(older)?, line.at(newer)?);
            let ways = if self.request.as_shipped {
                &[Way::Drawn, Way::Shipped][..]
            } else {
                &[Way::Drawn][..]
            };
            // Where placement is not varied there is nothing else to go by.
            let ways = match line.difference(older, newer, Way::Drawn) {
                None => &[Way::Shipped][..],
                Some(_) => ways,
            };
            if ways.iter().any(|way| self.apart(line, older, newer, *way)) {
                return Some(Relation::Differs);
            }
            let far = |way: &Way| {
                let interval = line.difference(older, newer, *way)?;
                Some(interval.estimate.ln().abs() + interval.half_width())
            };
            let far = ways.iter().filter_map(far).fold(0.0, f64::max);
            let within = far <= self.request.series.design.margin.ln() + Effect::ROUNDING;
            Some(if within {
                Relation::Alike
            } else {
                Relation::Unclear
            })
        };
        let found = self.line().as_ref().and_then(differ);
        found.unwrap_or(Relation::Alike)
    }

    fn apart(
        &self,
        line: &Line<'_>,
        older: &LinePoint<'_>,
        newer: &LinePoint<'_>,
        way: Way,
    ) -> bool {
        let margin = self.request.series.design.margin;
        line.difference(older, newer, way).is_some_and(|interval| {
            let size = interval.estimate.ln().abs();
            size >= margin.ln() && size > interval.half_width() + Effect::ROUNDING
        })
    }

    /// Neighbours of the range that differ as shipped and not over layouts.
    fn apart_as_shipped(&self, from: u32, to: u32) -> Vec<(u32, u32)> {
        let Some(line) = self.line() else {
            return Vec::new();
        };
        let within = |point: &&LinePoint<'_>| (from..=to).contains(&point.place);
        let points: Vec<&LinePoint<'_>> = line.points.iter().filter(within).collect();
        let pairs = points.windows(2).filter_map(|two| {
            let (older, newer) = (two[0], two[1]);
            let shipped = self.apart(&line, older, newer, Way::Shipped)
                && !self.apart(&line, older, newer, Way::Drawn);
            shipped.then_some((older.place, newer.place))
        });
        pairs.collect()
    }
}

fn none(from: u32, last: u32) -> LabError {
    LabError::Refused(format!(
        "none of the {} commits of the range can be measured\n  next: `proofmark history show` \
         says why of each",
        last - from + 1
    ))
}
