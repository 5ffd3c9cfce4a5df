//! `proofmark pin`: the builds that an experiment rests on are kept for good.

use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use proofmark_evidence::record::{Pin, PinState};
use proofmark_evidence::{LockedStore, Store};

use crate::console;
use crate::context::Context;
use crate::exit::Exit;

/// Arguments of `pin`.
#[derive(Debug, Args)]
#[command(after_help = "Example: proofmark pin latest")]
pub(crate) struct PinArgs {
    /// The experiments, or the beginnings of their ids; `latest` is the last one
    #[arg(value_name = "ID", required = true)]
    ids: Vec<String>,

    /// Take the pins back
    #[arg(long)]
    release: bool,
}

pub(crate) fn run(args: &PinArgs, context: &Context) -> anyhow::Result<Exit> {
    // Where there is no store none is made.
    let found = {
        let store = Store::open(&context.folder)?;
        let found = args.ids.iter().map(|id| store.find(id));
        found.collect::<Result<Vec<_>, _>>()?
    };
    let mut store = LockedStore::open(&context.folder)?;
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let (state, said) = if args.release {
        (PinState::Released, "no longer pinned")
    } else {
        (PinState::Pinned, "pinned: `proofmark gc` keeps its builds")
    };
    let pin = Pin {
        at_ms: u64::try_from(now.as_millis()).unwrap_or(u64::MAX),
        state,
    };
    for id in found {
        store.pin(&id, &pin)?;
        console::print(&format!("{}: {said}\n", id.short()))?;
    }
    Ok(Exit::Done)
}
