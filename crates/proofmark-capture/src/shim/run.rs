//! Running the real tool, and ending as it ended.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, ExitCode, ExitStatus};

use rustix::process::{Resource, Rlimit, Signal};

/// The real tool in the place of this process. Returns only when it cannot be started.
pub(super) fn become_tool(
    real: &Path,
    arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
) -> ExitCode {
    cannot_start(real, &Command::new(real).args(arguments).exec())
}

/// The same with variables beside the environment of this process.
pub(super) fn become_tool_with(
    real: &Path,
    arguments: &[OsString],
    variables: &[(&str, OsString)],
) -> ExitCode {
    let mut command = Command::new(real);
    command.args(arguments).envs(variables.iter().cloned());
    cannot_start(real, &command.exec())
}

/// Starts the real tool and waits for it.
pub(super) fn run(
    real: &Path,
    arguments: &[OsString],
    variables: &[(&str, &OsStr)],
) -> io::Result<ExitStatus> {
    dies_with_us(
        Command::new(real)
            .args(arguments)
            .envs(variables.iter().copied()),
    )
    .status()
}

/// A child that is told to end when this process ends: whoever stops the shim stops the tool.
pub(super) fn dies_with_us(command: &mut Command) -> &mut Command {
    // SAFETY: between fork and exec only one system call is made, nothing is allocated and no lock
    // is taken.
    unsafe {
        command.pre_exec(|| {
            Ok(rustix::process::set_parent_process_death_signal(Some(
                Signal::TERM,
            ))?)
        })
    }
}

/// Ends this process as its child ended: the same exit code, or the same signal.
pub(super) fn end_as(status: ExitStatus) -> ExitCode {
    if let Some(code) = status.code() {
        return ExitCode::from(u8::try_from(code).unwrap_or(u8::MAX));
    }
    let signal = status.signal().unwrap_or_default();
    // The tool has left its core already; one of the shim would overwrite it.
    let _ = rustix::process::setrlimit(
        Resource::Core,
        Rlimit {
            current: Some(0),
            maximum: Some(0),
        },
    );
    let _ = signal_hook::low_level::emulate_default_handler(signal);
    ExitCode::from(u8::try_from(128 + signal).unwrap_or(u8::MAX))
}

/// The tool is there and cannot be started.
#[expect(
    clippy::print_stderr,
    reason = "a shim speaks in the place of a tool, on the tool's own standard error"
)]
pub(super) fn cannot_start(real: &Path, error: &io::Error) -> ExitCode {
    eprintln!("proofmark: cannot start {}: {error}", real.display());
    ExitCode::from(127)
}

/// The compiler would not have found the tool either: the words and the exit of gcc.
#[expect(
    clippy::print_stderr,
    reason = "a shim speaks in the place of a tool, on the tool's own standard error"
)]
pub(super) fn not_found(name: &OsStr, linker: bool) -> ExitCode {
    if linker {
        eprintln!(
            "collect2: fatal error: cannot find '{}'\ncompilation terminated.",
            name.display()
        );
    } else {
        eprintln!(
            "fatal error: cannot execute '{}': No such file or directory\ncompilation terminated.",
            name.display()
        );
    }
    ExitCode::FAILURE
}
