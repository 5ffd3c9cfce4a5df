//! `proofmark capture`: a build run unchanged, and kept so that it can be linked again.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use proofmark_capture::{CaptureRequest, Compile};
use proofmark_report::builds;

use crate::console;
use crate::context::Context;
use crate::exit::Exit;
use crate::shown;

/// Arguments of `capture`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  proofmark capture base -- make -j2
  proofmark capture new --image src/lua -- make -C src linux
  proofmark capture pgo --repeat 3 -- sh -c 'make clean && make pgo'")]
pub(crate) struct CaptureArgs {
    /// What to call the build; a captured build of that name is replaced
    #[arg(value_name = "NAME")]
    name: String,

    /// The executable or library that benchmarks will run, if the build makes several
    #[arg(long, value_name = "PATH")]
    image: Option<PathBuf>,

    /// A file, or a folder of files, that the build writes away from its image and that belongs to
    /// it: each build sees its own there when it runs (may be given several times)
    #[arg(long, value_name = "PATH")]
    with: Vec<PathBuf>,

    /// Run the build K times and keep every result: for builds that come out different each time,
    /// such as those with a profile
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100))]
    repeat: u32,

    /// How to get the function sections that layouts need: `twice` compiles each object a second
    /// time and leaves the build as it is, `once` adds them to the build
    #[arg(long, value_name = "HOW", value_enum, default_value_t = How::Twice)]
    compile: How,

    /// With --compile once: build again without function sections, to have the exact image that the
    /// build makes by itself
    #[arg(long)]
    pristine: bool,

    /// Keep the build even if it linked objects that proofmark did not see being compiled
    #[arg(long)]
    allow_unseen: bool,

    /// Print what was captured as JSON
    #[arg(long)]
    json: bool,

    /// The build
    #[arg(last = true, required = true, value_name = "BUILD", num_args = 1..)]
    command: Vec<OsString>,
}

/// How code gets function sections.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum How {
    Twice,
    Once,
}

impl From<How> for Compile {
    fn from(how: How) -> Compile {
        match how {
            How::Twice => Compile::Twice,
            How::Once => Compile::Once,
        }
    }
}

pub(crate) fn run(args: &CaptureArgs, context: &Context) -> anyhow::Result<Exit> {
    context.refuse_store_around(None)?;
    let builds = context.builds()?;
    let request = CaptureRequest::new(&args.name, args.command.clone())
        .context("cannot tell the current folder; was it removed?")?;
    let request = CaptureRequest {
        image: args.image.clone(),
        with: args.with.clone(),
        repeat: args.repeat,
        compile: args.compile.into(),
        pristine: args.pristine,
        allow_unseen: args.allow_unseen,
        ..request
    };
    let capture = proofmark_capture::capture(&builds, &request)?;
    let build = shown::builds::build(&capture);
    if args.json {
        console::print_json(&builds::one(&build))?;
    } else {
        console::print(&format!("{}\n", builds::shown(&build)))?;
    }
    Ok(Exit::Done)
}
