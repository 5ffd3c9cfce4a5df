//! `proofmark expect`: assertions over machine code.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use proofmark_code::Pattern;
use proofmark_code::expect::{Expectations, check, learn};
use proofmark_report::code::expectations::{github, json, junit, terminal};

use crate::commands::named::CodeFile;
use crate::console;
use crate::context::Context;
use crate::exit::{Exit, Usage};

/// The file of expectations where none is named.
pub(crate) const FILE: &str = "expectations.toml";

/// Arguments of `expect`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  proofmark expect build/vm --learn --function run_loop
  proofmark expect build/vm
  proofmark expect new -f ci/expectations.toml --format github

Exits with 1 if an expectation is broken, or if none applies. docs/expectations.md describes the file.")]
pub(crate) struct ExpectArgs {
    /// An executable, library, object file or archive; or a captured build
    #[arg(value_name = "FILE|BUILD")]
    file: OsString,

    /// Which image of a captured build, if it made several
    #[arg(long, value_name = "PATH")]
    image: Option<PathBuf>,

    /// The file of expectations
    #[arg(
        short = 'f',
        long,
        value_name = "FILE",
        default_value = FILE
    )]
    expectations: PathBuf,

    /// How to print the outcome
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,

    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,

    /// Write a file of expectations that this build meets
    #[arg(long, conflicts_with_all = ["json", "format"])]
    learn: bool,

    /// With --learn: the functions to expect something of; else those that stand out
    #[arg(long, value_name = "PATTERN", requires = "learn")]
    function: Vec<String>,

    /// With --learn: replace an existing file
    #[arg(long, requires = "learn")]
    force: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Human,
    /// For programs
    Json,
    /// For CI servers that read JUnit's XML
    Junit,
    /// Annotations of a GitHub workflow
    Github,
}

pub(crate) fn run(args: &ExpectArgs, context: &Context) -> anyhow::Result<Exit> {
    let file = CodeFile::find(&args.file, args.image.as_deref(), context)?;
    if args.learn {
        return learnt(args, &file);
    }
    let expectations =
        Expectations::read(&args.expectations).map_err(|error| Usage(error.to_string()))?;
    let program = file.open()?;
    let report = check(&program, &expectations, &file.name);
    match if args.json { Format::Json } else { args.format } {
        Format::Human => console::print(&terminal(
            &expectations,
            &report,
            &file.name,
            &context.style,
        ))?,
        Format::Json => {
            console::print_json(&json(&expectations, &report, &file.name))?;
        }
        Format::Junit => console::print(&junit(&expectations, &report, &file.name)?)?,
        Format::Github => console::print(&github(&expectations, &report))?,
    }
    Ok(if report.passes() {
        Exit::Done
    } else {
        Exit::Failed
    })
}

fn learnt(args: &ExpectArgs, file: &CodeFile) -> anyhow::Result<Exit> {
    let pattern = |text: &String| Pattern::parse(text).map_err(|error| Usage(error.to_string()));
    let patterns = args
        .function
        .iter()
        .map(pattern)
        .collect::<Result<Vec<_>, _>>()?;
    let text =
        learn(&file.open()?, &patterns, &file.name).map_err(|error| Usage(error.to_string()))?;
    write(&args.expectations, &text, args.force)?;
    console::print(&format!(
        "wrote {}; raise or lower the numbers to what the project really relies on\n",
        args.expectations.display()
    ))?;
    Ok(Exit::Done)
}

/// Writes a new file; an existing one only when that is wanted.
fn write(path: &Path, text: &str, force: bool) -> anyhow::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true);
    if force {
        options.create(true).truncate(true)
    } else {
        options.create_new(true)
    };
    let mut out = match options.open(path) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            return Err(Usage(format!(
                "{} exists; --force replaces it, -f names another",
                path.display()
            ))
            .into());
        }
        opened => opened.with_context(|| format!("cannot write {}", path.display()))?,
    };
    out.write_all(text.as_bytes())
        .with_context(|| format!("cannot write {}", path.display()))
}
