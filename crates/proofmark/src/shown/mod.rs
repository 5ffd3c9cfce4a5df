//! What rooms below keep, as views show it: a view knows no shims, no project and no instrument.

pub(crate) mod builds;
pub(crate) mod built;
pub(crate) mod enclosed;
pub(crate) mod garbage;
pub(crate) mod plan;
pub(crate) mod remedies;
pub(crate) mod toolchains;
pub(crate) mod tune;
