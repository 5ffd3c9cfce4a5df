//! A run that is counted and not timed: started by this very thread, so that its counters are
//! inherited. What it took is told by whoever waits for it.

use std::ffi::CString;
use std::fs::File;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::{Pid, PidfdFlags, Signal};

use crate::{End, Interrupt, Launch, Spent, Unavailable};

/// How often the stop flag is looked at.
const LOOK: Duration = Duration::from_millis(100);

/// Runs a program to its end; `meanwhile` is done again and again until then.
pub(crate) fn run_with(
    launch: &Launch,
    stop: &Interrupt,
    meanwhile: &mut dyn FnMut(),
) -> Result<End, Unavailable> {
    run_spending(launch, stop, meanwhile).map(|(end, _)| end)
}

/// The same, with what the run took.
pub(crate) fn run_spending(
    launch: &Launch,
    stop: &Interrupt,
    meanwhile: &mut dyn FnMut(),
) -> Result<(End, Spent), Unavailable> {
    Launch::held_by([launch], run_alone(launch, stop, meanwhile))
}

fn run_alone(
    launch: &Launch,
    stop: &Interrupt,
    meanwhile: &mut dyn FnMut(),
) -> Result<(End, Spent), Unavailable> {
    if stop.requested() {
        return Err(Unavailable::Interrupted);
    }
    let began = Instant::now();
    let mut child = command(launch)?
        .spawn()
        .map_err(Unavailable::failed("cannot run the program"))?;
    let result = wait(&mut child, launch.timeout, stop, meanwhile);
    if !matches!(result, Ok(Some(_))) {
        end_group(&child);
    }
    let wall = began.elapsed();
    let (status, spent) =
        reaped(&child, wall).map_err(Unavailable::failed("cannot wait for the program"))?;
    result?;
    let end = if libc::WIFSIGNALED(status) {
        End::Signalled(libc::WTERMSIG(status))
    } else {
        End::Exited(libc::WEXITSTATUS(status))
    };
    Ok((end, spent))
}

/// Waits for a child, which nobody else does, and hears what it and those that it waited for took.
fn reaped(child: &Child, wall: Duration) -> std::io::Result<(i32, Spent)> {
    let pid = i32::try_from(child.id()).map_err(std::io::Error::other)?;
    let mut status = 0;
    // SAFETY: a structure of numbers, of which all may be zero.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    loop {
        // SAFETY: both places are this function's own.
        let told = unsafe { libc::wait4(pid, &raw mut status, 0, &raw mut usage) };
        if told == pid {
            return Ok((status, Spent::of(&usage, wall)));
        }
        let error = std::io::Error::last_os_error();
        if error.kind() != std::io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

fn command(launch: &Launch) -> Result<Command, Unavailable> {
    let program = std::path::absolute(&launch.program)
        .map_err(Unavailable::failed("cannot resolve the program's path"))?;
    let stdin = match &launch.stdin {
        Some(path) => Stdio::from(
            File::open(path).map_err(Unavailable::failed("cannot open standard input"))?,
        ),
        None => Stdio::null(),
    };
    let mut command = Command::new(program);
    command
        .arg0(&launch.argv0)
        .args(&launch.args)
        .env_clear()
        .envs(launch.env.iter().cloned())
        .current_dir(&launch.cwd);
    command
        .stdin(stdin)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let (aslr, view, cwd) = (launch.aslr, launch.view.clone(), cwd(launch)?);
    // SAFETY: system calls only, which are safe between fork and exec.
    unsafe {
        command.pre_exec(move || {
            if libc::setsid() < 0 || libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) < 0 {
                return Err(std::io::Error::last_os_error());
            }
            if let Some(view) = &view {
                view.enter()?;
                if libc::chdir(cwd.as_ptr()) < 0 {
                    return Err(std::io::Error::last_os_error());
                }
            }
            if !aslr && libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong) < 0 {
                return Err(std::io::Error::last_os_error());
            }
            Ok(())
        });
    }
    Ok(command)
}

/// The folder to go to once a view has been entered, in which the current one is lost.
fn cwd(launch: &Launch) -> Result<CString, Unavailable> {
    let failed = || Unavailable::failed("cannot resolve the folder");
    let path = std::path::absolute(&launch.cwd).map_err(failed())?;
    CString::new(path.into_os_string().into_vec()).map_err(|error| failed()(error.into()))
}

/// Some when it has ended by itself.
fn wait(
    child: &mut Child,
    timeout: Duration,
    stop: &Interrupt,
    meanwhile: &mut dyn FnMut(),
) -> Result<Option<()>, Unavailable> {
    let failed = || Unavailable::failed("cannot wait for the program");
    let pid = i32::try_from(child.id())
        .ok()
        .and_then(Pid::from_raw)
        .ok_or_else(|| failed()(std::io::Error::other("no process number")))?;
    let descriptor = rustix::process::pidfd_open(pid, PidfdFlags::empty())
        .map_err(|errno| failed()(errno.into()))?;
    let start = Instant::now();
    let look = Timespec {
        tv_sec: 0,
        tv_nsec: i64::from(LOOK.subsec_nanos()),
    };
    loop {
        match rustix::event::poll(&mut [PollFd::new(&descriptor, PollFlags::IN)], Some(&look)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => {}
            Ok(_) => return Ok(Some(())),
            Err(errno) => return Err(failed()(errno.into())),
        }
        meanwhile();
        if stop.requested() {
            return Err(Unavailable::Interrupted);
        }
        if start.elapsed() >= timeout {
            return Err(Unavailable::TimedOut(timeout));
        }
    }
}

fn end_group(child: &Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        // It may have ended meanwhile.
        let _ = rustix::process::kill_process_group(group, Signal::KILL);
    }
}
