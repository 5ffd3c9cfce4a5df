//! What runs read, found by a traced run before anything is measured.

use std::path::Path;
use std::time::Duration;

use proofmark_evidence::record::{Benchmark, Inputs};
use proofmark_measure::trace::{TraceLimits, Traced, Untraceable, trace};
use proofmark_measure::{Interrupt, Launch, MeasureError};
use proofmark_terms::{BuildIndex, Metric};

use super::around;
use super::found::Found;
use super::look::Look;
use super::traced::unseen;
use super::trees::{TreesRead, refuse_around, refuse_set_up};
use crate::budget::Budget;
use crate::builds::{Subject, refuse_lent};
use crate::clock::now_ms;
use crate::command;
use crate::error::LabError;
use crate::prepare::prepare;

/// What these runs of these builds read; `own` is proofmark's own folder. Each is prepared as it
/// will be.
///
/// # Errors
///
/// When a run cannot be started or prepared, the budget is spent, the user stops, or a build wrote
/// what all of them read. Where no trace is possible, only what the command names is found.
pub(crate) fn find(
    looks: &[Look<'_>],
    subjects: &[Subject],
    own: &Path,
    stop: &Interrupt,
    budget: Budget,
) -> Result<Inputs, LabError> {
    let mut trees = TreesRead::default();
    let around = (own, stop, budget);
    let found = find_hearing(looks, subjects, around, &mut trees, &mut |_, _| Ok(()))?;
    trees.settle(subjects)?;
    Ok(found)
}

/// The same, and each traced run is told to `hear`. Whether any of them looks into its tree is for
/// the caller to settle.
///
/// # Errors
///
/// As [`find`], and what `hear` has against it.
pub(crate) fn find_hearing(
    looks: &[Look<'_>],
    subjects: &[Subject],
    (own, stop, budget): (&Path, &Interrupt, Budget),
    trees: &mut TreesRead,
    hear: &mut dyn FnMut(BuildIndex, &Traced) -> Result<(), LabError>,
) -> Result<Inputs, LabError> {
    let mut found = Found::default();
    let mut prepared: Vec<&Benchmark> = Vec::new();
    for ((build, look), subject) in BuildIndex::each(looks).zip(subjects) {
        if budget.is_spent(now_ms()) {
            return Err(budget.spent_early(now_ms()));
        }
        found.take_named(look);
        trees.take_named(look);
        refuse_set_up(look)?;
        // Options of the program may set variables, and what prepares its runs sees them.
        let asked = look.benchmark;
        let alike = |other: &&Benchmark| {
            other.prepare == asked.prepare && other.env == asked.env && other.cwd == asked.cwd
        };
        if let Some(text) = &look.benchmark.prepare
            && !prepared.iter().any(alike)
        {
            prepared.push(look.benchmark);
            let prepare = around::of_prepare(text, look.benchmark, stop, budget)?;
            refuse_around(look, "--prepare", &prepare)?;
            found.take_prepare(prepare);
        }
        let traced = traced(look, stop, budget)?;
        if let (Some(text), Ok(traced)) = (&look.benchmark.output_filter, &traced) {
            let printed = &traced.stdout.kept;
            let filter = around::of_filter(text, look.benchmark, printed, stop, budget)?;
            refuse_around(look, "--output-filter", &filter)?;
            found.take_helper(filter);
        }
        if let Ok(run) = &traced {
            refuse_lent(run, &subject.name)?;
            refuse_unseen_peak(run, look.benchmark)?;
            refuse_not_run(run, look, &subject.name)?;
            hear(build, run)?;
            trees.take(look, subject, subjects, run)?;
        }
        found.take_run(build, look, own, traced);
        // Now that there is what this run leaves, it shows what it puts back.
        if let Some(text) = &look.benchmark.prepare {
            found.take_put_back(around::of_prepare(text, look.benchmark, stop, budget)?);
        }
    }
    found.settle(looks, subjects, own)
}

/// Refuses peak memory of a program of which nobody tells it: who is left in a namespace of
/// processes when that ends is reaped by the kernel, and where the program has the kernel ask about
/// calls, we cannot.
fn refuse_unseen_peak(run: &Traced, benchmark: &Benchmark) -> Result<(), LabError> {
    let why = if run.reaping.namespaces {
        "it makes a namespace of processes (CLONE_NEWPID), and the kernel ends and reaps who is left in it"
    } else if run.listens {
        "it has the kernel ask about its calls (seccomp with a listener), and there can be one listener only"
    } else {
        return Ok(());
    };
    if benchmark.metric != Metric::PeakMemory {
        return Ok(());
    }
    Err(LabError::Refused(format!(
        "the peak memory of all that the program starts cannot be told: {why}\n  next: take another metric"
    )))
}

/// Refuses a command that names the build's own file and never comes to it: it would measure
/// something else, the same for all builds. Wall time may be that of a server which is told the
/// name.
fn refuse_not_run(run: &Traced, look: &Look<'_>, name: &str) -> Result<(), LabError> {
    let is_told = look.benchmark.metric == Metric::WallTime;
    let named = command::image_is_named(look.benchmark);
    if !named || is_told || look.tree.is_some() || unseen(run).is_some() {
        return Ok(());
    }
    let read = run.read.iter().filter(|(_, read)| read.found);
    let mut opened = run.code.iter().chain(read.map(|(path, _)| path));
    if opened.any(|path| look.is_its_own_file(path) || !look.is_of_others(path)) {
        return Ok(());
    }
    Err(LabError::Refused(format!(
        "the command neither starts nor reads the file of {name}, {}: what runs is the same for all builds\n  next: let the command run it where `{{}}` stands, as in -- {{}} ARGS",
        look.image.display()
    )))
}

/// A traced run; the reason where there can be none.
fn traced(
    look: &Look<'_>,
    stop: &Interrupt,
    budget: Budget,
) -> Result<Result<Traced, String>, LabError> {
    prepare(look.benchmark)?;
    let launch = Launch {
        view: look.view.clone(),
        ..command::launch(look.benchmark, look.image, 0, None)?
    };
    // To its end, as far as the budget goes: it may open a file in its last second.
    let left = budget.left_ms(now_ms()).map(Duration::from_millis);
    let limits = TraceLimits {
        time: left.map_or(launch.timeout, |left| left.min(launch.timeout)),
        ..TraceLimits::default()
    };
    match trace(&launch, &limits, stop) {
        Ok(traced) => Ok(Ok(traced)),
        Err(Untraceable::Run(MeasureError::Interrupted)) => Err(LabError::Interrupted),
        Err(why) => Ok(Err(why.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;

    use super::*;

    fn look<'a>(benchmark: &'a Benchmark, image: &'a Path) -> Look<'a> {
        Look {
            benchmark,
            image,
            view: None,
            bound: BTreeSet::new(),
            original: None,
            tree: None,
            copies: None,
        }
    }

    #[test]
    fn a_command_that_never_comes_to_the_build_s_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let image = folder.path().canonicalize().unwrap().join("prog");
        fs::copy("/bin/true", &image).unwrap();
        std::os::unix::fs::symlink("prog", image.with_file_name("link")).unwrap();
        let run_of = |script: &str| {
            let mut launch = Launch::new("/bin/sh", Duration::from_secs(60));
            launch.args = vec!["-c".into(), script.into()];
            launch.env = vec![("PATH".into(), "/usr/bin:/bin".into())];
            launch.cwd = folder.path().to_owned();
            trace(&launch, &TraceLimits::default(), &Interrupt::new()).unwrap()
        };
        let refused = |script: &str, metric: Metric| {
            let benchmark = Benchmark {
                metric,
                argv: vec!["{}".into()],
                ..Benchmark::default()
            };
            refuse_not_run(&run_of(script), &look(&benchmark, &image), "new").is_err()
        };
        for script in ["./prog", "./link", "cat prog >/dev/null", "true; ./prog"] {
            assert!(!refused(script, Metric::CpuTime), "{script}");
        }
        assert!(refused("true # ./prog", Metric::CpuTime));
        assert!(refused("test -x prog", Metric::PeakMemory));
        // A server may be told the name.
        assert!(!refused("true # ./prog", Metric::WallTime));
    }

    #[test]
    fn peak_memory_that_nobody_tells_is_refused() {
        let launch = Launch::new("/bin/true", Duration::from_secs(60));
        let run = trace(&launch, &TraceLimits::default(), &Interrupt::new()).unwrap();
        let refused = |run: &Traced, metric| {
            let benchmark = Benchmark {
                metric,
                ..Benchmark::default()
            };
            refuse_unseen_peak(run, &benchmark).is_err()
        };
        assert!(!refused(&run, Metric::PeakMemory));
        let (mut apart, mut listens) = (run.clone(), run);
        apart.reaping.namespaces = true;
        listens.listens = true;
        for run in [apart, listens] {
            assert!(refused(&run, Metric::PeakMemory));
            assert!(!refused(&run, Metric::CpuTime));
        }
    }
}
