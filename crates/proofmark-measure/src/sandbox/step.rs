//! What the processes of a sandbox do, step by step, as they tell it where one fails.

/// What a process of a sandbox was doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub(super) enum Step {
    /// Starting a process.
    Fork,
    /// New namespaces.
    Unshare,
    /// The numbers of users.
    Numbers,
    /// Keeping mounts from being seen outside.
    Private,
    /// The root.
    Root,
    /// Something that is put into it, by its index.
    Put,
    /// `/proc`.
    Proc,
    /// The change of the root.
    Pivot,
    /// That nobody writes to the root.
    Shut,
    /// Rights that are given up.
    User,
    /// Limits.
    Limit,
    /// The command.
    Start,
}

impl Step {
    /// In the order of their numbers.
    pub(super) const ALL: [Step; 12] = [
        Step::Fork,
        Step::Unshare,
        Step::Numbers,
        Step::Private,
        Step::Root,
        Step::Put,
        Step::Proc,
        Step::Pivot,
        Step::Shut,
        Step::User,
        Step::Limit,
        Step::Start,
    ];
}
