//! The results of asv (airspeed velocity): a folder for each machine, and in it a file for each
//! commit and environment.
//!
//! The files' shape is that of asv's `results.py`, versions 1 and 2: in version 2 a benchmark's
//! entry is a list by `result_columns`, in version 1 an object.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use proofmark_conclude::history::{Point, Series};
use serde::Deserialize;
use serde_json::Value;
use walkdir::WalkDir;

use crate::error::ForeignError;
use crate::time::of_ms;

#[derive(Deserialize)]
struct Results {
    commit_hash: String,
    #[serde(default)]
    env_name: String,
    /// The commit's time, in milliseconds since 1970.
    date: Option<f64>,
    results: BTreeMap<String, Value>,
    #[serde(default)]
    result_columns: Vec<String>,
}

/// The folder of results, of a project's folder or of that itself.
pub(crate) fn results_in(folder: &Path) -> Option<PathBuf> {
    let folders = [
        folder.to_path_buf(),
        folder.join("results"),
        folder.join(".asv/results"),
    ];
    folders
        .into_iter()
        .find(|one| one.join("benchmarks.json").is_file())
}

/// The series of all machines, environments, benchmarks and parameters.
pub(crate) fn read(folder: &Path) -> Result<Vec<Series>, ForeignError> {
    let units = units(&folder.join("benchmarks.json"))?;
    let mut all: BTreeMap<String, Series> = BTreeMap::new();
    for entry in WalkDir::new(folder)
        .min_depth(2)
        .max_depth(2)
        .sort_by_file_name()
    {
        let entry = entry.map_err(|error| ForeignError::file(folder, error.into()))?;
        let path = entry.path();
        let is_json = path.extension().is_some_and(|end| end == "json");
        if !is_json || entry.file_name() == "machine.json" {
            continue;
        }
        let text = fs::read(path).map_err(|source| ForeignError::file(path, source))?;
        let results: Results = serde_json::from_slice(&text).map_err(|error| {
            ForeignError::damaged(path, format!("is not what asv writes: {error}"))
        })?;
        // The files' names say nothing of their order.
        let time_ms = results.date.and_then(of_ms).ok_or_else(|| {
            let why = format!(
                "the `date` of the commit {} is missing, or no time",
                results.commit_hash
            );
            let next = "remove the file, or have `asv run` measure the commit again";
            ForeignError::refused(path, &why, next)
        })?;
        let machine = path.parent().and_then(Path::file_name).unwrap_or_default();
        let machine = machine.to_string_lossy();
        for (benchmark, entry) in &results.results {
            for (parameters, value) in values(entry, &results.result_columns) {
                let name = format!("{benchmark}{parameters} on {machine}, {}", results.env_name);
                let series = all.entry(name.clone()).or_insert_with(|| Series {
                    name,
                    unit: units.get(benchmark).cloned(),
                    points: Vec::new(),
                });
                series.points.push(Point {
                    commit: Some(results.commit_hash.clone()),
                    time_ms: Some(time_ms),
                    value,
                });
            }
        }
    }
    Ok(all.into_values().collect())
}

/// The unit of each benchmark.
fn units(path: &Path) -> Result<BTreeMap<String, String>, ForeignError> {
    let text = fs::read(path).map_err(|source| ForeignError::file(path, source))?;
    let all: BTreeMap<String, Value> = serde_json::from_slice(&text)
        .map_err(|error| ForeignError::damaged(path, format!("is not what asv writes: {error}")))?;
    let unit = |(name, about): (String, Value)| {
        let unit = about.get("unit")?.as_str()?.to_owned();
        Some((name, unit))
    };
    Ok(all.into_iter().filter_map(unit).collect())
}

/// The values of a benchmark's entry, each with its parameters in brackets; those that failed are
/// none.
fn values(entry: &Value, columns: &[String]) -> Vec<(String, f64)> {
    let column = |name: &str| match entry {
        Value::Array(cells) => cells.get(columns.iter().position(|one| one == name)?),
        Value::Object(fields) => fields.get(name),
        _ => None,
    };
    if let Some(value) = entry.as_f64() {
        return vec![(String::new(), value)];
    }
    let Some(result) = column("result") else {
        return Vec::new();
    };
    if let Some(value) = result.as_f64() {
        return vec![(String::new(), value)];
    }
    let of_parameters = combinations(column("params").unwrap_or(&Value::Null));
    let cells = result.as_array().map(Vec::as_slice).unwrap_or_default();
    let value = |(at, cell): (usize, &Value)| {
        let value = cell.as_f64().filter(|value| value.is_finite())?;
        let name = match of_parameters.get(at) {
            Some(words) if !words.is_empty() => format!("({})", words.join(", ")),
            Some(_) => String::new(),
            None => format!("({at})"),
        };
        Some((name, value))
    };
    cells.iter().enumerate().filter_map(value).collect()
}

/// All combinations of parameters, the last one changing fastest.
fn combinations(parameters: &Value) -> Vec<Vec<String>> {
    let mut all: Vec<Vec<String>> = vec![Vec::new()];
    for parameter in parameters.as_array().into_iter().flatten() {
        let words = parameter.as_array().map(Vec::as_slice).unwrap_or_default();
        let words = words.iter().map(|word| {
            let text = word.as_str().map(str::to_owned);
            text.unwrap_or_else(|| word.to_string())
        });
        let words: Vec<String> = words.collect();
        let longer = all.iter().flat_map(|one| {
            words.iter().map(|word| {
                let mut longer = one.clone();
                longer.push(word.clone());
                longer
            })
        });
        all = longer.collect();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_versions_of_the_format_are_read_by_parameters() {
        let folder = tempfile::tempdir().unwrap();
        let machine = folder.path().join("results/box");
        fs::create_dir_all(&machine).unwrap();
        let write = |path: &str, text: &str| fs::write(folder.path().join(path), text).unwrap();
        write(
            "results/benchmarks.json",
            r#"{"time_a": {"unit": "seconds"}, "track_b": {"unit": "bytes"}, "version": 2}"#,
        );
        write("results/box/machine.json", "{}");
        write(
            "results/box/bbbb-env.json",
            r#"{"commit_hash": "bbbb", "env_name": "env", "date": 2000, "version": 2,
                "result_columns": ["result", "params", "version"],
                "results": {"time_a": [[0.5, null], [["1", "2"]], "v"], "track_b": [[7], [], "v"]}}"#,
        );
        write(
            "results/box/aaaa-env.json",
            r#"{"commit_hash": "aaaa", "env_name": "env", "date": 1000, "version": 1,
                "results": {"time_a": {"result": [0.25, 0.75], "params": [["1", "2"]]}, "track_b": 6}}"#,
        );
        let read = crate::read(folder.path()).unwrap();
        let names: Vec<&str> = read.iter().map(|one| one.name.as_str()).collect();
        let expected = [
            "time_a(1) on box, env",
            "time_a(2) on box, env",
            "track_b on box, env",
        ];
        assert_eq!(names, expected);
        let commits: Vec<_> = read[0]
            .points
            .iter()
            .map(|one| one.commit.clone())
            .collect();
        assert_eq!(commits, [Some("aaaa".to_owned()), Some("bbbb".to_owned())]);
        assert_eq!(read[1].points.len(), 1);
        assert_eq!(read[2].unit.as_deref(), Some("bytes"));
    }
}
