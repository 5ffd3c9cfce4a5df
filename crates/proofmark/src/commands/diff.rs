//! `proofmark diff`: what changed in the machine code.

use std::ffi::OsString;
use std::fmt::Display;
use std::path::{Path, PathBuf};

use clap::Args;
use proofmark_code::comparison::{Changes, differences};
use proofmark_code::diff::aligned;
use proofmark_code::diff::hot::{HOT, HotSet};
use proofmark_code::{Pattern, Sources};
use proofmark_report::code::difference::{self, Compared};

use crate::commands::named::{self, CodeFile};
use crate::console;
use crate::context::Context;
use crate::exit::{Exit, Usage};

/// Arguments of `diff`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  proofmark diff base new
  proofmark diff old/lua new/lua --summary --hot callgrind.out.1234
  proofmark diff base new --function luaV_execute --disassemble

The profile for --hot: what `perf script` prints, a callgrind.out file, or lines of `share name`, such as `12.5% luaV_execute`.")]
pub(crate) struct DiffArgs {
    /// The base: an executable, library, object file or archive; or a captured build
    #[arg(value_name = "BASE")]
    base: OsString,

    /// What it is compared with
    #[arg(value_name = "NEW")]
    new: OsString,

    /// Which image of the captured builds, if they made several
    #[arg(long, value_name = "PATH")]
    image: Option<PathBuf>,

    /// Print one line, as for a pull request
    #[arg(long, conflicts_with_all = ["json", "disassemble"])]
    summary: bool,

    /// A profile that says which functions are hot
    #[arg(long, value_name = "FILE")]
    hot: Option<PathBuf>,

    /// Show so many functions of each sort
    #[arg(long, value_name = "N", default_value_t = 30)]
    top: usize,

    /// Show all functions
    #[arg(long, conflicts_with = "top")]
    all: bool,

    /// Show the disassembly of changed functions, aligned
    #[arg(short, long, conflicts_with = "json")]
    disassemble: bool,

    /// With --disassemble: only of these functions
    #[arg(short, long, value_name = "PATTERN", requires = "disassemble")]
    function: Option<String>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &DiffArgs, context: &Context) -> anyhow::Result<Exit> {
    let hot = args.hot.as_deref().map(profile).transpose()?;
    let names = [args.base.as_os_str(), args.new.as_os_str()];
    let images = named::images(&names, args.image.as_deref(), context)?;
    let image = |at: usize| images.get(at).and_then(Option::as_deref);
    let base = CodeFile::find(&args.base, image(0), context)?.open()?;
    let new = CodeFile::find(&args.new, image(1), context)?.open()?;
    let compared = differences(&base, &new);
    let changes = Changes::of(&compared, hot.as_ref());
    if let (Some(path), Some(hot), None) = (&args.hot, &hot, changes.covered) {
        return Err(Usage(format!("{}: {}", path.display(), hot.foreign())).into());
    }
    let most = if args.all { usize::MAX } else { args.top };
    if args.json {
        console::print_json(&difference::json(&compared, &changes, hot.as_ref()))?;
    } else if args.summary {
        console::print(&difference::summary(&changes))?;
    } else if args.disassemble {
        console::print(&listings(args, &compared, most, context)?)?;
    } else {
        console::print(&difference::terminal(
            &compared,
            &changes,
            hot.as_ref(),
            most,
            &context.style,
        ))?;
    }
    Ok(Exit::Done)
}

fn profile(path: &Path) -> anyhow::Result<HotSet> {
    let wrong = |error: &dyn Display| Usage(format!("{}: {error}", path.display()));
    let bytes = std::fs::read(path).map_err(|error| wrong(&format!("cannot be read: {error}")))?;
    Ok(HotSet::parse(&bytes, HOT).map_err(|error| wrong(&error))?)
}

fn listings(
    args: &DiffArgs,
    compared: &[Compared<'_>],
    most: usize,
    context: &Context,
) -> anyhow::Result<String> {
    let pattern = args
        .function
        .as_deref()
        .map(Pattern::parse)
        .transpose()
        .map_err(|error| Usage(error.to_string()))?;
    let mut texts = Vec::new();
    for (base, new, changes) in compared {
        let (Some(base), Some(new)) = (base, new) else {
            continue;
        };
        let sources = (Sources::open(base), Sources::open(new));
        let wanted = |index: usize| {
            pattern
                .as_ref()
                .is_none_or(|p| p.matches(&new.functions()[index]))
        };
        for pair in changes.changed.iter().filter(|p| wanted(p.new)).take(most) {
            let rows = aligned(base, new, *pair, (sources.0.as_ref(), sources.1.as_ref()));
            texts.push(difference::listing(base, new, *pair, &rows, &context.style));
        }
    }
    if texts.is_empty() {
        texts.push("no function of that name changed\n".to_owned());
    }
    Ok(texts.join("\n"))
}
