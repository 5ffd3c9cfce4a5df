//! What there is to say of tuning a machine.

use schemars::JsonSchema;
use serde::Serialize;

/// What was set on this machine, or would be, or was put back.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Tuning {
    /// What was done.
    pub done: DoneWord,
    /// The core that it is for; null where it cannot be told, or nothing was looked at.
    pub core: Option<u32>,
    /// What the machine stands in, and who else is on it: a sentence each.
    pub remarks: Vec<String>,
    /// What was looked at, in the order in which it is set.
    pub items: Vec<ItemView>,
    /// Changes that were not made.
    pub failed: Vec<FailedView>,
    /// What was put back; null where nothing was.
    pub undone: Option<UndoneView>,
    /// The command that does what only root can do; null where this user can.
    pub as_root: Option<String>,
}

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DoneWord {
    /// Nothing: it was only looked.
    Looked,
    /// The machine was tuned, and stays so until it is undone.
    Tuned,
    /// The machine was put back.
    Undone,
}

/// Something that can be tuned.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ItemView {
    /// Its name, as `--only` takes it.
    pub name: &'static str,
    /// What was found.
    pub found: String,
    /// What is done about it.
    pub step: StepWord,
    /// Why nothing can be done; null where something can, or need not.
    pub why: Option<String>,
    /// What it is worth.
    pub worth: &'static str,
    /// The settings that change.
    pub changes: Vec<ChangeView>,
}

/// What is done about an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StepWord {
    /// Nothing: it is as it should be.
    Good,
    /// Nothing: it was not asked for.
    NotAsked,
    /// Settings change.
    Change,
    /// A file is held open as long as the command runs.
    Hold,
    /// Nothing can be done here.
    Cannot,
}

/// One setting from one value to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChangeView {
    /// The file.
    pub path: String,
    /// The value that was found.
    pub before: String,
    /// The value that it gets.
    pub after: String,
}

/// A change that was not made, or not taken back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FailedView {
    /// The file.
    pub path: String,
    /// Why.
    pub why: String,
}

/// What was put back.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct UndoneView {
    /// Settings that are as before.
    pub restored: usize,
    /// Settings that somebody else changed meanwhile, and that were left.
    pub left: Vec<LeftView>,
    /// Files of settings that are no longer there.
    pub gone: Vec<String>,
    /// Settings that could not be put back; the next command tries again.
    pub failed: Vec<FailedView>,
}

/// A setting that somebody else changed meanwhile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LeftView {
    /// The file.
    pub path: String,
    /// The value before the machine was tuned.
    pub before: String,
    /// The value that tuning gave it.
    pub after: String,
    /// The value that somebody else gave it, which it keeps.
    pub now: String,
}
