//! A part of a project: some of its cells, on some of its benchmarks.

use std::collections::BTreeSet;

use super::Project;
use crate::cells::{Cell, Cells, cell_named};
use crate::definition::{BenchmarkDefinition, ClaimDefinition, Problem};

/// Stands in the name of cells for any further words: `gcc12 *`.
const ANY: &str = "*";

/// What is asked for; of what is not named, all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Names of cells, their words in any order. With a `*` among the words: every cell that has
    /// the others.
    pub cells: Vec<String>,
    /// Names of benchmarks.
    pub benchmarks: Vec<String>,
}

/// What a selection is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Builds are made: nothing but what is named.
    Build,
    /// Cells are held against baselines: where none of those is named, the main one comes along.
    Measure,
}

/// A part of a project, as if its file said no more.
#[derive(Clone, Debug)]
pub struct Part {
    /// The project without what was not asked for.
    pub project: Project,
    /// What else is there or is not there because of that, a line each.
    pub notes: Vec<String>,
}

impl Project {
    /// The part that is asked for. Cells keep their names and their order, whatever is left of the
    /// others.
    ///
    /// A claim says something of a cell against *every* baseline, on a suite: it stays where all of
    /// these do, and a note names those that do not.
    ///
    /// # Errors
    /// When a name means no cell, several, or no benchmark: with the nearest that there is.
    pub fn part(self, of: &Selection, purpose: Purpose) -> Result<Part, Problem> {
        let mut notes = Vec::new();
        let mut part = self;
        if !of.cells.is_empty() {
            let whole = part.clone();
            let mut cells = chosen(&whole.cells.all, &of.cells)?;
            if purpose == Purpose::Measure {
                notes.extend(accompanied(&whole, &mut cells));
            }
            part.cells = narrowed(&whole.cells, &cells);
            part.claims
                .retain(|name, claim| kept(&whole, &cells, (name, claim), &mut notes));
        }
        if !of.benchmarks.is_empty() {
            part.choose_benchmarks(&of.benchmarks, &mut notes)?;
        }
        Ok(Part {
            project: part,
            notes,
        })
    }

    /// The project without its guards, where there are other benchmarks: for a question that is
    /// about all that it measures. A guard that is named is asked about like any other benchmark.
    #[must_use]
    pub fn without_guards(mut self, named: &[String]) -> Project {
        for (name, benchmark) in &mut self.benchmarks {
            if named.contains(name) {
                benchmark.guard = None;
            }
        }
        let is_plain = |benchmark: &BenchmarkDefinition| benchmark.guard.is_none();
        if self.benchmarks.values().any(is_plain) {
            self.benchmarks.retain(|_, benchmark| is_plain(benchmark));
        }
        self
    }

    fn choose_benchmarks(
        &mut self,
        names: &[String],
        notes: &mut Vec<String>,
    ) -> Result<(), Problem> {
        for name in names {
            if !self.benchmarks.contains_key(name) {
                let known = self.benchmarks.keys().map(String::as_str);
                let what = format!("there is no benchmark `{name}`");
                return Err(Problem::new(&["benchmark"], what).among(name, known));
            }
        }
        let gone: Vec<String> = self.benchmarks.keys().cloned().collect();
        self.benchmarks.retain(|name, _| names.contains(name));
        let is_gone = |name: &&String| !self.benchmarks.contains_key(*name);
        self.claims.retain(|name, claim| {
            let lacking = match claim.benchmarks.iter().find(is_gone) {
                None if claim.benchmarks.is_empty() => gone.iter().find(is_gone),
                lacking => lacking,
            };
            notes.extend(lacking.map(|benchmark| {
                format!("claim {name} is not judged: it is about {benchmark} too, which was not asked for")
            }));
            lacking.is_none()
        });
        Ok(())
    }
}

/// The places of the cells that are named.
fn chosen(all: &[Cell], names: &[String]) -> Result<BTreeSet<usize>, Problem> {
    let known: Vec<&str> = all.iter().map(|cell| cell.name.as_str()).collect();
    let mut chosen = BTreeSet::new();
    for name in names {
        let words: Vec<&str> = name.split_whitespace().collect();
        if !words.contains(&ANY) {
            chosen.insert(cell_named(&known, name)?);
            continue;
        }
        let has = |cell: &Cell, word: &str| word == ANY || cell.axes.words().any(|own| own == word);
        let fits = |at: &usize| words.iter().all(|word| has(&all[*at], word));
        let found: Vec<usize> = (0..all.len()).filter(fits).collect();
        if found.is_empty() {
            let is_of_none = |word: &&&str| !all.iter().any(|cell| has(cell, word));
            let stranger = words.iter().find(is_of_none);
            let problem = Problem::new(&["matrix"], format!("no cell is called `{name}`"));
            let own: BTreeSet<&str> = all.iter().flat_map(|cell| cell.axes.words()).collect();
            return Err(match stranger {
                Some(word) => problem.among(word, own),
                None => problem.next("no cell has all of these words"),
            });
        }
        chosen.extend(found);
    }
    Ok(chosen)
}

/// Takes the main baseline along where no baseline is among the cells, and where gates and guards
/// are held against it, and says so.
fn accompanied(project: &Project, cells: &mut BTreeSet<usize>) -> Option<String> {
    let baselines = project.cells.baselines.as_slice();
    let main = baselines.first().copied().unwrap_or_default();
    let mut benchmarks = project.benchmarks.values();
    let judge = !project.gates.is_empty() || benchmarks.any(|one| one.guard.is_some());
    let is_named = baselines.iter().any(|one| cells.contains(one));
    if cells.contains(&main) || (is_named && !judge) {
        return None;
    }
    cells.insert(main);
    let name = &project.cells.all.get(main)?.name;
    Some(match is_named {
        true => format!(
            "`{name}` is included: gates and guards hold each build against the main baseline"
        ),
        false => format!("`{name}` is included: it is the baseline, and none was named"),
    })
}

fn narrowed(whole: &Cells, cells: &BTreeSet<usize>) -> Cells {
    let place = |old: &usize| cells.iter().position(|at| at == old);
    Cells {
        all: cells.iter().map(|at| whole.all[*at].clone()).collect(),
        baselines: whole.baselines.iter().filter_map(place).collect(),
    }
}

/// Whether all that a claim is about is among the cells.
fn kept(
    whole: &Project,
    cells: &BTreeSet<usize>,
    (name, claim): (&String, &ClaimDefinition),
    notes: &mut Vec<String>,
) -> bool {
    let named = [Some(&claim.new), claim.base.as_ref()];
    let named = named.into_iter().flatten();
    let named = named.filter_map(|name| whole.cells.find(name));
    let first = whole.cells.all.first();
    let implied = first.filter(|_| whole.cells.baselines.is_empty());
    let baselines = whole.cells.baselines.iter();
    let baselines = baselines.filter_map(|at| whole.cells.all.get(*at));
    let mut about = named.chain(implied).chain(baselines);
    let lacking = about.find(|cell| !cells.iter().any(|at| whole.cells.all[*at] == **cell));
    notes.extend(lacking.map(|cell| {
        format!("claim {name} is not judged: it is about `{cell}` too, which was not asked for")
    }));
    lacking.is_none()
}
