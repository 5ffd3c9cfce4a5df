//! `proofmark gc`: what can be made again and nothing refers to goes.

use std::collections::HashSet;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytesize::ByteSize;
use clap::Args;
use proofmark_capture::{Builds, Garbage, GarbageRules, LockedBuilds};
use proofmark_evidence::{LockedStore, Store, StoreError, Use, UseReason};
use proofmark_lab::{Spare, SpareGarbage};
use proofmark_project::StoreDefinition;
use proofmark_report::garbage::{self, Collection};
use proofmark_terms::CaptureId;

use super::project::{self, ProjectArgs};
use super::revisions::forget_lost;
use crate::console;
use crate::context::Context;
use crate::exit::Exit;
use crate::shown::garbage as views;

/// How long what can be made again is kept, where nobody says otherwise.
const KEEP: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Arguments of `gc`.
#[derive(Debug, Args)]
#[command(after_help = "\
Builds of revisions and of a matrix are removed when no recent and no pinned experiment rests on
them; they are made again when asked for. Builds that you captured under a name stay until
`proofmark builds remove NAME`. What was measured always stays.

Examples:
  proofmark gc --dry-run
  proofmark gc --keep 7days --max-size 20GB")]
pub(crate) struct GcArgs {
    /// Say what would be removed, and how much; remove nothing
    #[arg(long)]
    dry_run: bool,

    /// How long a build that can be made again stays after its capture and the last experiment on
    /// it [default: `keep` of [store] in proofmark.toml, or 30days]
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    keep: Option<Duration>,

    /// Most that .proofmark may take. Beyond it images of layouts go, then recent builds that can
    /// be made again, the oldest first [default: `max_size` of [store] in proofmark.toml]
    #[arg(long, value_name = "SIZE")]
    max_size: Option<ByteSize>,

    #[command(flatten)]
    project: ProjectArgs,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &GcArgs, context: &Context) -> anyhow::Result<Exit> {
    let asked = project::store(&args.project)?;
    let context = &project::context(&args.project, context)?;
    if !context.folder.is_dir() {
        console::say(&format!(
            "proofmark: there is no {}, and so nothing to remove",
            context.folder.display()
        ));
        return Ok(Exit::Done);
    }
    let policy = StoreDefinition {
        keep: args.keep.or(asked.keep),
        max_size: args.max_size.or(asked.max_size),
    };
    let plan = if args.dry_run {
        let store = if_there(Store::open(&context.folder))?;
        Plan::of(&policy, context, &*context.builds()?, store.as_ref())?
    } else {
        // Held until all is done: nobody captures, measures or uses a build meanwhile.
        let builds = LockedBuilds::open(&context.folder)?;
        let there = if_there(Store::open(&context.folder))?;
        let store = there
            .map(|_| LockedStore::open(&context.folder))
            .transpose()?;
        let plan = Plan::of(&policy, context, &builds, store.as_deref())?;
        builds.carry_out(&plan.garbage)?;
        plan.spare.carry_out()?;
        forget_lost(context, &builds)?;
        plan
    };
    show(&plan, args, context)?;
    Ok(Exit::Done)
}

fn show(plan: &Plan, args: &GcArgs, context: &Context) -> anyhow::Result<()> {
    let collection = Collection {
        builds: plan.garbage.builds.iter().map(views::collected).collect(),
        files: plan.garbage.files,
        file_bytes: plan.garbage.bytes,
        kept: plan.garbage.kept.iter().map(views::kept).collect(),
        images: plan.spare.images,
        image_bytes: plan.spare.image_bytes,
        left_bytes: plan.spare.left_bytes,
        kept_bytes: plan.kept_bytes,
        most_bytes: plan.most_bytes,
        dry_run: args.dry_run,
    };
    if args.json {
        console::print_json(&garbage::json(&collection))?;
    } else {
        console::print(&garbage::terminal(&collection, &context.style))?;
    }
    if plan.most_bytes.is_some_and(|most| plan.kept_bytes > most) {
        console::say(
            "proofmark: more stays than may: builds by name, builds of pinned experiments and what \
             was measured are never removed here\n  next: `proofmark builds remove NAME` or \
             `proofmark pin --release ID` makes room, or allow more with --max-size",
        );
    }
    Ok(())
}

/// What goes, and what stays.
struct Plan {
    garbage: Garbage,
    spare: SpareGarbage,
    kept_bytes: u64,
    most_bytes: Option<u64>,
}

impl Plan {
    fn of(
        policy: &StoreDefinition,
        context: &Context,
        builds: &Builds,
        store: Option<&Store>,
    ) -> anyhow::Result<Plan> {
        let since_ms = ms_before_now(policy.keep.unwrap_or(KEEP));
        let uses = store.map(|store| store.uses(since_ms)).transpose()?;
        let later = store.map(Store::referred_to_by_later).transpose()?;
        let evidence = store.map(Store::bytes).transpose()?.unwrap_or(0);
        let most_bytes = policy.max_size.map(|size| size.as_u64());
        let room = most_bytes.map(|most| most.saturating_sub(evidence));
        let garbage = builds.garbage(&GarbageRules {
            later: later.unwrap_or_default(),
            ..rules(&uses.unwrap_or_default(), since_ms, room)
        })?;
        let room = room.map(|room| room.saturating_sub(garbage.kept_bytes));
        let spare = Spare::of(&context.folder)?.beyond(room);
        Ok(Plan {
            kept_bytes: evidence + garbage.kept_bytes + spare.kept_bytes,
            garbage,
            spare,
            most_bytes,
        })
    }
}

fn rules(uses: &[Use], since_ms: u64, most_bytes: Option<u64>) -> GarbageRules {
    let captures = |reason: UseReason| -> HashSet<CaptureId> {
        let of_reason = uses.iter().filter(|one| one.why == reason);
        of_reason.flat_map(|one| one.captures.clone()).collect()
    };
    GarbageRules {
        pinned: captures(UseReason::Pinned),
        recent: captures(UseReason::Recent),
        later: HashSet::new(),
        since_ms,
        most_bytes,
    }
}

/// Where nothing was measured yet there is no store.
fn if_there(store: Result<Store, StoreError>) -> Result<Option<Store>, StoreError> {
    match store {
        Err(StoreError::NoStore { .. }) => Ok(None),
        store => store.map(Some),
    }
}

/// The moment so long ago, in milliseconds since 1970-01-01 UTC.
fn ms_before_now(ago: Duration) -> u64 {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    u64::try_from(now.saturating_sub(ago).as_millis()).unwrap_or(u64::MAX)
}
