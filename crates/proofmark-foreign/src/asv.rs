//! The results of asv (airspeed velocity): a folder for each machine, and in it a file for each
//! commit and environment.
//!
//! The files' shape is that of asv's `results.py`, versions 1 and 2: in version 2 a benchmark's
//! entry is a list by `result_columns`, in version 1 an object.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use proofmark_conclude::history::{Point, Series, Ties};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use walkdir::WalkDir;

use crate::error::ForeignError;
use crate::time::of_ms;

#[derive(Deserialize)]
struct Results {
    commit_hash: String,
    /// The commit's time, in milliseconds since 1970.
    date: Option<f64>,
    results: BTreeMap<String, Value>,
    #[serde(default)]
    result_columns: Vec<String>,
    /// Of version 1.
    #[serde(default)]
    benchmark_version: BTreeMap<String, Value>,
}

/// Of the same file, where it was made.
#[derive(Deserialize)]
struct About {
    #[serde(default)]
    env_name: String,
    /// What the machine has.
    #[serde(default)]
    params: BTreeMap<String, Value>,
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
    let known: BTreeMap<String, Value> = parsed(&folder.join("benchmarks.json"))?;
    let paths = paths(folder)?;
    let places = places(&paths)?;
    let mut all: BTreeMap<String, Series> = BTreeMap::new();
    for (path, place) in paths.iter().zip(places) {
        let results: Results = parsed(path)?;
        let time_ms = results.time_ms(path)?;
        for (benchmark, entry) in &results.results {
            let about = |what: &str| known.get(benchmark)?.get(what)?.as_str();
            let version = results.version(benchmark, entry);
            let version = version.filter(|version| about("version") != Some(*version));
            let version = version.map(|version| format!(", version {}", shortened(version)));
            let version = version.unwrap_or_default();
            for (parameters, value) in values(entry, &results.result_columns) {
                let name = format!("{benchmark}{parameters} on {place}{version}");
                let series = all.entry(name.clone()).or_insert_with(|| Series {
                    name,
                    unit: about("unit").map(str::to_owned),
                    points: Vec::new(),
                    // Files are called by the digests of their commits.
                    ties: Ties::Unknown,
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

/// What a file of asv says.
fn parsed<T: DeserializeOwned>(path: &Path) -> Result<T, ForeignError> {
    let text = fs::read(path).map_err(|source| ForeignError::file(path, source))?;
    serde_json::from_slice(&nulls(&text))
        .map_err(|error| ForeignError::damaged(path, format!("is not what asv writes: {error}")))
}

/// With `null` for each `NaN` that is no part of a text: asv writes so what was skipped, and JSON
/// has no word for it.
fn nulls(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + 64);
    let (mut rest, mut quoted) = (text, false);
    while let Some((&byte, behind)) = rest.split_first() {
        match (byte, behind) {
            (b'N', [b'a', b'N', behind @ ..]) if !quoted => {
                out.extend_from_slice(b"null");
                rest = behind;
                continue;
            }
            (b'\\', [escaped, behind @ ..]) if quoted => {
                out.extend([byte, *escaped]);
                rest = behind;
                continue;
            }
            (b'"', _) => quoted = !quoted,
            _ => {}
        }
        out.push(byte);
        rest = behind;
    }
    out
}

/// All files of results, in the order of their names.
fn paths(folder: &Path) -> Result<Vec<PathBuf>, ForeignError> {
    let mut all = Vec::new();
    let files = WalkDir::new(folder).min_depth(2).max_depth(2);
    for entry in files.sort_by_file_name() {
        let entry = entry.map_err(|error| ForeignError::file(folder, error.into()))?;
        let is_json = entry.path().extension().is_some_and(|end| end == "json");
        if is_json && entry.file_name() != "machine.json" {
            all.push(entry.into_path());
        }
    }
    Ok(all)
}

/// Where each file's values were measured: its folder, its environment, and what tells the machine
/// from what it was in other files of both, such as another processor. asv draws a line for each.
fn places(paths: &[PathBuf]) -> Result<Vec<String>, ForeignError> {
    // The results are read later, one file after the other: together they may be large.
    let mut found: Vec<(String, BTreeMap<String, Value>)> = Vec::new();
    for path in paths {
        let about: About = parsed(path)?;
        let machine = path.parent().and_then(Path::file_name).unwrap_or_default();
        let place = format!("{}, {}", machine.to_string_lossy(), about.env_name);
        found.push((place, about.params));
    }
    let mut first: BTreeMap<&str, &BTreeMap<String, Value>> = BTreeMap::new();
    let mut differ: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (place, params) in &found {
        let one = *first.entry(place).or_insert(params);
        let names = one.keys().chain(params.keys());
        let names = names.filter(|name| one.get(*name) != params.get(*name));
        let of_place = differ.entry(place).or_default();
        of_place.extend(names.map(String::as_str));
    }
    let named = |(place, params): &(String, BTreeMap<String, Value>)| {
        let names = differ.get(place.as_str()).into_iter().flatten();
        let known = names.filter_map(|name| Some((name, params.get(*name)?)));
        let words = known.map(|(name, value)| {
            let text = value.as_str().map(str::to_owned);
            format!(", {name} {}", text.unwrap_or_else(|| value.to_string()))
        });
        words.fold(place.clone(), |all, word| all + &word)
    };
    Ok(found.iter().map(named).collect())
}

/// A digest by its beginning; else the whole.
fn shortened(version: &str) -> &str {
    let is_digest = version.len() == 64 && version.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_digest { &version[..12] } else { version }
}

impl Results {
    fn time_ms(&self, path: &Path) -> Result<i64, ForeignError> {
        // The files' names say nothing of their order.
        self.date.and_then(of_ms).ok_or_else(|| {
            let commit = &self.commit_hash;
            let why = format!("the `date` of the commit {commit} is missing, or no time");
            let next = "remove the file, or have `asv run` measure the commit again";
            ForeignError::refused(path, &why, next)
        })
    }

    /// The version of a benchmark's own code: values of another are not to be held against it.
    fn version<'a>(&'a self, benchmark: &str, entry: &'a Value) -> Option<&'a str> {
        let at = self.result_columns.iter().position(|one| one == "version");
        let own = at.and_then(|at| entry.get(at)).and_then(Value::as_str);
        own.or_else(|| self.benchmark_version.get(benchmark)?.as_str())
    }
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
    fn another_benchmark_and_another_machine_are_other_series() {
        let folder = tempfile::tempdir().unwrap();
        let machine = folder.path().join("box");
        fs::create_dir_all(&machine).unwrap();
        let known = r#"{"a": {"unit": "seconds", "version": "new"}, "version": 2}"#;
        fs::write(folder.path().join("benchmarks.json"), known).unwrap();
        for (at, cpu, version) in [(1, "x", "old"), (2, "x", "new"), (3, "y", "new")] {
            let text = format!(
                r#"{{"commit_hash": "c{at}", "env_name": "env", "date": {at}000, "version": 2,
                    "params": {{"cpu": "{cpu}", "os": "linux"}},
                    "result_columns": ["result", "params", "version"],
                    "results": {{"a": [[{at}], [], "{version}"]}}}}"#
            );
            fs::write(machine.join(format!("c{at}-env.json")), text).unwrap();
        }
        // Version 1 has it beside the results.
        let text = r#"{"commit_hash": "c4", "env_name": "env", "date": 4000, "version": 1,
            "params": {"cpu": "x", "os": "linux"}, "benchmark_version": {"a": "old"},
            "results": {"a": 4}}"#;
        fs::write(machine.join("c4-env.json"), text).unwrap();
        let read = crate::read(folder.path()).unwrap();
        let found: Vec<(&str, usize)> = read
            .iter()
            .map(|one| (one.name.as_str(), one.points.len()))
            .collect();
        let expected = [
            ("a on box, env, cpu x", 1),
            ("a on box, env, cpu x, version old", 2),
            ("a on box, env, cpu y", 1),
        ];
        assert_eq!(found, expected);
        assert!(read.iter().all(|one| one.ties == Ties::Unknown));
    }

    #[test]
    fn a_file_without_the_time_of_its_commit_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("box")).unwrap();
        fs::write(folder.path().join("benchmarks.json"), "{}").unwrap();
        let text = r#"{"commit_hash": "c1", "date": null, "results": {"a": 4}}"#;
        fs::write(folder.path().join("box/c1-env.json"), text).unwrap();
        let said = crate::read(folder.path()).unwrap_err().to_string();
        assert!(
            said.contains("c1-env.json: the `date` of the commit c1"),
            "{said}"
        );
    }

    #[test]
    fn what_was_skipped_is_no_value() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("box")).unwrap();
        fs::write(folder.path().join("benchmarks.json"), "{}").unwrap();
        let text = r#"{"commit_hash": "c1", "date": 1000, "results": {"a": {"result": [NaN, 1]}}}"#;
        fs::write(folder.path().join("box/c1-env.json"), text).unwrap();
        assert_eq!(crate::read(folder.path()).unwrap()[0].points.len(), 1);
        let quoted = br#"{"a\"NaN": "NaN\\", "b": [NaN,NaN]}"#;
        let expected = br#"{"a\"NaN": "NaN\\", "b": [null,null]}"#;
        assert_eq!(nulls(quoted), expected);
    }

    #[test]
    fn both_versions_of_the_format_are_read_by_parameters() {
        let folder = tempfile::tempdir().unwrap();
        let machine = folder.path().join("results/box");
        fs::create_dir_all(&machine).unwrap();
        let write = |path: &str, text: &str| fs::write(folder.path().join(path), text).unwrap();
        write(
            "results/benchmarks.json",
            r#"{"time_a": {"unit": "seconds", "version": "v"},
                "track_b": {"unit": "bytes", "version": "v"}, "version": 2}"#,
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
