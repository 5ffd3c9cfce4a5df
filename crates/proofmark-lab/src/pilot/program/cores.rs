//! Whether a program is another one when it may use all cores.

use super::{Program, apart, moved, ms};
use crate::error::LabError;
use crate::rig::{Alone, Habits, Solo};

/// Rounds of a free run and one on one core.
const ROUNDS: u64 = 6;

/// The same of a program that asks how many cores there are: what it does with the answer may be
/// little.
const ROUNDS_OF_ASKING: u64 = 24;

/// Fewest rounds, of runs that take long.
const FEWEST: u64 = 3;

/// The rounds may take about this long for each build, in nanoseconds.
const ROUNDS_NS: u64 = 1_500_000_000;

/// CPU times that are less than this apart, on the scale of ln, are taken for equal: a program that
/// is moved between cores finds its caches cold.
const EQUAL: f64 = 0.05;

/// The same of a program that asks how many cores there are.
const EQUAL_OF_ASKING: f64 = 0.02;

/// One run on one core that is so far from a free one, on the scale of ln, is looked at again,
/// whatever the trace says.
const OTHER: f64 = 0.2;

/// So far apart it has to be then. On a machine that is full a free run takes some more CPU time
/// than one on a core that is kept for it, and that is no matter of the program's.
const STILL_OTHER: f64 = 0.1;

/// Threads that wait for a core for less than this share of their CPU time are taken to run one
/// after the other.
const QUEUED: f64 = 0.1;

/// A neighbour makes them wait as well: each of so many runs must show it.
const TRACES: u32 = 3;

impl Program<'_> {
    /// Why it needs all cores, if it does. `tries` says that there is time to look at what no trace
    /// made suspicious.
    pub(super) fn needs_cores(
        &mut self,
        habits: &Habits,
        bare: &Solo,
        tries: bool,
    ) -> Result<Option<String>, LabError> {
        if !self.can_be_pinned() {
            return Ok(None);
        }
        let suspicious = habits.may_use_cores();
        if suspicious {
            if let Some(reason) = self.shares_one_core(habits)? {
                return Ok(Some(reason));
            }
        } else if !tries || !self.looks_other_on_one_core()? {
            return Ok(None);
        }
        let (most, equal) = if habits.asks_cores {
            (ROUNDS_OF_ASKING, EQUAL_OF_ASKING)
        } else {
            (ROUNDS, EQUAL)
        };
        let rounds = (ROUNDS_NS / self.run.wall_ns.saturating_mul(2).max(1)).clamp(FEWEST, most);
        let mut times = Vec::new();
        for _ in 0..rounds {
            let (free, pinned) = (self.alone(&Alone::FREE)?, self.alone(&Alone::PINNED)?);
            if free.end == bare.end && pinned.end != free.end {
                return Ok(Some("it ends in another way on one core".to_owned()));
            }
            if free.printed == bare.printed
                && pinned.printed != free.printed
                && !self.prints_anew(bare)?
            {
                return Ok(Some("it prints something else on one core".to_owned()));
            }
            times.push((free.cpu_ns, pinned.cpu_ns));
        }
        let least = if suspicious { equal } else { STILL_OTHER };
        Ok(moved(&times, least).map(|moved| {
            let [free, pinned] = middles(&times).map(ms);
            if free == pinned {
                let percent = moved.exp_m1().abs() * 100.0;
                let way = if moved < 0.0 { "less" } else { "more" };
                return format!(
                    "on one core it takes {percent:.1} % {way} CPU time than where it may use all"
                );
            }
            format!("it takes {free} of CPU time where it may use all cores, and {pinned} on one")
        }))
    }

    /// What traces on one core show: other threads are made, or threads wait for each other that
    /// would run at the same time on several. Those disturb each other in other ways on several
    /// cores (lines of a cache that go back and forth, locks, memory), and whether a free run
    /// happens to show it is a matter of where the kernel puts them.
    fn shares_one_core(&mut self, free: &Habits) -> Result<Option<String>, LabError> {
        let mut least: Option<Habits> = None;
        for _ in 0..TRACES {
            let Ok(pinned) = self.rig.trace(self.arm, &Alone::PINNED)? else {
                return Ok(None);
            };
            if let Some(reason) = other_family(free, &pinned) {
                return Ok(Some(reason));
            }
            // What is alone waits for others: it may have moved itself to a core that is busy.
            if pinned.queued() < QUEUED || !pinned.has_company() {
                return Ok(None);
            }
            if least
                .as_ref()
                .is_none_or(|least| pinned.queued() < least.queued())
            {
                least = Some(pinned);
            }
        }
        Ok(least.map(|pinned| {
            format!(
                "its threads or processes may run at the same time: on one core they wait {} for it, \
                 beside {} of CPU time",
                ms(pinned.queued_ns),
                ms(pinned.ran_ns)
            )
        }))
    }

    /// Whether one run on one core is another one than a free one, whatever the trace says: a
    /// program may see that it is traced, and start no threads then.
    fn looks_other_on_one_core(&mut self) -> Result<bool, LabError> {
        let (free, pinned) = (self.alone(&Alone::FREE)?, self.alone(&Alone::PINNED)?);
        Ok(apart(free.cpu_ns, pinned.cpu_ns).abs() > OTHER)
    }

    /// Whether there is a core to pin to.
    fn can_be_pinned(&mut self) -> bool {
        let before = self.rig.core().is_some();
        self.rig.pin(true);
        let can = self.rig.core().is_some();
        self.rig.pin(before);
        can
    }
}

fn middles(times: &[(u64, u64)]) -> [u64; 2] {
    let middle = |mut all: Vec<u64>| {
        all.sort_unstable();
        all.get(all.len() / 2).copied().unwrap_or(0)
    };
    let [free, pinned] = [|pair: &(u64, u64)| pair.0, |pair: &(u64, u64)| pair.1];
    [
        middle(times.iter().map(free).collect()),
        middle(times.iter().map(pinned).collect()),
    ]
}

/// Why a program is another one on one core, by the threads and processes that it makes.
fn other_family(free: &Habits, pinned: &Habits) -> Option<String> {
    let makes = |count: u64, one: &str, many: &str| match count {
        0 => format!("no {one}"),
        1 => format!("one {one}"),
        _ => format!("{count} {many}"),
    };
    for (free, pinned, one, many) in [
        (free.threads, pinned.threads, "thread", "threads"),
        (free.processes, pinned.processes, "process", "processes"),
    ] {
        if free != pinned {
            return Some(format!(
                "it makes {} where it may use all cores, and {} on one",
                makes(free, one, many),
                makes(pinned, one, many)
            ));
        }
    }
    None
}
