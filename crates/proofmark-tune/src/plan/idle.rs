//! How deep cores sleep.

use super::{Held, Step, Wanted};
use crate::tree::Tree;

/// The states of a core; all cores of a machine that differ in them are rare, and the limit holds
/// for all of them.
const STATES: &str = "sys/devices/system/cpu/cpu0/cpuidle";

pub(super) fn states(tree: &dyn Tree, wanted: &Wanted) -> (String, Step) {
    let names = tree.names(STATES);
    let latencies = names.iter().filter_map(|name| {
        let latency = tree.read(&format!("{STATES}/{name}/latency")).ok()?;
        latency.parse::<i32>().ok()
    });
    let latencies: Vec<i32> = latencies.collect();
    let asleep = latencies.iter().copied().filter(|&latency| latency > 0);
    let (Some(lightest), Some(deepest)) = (asleep.clone().min(), asleep.max()) else {
        let why = "no states of idle cores are visible (a virtual machine, whose host decides)";
        return ("not visible".to_owned(), Step::Cannot(why.to_owned()));
    };
    let found = format!("a core may take {deepest} µs to wake");
    if deepest == lightest {
        return (found, Step::Good);
    }
    if !wanted.for_command {
        let why = "the kernel keeps it only as long as a process asks for it: `proofmark tune -- \
                   COMMAND`";
        return (found, Step::Cannot(why.to_owned()));
    }
    // Not zero: cores that never sleep at all take units from their siblings and heat from others.
    let held = Held {
        microseconds: lightest,
    };
    (found, Step::Hold(held))
}
