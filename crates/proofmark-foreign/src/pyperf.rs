//! pyperf's JSON: a file for each measurement, of one or several benchmarks.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use proofmark_conclude::history::{Point, Series, Ties};
use serde::Deserialize;
use walkdir::WalkDir;

use crate::error::ForeignError;
use crate::time::{Disorder, Time, disorder, parsed};

/// A file of a million values has some 30 MB.
const MOST: u64 = 1 << 30;

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
    cpu_model_name: Option<String>,
}

/// A benchmark of a file.
struct Measured<'a> {
    path: &'a Path,
    name: String,
    unit: String,
    /// The model of the processor.
    cpu: Option<String>,
    time: Option<Time>,
    point: Point,
}

/// The series of a folder's files, which are in the order of their dates, and in that of their
/// names where one has no date.
pub(crate) fn read_folder(folder: &Path) -> Result<Vec<Series>, ForeignError> {
    let mut paths: Vec<PathBuf> = Vec::new();
    let entries = WalkDir::new(folder).follow_links(true);
    for entry in entries.sort_by_file_name() {
        let entry = entry.map_err(|error| ForeignError::file(folder, error.into()))?;
        if entry.file_type().is_file() && is_called_so(entry.path()) {
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

/// Whether a file is pyperf's by its name, packed or not.
pub(crate) fn is_called_so(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.ends_with(".json") || name.ends_with(".json.gz")
}

/// The series of files, in their order.
pub(crate) fn read_files(paths: &[PathBuf]) -> Result<Vec<Series>, ForeignError> {
    let mut measured: Vec<Measured> = Vec::new();
    for path in paths {
        let suite: Suite = serde_json::from_slice(&text(path)?).map_err(|error| {
            ForeignError::damaged(path, format!("is not what pyperf writes: {error}"))
        })?;
        for benchmark in &suite.benchmarks {
            measured.extend(Measured::of(path, benchmark, &suite.metadata)?);
        }
    }
    in_some_order(&measured)?;
    let cpus: BTreeSet<&Option<String>> = measured.iter().map(|one| &one.cpu).collect();
    let several = cpus.len() > 1;
    let mut all: Vec<Series> = Vec::new();
    for one in &measured {
        // What one processor takes says nothing of another.
        let name = match &one.cpu {
            Some(cpu) if several => format!("{} on {cpu}", one.name),
            _ => one.name.clone(),
        };
        let Some(series) = all.iter_mut().find(|series| series.name == name) else {
            all.push(Series {
                name,
                unit: Some(one.unit.clone()),
                points: vec![one.point.clone()],
                ties: Ties::InOrder,
            });
            continue;
        };
        if series.unit.as_ref() != Some(&one.unit) {
            let was = series.unit.as_deref().unwrap_or_default();
            let why = format!(
                "`{name}` is in `{}` here, and in `{was}` in the files before",
                one.unit
            );
            let next = "keep the files of one unit in a folder of their own";
            return Err(ForeignError::refused(one.path, &why, next));
        }
        series.points.push(one.point.clone());
    }
    Ok(all)
}

/// What a file says, unpacked.
fn text(path: &Path) -> Result<Vec<u8>, ForeignError> {
    let bytes = fs::read(path).map_err(|source| ForeignError::file(path, source))?;
    if path.extension().is_none_or(|end| end != "gz") {
        return Ok(bytes);
    }
    let mut text = Vec::new();
    MultiGzDecoder::new(bytes.as_slice())
        .take(MOST + 1)
        .read_to_end(&mut text)
        .map_err(|error| ForeignError::damaged(path, format!("cannot be unpacked: {error}")))?;
    if text.len() as u64 > MOST {
        let why = "is larger than 1 GiB when it is unpacked";
        return Err(ForeignError::damaged(path, why));
    }
    Ok(text)
}

impl Measured<'_> {
    /// What was measured of a benchmark; none where it has no values, as where it was only
    /// calibrated.
    fn of<'a>(
        path: &'a Path,
        benchmark: &Benchmark,
        suite: &Metadata,
    ) -> Result<Option<Measured<'a>>, ForeignError> {
        let Some(value) = median(benchmark) else {
            return Ok(None);
        };
        let time = first(path, benchmark, suite)?;
        let runs = benchmark.runs.iter().map(|run| &run.metadata);
        let said = |what: fn(&Metadata) -> &Option<String>| {
            let mut all = [&benchmark.metadata, suite].into_iter().chain(runs.clone());
            all.find_map(|one| what(one).clone())
        };
        let file = || {
            let name = path.file_name()?.to_string_lossy();
            let name = name.strip_suffix(".gz").unwrap_or(&name);
            Some(name.strip_suffix(".json").unwrap_or(name).to_owned())
        };
        Ok(Some(Measured {
            path,
            name: said(|one| &one.name).unwrap_or_else(|| "benchmark".to_owned()),
            // pyperf's own default.
            unit: said(|one| &one.unit).unwrap_or_else(|| "second".to_owned()),
            cpu: said(|one| &one.cpu_model_name),
            time,
            point: Point {
                commit: said(|one| &one.commit_id).or_else(file),
                time_ms: time.map(|time| time.ms),
                value,
            },
        }))
    }
}

/// Refuses files whose dates do not say in which order they were measured.
fn in_some_order(measured: &[Measured]) -> Result<(), ForeignError> {
    let times: Vec<Option<Time>> = measured.iter().map(|one| one.time).collect();
    match disorder(&times) {
        None => Ok(()),
        Some(Disorder::Mixed(one, other)) => Err(ForeignError::refused(
            measured[one].path,
            &format!(
                "its `date` says how far it is from UTC, and that of {} does not",
                measured[other].path.display()
            ),
            "read them apart, or write all dates with an offset, such as +02:00",
        )),
        Some(Disorder::Missing(at)) => Err(ForeignError::refused(
            measured[at].path,
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
    use std::io::Write as _;

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
    fn another_processor_is_another_series() {
        let folder = tempfile::tempdir().unwrap();
        for (file, cpu) in [("a", "x"), ("b", "y"), ("c", "x")] {
            let text = suite("2024-01-01 10:00:00", "0.2");
            let of_cpu = format!("\"cpu_model_name\": \"{cpu}\", \"name\"");
            let text = text.replace("\"name\"", &of_cpu);
            fs::write(folder.path().join(format!("{file}.json")), text).unwrap();
        }
        let read = crate::read(folder.path()).unwrap();
        let found: Vec<(&str, usize)> = read
            .iter()
            .map(|one| (one.name.as_str(), one.points.len()))
            .collect();
        assert_eq!(found, [("nbody on x", 2), ("nbody on y", 1)]);
    }

    #[test]
    fn packed_files_and_links_are_not_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let other = tempfile::tempdir().unwrap();
        let packed = fs::File::create(folder.path().join("a.json.gz")).unwrap();
        let mut packed = flate2::write::GzEncoder::new(packed, flate2::Compression::fast());
        packed
            .write_all(suite("2024-01-01 10:00:00", "0.2").as_bytes())
            .unwrap();
        packed.finish().unwrap();
        let elsewhere = other.path().join("b");
        fs::write(&elsewhere, suite("2024-01-02 10:00:00", "0.3")).unwrap();
        std::os::unix::fs::symlink(&elsewhere, folder.path().join("b.json")).unwrap();
        let read = crate::read(folder.path()).unwrap();
        assert_eq!(read[0].points.len(), 2);
        assert_eq!(read[0].points[0].commit.as_deref(), Some("a"));
        let one = crate::read(&folder.path().join("a.json.gz")).unwrap();
        assert_eq!(one[0].points.len(), 1);
        fs::write(folder.path().join("c.json.gz"), "no gzip").unwrap();
        let said = crate::read(folder.path()).unwrap_err().to_string();
        assert!(said.contains("c.json.gz: cannot be unpacked"), "{said}");
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
