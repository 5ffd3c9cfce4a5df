//! `proofmark compare`: the main job.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap::Args;
use proofmark_code::expect::Expectations;
use proofmark_evidence::record::Question;
use proofmark_lab::{Request, Subject};

use crate::arguments::{ExperimentArgs, GateArgs, RepeatArg};
use crate::commands::labels::{self, Typed};
use crate::commands::{equal, expect, gates, named, report, revisions, subject, unread};
use crate::context::Context;
use crate::exit::{Exit, Usage};

/// Arguments of `compare`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  proofmark compare base new -- {} fib.lua 30
  proofmark compare old=../before/lua new=./lua -- {} fib.lua 30
  proofmark compare --rev main..HEAD --build make --image lua -- {} fib.lua 30
  proofmark compare base new --require no-slower:1% -- {} fib.lua 30")]
pub(crate) struct CompareArgs {
    /// The baseline, then the builds to compare with it. Each is a captured build, an executable
    /// file or a cell of the matrix; LABEL=BUILD calls it LABEL
    #[arg(value_name = "BUILD", required_unless_present = "rev")]
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
    subject::check_command(&args.experiment.benchmark)?;
    unread::say_input(&args.experiment.benchmark);
    let subjects = match (&args.rev, &args.build) {
        (Some(range), Some(build)) => revisions::subjects(
            range,
            build,
            args.experiment.benchmark.image.as_deref(),
            args.repeat,
            context,
        )?,
        _ if args.repeat.is_asked() => {
            let what = "--repeat says how often a revision of --rev is built; a captured \
                        build takes it when it is captured";
            return Err(Usage(what.to_owned()).into());
        }
        _ => of_words(args, context)?,
    };
    compare(subjects, args, context)
}

/// Compares subjects that are at hand.
pub(crate) fn compare(
    mut subjects: Vec<Subject>,
    args: &CompareArgs,
    context: &Context,
) -> anyhow::Result<Exit> {
    // Revisions may be called the same too: HEAD..HEAD.
    labels::number(&mut subjects);
    if !args.measure_equal && equal::answered(&subjects, args.experiment.output.format())? {
        return Ok(gates::judge_equals(&args.gates));
    }
    let subjects = proofmark_lab::cut_alike(subjects);
    let request = Request {
        expectations: expectations(args.expectations.as_deref())?,
        ..args.experiment.request(Question::Compare, subjects)?
    };
    let (store, id) = context
        .measure(|laboratory, progress| proofmark_lab::run(laboratory, &request, progress))?;
    let recorded = store.load(&id.to_string())?;
    report::show(&recorded, &args.experiment.output, context)?;
    Ok(gates::judge(&recorded, &args.gates))
}

/// The builds named on the command line.
fn of_words(args: &CompareArgs, context: &Context) -> anyhow::Result<Vec<Subject>> {
    if args.builds.len() < 2 {
        return Err(Usage(
            "a comparison takes at least two builds, the baseline first; `proofmark null BUILD -- {} ARGS…` compares a build with itself"
                .to_owned(),
        )
        .into());
    }
    let exists = |word: &OsStr| Path::new(word).exists();
    let typed: Vec<Typed> = args
        .builds
        .iter()
        .map(|word| Typed::read(word, exists))
        .collect();
    let names: Vec<&OsStr> = typed.iter().map(|typed| typed.what.as_os_str()).collect();
    let images = named::images(&names, args.experiment.benchmark.image.as_deref(), context)?;
    let mut subjects = names
        .into_iter()
        .zip(images)
        .map(|(name, image)| subject::find(name, image.as_deref(), context))
        .collect::<anyhow::Result<Vec<Subject>>>()?;
    labels::name(&typed, &mut subjects)?;
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
