//! `proofmark demo`: the main job on a real program, with nothing to prepare: is Lua 5.4 faster at
//! -O3 than at -O2?

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use clap::{Args, Parser};
use include_dir::{Dir, include_dir};
use proofmark_capture::{BuildError, Capture, CaptureRequest, capture};

use crate::commands::{compare, subject};
use crate::console;
use crate::context::Context;
use crate::exit::Exit;

/// Lua's own sources, as the crate `lua-src` carries them.
static LUA: Dir<'_> = include_dir!("$OUT_DIR/lua");

/// The interpreter, the benchmark and the build.
static DEMO: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/demo");

/// What the demo may take for measuring: building, pilot and counting come on top, and all of it
/// stays under three minutes.
const BUDGET: Duration = Duration::from_secs(90);

/// Arguments of `demo`.
#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Most time to spend on measuring
    #[arg(long, value_name = "TIME", value_parser = crate::arguments::duration)]
    budget: Option<Duration>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &DemoArgs, context: &Context) -> anyhow::Result<Exit> {
    context.catch_signals()?;
    let folder = context.folder.join("demo");
    unpack(&folder)?;
    if !args.json {
        console::print("Is Lua 5.4 faster when it is compiled with -O3 instead of -O2?\n\n")?;
    }
    let base = built("demo-O2", "-O2", &folder, context)?;
    let new = built("demo-O3", "-O3", &folder, context)?;
    let subjects = vec![
        subject::captured(&base, None)?,
        subject::captured(&new, None)?,
    ];
    let budget = humantime::format_duration(args.budget.unwrap_or(BUDGET)).to_string();
    let script = folder.join("bench.lua");
    let mut words: Vec<OsString> = ["compare", "demo-O2", "demo-O3", "--fresh", "--budget"]
        .map(OsString::from)
        .into();
    words.push(budget.replace(' ', "").into());
    if args.json {
        words.push("--json".into());
    }
    words.extend([OsString::from("--"), "{}".into(), script.into()]);
    let arguments = compare::Alone::try_parse_from(words)
        .context("the demo's own command line")?
        .compare;
    compare::compare(compare::Asked::of(subjects), &arguments, context)
}

/// Writes sources, benchmark and build script; what an earlier demo left is overwritten.
fn unpack(folder: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    for file in LUA.files().chain(DEMO.files()) {
        let path = folder.join(file.path());
        fs::write(&path, file.contents())
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// Lua at one level of optimisation, captured; from an earlier demo where there is one.
fn built(name: &str, level: &str, folder: &Path, context: &Context) -> anyhow::Result<Capture> {
    let builds = context.builds()?;
    match builds.find(name) {
        Ok(capture) => return Ok(capture),
        Err(BuildError::NoSuchBuild { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    let words: [OsString; 4] = [
        "/bin/sh".into(),
        folder.join("build.sh").into(),
        folder.into(),
        level.into(),
    ];
    let request = CaptureRequest::new(name, words.into())
        .context("cannot tell the current folder; was it removed?")?;
    let request = CaptureRequest {
        cwd: folder.to_owned(),
        ..request
    };
    Ok(capture(&builds, &request)?)
}
