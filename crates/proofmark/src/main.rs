//! The command: arguments → plan → do → show. No arithmetic, no parsing of formats.

mod arguments;
mod command_line;
mod commands;
mod console;
mod context;
mod exit;
mod leftover;
mod limits;
mod progress;
mod shown;

use std::process::ExitCode;

use command_line::{Arguments, Command};
use context::Context;
use exit::Exit;
use proofmark_hint::hint;

fn main() -> ExitCode {
    // A capture starts this very executable under the names of the build's tools.
    if let Some(code) = proofmark_capture::shim_main() {
        return code;
    }
    limits::hear_of_full_files();
    limits::with_room(command)
}

fn command() -> ExitCode {
    let arguments = Arguments::read();
    match run(arguments) {
        Ok(exit) => exit.into(),
        Err(error) => {
            console::complain(&error);
            Exit::of(&error).into()
        }
    }
}

fn run(arguments: Arguments) -> anyhow::Result<Exit> {
    let context = Context::new(arguments.store, arguments.color)?;
    leftover::put_back(&context.errors);
    let computes_again = matches!(arguments.command, Command::Verify(_) | Command::Replay(_));
    let exit = carried_out(arguments.command, &context)?;
    if context.folder.is_file() && !computes_again {
        let file = context.folder.to_string_lossy();
        console::say(&format!(
            "{file} is shown as it was written: {} computes it again",
            hint("verify", &[&file])
        ));
    }
    Ok(exit)
}

fn carried_out(command: Command, context: &Context) -> anyhow::Result<Exit> {
    match command {
        Command::Capture(args) => commands::capture::run(&args, context),
        Command::Builds(args) => commands::builds::run(&args, context),
        Command::Gc(args) => commands::gc::run(&args, context),
        Command::Pin(args) => commands::pin::run(&args, context),
        Command::Compare(args) => commands::compare::run(&args, context),
        Command::Null(args) => commands::null::run(&args, context),
        Command::History(args) => commands::history::run(&args, context),
        Command::Bisect(args) => commands::bisect::run(&args, context),
        Command::Attribute(args) => commands::attribute::run(&args, context),
        Command::Explain(args) => commands::explain::run(&args, context),
        Command::Sweep(args) => commands::sweep::run(&args, context),
        Command::Bundle(args) => commands::bundle::run(&args, context),
        Command::Verify(args) => commands::verify::run(&args, context),
        Command::Replay(args) => commands::replay::run(&args, context),
        Command::Report(args) => commands::report::run(&args, context),
        Command::Doctor(args) => commands::doctor::run(&args, context),
        Command::Tune(args) => commands::tune::run(&args, context),
        Command::Demo(args) => commands::demo::run(&args, context),
        Command::Ledger(args) => commands::ledger::run(&args, context),
        Command::Confirm(args) => commands::confirm::run(&args, context),
        Command::Matrix(args) => commands::matrix::run(&args, context),
        Command::Toolchains(args) => commands::toolchains::run(&args, context),
        Command::Inspect(args) => commands::inspect::run(&args, context),
        Command::Expect(args) => commands::expect::run(&args, context),
        Command::Diff(args) => commands::diff::run(&args, context),
    }
}
