//! Counters of the processor and the kernel over one run, by `perf_event_open(2)`. Such a run is
//! not timed.

mod run;

pub(crate) use run::{run_spending, run_with};

use perf_event::events::{Cache, CacheId, CacheOp, CacheResult, Event, Hardware, Software};
use perf_event::{Builder, ReadFormat};

use crate::{End, Interrupt, Launch, Unavailable};

/// What can be counted. All in user space and in all descendants of the program, but for the last
/// three, which are the kernel's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Counter {
    /// Instructions retired.
    Instructions,
    /// Cycles of the core.
    Cycles,
    /// Branches retired.
    Branches,
    /// Branches that were predicted wrongly.
    BranchMisses,
    /// Instruction cache (L1) misses.
    InstructionCacheMisses,
    /// Instruction address translations that were not at hand.
    InstructionTlbMisses,
    /// Data cache (L1) misses of reads.
    DataCacheMisses,
    /// Reads that the last level of caches did not hold.
    LastLevelMisses,
    /// Data address translations that were not at hand.
    DataTlbMisses,
    /// Pages that had to be provided.
    PageFaults,
    /// Times that another process came in between, or the program waited.
    ContextSwitches,
    /// Moves to another core.
    Migrations,
}

impl Counter {
    /// Every counter, in the order in which they are shown.
    pub const ALL: [Counter; 12] = [
        Counter::Instructions,
        Counter::Cycles,
        Counter::Branches,
        Counter::BranchMisses,
        Counter::InstructionCacheMisses,
        Counter::InstructionTlbMisses,
        Counter::DataCacheMisses,
        Counter::LastLevelMisses,
        Counter::DataTlbMisses,
        Counter::PageFaults,
        Counter::ContextSwitches,
        Counter::Migrations,
    ];

    /// The name used in output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Counter::Instructions => "instructions",
            Counter::Cycles => "cycles",
            Counter::Branches => "branches",
            Counter::BranchMisses => "branch misses",
            Counter::InstructionCacheMisses => "instruction cache misses",
            Counter::InstructionTlbMisses => "instruction TLB misses",
            Counter::DataCacheMisses => "data cache misses",
            Counter::LastLevelMisses => "last-level cache misses",
            Counter::DataTlbMisses => "data TLB misses",
            Counter::PageFaults => "page faults",
            Counter::ContextSwitches => "context switches",
            Counter::Migrations => "migrations",
        }
    }

    fn open(self) -> Result<perf_event::Counter, Unavailable> {
        let misses = |which| Cache {
            which,
            operation: CacheOp::READ,
            result: CacheResult::MISS,
        };
        match self {
            Counter::Instructions => self.open_event(Hardware::INSTRUCTIONS),
            Counter::Cycles => self.open_event(Hardware::CPU_CYCLES),
            Counter::Branches => self.open_event(Hardware::BRANCH_INSTRUCTIONS),
            Counter::BranchMisses => self.open_event(Hardware::BRANCH_MISSES),
            Counter::InstructionCacheMisses => self.open_event(misses(CacheId::L1I)),
            Counter::InstructionTlbMisses => self.open_event(misses(CacheId::ITLB)),
            Counter::DataCacheMisses => self.open_event(misses(CacheId::L1D)),
            Counter::LastLevelMisses => self.open_event(misses(CacheId::LL)),
            Counter::DataTlbMisses => self.open_event(misses(CacheId::DTLB)),
            Counter::PageFaults => self.open_event(Software::PAGE_FAULTS),
            Counter::ContextSwitches => self.open_event(Software::CONTEXT_SWITCHES),
            Counter::Migrations => self.open_event(Software::CPU_MIGRATIONS),
        }
    }

    /// On this thread, switched off here, inherited by what it starts and switched on there by
    /// exec.
    fn open_event(self, event: impl Event) -> Result<perf_event::Counter, Unavailable> {
        let of_the_kernel = matches!(
            self,
            Counter::PageFaults | Counter::ContextSwitches | Counter::Migrations
        );
        Builder::new(event)
            .observe_self()
            .inherit(true)
            .enable_on_exec(true)
            .exclude_kernel(!of_the_kernel)
            .exclude_hv(true)
            .read_format(ReadFormat::TOTAL_TIME_ENABLED | ReadFormat::TOTAL_TIME_RUNNING)
            .build()
            .map_err(|error| refused(self.name(), &error))
    }

    /// Whether this machine has it, without running anything.
    ///
    /// # Errors
    /// The reason when it has not.
    pub fn available(self) -> Result<(), Unavailable> {
        self.open().map(drop)
    }
}

/// Why an event of the kernel could not be opened.
pub(crate) fn refused(name: &'static str, error: &std::io::Error) -> Unavailable {
    match error.raw_os_error() {
        Some(libc::ENOENT | libc::ENODEV | libc::EOPNOTSUPP | libc::EINVAL) => {
            Unavailable::NoCounter(name)
        }
        Some(libc::EACCES | libc::EPERM) => {
            let level =
                std::fs::read_to_string("/proc/sys/kernel/perf_event_paranoid").unwrap_or_default();
            Unavailable::NotPermitted(level.trim().to_owned())
        }
        Some(libc::ENOSYS) => Unavailable::Failed {
            what: "perf events",
            message: "this kernel was built without them".to_owned(),
        },
        _ => Unavailable::Failed {
            what: "cannot open a counter",
            message: error.to_string(),
        },
    }
}

/// What was counted over one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counted {
    /// How the run ended.
    pub end: End,
    /// A count, or why there is none, for each counter that was asked for, in that order.
    pub readings: Vec<(Counter, Result<u64, Unavailable>)>,
}

/// Runs a program once and counts. Its output is thrown away.
///
/// # Errors
/// When the program cannot be run or the flag is raised. Counters that cannot be had are reasons in
/// the readings, not errors.
pub fn count(
    launch: &Launch,
    wanted: &[Counter],
    stop: &Interrupt,
) -> Result<Counted, Unavailable> {
    let open: Vec<_> = wanted
        .iter()
        .map(|&counter| (counter, counter.open()))
        .collect();
    let end = run_with(launch, stop, &mut || {})?;
    let readings = open
        .into_iter()
        .map(|(counter, opened)| (counter, opened.and_then(read)))
        .collect();
    Ok(Counted { end, readings })
}

fn read(mut counter: perf_event::Counter) -> Result<u64, Unavailable> {
    let found = counter
        .read_count_and_time()
        .map_err(Unavailable::failed("cannot read a counter"))?;
    if found.time_running < found.time_enabled {
        let percent = found
            .time_running
            .saturating_mul(100)
            .checked_div(found.time_enabled)
            .unwrap_or(0);
        return Err(Unavailable::Shared(u32::try_from(percent).unwrap_or(100)));
    }
    Ok(found.count)
}
