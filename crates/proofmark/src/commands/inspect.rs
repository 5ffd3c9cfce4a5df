//! `proofmark inspect`: facts of machine code.

use std::ffi::OsString;
use std::mem::ManuallyDrop;
use std::path::PathBuf;

use clap::Args;
use proofmark_code::listing::listing;
use proofmark_code::{Fact, FunctionFacts, Pattern, Program, Sources, near, sort, survey};
use proofmark_report::code::functions::{self, InFull};

use crate::commands::named::CodeFile;
use crate::console;
use crate::context::Context;
use crate::exit::{Exit, Usage};

/// More functions than this are never shown in full at once.
const IN_FULL: usize = 50;

/// Arguments of `inspect`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  proofmark inspect /usr/bin/python3 --sort indirect_jumps
  proofmark inspect base --function luaV_execute --disassemble
  proofmark inspect libfoo.a --function 'parse_*' --json

docs/facts.md says what each fact counts.")]
pub(crate) struct InspectArgs {
    /// An executable, library, object file or archive; or a captured build
    #[arg(value_name = "FILE|BUILD")]
    file: OsString,

    /// Which image of a captured build, if it made several
    #[arg(long, value_name = "PATH")]
    image: Option<PathBuf>,

    /// Only these functions: a name, a name with * and ?, or a /regular expression/; one name is
    /// shown in full
    #[arg(short, long, value_name = "PATTERN")]
    function: Vec<String>,

    /// Put the functions with most of this first
    #[arg(long, value_name = "FACT", default_value = "bytes", value_parser = fact, hide_possible_values = true)]
    sort: Fact,

    /// Show so many functions
    #[arg(long, value_name = "N", default_value_t = 40)]
    top: usize,

    /// Show all functions
    #[arg(long, conflicts_with = "top")]
    all: bool,

    /// Show the disassembly, with what crosses cache lines and where it came from in the source
    #[arg(short, long, requires = "function")]
    disassemble: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A fact by its name.
pub(crate) fn fact(name: &str) -> Result<Fact, String> {
    let all = || {
        Fact::ALL
            .iter()
            .map(|f| f.name())
            .collect::<Vec<_>>()
            .join(", ")
    };
    Fact::named(name).ok_or_else(|| format!("no such fact; there are {}", all()))
}

pub(crate) fn run(args: &InspectArgs, context: &Context) -> anyhow::Result<Exit> {
    let patterns = patterns(&args.function)?;
    let program = CodeFile::find(&args.file, args.image.as_deref(), context)?.open()?;
    // The command ends when it has shown it: to give back tens of thousands of functions one by one
    // would take as long as to count one.
    let program = ManuallyDrop::new(program);
    let mut rows = survey(&program, &patterns);
    if rows.is_empty() && !patterns.is_empty() {
        return Err(no_match(&program, &args.function).into());
    }
    sort(&mut rows, args.sort);
    let in_full =
        args.disassemble || (!patterns.is_empty() && patterns.iter().all(Pattern::is_exact));
    if in_full {
        return full(args, &program, rows, context);
    }
    if args.json {
        console::print_json(&functions::json(&program, &rows))?;
    } else {
        let most = if args.all { usize::MAX } else { args.top };
        console::print(&functions::terminal(
            &program,
            &rows,
            args.sort,
            most,
            &context.style,
        ))?;
    }
    Ok(Exit::Done)
}

fn patterns(texts: &[String]) -> Result<Vec<Pattern>, Usage> {
    texts
        .iter()
        .map(|text| Pattern::parse(text).map_err(|error| Usage(error.to_string())))
        .collect()
}

fn full(
    args: &InspectArgs,
    program: &Program,
    mut rows: Vec<FunctionFacts<'_>>,
    context: &Context,
) -> anyhow::Result<Exit> {
    if rows.len() > IN_FULL {
        let text = format!(
            "{} functions match: too many to show in full; name fewer, or leave --disassemble out",
            rows.len()
        );
        return Err(Usage(text).into());
    }
    rows.sort_by_key(|row| row.function().is_piece());
    let mut shown = Vec::new();
    let mut sources: Option<(*const proofmark_code::Image, Option<Sources>)> = None;
    for row in rows {
        let image: *const proofmark_code::Image = row.image;
        if sources.as_ref().is_none_or(|s| s.0 != image) {
            sources = Some((image, Sources::open(row.image)));
        }
        let debug = sources.as_ref().and_then(|s| s.1.as_ref());
        let source = debug.and_then(|s| s.line(row.function().address()));
        let lines = args
            .disassemble
            .then(|| listing(row.image, row.index, debug));
        shown.push(InFull {
            row,
            source,
            listing: lines,
        });
    }
    if args.json {
        console::print_json(&functions::in_full_json(program, &shown))?;
        return Ok(Exit::Done);
    }
    let texts: Vec<String> = shown
        .iter()
        .map(|shown| functions::in_full(shown, &context.style))
        .collect();
    console::print(&texts.join("\n"))?;
    Ok(Exit::Done)
}

fn no_match(program: &Program, texts: &[String]) -> Usage {
    let like = |text: &String| {
        program
            .images()
            .iter()
            .flat_map(|i| near(i, text, 5))
            .collect::<Vec<_>>()
    };
    let mut names: Vec<String> = texts.iter().flat_map(like).collect();
    names.truncate(5);
    let hint = if names.is_empty() {
        String::new()
    } else {
        format!("; there is {}", names.join(", "))
    };
    Usage(format!("no function matches {}{hint}", texts.join(" or ")))
}
