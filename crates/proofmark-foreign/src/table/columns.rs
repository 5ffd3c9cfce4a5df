//! What the columns of a table mean, by their names and by what is in them.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use csv::StringRecord;

use super::rows::{Table, is_called, line};
use super::times;
use crate::error::ForeignError;
use crate::unit::is_unit;

const COMMITS: [&str; 7] = [
    "commit",
    "commit_hash",
    "hash",
    "sha",
    "revision",
    "rev",
    "version",
];
/// What a value is of. `command` is hyperfine's, `name` google-benchmark's, `benchmark` JMH's.
const METRICS: [&str; 5] = ["metric", "benchmark", "test", "name", "command"];
/// How JMH and hyperfine call what a benchmark was given.
const PARAMETERS: [&str; 2] = ["Param: ", "parameter_"];
const VALUES: [&str; 3] = ["value", "result", "measurement"];
/// `time_unit` is google-benchmark's.
const UNITS: [&str; 3] = ["unit", "units", "time_unit"];
/// Where and of what values are. Those of one are not to be held against those of another.
const PLACES: [&str; 11] = [
    "machine",
    "host",
    "hostname",
    "runner",
    "environment",
    "env",
    "platform",
    "os",
    "arch",
    "cpu",
    "branch",
];

/// What the columns mean.
pub(super) struct Columns {
    pub(super) time: Option<usize>,
    pub(super) commit: Option<usize>,
    /// Of the values of a row.
    pub(super) unit: Option<usize>,
    /// Those whose words differ.
    pub(super) places: Vec<usize>,
    pub(super) values: Values,
    /// What is not read.
    pub(super) others: Vec<usize>,
}

/// Where a table has its values.
pub(super) enum Values {
    /// A row for each: the columns that name the metric together, and that of the value.
    Long(Vec<usize>, usize),
    /// A column for each metric, and the columns of words that say what a row's values are of.
    Wide(Vec<usize>, Vec<usize>),
}

impl Columns {
    pub(super) fn of(path: &Path, table: &Table) -> Result<Columns, ForeignError> {
        let named = |names: &[&str]| -> Vec<usize> {
            (0..table.header.len())
                .filter(|at| is_called(&table.header[*at], names))
                .collect()
        };
        let time = times::column(path, table)?;
        let commit = named(&COMMITS).first().copied();
        let unit = named(&UNITS).first().copied();
        let known = [time, commit, unit];
        let free = |at: &usize| !known.contains(&Some(*at));
        let parameter = |at: &usize| {
            PARAMETERS
                .iter()
                .any(|one| table.header[*at].starts_with(one))
        };
        let parameters: Vec<usize> = (0..table.header.len()).filter(parameter).collect();
        let (mut names, values) = (named(&METRICS), named(&VALUES));
        let long = !names.is_empty() && !values.is_empty();
        let values = if long {
            if let [one, other, ..] = values[..] {
                return Err(table.twice(path, one, other, "both hold the values"));
            }
            names.extend(parameters);
            Values::Long(names, values[0])
        } else {
            let mut metrics = Vec::new();
            for at in (0..table.header.len()).filter(free) {
                if !parameters.contains(&at) && table.has_numbers(path, at)? {
                    metrics.push(at);
                }
            }
            let said = |at: &usize| free(at) && !metrics.contains(at) && table.is_filled(*at);
            let names = names.into_iter().chain(parameters).filter(said).collect();
            Values::Wide(table.recurring(path, names, commit)?, metrics)
        };
        let used: Vec<usize> = match &values {
            Values::Long(names, value) => names.iter().chain([value]).copied().collect(),
            Values::Wide(names, metrics) => names.iter().chain(metrics).copied().collect(),
        };
        let rest = |at: &usize| free(at) && !used.contains(at);
        let places = named(&PLACES).into_iter().filter(rest);
        let places: Vec<usize> = places.filter(|at| table.varies(*at)).collect();
        let others = (0..table.header.len()).filter(rest);
        let others = others.filter(|at| !places.contains(at)).collect();
        let mut columns = Columns {
            time,
            commit,
            unit,
            places,
            values,
            others,
        };
        columns.check(path, table)?;
        Ok(columns)
    }

    /// Refuses columns that could mean several things.
    fn check(&mut self, path: &Path, table: &Table) -> Result<(), ForeignError> {
        let Values::Wide(names, metrics) = &self.values else {
            return Ok(());
        };
        if metrics.is_empty() {
            return Err(ForeignError::Unknown {
                path: path.to_path_buf(),
            });
        }
        let name = |at: &usize| &table.header[*at];
        let is_number = |at: &usize| name(at).parse::<f64>().is_ok();
        if self.time.or(self.commit).is_none() && metrics.iter().all(is_number) {
            return Err(ForeignError::refused(
                path,
                &format!("line {} has numbers and no names", line(&table.header)),
                "write the columns' names into the first line",
            ));
        }
        if let Some(at) = metrics.iter().find(|at| name(at).is_empty()) {
            return Err(ForeignError::refused(
                path,
                &format!("the column {} has numbers and no name", at + 1),
                "give it a name, or remove it",
            ));
        }
        for (place, at) in metrics.iter().enumerate() {
            if let Some(other) = metrics[..place].iter().find(|one| name(one) == name(at)) {
                return Err(table.twice(path, *other, *at, "are of one metric"));
            }
        }
        let Some(unit) = self.unit.take_if(|_| metrics.len() > 1) else {
            return Ok(());
        };
        let of = |row: &StringRecord| -> Vec<String> {
            let cells = names.iter().chain(&self.places);
            cells.map(|at| row[*at].to_owned()).collect()
        };
        let mut first = HashMap::new();
        for row in &table.rows {
            let one = *first.entry(of(row)).or_insert(row);
            if one[unit] == row[unit] {
                continue;
            }
            let why = format!(
                "line {} has another unit than line {}, and there are {} metrics that it may be of",
                line(row),
                line(one),
                metrics.len()
            );
            let next = "write a row for each value, with the columns metric, value and unit";
            return Err(ForeignError::refused(path, &why, next));
        }
        Ok(())
    }
}

impl Table {
    /// Whether a column holds numbers, and some. One that mostly does, and has something else in
    /// between, is refused: it would be left out, and nobody would know.
    fn has_numbers(&self, path: &Path, at: usize) -> Result<bool, ForeignError> {
        let filled = || self.rows.iter().filter(|row| !row[at].is_empty());
        let Some(other) = filled().find(|row| row[at].parse::<f64>().is_err()) else {
            return Ok(filled().next().is_some());
        };
        let like = filled().filter(|row| is_like_a_number(&row[at])).count();
        if like * 2 <= filled().count() {
            return Ok(false);
        }
        let why = format!(
            "line {}: `{}` in the column `{}` is no number that can be read",
            line(other),
            &other[at],
            &self.header[at]
        );
        let next = "write numbers as 1234.5, leave the cell empty where there is none, or remove \
                    the column";
        Err(ForeignError::refused(path, &why, next))
    }

    fn is_filled(&self, at: usize) -> bool {
        self.rows.iter().any(|row| !row[at].is_empty())
    }

    /// The names that say what rows are of, where some row is of the same as another. Where each is
    /// of something else, names are no benchmarks: of commits they are titles, and of rows without
    /// a commit nobody knows.
    fn recurring(
        &self,
        path: &Path,
        names: Vec<usize>,
        commit: Option<usize>,
    ) -> Result<Vec<usize>, ForeignError> {
        let of = |row: &StringRecord| names.iter().map(|at| row[*at].to_owned()).collect();
        let all: HashSet<Vec<String>> = self.rows.iter().map(of).collect();
        if names.is_empty() || self.rows.len() == 1 || all.len() < self.rows.len() {
            return Ok(names);
        }
        if commit.is_some() {
            return Ok(Vec::new());
        }
        let why = format!(
            "each row has another `{}`: there is no second value of any",
            &self.header[names[0]]
        );
        let next = "call the column `commit` if it says what was measured, and remove it if it \
                    says nothing";
        Err(ForeignError::refused(path, &why, next))
    }

    fn varies(&self, at: usize) -> bool {
        self.rows.iter().any(|row| row[at] != self.rows[0][at])
    }

    fn twice(&self, path: &Path, one: usize, other: usize, what: &str) -> ForeignError {
        let why = format!(
            "the columns {} (`{}`) and {} (`{}`) {what}",
            one + 1,
            &self.header[one],
            other + 1,
            &self.header[other]
        );
        ForeignError::refused(path, &why, "give one of them another name, or remove it")
    }
}

/// Whether a cell is a number, one in another country's form, or one with its unit.
fn is_like_a_number(cell: &str) -> bool {
    let digits = cell.trim_end_matches(|letter: char| letter.is_alphabetic() || letter == '%');
    let end = &cell[digits.len()..];
    let digits = digits.trim_end().replace([',', '\'', ' '], "");
    (end.is_empty() || end == "%" || is_unit(end)) && digits.parse::<f64>().is_ok()
        || cell.parse::<f64>().is_ok()
}
