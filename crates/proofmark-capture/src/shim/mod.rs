//! The capture's executable in the place of a tool: what a compiler finds first when it looks for
//! its linker.
//!
//! A shim does what the real tool would have done, with the same exit, and leaves a note for the
//! capture. Whatever goes wrong with the note is the capture's trouble and never the build's.

mod assemble;
mod call;
mod compile;
mod driver;
pub(crate) mod follow;
mod link;
mod lto_objects;
mod lto_wrapper;
mod once;
pub mod reads;
mod real;
mod run;
mod second;
mod words;

use std::process::ExitCode;

use call::{Call, Role};

pub(crate) use call::{LINKERS, TOOLS};

/// To be called first by a program that captures. Acts as the tool when this process was started as
/// one of a capture's shims, and returns how the tool ended; `None` in every other process.
#[must_use]
pub fn shim_main() -> Option<ExitCode> {
    let call = Call::of_this_process()?;
    Some(match &call.role {
        Role::Compiler => compile::act(&call),
        Role::Assembler => assemble::act(&call),
        Role::Linker => link::act(&call),
        Role::LtoWrapper => lto_wrapper::act(&call),
        Role::Driver { target } => driver::act(&call, target.as_deref()),
        Role::Reads => reads::act(&call),
        Role::Follow => follow::act(&call),
        Role::RustcWrapper => driver::rustc(&call),
    })
}
