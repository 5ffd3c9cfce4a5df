//! What it takes to make an experiment again for somebody who has its records alone: what stands in
//! the way whatever its builds are, its benchmark in another folder, and the files that runs read.
//! `with_builds` knows what stands in the way of builds, and `with_images` of their images.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use proofmark_evidence::record::{
    Benchmark, BuiltBy, Drawing, Experiment, LayoutControl, Question, Stdin,
};
use proofmark_evidence::{Recorded, is_left_out};
use proofmark_terms::{BuildIndex, OsText};

/// Why something of an experiment cannot be made again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// What it is about: a build by its name, or the benchmark.
    pub what: String,
    /// Why it cannot be made again.
    pub why: String,
    /// What it would take.
    pub needed: &'static str,
}

/// Paths that every machine has, as far as a benchmark may name them.
const EVERYWHERE: &[&str] = &["/bin", "/dev", "/lib", "/lib64", "/sbin", "/tmp", "/usr"];

pub(crate) const REVISIONS: &str = "a comparison of two revisions, `proofmark compare --rev A..B \
     --build COMMAND`, whose builds anybody can make who has the repository";

pub(crate) const WITH_PRIVATE: &str = "a bundle with its private parts, `proofmark bundle ID \
     --private -o FILE`";

/// What stands in the way whatever the builds are.
pub(crate) fn of_experiment(recorded: &Recorded) -> Vec<Obstacle> {
    let experiment = &recorded.experiment;
    let mut all: Vec<Obstacle> = Vec::new();
    if experiment.question == Question::Null {
        all.push(Obstacle {
            what: "the experiment".to_owned(),
            why: "it is a null test, which is about one machine".to_owned(),
            needed: REVISIONS,
        });
    }
    if recorded.conclusion.is_none() {
        all.push(Obstacle {
            what: "the experiment".to_owned(),
            why: "it has no conclusion that another machine could agree with".to_owned(),
            needed: "the same command once more where it was measured, which goes on with it",
        });
    }
    all
}

/// How the base is made of its revision. Builds of revisions alone are all made alike; cells of a
/// project have a command, a compiler and flags of their own.
#[must_use]
pub fn built_by(experiment: &Experiment) -> Option<&BuiltBy> {
    experiment.builds.first()?.built_by.as_ref()
}

/// The experiment with those builds alone that took part to the end: one that fails in a matrix
/// leaves it.
#[must_use]
pub fn to_the_end(recorded: &Recorded) -> Experiment {
    let out = |index: BuildIndex| recorded.exclusions.iter().any(|out| out.build == index);
    let experiment = &recorded.experiment;
    let builds = BuildIndex::each(&experiment.builds).filter(|(index, _)| !out(*index));
    Experiment {
        builds: builds.map(|(_, build)| build.clone()).collect(),
        ..experiment.clone()
    }
}

pub(crate) fn of_benchmark(benchmark: &Benchmark) -> Vec<Obstacle> {
    let mut all = Vec::new();
    let mut add = |what: &str, why: String, needed| {
        all.push(Obstacle {
            what: what.to_owned(),
            why,
            needed,
        });
    };
    let shell = [
        ("--setup", &benchmark.setup),
        ("--prepare", &benchmark.prepare),
        ("--output-filter", &benchmark.output_filter),
    ];
    let shell = shell.into_iter().filter_map(|(what, text)| {
        let text = text.as_ref()?;
        Some((what.to_owned(), OsStr::new(text).to_owned()))
    });
    let words = benchmark.argv.iter();
    let words = words.map(|word| ("the command".to_owned(), word.as_ref().to_owned()));
    let variables = benchmark.env.iter().map(|(name, value)| {
        let name = format!("the variable {}", name.display());
        (name, value.as_ref().to_owned())
    });
    for (what, text) in words.chain(shell).chain(variables) {
        if is_left_out(&text) {
            add(
                &what,
                "it names a place or a person, or has a value, that the bundle leaves out"
                    .to_owned(),
                WITH_PRIVATE,
            );
        } else if let Some(path) = elsewhere(&text, benchmark) {
            add(
                &what,
                format!(
                    "it names {}, which only the first machine had",
                    path.display()
                ),
                "a benchmark that names its files from the folder of the repository in which it \
                 runs",
            );
        }
    }
    if let Stdin::File(file) = &benchmark.stdin {
        if is_left_out(file.as_ref()) {
            let why = "the bundle leaves out which file its runs read there";
            add("standard input", why.to_owned(), WITH_PRIVATE);
        } else if in_folder(file.as_ref(), benchmark).is_none() {
            let why = format!(
                "runs read {}, which only the first machine had",
                file.display()
            );
            add(
                "standard input",
                why,
                "a file of the repository, in the folder in which the benchmark runs",
            );
        }
    }
    all
}

/// An absolute path in a word that another machine cannot be expected to have.
fn elsewhere(text: &OsStr, benchmark: &Benchmark) -> Option<PathBuf> {
    let bytes = text.as_bytes();
    let value = bytes.iter().position(|&byte| byte == b'=');
    let value = value.map_or(bytes, |at| bytes.get(at + 1..).unwrap_or_default());
    let path = Path::new(OsStr::from_bytes(value));
    let known = EVERYWHERE.iter().any(|folder| path.starts_with(folder));
    let unknown = path.is_absolute() && !known && path != Path::new("/");
    (unknown && in_folder(path.as_os_str(), benchmark).is_none()).then(|| path.to_owned())
}

/// A path relative to the folder in which the benchmark ran, where it lies in that.
fn in_folder(path: &OsStr, benchmark: &Benchmark) -> Option<PathBuf> {
    let inside = Path::new(path).strip_prefix(Path::new(benchmark.cwd.as_ref()));
    inside.ok().map(Path::to_owned)
}

/// The benchmark for runs in another folder: a path in the old one is the same in the new one.
#[must_use]
pub fn benchmark_in(benchmark: &Benchmark, cwd: &Path) -> Benchmark {
    let moved = |text: &OsText| -> OsText {
        match in_folder(text.as_ref(), benchmark) {
            Some(inside) => cwd.join(inside).into(),
            None => text.clone(),
        }
    };
    Benchmark {
        argv: benchmark.argv.iter().map(moved).collect(),
        cwd: cwd.to_owned().into(),
        stdin: match &benchmark.stdin {
            Stdin::Null => Stdin::Null,
            Stdin::File(file) => Stdin::File(moved(file)),
        },
        ..benchmark.clone()
    }
}

/// How placement is varied when an experiment is made again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrawnAgain {
    /// As it was not said how: matched where the builds share nearly all of their code.
    Auto,
    /// As matched, and functions that differ start at any even address.
    Jittered,
    /// As jittered, and the code within functions that differ has other padding.
    Inside,
    /// Each on its own.
    Independent,
    /// Not at all.
    AsShipped,
}

impl DrawnAgain {
    /// As it was done.
    #[must_use]
    pub fn of(layouts: &LayoutControl) -> Self {
        match layouts {
            LayoutControl::AsShipped { .. } => DrawnAgain::AsShipped,
            LayoutControl::Drawn { how, .. } => match how {
                Drawing::Matched => DrawnAgain::Auto,
                Drawing::Jittered => DrawnAgain::Jittered,
                Drawing::Inside => DrawnAgain::Inside,
                Drawing::Independent { .. } => DrawnAgain::Independent,
            },
        }
    }
}

/// A file that the command names, as it is where it is to be run again, held against what the
/// first runs read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileAgain {
    /// It is not there, and was read.
    Missing(PathBuf),
    /// It is there, and its content is none that was read.
    Differs(PathBuf),
}

/// Files that runs will read otherwise than the first ones did: those that the command names, and,
/// where the records say which they were, all that lay in the folder in which the first runs ran.
/// `hash` tells the digest of a file in the new folder; none where there is no file.
pub fn files_otherwise(
    experiment: &Experiment,
    hash: &mut dyn FnMut(&Path) -> Option<String>,
) -> Vec<FileAgain> {
    let (inputs, benchmark) = (&experiment.inputs, &experiment.benchmark);
    let mut all = Vec::new();
    for input in &inputs.fixed {
        if is_left_out(input.path.as_ref()) {
            continue;
        }
        let Some(inside) = in_folder(input.path.as_ref(), benchmark) else {
            continue;
        };
        match hash(&inside) {
            Some(now) if now == input.hash.as_str() => {}
            // A folder is known by the names in it, and is not looked at here.
            Some(now) if now.is_empty() => {}
            Some(_) => all.push(FileAgain::Differs(inside)),
            // Its own commands may make it.
            None if benchmark.setup.is_some() || benchmark.prepare.is_some() => {}
            None => all.push(FileAgain::Missing(inside)),
        }
    }
    if inputs.only_named.is_some() && inputs.fixed.is_empty() {
        return all;
    }
    for word in &benchmark.argv {
        let bytes = word.as_ref().as_bytes();
        let value = bytes.iter().position(|&byte| byte == b'=');
        for name in [Some(bytes), value.and_then(|at| bytes.get(at + 1..))] {
            let name = Path::new(OsStr::from_bytes(name.unwrap_or_default()));
            let plain = name.is_relative() && !name.as_os_str().is_empty();
            let Some(now) = plain.then(|| hash(name)).flatten() else {
                continue;
            };
            let known = inputs.fixed.iter().any(|input| input.hash.as_str() == now);
            let differs = FileAgain::Differs(name.to_owned());
            if !known && !now.is_empty() && !all.contains(&differs) {
                all.push(differs);
            }
        }
    }
    all
}
