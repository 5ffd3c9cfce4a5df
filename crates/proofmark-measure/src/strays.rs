//! Processes that a stop caught on their way out of their process group.
//!
//! A pause is SIGSTOP to a process group, and its end is SIGCONT to the same group. A process that
//! is inside `setsid` or `setpgid` when SIGSTOP comes leaves the group first and stops then: no
//! SIGCONT to the group reaches it again, and whoever waits for it waits for ever.

use std::fs;

use rustix::process::{Pid, Signal, kill_process};

/// Lets all descendants of `root` go on that are stopped, unless their process group is in `held`.
///
/// A program that stops a child of its own, in a process group of its own, sees it go on as well,
/// as it does when the child is still in the program's group.
pub(crate) fn go_on(root: i32, held: &[i32]) {
    let mut open = vec![root];
    while let Some(process) = open.pop() {
        for child in children(process) {
            open.push(child);
            // It may end at any moment, and its number is not given to another so soon.
            if stopped_in(child).is_some_and(|group| !held.contains(&group))
                && let Some(child) = Pid::from_raw(child)
            {
                let _ = kill_process(child, Signal::CONT);
            }
        }
    }
}

/// The children of all threads of a process; none where the kernel does not tell.
fn children(process: i32) -> Vec<i32> {
    let Ok(threads) = fs::read_dir(format!("/proc/{process}/task")) else {
        return Vec::new();
    };
    let lists = threads
        .flatten()
        .filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists
        .flat_map(|list| {
            let numbers = list
                .split_whitespace()
                .filter_map(|number| number.parse().ok());
            numbers.collect::<Vec<i32>>()
        })
        .collect()
}

/// The process group of a process that is stopped; `None` where it is not.
fn stopped_in(process: i32) -> Option<i32> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name stands in brackets and may have brackets and spaces of its own (proc(5)).
    let mut words = stat.rsplit_once(')')?.1.split_whitespace();
    let (state, group) = (words.next()?, words.nth(1)?);
    (state == "T").then(|| group.parse().ok())?
}
