//! Why a program cannot be traced.

use std::path::PathBuf;

use thiserror::Error;

use crate::MeasureError;

/// Why there is no trace of a run. Nothing is known of the program then.
#[derive(Debug, Error)]
pub enum Untraceable {
    /// The program could not be run at all, traced or not.
    #[error(transparent)]
    Run(#[from] MeasureError),
    /// The kernel or the container does not let one process trace another.
    #[error(
        "this system does not permit one process to trace another ({0}); a container may need `--cap-add SYS_PTRACE`, and kernel.yama.ptrace_scope must be below 3"
    )]
    Forbidden(std::io::Error),
    /// Somebody traces proofmark itself, and with it everything that it starts.
    #[error(
        "process {tracer} traces proofmark already (strace or a debugger?), and a program has one tracer only"
    )]
    AlreadyTraced {
        /// The process number of the other tracer.
        tracer: i32,
    },
    /// A program with rights of its own would lose them.
    #[error("{} runs with the rights of its file (set-user-ID, set-group-ID or capabilities), which a traced program does not get", .program.display())]
    Privileged {
        /// As given.
        program: PathBuf,
    },
    /// A process that refuses a tracer goes on without one, and the filter would fail its calls.
    #[error(
        "it starts a process that refuses to be traced, as programs with LeakSanitizer do when they end (`ASAN_OPTIONS=detect_leaks=0` keeps AddressSanitizer from it)"
    )]
    Hidden,
    /// System calls of another kind than this build of proofmark knows.
    #[error("it makes system calls of another architecture (a 32-bit program?)")]
    Foreign,
    /// The kernel is too old.
    #[error(
        "this kernel does not tell a tracer about system calls in a portable way (Linux 5.3 does)"
    )]
    OldKernel,
    /// The program's memory cannot be read.
    #[error("the memory of the traced program cannot be read: {0}")]
    Memory(std::io::Error),
    /// Anything else.
    #[error("tracing failed: {0}")]
    Failed(String),
}
