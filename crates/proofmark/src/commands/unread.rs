//! What was handed to proofmark by the shell, and reaches no run.

use std::fs::File;
use std::os::fd::AsFd as _;

use crate::arguments::BenchmarkArgs;
use crate::console;

/// Says that a file on proofmark's own standard input is not the runs'. A pipe or a terminal says
/// nothing of what was meant: scripts and CI have either.
pub(crate) fn say_input(benchmark: &BenchmarkArgs) {
    let own = std::io::stdin().as_fd().try_clone_to_owned();
    let about = own.and_then(|own| File::from(own).metadata());
    if benchmark.stdin.is_none() && about.is_ok_and(|about| about.is_file() && about.len() > 0) {
        console::say(
            "proofmark: no run reads the file on proofmark's standard input: the standard input of a run is empty. --stdin FILE gives every run that file",
        );
    }
}
