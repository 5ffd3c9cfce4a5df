//! `proofmark compare`: the main job.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap::Args;
use proofmark_code::expect::Expectations;
use proofmark_evidence::record::Question;
use proofmark_lab::{Request, Subject};

use crate::arguments::{ExperimentArgs, GateArgs, RepeatArg};
use crate::commands::labels::{self, Typed};
use crate::commands::{equal, expect, gates, named, report, revisions, subject, trees, unread};
use crate::context::Context;
use crate::exit::{Exit, Usage};

/// Arguments of `compare`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  proofmark compare base new -- {} fib.lua 30
  proofmark compare old=../before/lua new=./lua -- {} fib.lua 30
  proofmark compare --rev main..HEAD --build make --image lua -- {} fib.lua 30
  proofmark compare /opt/app-1.0 /opt/app-1.1 -- {}/bin/app input.txt
  proofmark compare --tree lib.old --tree lib.new -- python3 {}/bench.py
  proofmark compare base new --require no-slower:1% -- {} fib.lua 30")]
pub(crate) struct CompareArgs {
    /// The baseline, then the builds to compare with it. Each is a captured build, an executable
    /// file, a cell of the matrix or a folder with the program in it; LABEL=BUILD calls it LABEL
    #[arg(value_name = "BUILD", required_unless_present_any = ["rev", "trees"])]
    pub(crate) builds: Vec<OsString>,

    /// Compare two revisions of git or Mercurial, A..B. A.. means A..HEAD, A...B compares B with
    /// the commit that both come from, and WORK is the work tree
    #[arg(
        long,
        value_name = "A..B",
        requires = "build",
        conflicts_with = "builds"
    )]
    pub(crate) rev: Option<String>,

    /// Shell command that builds a revision in a clean copy of the repository
    #[arg(long, value_name = "COMMAND", requires = "rev")]
    pub(crate) build: Option<String>,

    #[command(flatten)]
    pub(crate) trees: trees::TreeArgs,

    #[command(flatten)]
    pub(crate) repeat: RepeatArg,

    /// Measure even if the builds have the same bytes, or differ in debug information only
    #[arg(long)]
    pub(crate) measure_equal: bool,

    #[command(flatten)]
    pub(crate) experiment: ExperimentArgs,

    /// What the machine code is expected to be [default: expectations.toml, where there is one]
    #[arg(long, value_name = "FILE")]
    pub(crate) expectations: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) gates: GateArgs,
}

pub(crate) fn run(args: &CompareArgs, context: &Context) -> anyhow::Result<Exit> {
    context.catch_signals()?;
    unread::say_input(&args.experiment.benchmark);
    let asked = match (&args.rev, &args.build) {
        (Some(range), Some(build)) => {
            subject::check_command(&args.experiment.benchmark)?;
            let runs_in = args.experiment.benchmark.working_folder()?;
            let image = args.experiment.benchmark.image.as_deref();
            Asked::of(revisions::subjects(
                range,
                build,
                image,
                (args.repeat, &runs_in),
                context,
            )?)
        }
        _ if args.repeat.is_asked() => {
            let what = "--repeat says how often a revision of --rev is built; a captured \
                        build takes it when it is captured";
            return Err(Usage(what.to_owned()).into());
        }
        _ => of_words(args, context)?,
    };
    compare(asked, args, context)
}

/// What is compared.
pub(crate) struct Asked {
    /// The builds.
    subjects: Vec<Subject>,
    /// Of folders: the path at which runs see their own, which is what the mark in the command
    /// stands for.
    folders_at: Option<PathBuf>,
}

impl Asked {
    /// Builds that are no folders.
    pub(crate) fn of(subjects: Vec<Subject>) -> Self {
        Asked {
            subjects,
            folders_at: None,
        }
    }
}

/// Compares subjects that are at hand.
pub(crate) fn compare(asked: Asked, args: &CompareArgs, context: &Context) -> anyhow::Result<Exit> {
    let Asked {
        mut subjects,
        folders_at,
    } = asked;
    // Revisions may be called the same too: HEAD..HEAD.
    labels::number(&mut subjects);
    // A gate asks for more than that files look alike.
    let gated = args.gates.all().next().is_some();
    if !args.measure_equal
        && (!gated || equal::are_certain(&subjects))
        && equal::answered(&subjects, args.experiment.output.format())?
    {
        return Ok(gates::judge_equals(&args.gates));
    }
    let subjects = proofmark_lab::cut_alike(subjects);
    let mut request = Request {
        expectations: expectations(args.expectations.as_deref())?,
        ..args.experiment.request(Question::Compare, subjects)?
    };
    let better = proofmark_conclude::better(&request.benchmark.metric);
    let ratios = args.gates.all().flat_map(|gate| gate.ratios(better));
    request.design.asked = ratios.collect();
    if let Some(at) = folders_at {
        request.benchmark = trees::in_place(request.benchmark, &at);
    }
    let (store, id) = context
        .measure(|laboratory, progress| proofmark_lab::compare(laboratory, request, progress))?;
    let recorded = store.load(&id.to_string())?;
    report::show(&recorded, &args.experiment.output, context)?;
    Ok(gates::judge(&recorded, &args.gates))
}

/// The builds, or the folders, named on the command line.
fn of_words(args: &CompareArgs, context: &Context) -> anyhow::Result<Asked> {
    if args.builds.len() < 2 && !args.trees.is_given() {
        return Err(too_few().into());
    }
    let typed = typed(&args.builds);
    let command = &args.experiment.benchmark.command;
    if let Some(subjects) = trees::folders(&typed, &args.trees, command, context)? {
        let tree = subjects.first().and_then(|subject| subject.tree.as_ref());
        return Ok(Asked {
            folders_at: tree.map(|tree| tree.at().to_owned()),
            subjects,
        });
    }
    subject::check_command(&args.experiment.benchmark)?;
    let image = args.experiment.benchmark.image.as_deref();
    let subjects = found(&typed, image, context)?;
    Ok(Asked::of(trees::given(&args.trees, subjects, context)?))
}

/// The builds that these words of a command line name, two or more.
pub(crate) fn of_builds(
    builds: &[OsString],
    image: Option<&Path>,
    context: &Context,
) -> anyhow::Result<Vec<Subject>> {
    if builds.len() < 2 {
        return Err(too_few().into());
    }
    found(&typed(builds), image, context)
}

fn too_few() -> Usage {
    Usage(
        "a comparison takes at least two builds, the baseline first; `proofmark null BUILD -- {} ARGS…` compares a build with itself"
            .to_owned(),
    )
}

fn typed(builds: &[OsString]) -> Vec<Typed> {
    let exists = |word: &OsStr| Path::new(word).exists();
    let words = builds.iter();
    words.map(|word| Typed::read(word, exists)).collect()
}

fn found(typed: &[Typed], image: Option<&Path>, context: &Context) -> anyhow::Result<Vec<Subject>> {
    let names: Vec<&OsStr> = typed.iter().map(|typed| typed.what.as_os_str()).collect();
    let images = named::images(&names, image, context)?;
    let mut subjects = names
        .into_iter()
        .zip(images)
        .map(|(name, image)| subject::find(name, image.as_deref(), context))
        .collect::<anyhow::Result<Vec<Subject>>>()?;
    labels::name(typed, &mut subjects)?;
    Ok(subjects)
}

/// The project's expectations on machine code: the file that was named, or the one that `expect`
/// would read.
fn expectations(named: Option<&Path>) -> Result<Option<Expectations>, Usage> {
    let path = named.unwrap_or(Path::new(expect::FILE));
    if named.is_none() && !path.exists() {
        return Ok(None);
    }
    let read = Expectations::read(path).map_err(|error| Usage(error.to_string()))?;
    Ok(Some(read))
}

/// `compare` as a command line of its own, for commands that are a comparison with everything
/// filled in.
#[derive(Debug, clap::Parser)]
#[command(name = "compare")]
pub(crate) struct Alone {
    #[command(flatten)]
    pub(crate) compare: CompareArgs,
}
