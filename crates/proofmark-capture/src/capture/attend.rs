//! A build with its output in a file: waited for, ended where it shall stop, and quoted.

use std::fs;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

/// How long a build that shall stop has to clean up.
const GRACE: Duration = Duration::from_secs(2);

/// Between two looks at whether a build has ended, or shall.
const GLANCE: Duration = Duration::from_millis(10);

/// How a build ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself, so.
    ByItself(ExitStatus),
    /// It was asked to. Some builds then say that all is well.
    Stopped,
}

/// Starts a build that leads a process group of its own, without input, and waits for it. Once it
/// shall stop, all of the group is asked to end, and two seconds later made to.
///
/// # Errors
/// When it cannot be started.
pub fn attend(build: &mut Command, stopped: &dyn Fn() -> bool) -> io::Result<Ended> {
    let mut build = build.stdin(Stdio::null()).process_group(0).spawn()?;
    let group = Pid::from_child(&build);
    let mut asked: Option<Instant> = None;
    loop {
        if let Some(status) = build.try_wait()? {
            if asked.is_none() {
                return Ok(Ended::ByItself(status));
            }
            // What the leader has left behind. Where it left nothing, there is no such group any
            // more.
            let _ = kill_process_group(group, Signal::KILL);
            return Ok(Ended::Stopped);
        }
        match asked {
            None if stopped() => {
                asked = Some(Instant::now());
                let _ = kill_process_group(group, Signal::TERM);
            }
            Some(since) if since.elapsed() >= GRACE => {
                let _ = kill_process_group(group, Signal::KILL);
            }
            _ => {}
        }
        sleep(GLANCE);
    }
}

/// The last lines of a log.
#[must_use]
pub fn end_of(log: &Path) -> String {
    const LINES: usize = 20;
    let text = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().collect();
    lines
        .get(lines.len().saturating_sub(LINES)..)
        .unwrap_or_default()
        .join("\n")
}
