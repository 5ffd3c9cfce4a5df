//! The command that runs on the tuned machine. Signals reach it and not us, so that everything is
//! put back whatever ends it.

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command, ExitStatus};

use anyhow::Context as _;
use rustix::process::{Pid, Signal, getpgrp, kill_process, set_parent_process_death_signal};
use signal_hook::consts::{
    SIGALRM, SIGCHLD, SIGHUP, SIGINT, SIGPIPE, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2,
};

use crate::exit::{Exit, Unbuilt};

/// What would end this process, and can be caught.
const ENDING: [i32; 8] = [
    SIGALRM, SIGHUP, SIGINT, SIGPIPE, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2,
];

/// What a terminal sends to everybody who runs in its foreground.
const OF_A_TERMINAL: [i32; 3] = [SIGHUP, SIGINT, SIGQUIT];

/// The signals of this process, caught.
pub(super) struct Signals(signal_hook::iterator::Signals);

impl Signals {
    pub(super) fn catch() -> anyhow::Result<Signals> {
        let all = ENDING.into_iter().chain([SIGCHLD]);
        let caught = signal_hook::iterator::Signals::new(all);
        Ok(Signals(caught.context("cannot catch signals")?))
    }
}

/// Runs the command to its end. `door` is the file by which it comes to its own cores.
pub(super) fn run(
    words: &[OsString],
    door: Option<String>,
    signals: Signals,
) -> anyhow::Result<Exit> {
    let Some((program, arguments)) = words.split_first() else {
        return Ok(Exit::Done);
    };
    let mut command = Command::new(program);
    command.args(arguments);
    let door = door.map(|door| OpenOptions::new().write(true).open(format!("/{door}")));
    let door = door
        .transpose()
        .context("cannot enter the cores set aside")?;
    let before_it_starts = move || {
        // When this process is killed the machine will be put back under the command's feet: a
        // measurement that goes on would not know.
        set_parent_process_death_signal(Some(Signal::TERM))?;
        if let Some(door) = &door {
            rustix::io::write(door, b"0")?;
        }
        io::Result::Ok(())
    };
    // SAFETY: two system calls on what was opened before; nothing is allocated and no lock taken.
    unsafe { command.pre_exec(before_it_starts) };
    let mut child = command
        .spawn()
        .map_err(|error| Unbuilt(format!("cannot run {}: {error}", program.display())))?;
    let status = wait(&mut child, signals).context("cannot wait for the command")?;
    Ok(Exit::of_command(status))
}

fn wait(child: &mut Child, mut signals: Signals) -> io::Result<ExitStatus> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        for signal in signals.0.wait() {
            if signal != SIGCHLD && !hears_itself(signal) {
                pass_on(child, signal);
            }
        }
    }
}

/// Whether the terminal sends a signal to the command as well: a second one ends many programs at
/// once.
fn hears_itself(signal: i32) -> bool {
    let in_front = rustix::termios::tcgetpgrp(io::stdin()).is_ok_and(|group| group == getpgrp());
    in_front && OF_A_TERMINAL.contains(&signal)
}

fn pass_on(child: &Child, signal: i32) {
    let process = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    if let (Some(process), Some(signal)) = (process, Signal::from_named_raw(signal)) {
        // One that has just ended hears nothing.
        let _ = kill_process(process, signal);
    }
}

impl Exit {
    /// As the command ended: by its own code, or by 128 and the signal, as a shell says it.
    fn of_command(status: ExitStatus) -> Exit {
        let code = status.code();
        let code = code.or_else(|| Some(128 + status.signal()?));
        let code = code.and_then(|code| u8::try_from(code).ok());
        code.map_or(Exit::Subject, Exit::OfCommand)
    }
}
