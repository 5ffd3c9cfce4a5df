//! What a replay may use.

use std::time::Duration;

use clap::Args;
use proofmark_measure::sandbox::SandboxLimits;

use super::values;

/// Bytes that stay free on the disk.
const DISK_LEFT: u64 = 1 << 30;

/// What a replay may use.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Limits of the sandbox")]
pub(crate) struct LimitArgs {
    /// Most time, builds included
    #[arg(long, value_name = "TIME", default_value = "2h", value_parser = values::duration)]
    max_time: Duration,

    /// Most memory of all processes together [default: half of the machine's]
    #[arg(long, value_name = "SIZE")]
    max_memory: Option<bytesize::ByteSize>,

    /// Most processes and threads at a time
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = clap::value_parser!(u64).range(8..=100_000))]
    max_processes: u64,
}

impl LimitArgs {
    pub(crate) fn limits(&self) -> SandboxLimits {
        let half = rustix::system::sysinfo().totalram / 2;
        SandboxLimits {
            time: self.max_time,
            memory: self.max_memory.map_or(half, |size| size.as_u64()),
            processes: self.max_processes,
            disk_left: DISK_LEFT,
        }
    }
}
