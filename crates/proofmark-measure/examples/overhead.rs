//! For `bench/overhead`: runs a program many times and prints what each run took, in nanoseconds, a
//! line each: wall-clock time as seen from outside; or, of `heap` and `page`, the CPU time that is
//! reported, with its heap moved and left at a page, in a cgroup.
#![allow(clippy::print_stdout, reason = "prints what it measured")]

use std::time::{Duration, Instant};

use proofmark_measure::{CgroupUse, Instrument, InstrumentOptions, Launch, MeasureError};

fn main() -> Result<(), MeasureError> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [kind, runs, core, program, rest @ ..] = arguments.as_slice() else {
        println!("usage: overhead cgroup|signals|heap|page RUNS CORE|any PROGRAM [ARGUMENT…]");
        return Ok(());
    };
    let cgroup = if kind == "signals" {
        CgroupUse::Never
    } else {
        CgroupUse::WhereAvailable
    };
    let instrument = Instrument::new(InstrumentOptions {
        cgroup,
        ..InstrumentOptions::default()
    })?;
    let mut launch = Launch::new(program, Duration::from_secs(60));
    launch.args = rest.iter().map(Into::into).collect();
    launch.core = core.parse().ok();
    launch.heap = (kind == "heap").then_some(1040);
    let of_cpu = ["heap", "page"].contains(&kind.as_str());
    let runs: usize = runs.parse().unwrap_or(1000);
    let mut times = Vec::with_capacity(runs);
    for _ in 0..runs {
        let start = Instant::now();
        let outcome = instrument.run(&launch)?;
        times.push(if of_cpu { outcome.cpu } else { start.elapsed() });
        assert!(outcome.end.succeeded(), "{:?}", outcome.end);
    }
    for time in times {
        println!("{}", time.as_nanos());
    }
    Ok(())
}
