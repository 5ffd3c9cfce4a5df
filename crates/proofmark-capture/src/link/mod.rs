//! What a link is made of: its arguments, the files that it reads, the linker that carries it out.

pub(crate) mod arguments;
pub(crate) mod dependencies;
pub(crate) mod inputs;
pub(crate) mod linker;
pub(crate) mod quoted;
