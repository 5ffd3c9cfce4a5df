//! For `bench/overhead`: runs a program many times and prints the wall-clock time of each run, in
//! nanoseconds, a line each.
#![allow(clippy::print_stdout, reason = "prints what it measured")]

use std::time::{Duration, Instant};

use proofmark_measure::{CgroupUse, Instrument, InstrumentOptions, Launch, MeasureError};

fn main() -> Result<(), MeasureError> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [kind, runs, core, program, rest @ ..] = arguments.as_slice() else {
        println!("usage: overhead cgroup|signals RUNS CORE|any PROGRAM [ARGUMENT…]");
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
    let runs: usize = runs.parse().unwrap_or(1000);
    let mut times = Vec::with_capacity(runs);
    for _ in 0..runs {
        let start = Instant::now();
        let outcome = instrument.run(&launch)?;
        times.push(start.elapsed());
        assert!(outcome.end.succeeded(), "{:?}", outcome.end);
    }
    for time in times {
        println!("{}", time.as_nanos());
    }
    Ok(())
}
