//! pyperf's JSON: a file for each measurement, of one or several benchmarks.

use std::fs;
use std::path::{Path, PathBuf};

use proofmark_conclude::history::{Point, Series};
use serde::Deserialize;
use walkdir::WalkDir;

use crate::error::ForeignError;
use crate::time::{Disorder, Time, disorder, parsed};

#[derive(Deserialize)]
struct Suite {
    benchmarks: Vec<Benchmark>,
    #[serde(default)]
    metadata: Metadata,
}

#[derive(Deserialize)]
struct Benchmark {
    #[serde(default)]
    metadata: Metadata,
    runs: Vec<Run>,
}

#[derive(Deserialize)]
struct Run {
    #[serde(default)]
    metadata: Metadata,
    #[serde(default)]
    values: Vec<f64>,
}

#[derive(Default, Deserialize)]
struct Metadata {
    name: Option<String>,
    unit: Option<String>,
    date: Option<String>,
    commit_id: Option<String>,
}

/// The series of a folder's files, which are in the order of their dates, and in that of their
/// names where one has no date.
pub(crate) fn read_folder(folder: &Path) -> Result<Vec<Series>, ForeignError> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in WalkDir::new(folder).sort_by_file_name() {
        let entry = entry.map_err(|error| ForeignError::file(folder, error.into()))?;
        let is_json = entry.path().extension().is_some_and(|end| end == "json");
        if entry.file_type().is_file() && is_json {
            paths.push(entry.into_path());
        }
    }
    if paths.is_empty() {
        return Err(ForeignError::Unknown {
            path: folder.to_path_buf(),
        });
    }
    read_files(&paths)
}

/// The series of files, in their order.
pub(crate) fn read_files(paths: &[PathBuf]) -> Result<Vec<Series>, ForeignError> {
    let mut all: Vec<Series> = Vec::new();
    let mut times: Vec<Option<Time>> = Vec::new();
    let mut measured: Vec<&Path> = Vec::new();
    for path in paths {
        let text = fs::read(path).map_err(|source| ForeignError::file(path, source))?;
        let suite: Suite = serde_json::from_slice(&text).map_err(|error| {
            ForeignError::damaged(path, format!("is not what pyperf writes: {error}"))
        })?;
        for benchmark in &suite.benchmarks {
            let Some(value) = median(benchmark) else {
                continue;
            };
            let of = [&benchmark.metadata, &suite.metadata];
            let name = of.iter().find_map(|one| one.name.clone());
            let name = name.unwrap_or_else(|| "benchmark".to_owned());
            let time = first(path, benchmark, &suite.metadata)?;
            times.push(time);
            measured.push(path);
            let commit = of.iter().find_map(|one| one.commit_id.clone());
            let point = Point {
                commit: commit.or_else(|| Some(path.file_stem()?.to_string_lossy().into_owned())),
                time_ms: time.map(|time| time.ms),
                value,
            };
            let own = benchmark.runs.iter().map(|run| &run.metadata);
            let unit = of.into_iter().chain(own).find_map(|one| one.unit.clone());
            // pyperf's own default.
            let unit = unit.unwrap_or_else(|| "second".to_owned());
            match all.iter_mut().find(|one| one.name == name) {
                Some(series) if series.unit.as_ref() != Some(&unit) => {
                    let was = series.unit.as_deref().unwrap_or_default();
                    let why =
                        format!("`{name}` is in `{unit}` here, and in `{was}` in the files before");
                    let next = "keep the files of one unit in a folder of their own";
                    return Err(ForeignError::refused(path, &why, next));
                }
                Some(series) => series.points.push(point),
                None => all.push(Series {
                    name,
                    unit: Some(unit),
                    points: vec![point],
                }),
            }
        }
    }
    match disorder(&times) {
        None => Ok(all),
        Some(Disorder::Mixed(one, other)) => Err(ForeignError::refused(
            measured[one],
            &format!(
                "its `date` says how far it is from UTC, and that of {} does not",
                measured[other].display()
            ),
            "read them apart, or write all dates with an offset, such as +02:00",
        )),
        Some(Disorder::Missing(at)) => Err(ForeignError::refused(
            measured[at],
            "it has no `date`, and the dates of the other files are not in the order of their \
             names: nobody knows where it belongs",
            "give it a name that stands where it belongs, and have the others in that order too",
        )),
    }
}

/// When the first run of a benchmark began; none where nothing says so.
fn first(
    path: &Path,
    benchmark: &Benchmark,
    suite: &Metadata,
) -> Result<Option<Time>, ForeignError> {
    let own = benchmark.runs.iter().map(|run| &run.metadata);
    let all = own.chain([&benchmark.metadata, suite]);
    let mut times = Vec::new();
    for date in all.filter_map(|one| one.date.as_deref()) {
        let why = || format!("`{date}` is no date that can be read");
        let next = "write it as 2026-01-31 10:00:00, as pyperf does";
        times.push(parsed(date).ok_or_else(|| ForeignError::refused(path, &why(), next))?);
    }
    Ok(times.into_iter().min_by_key(|time| time.ms))
}

/// The median of all values of all runs.
fn median(benchmark: &Benchmark) -> Option<f64> {
    let runs = benchmark.runs.iter();
    let mut values: Vec<f64> = runs.flat_map(|run| run.values.iter().copied()).collect();
    values.sort_by(f64::total_cmp);
    let upper = values.get(values.len() / 2)?;
    let lower = values.get(values.len().checked_sub(1)? / 2)?;
    Some(f64::midpoint(*lower, *upper)).filter(|value| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suite(date: &str, values: &str) -> String {
        format!(
            r#"{{"benchmarks": [{{"runs": [{{"values": [{values}], "metadata": {{"date": "{date}"}}}}]}}],
                "metadata": {{"name": "nbody", "python_version": "3.13"}}, "version": "1.0"}}"#
        )
    }

    #[test]
    fn files_are_points_in_the_order_of_their_dates() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write(
            "b.json",
            &suite("2024-01-01 10:00:00.123456", "0.5, 0.1, 0.3"),
        );
        write("a.json", &suite("2024-02-01 10:00:00", "0.2, 0.4"));
        let read = crate::read(folder.path()).unwrap();
        assert_eq!(read.len(), 1);
        assert_eq!((read[0].name.as_str(), read[0].points.len()), ("nbody", 2));
        assert_eq!(read[0].points[0].commit.as_deref(), Some("b"));
        let values: Vec<f64> = read[0].points.iter().map(|point| point.value).collect();
        assert!((values[0] - 0.3).abs() < 1e-12 && (values[1] - 0.3).abs() < 1e-12);
    }

    #[test]
    fn files_without_an_order_are_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        let said = || crate::read(folder.path()).unwrap_err().to_string();
        write("a.json", &suite("2024-02-01 10:00:00", "0.2"));
        write("b.json", &suite("yesterday", "0.2"));
        assert!(
            said().contains("b.json: `yesterday` is no date"),
            "{}",
            said()
        );
        write("b.json", &suite("2024-01-01T10:00:00Z", "0.2"));
        assert!(
            said().contains("b.json: its `date` says how far"),
            "{}",
            said()
        );
        write("b.json", &suite("2024-01-01 10:00:00", "0.2"));
        write(
            "c.json",
            r#"{"benchmarks": [{"runs": [{"values": [1]}]}], "metadata": {"name": "nbody"}}"#,
        );
        assert!(said().contains("c.json: it has no `date`"), "{}", said());
        fs::rename(folder.path().join("a.json"), folder.path().join("d.json")).unwrap();
        assert_eq!(crate::read(folder.path()).unwrap()[0].points.len(), 3);
    }

    #[test]
    fn another_unit_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let text = suite("2024-01-01 10:00:00", "0.2");
        fs::write(folder.path().join("a.json"), &text).unwrap();
        let bytes = text.replace("\"name\"", "\"unit\": \"byte\", \"name\"");
        fs::write(folder.path().join("b.json"), bytes).unwrap();
        let said = crate::read(folder.path()).unwrap_err().to_string();
        assert!(
            said.contains("b.json: `nbody` is in `byte` here, and in `second`"),
            "{said}"
        );
    }

    #[test]
    fn other_json_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        assert!(crate::read(folder.path()).is_err());
        fs::write(folder.path().join("a.json"), "{\"a\": 1}").unwrap();
        let said = crate::read(folder.path()).unwrap_err().to_string();
        assert!(said.contains("a.json: is not what pyperf writes"), "{said}");
    }
}
