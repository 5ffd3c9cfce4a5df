//! A line of a series: points that were measured on one model of processor with one set of tools,
//! each on the scale of the line's first anchor.

use std::collections::{BTreeMap, HashMap};

use proofmark_evidence::record::{
    EntryOf, PointOutcome, Rebuilt, SeriesEntry, SeriesLine, SkipReason, TwoWays,
};
use proofmark_terms::{Commit, Effect, Interval};

/// With placement averaged out, or as the builds were shipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Over layouts.
    Drawn,
    /// As shipped.
    Shipped,
}

impl Way {
    /// What was found in this way; `None` where it was not looked at.
    #[must_use]
    pub fn of(self, found: &TwoWays) -> Option<Interval> {
        match self {
            Way::Drawn => found.drawn,
            Way::Shipped => Some(found.shipped),
        }
    }
}

/// A line of a series.
#[derive(Clone, Debug)]
pub struct Line<'a> {
    /// Where it was measured, by its last entry.
    pub about: &'a SeriesLine,
    /// By place.
    pub points: Vec<LinePoint<'a>>,
    /// Commits that cannot be measured, by place.
    pub skipped: Vec<NotMeasured<'a>>,
    /// Everything that was measured on it, in the order of measuring.
    pub entries: Vec<&'a SeriesEntry>,
    programs: Vec<Program<'a>>,
}

/// A point of a line.
#[derive(Clone, Debug)]
pub struct LinePoint<'a> {
    /// The commit.
    pub commit: &'a Commit,
    /// How many first parents it is away from the origin.
    pub place: u32,
    /// The commit whose program was measured: itself, or the one whose program it has.
    pub measured: &'a str,
    program: usize,
}

/// A commit that cannot be measured.
#[derive(Clone, Copy, Debug)]
pub struct NotMeasured<'a> {
    /// The commit.
    pub commit: &'a Commit,
    /// In what way.
    pub why: SkipReason,
    /// What was said.
    pub said: &'a str,
}

/// A program that was measured beside an anchor, or the first anchor itself.
#[derive(Clone, Debug)]
struct Program<'a> {
    commit: &'a str,
    beside: Option<Beside<'a>>,
}

#[derive(Clone, Copy, Debug)]
struct Beside<'a> {
    anchor: usize,
    found: &'a TwoWays,
}

/// The lines of a series, in the order in which they were begun.
#[must_use]
pub fn lines(entries: &[SeriesEntry]) -> Vec<Line<'_>> {
    let mut of_lines: Vec<Vec<&SeriesEntry>> = Vec::new();
    for entry in entries {
        let own = |line: &&mut Vec<&SeriesEntry>| {
            line.first()
                .is_some_and(|first| is_same_line(&first.line, &entry.line))
        };
        match of_lines.iter_mut().find(own) {
            Some(line) => line.push(entry),
            None => of_lines.push(vec![entry]),
        }
    }
    of_lines.into_iter().filter_map(Line::of).collect()
}

/// Whether values of both can be compared: they are of one model of processor, and the builds of
/// the same surroundings.
#[must_use]
pub fn is_same_line(one: &SeriesLine, other: &SeriesLine) -> bool {
    one.machine.processor() == other.machine.processor() && one.surroundings == other.surroundings
}

impl<'a> Line<'a> {
    /// The line of these entries; `None` where there is none. Of a commit that was measured twice
    /// the last measurement counts. One whose anchor was not measured before it is no point.
    fn of(entries: Vec<&'a SeriesEntry>) -> Option<Line<'a>> {
        let about = &entries.last()?.line;
        let mut programs: Vec<Program<'a>> = Vec::new();
        let mut by_commit: HashMap<&str, usize> = HashMap::new();
        let mut points = BTreeMap::new();
        let mut skipped = BTreeMap::new();
        for entry in &entries {
            let EntryOf::Point {
                commit,
                place,
                outcome,
            } = &entry.of
            else {
                continue;
            };
            let mut measured = |beside| {
                programs.push(Program {
                    commit: &commit.id,
                    beside,
                });
                programs.len() - 1
            };
            let program = match outcome {
                PointOutcome::Anchor { .. } => Some(measured(None)),
                PointOutcome::Measured { anchor, found, .. } => by_commit
                    .get(anchor.as_str())
                    .map(|&anchor| measured(Some(Beside { anchor, found }))),
                PointOutcome::SameProgram { as_commit } => {
                    by_commit.get(as_commit.as_str()).copied()
                }
                PointOutcome::Skipped { why, said } => {
                    let (why, said) = (*why, said.as_str());
                    skipped.insert(*place, NotMeasured { commit, why, said });
                    None
                }
            };
            let Some(program) = program else {
                continue;
            };
            by_commit.insert(&commit.id, program);
            skipped.remove(place);
            points.insert(*place, (commit, program));
        }
        let points = points
            .into_iter()
            .map(|(place, (commit, program))| LinePoint {
                commit,
                place,
                measured: programs.get(program).map_or("", |one| one.commit),
                program,
            });
        Some(Line {
            about,
            points: points.collect(),
            skipped: skipped.into_values().collect(),
            entries,
            programs,
        })
    }

    /// Where it was measured, by its first entry: that one has the parts of its surroundings.
    #[must_use]
    pub fn begun(&self) -> &'a SeriesLine {
        self.entries.first().map_or(self.about, |first| &first.line)
    }

    /// How builds of the first anchor compare; `None` where nobody asked.
    #[must_use]
    pub fn rebuilt(&self) -> Option<Rebuilt> {
        let mut entries = self.entries.iter().rev();
        entries.find_map(|entry| match &entry.of {
            EntryOf::Point {
                outcome: PointOutcome::Anchor { rebuilt },
                ..
            } => *rebuilt,
            _ => None,
        })
    }

    /// The point at a place.
    #[must_use]
    pub fn at(&self, place: u32) -> Option<&LinePoint<'a>> {
        let found = self
            .points
            .binary_search_by_key(&place, |point| point.place);
        self.points.get(found.ok()?)
    }

    /// A point ÷ the line's first anchor, as ln; `None` where this way was not looked at.
    #[must_use]
    pub fn value(&self, point: &LinePoint<'_>, way: Way) -> Option<f64> {
        let steps = self.steps(point.program, way)?;
        Some(steps.iter().map(|(_, found)| found.estimate.ln()).sum())
    }

    /// The newer point ÷ the older one. Points that were measured beside one anchor have its noise
    /// in common, which cancels but for their own; where anchors lie between them, the overlaps of
    /// those add to it. Half-widths add in squares. `None` where this way was not looked at.
    #[must_use]
    pub fn difference(
        &self,
        older: &LinePoint<'_>,
        newer: &LinePoint<'_>,
        way: Way,
    ) -> Option<Interval> {
        let (older, newer) = (
            self.steps(older.program, way)?,
            self.steps(newer.program, way)?,
        );
        // Both ways begin at the first anchor, and go together for a while.
        let pairs = older.iter().zip(&newer);
        let shared = pairs.take_while(|(one, other)| one.0 == other.0).count();
        let sum = |steps: &[(usize, Interval)]| {
            let own = steps.iter().skip(shared);
            own.fold((0.0, 0.0), |(ln, square), (_, found)| {
                (
                    ln + found.estimate.ln(),
                    square + found.half_width().powi(2),
                )
            })
        };
        let ((before, one), (after, other)) = (sum(&older), sum(&newer));
        let (ln, half) = (after - before, (one + other).sqrt());
        Some(Interval {
            estimate: Effect::from_ln(ln),
            low: Effect::from_ln(ln - half),
            high: Effect::from_ln(ln + half),
        })
    }

    /// Half the width of the interval of a point's own measurement, as ln; 0 of the first anchor.
    #[must_use]
    pub fn half_width(&self, point: &LinePoint<'_>, way: Way) -> Option<f64> {
        let beside = self.programs.get(point.program)?.beside;
        beside.map_or(Some(0.0), |beside| {
            way.of(beside.found).map(|found| found.half_width())
        })
    }

    /// From the first anchor to a program: each program on the way, with what it is ÷ the one
    /// before.
    fn steps(&self, program: usize, way: Way) -> Option<Vec<(usize, Interval)>> {
        let mut steps = Vec::new();
        let mut at = program;
        while let Some(beside) = self.programs.get(at)?.beside {
            steps.push((at, way.of(beside.found)?));
            at = beside.anchor;
        }
        steps.reverse();
        Some(steps)
    }
}
