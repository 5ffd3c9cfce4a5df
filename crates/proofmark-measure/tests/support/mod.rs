//! The program with known answers, and launches of it.
use std::path::PathBuf;
use std::time::Duration;

use proofmark_measure::{CgroupUse, Instrument, InstrumentOptions, Launch};

/// Far beyond what anything here takes: tests do not depend on timing.
pub(crate) const LONG: Duration = Duration::from_secs(120);

/// A virtual machine charges a program for what its host took from it meanwhile, be it half a
/// second: of so many tries one is spared.
pub(crate) const TRIES: usize = 5;

/// Beside the test's own executable: `cargo test` builds examples as well.
pub(crate) fn known() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let path = test
        .parent()
        .unwrap()
        .parent()
        .unwrap()
        .join("examples/known");
    assert!(
        path.exists(),
        "{} is missing: run the tests with `cargo test -p proofmark-measure`, or build the examples first",
        path.display()
    );
    path
}

pub(crate) fn launch(arguments: &[&str]) -> Launch {
    let mut launch = Launch::new(known(), LONG);
    launch.args = arguments.iter().map(Into::into).collect();
    launch.cwd = "/".into();
    launch
}

/// One instrument of each kind that this machine offers.
pub(crate) fn instruments() -> Vec<Instrument> {
    [CgroupUse::WhereAvailable, CgroupUse::Never]
        .into_iter()
        .map(|cgroup| {
            Instrument::new(InstrumentOptions {
                cgroup,
                ..InstrumentOptions::default()
            })
            .unwrap()
        })
        .collect()
}

/// The last core that this process may use.
pub(crate) fn core() -> u32 {
    let set = rustix::thread::sched_getaffinity(None).unwrap();
    let last = (0..rustix::thread::CpuSet::MAX_CPU)
        .rev()
        .find(|&core| set.is_set(core))
        .unwrap();
    u32::try_from(last).unwrap()
}
