//! Where a program spends its time, by samples of one run. Such a run is not timed.
//!
//! The kernel's own clock of a core (`cpu-clock`) interrupts the program so many times a second of
//! its CPU time, and notes where it was. That needs no hardware counter, and is permitted at
//! `kernel.perf_event_paranoid` 2. Where not even that is permitted, callgrind counts the
//! instructions of each function.

mod callgrind;
mod chains;
mod clock;
mod mappings;

use std::collections::BTreeMap;
use std::time::Duration;

pub use chains::{Chain, Chains, Frame, Unnamed, sample_chains};

use crate::{End, Interrupt, Launch, Spent, Unavailable};

/// CPU time in user space from one sample of the kernel's clock to the next.
pub const BETWEEN: Duration = Duration::from_nanos(clock::PERIOD);

/// Where a run spent its time, as far as it was in the program itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// What told.
    pub by: Sampler,
    /// How the run ended.
    pub end: End,
    /// What it took.
    pub spent: Spent,
    /// Samples, or instructions, in all: those in libraries and elsewhere too.
    pub total: u64,
    /// Those in the program, by where they are.
    pub places: BTreeMap<Place, u64>,
    /// Those elsewhere.
    pub elsewhere: BTreeMap<Elsewhere, u64>,
}

/// What lies where a sample was that is not of the program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Elsewhere {
    /// A file, by its path in the run.
    File(String),
    /// Code that the kernel lends to programs.
    Lent,
    /// Memory that no file fills: code made while the program ran, or a mapping of which the kernel
    /// did not tell.
    Unknown,
}

/// What tells where a program spends its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sampler {
    /// The kernel's clock, by samples.
    Clock,
    /// Callgrind, by instructions.
    Callgrind,
}

/// A place in a program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// An address, as linked.
    Address(u64),
    /// A function, by its symbol.
    Symbol(String),
}

/// Runs a program once and says where it spends its time. Its output is thrown away. `program` is
/// the file that is looked at, as the run sees it: the program itself, or a library that it loads.
/// `file` is where that file can be read from here.
///
/// # Errors
/// The reason when neither the kernel nor callgrind can tell, or the program cannot be run.
pub fn sample(
    launch: &Launch,
    (program, file): (&std::path::Path, &std::path::Path),
    stop: &Interrupt,
) -> Result<Profile, Unavailable> {
    match clock::sample(launch, (program, file), stop) {
        Err(Unavailable::NotPermitted(_) | Unavailable::NoCounter(_)) => {
            callgrind::sample(launch, program, stop)
        }
        other => other,
    }
}
