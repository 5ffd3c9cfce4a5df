//! A ledger's tables: for each stack its ideas, and the ideas that are in none, each as it was
//! measured last.

use std::collections::BTreeSet;

use proofmark_evidence::MatrixId;
use proofmark_evidence::record::{
    Decision, FigureOf, FigureOver, LedgerBenchmark, LedgerBuild, LedgerEvent, LedgerFigure,
    LedgerIdea, LedgerRun, TreeChange,
};
use proofmark_terms::Holds;

use super::figure::Shown;
use super::{LedgerView, question};

/// A table: the ideas of one stack, or those of no stack that were measured in one run.
pub(crate) struct Table<'a> {
    /// The stack; `None` for ideas by themselves.
    pub(crate) stack: Option<&'a str>,
    /// Its place in the run.
    place: Option<u32>,
    /// The run that it was measured in.
    pub(crate) run: &'a LedgerRun,
    /// When, in milliseconds since 1970-01-01 UTC.
    pub(crate) at_ms: u64,
    pub(crate) rows: Vec<Row<'a>>,
}

/// Each table, and whether it is the last one of its run: what holds for all of a run is said
/// behind that.
pub(crate) fn with_ends<'t, 'a>(
    tables: &'t [Table<'a>],
) -> impl Iterator<Item = (&'t Table<'a>, bool)> {
    let next = tables.iter().skip(1).map(Some).chain([None]);
    let ends = tables.iter().zip(next);
    ends.map(|(one, next)| {
        (
            one,
            next.is_none_or(|next| !std::ptr::eq(next.run, one.run)),
        )
    })
}

/// An idea in a table.
pub(crate) struct Row<'a> {
    pub(crate) idea: &'a str,
    pub(crate) hypothesis: Option<&'a str>,
    pub(crate) on: &'a [String],
    /// What is left out of the stack with it.
    pub(crate) gone_too: &'a [String],
    pub(crate) expected: Option<f64>,
    /// Its place among the ideas of the run.
    at: u32,
    /// Its place in the stack.
    place: Option<u32>,
    pub(crate) gates: Gates,
    /// What is said of guards, each; empty where there are none.
    pub(crate) guards: Vec<Guarded<'a>>,
    /// In which files that its runs read its build differs from base.
    pub(crate) files: &'a [TreeChange],
    pub(crate) decision: Option<Decided<'a>>,
    /// What the error budget said of it.
    pub(crate) test: Option<String>,
    /// Why there is no figure of it.
    pub(crate) unbuilt: Option<&'a str>,
    /// Benchmarks that its build alone, or what that is held against, is out of, and why.
    pub(crate) out: Vec<(&'a str, &'a str)>,
}

/// What gates said of the build with an idea alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gates {
    /// There are none, or none was run.
    NotRun,
    Passed,
    Failed,
}

/// A guard, and what a build makes of it.
pub(crate) struct Guarded<'a> {
    pub(crate) benchmark: &'a LedgerBenchmark,
    pub(crate) figure: Option<LedgerFigure>,
    pub(crate) holds: Holds,
}

/// What was decided last.
pub(crate) struct Decided<'a> {
    pub(crate) decision: Decision,
    pub(crate) because: &'a str,
    pub(crate) at_ms: u64,
    /// The idea was another change when that was decided.
    pub(crate) of_another: bool,
}

/// The four figures of an idea.
pub(crate) struct Four {
    pub(crate) alone: Option<Shown>,
    pub(crate) added: Option<Shown>,
    pub(crate) left_out: Option<Shown>,
    pub(crate) interaction: Option<Shown>,
}

impl<'a> Table<'a> {
    /// The figures of a row over some benchmarks.
    pub(crate) fn four(&self, row: &Row<'_>, over: Over) -> Four {
        let of = |of: FigureOf| figure(self.run, of, over);
        let in_stack = |make: &dyn Fn(u32, u32) -> FigureOf| {
            let (stack, place) = self.place.zip(row.place)?;
            of(make(stack, place))
        };
        Four {
            alone: of(FigureOf::Alone { idea: row.at }),
            added: in_stack(&|stack, place| FigureOf::Added { stack, place }),
            left_out: in_stack(&|stack, place| FigureOf::LeftOut { stack, place }),
            interaction: in_stack(&|stack, place| FigureOf::Interaction { stack, place }),
        }
    }

    /// Whether there is any figure of a row.
    pub(crate) fn is_measured(&self, row: &Row<'_>) -> bool {
        let overs = self.overs();
        overs.iter().any(|(over, _)| {
            let four = self.four(row, *over);
            four.alone.or(four.added).or(four.left_out).is_some()
        })
    }

    /// The whole stack ÷ base.
    pub(crate) fn whole(&self, over: Over) -> Option<Shown> {
        figure(self.run, FigureOf::Whole { stack: self.place? }, over)
    }

    /// Whether its run has guards.
    pub(crate) fn is_guarded(&self) -> bool {
        let mut all = self.run.asked.benchmarks.iter();
        all.any(|one| one.guard.is_some())
    }

    /// What is said of guards of the whole stack.
    pub(crate) fn guards(&self) -> Vec<Guarded<'a>> {
        let stack = self.place.map(|stack| FigureOf::Whole { stack });
        stack.map_or_else(Vec::new, |of| guarded(self.run, of))
    }

    /// Base again ÷ base.
    pub(crate) fn null(&self, over: Over) -> Option<Shown> {
        figure(self.run, FigureOf::Null, over)
    }

    /// Builds of the stack that there are not, with why; ideas by themselves have theirs in their
    /// rows.
    pub(crate) fn unbuilt(&self) -> Vec<(&'a str, &'a str)> {
        let asked = &self.run.asked;
        let stack = self.place.and_then(|place| usize::try_from(place).ok());
        let Some(stack) = stack.and_then(|place| asked.stacks.get(place)) else {
            return Vec::new();
        };
        let places = stack.places.iter();
        let builds = places.flat_map(|place| [place.below, place.with, place.without]);
        let builds: BTreeSet<u32> = builds.chain([stack.full]).collect();
        let alone: Vec<u32> = asked.ideas.iter().map(|idea| idea.with).collect();
        let builds = builds.into_iter().filter(|build| !alone.contains(build));
        let builds = builds.filter_map(|build| asked.builds.get(usize::try_from(build).ok()?));
        builds
            .filter_map(|build| Some((build.name.as_str(), build.why.as_deref()?)))
            .collect()
    }

    /// Everything that figures are over, with its name: the suite, groups, benchmarks.
    pub(crate) fn overs(&self) -> Vec<(Over, String)> {
        let asked = &self.run.asked;
        let groups = (0..).zip(&asked.groups);
        let groups = groups.map(|(at, group)| (Over::Group(at), format!("group {}", group.name)));
        let members = (0..).zip(&asked.benchmarks);
        let members = members.map(|(at, one)| (Over::Member(at), one.name.clone()));
        let all = asked.benchmarks.iter();
        let all = all.filter(|one| is_in_mean(self.run, one)).count();
        let suite = (Over::Suite, format!("geometric mean of {all}"));
        std::iter::once(suite)
            .chain(groups)
            .chain(members)
            .collect()
    }
}

/// Which benchmarks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Over {
    Suite,
    /// By its place.
    Group(u32),
    /// By its index.
    Member(u32),
}

impl Over {
    pub(crate) fn of(over: FigureOver) -> Over {
        match over {
            FigureOver::Suite { .. } => Over::Suite,
            FigureOver::Group { group, .. } => Over::Group(group),
            FigureOver::Member { member } => Over::Member(member.0),
        }
    }
}

fn figure(run: &LedgerRun, of: FigureOf, over: Over) -> Option<Shown> {
    let found = |of: FigureOf| {
        let mut figures = run.figures.iter();
        figures.find(|one| one.of == of && Over::of(one.over) == over)
    };
    let one = found(of)?;
    // Base is held against itself on all that it runs.
    let all = found(FigureOf::Null).and_then(|null| benchmarks(null.over));
    let part = benchmarks(one.over).zip(all);
    Some(Shown {
        figure: one.figure,
        part: part.filter(|(of, all)| of < all).map(|(of, all)| [of, all]),
    })
}

/// Whether a benchmark is in the mean over all: a guard is not, unless all are.
pub(super) fn is_in_mean(run: &LedgerRun, benchmark: &LedgerBenchmark) -> bool {
    let mut all = run.asked.benchmarks.iter();
    benchmark.guard.is_none() || all.all(|one| one.guard.is_some())
}

/// Over how many benchmarks a mean is.
pub(super) fn benchmarks(over: FigureOver) -> Option<u32> {
    match over {
        FigureOver::Suite { benchmarks } | FigureOver::Group { benchmarks, .. } => Some(benchmarks),
        FigureOver::Member { .. } => None,
    }
}

/// The runs with when they were measured, the last first.
pub(crate) fn runs_backwards<'a>(
    ledger: &LedgerView<'a>,
) -> impl Iterator<Item = (u64, &'a LedgerRun)> {
    let entries = ledger.recorded.entries.iter().rev();
    entries.filter_map(|entry| match &entry.of {
        LedgerEvent::Measured { run } => Some((entry.at_ms, &**run)),
        _ => None,
    })
}

/// Stacks and ideas, each as it was measured last. An idea of a stack that was measured alone since
/// stands with those by themselves too.
pub(crate) fn tables<'a>(ledger: &LedgerView<'a>) -> Vec<Table<'a>> {
    let mut tables: Vec<Table<'a>> = Vec::new();
    let (mut stacks, mut ideas): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    for (at_ms, run) in runs_backwards(ledger) {
        let table = |stack: Option<(u32, &'a str)>, rows| Table {
            stack: stack.map(|(_, name)| name),
            place: stack.map(|(place, _)| place),
            run,
            at_ms,
            rows,
        };
        for (place, stack) in (0..).zip(&run.asked.stacks) {
            if stacks.contains(&stack.name.as_str()) {
                continue;
            }
            stacks.push(&stack.name);
            let places = (0..).zip(&stack.places);
            let rows = places.filter_map(|(at, one)| {
                let row = row(ledger, run, one.idea, Some(at))?;
                let gone_too = &one.gone_too;
                Some(Row { gone_too, ..row })
            });
            let rows: Vec<Row<'a>> = rows.collect();
            ideas.extend(rows.iter().map(|row| row.idea));
            tables.push(table(Some((place, &stack.name)), rows));
        }
        let alone = (0..).zip(&run.asked.ideas);
        let alone = alone.filter(|(_, idea)| !ideas.contains(&idea.name.as_str()));
        let alone: Vec<u32> = alone.map(|(at, _)| at).collect();
        let rows = alone
            .into_iter()
            .filter_map(|at| row(ledger, run, at, None));
        let rows: Vec<Row<'a>> = rows.collect();
        ideas.extend(rows.iter().map(|row| row.idea));
        if !rows.is_empty() {
            tables.push(table(None, rows));
        }
    }
    tables
}

fn row<'a>(
    ledger: &LedgerView<'a>,
    run: &'a LedgerRun,
    at: u32,
    place: Option<u32>,
) -> Option<Row<'a>> {
    let idea = run.asked.ideas.get(usize::try_from(at).ok()?)?;
    let build = |place: u32| run.asked.builds.get(usize::try_from(place).ok()?);
    let with = build(idea.with);
    let needed = [with, build(idea.against)].into_iter().flatten();
    let cells: Vec<_> = needed.clone().filter_map(|build| build.cell).collect();
    let out = run.out.iter().filter(|out| cells.contains(&out.cell));
    let out = out.map(|out| {
        let benchmark = out.member.of(&run.asked.benchmarks);
        (
            benchmark.map_or("?", |one| one.name.as_str()),
            out.why.as_str(),
        )
    });
    let test = run.tests.iter().find(|test| test.idea == at);
    Some(Row {
        idea: &idea.name,
        hypothesis: idea.hypothesis.as_deref(),
        on: &idea.on,
        gone_too: &[],
        expected: idea.expected,
        at,
        place,
        gates: with.map_or(Gates::NotRun, gates),
        guards: guarded(run, FigureOf::Alone { idea: at }),
        files: with.map_or(&[], |build| &build.files),
        decision: decided(ledger, idea),
        test: test.map(|test| question::tested(run, test)),
        unbuilt: needed.clone().find_map(|build| build.why.as_deref()),
        out: out.collect(),
    })
}

/// What a figure says of each guard.
fn guarded(run: &LedgerRun, of: FigureOf) -> Vec<Guarded<'_>> {
    let judged = run.guards.iter().filter(|guard| guard.of == of);
    let guards = judged.filter_map(|guard| {
        let over = Over::Member(guard.member.0);
        Some(Guarded {
            benchmark: guard.member.of(&run.asked.benchmarks)?,
            figure: figure(run, of, over).map(|shown| shown.figure),
            holds: guard.holds,
        })
    });
    guards.collect()
}

/// What gates said of a build: one that failed counts most.
fn gates(build: &LedgerBuild) -> Gates {
    if build.gates.iter().any(|gate| !gate.passed) {
        Gates::Failed
    } else if build.gates.is_empty() {
        Gates::NotRun
    } else {
        Gates::Passed
    }
}

fn decided<'a>(ledger: &LedgerView<'a>, idea: &LedgerIdea) -> Option<Decided<'a>> {
    let mut entries = ledger.recorded.entries.iter().rev();
    entries.find_map(|entry| match &entry.of {
        LedgerEvent::Decided {
            idea: of,
            decision,
            because,
            matrix,
        } if *of == idea.name => {
            let then = matrix.as_ref().and_then(|matrix| seen(ledger, matrix, of));
            Some(Decided {
                decision: *decision,
                because,
                at_ms: entry.at_ms,
                of_another: then.is_some_and(|then| then.change != idea.change),
            })
        }
        _ => None,
    })
}

/// An idea as it was measured in a matrix.
fn seen<'a>(ledger: &LedgerView<'a>, matrix: &MatrixId, name: &str) -> Option<&'a LedgerIdea> {
    let (_, run) = runs_backwards(ledger).find(|(_, run)| run.matrix == *matrix)?;
    run.asked.ideas.iter().find(|idea| idea.name == name)
}
