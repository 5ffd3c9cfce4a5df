//! `proofmark tune`: the machine made ready for measuring, and put back.

mod child;
pub(crate) mod company;

use std::collections::BTreeSet;
use std::ffi::OsString;

use clap::Args;
use clap::builder::PossibleValuesParser;
use clap::builder::TypedValueParser as _;
use proofmark_hint::quoted;
use proofmark_report::tune::{self as views, DoneWord, Tuning};
use proofmark_tune::{
    Disk, Item, Lasting, Plan, Surroundings, Tuned, Tuner, Undone, Wanted, cores_in_use, name_of,
};

use crate::console;
use crate::context::Context;
use crate::exit::{Exit, Usage};
use crate::shown::tune as shown;

/// Arguments of `tune`.
#[derive(Debug, Args)]
#[command(after_help = "\
Without a command the machine stays tuned until `proofmark tune --undo`, or until it is restarted.
With one, everything is put back when the command ends, whatever ends it. It runs as root, as with
any command under sudo; `sudo -u YOU` in front of it runs it as yourself.

Examples:
  proofmark tune --dry-run
  sudo proofmark tune
  sudo proofmark tune --undo
  sudo proofmark tune --without turbo -- sudo -u YOU proofmark compare base new -- {} input")]
pub(crate) struct TuneArgs {
    /// Say what would be set, and what that is worth; set nothing
    #[arg(long)]
    dry_run: bool,

    /// Put back what `tune` without a command has set
    #[arg(long, conflicts_with_all = ["dry_run", "core", "only", "without", "aslr_off", "command"])]
    undo: bool,

    /// The core that will be measured on [default: the idlest, which the commands that measure then
    /// take too]
    #[arg(long, value_name = "N")]
    core: Option<u32>,

    /// Set these and nothing else
    #[arg(long, value_name = "ITEM,…", value_delimiter = ',', value_parser = items())]
    only: Vec<Item>,

    /// Leave these as they are
    #[arg(long, value_name = "ITEM,…", value_delimiter = ',', value_parser = items())]
    without: Vec<Item>,

    /// Switch the randomisation of addresses off as well. proofmark measures better with it on
    #[arg(long)]
    aslr_off: bool,

    /// Do not ask where others use the machine
    #[arg(long)]
    yes: bool,

    /// Print JSON; with a command, only together with --dry-run
    #[arg(long)]
    json: bool,

    /// What to run on the tuned machine
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

fn items() -> impl clap::builder::TypedValueParser<Value = Item> {
    let names = PossibleValuesParser::new(Item::ALL.map(Item::name));
    names.try_map(|name| Item::of_name(&name).ok_or("is no item"))
}

pub(crate) fn run(args: &TuneArgs, context: &Context) -> anyhow::Result<Exit> {
    if args.json && !args.command.is_empty() && !args.dry_run {
        return Err(Usage(
            "standard output is the command's: --json goes with it only together with --dry-run"
                .to_owned(),
        )
        .into());
    }
    let disk = Disk::of_this_machine();
    if args.undo {
        return undo(args, &disk, context);
    }
    let core = core(args, &disk)?;
    let plan = Plan::of(&disk, &args.wanted(core));
    let company = company::look(&disk);
    let mut tuning = Tuning {
        done: DoneWord::Looked,
        core: plan.core,
        remarks: shown::remarks(&Surroundings::of(&disk), &company),
        items: plan.findings.iter().map(shown::item).collect(),
        failed: Vec::new(),
        undone: None,
        as_root: as_root(&disk).filter(|_| !plan.is_empty()),
    };
    if args.dry_run {
        show(&tuning, args, context)?;
        return Ok(Exit::Done);
    }
    if tuning.as_root.is_some() {
        show(&tuning, args, context)?;
        return Ok(Exit::Machine);
    }
    let told = views::terminal(&tuning, &context.errors);
    if plan.is_empty() && args.command.is_empty() {
        return nothing(&tuning, &told, args);
    }
    // What would be set is no matter where it is refused.
    let tuner = Tuner::open(&disk, &typed(std::env::args_os()))?;
    tuner.not_tuned()?;
    if !args.json {
        console::say(told.trim_end());
    }
    company::agreed(&company, args.yes)?;
    if !args.command.is_empty() {
        return with_command(args, &tuner, &plan, context);
    }
    context.catch_signals()?;
    let tuned = tuner.tune(&plan, Lasting::UntilUndone { made: false })?;
    if context.stop.requested() {
        tuned.end()?;
        return Ok(Exit::Interrupted);
    }
    let failed = tuned.keep()?;
    tuning.done = DoneWord::Tuned;
    tuning.failed = failed.iter().map(shown::failed).collect();
    if args.json {
        console::print_json(&views::json(&tuning))?;
    } else {
        say_failed(&failed, context);
        console::say("tuned until `proofmark tune --undo`, or until the machine is restarted");
    }
    Ok(Exit::Done)
}

/// There is nothing to set, and so nothing to undo.
fn nothing(tuning: &Tuning, told: &str, args: &TuneArgs) -> anyhow::Result<Exit> {
    if args.json {
        console::print_json(&views::json(tuning))?;
    } else {
        console::say(told.trim_end());
        console::say("there is nothing to set here");
    }
    Ok(Exit::Done)
}

impl TuneArgs {
    fn wanted(&self, core: Option<u32>) -> Wanted {
        let mut items: BTreeSet<Item> = if self.only.is_empty() {
            Wanted::usual_items()
        } else {
            self.only.iter().copied().collect()
        };
        items.extend(self.aslr_off.then_some(Item::Aslr));
        items.retain(|item| !self.without.contains(item));
        Wanted {
            core,
            for_command: !self.command.is_empty(),
            items,
        }
    }
}

/// Runs the command on the tuned machine; it ends as the command does.
fn with_command(
    args: &TuneArgs,
    tuner: &Tuner<'_>,
    plan: &Plan,
    context: &Context,
) -> anyhow::Result<Exit> {
    // Before the first change: none of them ends this process from now on.
    let signals = child::Signals::catch()?;
    let tuned = tuner.tune(plan, Lasting::Process)?;
    say_failed(&tuned.failed, context);
    let ended = child::run(&args.command, tuned.door(), signals);
    put_back(tuned, context)?;
    ended
}

/// Puts everything back and says so. What could not be is said again by the next command.
fn put_back(tuned: Tuned<'_>, context: &Context) -> anyhow::Result<()> {
    let undone = tuned.end()?;
    console::say(views::undone(&shown::undone(&undone), &context.errors).trim_end());
    Ok(())
}

fn undo(args: &TuneArgs, disk: &Disk, context: &Context) -> anyhow::Result<Exit> {
    if let Some(command) = as_root(disk) {
        console::say(&format!(
            "proofmark: nothing was put back: these settings are root's\n  next: {command}"
        ));
        return Ok(Exit::Machine);
    }
    let tuner = Tuner::open(disk, &typed(std::env::args_os()))?;
    let undone: Option<Undone> = tuner.undo()?;
    let view = undone.as_ref().map(shown::undone);
    let whole = view.as_ref().is_none_or(|view| view.failed.is_empty());
    if args.json {
        console::print_json(&views::json(&Tuning {
            done: DoneWord::Undone,
            core: None,
            remarks: Vec::new(),
            items: Vec::new(),
            failed: Vec::new(),
            undone: view,
            as_root: None,
        }))?;
    } else {
        let text = view.map(|view| views::undone(&view, &context.style));
        let text = text.unwrap_or_else(|| "nothing is tuned\n".to_owned());
        console::print(&text)?;
    }
    Ok(if whole { Exit::Done } else { Exit::Machine })
}

fn show(tuning: &Tuning, args: &TuneArgs, context: &Context) -> anyhow::Result<()> {
    if args.json {
        return console::print_json(&views::json(tuning));
    }
    console::print(&views::terminal(tuning, &context.style))?;
    if let Some(command) = &tuning.as_root {
        console::say(&format!(
            "proofmark: nothing was set: these settings are root's. Without root it helps to end \
             other work; the idlest core is taken anyway\n  next: {command}"
        ));
    }
    Ok(())
}

fn say_failed(failed: &[proofmark_tune::Failed], context: &Context) {
    let only = Tuning {
        done: DoneWord::Tuned,
        core: None,
        remarks: Vec::new(),
        items: Vec::new(),
        failed: failed.iter().map(shown::failed).collect(),
        undone: None,
        as_root: None,
    };
    let text = views::terminal(&only, &context.errors);
    if !text.is_empty() {
        console::say(text.trim_end());
    }
}

/// The command as it was typed.
fn typed(words: impl Iterator<Item = OsString>) -> String {
    let words = words.map(|word| quoted(&word.to_string_lossy()).into_owned());
    words.collect::<Vec<_>>().join(" ")
}

/// The core that was asked for, or the idlest.
fn core(args: &TuneArgs, disk: &Disk) -> anyhow::Result<Option<u32>> {
    let Some(core) = args.core else {
        return Ok(proofmark_measure::idle_core().core());
    };
    let in_use = cores_in_use(disk);
    if !in_use.has(core) {
        let why = format!("core {core} is not in use on this machine, which has {in_use}");
        return Err(Usage(why).into());
    }
    Ok(Some(core))
}

/// This command as root gives it; none where this user is root. `sudo` searches other folders for
/// programs, so it names this one in full, and runs what is measured as the one who asked.
fn as_root(disk: &Disk) -> Option<String> {
    let user = rustix::process::geteuid();
    if user.is_root() {
        return None;
    }
    let program = std::env::current_exe().ok()?;
    let mut words = vec!["sudo".into(), program.into_os_string()];
    for word in std::env::args_os().skip(1) {
        if word == "--dry-run" {
            continue;
        }
        let command_begins = word == "--" && !words.iter().any(|word| word == "--");
        words.push(word);
        if command_begins {
            let user = name_of(disk, user.as_raw());
            words.extend(["sudo".into(), "-u".into(), user.into()]);
        }
    }
    Some(typed(words.into_iter()))
}
