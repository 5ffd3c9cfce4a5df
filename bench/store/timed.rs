//! How long something takes that is done several times: on the wall, and in CPU time, which is what
//! a machine without other work takes.

use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

/// How often each is done.
pub(crate) const REPEATS: usize = 9;

/// Times in seconds.
pub(crate) struct Timed {
    pub(crate) wall: Spread,
    /// The median of this process's CPU time.
    pub(crate) cpu: f64,
}

/// Of all repeats.
pub(crate) struct Spread {
    pub(crate) median: f64,
    pub(crate) least: f64,
    pub(crate) most: f64,
}

impl Timed {
    pub(crate) fn of<T>(mut act: impl FnMut() -> T) -> Timed {
        let mut once = || {
            let (start, cpu) = (Instant::now(), cpu_time());
            let done = std::hint::black_box(act());
            let took = (start.elapsed(), cpu_time() - cpu);
            drop(done);
            took
        };
        let (mut wall, mut cpu): (Vec<_>, Vec<_>) = (0..REPEATS).map(|_| once()).unzip();
        wall.sort_unstable();
        cpu.sort_unstable();
        Timed {
            wall: Spread {
                median: wall[REPEATS / 2].as_secs_f64(),
                least: wall[0].as_secs_f64(),
                most: wall[REPEATS - 1].as_secs_f64(),
            },
            cpu: cpu[REPEATS / 2].as_secs_f64(),
        }
    }
}

fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(
        time.tv_sec.unsigned_abs(),
        u32::try_from(time.tv_nsec).unwrap(),
    )
}
