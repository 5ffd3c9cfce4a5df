//! What would be set here: a value that can be shown before anything is done.

mod cores;
mod frequency;
mod idle;
mod interrupts;
mod kernel;
mod memory;

use std::collections::BTreeSet;
use std::io;

use proofmark_terms::CoreList;

use crate::change::Change;
use crate::item::Item;
use crate::setting::Setting;
use crate::tree::Tree;

/// What is wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The core that will be measured on; none where it cannot be told.
    pub core: Option<u32>,
    /// Whether a command is run in it, and everything undone when that ends.
    pub for_command: bool,
    /// The items to set; [`Item::Aslr`] is only set when it is among them.
    pub items: BTreeSet<Item>,
}

impl Wanted {
    /// The items that are set where nobody says otherwise.
    #[must_use]
    pub fn usual_items() -> BTreeSet<Item> {
        let all = Item::ALL.into_iter();
        all.filter(|item| *item != Item::Aslr).collect()
    }
}

/// What is to be done about an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Nothing: it is as it should be.
    Good,
    /// Nothing: it was not asked for.
    NotAsked,
    /// These settings change.
    Change(Vec<Change>),
    /// A file is held open.
    Hold(Held),
    /// Nothing can be done here, and why.
    Cannot(String),
}

/// The longest time that a core may take to wake, asked of the kernel for as long as a file is
/// held open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// That time.
    pub microseconds: i32,
}

impl Held {
    /// The file. Kernel: `power/pm_qos_interface`.
    pub const PATH: &str = "dev/cpu_dma_latency";
}

/// An item as it is here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Which.
    pub item: Item,
    /// What was found.
    pub found: String,
    /// What is to be done.
    pub step: Step,
}

/// What would be set here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The core that it is for.
    pub core: Option<u32>,
    /// One for each item, in the order in which they are set.
    pub findings: Vec<Finding>,
}

impl Plan {
    /// Looks at the machine. Nothing is changed.
    #[must_use]
    pub fn of(tree: &dyn Tree, wanted: &Wanted) -> Plan {
        let findings = Item::ALL.into_iter().map(|item| {
            let (found, step) = look(tree, wanted, item);
            let step = match step {
                Step::Change(_) | Step::Hold(_) if !wanted.items.contains(&item) => Step::NotAsked,
                Step::Change(changes) => may_be_written(tree, changes),
                Step::Hold(held) => match tree.may_write(Held::PATH) {
                    Ok(()) => Step::Hold(held),
                    Err(error) => Step::Cannot(refusal(Held::PATH, &error)),
                },
                step => step,
            };
            Finding { item, found, step }
        });
        Plan {
            core: wanted.core,
            findings: findings.collect(),
        }
    }

    /// The same for one item alone.
    #[must_use]
    pub fn only(&self, item: Item) -> Plan {
        let findings = self.findings.iter();
        Plan {
            core: self.core,
            findings: findings.filter(|one| one.item == item).cloned().collect(),
        }
    }

    /// Every change, in the order in which they are made.
    pub fn changes(&self) -> impl Iterator<Item = &Change> {
        let findings = self.findings.iter();
        findings.flat_map(|finding| match &finding.step {
            Step::Change(changes) => changes.as_slice(),
            _ => &[],
        })
    }

    /// What is held open.
    pub(crate) fn holds(&self) -> impl Iterator<Item = &Held> {
        let findings = self.findings.iter();
        findings.filter_map(|finding| match &finding.step {
            Step::Hold(held) => Some(held),
            _ => None,
        })
    }

    /// Whether there is nothing to do.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes().next().is_none() && self.holds().next().is_none()
    }
}

fn look(tree: &dyn Tree, wanted: &Wanted, item: Item) -> (String, Step) {
    match item {
        Item::Governor => frequency::governor(tree),
        Item::EnergyPreference => frequency::energy_preference(tree),
        Item::Turbo => frequency::turbo(tree),
        Item::Siblings => cores::siblings(tree, wanted),
        Item::OwnCores => cores::own(tree, wanted),
        Item::Interrupts => interrupts::interrupts(tree, wanted),
        Item::IdleStates => idle::states(tree, wanted),
        Item::HugePages => memory::huge_pages(tree),
        Item::Swappiness => memory::swappiness(tree),
        Item::PerfParanoid => kernel::perf_paranoid(tree),
        Item::SampleRate => kernel::sample_rate(tree),
        Item::Aslr => kernel::aslr(tree),
    }
}

/// Changes of files that cannot be written are none: in a container many are read-only.
fn may_be_written(tree: &dyn Tree, changes: Vec<Change>) -> Step {
    let refused = changes.iter().find_map(|change| {
        let path = match &change.setting {
            // Its folder is made.
            Setting::Group(group) => group.mount.path().to_owned(),
            setting => setting.path(),
        };
        let error = tree.may_write(&path).err()?;
        // That only root may is no matter of this machine.
        (error.kind() != io::ErrorKind::PermissionDenied).then(|| refusal(&path, &error))
    });
    match refused {
        Some(why) => Step::Cannot(why),
        None => Step::Change(changes),
    }
}

fn refusal(path: &str, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::ReadOnlyFilesystem => {
            format!("/{path} is read-only here, as in a container that was given no rights")
        }
        io::ErrorKind::NotFound => format!("there is no /{path} here"),
        _ => format!("/{path} cannot be written: {error}"),
    }
}

/// One setting that should have a value; as it should be where it has.
fn one(tree: &dyn Tree, setting: Setting, wanted: &str, otherwise: &str) -> (String, Step) {
    match setting.read(tree) {
        Err(_) => ("not told".to_owned(), Step::Cannot(otherwise.to_owned())),
        Ok(now) if now == wanted => (now, Step::Good),
        Ok(now) => {
            let after = wanted.to_owned();
            let change = Change {
                setting,
                before: now.clone(),
                after,
            };
            (now, Step::Change(vec![change]))
        }
    }
}

/// The cores that share the units of a core, that core among them.
fn threads_of(tree: &dyn Tree, core: u32) -> CoreList {
    let path = format!("sys/devices/system/cpu/cpu{core}/topology/thread_siblings_list");
    let listed = tree.read(&path).ok();
    let listed = listed.and_then(|text| CoreList::parse(&text));
    listed.unwrap_or_default().iter().chain([core]).collect()
}

/// The cores that are in use.
#[must_use]
pub fn cores_in_use(tree: &dyn Tree) -> CoreList {
    let listed = tree.read("sys/devices/system/cpu/online").ok();
    let listed = listed.and_then(|text| CoreList::parse(&text));
    listed.unwrap_or_default()
}

/// Words that occur, each once.
fn once(words: impl Iterator<Item = String>) -> String {
    let words: BTreeSet<String> = words.collect();
    words.into_iter().collect::<Vec<_>>().join(", ")
}

/// What is said where the core to be measured on cannot be told.
const NO_CORE: &str = "it cannot be told which core will be measured on";
