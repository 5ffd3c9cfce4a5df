//! Whether an experiment can be made again by somebody who has its records alone: what stands in
//! the way, and what would be needed.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use proofmark_evidence::record::{
    Benchmark, Build, BuildOrigin, BuiltBy, Drawing, Experiment, LayoutControl, Question, Stdin,
    Vcs,
};
use proofmark_evidence::{Recorded, is_left_out};
use proofmark_terms::OsText;

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

const REVISIONS: &str = "a comparison of two revisions, `proofmark compare --rev A..B --build \
     COMMAND`, whose builds anybody can make who has the repository";

const WITH_PRIVATE: &str = "a bundle with its private parts, `proofmark bundle ID --private -o \
     FILE`";

/// All that stands in the way; nothing where the experiment can be made again.
#[must_use]
pub fn obstacles(recorded: &Recorded) -> Vec<Obstacle> {
    let experiment = &recorded.experiment;
    let mut all = of_experiment(recorded);
    for build in &experiment.builds {
        if let Some((why, needed)) = of_build(build) {
            all.push(Obstacle {
                what: build.name.clone(),
                why,
                needed,
            });
        }
    }
    let mut how = experiment.builds.iter().map(|build| &build.built_by);
    if let Some(first) = how.next()
        && all.is_empty()
        && how.any(|other| other != first)
    {
        all.push(Obstacle {
            what: "the builds".to_owned(),
            why: "they are made by different commands".to_owned(),
            needed: REVISIONS,
        });
    }
    all.extend(of_benchmark(&experiment.benchmark));
    all
}

/// What stands in the way whatever the builds are.
pub(crate) fn of_experiment(recorded: &Recorded) -> Vec<Obstacle> {
    let experiment = &recorded.experiment;
    let mut all: Vec<Obstacle> = Vec::new();
    if experiment.question != Question::Compare {
        all.push(Obstacle {
            what: "the experiment".to_owned(),
            why: match experiment.question {
                Question::Null => "it is a null test, which is about one machine".to_owned(),
                _ => "it is a step of a search".to_owned(),
            },
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

/// How the builds are made, where all are made alike and of revisions alone.
#[must_use]
pub fn built_by(experiment: &Experiment) -> Option<&BuiltBy> {
    experiment.builds.first()?.built_by.as_ref()
}

fn of_build(build: &Build) -> Option<(String, &'static str)> {
    if build.tree.is_some() {
        let why = "its runs read a folder of files that is not in the bundle";
        return Some((why.to_owned(), REVISIONS));
    }
    if matches!(build.origin, BuildOrigin::Executable { .. }) {
        let why = "it is an executable file, and nobody knows what it was made from";
        return Some((why.to_owned(), REVISIONS));
    }
    let Some(revision) = &build.revision else {
        let why = "it was captured from sources that no repository has";
        return Some((why.to_owned(), REVISIONS));
    };
    if revision.dirty || !build.patches.is_empty() {
        let why = format!(
            "it was made of commit {} and of changes that no bundle has",
            short(revision.id.as_str())
        );
        return Some((
            why,
            "these changes as a commit, and a comparison of that, `proofmark compare --rev A..B \
             --build COMMAND`",
        ));
    }
    let Some(how) = &build.built_by else {
        let why = "it was captured by hand, as a cell of a matrix, or for a search, and its records \
                   do not say how it is made of its revision alone";
        return Some((why.to_owned(), REVISIONS));
    };
    if revision.vcs == Vcs::Mercurial {
        let why = "its revision is one of Mercurial's, and those of git alone are fetched";
        return Some((why.to_owned(), "a repository of git with the same states"));
    }
    let image = how.image.as_ref();
    let texts = [Some(OsStr::new(&how.command)), Some(how.folder.as_ref())];
    let texts = texts.into_iter().flatten().chain(image.map(OsText::as_ref));
    if texts.into_iter().any(is_left_out) {
        let why = "its build command names a place or a person, and the bundle leaves that out";
        return Some((why.to_owned(), WITH_PRIVATE));
    }
    let outside =
        |folder: &&OsText| is_left_out(folder.as_ref()) || Path::new(folder.as_ref()).is_absolute();
    if how.runs_in.as_ref().filter(outside).is_some() {
        let why = "its runs work in a folder outside of the repository, which only the first \
                   machine had";
        return Some((
            why.to_owned(),
            "a benchmark that runs in a folder of the repository",
        ));
    }
    None
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

fn short(id: &str) -> &str {
    id.get(..12).unwrap_or(id)
}
