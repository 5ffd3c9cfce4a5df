//! How a process gets into a group.

/// How a child gets into its group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Entry {
    /// No group.
    None = 0,
    /// Created inside: the descriptor is the folder of a cgroup v2.
    CloneInto = 1,
    /// The child writes itself into `cgroup.procs` of the folder (cgroup v1).
    WriteSelf = 2,
}
